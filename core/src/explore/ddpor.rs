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

use super::backtrack::{BacktrackPoints, BacktrackState, Backtracking};
use super::dpor::PersistentSets;
use crate::order::{EventId, Path};

/// Fills the backtrack sets.
#[derive(Debug, Default)]
pub struct Distributed {
    /// Figure 2.1 in place of figure 6.9.
    original: bool,
}

impl BacktrackPoints for Distributed {
    fn add(path: &Path, states: &mut [BacktrackState], at: u32, later: EventId, past: &[u32]) {
        PersistentSets::add(path, states, at, later, past);
    }

    fn uses_all_dependent_events(&self) -> bool {
        !self.original
    }

    fn can_be_divided(&self) -> bool {
        true
    }
}

/// The search.
pub type Ddpor = Backtracking<Distributed>;

impl Ddpor {
    /// A search that has not begun.
    pub fn new() -> Self {
        Ddpor::default()
    }

    /// The same with the backtrack sets of the sequential search: workers repeat each other's work.
    pub fn with_original_sets() -> Self {
        Backtracking::with(Distributed { original: true })
    }
}
