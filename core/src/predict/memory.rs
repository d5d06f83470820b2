//! What was predicted from the runs so far, and which candidates were refuted: so that no prediction is made twice, and
//! that a candidate for which there is no time in one run is looked at in a later one.

use super::closure::Keeps;
use super::{Needs, PredictedKind, Prediction};
use crate::event::{SiteId, ThreadId};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// Steps that an analysis of a run may take: the first number, and the second one for each event of the run. Steps and
/// not time, so that the same runs yield the same predictions on every machine.
const STEPS: (u64, u64) = (20_000, 50);
/// How many refuted candidates are remembered; when there are more, all are forgotten.
const MOST_REFUTED: usize = 1 << 16;

/// A thread that takes part in what is predicted, and its source location there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Actor {
    pub(super) site: SiteId,
    pub(super) thread: ThreadId,
}

impl Actor {
    /// The actors in ascending order, by which a candidate is known in other runs.
    pub(super) fn key(actors: &[Actor]) -> Vec<Actor> {
        let mut key = actors.to_vec();
        key.sort();
        key
    }
}

/// The steps that an analysis may still take.
#[derive(Debug)]
pub(super) struct StepBudget(u64);

impl StepBudget {
    /// Takes so many steps off, or all that are left.
    pub(super) fn spend(&mut self, steps: u64) {
        self.0 = self.0.saturating_sub(steps);
    }

    /// How many steps are left.
    pub(super) fn left(&self) -> u64 {
        self.0
    }

    /// Whether no step is left.
    pub(super) fn is_used_up(&self) -> bool {
        self.0 == 0
    }
}

/// What was predicted from the runs so far, and which candidates were refuted.
#[derive(Debug)]
pub(super) struct Memory {
    /// Analyses take as many steps as they need.
    unbounded: bool,
    /// What was predicted, by the source locations in ascending order, and what its run keeps.
    predicted: BTreeSet<(PredictedKind, Vec<SiteId>, Keeps)>,
    /// Candidates of which nothing came, with the number of runs from which they were looked at.
    refuted: BTreeMap<(PredictedKind, Keeps, Vec<Actor>), u32>,
    /// How many runs were looked at.
    runs: u64,
}

impl Memory {
    /// Nothing is predicted yet. Analyses come to their end, however long that takes, or have a budget.
    pub(super) fn new(unbounded: bool) -> Self {
        Memory { unbounded, predicted: BTreeSet::new(), refuted: BTreeMap::new(), runs: 0 }
    }

    /// Remembers a prediction, whose run keeps what `keeps` says.
    pub(super) fn note(&mut self, prediction: &Prediction, needs: &Needs<'_>, keeps: Keeps) {
        let sites = prediction.events.iter().map(|event| needs.events()[event.index()].site);
        let mut sites: Vec<SiteId> = sites.collect();
        sites.sort();
        self.predicted.insert((prediction.kind, sites, keeps));
    }

    /// The next run is going to be analysed.
    pub(super) fn next_run(&mut self) {
        self.runs += 1;
    }

    /// The steps that one analysis of this run may take.
    pub(super) fn budget(&self, needs: &Needs<'_>) -> StepBudget {
        let (least, each) = STEPS;
        StepBudget(if self.unbounded { u64::MAX } else { least + each * needs.events().len() as u64 })
    }

    /// Whether a prediction of this kind at these source locations (in ascending order) was made that keeps as much or
    /// more.
    pub(super) fn is_known(&self, kind: PredictedKind, keeps: Keeps, sites: &[SiteId]) -> bool {
        self.predicted.range((kind, sites.to_vec(), Keeps::All)..=(kind, sites.to_vec(), keeps)).next().is_some()
    }

    /// In how many runs this candidate was looked at in vain. `actors` are in ascending order ([`Actor::key`]).
    pub(super) fn times_refuted(&self, kind: PredictedKind, keeps: Keeps, actors: &[Actor]) -> u32 {
        self.refuted.get(&(kind, keeps, actors.to_vec())).copied().unwrap_or(0)
    }

    /// Remembers that this candidate was looked at in vain once more. `actors` are in ascending order ([`Actor::key`]).
    pub(super) fn refute(&mut self, kind: PredictedKind, keeps: Keeps, actors: Vec<Actor>) {
        if self.refuted.len() >= MOST_REFUTED {
            self.refuted.clear();
        }
        *self.refuted.entry((kind, keeps, actors)).or_default() += 1;
    }

    /// How many runs were analysed before. An analysis that has no time for all candidates begins with another one in
    /// each run, chosen by this number.
    pub(super) fn turn(&self) -> usize {
        self.runs as usize
    }
}
