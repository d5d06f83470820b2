//! Probabilistic concurrency testing: random priorities of threads, lowered at d - 1 random places.
//!
//! Sebastian Burckhardt, Pravesh Kothari, Madanlal Musuvathi, Santosh Nagarakatte: "A Randomized Scheduler with
//! Probabilistic Guarantees of Finding Bugs", ASPLOS 2010. The enabled thread with the highest priority runs. The
//! i-th of d - 1 places, drawn among k, lowers the thread that is about to run there to priority i, below all that
//! threads begin with. Claim: a bug of depth d, which shows whenever d pairs of steps each come in a certain order, is
//! found in a run with a probability of at least 1 / (n k^(d-1)), for n threads and k steps.
//!
//! Departures:
//!
//! 1. The number of threads is not known when a run begins: a thread draws its priority when it is first enabled. The
//!    order of n such priorities is a random permutation as well.
//! 2. k is the length of the longest of a few random runs made before (`explore::Sampling`). Beyond k operations a run
//!    goes on as a random walk, so the claim is about bugs that show within k steps.
//! 3. A yield lowers its thread below all others, as the paper advises for programs that spin.

use super::Moment;
use crate::event::{MAX_THREADS, Operation, ThreadId, ThreadSet};
use crate::random::Random;
use alloc::vec::Vec;

/// All priorities that threads begin with are at least this.
const INITIAL: u64 = 1 << 63;
/// The priority that the first place of change gives; the others are above it, and what a yield gives is below it.
const CHANGED: u64 = 1 << 32;

/// The priorities of threads in a run.
#[derive(Debug)]
pub(super) struct Priorities {
    /// By thread; 0 if none was drawn yet.
    of: [u64; MAX_THREADS],
    /// Numbers of the steps before which a priority is lowered.
    changes: Vec<u32>,
    /// The priority that the last yield gave its thread.
    yielded: u64,
}

impl Priorities {
    /// Priorities before the first run.
    pub(super) const fn new() -> Self {
        Priorities { of: [0; MAX_THREADS], changes: Vec::new(), yielded: CHANGED }
    }

    /// Begins a run: draws `changes` places among the first `expected` steps.
    pub(super) fn begin(&mut self, changes: u32, expected: u32, random: &mut Random) {
        self.of.fill(0);
        self.yielded = CHANGED;
        self.changes.clear();
        self.changes.extend((0..changes).map(|_| random.index(expected)));
    }

    /// The thread that takes the next step: the one with the highest priority.
    pub(super) fn thread<'a, O: Fn(ThreadId) -> &'a Operation>(
        &mut self,
        moment: &Moment<'a, O>,
        random: &mut Random,
    ) -> ThreadId {
        if let Some(last) = moment.events.last()
            && last.operation.gives_way()
            && last.operation.is_idle()
        {
            self.yielded -= 1;
            self.of[last.thread.index()] = self.yielded;
        }
        let at = moment.events.len() as u32;
        let mut thread = self.highest(moment.takers, random);
        for number in 0..self.changes.len() {
            if self.changes[number] == at {
                self.of[thread.index()] = CHANGED + number as u64;
                thread = self.highest(moment.takers, random);
            }
        }
        thread
    }

    fn highest(&mut self, threads: ThreadSet, random: &mut Random) -> ThreadId {
        let mut best = (0, ThreadId::MAIN);
        for thread in threads.iter() {
            let priority = &mut self.of[thread.index()];
            if *priority == 0 {
                *priority = INITIAL | random.number();
            }
            if *priority > best.0 {
                best = (*priority, thread);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;

    /// Each of the six orders of three threads' priorities is drawn about as often.
    #[test]
    fn priorities_are_a_random_permutation() {
        let threads: ThreadSet = (0..3).map(ThreadId).collect();
        let mut seen: BTreeMap<[usize; 3], u32> = BTreeMap::new();
        let mut priorities = Priorities::new();
        for seed in 0..6_000 {
            let mut random = Random(seed);
            priorities.begin(0, 10, &mut random);
            let mut rest = threads;
            let order = [(); 3].map(|()| {
                let thread = priorities.highest(rest, &mut random);
                rest.remove(thread);
                thread.index()
            });
            *seen.entry(order).or_default() += 1;
        }
        // Six standard deviations of a binomial distribution of 6,000 draws with probability 1/6 are 173.
        assert!(seen.len() == 6 && seen.values().all(|times| times.abs_diff(1_000) < 173), "{seen:?}");
    }

    #[test]
    fn changes_lie_below_the_expected_length_and_reach_all_of_it() {
        for expected in 1..8 {
            let mut places = [false; 8];
            let mut priorities = Priorities::new();
            for seed in 0..500 {
                priorities.begin(3, expected, &mut Random(seed));
                assert_eq!(priorities.changes.len(), 3);
                priorities.changes.iter().for_each(|&place| places[place as usize] = true);
            }
            let all = |place: usize| places[place] == (place < expected as usize);
            assert!((0..8).all(all), "{expected}: {places:?}");
        }
    }
}
