//! Which plain accesses are visible operations. Changed between runs only.

use crate::platform::Global;
use alloc::vec::Vec;
use inspect_core::event::{ByteRange, MemoryOrder};
use inspect_wire::message::{Heap, PlainAccesses, VolatileAccesses};

/// Which plain accesses are visible operations.
pub(crate) struct Visibility {
    /// `--plain-accesses`.
    pub(crate) mode: PlainAccesses,
    /// `--heap`.
    pub(crate) heap: Heap,
    /// `--volatile`.
    pub(crate) volatile: VolatileAccesses,
    /// Promoted locations, disjoint and in ascending order.
    pub(crate) promoted: Vec<ByteRange>,
    /// Accesses of library functions to the caller's stack count as shared.
    pub(crate) own_stack: bool,
}

static VISIBILITY: Global<Visibility> = Global::new(Visibility {
    mode: PlainAccesses::Racy,
    heap: Heap::Quarantine,
    volatile: VolatileAccesses::Plain,
    promoted: Vec::new(),
    own_stack: false,
});

#[inline(always)]
fn visibility() -> &'static Visibility {
    // SAFETY: `set` and `promote` change it between runs, and no caller keeps the reference until then.
    unsafe { &*VISIBILITY.as_ptr() }
}

/// Says which plain accesses are visible operations. Called before the first run.
pub(crate) fn set(visibility: Visibility) {
    // SAFETY: no run has begun, so no reference is in use.
    *unsafe { VISIBILITY.get() } = visibility;
}

/// When freed blocks of the heap are used again.
pub(crate) fn heap() -> Heap {
    visibility().heap
}

/// The memory order of volatile accesses, where these are atomic.
#[inline(always)]
pub(crate) fn order_of_volatile() -> Option<MemoryOrder> {
    match visibility().volatile {
        VolatileAccesses::Plain => None,
        VolatileAccesses::Relaxed => Some(MemoryOrder::Relaxed),
        VolatileAccesses::Atomic => Some(MemoryOrder::SequentiallyConsistent),
    }
}

/// The promoted locations, disjoint and in ascending order.
pub(crate) fn promoted() -> &'static [ByteRange] {
    &visibility().promoted
}

/// Makes accesses to these locations visible operations, too. Called between two runs. Returns whether some of them
/// were not visible before.
pub(crate) fn promote(found: Vec<ByteRange>) -> bool {
    // SAFETY: no run is in progress, and no caller of `visibility` has kept its reference.
    let promoted = &mut unsafe { VISIBILITY.get() }.promoted;
    let before = promoted.clone();
    promoted.extend(found);
    promoted.sort();
    merge_overlapping(promoted);
    *promoted != before
}

fn merge_overlapping(ranges: &mut Vec<ByteRange>) {
    ranges.dedup_by(|next, merged| {
        let overlap = next.start < merged.end();
        if overlap {
            merged.len = merged.len.max((next.end() - merged.start) as u32);
        }
        overlap
    });
}

/// Whether accesses of library functions to the caller's stack count as shared.
pub(crate) fn own_stack_is_visible() -> bool {
    visibility().own_stack
}

/// Whether any plain access is a visible operation.
pub(crate) fn some_plain_are_visible() -> bool {
    let visibility = visibility();
    visibility.mode == PlainAccesses::All || !visibility.promoted.is_empty()
}

/// Whether a plain access is a visible operation.
#[inline(always)]
pub(crate) fn plain_is_visible(range: ByteRange) -> bool {
    let visibility = visibility();
    match visibility.mode {
        PlainAccesses::All => true,
        PlainAccesses::Sync => false,
        PlainAccesses::Racy => !visibility.promoted.is_empty() && is_promoted(&visibility.promoted, range),
    }
}

/// Whether a race was found at one of the bytes, so that accesses to it are operations from then on.
pub(crate) fn is_racy(range: ByteRange) -> bool {
    is_promoted(&visibility().promoted, range)
}

fn is_promoted(promoted: &[ByteRange], range: ByteRange) -> bool {
    let first = promoted.partition_point(|promoted| promoted.end() <= range.start);
    promoted.get(first).is_some_and(|promoted| promoted.overlaps(range))
}
