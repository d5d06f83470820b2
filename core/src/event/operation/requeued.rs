//! What a requeue does to those who wait for a futex word.

use crate::event::{Object, ThreadId, ThreadSet};

/// The words of a requeue, and what has come of it: all that an operation has room for. The addresses of the words, of
/// which the two lowest bits are 0, and the number of the waiters that were moved share three numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, packed)] // see the size of `Operation`
pub struct Requeued {
    words: [u32; 3],
    woken: u32,
    result: Compared,
}

/// What a requeue has found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Compared {
    /// It compares nothing.
    Nothing,
    /// The word has the expected value, or nothing has come of the requeue yet.
    Expected,
    /// The word has another value than expected, and nothing was done.
    Other,
    /// Threads would be woken that cannot be recorded together, and nothing was done: the driver ends the run.
    Unrecorded,
}

/// As many bits as an address of a program has, without those that are 0.
const ADDRESS: u32 = 45;
/// The bits of the number of threads that were moved, above both addresses.
const MOVED: u32 = 2 * ADDRESS;
/// The bit that says that the others have one thread, counted from 1, or none, and not a set of threads.
const ONE: u32 = 1 << 31;

impl Requeued {
    /// From the first word to the second one; nothing has come of it yet.
    pub(super) fn of(from: Object, to: Object, compares: bool) -> Self {
        let result = if compares { Compared::Expected } else { Compared::Nothing };
        Requeued { words: [0; 3], woken: ONE, result }.at(from, to)
    }

    fn numbers(self) -> u128 {
        let [low, middle, high] = self.words.map(u128::from);
        low | middle << 32 | high << 64
    }

    fn with_numbers(mut self, numbers: u128) -> Self {
        self.words = [numbers as u32, (numbers >> 32) as u32, (numbers >> 64) as u32];
        self
    }

    /// The word whose waiters are woken and moved.
    pub fn from(self) -> Object {
        Object((self.numbers() as u64 & ((1 << ADDRESS) - 1)) << 2)
    }

    /// The word to whose waiters they are moved.
    pub fn to(self) -> Object {
        Object(((self.numbers() >> ADDRESS) as u64 & ((1 << ADDRESS) - 1)) << 2)
    }

    fn moved(self) -> u32 {
        (self.numbers() >> MOVED) as u32
    }

    /// The same at other addresses.
    pub(super) fn at(self, from: Object, to: Object) -> Self {
        let bits = |word: Object| u128::from(word.0 >> 2 & ((1 << ADDRESS) - 1));
        self.with_numbers(bits(from) | bits(to) << ADDRESS | u128::from(self.moved()) << MOVED)
    }

    /// Whether it compares the first word.
    pub(crate) fn compares(self) -> bool {
        self.result != Compared::Nothing
    }

    /// The word that was compared had another value than expected, and nothing was done.
    pub fn differing(mut self) -> Self {
        self.result = Compared::Other;
        self.with_woken(ThreadSet::EMPTY)
    }

    /// These threads were woken, and so many were moved.
    pub fn done(self, woken: ThreadSet, moved: usize) -> Self {
        if woken.len() > 1 && woken.bits().is_none_or(|bits| bits >= u64::from(ONE)) {
            return Requeued { result: Compared::Unrecorded, ..self };
        }
        let addresses = self.numbers() & ((1 << MOVED) - 1);
        self.with_numbers(addresses | (moved as u128) << MOVED).with_woken(woken)
    }

    /// The same with other threads that were woken.
    pub(super) fn with_woken(mut self, woken: ThreadSet) -> Self {
        self.woken = match woken.len() {
            0 => ONE,
            1 => ONE | woken.first().map_or(0, |thread| u32::from(thread.0) + 1),
            _ => woken.bits().unwrap_or(0) as u32,
        };
        self
    }

    /// The threads that were woken.
    pub fn woken(self) -> ThreadSet {
        if self.woken & ONE == 0 {
            return ThreadSet::of_bits(self.woken.into());
        }
        let one = ((self.woken & !ONE) as usize).checked_sub(1);
        one.map_or(ThreadSet::EMPTY, |number| ThreadSet::only(ThreadId::at(number)))
    }

    /// Whether it was taken, and has woken and moved those who were there.
    pub fn is_done(self) -> bool {
        match self.result {
            Compared::Nothing | Compared::Expected => true,
            Compared::Other | Compared::Unrecorded => false,
        }
    }

    /// Whether nothing was done because the threads that it would wake cannot be recorded together.
    pub fn is_unrecorded(self) -> bool {
        self.result == Compared::Unrecorded
    }

    /// How many threads were moved, and how many were woken or moved; None if nothing was done.
    pub fn found(self) -> Option<(u32, u32)> {
        let moved = self.moved();
        self.is_done().then(|| (moved, moved + self.woken().len() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_outcome_do_not_touch_each_other() {
        let (from, to) = (Object((1 << 47) - 4), Object((1 << 47) - 8));
        let sets = [0, 1, 1 << 63, 1 << 31, 3, 1 << 30 | 5];
        for woken in sets.map(ThreadSet::of_bits) {
            for moved in [0, 1, 63] {
                let done = Requeued::of(from, to, true).done(woken, moved);
                assert_eq!((done.from(), done.to(), done.woken()), (from, to, woken));
                assert_eq!(done.found(), Some((moved as u32, moved as u32 + woken.len() as u32)));
                assert_eq!(done.at(Object(8), Object(4)).woken(), woken);
                assert_eq!((done.at(Object(8), to).from(), done.at(from, Object(4)).to()), (Object(8), Object(4)));
            }
        }
        let differs = Requeued::of(from, to, true).differing();
        assert_eq!((differs.found(), differs.from(), differs.to()), (None, from, to));
        assert!(differs.compares() && !Requeued::of(from, to, false).compares());
    }

    #[test]
    fn several_threads_that_have_no_room_are_said_to_be_unrecorded() {
        let one = Requeued::of(Object(4), Object(8), false);
        assert!(one.done(ThreadSet::of_bits(1 << 31 | 1), 0).is_unrecorded());
        assert!(!one.done(ThreadSet::of_bits(1 << 30 | 1), 0).is_unrecorded());
        assert_eq!(one.done(ThreadSet::of_bits(1 << 31 | 1), 0).found(), None);
    }
}
