//! A finding as data: its kind, places and object, and the steps of a run that shows it. The host makes the text.

use crate::event::{ByteRange, FindingKind, Place, Step, ThreadId};
use alloc::vec::Vec;

/// How a data race was shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Witness {
    /// In the run shown, both accesses are pending at once.
    CoPending,
    /// In every run so far, the accesses are ordered by operations that C11 does not order.
    MemoryOrder,
}

/// A bug with its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// What kind of bug.
    pub kind: FindingKind,
    /// The places that it names, the most important one first. A race has the two accesses and, if it is shown by
    /// [`Witness::MemoryOrder`], after them the two operations that should have ordered them. A deadlock, livelock or
    /// lost thread has one place per stuck thread. A missing pthread_exit has main's exit and the creations of the
    /// threads.
    pub places: Vec<Place>,
    /// The memory or synchronisation object concerned.
    pub object: Option<ByteRange>,
    /// For races only.
    pub witness: Option<Witness>,
    /// The number of the signal of a crash, the exit status of an exit; otherwise 0.
    pub code: i32,
    /// The run that shows it: every step from the start to its end, or for a co-pending race up to the two accesses.
    pub steps: Vec<Step>,
    /// How many preemptions the run had in which it was found. Of a race that is shown co-pending, the steps make other
    /// switches.
    pub preemptions: u32,
    /// Creation paths by thread number ([`Run::paths`](crate::run::Run::paths)): they say which threads the steps name.
    pub paths: Vec<(ThreadId, u32)>,
}
