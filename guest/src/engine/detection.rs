//! Feeds the detectors of `inspect_core::detect`, finds accesses to the heap beside live blocks, and turns all of it into
//! findings.

use super::report::Reporter;
use super::state::{Engine, plain_is_visible, with};
use super::states;
use super::step::me;
use crate::hooks::recent;
use crate::platform::ARENAS;
use crate::platform::arena::{self, BlockState, HeapError};
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::detect::FindingKind;
use inspect_core::event::{
    ByteRange, ControlOperation, EndKind, EventIndex, MemoryOrder, Object, Operation, Pending, SiteId, ThreadId, Trace,
};
use inspect_core::run::Misuse;
use inspect_wire::message::{InconclusiveReason, Message, Values};

/// A run begins.
pub(super) fn begin(engine: &mut Engine) {
    recent::forget();
    engine.observer.begin();
}

/// Takes in the events executed since the last call.
#[inline(always)]
pub(super) fn feed(engine: &mut Engine) {
    recent::forget();
    if engine.watch_sets.is_empty() {
        engine.observer.take_in(engine.run.events());
    } else {
        engine.observer.take_in(engine.watch_sets.resolve(engine.run.events()));
    }
}

/// A plain access that is not a visible operation. Returns whether there is nothing to be said against it.
#[inline(always)]
pub(crate) fn plain(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
    plain_elsewhere(range.start, u64::from(range.len) << 1 | u64::from(write), site, thread)
}

elsewhere!(plain_elsewhere(start: u64, len_and_write: u64, site: SiteId, thread: ThreadId) -> bool => plain_here);

extern "C" fn plain_here(start: u64, len_and_write: u64, site: SiteId, thread: ThreadId) -> bool {
    let range = ByteRange { start, len: (len_and_write >> 1) as u32 };
    let write = len_and_write & 1 == 1;
    let races = with(|engine| {
        if engine.discipline.is_some() {
            // What could race will be an operation, and is judged then.
            states::hidden(engine, thread, range, write);
            return false;
        }
        engine.observer.plain(thread, range, write, site)
    });
    check_heap(thread, range, write, site) && !races
}

/// A fence.
pub(crate) fn fence(thread: ThreadId, order: MemoryOrder) {
    recent::forget();
    with(|engine| engine.observer.fence(thread, order));
}

/// Memory of the heap was given to the running thread.
pub(crate) fn on_allocated(start: u64, size: u64, site: SiteId) {
    if size != 0 {
        recent::forget();
        super::pruning_log::access(range(start, size), true);
        with(|engine| engine.observer.alloc(me(), range(start, size), site));
    }
}

/// The running thread gives a block of the heap back, or resizes it.
pub(crate) fn on_freed(start: u64, size: u64, site: SiteId) {
    if size != 0 {
        recent::forget();
        super::pruning_log::access(range(start, size), true);
        with(|engine| {
            if engine.discipline.is_some() && !plain_is_visible(range(start, size)) {
                states::hidden(engine, me(), range(start, size), true);
            }
            engine.observer.free(me(), range(start, size), site)
        });
    }
}

fn range(start: u64, size: u64) -> ByteRange {
    ByteRange { start, len: size.min(u32::MAX.into()) as u32 }
}

/// An access that may hit the heap: it must lie in one live block. Returns whether it does, or hits something else.
#[inline(always)]
pub(crate) fn check_heap(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
    !ARENAS.contains(range.start) || check_block(thread, range, write, site)
}

fn check_block(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
    let Some(block) = arena::block_of(range.start) else { return true };
    let kind = if block.state == BlockState::Freed {
        FindingKind::HeapUseAfterFree
    } else if range.end() > block.start + block.size {
        FindingKind::HeapOverflow
    } else {
        return true;
    };
    let operation = Operation::plain(range, write);
    note(Misuse { kind, thread, site, operation, object: Object(block.start), at: EventIndex(0), other: None });
    false
}

/// A heap error found by the allocator; the thread ends the process, as the C library's allocator does.
pub(crate) fn on_heap_error(error: HeapError, pointer: u64, site: SiteId) -> ! {
    let kind = match error {
        HeapError::DoubleFree => FindingKind::DoubleFree,
        HeapError::InvalidFree => FindingKind::InvalidFree,
        HeapError::Overflow => FindingKind::HeapOverflow,
    };
    let operation = Operation::Control(ControlOperation::EndProcess(EndKind::HeapError));
    note(Misuse { kind, thread: me(), site, operation, object: Object(pointer), at: EventIndex(0), other: None });
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

/// Looks for findings in the run just made, and adds them to those of earlier attempts at it.
pub(super) fn collect(engine: &mut Engine) {
    let seen = aliased(engine);
    engine.observer.end(&engine.run, &mut engine.findings);
    engine.overflowed = engine.observer.overflowed();
    engine.racing.extend(engine.observer.races().iter().map(|race| race.range));
    engine.racing.extend(engine.discipline.iter_mut().flat_map(|discipline| discipline.take_found()));
    restore_disguise(engine, seen);
}

/// The run just made does not end: a longer attempt has confirmed it.
pub(super) fn nonterminating(engine: &mut Engine, thread: ThreadId, site: SiteId) {
    engine.observer.nonterminating(&engine.run, thread, site, &mut engine.findings);
}

/// Tells what was found in the run just made.
pub(super) fn tell(engine: &mut Engine, reporter: &mut Reporter) {
    if engine.overflowed {
        reporter.inconclusive(InconclusiveReason::Other(String::from("a run had more races than can be kept")));
    }
    if engine.findings.is_empty() && engine.report_traces.is_none() {
        return;
    }
    let seen = aliased(engine);
    if engine.report_traces.is_some() {
        report_trace(engine, reporter);
    }
    let mut findings = core::mem::take(&mut engine.findings);
    for finding in findings.drain(..) {
        let trace = engine.run.trace();
        reporter.finding(finding, &trace.events, &trace.pending);
    }
    engine.findings = findings;
    restore_disguise(engine, seen);
}

/// The values recorded in the run just made, one entry for each of its events.
pub(super) fn values(engine: &mut Engine, events: usize) -> Vec<Values> {
    let mut values = core::mem::take(&mut engine.values);
    values.resize(events, Values { before: 0, after: 0 });
    values
}

fn report_trace(engine: &mut Engine, reporter: &mut Reporter) {
    let Trace { events, pending, ending, .. } = engine.run.trace().clone();
    let values = values(engine, events.len());
    let contents = core::mem::take(&mut engine.contents);
    reporter.sites_of(&events, &pending);
    reporter.send(&Message::Trace { events, values, pending, ending, contents });
}

/// Gives the record of the run the real locations of what it touched; returns the pending operations as they were.
pub(super) fn aliased(engine: &mut Engine) -> Option<Vec<Pending>> {
    if engine.watch_sets.is_empty() {
        return None;
    }
    engine.watch_sets.resolve(engine.run.events());
    let trace = engine.run.trace_mut();
    engine.watch_sets.exchange(&mut trace.events);
    let pending = trace.pending.clone();
    engine.watch_sets.reveal_pending(&mut trace.pending);
    Some(pending)
}

fn restore_disguise(engine: &mut Engine, seen: Option<Vec<Pending>>) {
    if let Some(pending) = seen {
        let trace = engine.run.trace_mut();
        engine.watch_sets.exchange(&mut trace.events);
        trace.pending = pending;
    }
}
