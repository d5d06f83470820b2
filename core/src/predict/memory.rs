//! What was predicted from the runs so far, and what was looked for in vain: so that no prediction is made twice, and
//! that what there is no time for in one run is looked at in a later one.

use super::closure::Keeps;
use super::{Needs, PredictedKind, Prediction};
use crate::event::{SiteId, ThreadId};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// Steps that an analysis of a run may take: so many, and so many for each event of the run. A number and no time, so
/// that the same runs yield the same predictions on every machine.
const STEPS: (u64, u64) = (20_000, 50);
/// How many refuted candidates are remembered; when there are more, all are forgotten.
const MOST_REFUTED: usize = 1 << 16;

/// Who would do what is predicted: a thread at a source location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Actor {
    pub(super) site: SiteId,
    pub(super) thread: ThreadId,
}

impl Actor {
    /// What makes a candidate the same one in another run.
    pub(super) fn key(actors: &[Actor]) -> Vec<Actor> {
        let mut key = actors.to_vec();
        key.sort();
        key
    }
}

/// Steps that are left of an analysis.
#[derive(Debug)]
pub(super) struct StepBudget(u64);

impl StepBudget {
    /// Takes so many steps, or all that are left.
    pub(super) fn spend(&mut self, steps: u64) {
        self.0 = self.0.saturating_sub(steps);
    }

    pub(super) fn left(&self) -> u64 {
        self.0
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.0 == 0
    }
}

/// What was predicted from the runs so far, and what was looked for in vain.
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

    /// This was predicted.
    pub(super) fn note(&mut self, prediction: &Prediction, needs: &Needs<'_>, keeps: Keeps) {
        let sites = prediction.events.iter().map(|event| needs.events()[event.index()].site);
        let mut sites: Vec<SiteId> = sites.collect();
        sites.sort();
        self.predicted.insert((prediction.kind, sites, keeps));
    }

    /// The next run is looked at.
    pub(super) fn next_run(&mut self) {
        self.runs += 1;
    }

    /// What one analysis of this run may take.
    pub(super) fn budget(&self, needs: &Needs<'_>) -> StepBudget {
        let (least, each) = STEPS;
        StepBudget(if self.unbounded { u64::MAX } else { least + each * needs.events().len() as u64 })
    }

    /// Whether this was predicted, keeping as much or more.
    pub(super) fn is_known(&self, kind: PredictedKind, keeps: Keeps, sites: &[SiteId]) -> bool {
        self.predicted.range((kind, sites.to_vec(), Keeps::All)..=(kind, sites.to_vec(), keeps)).next().is_some()
    }

    /// From how many runs this was looked at in vain.
    pub(super) fn times_refuted(&self, kind: PredictedKind, keeps: Keeps, actors: &[Actor]) -> u32 {
        self.refuted.get(&(kind, keeps, actors.to_vec())).copied().unwrap_or(0)
    }

    /// Nothing came of this.
    pub(super) fn refute(&mut self, kind: PredictedKind, keeps: Keeps, actors: Vec<Actor>) {
        if self.refuted.len() >= MOST_REFUTED {
            self.refuted.clear();
        }
        *self.refuted.entry((kind, keeps, actors)).or_default() += 1;
    }

    /// The number of this run: with which of the candidates an analysis begins that has no time for all.
    pub(super) fn turn(&self) -> usize {
        self.runs as usize
    }
}
