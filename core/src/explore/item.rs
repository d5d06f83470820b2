//! A part of a search as plain data, which any worker can explore: in this process or another, now or later.

use crate::event::{Alternatives, Event, Operation, Sleeper, Step, ThreadId, ThreadSet};
use crate::hash::Hasher128;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// A subtree of a search: the runs that begin with these steps, and what the search has to know of them to explore
/// exactly these. Events are named by their positions in the prefix, so nothing depends on the history of the search
/// that gave the item away.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Item {
    /// The steps of the prefix, then the one that begins the subtree. Empty: everything.
    pub steps: Vec<Step>,
    /// Annotations of events of the prefix, in order of position.
    pub prefix_events: Vec<PrefixEvent>,
    /// The thread that takes the first step after `steps`.
    pub then: Option<ThreadId>,
    /// Of the optimal search: the position at which the last step's block begins.
    pub block: u32,
    /// Of the optimal search: if the event of the last step was reversed over an operation x, the position of the event
    /// that was reversed over x immediately before it.
    pub reversed_before: Option<u32>,
    /// Of the optimal search: whether the races of the last step are still to be reversed.
    pub races: bool,
    /// Of searches with backtrack sets: by position, the threads that other workers try in the state before it.
    pub tried: Vec<(u32, ThreadSet)>,
    /// Of searches with backtrack sets: by position, operations that are asleep in the state before it, with their
    /// alternatives. Operations name addresses, so the item is valid only where addresses are the same, see `exact`.
    pub asleep: Vec<(u32, Sleeper, Alternatives)>,
    /// Whether the prefix hash covers whole operations, with their addresses, and not only their groups.
    pub exact: bool,
    /// Of searches that sample: the runs to be made, None for all.
    pub drawn: Option<DrawnRuns>,
    /// The estimated share of the whole search, from 0 to 1.
    pub share: f64,
    /// Hash of the threads and operations of the prefix: a worker that has run the prefix compares it.
    pub prefix_hash: u64,
}

/// The annotation of an event of an item's prefix, see `optimal`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PrefixEvent {
    /// The position of the event in the prefix.
    pub position: u32,
    /// Whether the run would have taken another event here by default.
    pub marked: bool,
    /// If this event was reversed over an operation x: the position of the event reversed over x immediately before it.
    pub reversed_before: Option<u32>,
    /// For the event right after a block, if its thread is that of the event over which the block was reversed: the
    /// position of the block's end.
    pub block_end: Option<u32>,
}

/// Runs of a search that samples, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DrawnRuns {
    /// The number of the first one.
    pub first: u64,
    /// The number after the last one; None as long as the search does not know how many it makes.
    pub end: Option<u64>,
}

impl Item {
    /// The whole search.
    pub fn everything() -> Self {
        Item {
            steps: Vec::new(),
            prefix_events: Vec::new(),
            then: None,
            block: u32::MAX,
            reversed_before: None,
            races: true,
            tried: Vec::new(),
            asleep: Vec::new(),
            exact: false,
            drawn: None,
            share: 1.0,
            prefix_hash: PrefixHash::default().finish(),
        }
    }

    /// The number of steps before the one that begins the subtree.
    pub fn prefix(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }

    /// Whether a run that begins with these events has the prefix of this item, as far as the prefix hash shows: the
    /// same threads, with the same operations if the item is `exact`, otherwise with operations of the same groups.
    pub fn describes(&self, events: &[Event]) -> bool {
        let mut hash = PrefixHash::default();
        let prefix = events.get(..self.prefix());
        prefix.into_iter().flatten().for_each(|event| hash.add(event.thread, &event.operation, self.exact));
        prefix.is_some() && hash.finish() == self.prefix_hash
    }
}

/// A hash of threads with their operations, or only with the groups of these: addresses may differ between processes.
#[derive(Clone, Debug, Default)]
pub(super) struct PrefixHash(Hasher128);

impl PrefixHash {
    /// Adds the next event of the prefix: its thread, and its operation, or, unless `exact`, the operation's group
    /// only.
    pub(super) fn add(&mut self, thread: ThreadId, operation: &Operation, exact: bool) {
        thread.hash(&mut self.0);
        if exact {
            operation.hash(&mut self.0);
        } else {
            core::mem::discriminant(operation).hash(&mut self.0);
        }
    }

    /// The hash of the events added so far.
    pub(super) fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// A search that can give parts of itself away. Together the parts explore what the search would have explored: each
/// trace once with the optimal search, at least once with the others.
pub trait Divisible {
    /// Begins to explore `item`. The item before it, if any, has been explored completely or given away.
    fn begin(&mut self, item: Item);

    /// The number of parts that could be given away. This and the following two may be called only between
    /// [`learn`](super::Explorer::learn) and [`next_plan`](super::Explorer::next_plan).
    fn open(&self) -> usize;

    /// Gives away a part that can be expected to be large: the search no longer explores it.
    fn give(&mut self) -> Option<Item>;

    /// Passes to `take` all that is left to explore, and still explores it. Parts that are likely to be large come
    /// last; neighbours have long prefixes in common.
    fn save(&mut self, take: &mut dyn FnMut(Item));

    /// The estimated share of the whole search that has been explored, from 0 to 1.
    fn covered(&self) -> f64;
}
