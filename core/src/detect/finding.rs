//! Findings are data: the kind, the places, the object, and the plan that shows it again. Text is made by the host.

use crate::event::{ByteRange, FindingKind, Place, Step, ThreadId};
use alloc::vec::Vec;

/// How a data race was shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Witness {
    /// In the run shown, both accesses are pending at once.
    CoPending,
    /// The accesses are ordered in every run by operations that C11 gives no happens-before.
    MemoryOrder,
}

/// A bug with its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// What kind of bug.
    pub kind: FindingKind,
    /// The places it is about; the first is the one to show. A race has the two accesses, followed by the two operations
    /// that should have ordered them if it is shown by [`Witness::MemoryOrder`]. A deadlock, livelock or lost thread has
    /// one per stuck thread, a missing pthread_exit main's exit followed by the creations of the threads.
    pub places: Vec<Place>,
    /// The memory or synchronisation object concerned.
    pub object: Option<ByteRange>,
    /// For races only.
    pub witness: Option<Witness>,
    /// A number that belongs to the kind: signal number, exit status.
    pub code: i32,
    /// The run that shows it: every step from the start to its end, or for a co-pending race up to the two accesses.
    pub steps: Vec<Step>,
    /// Creation paths by thread number ([`Run::paths`](crate::run::Run::paths)), without which the steps mean nothing.
    pub paths: Vec<(ThreadId, u32)>,
}
