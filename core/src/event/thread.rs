//! Threads of the program under test and sets of them.

#[cfg(feature = "serde")]
pub(super) mod serial;

use crate::hash::Mixer;

/// The largest number of threads one run may create, main included. A program that creates more ends in
/// [`Ending::Limit`](super::Ending::Limit), which makes the verdict inconclusive.
///
/// Most programs have a few threads, and a set of few threads fits in a word: so there are two forms of this crate. The
/// feature `many-threads` raises the limit; every set and clock is larger then.
pub const MAX_THREADS: usize = if cfg!(feature = "many-threads") { 1024 } else { FEW_THREADS };

/// How many threads there is room for in the form for few.
pub const FEW_THREADS: usize = 64;

/// The number of a thread.
#[cfg(feature = "many-threads")]
pub type ThreadNumber = u16;
/// The number of a thread.
#[cfg(not(feature = "many-threads"))]
pub type ThreadNumber = u8;

/// A number of threads that stands for all of them.
pub const ALL_THREADS: ThreadNumber = MAX_THREADS as ThreadNumber;

/// A thread of the program under test, numbered so that the number is the same in every interleaving:
/// main is 0, the others are numbered by creation path ([`Run::child_of`](crate::run::Run::child_of)), never by the
/// order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct ThreadId(pub ThreadNumber);

impl ThreadId {
    /// The thread that runs `main`.
    pub const MAIN: ThreadId = ThreadId(0);

    /// No thread has this number.
    pub const UNKNOWN: ThreadId = ThreadId(ThreadNumber::MAX);

    /// The thread at this position in tables indexed by thread.
    #[inline]
    pub const fn at(index: usize) -> ThreadId {
        ThreadId(index as ThreadNumber)
    }

    /// The thread's position in tables indexed by thread.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

const WORD: usize = u64::BITS as usize;
const WORDS: usize = MAX_THREADS / WORD;

/// The bits of 64 threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(C, packed(4))] // see the size of `Operation`
struct Bits(u64);

/// A set of threads, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct ThreadSet([Bits; WORDS]);

impl ThreadSet {
    /// No thread.
    pub const EMPTY: ThreadSet = ThreadSet([Bits(0); WORDS]);
    /// All threads that there can be.
    pub const ALL: ThreadSet = ThreadSet([Bits(u64::MAX); WORDS]);

    /// The set of those of the first 64 threads whose bits are set.
    #[inline]
    pub const fn of_bits(bits: u64) -> Self {
        let mut words = [Bits(0); WORDS];
        words[0] = Bits(bits);
        ThreadSet(words)
    }

    #[inline]
    fn words(self) -> [u64; WORDS] {
        self.0.map(|Bits(word)| word)
    }

    /// The bits of its members, if all of them are among the first 64 threads.
    #[inline]
    pub fn bits(self) -> Option<u64> {
        let words = self.words();
        words[1..].iter().all(|&word| word == 0).then_some(words[0])
    }

    /// A number that says which set it is: its bits, if all members are among the first 64 threads, otherwise a hash.
    #[inline]
    pub fn code(self) -> u64 {
        self.bits().unwrap_or_else(|| {
            let mut mixer = Mixer::new(WORDS as u64);
            mixer.words(&self.words());
            mixer.finish() as u64
        })
    }

    #[inline]
    fn combine(mut self, other: ThreadSet, of_words: impl Fn(u64, u64) -> u64) -> ThreadSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word = Bits(of_words(word.0, other.0));
        }
        self
    }

    #[inline]
    fn word(&self, thread: ThreadId) -> u64 {
        self.0[thread.index() / WORD % WORDS].0
    }

    #[inline]
    fn set_word(&mut self, thread: ThreadId, word: u64) {
        self.0[thread.index() / WORD % WORDS] = Bits(word);
    }

    /// The set that holds only `thread`.
    pub fn only(thread: ThreadId) -> Self {
        let mut set = ThreadSet::EMPTY;
        set.insert(thread);
        set
    }

    /// Whether `thread` is a member.
    pub fn contains(self, thread: ThreadId) -> bool {
        self.word(thread) >> (thread.index() % WORD) & 1 == 1
    }

    /// Adds `thread`.
    pub fn insert(&mut self, thread: ThreadId) {
        self.set_word(thread, self.word(thread) | 1 << (thread.index() % WORD));
    }

    /// Takes `thread` out.
    pub fn remove(&mut self, thread: ThreadId) {
        self.set_word(thread, self.word(thread) & !(1 << (thread.index() % WORD)));
    }

    /// Whether no thread is a member.
    pub fn is_empty(self) -> bool {
        self.0.iter().all(|word| word.0 == 0)
    }

    /// How many threads are members.
    pub fn len(self) -> usize {
        self.0.iter().map(|word| { word.0 }.count_ones() as usize).sum()
    }

    /// The member with the lowest number.
    pub fn first(self) -> Option<ThreadId> {
        let at = self.0.iter().position(|word| word.0 != 0)?;
        Some(ThreadId::at(at * WORD + { self.0[at].0 }.trailing_zeros() as usize))
    }

    /// The member that has so many members with lower numbers.
    pub fn nth(self, mut before: usize) -> Option<ThreadId> {
        for (at, &Bits(mut word)) in self.0.iter().enumerate() {
            let members = word.count_ones() as usize;
            if before < members {
                (0..before).for_each(|_| word &= word - 1);
                return Some(ThreadId::at(at * WORD + word.trailing_zeros() as usize));
            }
            before -= members;
        }
        None
    }

    /// Members of either set.
    pub fn union(self, other: ThreadSet) -> ThreadSet {
        self.combine(other, |word, other| word | other)
    }

    /// Members of both sets.
    pub fn intersection(self, other: ThreadSet) -> ThreadSet {
        self.combine(other, |word, other| word & other)
    }

    /// Members of this set that are not in `other`.
    pub fn minus(self, other: ThreadSet) -> ThreadSet {
        self.combine(other, |word, other| word & !other)
    }

    /// How many sets of `size` members it has; `u32::MAX` stands for more.
    pub fn subsets(self, size: usize) -> u32 {
        let Some(others) = self.len().checked_sub(size) else { return 0 };
        let mut all: u128 = 1;
        for taken in 0..others.min(size) as u128 {
            // After each round, a number of subsets again, so that the division leaves no remainder.
            all = all * (self.len() as u128 - taken) / (taken + 1);
        }
        u32::try_from(all).unwrap_or(u32::MAX)
    }

    /// Of the sets of `size` members, the one with this number: those with the lowest member come first.
    pub fn subset(self, size: usize, mut number: u32) -> ThreadSet {
        let (mut rest, mut chosen) = (self, ThreadSet::EMPTY);
        while let Some(member) = rest.first().filter(|_| chosen.len() < size) {
            rest.remove(member);
            let with = rest.subsets(size - chosen.len() - 1);
            if number < with {
                chosen.insert(member);
            } else {
                number -= with;
            }
        }
        chosen
    }

    /// The members in ascending order.
    pub fn iter(self) -> impl Iterator<Item = ThreadId> {
        let (mut words, mut at) = (self.words(), 0);
        core::iter::from_fn(move || {
            while words[at] == 0 {
                at += 1;
                if at == WORDS {
                    at = WORDS - 1;
                    return None;
                }
            }
            let thread = ThreadId::at(at * WORD + words[at].trailing_zeros() as usize);
            words[at] &= words[at] - 1;
            Some(thread)
        })
    }
}

impl FromIterator<ThreadId> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(threads: I) -> Self {
        let mut set = ThreadSet::EMPTY;
        for thread in threads {
            set.insert(thread);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    /// Each set of up to six of seven threads: its subsets of a size, found by counting members, are those by number.
    #[test]
    fn the_numbers_of_subsets_give_each_of_them_once() {
        for set in (0..1 << 7).map(ThreadSet::of_bits) {
            for size in 0..8 {
                let all: BTreeSet<ThreadSet> = (0..1 << 7)
                    .map(ThreadSet::of_bits)
                    .filter(|other| other.minus(set).is_empty() && other.len() == size)
                    .collect();
                let numbered: Vec<_> = (0..set.subsets(size)).map(|number| set.subset(size, number)).collect();
                assert_eq!(numbered.len(), all.len(), "{set:?} {size}");
                assert_eq!(numbered.into_iter().collect::<BTreeSet<_>>(), all, "{set:?} {size}");
            }
        }
    }

    /// Random sets of all threads that there can be, compared with sets of numbers.
    #[test]
    fn sets_of_threads_are_sets_of_numbers() {
        let mut random = Random(1);
        for _ in 0..2_000 {
            let mut draw = || -> (ThreadSet, BTreeSet<usize>) {
                let numbers = (0..random.below(8)).map(|_| random.below(MAX_THREADS as u64) as usize);
                let numbers: BTreeSet<usize> = numbers.collect();
                (numbers.iter().map(|&number| ThreadId::at(number)).collect(), numbers)
            };
            let ((mut a, mut numbers), (b, others)) = (draw(), draw());
            let of = |set: ThreadSet| -> BTreeSet<usize> { set.iter().map(ThreadId::index).collect() };
            assert_eq!(of(a.union(b)), &numbers | &others);
            assert!((0..9).all(|before| a.nth(before) == a.iter().nth(before)));
            assert_eq!(of(a.intersection(b)), &numbers & &others);
            assert_eq!(of(a.minus(b)), &numbers - &others);
            assert_eq!((a.len(), a.is_empty()), (numbers.len(), numbers.is_empty()));
            assert_eq!(a.first().map(ThreadId::index), numbers.first().copied());
            assert_eq!(a.code() == b.code(), numbers == others);
            assert!((0..MAX_THREADS).all(|number| a.contains(ThreadId::at(number)) == numbers.contains(&number)));
            if let Some(first) = numbers.pop_first() {
                a.remove(ThreadId::at(first));
                assert_eq!(of(a), numbers);
            }
        }
    }

    /// There are more than 2^59 sets of 31 of 63 threads.
    #[test]
    fn more_subsets_than_there_are_numbers_have_the_highest_one() {
        assert_eq!(ThreadSet::of_bits(u64::MAX >> 1).subsets(31), u32::MAX);
    }
}
