//! Race detection and flipping, with postponed and delayed sets.
//!
//! Koushik Sen, Gul Agha: "A Race-Detection and Flipping Algorithm for Automated Testing of Multi-Threaded Programs",
//! Haifa Verification Conference 2006; Koushik Sen: "Dynamic Partial Order Reduction", lecture slides, UC Berkeley.
//! Claim: when an event races with a later one, its thread is postponed in the state before it; it is enough to go on
//! there with any one enabled thread that is not postponed, and with another if that one's event races too. Any thread
//! will do: if it does not lead to the later event first, the postponed thread's event races again in a later state.
//! With delayed (sleep) sets, what was explored from a state is not explored again below its later branches.
//!
//! Departures:
//! - The slides postpone a thread at once and take the next branch from the end of the path; here the state records
//!   that the event of the thread tried at present has raced, and the thread is postponed when the search comes back.
//! - A thread that is asleep is not tried: what begins with it has been explored. If all threads that are left sleep,
//!   the state is done.
//! - A lock races with the lock that began the hold before it; operations that are blocked at the end of a run race as
//!   well (`unexecuted`); an operation with alternatives is postponed after all of its alternatives have been tried.

use super::backtrack::Backtracking;
use super::backtrack_points::{BacktrackPoints, BacktrackState};
use crate::event::ThreadId;
use crate::order::{EventId, Path};

/// Postpones threads whose events race.
#[derive(Debug, Default)]
pub struct Postponing {
    /// The search has no delayed sets: the slides' first version.
    eager: bool,
    /// Seeded bug: a state is done after its second thread even if that one's event raced.
    hasty: bool,
}

impl BacktrackPoints for Postponing {
    fn add(_: &Path, states: &mut [BacktrackState], at: u32, _: EventId, _: &[u32]) {
        states[at as usize].raced = true;
    }

    /// The state is done when a thread was tried whose event did not race; until then, any thread that was not tried.
    fn next(&self, state: &BacktrackState) -> Option<ThreadId> {
        let postponed = state.raced && !(self.hasty && state.done.len() > 1);
        if postponed { state.enabled.minus(state.done).first() } else { None }
    }

    fn uses_sleep_sets(&self) -> bool {
        !self.eager
    }
}

/// A search by race detection and flipping.
pub type Flip = Backtracking<Postponing>;

impl Flip {
    /// A search that has not begun.
    pub fn new() -> Self {
        Flip::default()
    }

    /// A search without delayed sets: every trace is visited, many of them again and again.
    pub fn without_delayed_sets() -> Self {
        Backtracking::with(Postponing { eager: true, ..Postponing::default() })
    }

    /// A search with a seeded bug: it postpones one thread in each state and no second one.
    #[cfg(feature = "model")]
    pub fn broken() -> Self {
        Backtracking::with(Postponing { hasty: true, ..Postponing::default() })
    }
}
