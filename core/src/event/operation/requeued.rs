//! What a requeue does to those who wait for a futex word.

use crate::event::{Object, ThreadId};

/// Where a requeue moves waiters, and what has come of it. An operation has room for one number beside the address of
/// the first word: the address of the other word takes the low [`ADDRESS`] bits of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, packed(4))] // see the size of `Operation`
pub struct Requeued(u64);

/// As many bits as an address of a program has.
const ADDRESS: u32 = 47;
/// The bit that says whether the word had another value than expected.
const DIFFERS: u32 = 47;
/// The bits of the thread that was woken, counted from 1; 0 for none.
const WOKEN: u32 = 48;
/// The bits of the number of threads that were moved.
const MOVED: u32 = 56;

impl Requeued {
    /// Waiters are to be moved to this word; nothing was done yet.
    pub(super) fn of(word: Object) -> Self {
        Requeued(word.0 & ((1 << ADDRESS) - 1))
    }

    /// The other word.
    pub fn word(self) -> Object {
        Object(self.0 & ((1 << ADDRESS) - 1))
    }

    /// The same outcome, with this address for the other word.
    pub(super) fn at(self, word: Object) -> Self {
        Requeued(self.0 & !((1 << ADDRESS) - 1) | Self::of(word).0)
    }

    /// The outcome if the word that was compared had another value than expected: nothing was done.
    pub fn differing(self) -> Self {
        Requeued(Self::of(self.word()).0 | 1 << DIFFERS)
    }

    /// The outcome if this thread was woken and so many were moved.
    pub fn done(self, woken: Option<ThreadId>, moved: usize) -> Self {
        Requeued(Self::of(self.word()).0 | (moved as u64) << MOVED).with_woken(woken)
    }

    /// The same outcome, with this thread in place of the one that was woken.
    pub(super) fn with_woken(self, woken: Option<ThreadId>) -> Self {
        let number = woken.map_or(0, |thread| u64::from(thread.0) + 1);
        Requeued(self.0 & !(0xff << WOKEN) | number << WOKEN)
    }

    /// The thread that was woken.
    pub fn woken(self) -> Option<ThreadId> {
        let number = (self.0 >> WOKEN) as u8;
        number.checked_sub(1).map(ThreadId)
    }

    /// How many threads were woken or moved; None if the word had another value than expected.
    pub fn found(self) -> Option<u32> {
        let found = (self.0 >> MOVED) as u32 + u32::from(self.woken().is_some());
        (self.0 >> DIFFERS & 1 == 0).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_and_outcome_do_not_touch_each_other() {
        let word = Object((1 << ADDRESS) - 4);
        for woken in [None, Some(ThreadId(0)), Some(ThreadId(63))] {
            for moved in [0, 1, 63] {
                let done = Requeued::of(word).done(woken, moved);
                assert_eq!((done.word(), done.woken()), (word, woken));
                assert_eq!(done.found(), Some(moved as u32 + u32::from(woken.is_some())));
                assert_eq!(done.at(Object(8)).woken(), woken);
                assert_eq!(done.at(Object(8)).word(), Object(8));
            }
        }
        assert_eq!(Requeued::of(word).differing().found(), None);
        assert_eq!(Requeued::of(word).differing().word(), word);
    }
}
