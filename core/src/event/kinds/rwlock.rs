//! The ways to touch a read-write lock. Which pairs conflict, and which of these can be reversed, is derived in
//! `event/operation/rwlock.rs`.

use super::{HoldChange, Touch};

/// As what a thread takes a read-write lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// Together with other readers.
    Reader,
    /// Alone.
    Writer,
}

/// In which way an operation touches a read-write lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RwlockTouch {
    /// Takes it for reading, waiting until no writer has it.
    Read,
    /// Takes it for writing, waiting until nobody has it.
    Write,
    /// Takes it for reading without having had to wait.
    TryRead,
    /// Takes it for writing without having had to wait.
    TryWrite,
    /// Finds that a writer has it.
    FailedRead,
    /// Finds that somebody has it.
    FailedWrite,
    /// Gives it back after reading.
    EndRead,
    /// Gives it back after writing.
    EndWrite,
}

use RwlockTouch::*;

impl RwlockTouch {
    /// All of them.
    #[cfg(test)]
    pub(super) const ALL: [RwlockTouch; 8] =
        [Read, Write, TryRead, TryWrite, FailedRead, FailedWrite, EndRead, EndWrite];

    #[inline]
    pub(super) fn conflicts(self, other: RwlockTouch) -> bool {
        match (self, other) {
            (FailedRead | FailedWrite, FailedRead | FailedWrite) => false,
            (FailedRead, Read | TryRead | EndRead) | (Read | TryRead | EndRead, FailedRead) => false,
            (EndRead, Read | TryRead | EndRead) | (Read | TryRead, EndRead) => false,
            (Read | Write | TryRead | TryWrite | FailedRead | FailedWrite | EndRead | EndWrite, _) => true,
        }
    }

    #[inline]
    pub(super) fn orders_all(self) -> bool {
        match self {
            Write | TryWrite | EndWrite => true,
            Read | TryRead | FailedRead | FailedWrite | EndRead => false,
        }
    }

    /// Whether it conflicts only with those that [order all](Self::orders_all).
    #[inline]
    pub(super) fn only_reads(self) -> bool {
        match self {
            FailedRead => true,
            Read | Write | TryRead | TryWrite | FailedWrite | EndRead | EndWrite => false,
        }
    }

    /// How it changes which writer has the lock.
    #[inline]
    pub(super) fn hold(self) -> Option<HoldChange> {
        match self {
            Write | TryWrite => Some(HoldChange::Takes),
            EndWrite => Some(HoldChange::Gives),
            Read | TryRead | FailedRead | FailedWrite | EndRead => None,
        }
    }

    /// By how many it changes the number of holds for reading.
    #[inline]
    pub(super) fn change_of_readers(self) -> i32 {
        match self {
            Read | TryRead => 1,
            EndRead => -1,
            Write | TryWrite | FailedRead | FailedWrite | EndWrite => 0,
        }
    }

    #[inline]
    pub(super) fn changes_availability(self) -> bool {
        match self {
            Read | Write | TryRead | TryWrite | EndRead | EndWrite => true,
            FailedRead | FailedWrite => false,
        }
    }

    /// See [`Touch::before_with_rival`]. Just before an unlock, a trylock fails that succeeds just after it.
    #[inline]
    pub(super) fn before_with_rival(self, earlier: Touch) -> RwlockTouch {
        match (self, earlier) {
            (TryRead, Touch::Rwlock(EndWrite)) => FailedRead,
            (TryWrite, Touch::Rwlock(EndRead | EndWrite)) => FailedWrite,
            (Read | Write | TryRead | TryWrite | FailedRead | FailedWrite | EndRead | EndWrite, _) => self,
        }
    }

    /// Whether it leaves something behind that whoever comes later follows in time.
    #[inline]
    pub(super) fn is_followed_in_time(self) -> bool {
        match self {
            EndRead | EndWrite => true,
            Read | Write | TryRead | TryWrite | FailedRead | FailedWrite => false,
        }
    }
}
