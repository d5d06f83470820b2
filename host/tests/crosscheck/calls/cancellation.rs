//! What of the model is about threads that are cancelled.

use super::oracle::Oracle;
use super::program::{Statement, Topic};
use super::state::State;

/// The phase of a statement behind the look for a request, where these have an effect at any time.
const HAS_LOOKED: u8 = 1;
/// The thread has changed its settings.
const CHANGED: u8 = 2;

/// The thread is cancelled, if that was requested.
pub(super) fn cancelled(state: &State, thread: usize) -> Option<State> {
    let mut next = state.clone();
    if !state.requested[thread] || state.uncancellable[thread] {
        return None;
    }
    next.cancelled[thread] = true;
    next.handled[thread] += 1;
    Some(next)
}

/// Whether a request has an effect at any time.
fn is_asynchronous(state: &State, thread: usize) -> bool {
    state.asynchronous[thread] && !state.uncancellable[thread]
}

impl Oracle<'_> {
    /// A wait that a request to cancel the thread ends: looks for one, then waits for either.
    pub(super) fn wait_or_cancel(
        &self,
        state: &State,
        thread: usize,
        granted: &dyn Fn(&State) -> Option<State>,
    ) -> Vec<State> {
        let cancelled = cancelled(state, thread);
        if self.program.topic != Topic::Cancellation {
            return granted(state).into_iter().collect();
        }
        if state.phase[thread] == 0 {
            return vec![cancelled.unwrap_or_else(|| state.clone().in_phase(thread, 1))];
        }
        granted(state).into_iter().chain(cancelled).collect()
    }

    /// A statement of a thread that may be cancelled at any time: a look for a request comes before it.
    pub(super) fn at_any_time(&self, state: &State, thread: usize) -> Option<Vec<State>> {
        if self.program.topic != Topic::Cancellation || !is_asynchronous(state, thread) || state.phase[thread] > 0 {
            return None;
        }
        Some(vec![cancelled(state, thread).unwrap_or_else(|| state.clone().in_phase(thread, HAS_LOOKED))])
    }

    /// Changes where requests have an effect. Those that are there afterwards have it.
    pub(super) fn settings(&self, state: &State, thread: usize, statement: Statement) -> Vec<State> {
        let mut next = state.clone();
        if state.phase[thread] == CHANGED {
            return vec![cancelled(state, thread).unwrap_or_else(|| next.next(thread))];
        }
        match statement {
            Statement::Cancellable(on) => next.uncancellable[thread] = !on,
            Statement::Asynchronous(on) => next.asynchronous[thread] = on,
            other => unreachable!("{other:?}"),
        }
        vec![if is_asynchronous(&next, thread) { next.in_phase(thread, CHANGED) } else { next.next(thread) }]
    }

    /// The end of a thread: one that may be cancelled at any time looks for a request behind its cleanup handler.
    pub(super) fn end(&self, state: &State, thread: usize) -> Vec<State> {
        if self.program.topic == Topic::Sync {
            return self.end_with_objects(state, thread);
        }
        let mut ways = vec![state.clone().next(thread)];
        if is_asynchronous(state, thread)
            && let Some(cancelled) = cancelled(state, thread)
        {
            let mut without = cancelled.clone();
            without.handled[thread] = state.handled[thread];
            ways = if self.loose { vec![ways.remove(0), cancelled, without] } else { vec![without] };
        }
        ways
    }

    /// Thread 2 joins thread 1, in place of main.
    pub(super) fn join_early(&self, state: &State, thread: usize) -> Vec<State> {
        self.wait_or_cancel(state, thread, &|state| {
            let mut next = state.clone();
            next.over[1] = true;
            self.has_ended(state, 1).then(|| next.noting(thread, 1 + u64::from(state.cancelled[1])))
        })
    }
}
