//! Distributed dynamic partial-order reduction: persistent sets, for workers that share a search with little
//! synchronisation.
//!
//! Yu Yang, Xiaofang Chen, Ganesh Gopalakrishnan, Robert M. Kirby: "Distributed Dynamic Partial Order Reduction Based
//! Verification of Threaded Software", SPIN 2007; Yang's dissertation, chapter 6. Claim: with backtrack sets that grow one race
//! at a time, workers that were given different branches of a state find out, each for itself, that a third is to be tried
//! there, and both try it. If each event adds at once to all states whose event it depends on, and not to the last one only
//! (figure 6.9), what there is to do is known before it is shared, and hardly anything is done twice.
//!
//! Departures:
//! - What `dpor` does beyond its papers (see there) is done here as well.
//! - Figure 6.9 is about pairs that may be enabled together; here all dependent pairs count, see `look_everywhere`.
//! - Sleep sets go along with a branch: what was explored in its state before, or is being explored, sleeps in it. Since
//!   they name addresses, workers need to have the same ones.

use super::backtrack::{Backtracking, Reaction, State};
use super::dpor::PersistentSets;
use super::{Divisible, Explorer, Item};
use crate::event::{Plan, Trace};
use crate::order::{EventId, Path};

#[derive(Debug, Default)]
struct Distributed {
    /// Figure 2.1 in place of figure 6.9.
    original: bool,
}

impl Reaction for Distributed {
    fn react(path: &Path, states: &mut [State], at: u32, later: EventId, past: &[u32]) {
        PersistentSets::react(path, states, at, later, past);
    }

    fn looks_everywhere(&self) -> bool {
        !self.original
    }
}

/// The search.
#[derive(Debug, Default)]
pub struct Ddpor(Backtracking<Distributed>);

impl Ddpor {
    /// A search that has not begun.
    pub fn new() -> Self {
        Ddpor::default()
    }

    /// The same with the backtrack sets of the sequential search: workers repeat each other's work.
    pub fn with_original_sets() -> Self {
        Ddpor(Backtracking::new(Distributed { original: true }))
    }
}

impl Explorer for Ddpor {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        self.0.next_plan(plan)
    }

    fn learn(&mut self, trace: &Trace) {
        self.0.learn(trace);
    }

    fn lose(&mut self) {
        self.0.lose();
    }

    fn estimated_total(&self) -> Option<f64> {
        self.0.estimated_total()
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        Some(self)
    }
}

impl Divisible for Ddpor {
    fn begin(&mut self, item: Item) {
        self.0.begin_item(item);
    }

    fn open(&self) -> usize {
        self.0.open_items()
    }

    fn give(&mut self) -> Option<Item> {
        self.0.give_item()
    }

    fn save(&mut self, take: &mut dyn FnMut(Item)) {
        self.0.save_items(take);
    }

    fn covered(&self) -> f64 {
        self.0.covered()
    }
}
