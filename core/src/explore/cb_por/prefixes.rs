//! The prefixes of one run, as a partial order, from which there is still somewhere to go.
//!
//! They are listed by the position of their last event in the run, so that two runs that share their beginning share the
//! beginning of the list. Those that hold all events of a thread up to a position are linked: they are where the thread's
//! next event can be added, so a new event finds its prefixes without looking at the others.

use crate::event::{ThreadId, ThreadSet};
use alloc::vec::Vec;

/// No prefix.
const NONE: u32 = u32::MAX;

/// A prefix. Which events are in it is kept beside the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix {
    pub(super) state: u128,
    /// How many events are in it.
    pub(super) size: u32,
    /// Who can go on.
    pub(super) enabled: ThreadSet,
    /// Who goes on within the bound.
    pub(super) goes: ThreadSet,
    /// Nothing new lies beyond it any more.
    pub(super) closed: bool,
}

/// The list.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    /// Entries of a set of events: how many of each thread.
    stride: usize,
    list: Vec<Prefix>,
    counts: Vec<u32>,
    /// By prefix and thread: the prefix linked before it.
    links: Vec<u32>,
    /// By thread: the prefix linked last, and how many of its events the run has up to the present position.
    heads: Vec<u32>,
    totals: Vec<u32>,
    /// Where the prefixes of each position end, and heads and totals there.
    ends: Vec<u32>,
    saved: Vec<u32>,
}

impl Prefixes {
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Begins anew with the empty prefix.
    pub(super) fn reset(&mut self, stride: usize, empty: Prefix) {
        *self = Prefixes { stride, ..Prefixes::default() };
        self.heads.resize(stride, NONE);
        self.totals.resize(stride, 0);
        let nothing = alloc::vec![0; stride];
        self.push(empty, &nothing);
        self.end();
    }

    /// How many positions of the run have been looked at.
    pub(super) fn positions(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    /// Ends the list behind the prefixes of so many positions.
    pub(super) fn truncate(&mut self, positions: usize) {
        if positions >= self.positions() {
            return;
        }
        self.ends.truncate(positions + 1);
        let (length, stride) = (self.ends[positions] as usize, self.stride);
        self.list.truncate(length);
        self.counts.truncate(length * stride);
        self.links.truncate(length * stride);
        let at = positions * 2 * stride;
        self.heads.copy_from_slice(&self.saved[at..at + stride]);
        self.totals.copy_from_slice(&self.saved[at + stride..at + 2 * stride]);
        self.saved.truncate(at + 2 * stride);
    }

    /// Goes on to a position whose event is by `thread`; collects the prefixes with all of the thread's earlier events.
    pub(super) fn begin(&mut self, thread: ThreadId, found: &mut Vec<u32>) {
        found.clear();
        let mut at = self.heads[thread.index()];
        while at != NONE {
            found.push(at);
            at = self.links[at as usize * self.stride + thread.index()];
        }
        self.heads[thread.index()] = NONE;
        self.totals[thread.index()] += 1;
    }

    /// The prefixes of the present position are complete.
    pub(super) fn end(&mut self) {
        self.ends.push(self.list.len() as u32);
        self.saved.extend_from_slice(&self.heads);
        self.saved.extend_from_slice(&self.totals);
    }

    /// Lists a prefix; its number.
    pub(super) fn push(&mut self, prefix: Prefix, counts: &[u32]) -> u32 {
        let number = self.list.len() as u32;
        self.list.push(prefix);
        self.counts.extend_from_slice(counts);
        for (thread, &count) in counts.iter().enumerate() {
            let head = &mut self.heads[thread];
            let all = count == self.totals[thread];
            self.links.push(if all { *head } else { NONE });
            if all {
                *head = number;
            }
        }
        number
    }

    pub(super) fn get(&self, number: u32) -> &Prefix {
        &self.list[number as usize]
    }

    /// How many events of each thread are in a prefix.
    pub(super) fn counts(&self, number: u32) -> &[u32] {
        &self.counts[number as usize * self.stride..][..self.stride]
    }

    /// Whether the prefix with this number is this state.
    pub(super) fn is(&self, number: u32, state: u128) -> bool {
        self.list.get(number as usize).is_some_and(|prefix| prefix.state == state)
    }

    /// Notes that nothing new lies beyond a state, if it has this number.
    pub(super) fn close(&mut self, number: u32, state: u128) {
        if let Some(prefix) = self.list.get_mut(number as usize).filter(|prefix| prefix.state == state) {
            prefix.closed = true;
        }
    }
}
