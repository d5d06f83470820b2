//! What a thread did between visible operations: the entries of the pruning log, for a search that prunes (`Pdp`).

use super::{ByteRange, ThreadId};

/// One thing that a thread did in a run besides its visible operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Record {
    /// How many events of the run came before it.
    pub at: u32,
    /// Who did it.
    pub thread: ThreadId,
    /// What it was.
    pub kind: RecordKind,
}

/// What a thread did. Points and join points (`merge`) have the numbers that the program's static facts
/// ([`Facts`](crate::explore::Facts)) give them; an activation is one call of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RecordKind {
    /// Reached a point, to which the thread's visible operations belong until it reaches the next one.
    Point(u32),
    /// A plain access that is no visible operation.
    Access {
        /// At which point.
        point: Option<u32>,
        /// The bytes.
        range: ByteRange,
        /// Whether it writes them.
        write: bool,
    },
    /// Took one side of a branch.
    Branch {
        /// The branch's point.
        point: u32,
        /// Which side.
        taken: u32,
        /// In which call.
        activation: u64,
    },
    /// Reached the join point of one or more branches.
    Merge {
        /// The number of the join point.
        merge: u32,
        /// In which call.
        activation: u64,
    },
}
