//! Partial order sampling: random priorities of operations, drawn anew after a race.
//!
//! Xinhao Yuan, Junfeng Yang, Ronghui Gu: "Partial Order Aware Concurrency Sampling", CAV 2018. Each operation that a
//! thread is about to do has a random priority, and the enabled one with the highest is taken. The operations that race
//! with it get new priorities. Claim: no partial order of the run's operations has the probability 0, and orders are
//! drawn more evenly than by a random walk: an operation that races with none of m operations of another thread comes
//! after all m of them with a probability of 1 / (m + 1); by a random walk with 1 / 2^m.
//!
//! Departures:
//!
//! 1. Which pairs race is decided by dependence (`event::dependent`) among operations that were enabled together, which
//!    is finer than the paper's same location.
//! 2. Beyond the length of the longest of a few random runs made before (`explore::Sampling`) a run goes on as a random
//!    walk: an operation with a low priority would wait very long for a thread without an end.

use super::Moment;
use crate::event::{Footprint, MAX_THREADS, Operation, ThreadId, ThreadSet};
use crate::random::Random;

/// The priorities of what threads are about to do.
#[derive(Debug)]
pub(super) struct PartialOrder {
    /// By thread; 0 if none was drawn yet.
    of: [u64; MAX_THREADS],
}

impl PartialOrder {
    /// Priorities before the first run.
    pub(super) const fn new() -> Self {
        PartialOrder { of: [0; MAX_THREADS] }
    }

    /// Begins a run: no priority is drawn yet.
    pub(super) fn begin(&mut self) {
        self.of.fill(0);
    }

    /// The thread that takes the next step: the one whose operation has the highest priority.
    pub(super) fn thread<'a, O: Fn(ThreadId) -> &'a Operation>(
        &mut self,
        moment: &Moment<'a, O>,
        random: &mut Random,
    ) -> ThreadId {
        if let Some(last) = moment.events.last() {
            self.of[last.thread.index()] = 0;
            let touched = Footprint::of(&last.operation);
            for other in last.enabled.minus(ThreadSet::only(last.thread)).iter() {
                if touched.conflicts(Footprint::of((moment.operation)(other))) {
                    self.of[other.index()] = 0;
                }
            }
        }
        let mut best = (0, ThreadId::MAIN);
        for thread in moment.takers.iter() {
            let priority = &mut self.of[thread.index()];
            if *priority == 0 {
                *priority = 1 | random.number();
            }
            if *priority > best.0 {
                best = (*priority, thread);
            }
        }
        best.1
    }
}
