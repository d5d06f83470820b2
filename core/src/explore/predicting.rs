//! Prediction: a few runs are drawn by chance, and what other orders of their events would show is tried next.
//!
//! Umang Mathur, Andreas Pavlogiannis, Mahesh Viswanathan: "Optimal Prediction of Synchronization-Preserving Races",
//! POPL 2021; Hünkar Can Tunç, Umang Mathur, Andreas Pavlogiannis, Mahesh Viswanathan: "Sound Dynamic Deadlock
//! Prediction in Linear Time", PLDI 2023. Claim: what is predicted from a run can happen. So a race or a deadlock is
//! found from a run that does not show it, if the order of critical sections of that run allows it.
//!
//! Departures: a prediction is no finding. A run is made that begins with the steps of the prediction, and only what
//! that run shows is reported. So predictions that are not certain are tried as well, of orders in which reads find
//! something else or critical sections change places. Of a long run only the beginning is looked at. Each race and each
//! deadlock, known by the source locations of its operations, is predicted once, unless it becomes more certain.

use super::{Explorer, SampledRuns, Sampling, SamplingOptions};
use crate::event::{Event, Plan, Step, Strategy, Trace};
use crate::predict::{Needs, Predictor};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// How many runs are drawn unless the user says it.
const RUNS: u64 = 100;
/// The most events of a run that are looked at.
const MOST_EVENTS: usize = 8_000;
/// The most words of eight bytes that these events may touch, each counted as often as it is touched.
const MOST_WORDS: u64 = 64_000;

/// A search that samples and predicts.
#[derive(Debug)]
pub struct Predicting {
    drawn: Sampling,
    /// Runs still to be made, of predictions.
    predicted: VecDeque<Vec<Step>>,
    /// The last plan was that of a prediction.
    is_predicted: bool,
    predictor: Predictor,
}

impl Predicting {
    /// A search that draws as many runs as `options` say.
    pub fn new(seed: u64, options: &SamplingOptions) -> Self {
        let options = SamplingOptions { runs: options.runs.or(Some(RUNS)), ..*options };
        Predicting {
            drawn: Sampling::new(Strategy::Random, seed, &options),
            predicted: VecDeque::new(),
            is_predicted: false,
            predictor: Predictor::new(),
        }
    }

    fn predict(&mut self, events: &[Event]) {
        let needs = Needs::new(beginning(events));
        self.predicted.extend(self.predictor.predict(&needs).into_iter().map(|prediction| prediction.steps));
    }
}

/// The events at the beginning of a run that are looked at.
fn beginning(events: &[Event]) -> &[Event] {
    let mut words = 0;
    let fits = |event: &&Event| {
        words += event.operation.footprint().iter().map(|(range, _)| u64::from(range.len) / 8 + 1).sum::<u64>();
        words <= MOST_WORDS
    };
    let number = events.iter().take(MOST_EVENTS).take_while(fits).count();
    &events[..number]
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
