//! Spin locks: POSIX. To the scheduler they are mutexes: a thread that spins is disabled until the lock is free, so its
//! spinning is not explored.
//!
//! Their four bytes have no room for a mark. So a call that initialises a lock which nobody holds makes a new one, and
//! an initialiser written over one is not noticed; `pthread_spin_init` is the only initialiser that POSIX has.

use super::error::EBUSY;
use super::object::{begin_anew, overwrite, state, touch};
use super::uses::note_if_destroyed;
use super::{early, export, real};
use crate::engine::site::of_call;
use crate::engine::{last_event, visible, visible_misusing, with};
use crate::platform::started;
use inspect_core::detect::FindingKind;
use inspect_core::event::{MutexOperation, Object, SiteId};
use inspect_core::run::{Lifecycle, Request};

export! {
    interpose_pthread_spin_init / 2 => init;
    interpose_pthread_spin_destroy / 1 => destroy;
    interpose_pthread_spin_lock / 1 => lock;
    interpose_pthread_spin_trylock / 1 => trylock;
    interpose_pthread_spin_unlock / 1 => unlock;
}

/// The size of a `pthread_spinlock_t`.
const SIZE: u64 = 4;

/// The functions in which a thread waits at an operation and of which the operation says all that is left to do.
pub(crate) fn entries() -> [u64; 3] {
    [lock as *const () as u64, trylock as *const () as u64, unlock as *const () as u64]
}

extern "C" fn init(spin: u64, shared: i32, pc: u64) -> i32 {
    let real = real!("pthread_spin_init" as fn(u64, i32) -> i32);
    if !started() {
        early::note(spin);
        return real(spin, shared);
    }
    let sound = overwrite(spin, SIZE, of_call(pc));
    let before = state(spin);
    if before.lifecycle == Lifecycle::Initialised && before.owner.is_none() {
        begin_anew(spin);
    }
    visible(Request::new(MutexOperation::Init(Object(spin)).into(), of_call(pc)));
    if sound { real(spin, shared) } else { 0 }
}

extern "C" fn destroy(spin: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_spin_destroy" as fn(u64) -> i32)(spin);
    }
    with(|engine| *engine.something_destroyed = true);
    overwrite(spin, SIZE, of_call(pc));
    let unseen = state(spin).lifecycle == Lifecycle::Unseen && !early::is_by_constructor(spin);
    let misuse = unseen.then_some((FindingKind::MutexUninitialized, Object(spin)));
    visible_misusing(Request::new(MutexOperation::Destroy(Object(spin)).into(), of_call(pc)), misuse);
    if state(spin).owner.is_some() { EBUSY } else { 0 }
}

/// Requests an operation, and waits until it was taken. One on a lock that no call has initialised is a misuse.
#[inline(always)]
fn request(spin: u64, operation: MutexOperation, site: SiteId) {
    let before = state(spin);
    let uninitialised = match before.lifecycle {
        Lifecycle::Unseen => !early::is_by_constructor(spin),
        Lifecycle::Destroyed => true,
        Lifecycle::Initialised => false,
    };
    let misuse = uninitialised.then_some((FindingKind::MutexUninitialized, Object(spin)));
    visible_misusing(Request::new(operation.into(), site), misuse);
    note_if_destroyed(spin, &before, FindingKind::MutexUninitialized);
}

extern "C" fn lock(spin: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_spin_lock" as fn(u64) -> i32)(spin);
    }
    touch(spin, SIZE, of_call(pc));
    request(spin, MutexOperation::Lock(Object(spin)), of_call(pc));
    0
}

extern "C" fn trylock(spin: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_spin_trylock" as fn(u64) -> i32)(spin);
    }
    touch(spin, SIZE, of_call(pc));
    with(|engine| engine.watch_sets.note_tried(Object(spin)));
    request(spin, MutexOperation::TryLock { mutex: Object(spin), acquired: false }, of_call(pc));
    if last_event().operation.succeeded() == Some(true) { 0 } else { EBUSY }
}

extern "C" fn unlock(spin: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_spin_unlock" as fn(u64) -> i32)(spin);
    }
    touch(spin, SIZE, of_call(pc));
    request(spin, MutexOperation::Unlock(Object(spin)), of_call(pc));
    0
}
