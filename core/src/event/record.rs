//! What a thread did between visible operations, for a search that looks at more than these.

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

/// What a thread did. Points, merges and their numbers are those of the program's static facts
/// ([`Facts`](crate::explore::Facts)); an activation is one call of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RecordKind {
    /// Came to a point: its visible operations belong to that, until it comes to the next one.
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
    /// Took one of the ways on from a branch.
    Branch {
        /// The branch's point.
        point: u32,
        /// Which way.
        taken: u32,
        /// In which call.
        activation: u64,
    },
    /// Came to where the ways from some branches have met again.
    Merge {
        /// The number of the place.
        merge: u32,
        /// In which call.
        activation: u64,
    },
}
