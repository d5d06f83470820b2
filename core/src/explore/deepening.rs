//! Iterative deepening: a bounded search, repeated with every larger bound up to a last one.
//!
//! Madanlal Musuvathi, Shaz Qadeer: "Iterative Context Bounding for Systematic Testing of Multithreaded Programs", PLDI
//! 2007. Claim: most bugs show with few preemptions, and the first run that shows a bug has the fewest preemptions of
//! all runs that show it.
//!
//! Departure: the paper keeps the work of the next bound in a queue; here each bound begins anew, so what needs few
//! preemptions is run again, and counted again, with every larger bound. The number of executions grows with the bound,
//! so most of them are made with the last one.

use super::Explorer;
use crate::event::{Plan, Trace};
use alloc::boxed::Box;

/// A bounded search with one bound after the other.
pub struct Deepening {
    make: fn(u32) -> Box<dyn Explorer>,
    bound: u32,
    last: u32,
    /// Runs made with smaller bounds, and with this one.
    before: u64,
    made: u64,
    search: Box<dyn Explorer>,
}

impl Deepening {
    /// Searches with every bound from `first` to `last`, which `make` makes, and ends early if a bound has cut nothing.
    pub fn new(make: fn(u32) -> Box<dyn Explorer>, first: u32, last: u32) -> Self {
        Deepening { make, bound: first, last, before: 0, made: 0, search: make(first) }
    }
}

impl Explorer for Deepening {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        while !self.search.next_plan(plan) {
            if self.bound >= self.last || !self.search.bound_cut() {
                return false;
            }
            self.bound += 1;
            self.before += core::mem::take(&mut self.made);
            self.search = (self.make)(self.bound);
        }
        true
    }

    fn learn(&mut self, trace: &Trace) {
        self.made += 1;
        self.search.learn(trace);
    }

    fn lose(&mut self) {
        self.made += 1;
        self.search.lose();
    }

    /// Counts the runs up to the present bound; those of larger bounds are not estimated.
    fn estimated_total(&self) -> Option<f64> {
        Some(self.before as f64 + self.search.estimated_total()?)
    }

    fn states(&self) -> Option<u64> {
        self.search.states()
    }

    fn bound_cut(&self) -> bool {
        self.search.bound_cut()
    }

    fn bound(&self) -> Option<u32> {
        Some(self.bound)
    }
}
