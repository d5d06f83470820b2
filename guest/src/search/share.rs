//! What a guest knows of its part of a search that several guests share (see [`super::sharing`]).

use crate::platform::link;
use inspect_core::explore::{Counts, Item};
use inspect_wire::work::Bundle;

/// What a guest knows of its part of the search.
#[derive(Default)]
pub(super) struct Share {
    /// Parts that are still to be explored, those likely to be large at the end.
    pub(super) queue: Bundle,
    /// The part whose first run comes next, and is to be compared with it.
    pub(super) described: Option<Item>,
    /// The guest has begun a part.
    pub(super) begun: bool,
    /// The counts at the last commit.
    pub(super) counts: Counts,
    /// How many runs were lost at the last commit.
    pub(super) lost: u64,
    /// Which part of the whole search was covered at the last commit, from 0 to 1.
    pub(super) covered: f64,
    /// How many times the search has begun anew.
    pub(super) pass: u32,
    /// The number of the host's last request that was answered.
    pub(super) answered: u32,
    /// How many packages were taken.
    pub(super) packages: u32,
    /// The number of runs at the last check of the program's memory.
    pub(super) checked: u64,
}

/// Waits for the host in sleeps, each twice as long as the one before, up to a longest one.
pub(super) struct Doze {
    /// Nanoseconds.
    next: u64,
    slept: u64,
}

impl Doze {
    const SHORTEST: u64 = 20_000;
    const LONGEST: u64 = 500_000;
    /// How long, in nanoseconds, a host that has asked to stop may take to read.
    pub(super) const PATIENCE: u64 = 500_000_000;

    /// A wait that begins now.
    pub(super) fn new() -> Self {
        Doze { next: Doze::SHORTEST, slept: 0 }
    }

    /// How long the guest has slept so far, in nanoseconds.
    pub(super) fn slept(&self) -> u64 {
        self.slept
    }

    /// Sleeps, twice as long as the last time, up to the longest sleep.
    pub(super) fn doze(&mut self) {
        link::pause(self.next);
        self.slept += self.next;
        self.next = (self.next * 2).min(Doze::LONGEST);
    }
}
