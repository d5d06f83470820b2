//! Condition variables: POSIX and C11.
//!
//! A wait is three operations: it releases the mutex and joins the waiters, it is woken (or expires), it takes the
//! mutex again. Which waiter a signal wakes is a choice of the explorer.
//!
//! In the C library a waiter counts itself out of the condition variable after it was woken and before it takes the
//! mutex, and destroying the condition variable waits until all have done so: a thread *leaves* it ([`leave`]).

use super::error::{EINVAL, EPERM, ETIMEDOUT};
use super::mutex_kind::{MutexKind, is_robust, kind};
use super::object::{COND, MUTEX, all_have_left, begin_anew, leave, overwrite, state, touch};
use super::pause::{REALTIME, advance_to, is_valid_time, is_wait_clock};
use super::uses::note_if_destroyed;
use super::{c11, cancel, early, export, real, robust, signal};
use crate::engine::site::of_call;
use crate::engine::wait_mutexes::{self, ShownWait};
use crate::engine::{me, note_misuse, visible, visible_misusing, with};
use crate::hooks::argument_write;
use crate::platform::started;
use inspect_core::detect::FindingKind;
use inspect_core::event::{
    CondOperation, LifecycleChange, MutexOperation, Object, Operation, SiteId, ThreadSet, Wait, WaitStep,
};
use inspect_core::run::{Lifecycle, ObjectState, Request};

export! {
    interpose_pthread_cond_init / 2 => init;
    interpose_pthread_cond_destroy / 1 => destroy;
    interpose_pthread_cond_wait / 2 => wait;
    interpose_pthread_cond_timedwait / 3 => timedwait;
    interpose_pthread_cond_clockwait / 4 => clockwait;
    interpose_pthread_cond_signal / 1 => signal;
    interpose_pthread_cond_broadcast / 1 => broadcast;
    interpose__ZNSt18condition_variableC1Ev / 1 => construct;
    interpose__ZNSt18condition_variableC2Ev / 1 => construct;
    interpose_cnd_init / 1 => c11_init;
    interpose_cnd_destroy / 1 => c11_destroy;
    interpose_cnd_wait / 2 => c11_wait;
    interpose_cnd_timedwait / 3 => c11_timedwait;
    interpose_cnd_signal / 1 => c11_signal;
    interpose_cnd_broadcast / 1 => c11_broadcast;
}

/// A use of a condition variable.
struct Use {
    /// What the condition variable is when the use is requested.
    before: ObjectState,
    /// The misuse, if it is one.
    misuse: Option<(FindingKind, Object)>,
}

/// Announces a use of a condition variable to the detectors, and finds out what the condition variable is.
fn begin_use(cond: u64, site: SiteId) -> Use {
    if !touch(cond, COND.size, site) {
        return Use { before: state(cond), misuse: None };
    }
    let before = COND.recognise(cond);
    let misuse = COND.misuse(cond, &before, [FindingKind::CondUninitialized, FindingKind::CondZeroInitialized]);
    Use { before, misuse }
}

/// Requests to wake waiters; a condition variable that was destroyed meanwhile is misused as well.
#[inline(always)]
fn wake(cond: u64, operation: CondOperation, site: SiteId) -> i32 {
    let Use { before, misuse } = begin_use(cond, site);
    visible_misusing(Request::new(Operation::Cond(operation), site), misuse);
    note_if_destroyed(cond, &before, FindingKind::CondUninitialized);
    0
}

/// Notes the wait of the running thread as a misuse if the condition variable was destroyed after it was requested.
fn note_if_waited_destroyed(cond: u64, before: &ObjectState, request: &Request) {
    if before.lifecycle != Lifecycle::Destroyed && waited_destroyed(cond) {
        note_misuse(FindingKind::CondUninitialized, request.operation, Object(cond), request.site);
    }
}

/// Whether the running thread's last wait began after the condition variable was destroyed. That it was destroyed
/// since, after the thread was woken, is right.
fn waited_destroyed(cond: u64) -> bool {
    with(|engine| {
        if !*engine.something_destroyed || engine.run.object(Object(cond)).lifecycle != Lifecycle::Destroyed {
            return false;
        }
        let events = engine.run.events();
        let begins = |wait: Wait| wait.cond == Object(cond) && wait.step == WaitStep::Begin;
        let began = events.iter().rposition(|event| event.thread == me() && event.operation.wait().is_some_and(begins));
        let before = began.map_or(&[][..], |began| &events[..began]);
        let mut changes = before.iter().rev().filter_map(|event| event.operation.lifecycle());
        let last = changes.find_map(|change| match change {
            LifecycleChange::Begins(object, _) => (object == Object(cond)).then_some(false),
            LifecycleChange::Ends(object, _) => (object == Object(cond)).then_some(true),
        });
        last == Some(true)
    })
}

/// The functions in which a thread waits at an operation and of which the operation says all that is left to do.
pub(crate) fn entries() -> [u64; 3] {
    [wait as *const () as u64, signal as *const () as u64, broadcast as *const () as u64]
}

extern "C" fn init(cond: u64, attributes: u64, pc: u64) -> i32 {
    let real = real!("pthread_cond_init" as fn(u64, u64) -> i32);
    if !started() {
        early::note(cond);
        return real(cond, attributes);
    }
    crate::hooks::argument_read(attributes, 4, of_call(pc));
    let sound = overwrite(cond, COND.size, of_call(pc));
    if sound {
        COND.before_initialisation(cond, pc);
    }
    visible(Request::new(Operation::Cond(CondOperation::Init(Object(cond))), of_call(pc)));
    if !sound {
        // Other memory than the object's would be overwritten.
        return 0;
    }
    let result = real(cond, attributes);
    COND.after_initialisation(cond, pc);
    result
}

extern "C" fn destroy(cond: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_cond_destroy" as fn(u64) -> i32)(cond);
    }
    with(|engine| *engine.something_destroyed = true);
    let sound = overwrite(cond, COND.size, of_call(pc));
    let known = if sound { COND.recognise(cond) } else { state(cond) };
    let before = known.lifecycle;
    let looks_initialised = !sound || !known.waiters.is_empty() || COND.looks_initialised(cond);
    if before == Lifecycle::Destroyed && sound && COND.looks_initialised(cond) {
        begin_anew(cond);
    }
    let uninitialised = before == Lifecycle::Unseen && !looks_initialised;
    let request = Request::new(Operation::Cond(CondOperation::Destroy(Object(cond))), of_call(pc));
    visible_misusing(request, uninitialised.then_some((FindingKind::CondUninitialized, Object(cond))));
    all_have_left(cond, COND.size);
    if sound {
        COND.after_destruction(cond);
    }
    // The C library's own would wait for waiters that only the scheduler knows.
    0
}

/// The constructor of `std::condition_variable`. It is the C++ library's, which uses the initialiser without a mark.
extern "C" fn construct(cond: u64, pc: u64) {
    if !started() {
        return real!("_ZNSt18condition_variableC1Ev" as fn(u64))(cond);
    }
    argument_write(cond, COND.size, of_call(pc));
    // SAFETY: the program passes memory for a condition variable, to be written to.
    unsafe { core::ptr::write_bytes(cond as *mut u8, 0, COND.size as usize) };
    COND.after_static_initialisation(cond);
}

/// The request of the running thread to wait.
#[inline(always)]
fn wait_request(cond: Object, mutex: Object, (timed, cancellable): (bool, bool), site: SiteId) -> Request {
    let begins = CondOperation::WaitRelease { cond, mutex, mutexes: wait_mutexes::known() };
    let mut request = Request::new(Operation::Cond(begins), site);
    (request.timed, request.cancellable) = (timed, cancellable);
    let may_end_alone = with(|engine| engine.run.may_end_alone(&request));
    wait_mutexes::note(ShownWait { cond, mutex, thread: me(), may_end_alone });
    request
}

/// Refuses a wait with a mutex of a kind that does, or with memory that was never initialised and looks like it: a
/// misuse.
#[cold]
fn refuse(mutex: u64, sound: bool, known: &ObjectState, site: SiteId) -> i32 {
    if sound && MUTEX.is_misused(mutex, known) {
        let operation = MutexOperation::Unlock(Object(mutex)).into();
        note_misuse(FindingKind::MutexUninitialized, operation, Object(mutex), site);
    }
    EPERM
}

/// Waits; returns how the wait ended, as an error number. Inlined, so that the thread waits in one of [`entries`]
/// itself.
#[inline(always)]
fn wait_for(cond: u64, mutex: u64, timed: bool, site: SiteId) -> i32 {
    let cancellable = cancel::before_wait(site);
    let sound = touch(mutex, MUTEX.size, site);
    let held = if sound { MUTEX.recognise(mutex) } else { state(mutex) };
    if (kind(mutex) != MutexKind::Normal || is_robust(mutex)) && held.owner != Some(me()) {
        return refuse(mutex, sound, &held, site);
    }
    if is_robust(mutex) {
        robust::before_wait(mutex, site);
    }
    let Use { before, misuse } = begin_use(cond, site);
    if sound {
        MUTEX.probe(mutex);
    }
    COND.probe(cond);
    let request = wait_request(Object(cond), Object(mutex), (timed, cancellable), site);
    visible_misusing(request, misuse);
    note_if_waited_destroyed(cond, &before, &request);
    signal::after_wait(site);
    leave(cond, COND.size, site);
    // The mutex was free in between, so another thread may have had it last and ended it.
    if sound && touch(mutex, MUTEX.size, site) {
        MUTEX.set_in_use(mutex, true);
    }
    let (alone, expired) = with(|engine| {
        // The event that took the mutex again names the event that ended the wait: a signal, or the thread's own
        // expiry.
        let events = engine.run.events();
        let by = engine.run.last_event().enabled_by.and_then(|by| events.get(by.index()));
        let alone = by.is_none_or(|by| by.operation.signals().is_none());
        (alone, alone && engine.run.has_expired(me()))
    });
    let told = if is_robust(mutex) { robust::after_lock(mutex, site) } else { 0 };
    if cancellable && alone {
        cancel::point(site);
    }
    if told == 0 && expired { ETIMEDOUT } else { told }
}

extern "C" fn wait(cond: u64, mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_cond_wait" as fn(u64, u64) -> i32)(cond, mutex);
    }
    wait_for(cond, mutex, false, of_call(pc))
}

extern "C" fn timedwait(cond: u64, mutex: u64, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_cond_timedwait" as fn(u64, u64, u64) -> i32)(cond, mutex, until);
    }
    wait_until(cond, mutex, clock_of(cond), until, of_call(pc))
}

extern "C" fn clockwait(cond: u64, mutex: u64, clock: i32, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_cond_clockwait" as fn(u64, u64, i32, u64) -> i32)(cond, mutex, clock, until);
    }
    if !is_wait_clock(clock) {
        return EINVAL;
    }
    wait_until(cond, mutex, clock as u64, until, of_call(pc))
}

/// The clock that a condition variable was set to use when it was initialised.
fn clock_of(cond: u64) -> u64 {
    /// Where the C library keeps the attributes, and which bit stands for `CLOCK_MONOTONIC`.
    const FLAGS: u64 = 36;
    const MONOTONIC: u32 = 2;
    // SAFETY: the program passes a condition variable, whose bytes can be read; if not, it faults as it would.
    let flags = unsafe { ((cond + FLAGS) as *const u32).read_unaligned() };
    if flags & MONOTONIC != 0 { 1 } else { REALTIME }
}

fn wait_until(cond: u64, mutex: u64, clock: u64, until: u64, site: SiteId) -> i32 {
    crate::hooks::argument_read(until, 16, site);
    if !is_valid_time(until) {
        return EINVAL;
    }
    let result = wait_for(cond, mutex, true, site);
    if result == ETIMEDOUT {
        advance_to(clock, until);
    }
    result
}

extern "C" fn signal(cond: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_cond_signal" as fn(u64) -> i32)(cond);
    }
    wake(cond, CondOperation::Signal { cond: Object(cond), woken: None }, of_call(pc))
}

extern "C" fn broadcast(cond: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_cond_broadcast" as fn(u64) -> i32)(cond);
    }
    wake(cond, CondOperation::Broadcast { cond: Object(cond), woken: ThreadSet::EMPTY }, of_call(pc))
}

extern "C" fn c11_init(cond: u64, pc: u64) -> i32 {
    if !started() {
        return real!("cnd_init" as fn(u64) -> i32)(cond);
    }
    c11::result(init(cond, 0, pc))
}

extern "C" fn c11_destroy(cond: u64, pc: u64) {
    if !started() {
        return real!("cnd_destroy" as fn(u64))(cond);
    }
    destroy(cond, pc);
}

extern "C" fn c11_wait(cond: u64, mutex: u64, pc: u64) -> i32 {
    if !started() {
        return real!("cnd_wait" as fn(u64, u64) -> i32)(cond, mutex);
    }
    c11::result(wait(cond, mutex, pc))
}

extern "C" fn c11_timedwait(cond: u64, mutex: u64, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("cnd_timedwait" as fn(u64, u64, u64) -> i32)(cond, mutex, until);
    }
    c11::result(timedwait(cond, mutex, until, pc))
}

extern "C" fn c11_signal(cond: u64, pc: u64) -> i32 {
    if !started() {
        return real!("cnd_signal" as fn(u64) -> i32)(cond);
    }
    c11::result(signal(cond, pc))
}

extern "C" fn c11_broadcast(cond: u64, pc: u64) -> i32 {
    if !started() {
        return real!("cnd_broadcast" as fn(u64) -> i32)(cond);
    }
    c11::result(broadcast(cond, pc))
}
