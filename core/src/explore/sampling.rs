//! Sampling: independent runs whose order is drawn by chance. It ends after a number of runs, and claims nothing.
//!
//! How a run is drawn is the [`Strategy`], each with its paper in `core/src/sample/`. Here is what all of them share:
//! one seed for each run, derived from that of the search and the number of the run, so that a run does not depend on
//! how many are made, nor on which worker makes it (`division`); the first few runs, which are random walks, from which
//! the search learns how long runs are and which operations conflict ([`Profile`]); and when the search ends.

mod division;
mod feedback;
mod profile;

use super::{Divisible, DrawnRuns, Explorer};
use crate::event::{FreeRun, Plan, SampledRun, Strategy, Trace};
use crate::random::Random;
use feedback::Feedback;
use profile::Profile;

/// How many runs are made to learn from, by all strategies but the random walk.
const PROFILED: u64 = 8;

/// How many runs a search that samples makes, unless the user says how many.
pub const DEFAULT_RUNS: u64 = 20_000;
/// A search that samples makes fewer runs, unless the user says how many, if all had more operations than this in
/// runs as long as the first ones: it ends soon even if runs are long.
pub const DEFAULT_OPERATIONS: u64 = 100_000_000;

/// The options of a search that samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SamplingOptions {
    /// `--runs`; None for the defaults.
    pub runs: Option<u64>,
    /// `--pct-depth`: the depth of the bugs that `pct` looks for, at least 1.
    pub pct_depth: u32,
    /// `--delays`: how many delays a run of `delay` has.
    pub delays: u32,
    /// The number of the first run. The seed of a run depends on the number, so a turn of a portfolio that goes on
    /// counting where the turn before has ended repeats none of its runs.
    pub first_run: u64,
}

impl Default for SamplingOptions {
    fn default() -> Self {
        SamplingOptions { runs: None, pct_depth: 3, delays: 2, first_run: 0 }
    }
}

/// Numbers about the runs that a search that samples has made, from which its guarantee is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SampledRuns {
    /// How many runs the strategy did not order: random walks to learn from.
    pub profiled: u64,
    /// How many operations the longest run had.
    pub longest: u32,
    /// Operations that the strategy orders ([`SampledRun::expected`]).
    pub expected: u32,
}

impl SampledRuns {
    /// Numbers about the runs of two workers of one search. A guarantee of what they say holds for each of them.
    #[must_use]
    pub fn and(self, other: SampledRuns) -> SampledRuns {
        // A worker that has not learned from any run knows no length.
        let known = [self.expected, other.expected].into_iter().filter(|&expected| expected != u32::MAX);
        SampledRuns {
            // All workers learn from the same runs.
            profiled: self.profiled.max(other.profiled),
            longest: self.longest.max(other.longest),
            expected: known.max().unwrap_or(u32::MAX),
        }
    }
}

/// A search that samples, or a part of it.
#[derive(Debug)]
pub struct Sampling {
    strategy: Strategy,
    seed: u64,
    /// The number of runs of the whole search; None for the defaults.
    runs: Option<u64>,
    first_run: u64,
    /// The runs that are left of the part, counted from the first run of the whole search.
    left: DrawnRuns,
    /// The number of the run that the last plan is for.
    planned: u64,
    /// The run last taken in was made to learn from, and is of another part.
    made_elsewhere: bool,
    /// From how many of the first runs was learned.
    learned: u64,
    /// The share of the whole search that is left of the part, and that of all that was made.
    share: f64,
    covered: f64,
    made: SampledRuns,
    profile: Profile,
    feedback: Feedback,
}

impl Sampling {
    /// A search that makes as many runs as `options` say.
    pub fn new(strategy: Strategy, seed: u64, options: &SamplingOptions) -> Self {
        // A random walk needs no length.
        let made = SampledRuns { expected: u32::MAX, ..SampledRuns::default() };
        let SamplingOptions { runs, first_run, .. } = *options;
        Sampling {
            strategy,
            seed,
            runs,
            first_run,
            left: DrawnRuns { first: 0, end: runs },
            planned: 0,
            made_elsewhere: false,
            learned: 0,
            share: 1.0,
            covered: 0.0,
            made,
            profile: Profile::default(),
            feedback: Feedback::new(),
        }
    }

    fn is_over(&self) -> bool {
        self.left.end.is_some_and(|end| self.left.first >= end)
    }

    /// Whether the next run is one to learn from: how long runs are, or, for a random walk, how many there are to be.
    fn is_learning(&self) -> bool {
        self.learned < PROFILED && (self.strategy != Strategy::Random || self.left.end.is_none())
    }

    /// How many runs the search makes if the user does not say it.
    fn default_runs(&self) -> u64 {
        (DEFAULT_OPERATIONS / u64::from(self.made.longest.max(1))).clamp(PROFILED, DEFAULT_RUNS)
    }

    /// The strategy of the next run; what else it needs comes into the plan.
    fn drawn(&mut self, seed: u64, plan: &mut Plan) -> Strategy {
        match self.strategy {
            Strategy::Uniform { .. } => {
                Strategy::Uniform { selected: self.profile.select(&mut Random(!seed), &mut plan.weights) }
            }
            Strategy::ReadsFrom => {
                self.feedback.ask(&mut Random(!seed), &mut plan.reads_from);
                Strategy::ReadsFrom
            }
            Strategy::Random | Strategy::PartialOrder | Strategy::Priorities { .. } | Strategy::Delays { .. } => {
                self.strategy
            }
        }
    }

    /// Takes in the run last planned as one that needs not be made any more.
    fn pass(&mut self) {
        if self.is_learning() {
            self.learned += 1;
        }
        self.made_elsewhere = self.planned != self.left.first;
        if !self.made_elsewhere {
            let covered = self.left.end.map_or(0.0, |end| self.share / (end - self.left.first) as f64);
            self.share -= covered;
            self.covered += covered;
            self.left.first += 1;
        }
        if self.learned == PROFILED && self.left.end.is_none() {
            let runs = self.default_runs();
            let covered = self.share * self.left.first as f64 / runs as f64;
            self.share -= covered;
            self.covered += covered;
            self.left.end = Some(runs);
        }
    }
}

/// The seed of a run: as good as independent of those of other runs and of other searches.
fn seed_of(search: u64, run: u64) -> u64 {
    let mut random = Random(search);
    let mut random = Random(random.number() ^ run);
    random.number()
}

impl Explorer for Sampling {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        plan.clear();
        if self.is_over() {
            return false;
        }
        self.planned = if self.is_learning() { self.learned } else { self.left.first };
        let seed = seed_of(self.seed, self.first_run + self.planned);
        // The first runs are random walks, whoever makes them, and whether there is still something to learn or not.
        let walks = self.planned < PROFILED;
        let strategy = if walks { Strategy::Random } else { self.drawn(seed, plan) };
        let expected = if walks { u32::MAX } else { self.made.expected };
        plan.free_run = FreeRun::Sampled(SampledRun { strategy, seed, expected });
        true
    }

    fn learn(&mut self, trace: &Trace) {
        self.made.longest = self.made.longest.max(trace.events.len() as u32);
        if self.is_learning() && self.strategy != Strategy::Random {
            self.profile.learn(trace, matches!(self.strategy, Strategy::Uniform { .. }));
            self.made.expected = self.profile.length();
            self.made.profiled += 1;
        }
        if self.strategy == Strategy::ReadsFrom {
            self.feedback.learn(trace);
        }
        self.pass();
    }

    /// The other runs do not depend on the one that was lost.
    fn lose(&mut self) {
        self.pass();
    }

    fn estimated_total(&self) -> Option<f64> {
        // A search that has no number of runs goes on until it is stopped.
        let runs = self.runs.or(self.left.end).filter(|&runs| runs != u64::MAX);
        runs.map(|runs| runs as f64)
    }

    fn sampled(&self) -> Option<SampledRuns> {
        Some(self.made)
    }

    fn made_elsewhere(&self) -> bool {
        self.made_elsewhere
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        match self.strategy {
            // What a run tries depends on all runs before it.
            Strategy::ReadsFrom => None,
            Strategy::Random
            | Strategy::PartialOrder
            | Strategy::Priorities { .. }
            | Strategy::Uniform { .. }
            | Strategy::Delays { .. } => Some(self),
        }
    }
}
