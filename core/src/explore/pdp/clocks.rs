//! Vector clocks by number: what happens before an access in every execution of a subspace.
//!
//! An *epoch* is a part of what a thread executes. Before the state, an unlock by the thread and its creation of
//! another thread begin the next one; after the state, only a creation does. The clock of an access has an entry for
//! each thread: the thread's last epoch that happens before the access.

use super::possible::PossibleAccess;
use crate::event::ThreadId;
use alloc::vec::Vec;

/// Clocks by number.
#[derive(Debug, Default)]
pub(super) struct ClockTable {
    stride: usize,
    times: Vec<u32>,
}

impl ClockTable {
    /// The number of entries of a clock.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// Forgets all clocks but an empty one, number 0.
    pub(super) fn begin_anew(&mut self, stride: usize) {
        self.stride = stride;
        self.times.clear();
        self.times.resize(stride, 0);
    }

    /// How many clocks there are.
    pub(super) fn len(&self) -> u32 {
        (self.times.len() / self.stride) as u32
    }

    /// Forgets the clocks from number `count` on.
    pub(super) fn truncate(&mut self, count: u32) {
        self.times.truncate(count as usize * self.stride);
    }

    /// A new clock, equal to another one.
    pub(super) fn copy(&mut self, clock: u32) -> u32 {
        let start = clock as usize * self.stride;
        self.times.extend_from_within(start..start + self.stride);
        self.len() - 1
    }

    /// Sets the epoch of a thread.
    pub(super) fn set(&mut self, clock: u32, thread: ThreadId, epoch: u32) {
        self.times[clock as usize * self.stride + thread.index()] = epoch;
    }

    /// Makes this clock count what `other` counts as well.
    pub(super) fn join(&mut self, clock: u32, other: u32) {
        let (clock, other) = (clock as usize * self.stride, other as usize * self.stride);
        for at in 0..self.stride {
            self.times[clock + at] = self.times[clock + at].max(self.times[other + at]);
        }
    }

    /// Whether accesses of a thread in this epoch happen before what has the clock.
    pub(super) fn counts(&self, clock: u32, thread: ThreadId, epoch: u32) -> bool {
        self.times[clock as usize * self.stride + thread.index()] >= epoch
    }

    /// Whether `a` happens before `b` in every execution of the subspace.
    pub(super) fn ordered(&self, a: &PossibleAccess, b: &PossibleAccess) -> bool {
        self.counts(b.clock, a.thread, a.epoch)
    }
}
