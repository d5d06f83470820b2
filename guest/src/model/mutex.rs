//! Mutexes: POSIX and C11.

use super::error::{EBUSY, EDEADLK, EINVAL, EPERM, ETIMEDOUT};
use super::mutex_kind::{MutexKind, has_ceiling, is_plain, is_robust, kind};
use super::object::{MUTEX, begin_anew, overwrite, state, touch};
use super::pause::{REALTIME, advance_to, is_valid_time, is_wait_clock};
use super::uses::note_if_destroyed;
use super::{c11, early, export, real, robust};
use crate::engine::site::of_call;
use crate::engine::{
    is_granted, last_event, me, note_misuse, spoil_loops, unmodelled, visible, visible_misusing, with,
};
use crate::platform::started;
use inspect_core::detect::FindingKind;
use inspect_core::event::{MutexOperation, Object, Operation, SiteId};
use inspect_core::run::{Lifecycle, ObjectState, Request};

export! {
    interpose_pthread_mutex_init / 2 => init;
    interpose_pthread_mutex_destroy / 1 => destroy;
    interpose_pthread_mutex_lock / 1 => lock;
    interpose_pthread_mutex_trylock / 1 => trylock;
    interpose_pthread_mutex_timedlock / 2 => timedlock;
    interpose_pthread_mutex_clocklock / 3 => clocklock;
    interpose_pthread_mutex_unlock / 1 => unlock;
    interpose_pthread_mutex_consistent / 1 => consistent;
    interpose_mtx_init / 2 => c11_init;
    interpose_mtx_destroy / 1 => c11_destroy;
    interpose_mtx_lock / 1 => c11_lock;
    interpose_mtx_trylock / 1 => c11_trylock;
    interpose_mtx_timedlock / 2 => c11_timedlock;
    interpose_mtx_unlock / 1 => c11_unlock;
}

/// A use of a mutex begins.
pub(super) struct Use {
    /// What the scheduler knows of the mutex.
    pub(super) before: ObjectState,
    /// The mutex has its memory.
    sound: bool,
    misuse: Option<(FindingKind, Object)>,
}

/// Announces a use of a mutex to the detectors, and finds out what the mutex is.
#[inline(always)]
pub(super) fn begin_use(mutex: u64, site: SiteId) -> Use {
    if !touch(mutex, MUTEX.size, site) {
        return Use { before: state(mutex), sound: false, misuse: None };
    }
    // A thread woken from a park at this operation has performed it already, before the mutex's memory says so.
    if is_granted(mutex) {
        return Use { before: state(mutex), sound: true, misuse: None };
    }
    let before = MUTEX.recognise(mutex);
    let misuse = MUTEX.misuse(mutex, &before, [FindingKind::MutexUninitialized, FindingKind::MutexZeroInitialized]);
    Use { before, sound: true, misuse }
}

impl Use {
    /// The running thread has taken the mutex, or given it back.
    #[inline(always)]
    fn ends(&self, mutex: u64, held: bool) {
        if self.sound {
            MUTEX.set_in_use(mutex, held);
        }
    }

    /// Notes the misuse of a call that is no operation on the mutex itself. Returns whether it is one.
    pub(super) fn is_noted(&self, mutex: u64, site: SiteId) -> bool {
        if let Some((kind, object)) = self.misuse {
            note_misuse(kind, MutexOperation::Lock(Object(mutex)).into(), object, site);
        }
        self.misuse.is_some()
    }
}

/// The functions in which a thread waits at an operation and of which the operation says all that is left to do, with
/// what is written into the object's memory.
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
    initialise(mutex, pc, || real(mutex, attributes))
}

fn initialise(mutex: u64, pc: u64, real: impl FnOnce() -> i32) -> i32 {
    let site = of_call(pc);
    let sound = overwrite(mutex, MUTEX.size, site);
    if sound {
        MUTEX.before_initialisation(mutex, pc);
    }
    visible(Request::new(Operation::Mutex(MutexOperation::Init(Object(mutex))), site));
    if !sound {
        // Other memory than the object's would be overwritten.
        return 0;
    }
    let result = real();
    MUTEX.after_initialisation(mutex, pc);
    result
}

extern "C" fn destroy(mutex: u64, pc: u64) -> i32 {
    let real = real!("pthread_mutex_destroy" as fn(u64) -> i32);
    if !started() {
        return real(mutex);
    }
    end_life(mutex, false, of_call(pc), || real(mutex))
}

/// Ends the life of a mutex, which a thread may hold if that is given.
fn end_life(mutex: u64, may_be_held: bool, site: SiteId, real: impl FnOnce() -> i32) -> i32 {
    with(|engine| *engine.something_destroyed = true);
    let sound = overwrite(mutex, MUTEX.size, site);
    let before = if sound { MUTEX.recognise(mutex) } else { state(mutex) };
    let looks_initialised = !sound || before.owner.is_some() || MUTEX.looks_initialised(mutex);
    if before.lifecycle == Lifecycle::Destroyed && sound && MUTEX.looks_initialised(mutex) {
        begin_anew(mutex);
    }
    let mut request = Request::new(Operation::Mutex(MutexOperation::Destroy(Object(mutex))), site);
    request.may_be_held = may_be_held;
    let uninitialised = before.lifecycle == Lifecycle::Unseen && !looks_initialised;
    visible_misusing(request, uninitialised.then_some((FindingKind::MutexUninitialized, Object(mutex))));
    let after = state(mutex);
    if sound {
        MUTEX.after_destruction(mutex);
    }
    if after.owner.is_some() || after.copied_held {
        return EBUSY;
    }
    if sound {
        // The C library only writes into it that it is destroyed.
        real();
    }
    0
}

extern "C" fn lock(mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_lock" as fn(u64) -> i32)(mutex);
    }
    lock_by(mutex, of_call(pc), refuse_ceiling)
}

/// Locks a mutex; one with a priority ceiling only if `with_ceiling` returns. Inlined, so that the thread waits in one
/// of [`entries`] itself.
#[inline(always)]
pub(super) fn lock_by(mutex: u64, site: SiteId, with_ceiling: fn(u64, SiteId)) -> i32 {
    let used = begin_use(mutex, site);
    let kind = kind(mutex);
    note_kind(mutex, kind, site, with_ceiling);
    if kind == MutexKind::ErrorCheck && used.before.owner == Some(me()) {
        return EDEADLK;
    }
    let mut request = Request::new(Operation::Mutex(MutexOperation::Lock(Object(mutex))), site);
    request.recursive = kind == MutexKind::Recursive;
    visible_misusing(request, used.misuse);
    note_if_destroyed(mutex, &used.before, FindingKind::MutexUninitialized);
    used.ends(mutex, true);
    if is_robust(mutex) { robust::after_lock(mutex, site) } else { 0 }
}

/// A call for a mutex of another kind than the normal one asks who holds it. As a thread that was parked holds the
/// mutex already when it comes to its call, loops with such mutexes are not parked.
#[inline(always)]
fn note_kind(mutex: u64, kind: MutexKind, site: SiteId, with_ceiling: fn(u64, SiteId)) {
    if kind != MutexKind::Normal || !is_plain(mutex) {
        spoil_loops();
        with_ceiling(mutex, site);
    }
}

/// A mutex with a priority ceiling: whether a thread gets it depends on its scheduling policy, and, with the usual
/// one, on whether it has tried before: the C library refuses the first attempt (`EINVAL`) and forgets that it did.
#[cold]
fn refuse_ceiling(mutex: u64, site: SiteId) {
    if has_ceiling(mutex) {
        unmodelled("a lock of a mutex with a priority ceiling", site);
    }
}

/// A lock that does not wait; `refused` is the result if the mutex is held.
fn attempt(mutex: u64, refused: i32, site: SiteId) -> i32 {
    let used = begin_use(mutex, site);
    let kind = kind(mutex);
    note_kind(mutex, kind, site, refuse_ceiling);
    // Where the C library looks at the owner at all, it tells one that checks for errors.
    if kind == MutexKind::ErrorCheck && !is_plain(mutex) && used.before.owner == Some(me()) {
        return EDEADLK;
    }
    with(|engine| engine.watch_sets.note_tried(Object(mutex)));
    let mut request =
        Request::new(Operation::Mutex(MutexOperation::TryLock { mutex: Object(mutex), acquired: false }), site);
    request.recursive = kind == MutexKind::Recursive;
    visible_misusing(request, used.misuse);
    note_if_destroyed(mutex, &used.before, FindingKind::MutexUninitialized);
    if last_event().operation.succeeded() != Some(true) {
        return refused;
    }
    used.ends(mutex, true);
    if is_robust(mutex) { robust::after_lock(mutex, site) } else { 0 }
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
    if !is_wait_clock(clock) {
        return EINVAL;
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
    // A time that is none matters only to who has to wait.
    let valid = is_valid_time(until);
    let result = attempt(mutex, if valid { ETIMEDOUT } else { EINVAL }, site);
    if result == ETIMEDOUT {
        advance_to(clock, until);
    }
    result
}

pub(super) extern "C" fn unlock(mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_unlock" as fn(u64) -> i32)(mutex);
    }
    let site = of_call(pc);
    let used = begin_use(mutex, site);
    let checks = kind(mutex) != MutexKind::Normal || is_robust(mutex);
    // What is no mutex has no kind either.
    if checks && used.misuse.is_none() && used.before.owner != Some(me()) {
        return EPERM;
    }
    visible_misusing(Request::new(Operation::Mutex(MutexOperation::Unlock(Object(mutex))), site), used.misuse);
    if used.before.depth <= 1 {
        used.ends(mutex, false);
        if is_robust(mutex) {
            robust::after_unlock(mutex);
        }
    }
    0
}

extern "C" fn consistent(mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_consistent" as fn(u64) -> i32)(mutex);
    }
    let site = of_call(pc);
    let used = begin_use(mutex, site);
    if used.is_noted(mutex, site) || !is_robust(mutex) {
        return EINVAL;
    }
    robust::make_consistent(mutex, used.before.owner, site)
}

extern "C" fn c11_init(mutex: u64, kind: i32, pc: u64) -> i32 {
    let real = real!("mtx_init" as fn(u64, i32) -> i32);
    if !started() {
        early::note(mutex);
        return real(mutex, kind);
    }
    initialise(mutex, pc, || real(mutex, kind))
}

/// C11 forbids only that threads wait for the mutex.
extern "C" fn c11_destroy(mutex: u64, pc: u64) {
    let real = real!("mtx_destroy" as fn(u64));
    if !started() {
        return real(mutex);
    }
    end_life(mutex, true, of_call(pc), || {
        real(mutex);
        0
    });
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
