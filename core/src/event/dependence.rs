//! Dependence, decided from two operations alone: object, byte range, kind, success or failure; never from values.
//!
//! Everything that needs dependence (the algorithms, sleep sets in a run, the brute-force oracle) asks this file, so
//! two parts of the project cannot disagree. The answer is derived from footprints: an operation touches at most two
//! objects, each in one mode ([`Touch`](super::Touch)), and two operations are dependent if they touch the same object
//! in modes that conflict. Whether a dependent pair is a race to be reversed, or the earlier operation enables the
//! later one (an unlock enables the lock behind it, S15), a search asks its path, which knows who held the object in
//! between (`Conflict::reversible`).

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
