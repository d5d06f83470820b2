//! A mutex and a condition variable, of which waits can be cancelled: as data, as C, and as the model has them.

use super::errors::ETIMEDOUT;
use super::oracle::{Oracle, cancelled};
use super::state::State;

/// A call, or some of them with the mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    /// Takes the mutex, waits, for at most a time if so, and gives the mutex back by a cleanup handler.
    Wait(bool),
    /// `pthread_cond_signal` without the mutex.
    Signal,
    Broadcast,
    /// A signal by who has the mutex.
    Announce,
    /// Counts in a plain variable that the mutex guards.
    Count,
}

/// Phases of a wait, in their order: the thread is about to begin it, waits, was woken, has run out of time, or was
/// cancelled. In the last three it takes the mutex again.
const BEGINS: u8 = 1;
const JOINS: u8 = 2;
const WAITS: u8 = 3;
const WOKEN: u8 = 4;
const EXPIRED: u8 = 5;
const ENDS: u8 = 6;

/// A statement as C.
pub(super) fn source(call: Condition) -> String {
    let section =
        |inside: &str| format!("    pthread_mutex_lock(&mutex);\n    {inside};\n    pthread_mutex_unlock(&mutex);\n");
    match call {
        Condition::Wait(timed) => {
            let (name, time) = if timed { ("timedwait", ", &far") } else { ("wait", "") };
            format!(
                "    pthread_mutex_lock(&mutex);\n    pthread_cleanup_push(give_back, 0);\n    got = \
                 pthread_cond_{name}(&condition, &mutex{time});\n    note(self, got ? {ETIMEDOUT} : 1);\n    \
                 pthread_cleanup_pop(1);\n"
            )
        }
        Condition::Signal => "    pthread_cond_signal(&condition);\n".into(),
        Condition::Broadcast => "    pthread_cond_broadcast(&condition);\n".into(),
        Condition::Announce => section("pthread_cond_signal(&condition)"),
        Condition::Count => section("got = ++guarded") + "    note(self, 1 + got);\n",
    }
}

impl Oracle<'_> {
    pub(super) fn condition(&self, state: &State, thread: usize, call: Condition) -> Vec<State> {
        let mut next = state.clone();
        match call {
            Condition::Wait(timed) => self.wait_for_condition(state, thread, timed),
            Condition::Signal => signalled(state, thread),
            Condition::Broadcast => {
                waiters(state).for_each(|waiter| (next.phase[waiter], next.waits[waiter]) = (WOKEN, false));
                vec![next.next(thread)]
            }
            Condition::Announce | Condition::Count if state.locked => Vec::new(),
            Condition::Announce => signalled(state, thread),
            Condition::Count => {
                next.guarded += 1;
                let count = u64::from(next.guarded);
                vec![next.noting(thread, 1 + count)]
            }
        }
    }

    fn wait_for_condition(&self, state: &State, thread: usize, timed: bool) -> Vec<State> {
        let mut next = state.clone();
        let is_cancelled = cancelled(state, thread).is_some();
        match state.phase[thread] {
            0 | WOKEN | EXPIRED | ENDS if state.locked => Vec::new(),
            BEGINS if is_cancelled => {
                next.locked = false;
                vec![next.in_phase(thread, ENDS)]
            }
            BEGINS => vec![next.in_phase(thread, JOINS)],
            JOINS => {
                (next.locked, next.waits[thread]) = (false, true);
                vec![next.in_phase(thread, WAITS)]
            }
            WAITS => {
                let mut ways = Vec::new();
                if is_cancelled {
                    ways.push(left(state, thread, ENDS));
                }
                if timed {
                    ways.push(left(state, thread, EXPIRED));
                }
                ways
            }
            WOKEN | EXPIRED | ENDS => self.end_of_wait(state, thread),
            _ => {
                next.locked = true;
                vec![next.in_phase(thread, BEGINS)]
            }
        }
    }

    /// The thread has the mutex again, and the cleanup handler counts and gives it back.
    fn end_of_wait(&self, state: &State, thread: usize) -> Vec<State> {
        let mut next = state.clone();
        next.guarded += 1;
        let cancelled = cancelled(&next, thread);
        match state.phase[thread] {
            WOKEN => vec![next.noting(thread, 1)],
            // Whether a request has come is looked up once more.
            EXPIRED if self.loose => cancelled.into_iter().chain([next.noting(thread, ETIMEDOUT)]).collect(),
            EXPIRED => vec![cancelled.unwrap_or_else(|| next.noting(thread, ETIMEDOUT))],
            _ => cancelled.into_iter().collect(),
        }
    }
}

/// A waiter has left the others.
fn left(state: &State, thread: usize, phase: u8) -> State {
    let mut next = state.clone();
    next.waits[thread] = false;
    next.in_phase(thread, phase)
}

fn waiters(state: &State) -> impl Iterator<Item = usize> {
    let waits = state.waits;
    (0..waits.len()).filter(move |&thread| waits[thread])
}

/// Any of those who wait goes on.
fn signalled(state: &State, thread: usize) -> Vec<State> {
    let woken: Vec<State> = waiters(state).map(|waiter| left(state, waiter, WOKEN).next(thread)).collect();
    if woken.is_empty() { vec![state.clone().next(thread)] } else { woken }
}
