//! Feeds the detectors of `inspect_core::detect` and turns what they and the scheduler noticed into findings.

use super::report::Reporter;
use super::state::{Engine, with};
use super::step::me;
use crate::platform::arena::{self, BlockState, HeapError};
use alloc::vec;
use alloc::vec::Vec;
use inspect_core::detect::{Finding, FindingKind, Place};
use inspect_core::event::{
    ByteRange, EndKind, Event, EventIndex, MemoryOrder, Object, Operation, SiteId, Step, ThreadId,
};
use inspect_core::run::Misuse;

/// A run begins.
pub(super) fn begin(_engine: &mut Engine) {}

/// Takes in the events executed since the last call.
#[inline(always)]
pub(super) fn feed(_engine: &mut Engine) {}

/// A plain access that is not a visible operation.
#[inline(always)]
pub(crate) fn plain(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) {
    if arena_contains(range.start) {
        heap(thread, range, write, site);
    }
}

#[inline(always)]
fn arena_contains(address: u64) -> bool {
    crate::platform::ARENAS.contains(address)
}

/// A fence.
pub(crate) fn fence(_thread: ThreadId, _order: MemoryOrder) {}

/// An access to the heap: it must lie in one live block.
pub(crate) fn heap(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) {
    let Some(block) = arena::block_of(range.start) else { return };
    let kind = if block.state == BlockState::Freed {
        FindingKind::HeapUseAfterFree
    } else if range.end() > block.start + block.size {
        FindingKind::HeapOverflow
    } else {
        return;
    };
    let operation = if write { Operation::Write(range) } else { Operation::Read(range) };
    with(|engine| {
        let at = EventIndex(engine.run.events().len() as u32);
        engine.run.note(Misuse { kind, thread, site, operation, object: Object(block.start), at });
    });
}

/// A heap error found by the allocator.
pub(crate) fn on_heap_error(error: HeapError, pointer: u64, site: SiteId) {
    let kind = match error {
        HeapError::DoubleFree => FindingKind::DoubleFree,
        HeapError::InvalidFree => FindingKind::InvalidFree,
        HeapError::Overflow => FindingKind::HeapOverflow,
    };
    let thread = me();
    with(|engine| {
        let at = EventIndex(engine.run.events().len() as u32);
        let operation = Operation::EndProcess(EndKind::HeapError);
        engine.run.note(Misuse { kind, thread, site, operation, object: Object(pointer), at });
    });
}

/// Looks for findings in the run just made.
pub(super) fn judge(engine: &mut Engine, reporter: &mut Reporter) {
    if engine.run.misuses().is_empty() {
        return;
    }
    let trace = engine.run.trace();
    for misuse in engine.run.misuses() {
        if reporter.is_new(misuse.kind, core::iter::once(misuse.site)) {
            let finding = misuse_finding(misuse, &trace.events, engine.run.paths());
            reporter.finding(finding, &trace.events, &trace.pending);
        }
    }
}

fn misuse_finding(misuse: &Misuse, events: &[Event], paths: &[(ThreadId, u32)]) -> Finding {
    let operation = Some(misuse.operation);
    Finding {
        kind: misuse.kind,
        places: vec![Place { thread: misuse.thread, site: misuse.site, operation }],
        object: Some(ByteRange { start: misuse.object.0, len: 1 }),
        witness: None,
        code: 0,
        steps: events.iter().map(|event| Step { thread: event.thread, choice: event.choice }).collect(),
        paths: paths.to_vec(),
    }
}

/// Locations on which races were found and that are to become visible.
pub(super) fn take_promotions(_engine: &mut Engine) -> Vec<ByteRange> {
    Vec::new()
}
