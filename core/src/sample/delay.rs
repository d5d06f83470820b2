//! Delay bounding: thread after thread without preemption, but for D random delays.
//!
//! Michael Emmi, Shaz Qadeer, Zvonimir Rakamarić: "Delay-Bounded Scheduling", POPL 2011. A deterministic scheduler runs
//! a thread until it waits or ends, then the next in a round. A delay passes over the thread that would go on. Claim:
//! many bugs need few delays, and the number of schedules with D delays does not grow with the number of threads. With
//! D places drawn among k operations, a bug that needs D delays at certain places is found in a run with a probability
//! of at least 1 / k^D.
//!
//! Departures: the paper explores all schedules within the bound; here the places are drawn. The round follows thread
//! numbers. k is the length of the longest of a few random runs made before (`explore::Sampling`); beyond k operations
//! a run goes on as a random walk.

use super::Moment;
use crate::event::{ThreadId, ThreadSet};
use crate::random::Random;
use alloc::vec::Vec;

/// Where the delays of a run are.
#[derive(Debug, Default)]
pub(super) struct Delays {
    /// Numbers of the steps before which a thread is passed over, as often as the number occurs.
    places: Vec<u32>,
}

impl Delays {
    /// Draws the places of `number` delays among the first `expected` steps.
    pub(super) fn begin(&mut self, number: u32, expected: u32, random: &mut Random) {
        self.places.clear();
        self.places.extend((0..number).map(|_| random.index(expected)));
    }

    /// The thread that takes the next step: the present one, unless it cannot go on or is delayed.
    pub(super) fn thread<O>(&mut self, moment: &Moment<'_, O>) -> ThreadId {
        let at = moment.events.len() as u32;
        let takers = moment.takers;
        let mut thread = if takers.contains(moment.current) { moment.current } else { after(moment.current, takers) };
        for _ in self.places.iter().filter(|&&place| place == at) {
            thread = after(thread, takers);
        }
        thread
    }
}

/// The first of `threads` that comes after `thread` in the round.
fn after(thread: ThreadId, threads: ThreadSet) -> ThreadId {
    threads.iter().find(|&other| other > thread).or(threads.first()).unwrap_or(thread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_round_goes_through_all_threads() {
        let threads: ThreadSet = [2, 5, 63].into_iter().map(ThreadId).collect();
        let next = |thread| after(ThreadId(thread), threads).0;
        assert_eq!([0, 2, 3, 5, 62, 63].map(next), [2, 5, 5, 63, 63, 2]);
    }
}
