//! Backtrack sets, and what an algorithm decides about them: which threads a race adds to the set of which state.

use crate::event::{ThreadId, ThreadSet};
use crate::order::{EventId, Path};

/// One state of the present path.
#[derive(Clone, Copy, Debug)]
pub struct BacktrackState {
    /// The enabled threads.
    pub(super) enabled: ThreadSet,
    /// The backtrack set: threads to be tried here.
    pub(super) backtrack: ThreadSet,
    /// Threads tried with every alternative that was awake.
    pub(super) done: ThreadSet,
    /// Whether the event of the thread tried at present races with a later one.
    pub(super) raced: bool,
    /// Where the operations asleep here begin in the search's list of them; they end where those of the next state
    /// begin.
    pub(super) asleep: u32,
    /// The thread tried at present is explored by another worker, see [`Item`](super::Item).
    pub(super) given_away: bool,
}

/// How an algorithm fills the backtrack sets: the backtrack points that races call for.
pub trait BacktrackPoints {
    /// Adds backtrack points to the state before position `at` for the race of the event there with `later`, which is
    /// drafted as the next event of the path. `past` is a clock: it counts what happens before `later` even without the
    /// dependence of `later` on the event at `at`.
    fn add(path: &Path, states: &mut [BacktrackState], at: u32, later: EventId, past: &[u32]);

    /// Adds backtrack points to the state before position `at` for the race of the event there with `later`. No run has
    /// executed `later`: by symmetry, some execution through the state at the end of the path contains it, perhaps
    /// after other events beyond the path. The clock, the fifth parameter, counts some of the events that happen before
    /// `later`, and none that happens after the event at `at`. `_beginning` is a minimal one of the events beyond the
    /// path that happen before `later`, drafted with its complete clock; it is `later` if there are none. By default
    /// every enabled thread is added.
    fn add_for_symmetric(_: &Path, states: &mut [BacktrackState], at: u32, _: EventId, _: &[u32], _beginning: EventId) {
        let state = &mut states[at as usize];
        state.backtrack = state.backtrack.union(state.enabled);
    }

    /// The thread to be tried next in a state; one that is asleep is skipped.
    fn next(&self, state: &BacktrackState) -> Option<ThreadId> {
        state.backtrack.minus(state.done).first()
    }

    /// Whether an event counts as racing with every earlier one on which it depends, even if a third event orders the
    /// two.
    fn uses_all_dependent_events(&self) -> bool {
        false
    }

    /// Whether parts of the search can be given away.
    fn can_be_divided(&self) -> bool {
        false
    }

    /// Whether the search has sleep sets.
    fn uses_sleep_sets(&self) -> bool {
        true
    }
}
