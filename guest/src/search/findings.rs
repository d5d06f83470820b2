//! What the detectors have found in a run, and its report to the host.

use super::report::Reporter;
use crate::engine::leaks;
use crate::engine::state::Engine;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::event::{FindingKind, Pending, SiteId, ThreadId, Trace};
use inspect_core::run::Misuse;
use inspect_wire::message::{InconclusiveReason, Message};

/// As the reason of an inconclusive verdict says it.
const LATE_JOIN: &str = "a join of a thread that is joined or detached already, before that thread ends";

/// Looks for findings in the run just made, and adds them to those of earlier attempts at the same run.
pub(super) fn collect(engine: &mut Engine) {
    let aliased = show_real_locations(engine);
    engine.observer.end(&engine.run, &mut engine.findings);
    note_late_joins(engine);
    leaks::look(engine);
    engine.overflowed.0 = engine.observer.overflowed();
    engine.racing.extend(engine.observer.races().iter().map(|race| race.range));
    engine.racing.extend(engine.discipline.iter_mut().flat_map(|discipline| discipline.take_found()));
    show_aliases(engine, aliased);
}

/// Joins that fail at once in the C library, and here wait for the end of the thread before they do (S5): what the
/// joining thread does meanwhile is not seen.
fn note_late_joins(engine: &mut Engine) {
    let trace = engine.run.trace();
    let is_late = |misuse: &&Misuse| {
        let is_own = |thread, operation| thread == misuse.thread && Some(operation) == misuse.operation;
        let made = trace.events.iter().filter(|event| is_own(event.thread, event.operation));
        let waiting = trace.pending.iter().filter(|pending| is_own(pending.thread, pending.operation));
        // A thread that joins the same one again knows that it has ended.
        let is_first = made.count() + waiting.count() == 1;
        misuse.kind == FindingKind::JoinInvalid
            && misuse.operation.is_some_and(|operation| operation.joins().is_some())
            && is_first
    };
    let late: Vec<SiteId> = engine.run.misuses().iter().filter(is_late).map(|misuse| misuse.site).collect();
    for site in late {
        engine.note_reason(InconclusiveReason::Unmodelled { call: String::from(LATE_JOIN), site });
    }
}

/// The run just made does not end: a longer attempt has confirmed it.
pub(super) fn nonterminating(engine: &mut Engine, thread: ThreadId, site: SiteId) {
    engine.observer.nonterminating(&engine.run, thread, site, &mut engine.findings);
}

/// Reports what was found in the run just made.
pub(super) fn report(engine: &mut Engine, reporter: &mut Reporter) {
    if engine.overflowed.0 {
        reporter.inconclusive(InconclusiveReason::Other(String::from("a run had more races than can be kept")));
    }
    if engine.findings.is_empty() && engine.trace_values.ranges.is_none() {
        return;
    }
    let aliased = show_real_locations(engine);
    if engine.trace_values.ranges.is_some() {
        report_trace(engine, reporter);
    }
    let trace = engine.run.trace();
    for finding in engine.findings.drain(..) {
        reporter.finding(finding, &trace.events, &trace.pending);
    }
    show_aliases(engine, aliased);
}

fn report_trace(engine: &mut Engine, reporter: &mut Reporter) {
    let Trace { events, pending, ending, .. } = engine.run.trace().clone();
    let values = engine.trace_values.take_values(events.len());
    let contents = core::mem::take(&mut engine.trace_values.contents);
    reporter.sites_of(&events, &pending);
    reporter.send(&Message::Trace { events, values, pending, ending, contents });
}

/// Gives the trace of the run the real locations instead of their aliases; returns the pending operations as they were.
pub(super) fn show_real_locations(engine: &mut Engine) -> Option<Vec<Pending>> {
    if engine.watch_sets.is_empty() {
        return None;
    }
    engine.watch_sets.resolve(engine.run.events());
    let trace = engine.run.trace_mut();
    engine.watch_sets.exchange(&mut trace.events);
    let pending = trace.pending.clone();
    engine.watch_sets.resolve_pending(&mut trace.pending);
    Some(pending)
}

/// Gives the trace of the run the aliases again, for the search.
fn show_aliases(engine: &mut Engine, pending: Option<Vec<Pending>>) {
    if let Some(pending) = pending {
        let trace = engine.run.trace_mut();
        engine.watch_sets.exchange(&mut trace.events);
        trace.pending = pending;
    }
}
