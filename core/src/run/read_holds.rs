//! Who holds a read-write lock for reading, and how often.

use crate::event::{ThreadId, ThreadSet};

/// Digits of the counts.
const DIGITS: usize = 3;

/// How often each thread holds a read-write lock for reading: a number below [`ReadHolds::LIMIT`] for each thread. The
/// numbers are stored by binary digit: each set has the threads in whose number this digit is 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ReadHolds([ThreadSet; DIGITS]);

impl ReadHolds {
    /// A thread holds a lock less often than this.
    pub const LIMIT: u32 = 1 << DIGITS;

    /// Nobody holds it.
    pub(super) const NONE: ReadHolds = ReadHolds([ThreadSet::EMPTY; DIGITS]);

    /// How often `thread` holds it.
    pub fn of(&self, thread: ThreadId) -> u32 {
        (0..DIGITS).map(|digit| u32::from(self.0[digit].contains(thread)) << digit).sum()
    }

    /// Who holds it.
    #[inline]
    pub fn holders(&self) -> ThreadSet {
        self.0.iter().fold(ThreadSet::EMPTY, |all, digit| all.union(*digit))
    }

    /// `thread` takes it once more. To be called only below the limit.
    pub(super) fn take(&mut self, thread: ThreadId) {
        self.set(thread, self.of(thread) + 1);
    }

    /// `thread`, which holds it, gives it back once.
    pub(super) fn give(&mut self, thread: ThreadId) {
        self.set(thread, self.of(thread) - 1);
    }

    fn set(&mut self, thread: ThreadId, count: u32) {
        debug_assert!(count < Self::LIMIT);
        for (digit, threads) in self.0.iter_mut().enumerate() {
            if count >> digit & 1 == 1 {
                threads.insert(thread);
            } else {
                threads.remove(thread);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_each_thread_by_itself() {
        let mut holds = ReadHolds::NONE;
        for wanted in 1..ReadHolds::LIMIT {
            holds.take(ThreadId(3));
            assert_eq!((holds.of(ThreadId(3)), holds.of(ThreadId(4))), (wanted, 0));
        }
        holds.take(ThreadId(4));
        for wanted in (0..ReadHolds::LIMIT - 1).rev() {
            holds.give(ThreadId(3));
            assert_eq!((holds.of(ThreadId(3)), holds.of(ThreadId(4))), (wanted, 1));
        }
        assert_eq!(holds.holders(), ThreadSet::only(ThreadId(4)));
    }
}
