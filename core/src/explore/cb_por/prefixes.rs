//! The prefixes of one run, as a partial order, that are within the bound.
//!
//! They are listed by the position of their last event in the run, so that two runs with a common beginning share the
//! beginning of the list. For each thread, the prefixes that hold all its events so far are linked: these are the ones
//! to which the thread's next event can be added.

use crate::event::{ThreadId, ThreadSet};
use alloc::vec::Vec;

/// No prefix.
const NONE: u32 = u32::MAX;

/// A prefix. Which events are in it is kept beside the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix {
    pub(super) state: u128,
    /// The number of its events.
    pub(super) size: u32,
    /// The enabled threads.
    pub(super) enabled: ThreadSet,
    /// The threads whose step is within the bound, and has to be tried.
    pub(super) affordable_steps: ThreadSet,
    /// Everything below it was visited.
    pub(super) closed: bool,
}

/// The prefixes of the present run that are within the bound, by number.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    /// The number of threads: a prefix is stored as a number of events of each.
    stride: usize,
    list: Vec<Prefix>,
    counts: Vec<u32>,
    /// By prefix and thread: the prefix linked before it.
    links: Vec<u32>,
    /// By thread: the prefix linked last, and the number of the thread's events up to the present position.
    heads: Vec<u32>,
    totals: Vec<u32>,
    /// Where the prefixes of each position end, and heads and totals there.
    ends: Vec<u32>,
    saved: Vec<u32>,
}

impl Prefixes {
    /// How many threads a stored prefix has numbers of events for.
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

    /// The number of positions of the run whose prefixes are listed.
    pub(super) fn positions(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    /// Removes the prefixes of all positions but the first `positions`.
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

    /// Begins the next position, whose event is by `thread`; collects the prefixes with all earlier events of the
    /// thread.
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

    /// Ends the present position: its prefixes are complete.
    pub(super) fn end(&mut self) {
        self.ends.push(self.list.len() as u32);
        self.saved.extend_from_slice(&self.heads);
        self.saved.extend_from_slice(&self.totals);
    }

    /// Adds a prefix that has these numbers of events, by thread; returns the prefix's number.
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

    /// The prefix with this number.
    pub(super) fn get(&self, number: u32) -> &Prefix {
        &self.list[number as usize]
    }

    /// By thread: the number of events in a prefix.
    pub(super) fn counts(&self, number: u32) -> &[u32] {
        &self.counts[number as usize * self.stride..][..self.stride]
    }

    /// Whether the prefix with this number leads to this state.
    pub(super) fn is(&self, number: u32, state: u128) -> bool {
        self.list.get(number as usize).is_some_and(|prefix| prefix.state == state)
    }

    /// Notes that everything below a state was visited. `number` is that of the state's prefix if the prefix is listed;
    /// otherwise it belongs to another state, and nothing changes.
    pub(super) fn close(&mut self, number: u32, state: u128) {
        if let Some(prefix) = self.list.get_mut(number as usize).filter(|prefix| prefix.state == state) {
            prefix.closed = true;
        }
    }
}
