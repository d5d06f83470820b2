//! Threads of the program under test and sets of them.

/// The largest number of threads one run may create, main included. A program that creates more ends in
/// [`Ending::Limit`](super::Ending::Limit), which makes the verdict inconclusive.
pub const MAX_THREADS: usize = 64;

/// A thread of the program under test, numbered so that the number is the same in every interleaving:
/// main is 0, the others are numbered by creation path ([`Run::child_of`](crate::run::Run::child_of)), never by the
/// order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct ThreadId(pub u8);

impl ThreadId {
    /// The thread that runs `main`.
    pub const MAIN: ThreadId = ThreadId(0);

    /// The thread's position in tables indexed by thread.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of threads, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, packed(4))] // see the size of `Operation`
pub struct ThreadSet(pub u64);

impl ThreadSet {
    /// No thread.
    pub const EMPTY: ThreadSet = ThreadSet(0);

    /// The set that holds only `thread`.
    pub fn only(thread: ThreadId) -> Self {
        ThreadSet(1 << thread.0)
    }

    /// Whether `thread` is a member.
    pub fn contains(self, thread: ThreadId) -> bool {
        self.0 >> thread.0 & 1 == 1
    }

    /// Adds `thread`.
    pub fn insert(&mut self, thread: ThreadId) {
        self.0 |= 1 << thread.0;
    }

    /// Takes `thread` out.
    pub fn remove(&mut self, thread: ThreadId) {
        self.0 &= !(1 << thread.0);
    }

    /// Whether no thread is a member.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many threads are members.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The member with the lowest number.
    pub fn first(self) -> Option<ThreadId> {
        (self.0 != 0).then(|| ThreadId(self.0.trailing_zeros() as u8))
    }

    /// Members of either set.
    pub fn union(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 | other.0)
    }

    /// Members of both sets.
    pub fn intersection(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 & other.0)
    }

    /// Members of this set that are not in `other`.
    pub fn minus(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 & !other.0)
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
        let mut rest = self.0;
        core::iter::from_fn(move || {
            let thread = (rest != 0).then(|| ThreadId(rest.trailing_zeros() as u8))?;
            rest &= rest - 1;
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
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;

    /// Each set of up to six of seven threads: its subsets of a size, found by counting members, are those by number.
    #[test]
    fn the_numbers_of_subsets_give_each_of_them_once() {
        for set in (0..1 << 7).map(ThreadSet) {
            for size in 0..8 {
                let all: BTreeSet<u64> =
                    (0..1 << 7).filter(|bits| bits & !set.0 == 0 && bits.count_ones() == size as u32).collect();
                let numbered: Vec<u64> = (0..set.subsets(size)).map(|number| set.subset(size, number).0).collect();
                assert_eq!(numbered.len(), all.len(), "{set:?} {size}");
                assert_eq!(numbered.into_iter().collect::<BTreeSet<_>>(), all, "{set:?} {size}");
            }
        }
    }

    /// There are more than 2^59 sets of 31 of 63 threads.
    #[test]
    fn more_subsets_than_there_are_numbers_have_the_highest_one() {
        assert_eq!(ThreadSet(u64::MAX >> 1).subsets(31), u32::MAX);
    }
}
