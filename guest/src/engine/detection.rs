//! Feeds the detectors of `inspect_core::detect`, finds accesses to the heap beside live blocks, and turns all of it into
//! findings.

use super::report::Reporter;
use super::state::{Elsewhere, Engine, with};
use super::step::me;
use crate::platform::ARENAS;
use crate::platform::arena::{self, BlockState, HeapError};
use alloc::vec::Vec;
use inspect_core::detect::{Finding, FindingKind};
use inspect_core::event::{
    ByteRange, EndKind, EventIndex, LimitKind, MemoryOrder, Object, Operation, Pending, SiteId, ThreadId, Trace,
};
use inspect_core::run::Misuse;
use inspect_wire::message::{Message, Values};

/// A run begins.
pub(super) fn begin(engine: &mut Engine) {
    engine.observer.begin();
}

/// Takes in the events executed since the last call.
#[inline(always)]
pub(super) fn feed(engine: &mut Engine) {
    if engine.groups.is_empty() {
        engine.observer.take_in(engine.run.events());
    } else {
        engine.observer.take_in(engine.groups.reveal(engine.run.events()));
    }
}

/// A plain access that is not a visible operation.
#[inline(always)]
pub(crate) fn plain(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) {
    with(|engine| engine.observer.plain(thread, range, write, site));
    check_heap(thread, range, write, site);
}

/// A fence.
pub(crate) fn fence(thread: ThreadId, order: MemoryOrder) {
    with(|engine| engine.observer.fence(thread, order));
}

/// Memory of the heap was given to the running thread.
pub(crate) fn on_allocated(start: u64, size: u64, site: SiteId) {
    if size != 0 {
        with(|engine| engine.observer.alloc(me(), range(start, size), site));
    }
}

/// The running thread gives a block of the heap back, or resizes it.
pub(crate) fn on_freed(start: u64, size: u64, site: SiteId) {
    if size != 0 {
        with(|engine| engine.observer.free(me(), range(start, size), site));
    }
}

fn range(start: u64, size: u64) -> ByteRange {
    ByteRange { start, len: size.min(u32::MAX.into()) as u32 }
}

/// An access that may hit the heap: it must lie in one live block.
#[inline(always)]
pub(crate) fn check_heap(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) {
    if ARENAS.contains(range.start) {
        check_block(thread, range, write, site);
    }
}

fn check_block(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) {
    let Some(block) = arena::block_of(range.start) else { return };
    let kind = if block.state == BlockState::Freed {
        FindingKind::HeapUseAfterFree
    } else if range.end() > block.start + block.size {
        FindingKind::HeapOverflow
    } else {
        return;
    };
    let operation = if write { Operation::Write(range) } else { Operation::Read(range) };
    note(Misuse { kind, thread, site, operation, object: Object(block.start), at: EventIndex(0) });
}

/// A heap error found by the allocator; the thread ends the process, as the C library's allocator does.
pub(crate) fn on_heap_error(error: HeapError, pointer: u64, site: SiteId) -> ! {
    let kind = match error {
        HeapError::DoubleFree => FindingKind::DoubleFree,
        HeapError::InvalidFree => FindingKind::InvalidFree,
        HeapError::Overflow => FindingKind::HeapOverflow,
    };
    let operation = Operation::EndProcess(EndKind::HeapError);
    note(Misuse { kind, thread: me(), site, operation, object: Object(pointer), at: EventIndex(0) });
    super::end_process(EndKind::HeapError, site)
}

/// Notes a misuse that is certain now. One place is noted once a run, so that a loop does not fill the memory.
pub(super) fn note(misuse: Misuse) {
    with(|engine| {
        let known = engine.run.misuses();
        if known.iter().any(|old| old.kind == misuse.kind && old.site == misuse.site && old.thread == misuse.thread) {
            return;
        }
        let at = EventIndex(engine.run.events().len() as u32);
        engine.run.note(Misuse { at, ..misuse });
    });
}

/// Looks for findings in the run just made and tells them.
pub(super) fn judge(engine: &mut Engine, reporter: &mut Reporter) {
    let pending = reveal(engine);
    let mut findings = core::mem::take(&mut engine.findings);
    let overflowed = find(engine, &mut findings);
    if engine.tell.is_some() {
        tell_trace(engine, reporter);
    }
    if overflowed {
        reporter.inconclusive(inspect_wire::message::InconclusiveReason::Limit(LimitKind::Memory));
    }
    for finding in findings.drain(..) {
        let trace = engine.run.trace();
        reporter.finding(finding, &trace.events, &trace.pending);
    }
    engine.findings = findings;
    hide(engine, pending);
}

/// Gives the record of the run the locations that the program uses. Returns what [`hide`] needs to undo it.
fn reveal(engine: &mut Engine) -> Option<Vec<Pending>> {
    if engine.groups.is_empty() {
        return None;
    }
    engine.groups.reveal(engine.run.events());
    let trace = engine.run.trace_mut();
    engine.groups.exchange(&mut trace.events);
    let pending = trace.pending.clone();
    engine.groups.reveal_pending(&mut trace.pending);
    Some(pending)
}

/// Gives the record of the run the locations that the search knows.
fn hide(engine: &mut Engine, pending: Option<Vec<Pending>>) {
    if let Some(pending) = pending {
        let trace = engine.run.trace_mut();
        engine.groups.exchange(&mut trace.events);
        trace.pending = pending;
    }
}

/// Looks for findings in the run just made; whether there were more races than are kept.
fn find(engine: &mut Engine, findings: &mut Vec<Finding>) -> bool {
    let Some(elsewhere) = &mut engine.elsewhere else {
        engine.observer.end(&engine.run, findings);
        return engine.observer.overflowed();
    };
    findings.append(&mut elsewhere.findings);
    findings.iter().for_each(|finding| engine.observer.adopt(finding));
    elsewhere.overflowed
}

/// The values recorded in this run, one entry an event.
pub(super) fn values(engine: &mut Engine) -> Vec<Values> {
    let mut values = core::mem::take(&mut engine.values);
    values.resize(engine.run.events().len(), Values { before: 0, after: 0 });
    values
}

fn tell_trace(engine: &mut Engine, reporter: &mut Reporter) {
    let values = values(engine);
    let contents = core::mem::take(&mut engine.contents);
    let Trace { events, pending, ending, .. } = engine.run.trace().clone();
    reporter.sites_of(&events, &pending);
    reporter.send(&Message::Trace { events, values, pending, ending, contents });
}

/// Everything about the run just made in this forked child.
pub(super) fn record(engine: &mut Engine) -> Elsewhere {
    let mut findings = Vec::new();
    let pending = reveal(engine);
    let overflowed = find(engine, &mut findings);
    hide(engine, pending);
    Elsewhere { findings, races: racing(engine), overflowed }
}

/// Locations on which races were found in this run.
pub(super) fn racing(engine: &mut Engine) -> Vec<ByteRange> {
    if let Some(elsewhere) = &engine.elsewhere {
        return elsewhere.races.clone();
    }
    engine.observer.races().iter().map(|race| race.range).collect()
}
