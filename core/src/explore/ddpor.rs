//! Distributed dynamic partial-order reduction: persistent sets, for workers that share a search with little
//! synchronisation.
//!
//! Yu Yang, Xiaofang Chen, Ganesh Gopalakrishnan, Robert M. Kirby: "Distributed Dynamic Partial Order Reduction Based
//! Verification of Threaded Software", SPIN 2007; Yu Yang: "Dynamic Verification of Multithreaded Programs",
//! dissertation, University of Utah 2009, chapter 6. Claim: if backtrack sets grow one race at a time, two workers that
//! explore different branches of a state both find that a third branch is needed there, and both explore it. If instead
//! each event adds a backtrack point at once to every state whose event it depends on, and not to the last such state
//! only (figure 6.9), the branches are known before they are shared, and hardly any is explored twice.
//!
//! Departures:
//! - The departures of `dpor` from its papers apply here as well.
//! - Figure 6.9 considers pairs that may be enabled together; here all dependent pairs count (`find_all_dependent`).
//! - A branch is given away with its sleep set: what was explored in its state before, or is being explored, sleeps in
//!   it. Since sleeping operations name addresses, all workers have to have the same addresses.

use super::backtrack::Backtracking;
use super::backtrack_points::{BacktrackPoints, BacktrackState};
use super::dpor::PersistentSets;
use crate::order::{EventId, Path};

/// To which states an event adds backtrack points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BacktrackSets {
    /// To each state before an event that it depends on (the dissertation's figure 6.9).
    #[default]
    Aggressive,
    /// To the last of these states, as in the sequential search (figure 2.1).
    Original,
}

/// Fills the backtrack sets.
#[derive(Debug, Default)]
pub struct Distributed {
    sets: BacktrackSets,
}

impl BacktrackPoints for Distributed {
    fn add(path: &Path, states: &mut [BacktrackState], at: u32, later: EventId, past: &[u32]) {
        PersistentSets::add(path, states, at, later, past);
    }

    fn uses_all_dependent_events(&self) -> bool {
        match self.sets {
            BacktrackSets::Aggressive => true,
            BacktrackSets::Original => false,
        }
    }

    fn can_be_divided(&self) -> bool {
        true
    }
}

/// A search by distributed dynamic partial-order reduction.
pub type Ddpor = Backtracking<Distributed>;

impl Ddpor {
    /// A search that has not begun.
    pub fn new() -> Self {
        Ddpor::default()
    }

    /// A search that fills its backtrack sets like this. With the [original](BacktrackSets::Original) ones, workers
    /// repeat each other's work.
    pub fn with_sets(sets: BacktrackSets) -> Self {
        Backtracking::with(Distributed { sets })
    }
}
