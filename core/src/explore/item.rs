//! A part of a search, as plain data: it can be explored by anybody, here or in another process, now or later.

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
    /// Events of the prefix of which more is to be known than their steps, in order.
    pub prefix_events: Vec<PrefixEvent>,
    /// Who takes the first step after the prefix.
    pub then: Option<ThreadId>,
    /// Where the last step's block begins.
    pub block: u32,
    /// The event reversed in before the last step's over the same operation.
    pub chain: Option<u32>,
    /// Whether the races of the last step are still to be looked at.
    pub races: bool,
    /// Of searches with backtrack sets: by position, the threads that others try in the state before it.
    pub tried: Vec<(u32, ThreadSet)>,
    /// The same: by position, operations that are asleep in the state before it, with their alternatives. They have
    /// addresses, so the item is for processes with the same ones, see `exact`.
    pub asleep: Vec<(u32, Sleeper, Alternatives)>,
    /// Whether the prefix hash is of addresses, too.
    pub exact: bool,
    /// The part of the whole search that this one is estimated to be.
    pub share: f64,
    /// Hash of what the prefix does: whoever runs it can check that it did the same.
    pub prefix_hash: u64,
}

/// What is handed down with an event of an item's prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PrefixEvent {
    /// The event.
    pub position: u32,
    /// Not taken by default.
    pub marked: bool,
    /// The event reversed in before it over the same operation.
    pub chain: Option<u32>,
    /// The end of the block it was taken right after.
    pub behind: Option<u32>,
}

impl Item {
    /// The whole search.
    pub fn everything() -> Self {
        Item {
            steps: Vec::new(),
            prefix_events: Vec::new(),
            then: None,
            block: u32::MAX,
            chain: None,
            races: true,
            tried: Vec::new(),
            asleep: Vec::new(),
            exact: false,
            share: 1.0,
            prefix_hash: PrefixHash::default().finish(),
        }
    }

    /// How many steps come before the one that begins the subtree.
    pub fn prefix(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }

    /// Whether a run that begins with these events has done what this item's prefix did where it comes from.
    pub fn describes(&self, events: &[Event]) -> bool {
        let mut hash = PrefixHash::default();
        let prefix = events.get(..self.prefix());
        prefix.into_iter().flatten().for_each(|event| hash.add(event.thread, &event.operation, self.exact));
        prefix.is_some() && hash.finish() == self.prefix_hash
    }
}

/// A hash of threads and operations, or only of the kinds of operations: addresses may differ between processes.
#[derive(Clone, Debug, Default)]
pub(super) struct PrefixHash(Hasher128);

impl PrefixHash {
    pub(super) fn add(&mut self, thread: ThreadId, operation: &Operation, exact: bool) {
        thread.hash(&mut self.0);
        if exact {
            operation.hash(&mut self.0);
        } else {
            core::mem::discriminant(operation).hash(&mut self.0);
        }
    }

    pub(super) fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// A search that can be divided: parts of it are given away. Together they explore what the search would have explored; the
/// optimal search each of it once.
pub trait Divisible {
    /// Begins to explore `item` instead, of which nothing may be left of the one before.
    fn begin(&mut self, item: Item);

    /// How many parts could be given away. Only between [`learn`](super::Explorer::learn) and
    /// [`next_plan`](super::Explorer::next_plan), as are the following two.
    fn open(&self) -> usize;

    /// Gives a part away, one that can be expected to be large, and forgets it.
    fn give(&mut self) -> Option<Item>;

    /// Hands all that is left to explore to `take`, and forgets nothing. What is likely to be large comes last, and items
    /// next to each other have long prefixes in common.
    fn save(&mut self, take: &mut dyn FnMut(Item));

    /// The part of the whole search that has been covered, as far as that can be estimated: 1 if it was the whole.
    fn covered(&self) -> f64;
}
