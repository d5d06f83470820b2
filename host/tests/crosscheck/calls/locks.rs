//! Locks of all kinds: as data, as C, and as the model has them.

use super::errors::{EBUSY, EDEADLK, ENOTRECOVERABLE, EOWNERDEAD, ETIMEDOUT};
use super::oracle::Oracle;
use super::program::THREADS;
use super::state::State;

/// A lock. The two sides of a read-write lock are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lock {
    Mutex,
    Checking,
    Recursive,
    Robust,
    Spin,
    Read,
    Write,
    Stream,
}

/// How a lock is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    Wait,
    Try,
    Timed,
}

/// How many locks there are.
const LOCKS: usize = 7;

/// Noted of a call.
const TAKEN: u64 = 1;

/// Phase of a thread that is about to be told that the mutex cannot be used any more: it has the mutex for a moment.
const REFUSED: u8 = 1;

/// What a writer has of a read-write lock.
const WRITER: u8 = 16;

impl Lock {
    pub(super) fn number(self) -> usize {
        match self {
            Lock::Mutex => 0,
            Lock::Checking => 1,
            Lock::Recursive => 2,
            Lock::Robust => 3,
            Lock::Spin => 4,
            Lock::Read | Lock::Write => 5,
            Lock::Stream => 6,
        }
    }

    /// Whether a thread that may have the lock may ask for it again without waiting for itself.
    pub(super) fn can_be_taken_again(self) -> bool {
        matches!(self, Lock::Checking | Lock::Recursive | Lock::Read | Lock::Stream)
    }

    pub(super) fn has_timed(self) -> bool {
        !matches!(self, Lock::Spin | Lock::Stream)
    }
}

/// Who has which lock, and how often.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Locks {
    held: [[u8; LOCKS]; THREADS],
    /// Whether the data of the robust mutex are inconsistent, and whether it cannot be used any more.
    dead: bool,
    lost: bool,
}

/// The call that takes a lock, as C; it leaves an error number in a variable.
pub(super) fn take(lock: Lock, how: How, mends: bool) -> String {
    let (number, name) = (
        lock.number(),
        match how {
            How::Wait => "lock",
            How::Try => "trylock",
            How::Timed => "timedlock",
        },
    );
    let time = if how == How::Timed { ", &far" } else { "" };
    let call = match lock {
        Lock::Spin => format!("got = pthread_spin_{name}(&spin)"),
        Lock::Read | Lock::Write => {
            let side = if lock == Lock::Read { "rd" } else { "wr" };
            let name = name.replace("lock", "");
            format!("got = pthread_rwlock_{name}{side}lock(&rwlock{time})")
        }
        Lock::Stream if how == How::Wait => "flockfile(stdout); got = 0".into(),
        Lock::Stream => "got = ftrylockfile(stdout) ? EBUSY : 0".into(),
        _ => format!("got = pthread_mutex_{name}(&mutexes[{number}]{time})"),
    };
    let consistent = if mends { "if (got == EOWNERDEAD) pthread_mutex_consistent(&mutexes[3]); " } else { "" };
    format!("    {call}; {consistent}has[{number}] += !got || got == EOWNERDEAD;\n    note(self, told(got));\n")
}

/// The call that gives it back, if the thread has it.
pub(super) fn give(lock: Lock) -> String {
    let number = lock.number();
    let call = match lock {
        Lock::Spin => "pthread_spin_unlock(&spin)".into(),
        Lock::Read | Lock::Write => "pthread_rwlock_unlock(&rwlock)".into(),
        Lock::Stream => "funlockfile(stdout)".into(),
        _ => format!("pthread_mutex_unlock(&mutexes[{number}])"),
    };
    format!("    if (has[{number}]) {{\n        has[{number}]--;\n        {call};\n    }}\n")
}

impl Oracle<'_> {
    pub(super) fn take_lock(&self, state: &State, thread: usize, lock: Lock, how: How, mends: bool) -> Vec<State> {
        let mut next = state.clone();
        let number = lock.number();
        let own = state.locks.held[thread][number];
        let units = if lock == Lock::Write { WRITER } else { 1 };
        if state.phase[thread] == REFUSED {
            next.locks.held[thread][number] = 0;
            return vec![next.noting(thread, ENOTRECOVERABLE)];
        }
        if own > 0 {
            let refused = if how == How::Try { EBUSY } else { EDEADLK };
            let is_refused = lock == Lock::Checking || lock == Lock::Read && own == WRITER;
            next.locks.held[thread][number] += if is_refused { 0 } else { units };
            return vec![next.noting(thread, if is_refused { refused } else { TAKEN })];
        }
        let is_in_the_way = |held: &[u8; LOCKS]| match lock {
            Lock::Read => held[number] == WRITER,
            _ => held[number] > 0,
        };
        if state.locks.held.iter().any(is_in_the_way) {
            return match how {
                How::Wait => Vec::new(),
                How::Try => vec![next.noting(thread, EBUSY)],
                How::Timed => vec![next.noting(thread, ETIMEDOUT)],
            };
        }
        if lock == Lock::Robust && state.locks.lost {
            if how == How::Try {
                return vec![next.noting(thread, ENOTRECOVERABLE)];
            }
            next.locks.held[thread][number] = 1;
            return vec![next.in_phase(thread, REFUSED)];
        }
        next.locks.held[thread][number] = units;
        let told = if lock == Lock::Robust && state.locks.dead { EOWNERDEAD } else { TAKEN };
        next.locks.dead &= !(lock == Lock::Robust && mends);
        vec![next.noting(thread, told)]
    }

    pub(super) fn give_lock(&self, state: &State, thread: usize, lock: Lock) -> Vec<State> {
        let mut next = state.clone();
        let held = &mut next.locks.held[thread][lock.number()];
        if *held > 0 {
            *held = if *held == WRITER { 0 } else { *held - 1 };
            if lock == Lock::Robust && state.locks.dead {
                (next.locks.dead, next.locks.lost) = (false, true);
            }
        }
        vec![next.next(thread)]
    }
}

/// A thread that ends gives back the robust mutex that it has, whose data are inconsistent from then on.
pub(super) fn given_at_end(state: &State, thread: usize) -> Option<State> {
    let mut next = state.clone();
    let held = std::mem::take(&mut next.locks.held[thread][Lock::Robust.number()]);
    next.locks.dead = true;
    (held > 0).then_some(next)
}
