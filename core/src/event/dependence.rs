//! Dependence, decided from two operations alone: object, byte range, kind, success or failure; never from values.
//!
//! Everything that needs dependence (the algorithms, sleep sets in a run, the brute-force oracle) asks this file, so
//! two parts of the project cannot disagree. The answer is derived from footprints: an operation touches at most two
//! objects, each in one mode ([`Touch`](super::Touch)), and two operations are dependent if they touch the same object
//! in modes that conflict.

use super::{Footprint, Operation};

impl Footprint {
    /// What `operation` touches: [`Operation::footprint`]. A synchronisation object counts as its first byte.
    #[inline]
    pub fn of(operation: &Operation) -> Self {
        operation.footprint()
    }
}

/// Whether two operations of different threads are dependent: executed next to each other, their order matters, or one
/// can enable or disable the other. Symmetric.
pub fn dependent(a: &Operation, b: &Operation) -> bool {
    Footprint::of(a).conflicts(Footprint::of(b))
}

/// Whether `later`, dependent on `earlier` and concurrent with it otherwise, could have been taken in the state just
/// before `earlier`; that is, whether the pair is a race to be reversed rather than an enabling.
///
/// A lock is enabled by the unlock before it, so its race is with the lock that took the mutex, further back (S15).
///
/// This is decided from the two operations alone. The searches ask their path instead, which also knows which thread
/// held the object in between (`Conflict::reversible`, decided in `order/path/conflicts.rs`).
pub fn reversible(earlier: &Operation, later: &Operation) -> bool {
    let (earlier, later) = (Footprint::of(earlier), Footprint::of(later));
    let mut conflict = false;
    for (range, touch) in earlier.iter() {
        for (later_range, later_touch) in later.iter() {
            if !range.overlaps(later_range) || !touch.conflicts_in(later_touch, range == later_range) {
                continue;
            }
            conflict = true;
            if touch.enables(later_touch) {
                return false;
            }
        }
    }
    conflict
}
