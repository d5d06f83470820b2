//! Sampling: independent runs whose order is drawn by chance. It ends after a number of runs, and claims nothing.
//!
//! How a run is drawn is the [`Strategy`], each with its paper in `core/src/sample/`. Here is what all of them share:
//! one seed for each run, derived from that of the search and the number of the run, so that a run does not depend on
//! how many are made; the first few runs, which are random walks, from which the search learns how long runs are and
//! which operations conflict ([`Profile`]); and when the search ends.

mod feedback;
mod profile;

use super::Explorer;
use crate::event::{FreeRun, Plan, SampledRun, Strategy, Trace};
use crate::random::Random;
use feedback::Feedback;
use profile::Profile;

/// How many runs are made to learn from, by all strategies but the random walk.
const PROFILED: u64 = 8;

/// How many runs a search that samples makes, unless the user says how many.
pub const DEFAULT_RUNS: u64 = 20_000;
/// After how many operations a search that samples makes no further run, unless the user says how many runs it makes:
/// it ends soon even if runs are long.
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
    /// How many were made.
    pub runs: u64,
    /// How many of them the strategy did not order: random walks to learn from.
    pub profiled: u64,
    /// How many operations the longest run had.
    pub longest: u32,
    /// Operations that the strategy orders ([`SampledRun::expected`]).
    pub expected: u32,
}

/// A search that samples.
#[derive(Debug)]
pub struct Sampling {
    strategy: Strategy,
    seed: u64,
    /// The number of runs; None for the defaults.
    runs: Option<u64>,
    first_run: u64,
    operations: u64,
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
            operations: 0,
            made,
            profile: Profile::default(),
            feedback: Feedback::new(),
        }
    }

    fn is_over(&self) -> bool {
        match self.runs {
            Some(runs) => self.made.runs >= runs,
            None => self.made.runs >= DEFAULT_RUNS || self.operations >= DEFAULT_OPERATIONS,
        }
    }

    /// Whether the next run is one to learn from.
    fn is_learning(&self) -> bool {
        self.strategy != Strategy::Random && self.made.runs < PROFILED
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
        let learning = self.is_learning();
        let seed = seed_of(self.seed, self.first_run + self.made.runs);
        let strategy = if learning { Strategy::Random } else { self.drawn(seed, plan) };
        let expected = if learning { u32::MAX } else { self.made.expected };
        plan.free_run = FreeRun::Sampled(SampledRun { strategy, seed, expected });
        true
    }

    fn learn(&mut self, trace: &Trace) {
        let length = trace.events.len();
        if self.is_learning() {
            self.profile.learn(trace, matches!(self.strategy, Strategy::Uniform { .. }));
            self.made.expected = self.profile.length();
            self.made.profiled += 1;
        }
        if self.strategy == Strategy::ReadsFrom {
            self.feedback.learn(trace);
        }
        self.made.runs += 1;
        self.made.longest = self.made.longest.max(length as u32);
        self.operations += length as u64;
    }

    /// The other runs do not depend on the one that was lost.
    fn lose(&mut self) {
        self.made.runs += 1;
    }

    fn estimated_total(&self) -> Option<f64> {
        let made = self.made.runs;
        // A search that has no number of runs goes on until it is stopped.
        if made == 0 || self.runs == Some(u64::MAX) {
            return None;
        }
        let within_operations = DEFAULT_OPERATIONS as f64 * made as f64 / self.operations.max(1) as f64;
        Some(self.runs.map_or(within_operations.min(DEFAULT_RUNS as f64), |runs| runs as f64))
    }

    fn sampled(&self) -> Option<SampledRuns> {
        Some(self.made)
    }
}
