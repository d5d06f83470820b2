//! Robust mutexes: what the end of a thread does to those that it holds, and what later owners are told.
//!
//! Who locks a robust mutex whose owner has ended gets it, with `EOWNERDEAD`, and is to make the data consistent and
//! say so. If it unlocks without having said so, nobody gets the mutex any more. That is a property of the object, so
//! it lies in the object's memory, as in the C library ([`Health`]). Only who holds the mutex writes it, and the
//! scheduler's operations are those of other mutexes: the end of a thread unlocks, and who finds that the mutex is lost
//! gives it back at once. So that others do not see a change before the unlock that it belongs to, it is written after
//! the operation, before another thread runs.

use super::error::{EINVAL, ENOTRECOVERABLE, EOWNERDEAD};
use super::object::{MUTEX, state};
use crate::engine::{has_other_threads, me, note_written, unmodelled, visible, with};
use inspect_core::event::{ByteRange, MutexOperation, Object, Operation, SiteId, ThreadId};
use inspect_core::run::Request;

/// The state of what a robust mutex protects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    /// Nothing is wrong with it.
    Consistent,
    /// An owner has ended, and no later one has said that it is consistent.
    Inconsistent,
    /// It was unlocked while it was inconsistent: nobody gets it any more.
    Lost,
}

/// Where the C library has the owner, and the numbers that stand for the states there.
const OWNER: u64 = 8;
const INCONSISTENT: u32 = i32::MAX as u32;
const LOST: u32 = i32::MAX as u32 - 1;

fn health(mutex: u64) -> Health {
    // SAFETY: the program passes a mutex, so its bytes can be read; if not, it faults here as it would there.
    match unsafe { ((mutex + OWNER) as *const u32).read_volatile() } {
        INCONSISTENT => Health::Inconsistent,
        LOST => Health::Lost,
        _ => Health::Consistent,
    }
}

fn set_health(mutex: u64, health: Health) {
    let word = match health {
        Health::Consistent => 0,
        Health::Inconsistent => INCONSISTENT,
        Health::Lost => LOST,
    };
    // SAFETY: a mutex that the running thread holds, or has just given back.
    unsafe { ((mutex + OWNER) as *mut u32).write_volatile(word) };
    note_written(ByteRange { start: mutex + OWNER, len: 4 });
}

/// The running thread has just taken a robust mutex: what it is told. It gives one back that is lost.
#[cold]
pub(super) fn after_lock(mutex: u64, site: SiteId) -> i32 {
    if state(mutex).depth > 1 {
        return 0;
    }
    with(|engine| engine.robust_holds.take(me(), mutex));
    match health(mutex) {
        Health::Consistent => 0,
        Health::Inconsistent => EOWNERDEAD,
        Health::Lost => {
            give_back(mutex, site);
            ENOTRECOVERABLE
        }
    }
}

/// The running thread has just given a robust mutex back for good.
#[cold]
pub(super) fn after_unlock(mutex: u64) {
    with(|engine| engine.robust_holds.give(mutex));
    if health(mutex) == Health::Inconsistent {
        set_health(mutex, Health::Lost);
    }
}

/// The running thread is about to wait for a condition variable, which gives the mutex back.
#[cold]
pub(super) fn before_wait(mutex: u64, site: SiteId) {
    if health(mutex) == Health::Inconsistent {
        unmodelled("pthread_cond_wait with a robust mutex whose data are inconsistent", site);
    }
}

/// The running thread is about to end: gives back the robust mutexes that it holds, in the order in which Linux goes
/// through the C library's list of them: the one that was locked last comes first.
pub(super) fn abandon_all() {
    while let Some(mutex) = with(|engine| engine.robust_holds.latest(me())) {
        if state(mutex).owner == Some(me()) {
            give_back(mutex, SiteId(0));
            if state(mutex).owner != Some(me()) {
                set_health(mutex, Health::Inconsistent);
            }
        } else {
            // Its memory is gone, and so it is not held any more.
            with(|engine| engine.robust_holds.give(mutex));
        }
    }
}

/// Gives a robust mutex back, once.
fn give_back(mutex: u64, site: SiteId) {
    visible(Request::new(Operation::Mutex(MutexOperation::Unlock(Object(mutex))), site));
    if state(mutex).owner != Some(me()) {
        ends_hold(mutex);
    }
}

/// The running thread does not hold the mutex any more.
fn ends_hold(mutex: u64) {
    MUTEX.set_in_use(mutex, false);
    with(|engine| engine.robust_holds.give(mutex));
}

/// The running thread says that what the mutex protects is consistent again.
pub(super) fn make_consistent(mutex: u64, owner: Option<ThreadId>, site: SiteId) -> i32 {
    // Whether there is something to be made consistent depends on what others do meanwhile.
    if owner != Some(me()) && has_other_threads() {
        unmodelled("pthread_mutex_consistent by a thread that does not hold the mutex", site);
    }
    if owner != Some(me()) || health(mutex) != Health::Inconsistent {
        return EINVAL;
    }
    set_health(mutex, Health::Consistent);
    0
}
