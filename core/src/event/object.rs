//! What operations act on.

use super::{ThreadId, ThreadNumber};

/// The identity of a synchronisation object: its address in the program under test.
///
/// Addresses are functions of a thread's own history (S7), so the same object has the same identity in every
/// equivalent execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, packed(4))] // see the size of `Operation`
pub struct Object(pub u64);

/// Objects from this address on stand for something outside of the program's memory: a file, the state of a library.
pub const MADE_UP: u64 = 1 << 63;

/// Made-up objects below this address stand for one fixed thing each, those from it on for something that the arguments
/// of a call name, such as a file.
pub const MADE_UP_FOR_ARGUMENTS: u64 = MADE_UP | 1 << 48;

/// The queue of those who wait for a word of memory has the word's address with these bits: above all other made-up
/// objects, so that an access to the word does not touch the queue.
const FUTEX: u64 = MADE_UP | 1 << 62;

/// What concerns the cancellation of a thread: one object a thread, apart from each other like other made-up objects.
const CANCELLATIONS: u64 = MADE_UP | 1 << 55;
const CANCELLATIONS_APART: u64 = 64;

/// Who joins or detaches a thread: one object a thread, apart from each other like other made-up objects.
const CLAIMS: u64 = MADE_UP | 1 << 41;
const CLAIMS_APART: u64 = 64;

/// Channels: one object each, apart from each other, and one for all of them.
const CHANNELS: u64 = MADE_UP | 1 << 59;
const CHANNELS_APART: u64 = 64;

impl Object {
    /// The object that stands for requests to cancel this thread.
    #[inline]
    pub const fn cancellation(thread: ThreadId) -> Object {
        Object(CANCELLATIONS + CANCELLATIONS_APART * thread.0 as u64)
    }

    /// The thread for whose cancellation this object stands, if it does.
    pub fn cancelled_thread(self) -> Option<ThreadId> {
        let offset = self.0.checked_sub(CANCELLATIONS)?;
        let number = offset / CANCELLATIONS_APART;
        ThreadNumber::try_from(number).ok().map(ThreadId)
    }

    /// The object that stands for who joins or detaches this thread.
    #[inline]
    pub const fn claim(thread: ThreadId) -> Object {
        Object(CLAIMS + CLAIMS_APART * thread.0 as u64)
    }

    /// The queue of the threads that wait for the futex word at this address.
    #[inline]
    pub fn futex(word: u64) -> Object {
        Object(FUTEX | word)
    }

    /// The queue that a search sees in place of the queues of all futex words, in a program that moves waiters from one
    /// word to another. It is the queue of address 0, at which there is no word.
    pub const ALL_FUTEXES: Object = Object(FUTEX);

    /// The channel with this number.
    #[inline]
    pub const fn channel(number: u8) -> Object {
        Object(CHANNELS + CHANNELS_APART * number as u64)
    }

    /// Whether it is a channel.
    pub fn is_channel(self) -> bool {
        self.0.checked_sub(CHANNELS).is_some_and(|offset| offset <= CHANNELS_APART * u64::from(u8::MAX))
    }

    /// The one object as which a search sees all channels, in a program that looks at several in one call.
    pub const ALL_CHANNELS: Object = Object(CHANNELS + CHANNELS_APART * (u8::MAX as u64 + 1));

    /// Whether it is the queue of a futex word.
    #[inline]
    pub fn is_futex(self) -> bool {
        self.0 & FUTEX == FUTEX
    }

    /// Where the object lies in the program's memory: for the queue of a futex word, the address of the word. The
    /// address of any other made-up object is above all memory of the program.
    #[inline]
    pub fn in_memory(self) -> u64 {
        if self.is_futex() { self.0 & !FUTEX } else { self.0 }
    }
}

/// Aliases: made-up locations that stand for several of the program's, above the made-up objects.
const ALIASES: u64 = MADE_UP | 1 << 40;
const ALIASES_APART: u64 = 64;
const MOST_ALIASES: u64 = (1 << 16) - 1;

/// A range of bytes of the program's memory: `start .. start + len`. `len` is at least 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, packed(4))] // see the size of `Operation`
pub struct ByteRange {
    /// Address of the first byte.
    pub start: u64,
    /// Number of bytes.
    pub len: u32,
}

impl ByteRange {
    /// The address after the last byte.
    pub fn end(self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// The alias with this number.
    pub fn alias(number: u32) -> ByteRange {
        ByteRange { start: ALIASES + ALIASES_APART * u64::from(number), len: 1 }
    }

    /// The number of the alias that this range is, if it is one.
    #[inline]
    pub fn alias_number(self) -> Option<u32> {
        let offset = self.start.checked_sub(ALIASES)?;
        (offset < ALIASES_APART * MOST_ALIASES).then_some((offset / ALIASES_APART) as u32)
    }

    /// Whether the two ranges share a byte.
    pub fn overlaps(self, other: ByteRange) -> bool {
        self.start < other.end() && other.start < self.end()
    }
}
