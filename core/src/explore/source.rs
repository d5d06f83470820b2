//! Source sets with sleep sets.
//!
//! Parosh Abdulla, Stavros Aronis, Bengt Jonsson, Konstantinos Sagonas: "Optimal Dynamic Partial Order Reduction",
//! POPL 2014 (algorithm 1). Claim: it is enough that every trace from a state begins, up to equivalence, with some
//! thread of the state's source set; for each race, if none of the threads with which the reversed continuation can
//! begin is in the set, one of them is added. Every trace is visited; some runs may be blocked by sleep sets.
//!
//! Departures: a lock races with the lock that began the hold before it, since the unlock between them is an
//! enabling; operations pending at the end of a run race as well; an operation with alternatives sleeps alternative
//! by alternative.

use super::backtrack::{BacktrackPoints, BacktrackState, Backtracking};
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
            state.backtrack.insert(preferred.expect("a continuation begins with somebody"));
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

/// Has one of the threads tried that can begin a continuation, unless that is so; a race that is none after all may have
/// nobody who could.
pub(super) fn begin_with_one_of(state: &mut BacktrackState, initials: ThreadSet, preferred: ThreadId) {
    let possible = initials.intersection(state.enabled);
    if possible.is_empty() {
        state.backtrack = state.backtrack.union(state.enabled);
    } else if possible.intersection(state.backtrack).is_empty() {
        let chosen = if possible.contains(preferred) { Some(preferred) } else { possible.first() };
        state.backtrack.insert(chosen.expect("not empty"));
    }
}

/// The threads with which the continuation from position `at` can begin once the race of the event there with `later`
/// is reversed. The continuation is what does not come after the earlier event, then the later one; a thread can
/// begin it if nothing in it comes before the thread's first event in it.
pub(super) fn initials(path: &Path, at: u32, later: EventId, past: &[u32]) -> ThreadSet {
    let (mut initials, seen) = known_initials(path, at);
    let own = path.node(later).thread;
    if !seen.contains(own) && first(path, at, later, past, seen) {
        initials.insert(own);
    }
    initials
}

/// The same if what comes before the later event reaches beyond the path, where it begins with `beginning`: of those who
/// can begin the continuation, the ones that are known.
pub(super) fn initials_beyond(path: &Path, at: u32, beginning: EventId, past: &[u32]) -> ThreadSet {
    let (mut initials, seen) = known_initials(path, at);
    let thread = path.node(beginning).thread;
    if !seen.contains(thread) && first(path, at, beginning, past, seen) {
        initials.insert(thread);
    }
    initials
}

/// The same as far as the path tells, whatever comes after it, and the threads that have an event in the part of the
/// continuation that the path tells.
pub(super) fn known_initials(path: &Path, at: u32) -> (ThreadSet, ThreadSet) {
    let earlier = path.events()[at as usize];
    let (mut initials, mut seen) = (ThreadSet::EMPTY, ThreadSet::EMPTY);
    for &event in &path.events()[at as usize + 1..] {
        let thread = path.node(event).thread;
        let clock = path.clock(event);
        if path.counts(clock, earlier) {
            continue;
        }
        if !seen.contains(thread) && first(path, at, event, clock, seen) {
            initials.insert(thread);
        }
        seen.insert(thread);
    }
    (initials, seen)
}

/// Whether no event between position `at` and `event`, by the threads `seen` in the continuation, comes before `event`,
/// whose past is `clock`.
fn first(path: &Path, at: u32, event: EventId, clock: &[u32], seen: ThreadSet) -> bool {
    let end = (path.node(event).position as usize).min(path.len());
    path.events()[at as usize + 1..end].iter().all(|&other| {
        let thread = path.node(other).thread;
        !(seen.contains(thread) && path.counts(clock, other))
    })
}

/// The search.
pub type Source = Backtracking<SourceSets>;

impl Source {
    /// A search that has not begun.
    pub fn new() -> Self {
        Source::default()
    }

    /// The same, trying only one of several symmetric threads (`explore::symmetry`).
    pub fn with_symmetry() -> Self {
        Backtracking::by_symmetry(SourceSets, false)
    }

    /// A wrong search, which the tests have to catch: nothing wakes a sleeping thread.
    #[cfg(feature = "model")]
    pub fn broken() -> Self {
        Backtracking::without_waking(SourceSets)
    }

    /// A wrong search, which the tests have to catch: what is known of a thread passed over takes no effect.
    #[cfg(feature = "model")]
    pub fn broken_symmetry() -> Self {
        Backtracking::by_symmetry(SourceSets, true)
    }
}
