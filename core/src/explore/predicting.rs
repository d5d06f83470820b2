//! Prediction: a few runs are drawn by chance, and what other orders of their events would show is tried next.
//!
//! Umang Mathur, Andreas Pavlogiannis, Mahesh Viswanathan: "Optimal Prediction of Synchronization-Preserving Races",
//! POPL 2021; Hünkar Can Tunç, Umang Mathur, Andreas Pavlogiannis, Mahesh Viswanathan: "Sound Dynamic Deadlock
//! Prediction in Linear Time", PLDI 2023. Claim: what is predicted from a run can happen. So a race or a deadlock is
//! found from a run that does not show it, if the order of critical sections of that run allows it.
//!
//! Departures: a prediction is no finding. Its run is made, which begins with the steps that the prediction names, and
//! only what that run shows is reported. So predictions that are not certain are tried as well, of orders in which
//! reads find something else or critical sections change places. Of long runs the beginning is looked at. Each race and
//! each deadlock is predicted once, by the source locations of what comes together, unless it becomes more certain.

use super::{Explorer, SampledRuns, Sampling, SamplingOptions};
use crate::event::{Event, Plan, SiteId, Step, Strategy, Trace};
use crate::predict::{Keeps, Needs, PredictedKind, Prediction, deadlocks, races};
use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;

/// How many runs are drawn unless the user says it.
const RUNS: u64 = 100;
/// The most events of a run that are looked at.
const MOST_EVENTS: usize = 2_000;
/// The most bytes that one of these events may touch.
const MOST_BYTES: u32 = 1 << 12;
/// How many pairs of accesses, and how many cycles of locks, are looked at in a run.
const MOST_TRIED: usize = 200;

/// A search that samples and predicts.
#[derive(Debug)]
pub struct Predicting {
    drawn: Sampling,
    /// Runs still to be made, of predictions.
    predicted: VecDeque<Vec<Step>>,
    /// The last plan was that of a prediction.
    is_predicted: bool,
    /// What was predicted, by the source locations in ascending order, and what its run keeps.
    known: BTreeSet<(PredictedKind, Vec<SiteId>, Keeps)>,
}

impl Predicting {
    /// A search that draws as many runs as `options` say.
    pub fn new(seed: u64, options: &SamplingOptions) -> Self {
        let options = SamplingOptions { runs: options.runs.or(Some(RUNS)), ..*options };
        Predicting {
            drawn: Sampling::new(Strategy::Random, seed, &options),
            predicted: VecDeque::new(),
            is_predicted: false,
            known: BTreeSet::new(),
        }
    }

    fn predict(&mut self, events: &[Event]) {
        let needs = Needs::new(beginning(events));
        for keeps in [Keeps::All, Keeps::Sections, Keeps::Nothing] {
            // What keeps more was tried before.
            let known = |kind, sites: &[SiteId]| {
                self.known.range((kind, sites.to_vec(), Keeps::All)..=(kind, sites.to_vec(), keeps)).next().is_some()
            };
            let mut all = races(&needs, keeps, MOST_TRIED, &|one, other| known(PredictedKind::Race, &[one, other]));
            all.extend(deadlocks(&needs, keeps, MOST_TRIED, &|sites| known(PredictedKind::Deadlock, sites)));
            for Prediction { kind, events: together, steps } in all {
                let mut sites: Vec<SiteId> = together.iter().map(|event| events[event.index()].site).collect();
                sites.sort();
                self.known.insert((kind, sites, keeps));
                self.predicted.push_back(steps);
            }
        }
    }
}

/// The events at the beginning of a run that are looked at.
fn beginning(events: &[Event]) -> &[Event] {
    let is_small = |event: &Event| event.operation.footprint().iter().all(|(range, _)| range.len <= MOST_BYTES);
    let small = events.iter().take(MOST_EVENTS).take_while(|event| is_small(event)).count();
    &events[..small]
}

impl Explorer for Predicting {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        let predicted = self.predicted.pop_front();
        self.is_predicted = predicted.is_some();
        match predicted {
            Some(steps) => {
                plan.clear();
                plan.steps = steps;
                true
            }
            None => self.drawn.next_plan(plan),
        }
    }

    fn learn(&mut self, trace: &Trace) {
        if !self.is_predicted {
            self.drawn.learn(trace);
            self.predict(&trace.events);
        }
    }

    fn lose(&mut self) {
        if !self.is_predicted {
            self.drawn.lose();
        }
    }

    fn estimated_total(&self) -> Option<f64> {
        self.drawn.estimated_total()
    }

    fn sampled(&self) -> Option<SampledRuns> {
        self.drawn.sampled()
    }
}
