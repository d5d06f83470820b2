//! Exploration: from the traces of the runs made so far to the plan of the next. One algorithm, one paper, one file.
//!
//! What several algorithms share: `depth_first` (the stack, and the walk over it), `backtrack` (backtrack sets and
//! sleep sets on that stack) with `backtrack_points` (what an algorithm decides about them), `initials`, `unexecuted`
//! (races of operations that no run has executed), `symmetry`, `item` (how a search is divided), `estimate` and
//! `sizes`.
//!
//! The events of the present path are in a [`Path`](crate::order::Path) with their clocks. An event is *drafted* if it
//! is stored there without being in the path: it is the path's next event, or an operation whose races are looked for
//! as if it came next. Its clock is complete once the conflicts with the path are joined to it (`Path::settle`).

mod backtrack;
mod backtrack_points;
mod bounded;
mod bpor;
pub mod catalogue;
mod cb_por;
mod ddpor;
mod deepening;
mod depth_first;
mod dfs;
mod dpor;
mod estimate;
mod flip;
mod initials;
mod item;
mod minimise;
mod optimal;
mod pdp;
mod portfolio;
mod predicting;
mod sampling;
mod sizes;
mod source;
mod stateful;
mod symmetry;
mod unexecuted;

pub use bounded::Bounded;
pub use bpor::Bpor;
pub use catalogue::Algorithm;
pub use cb_por::CbPor;
pub use ddpor::{BacktrackSets, Ddpor};
pub use deepening::Deepening;
pub use dfs::Dfs;
pub use dpor::Dpor;
pub use estimate::Estimate;
pub use flip::Flip;
pub use item::{Divisible, DrawnRuns, Item, PrefixEvent};
pub use minimise::Minimise;
pub use optimal::Optimal;
pub use pdp::{Facts, LockChange, PathStep, Pdp, Point, PointsTo, RecordCompactor, UntakenPath};
pub use portfolio::{Effort, Portfolio, PortfolioPart, Reached, Share, Shares, Turn, TurnEnd, TurnTime};
pub use predicting::Predicting;
pub use sampling::{DEFAULT_OPERATIONS, DEFAULT_RUNS, SampledRuns, Sampling, SamplingOptions};
pub use source::Source;
pub use stateful::{OperationEncoding, SharedOperation, StateSharing, Stateful};

use crate::event::{Plan, Trace};

/// What an exploration has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts {
    /// Complete executions: those that ended, deadlocked or came to a state visited before; neither cut nor blocked.
    pub executions: u64,
    /// Blocked executions: runs cut because every enabled thread was asleep.
    pub blocked: u64,
    /// Runs that ended with a thread stuck in a failed assumption.
    pub assume_blocked: u64,
    /// Runs cut by a limit, and lost runs.
    pub limited: u64,
    /// Visible operations executed, those of replayed prefixes included.
    pub transitions: u64,
}

impl core::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.executions += more.executions;
        self.blocked += more.blocked;
        self.assume_blocked += more.assume_blocked;
        self.limited += more.limited;
        self.transitions += more.transitions;
    }
}

impl core::ops::Sub for Counts {
    type Output = Counts;

    fn sub(self, before: Counts) -> Counts {
        Counts {
            executions: self.executions - before.executions,
            blocked: self.blocked - before.blocked,
            assume_blocked: self.assume_blocked - before.assume_blocked,
            limited: self.limited - before.limited,
            transitions: self.transitions - before.transitions,
        }
    }
}

impl Counts {
    /// The number of runs made.
    pub fn runs(&self) -> u64 {
        self.executions + self.blocked + self.assume_blocked + self.limited
    }
}

/// A search: decides which run to make next, from the traces of the runs before.
pub trait Explorer {
    /// Writes the next run to make into `plan` (cleared first) and returns true, or returns false once nothing is left.
    fn next_plan(&mut self, plan: &mut Plan) -> bool;

    /// Takes in the run made of the last plan. Called exactly once after each `next_plan` that returned true.
    fn learn(&mut self, trace: &Trace);

    /// As [`learn`](Self::learn), for a caller that may have to stop: a search that concludes so much from each event
    /// that a long run takes it seconds asks `gives_up` at every event, and leaves the rest of the run out once it says
    /// true. It returns false then; it has no next plan and cannot be divided any more.
    fn learn_unless(&mut self, trace: &Trace, _gives_up: &mut dyn FnMut() -> bool) -> bool {
        self.learn(trace);
        true
    }

    /// In place of [`learn`](Self::learn) if the run made of the last plan was lost: it left no trace that can be used.
    /// The search goes on with its other branches; it no longer covers everything.
    fn lose(&mut self);

    /// An estimate of the number of executions of the whole search, from the runs so far (see `estimate` and `sizes`).
    /// `None` before the first run.
    fn estimated_total(&self) -> Option<f64>;

    /// The number of states that the search has stored, if it stores any.
    fn states(&self) -> Option<u64> {
        None
    }

    /// Once the search is over: whether there is a state from which no execution ends. False for a search that does not
    /// compare states.
    fn is_endless(&self) -> bool {
        false
    }

    /// Whether the search has left something out so far because of its bound on preemptions. If not, and the search is
    /// over, it has covered what it would have covered without a bound.
    fn bound_cut(&self) -> bool {
        false
    }

    /// The present bound of a search that covers one bound on preemptions after the other: everything within smaller
    /// bounds was covered.
    fn bound(&self) -> Option<u32> {
        None
    }

    /// Numbers about the runs so far, if the search samples.
    fn sampled(&self) -> Option<SampledRuns> {
        None
    }

    /// Whether the run last taken in was made only to learn from: it is of another part of the divided search, and
    /// counts there.
    fn made_elsewhere(&self) -> bool {
        false
    }

    /// The search as one that can be divided, if it can.
    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        None
    }
}
