//! Findings at the end of a run: how the process ended, and threads that can never go on.
//!
//! - **Ends of the process.** The one that was executed, and those that other threads were about to execute: each of
//!   them could have come first. An exit with status 0 is no finding.
//! - **deadlock**: every live thread is blocked. One place per thread, those that wait for a mutex or a once object
//!   first, then those that wait for a signal, then those that join: the join is rarely what an engineer looks for.
//! - **livelock**: no thread can go on and at least one thread spins; the spinning ones come first.
//! - **lost-thread**: some threads wait for each other or for a thread that has ended, so that nothing the rest of the
//!   program does can enable them, though the rest has ended or goes on. A thread that waits for a signal is not
//!   counted while another one lives, not even when the process exits: programs leave idle workers waiting, and a
//!   program that needed them would have joined them (then it is a deadlock). That a thread is left over at all is
//!   `missing-pthread-exit`.
//!
//! A thread that waits to join one that was detached is stuck in none of these ways: the call fails at once in a C
//! library, and is reported as `join-invalid`.
//!
//! A run in which an assumption failed is excluded by the program itself: it shows no deadlock, livelock, lost thread
//! or hygiene finding. Neither does a run that was cut because its threads are asleep, as another run shows the same,
//! nor one that diverged from its plan.

use super::collect::Collector;
use super::finding::Finding;
use crate::event::{
    ByteRange, EndKind, Ending, FindingKind, Object, Pending, PendingStatus, Place, SiteId, ThreadId, ThreadSet, Trace,
};
use crate::run::Run;
use alloc::vec::Vec;

/// Whether an assumption of some thread had failed when the run ended.
pub(super) fn assumption_failed(trace: &Trace) -> bool {
    let failed = |pending: &Pending| match pending.status {
        PendingStatus::AssumeFailed | PendingStatus::ChosenOtherwise => true,
        PendingStatus::Enabled | PendingStatus::Blocked | PendingStatus::Parked => false,
    };
    trace.ending == Ending::AssumeBlocked || trace.pending.iter().any(failed)
}

/// The thread that may have been cut between two operations by a limit: its pending operation may be the one that it
/// executed last.
pub(super) fn interrupted(run: &Run) -> Option<ThreadId> {
    matches!(run.trace().ending, Ending::Limit(_)).then(|| run.current())
}

/// Reports ends of the process that are bugs.
pub(super) fn process_ends(run: &Run, collector: &mut Collector, out: &mut Vec<Finding>) {
    let trace = run.trace();
    let executed = trace.events.last().map(|event| (event.thread, event.site, event.operation));
    let wanted = trace.pending.iter().map(|pending| (pending.thread, pending.site, pending.operation));
    for (thread, site, operation) in executed.into_iter().chain(wanted) {
        let Some(end) = operation.ends_process() else { continue };
        let (kind, code) = match end {
            EndKind::Exit(0) | EndKind::LastThread => continue,
            EndKind::Exit(status) => (FindingKind::ExitStatus, status),
            EndKind::Abort => (FindingKind::Abort, 0),
            EndKind::AssertionFailed => (FindingKind::Assertion, 0),
            EndKind::Signal(number) => (FindingKind::Crash, i32::from(number)),
            // The misuses say which error it was; if none does, the pointer was invalid.
            EndKind::HeapError if run.misuses().iter().any(|m| m.thread == thread && is_heap_error(m.kind)) => continue,
            EndKind::HeapError => (FindingKind::InvalidFree, 0),
            EndKind::UncaughtException => (FindingKind::UncaughtException, 0),
        };
        collector.start().push(Place { thread, site, operation: Some(operation) });
        collector.report(kind, None, code, run, out);
    }
}

fn is_heap_error(kind: FindingKind) -> bool {
    matches!(kind, FindingKind::DoubleFree | FindingKind::InvalidFree | FindingKind::HeapOverflow)
}

/// Reports the misuses that the run noticed.
pub(super) fn misuses(run: &Run, collector: &mut Collector, out: &mut Vec<Finding>) {
    for misuse in run.misuses() {
        let place = Place { thread: misuse.thread, site: misuse.site, operation: misuse.operation };
        let places = collector.start();
        places.push(place);
        places.extend(misuse.other);
        collector.report(misuse.kind, Some(whole(misuse.object)), 0, run, out);
    }
}

fn whole(object: Object) -> ByteRange {
    ByteRange { start: object.0, len: 1 }
}

/// Reports a deadlock, a livelock or lost threads.
pub(super) fn stuck(run: &Run, collector: &mut Collector, out: &mut Vec<Finding>) {
    let trace = run.trace();
    if assumption_failed(trace) || trace.pending.is_empty() {
        return;
    }
    let everyone: ThreadSet = trace.pending.iter().map(|pending| pending.thread).collect();
    match trace.ending {
        Ending::Deadlocked | Ending::Livelocked if trace.pending.iter().any(|pending| joins_detached(run, pending)) => {
            report_stuck(FindingKind::LostThread, lost(run), run, collector, out);
        }
        Ending::Deadlocked => report_stuck(FindingKind::Deadlock, everyone, run, collector, out),
        Ending::Livelocked => {
            report_stuck(FindingKind::LostThread, lost(run), run, collector, out);
            report_stuck(FindingKind::Livelock, everyone, run, collector, out);
        }
        Ending::Completed | Ending::Limit(_) => report_stuck(FindingKind::LostThread, lost(run), run, collector, out),
        Ending::AssumeBlocked | Ending::Blocked | Ending::Revisited | Ending::Diverged(_) => {}
    }
}

/// Reports a run that does not end, as the caller has confirmed by measuring time: `thread` has run for too long
/// without a visible operation, at `site` if that is known.
pub(super) fn nonterminating(
    run: &Run,
    thread: ThreadId,
    site: SiteId,
    collector: &mut Collector,
    out: &mut Vec<Finding>,
) {
    collector.start().push(Place { thread, site, operation: None });
    collector.report(FindingKind::Nonterminating, None, 0, run, out);
}

fn report_stuck(kind: FindingKind, threads: ThreadSet, run: &Run, collector: &mut Collector, out: &mut Vec<Finding>) {
    let mut pending: Vec<&Pending> = run.trace().pending.iter().filter(|p| threads.contains(p.thread)).collect();
    pending.sort_by_key(|pending| (rank(run, pending), pending.thread));
    let Some(first) = pending.first() else { return };
    let object = awaited_object(run, first).map(whole);
    collector.start().extend(pending.iter().map(|pending| Place {
        thread: pending.thread,
        site: pending.site,
        operation: Some(pending.operation),
    }));
    collector.report(kind, object, 0, run, out);
}

/// The thread without which a pending one cannot go on, as it has to give up a mutex, return from an initialiser, or
/// end. `None` if several threads could help the pending one, or none has to.
fn awaited_thread(run: &Run, pending: &Pending) -> Option<ThreadId> {
    let several = waits_for_signal(run, pending).is_some() || joins_detached(run, pending);
    if pending.status != PendingStatus::Blocked || several {
        return None;
    }
    run.awaited_thread(pending.operation.need())
}

/// Whether a thread waits for the end of one that was detached, which is a misuse.
fn joins_detached(run: &Run, pending: &Pending) -> bool {
    pending.operation.joins().is_some_and(|child| run.thread_info(child).detached)
}

/// The condition variable that a thread waits at for a signal.
fn waits_for_signal(run: &Run, pending: &Pending) -> Option<Object> {
    let cond = pending.operation.ends_wait()?.cond;
    run.object(cond).waiters.contains(pending.thread).then_some(cond)
}

/// The object that a thread waits for, as the finding names it.
fn awaited_object(run: &Run, pending: &Pending) -> Option<Object> {
    waits_for_signal(run, pending).or(pending.operation.need().awaited().object())
}

/// The rank of a stuck thread in the order of a finding's places.
fn rank(run: &Run, pending: &Pending) -> u8 {
    match (pending.status, awaited_thread(run, pending), pending.operation.joins()) {
        (PendingStatus::Parked, ..) if !pending.operation.awaits_signal() => 0,
        (_, Some(_), Some(_)) => 3,
        (_, Some(_), None) => 1,
        (_, None, _) => 2,
    }
}

/// The largest set of blocked threads each of which waits for one of the set or for a thread that has ended.
fn lost(run: &Run) -> ThreadSet {
    let pending = &run.trace().pending;
    let mut set: ThreadSet = pending.iter().map(|p| p.thread).collect();
    loop {
        let stays = |p: &&Pending| match awaited_thread(run, p) {
            _ if interrupted(run) == Some(p.thread) => false,
            Some(thread) => set.contains(thread) || run.thread_info(thread).ended,
            None => false,
        };
        let smaller = pending.iter().filter(|p| set.contains(p.thread)).filter(stays).map(|p| p.thread).collect();
        if smaller == set {
            return set;
        }
        set = smaller;
    }
}
