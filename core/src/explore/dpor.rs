//! Dynamic partial-order reduction with persistent sets and sleep sets, the algorithm of the Inspect papers.
//!
//! Cormac Flanagan, Patrice Godefroid: "Dynamic Partial-Order Reduction for Model Checking Software", POPL 2005; Yu
//! Yang, Xiaofang Chen, Ganesh Gopalakrishnan: "Inspect: A Runtime Model Checker for Multithreaded C Programs",
//! technical report UUCS-08-004, University of Utah 2008 (figure 2). Claim: take the last earlier event that is
//! dependent and may be co-enabled with an event of thread p, and that does not happen before an earlier event of p. If
//! the state before it gets p, or a thread that has to go before p, or every enabled thread, then the backtrack sets
//! are persistent. Every trace is visited; some more than once, and some runs are blocked by sleep sets.
//!
//! Departures:
//! - As published, with sleep sets, the claim fails: a thread in a backtrack set that sleeps there is not run, and the
//!   races it would have shown are not found in that state. (Writer w, readers r and s, where s comes after an
//!   operation o of its thread: with o explored and asleep after r, and w asleep after o, the order r w s is never
//!   run.) So every immediate race counts, not the last one only, and beside the papers' backtrack points, an initial
//!   of the reversed continuation is in the set: the condition of source sets, for which the claim is proved together
//!   with sleep sets (POPL 2014, theorem 3; the proof allows for larger sets).
//! - The papers exclude pairs that hold a common lock by comparing locksets. Here the clocks have an edge from each
//!   unlock to the next lock, and if both events are executed under one lock, that edge orders them, so the check could
//!   exclude nothing more and is left out. A lock races with the lock with which the hold before it began.
//! - Operations that are blocked at the end of a run race as well (`unexecuted`).

use super::backtrack::Backtracking;
use super::backtrack_points::{BacktrackPoints, BacktrackState};
use super::initials::{initials, initials_beyond};
use super::source::begin_with_one_of;
use crate::event::ThreadSet;
use crate::order::{EventId, Path};

/// Fills the backtrack sets.
#[derive(Debug, Default)]
pub struct PersistentSets;

impl BacktrackPoints for PersistentSets {
    fn add(path: &Path, states: &mut [BacktrackState], at: u32, later: EventId, past: &[u32]) {
        let state = &mut states[at as usize];
        let own = path.node(later).thread;
        // The later event can come before the earlier one only if one of these threads goes first.
        let mut needed = ThreadSet::only(own);
        for &event in &path.events()[at as usize + 1..] {
            if path.counts(past, event) {
                needed.insert(path.node(event).thread);
            }
        }
        let possible = needed.intersection(state.enabled);
        if possible.is_empty() {
            state.backtrack = state.backtrack.union(state.enabled);
        } else if possible.intersection(state.backtrack).is_empty() {
            let preferred = if possible.contains(own) { Some(own) } else { possible.first() };
            state.backtrack.insert(preferred.expect("not empty"));
        }
        let initials = initials(path, at, later, past);
        if initials.intersection(state.backtrack).is_empty() {
            state.backtrack.insert(initials.first().expect("a continuation has an initial"));
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
        let own = path.node(later).thread;
        let mut needed = ThreadSet::only(own);
        needed.insert(path.node(beginning).thread);
        for &event in &path.events()[at as usize + 1..] {
            if path.counts(past, event) {
                needed.insert(path.node(event).thread);
            }
        }
        let state = &mut states[at as usize];
        begin_with_one_of(state, needed, own);
        let past = if later == beginning { past } else { path.clock(beginning) };
        begin_with_one_of(state, initials_beyond(path, at, beginning, past), own);
    }
}

/// A search by dynamic partial-order reduction with persistent sets.
pub type Dpor = Backtracking<PersistentSets>;

impl Dpor {
    /// A search that has not begun.
    pub fn new() -> Self {
        Dpor::default()
    }

    /// A search that tries only one of several symmetric threads (`explore::symmetry`).
    pub fn with_symmetry() -> Self {
        Backtracking::by_symmetry(PersistentSets, false)
    }

    /// A search with a seeded bug: nothing wakes a sleeping thread.
    #[cfg(feature = "model")]
    pub fn broken() -> Self {
        Backtracking::without_waking(PersistentSets)
    }

    /// A search with a seeded bug: no races of a pruned symmetric thread are reversed.
    #[cfg(feature = "model")]
    pub fn broken_symmetry() -> Self {
        Backtracking::by_symmetry(PersistentSets, true)
    }
}
