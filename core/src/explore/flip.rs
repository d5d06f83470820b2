//! Race detection and flipping, with postponed and delayed sets.
//!
//! Koushik Sen, Gul Agha: "A Race-Detection and Flipping Algorithm for Automated Testing of Multi-Threaded Programs",
//! Haifa Verification Conference 2006; Koushik Sen: "Dynamic Partial Order Reduction", lecture slides, UC Berkeley.
//! Claim: when an event races with a later one, its thread is postponed in the state before it; it is enough to go on
//! there with any one enabled thread that is not postponed, and again if that one's event races too. Which thread does
//! not matter: if it does not lead to the later event first, the postponed thread's event races again further down.
//! With delayed (sleep) sets, what was explored from a state is not explored again below its later branches.
//!
//! Departures:
//! - The slides postpone a thread at once and pick the next branch from the end of the path; here the state remembers
//!   that the event of the thread it tries at present has raced, which is the same set, written down once.
//! - A thread that is asleep is not picked: what begins with it is covered. If all that are left sleep, nothing is
//!   left.
//! - A lock races with the lock that began the hold before it; operations pending at the end of a run race as well; an
//!   operation with alternatives is postponed after all of its alternatives have been tried.

use super::backtrack::{BacktrackPoints, BacktrackState, Backtracking};
use crate::event::ThreadId;
use crate::order::{EventId, Path};

/// Postpones threads whose events race.
#[derive(Debug, Default)]
pub struct Postponing {
    /// Nothing is delayed: the slides' first version.
    eager: bool,
    /// For tests that are to fail: a second thread ends the state even if its event raced.
    hasty: bool,
}

impl BacktrackPoints for Postponing {
    fn add(_: &Path, states: &mut [BacktrackState], at: u32, _: EventId, _: &[u32]) {
        states[at as usize].raced = true;
    }

    /// A thread that has been tried without a race ends the state; otherwise it is postponed, and any other goes.
    fn next(&self, state: &BacktrackState) -> Option<ThreadId> {
        let postponed = state.raced && !(self.hasty && state.done.len() > 1);
        if postponed { state.enabled.minus(state.done).first() } else { None }
    }

    fn uses_sleep_sets(&self) -> bool {
        !self.eager
    }
}

/// The search.
pub type Flip = Backtracking<Postponing>;

impl Flip {
    /// A search that has not begun.
    pub fn new() -> Self {
        Flip::default()
    }

    /// The same without delayed sets: every trace is visited, many of them again and again.
    pub fn without_delayed_sets() -> Self {
        Backtracking::with(Postponing { eager: true, ..Postponing::default() })
    }

    /// A wrong search, which the tests have to catch: it postpones one thread in each state and no second one.
    #[cfg(feature = "model")]
    pub fn broken() -> Self {
        Backtracking::with(Postponing { hasty: true, ..Postponing::default() })
    }
}
