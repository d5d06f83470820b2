//! What operations at futexes say of queues and locks, and those at condition variables of their waiters.

use crate::event::{ByteRange, Object, Touch};
use core::num::NonZero;

/// The number of an alias, counted from 1: without one, it takes no more room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AliasNumber(NonZero<u16>);

impl AliasNumber {
    /// That of these bytes, if they are an alias.
    pub(super) fn of(bytes: ByteRange) -> Option<AliasNumber> {
        let after = bytes.alias_number()? + 1;
        NonZero::new(after as u16).map(AliasNumber)
    }

    /// The bytes as which a search sees these.
    pub(super) fn seen(alias: Option<AliasNumber>, bytes: ByteRange) -> ByteRange {
        alias.map_or(bytes, |AliasNumber(after)| ByteRange::alias(u32::from(after.get()) - 1))
    }
}

/// What a search sees of the queues of futex words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Queues {
    /// Each word has its own.
    Apart,
    /// They are all one ([`Object::ALL_FUTEXES`]), in a program that moves waiters from one to another.
    Common,
}

impl Queues {
    /// The queue of a word, as a search sees it.
    pub(super) fn seen(self, queue: Object) -> Object {
        match self {
            Queues::Apart => queue,
            Queues::Common => Object::ALL_FUTEXES,
        }
    }
}

/// With how many mutexes the program waits for one condition variable, as far as the search knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mutexes {
    /// One, as is right: in which order waits begin and expire is not visible.
    One,
    /// Several: a wait that begins while another one with another mutex is there is a misuse.
    Several,
}

impl Mutexes {
    /// How the beginning of a wait touches the waiters.
    #[inline]
    pub(super) fn enqueue(self) -> Touch {
        match self {
            Mutexes::One => Touch::Enqueue,
            Mutexes::Several => Touch::EnqueueAmongOthers,
        }
    }

    /// How the end of a wait without a signal touches them.
    #[inline]
    pub(super) fn dequeue(self) -> Touch {
        match self {
            Mutexes::One => Touch::Dequeue,
            Mutexes::Several => Touch::DequeueAmongOthers,
        }
    }
}

/// Which of the waiters of a futex word a wake can find.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Finds {
    /// All in its queue.
    All,
    /// Those in its queue that a bitset selects.
    ByBits,
    /// The same, in a program in which a search sees all queues as one ([`Queues::Common`]).
    ByWord,
}

impl Finds {
    pub(super) fn selects(self) -> bool {
        match self {
            Finds::All => false,
            Finds::ByBits | Finds::ByWord => true,
        }
    }

    pub(super) fn queues(self) -> Queues {
        match self {
            Finds::All | Finds::ByBits => Queues::Apart,
            Finds::ByWord => Queues::Common,
        }
    }
}

/// Whose a lock with priority inheritance is, for the thread that is about to take it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Ownership {
    /// Nobody's: the thread owns it from now on.
    Free,
    /// Another thread's: the thread has joined the waiters.
    Others,
    /// The thread's own.
    Own,
}
