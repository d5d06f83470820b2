//! Minimises a run that shows a finding: looks for runs with fewer preemptions that show it, too.
//!
//! First comes the run itself, then an equivalent one with few switches ([`simplified`], Huang and Zhang, SAS 2011);
//! then everything within 0, 1, 2, ... preemptions, below what these two needed (Musuvathi and Qadeer, PLDI 2007, see
//! [`Deepening`]). So the first run of the last part that shows the finding has the fewest preemptions of all; if no
//! run of that part shows it, the better one of the two before has.
//!
//! The idea to reduce the switches of a trace for the sake of its reader is that of Nicholas Jalbert, Koushik Sen: "A
//! Trace Simplification Technique for Effective Debugging of Concurrent Programs", FSE 2010. They remove and move
//! parts of the trace and run the program with what is left, which yields fewer switches but not the fewest, and
//! nothing is proved. Departure: here equivalent runs and bounded searches do it, as a bounded search ends with a
//! proof. Where there is no time for it, the equivalent run is what is left.
//!
//! The caller makes the runs, decides whether one shows the finding, and ends the search at the first such run of the
//! last part.

use super::Explorer;
use super::bounded::Bounded;
use super::deepening::Deepening;
use crate::event::{Ending, Plan, Step, Trace};
use crate::order::{preemptions, simplified};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// The parts of the search.
enum Part {
    /// The run that is to be minimised.
    Given(Vec<Step>),
    /// An equivalent one; how many preemptions the run before had.
    Simplified(Vec<Step>, u32),
    /// Everything within growing bounds, the last of which is the second number less one.
    Bounded(Deepening, u32),
    /// Nothing is left: everything below this number of preemptions was covered.
    Over(u32),
}

/// A search for a run with fewer preemptions that shows the same finding.
pub struct Minimise(Part);

impl Minimise {
    /// Begins with the run of these steps.
    pub fn new(steps: &[Step]) -> Self {
        Minimise(Part::Given(steps.to_vec()))
    }

    /// Begins with the bounded searches: everything with less than `fewest` preemptions.
    pub fn below(fewest: u32) -> Self {
        Minimise(match fewest.checked_sub(1) {
            Some(last) => Part::Bounded(Deepening::new(|bound| Box::new(Bounded::new(bound)), 0, last), fewest),
            None => Part::Over(0),
        })
    }
}

impl Explorer for Minimise {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        plan.clear();
        match &mut self.0 {
            Part::Given(steps) | Part::Simplified(steps, _) => plan.steps.extend_from_slice(steps),
            Part::Bounded(search, fewest) => {
                if !search.next_plan(plan) {
                    self.0 = Part::Over(*fewest);
                    return false;
                }
            }
            Part::Over(_) => return false,
        }
        true
    }

    fn learn(&mut self, trace: &Trace) {
        let diverged = matches!(trace.ending, Ending::Diverged(_));
        *self = match &mut self.0 {
            Part::Bounded(search, _) => return search.learn(trace),
            Part::Given(_) if !diverged => match preemptions(&trace.events) {
                0 => Minimise::below(0),
                made => Minimise(Part::Simplified(simplified(trace), made)),
            },
            Part::Simplified(_, made) if !diverged => Minimise::below(preemptions(&trace.events).min(*made)),
            Part::Simplified(_, made) => Minimise::below(*made),
            Part::Given(_) | Part::Over(_) => Minimise(Part::Over(0)),
        };
    }

    fn lose(&mut self) {
        match &mut self.0 {
            Part::Bounded(search, _) => search.lose(),
            Part::Simplified(_, made) => *self = Minimise::below(*made),
            Part::Given(_) | Part::Over(_) => self.0 = Part::Over(0),
        }
    }

    fn estimated_total(&self) -> Option<f64> {
        match &self.0 {
            Part::Bounded(search, _) => search.estimated_total(),
            Part::Given(_) | Part::Simplified(..) | Part::Over(_) => None,
        }
    }

    fn bound(&self) -> Option<u32> {
        match &self.0 {
            Part::Bounded(search, _) => search.bound(),
            Part::Over(fewest) => Some(*fewest),
            Part::Given(_) | Part::Simplified(..) => None,
        }
    }
}
