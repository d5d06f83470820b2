//! Source sets with sleep sets.
//!
//! Parosh Abdulla, Stavros Aronis, Bengt Jonsson, Konstantinos Sagonas: "Optimal Dynamic Partial Order Reduction", POPL
//! 2014 (algorithm 1). Claim: it is enough that every trace from a state begins, up to equivalence, with some thread of
//! the state's source set; for each race, if no initial of the reversed continuation is in the set, one of them is
//! added. (An initial is a thread with which the continuation, or an equivalent one, begins.) Every trace is visited;
//! some runs may be blocked by sleep sets.
//!
//! Departures: a lock races with the lock that began the hold before it, since the unlock between them enables the
//! lock; operations that are blocked at the end of a run race as well (`unexecuted`); an operation with alternatives
//! sleeps alternative by alternative.

use super::backtrack::Backtracking;
use super::backtrack_points::{BacktrackPoints, BacktrackState};
use super::initials::{initials, initials_beyond};
use crate::event::{ThreadId, ThreadSet};
use crate::order::{EventId, Path};

/// Fills the backtrack sets.
#[derive(Debug, Default)]
pub struct SourceSets;

impl BacktrackPoints for SourceSets {
    fn add(path: &Path, states: &mut [BacktrackState], at: u32, later: EventId, past: &[u32]) {
        let initials = initials(path, at, later, past);
        let state = &mut states[at as usize];
        if initials.intersection(state.backtrack).is_empty() {
            let own = path.node(later).thread;
            let preferred = if initials.contains(own) { Some(own) } else { initials.first() };
            state.backtrack.insert(preferred.expect("a continuation has an initial"));
        }
    }

    fn add_for_symmetric(
        path: &Path,
        states: &mut [BacktrackState],
        at: u32,
        later: EventId,
        past: &[u32],
        beginning: EventId,
    ) {
        let past = if later == beginning { past } else { path.clock(beginning) };
        begin_with_one_of(
            &mut states[at as usize],
            initials_beyond(path, at, beginning, past),
            path.node(later).thread,
        );
    }
}

/// Adds one of the initials of a continuation to the backtrack set, unless the set has one; `preferred`, if it is one
/// of them. If no initial is enabled, adds every enabled thread: the pair of events need not be a race, and then the
/// continuation cannot be executed as it is.
pub(super) fn begin_with_one_of(state: &mut BacktrackState, initials: ThreadSet, preferred: ThreadId) {
    let possible = initials.intersection(state.enabled);
    if possible.is_empty() {
        state.backtrack = state.backtrack.union(state.enabled);
    } else if possible.intersection(state.backtrack).is_empty() {
        let chosen = if possible.contains(preferred) { Some(preferred) } else { possible.first() };
        state.backtrack.insert(chosen.expect("not empty"));
    }
}

/// A search with source sets.
pub type Source = Backtracking<SourceSets>;

impl Source {
    /// A search that has not begun.
    pub fn new() -> Self {
        Source::default()
    }

    /// A search that tries only one of several symmetric threads (`explore::symmetry`).
    pub fn with_symmetry() -> Self {
        Backtracking::by_symmetry(SourceSets, false)
    }

    /// A search with a seeded bug: nothing wakes a sleeping thread.
    #[cfg(feature = "model")]
    pub fn broken() -> Self {
        Backtracking::without_waking(SourceSets)
    }

    /// A search with a seeded bug: no races of a pruned symmetric thread are reversed.
    #[cfg(feature = "model")]
    pub fn broken_symmetry() -> Self {
        Backtracking::by_symmetry(SourceSets, true)
    }
}
