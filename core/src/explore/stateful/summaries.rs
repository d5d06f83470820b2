//! Summaries of states: which operations were executed below a state, as sets of numbers.

use super::joins::JoinTableId;
use super::locks::{LocksetId, NO_LOCKS};
use crate::event::{Object, Operation, SiteId, ThreadId, ThreadSet, Touch};
use crate::hash::Map;
use crate::run::RecordPlace;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// An operation as a summary holds it, with the mutexes and joins that precede it on every path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SummaryOperation {
    pub(super) thread: ThreadId,
    pub(super) operation: Operation,
    /// The mutexes that the thread held before.
    pub(super) held: LocksetId,
    /// The threads that it had joined, by itself or through others.
    pub(super) joined: ThreadSet,
    /// The mutex that the operation seized, if any ([`Locksets::seized_by`](super::locks::Locksets::seized_by)).
    pub(super) seized: Option<Object>,
}

impl Hash for SummaryOperation {
    /// Of the operation, only where and roughly how it touches its first object: a few operations may have the same
    /// hash, but all words of one take longer to hash than a table of operations takes to search.
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let touched = self.operation.footprint().parts()[0];
        let code = |touch: Touch| u64::from(touch.family()) << 1 | u64::from(touch.orders_all());
        let (start, touch) = touched.map_or((0, 0), |(range, touch)| (range.start, code(touch)));
        state.write_u64(start ^ touch << 56);
        state.write_u64(u64::from(self.thread.0) << 32 | u64::from(self.held));
        state.write_u64(self.joined.code());
    }
}

/// The part of the scheduler's state at a position of the path that summaries need: which mutexes each thread holds,
/// and which threads it has joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Standing {
    pub(super) holders: LocksetId,
    pub(super) joins: JoinTableId,
}

impl Standing {
    /// Before the first event: no mutex is held, no thread has been joined.
    pub(super) const INITIAL: Standing = Standing { holders: NO_LOCKS, joins: 0 };
}

/// A set of operations by their numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Summary(Vec<u64>);

impl Summary {
    /// Adds the operation with this number.
    pub(super) fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    /// The numbers of the operations, in ascending order.
    pub(super) fn members(&self) -> impl Iterator<Item = u32> {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        self.0.iter().enumerate().flat_map(move |(at, &word)| bits(word).map(move |bit| at as u32 * 64 + bit))
    }

    /// Adds the operations of another summary.
    pub(super) fn unite(&mut self, other: &Summary) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Removes all operations.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The operations of all summaries, and the summaries of expanded states, each kept once.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    operations: Vec<SummaryOperation>,
    operation_numbers: Map<SummaryOperation, u32>,
    /// For some sites and threads: the number asked for last, which mostly is the next one, too.
    recent: Vec<u32>,
    summaries: Vec<Summary>,
    summary_numbers: Map<Summary, u32>,
    /// Memory of summaries that are no longer needed.
    spare: Vec<Summary>,
    /// Words that summaries may take, if there is a bound, and that they take.
    most_words: Option<u64>,
    words: u64,
    /// By number of summary: where it is stored for other searches, as it is now.
    pub(super) places: Vec<Option<RecordPlace>>,
}

impl Summaries {
    /// No summaries yet, and room for `bytes` of them. Beyond that, further states share one summary, which holds what
    /// was executed below any of them; that costs runs and nothing else.
    pub(super) fn within(bytes: u64) -> Self {
        Summaries { most_words: Some(bytes / 8), ..Summaries::default() }
    }

    /// An empty summary.
    pub(super) fn empty(&mut self) -> Summary {
        self.spare.pop().unwrap_or_default()
    }

    /// A summary that [`empty`](Self::empty) returned is no longer needed.
    pub(super) fn recycle(&mut self, mut summary: Summary) {
        summary.clear();
        self.spare.push(summary);
    }

    /// The number of an operation that was executed at `site`. The number does not depend on the site.
    #[inline(always)]
    pub(super) fn number(&mut self, operation: &SummaryOperation, site: SiteId) -> u32 {
        const RECENT: usize = 512;
        let place = (site.0 as usize ^ usize::from(operation.thread.0) << 3) % RECENT;
        if let Some(&number) = self.recent.get(place)
            && self.operations.get(number as usize) == Some(operation)
        {
            return number;
        }
        self.recent.resize(RECENT, u32::MAX);
        self.recent[place] = self.number_in_table(*operation);
        self.recent[place]
    }

    /// The number of an operation.
    #[inline(never)]
    pub(super) fn number_in_table(&mut self, operation: SummaryOperation) -> u32 {
        let operations = &mut self.operations;
        *self.operation_numbers.entry(operation).or_insert_with(|| {
            operations.push(operation);
            operations.len() as u32 - 1
        })
    }

    /// The operation with a number.
    pub(super) fn operation(&self, number: u32) -> &SummaryOperation {
        &self.operations[number as usize]
    }

    /// The mutexes that operations of a summary seized.
    pub(super) fn seized(&self, summary: &Summary) -> Vec<Object> {
        summary.members().filter_map(|number| self.operation(number).seized).collect()
    }

    /// Stores the summary of an expanded state and returns its number.
    pub(super) fn keep(&mut self, summary: &Summary) -> u32 {
        if let Some(&number) = self.summary_numbers.get(summary) {
            return number;
        }
        // Each is kept twice, in the list and in the table.
        let words = 2 * (summary.0.len() as u64 + 4);
        if self.most_words.is_some_and(|most| self.words + words > most)
            && let Some(number) = self.summaries.len().checked_sub(1)
        {
            self.summary_numbers.clear();
            self.summaries[number].unite(summary);
            self.places.truncate(number);
            return number as u32;
        }
        self.words += words;
        let number = self.summaries.len() as u32;
        self.summaries.push(summary.clone());
        self.summary_numbers.insert(summary.clone(), number);
        number
    }

    /// Takes a kept summary out for as long as it is used; [`give_back`](Self::give_back) follows.
    pub(super) fn take(&mut self, number: u32) -> Summary {
        core::mem::take(&mut self.summaries[number as usize])
    }

    /// Puts a summary back where it was taken from.
    pub(super) fn give_back(&mut self, number: u32, summary: Summary) {
        self.summaries[number as usize] = summary;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(numbers: &[u32]) -> Summary {
        let mut summary = Summary::default();
        numbers.iter().for_each(|&number| summary.insert(number));
        summary
    }

    #[test]
    fn a_summary_is_a_set_of_numbers() {
        let mut one = summary(&[3, 64, 3]);
        one.unite(&summary(&[200, 0]));
        assert_eq!(one.members().collect::<Vec<_>>(), [0, 3, 64, 200]);
    }

    /// A summary of one word takes 2 * (1 + 4) words of 8 bytes: there is room for two in 160 bytes. The third is
    /// united with the second.
    #[test]
    fn without_memory_states_share_a_summary_that_holds_all() {
        let mut summaries = Summaries::within(160);
        let numbers = [summary(&[1]), summary(&[2]), summary(&[1]), summary(&[3])].map(|s| summaries.keep(&s));
        assert_eq!(numbers, [0, 1, 0, 1]);
        assert_eq!(summaries.take(1), summary(&[2, 3]));
    }
}
