//! Mutexes: POSIX and C11.

use super::error::{EBUSY, EDEADLK, EINVAL, EPERM, ETIMEDOUT};
use super::pause::{REALTIME, advance_to, is_valid_time};
use super::{c11, early, export, real};
use crate::engine::site::of_call;
use crate::engine::{last_event, me, note_misuse, spoil_loops, unmodelled, visible, visible_misusing, with};
use crate::platform::{ARENAS, STACKS, started};
use inspect_core::detect::FindingKind;
use inspect_core::event::{ByteRange, MutexOperation, Object, Operation, SiteId};
use inspect_core::run::{Lifecycle, ObjectState, Request};
use inspect_wire::hooks::{MUTEX_MARK, MUTEX_MARK_OFFSET};

export! {
    interpose_pthread_mutex_init / 2 => init;
    interpose_pthread_mutex_destroy / 1 => destroy;
    interpose_pthread_mutex_lock / 1 => lock;
    interpose_pthread_mutex_trylock / 1 => trylock;
    interpose_pthread_mutex_timedlock / 2 => timedlock;
    interpose_pthread_mutex_clocklock / 3 => clocklock;
    interpose_pthread_mutex_unlock / 1 => unlock;
    interpose_mtx_init / 2 => c11_init;
    interpose_mtx_destroy / 1 => c11_destroy;
    interpose_mtx_lock / 1 => c11_lock;
    interpose_mtx_trylock / 1 => c11_trylock;
    interpose_mtx_timedlock / 2 => c11_timedlock;
    interpose_mtx_unlock / 1 => c11_unlock;
}

/// What a mutex does when its owner locks it again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MutexKind {
    /// Waits for itself for ever.
    Normal,
    /// Counts how often.
    Recursive,
    /// Returns an error.
    ErrorCheck,
}

/// Where the C library keeps the kind.
const KIND: u64 = 16;

fn kind_bits(mutex: u64) -> u32 {
    // SAFETY: the program passes a mutex, so its bytes can be read; if not, it faults here as it would there.
    unsafe { ((mutex + KIND) as *const u32).read_volatile() }
}

pub(super) fn kind(mutex: u64) -> MutexKind {
    match kind_bits(mutex) & 3 {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorCheck,
        _ => MutexKind::Normal,
    }
}

#[inline(always)]
pub(super) fn state(object: u64) -> ObjectState {
    with(|engine| engine.run.object(Object(object)))
}

/// Whether a mutex that no call in this run has initialised was initialised otherwise.
fn looks_initialised(mutex: u64) -> bool {
    is_marked(mutex) || early::is_initialised(mutex, 40)
}

/// Whether a static initialiser was the last to write the mutex.
fn is_marked(mutex: u64) -> bool {
    // SAFETY: as in `kind_bits`.
    unsafe { ((mutex + MUTEX_MARK_OFFSET as u64) as *const u16).read_unaligned() == MUTEX_MARK }
}

/// An object on the heap or a stack must not be freed or end before its last use. So each use announces a plain read of
/// its memory, but not of its first byte, which stands for the object in operations.
pub(super) fn touch(object: u64, site: SiteId) {
    if ARENAS.contains(object) || STACKS.contains(object) {
        with(|engine| *engine.passing_objects = true);
        crate::hooks::argument_read(object + 1, 3, site);
    }
}

/// Forgets the object that was here: its memory is used for another one now.
#[cold]
pub(super) fn begin_anew(object: u64) {
    with(|engine| engine.run.forget_objects(ByteRange { start: object, len: 1 }));
}

fn misuse_at_use(mutex: u64, state: &ObjectState) -> Option<(FindingKind, Object)> {
    let bad = match state.lifecycle {
        Lifecycle::Unseen => !looks_initialised(mutex),
        Lifecycle::Initialised => false,
        Lifecycle::Destroyed if is_marked(mutex) => {
            begin_anew(mutex);
            false
        }
        Lifecycle::Destroyed => true,
    };
    bad.then_some((FindingKind::MutexUninitialized, Object(mutex)))
}

/// Notes a use of a mutex that was destroyed after the thread had requested its operation.
fn check_destroyed(mutex: u64, operation: Operation, site: SiteId, before: &ObjectState) {
    if with(|engine| *engine.something_destroyed)
        && before.lifecycle != Lifecycle::Destroyed
        && state(mutex).lifecycle == Lifecycle::Destroyed
    {
        note_misuse(FindingKind::MutexUninitialized, operation, Object(mutex), site);
    }
}

/// The functions in which a thread waits at an operation and of which the operation says all that is left to do.
pub(crate) fn entries() -> [u64; 5] {
    [
        lock as *const () as u64,
        trylock as *const () as u64,
        unlock as *const () as u64,
        c11_lock as *const () as u64,
        c11_unlock as *const () as u64,
    ]
}

extern "C" fn init(mutex: u64, attributes: u64, pc: u64) -> i32 {
    let real = real!("pthread_mutex_init" as fn(u64, u64) -> i32);
    if !started() {
        early::note(mutex);
        return real(mutex, attributes);
    }
    crate::hooks::argument_read(attributes, 4, of_call(pc));
    visible(Request::new(Operation::Mutex(MutexOperation::Init(Object(mutex))), of_call(pc)));
    let result = real(mutex, attributes);
    refuse_special(mutex, of_call(pc));
    result
}

/// Robust mutexes have rules of their own, and so have those with a priority ceiling. Inheriting a priority changes nothing
/// where the order is explored anyway.
fn refuse_special(mutex: u64, site: SiteId) {
    const ROBUST: u32 = 16;
    const CEILING: u32 = 64;
    if kind_bits(mutex) & ROBUST != 0 {
        unmodelled("pthread_mutex_init (robust mutex)", site);
    }
    if kind_bits(mutex) & CEILING != 0 {
        unmodelled("pthread_mutex_init (priority ceiling)", site);
    }
}

extern "C" fn destroy(mutex: u64, pc: u64) -> i32 {
    let real = real!("pthread_mutex_destroy" as fn(u64) -> i32);
    if !started() {
        return real(mutex);
    }
    with(|engine| *engine.something_destroyed = true);
    if state(mutex).lifecycle == Lifecycle::Destroyed && is_marked(mutex) {
        begin_anew(mutex);
    }
    let before = state(mutex);
    let request = Request::new(Operation::Mutex(MutexOperation::Destroy(Object(mutex))), of_call(pc));
    let uninitialised = before.lifecycle == Lifecycle::Unseen && !looks_initialised(mutex);
    visible_misusing(request, uninitialised.then_some((FindingKind::MutexUninitialized, Object(mutex))));
    if is_marked(mutex) {
        // SAFETY: as in `kind_bits`. A mark that is found here later is that of another object.
        unsafe { ((mutex + MUTEX_MARK_OFFSET as u64) as *mut u16).write_unaligned(0) };
    }
    if state(mutex).owner.is_some() {
        return EBUSY;
    }
    // The C library only writes into it that it is destroyed.
    real(mutex);
    0
}

extern "C" fn lock(mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_lock" as fn(u64) -> i32)(mutex);
    }
    let site = of_call(pc);
    touch(mutex, site);
    let kind = kind(mutex);
    note_kind(kind);
    let before = state(mutex);
    if kind == MutexKind::ErrorCheck && before.owner == Some(me()) {
        return EDEADLK;
    }
    let mut request = Request::new(Operation::Mutex(MutexOperation::Lock(Object(mutex))), site);
    request.recursive = kind == MutexKind::Recursive;
    visible_misusing(request, misuse_at_use(mutex, &before));
    check_destroyed(mutex, Operation::Mutex(MutexOperation::Lock(Object(mutex))), site, &before);
    0
}

/// A call for a mutex of another kind than the normal one asks who holds it. As a thread that was parked holds the mutex
/// already when it comes to its call, loops with such mutexes are not parked.
#[inline(always)]
fn note_kind(kind: MutexKind) {
    if kind != MutexKind::Normal {
        spoil_loops();
    }
}

/// A lock that does not wait; `refused` is the result if the mutex is held.
fn attempt(mutex: u64, refused: i32, site: SiteId) -> i32 {
    touch(mutex, site);
    let kind = kind(mutex);
    note_kind(kind);
    with(|engine| engine.watch_sets.note_tried(Object(mutex)));
    let before = state(mutex);
    let mut request =
        Request::new(Operation::Mutex(MutexOperation::TryLock { mutex: Object(mutex), acquired: false }), site);
    request.recursive = kind == MutexKind::Recursive;
    visible_misusing(request, misuse_at_use(mutex, &before));
    check_destroyed(
        mutex,
        Operation::Mutex(MutexOperation::TryLock { mutex: Object(mutex), acquired: false }),
        site,
        &before,
    );
    if last_event().operation.succeeded() == Some(true) { 0 } else { refused }
}

extern "C" fn trylock(mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_trylock" as fn(u64) -> i32)(mutex);
    }
    attempt(mutex, EBUSY, of_call(pc))
}

extern "C" fn timedlock(mutex: u64, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_timedlock" as fn(u64, u64) -> i32)(mutex, until);
    }
    timed(mutex, REALTIME, until, of_call(pc))
}

extern "C" fn clocklock(mutex: u64, clock: i32, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_clocklock" as fn(u64, i32, u64) -> i32)(mutex, clock, until);
    }
    timed(mutex, clock as u64, until, of_call(pc))
}

/// A lock with a time limit is a try-lock: one that is scheduled while the mutex is held has expired, and one that
/// waits longer is scheduled later. So every length of the wait is explored, and no wait is endless.
fn timed(mutex: u64, clock: u64, until: u64, site: SiteId) -> i32 {
    if kind(mutex) == MutexKind::ErrorCheck && state(mutex).owner == Some(me()) {
        return EDEADLK;
    }
    crate::hooks::argument_read(until, 16, site);
    if !is_valid_time(until) {
        return EINVAL;
    }
    let result = attempt(mutex, ETIMEDOUT, site);
    if result == ETIMEDOUT {
        advance_to(clock, until);
    }
    result
}

extern "C" fn unlock(mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_unlock" as fn(u64) -> i32)(mutex);
    }
    let site = of_call(pc);
    touch(mutex, site);
    let before = state(mutex);
    let refuses = kind(mutex) != MutexKind::Normal && before.owner != Some(me());
    if refuses {
        return EPERM;
    }
    visible_misusing(
        Request::new(Operation::Mutex(MutexOperation::Unlock(Object(mutex))), site),
        misuse_at_use(mutex, &before),
    );
    0
}

extern "C" fn c11_init(mutex: u64, kind: i32, pc: u64) -> i32 {
    let real = real!("mtx_init" as fn(u64, i32) -> i32);
    if !started() {
        early::note(mutex);
        return real(mutex, kind);
    }
    visible(Request::new(Operation::Mutex(MutexOperation::Init(Object(mutex))), of_call(pc)));
    real(mutex, kind)
}

extern "C" fn c11_destroy(mutex: u64, pc: u64) {
    if !started() {
        return real!("mtx_destroy" as fn(u64))(mutex);
    }
    destroy(mutex, pc);
}

extern "C" fn c11_lock(mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("mtx_lock" as fn(u64) -> i32)(mutex);
    }
    c11::result(lock(mutex, pc))
}

extern "C" fn c11_trylock(mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("mtx_trylock" as fn(u64) -> i32)(mutex);
    }
    c11::result(trylock(mutex, pc))
}

extern "C" fn c11_timedlock(mutex: u64, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("mtx_timedlock" as fn(u64, u64) -> i32)(mutex, until);
    }
    c11::result(timedlock(mutex, until, pc))
}

extern "C" fn c11_unlock(mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("mtx_unlock" as fn(u64) -> i32)(mutex);
    }
    c11::result(unlock(mutex, pc))
}
