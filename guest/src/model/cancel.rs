//! Cancellation: requests, cancellation points, and what a thread does that is cancelled.
//!
//! Whether a request has come is a word of the thread's descriptor as well, so that a loop that asks again and again is
//! parked like one that polls a variable. In a program that cannot cancel threads, nothing here is an operation.

use super::error::EINVAL;
use super::imports::imports_one_of;
use super::thread::{handle_of, leave, note_use_of_handle, refuse, thread_of};
use super::{export, real, unwinding};
use crate::engine::memory::word_of_cancellation;
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::threads::Cancellation;
use crate::engine::{attention, interruptions};
use crate::engine::{
    attention_of, last_event, log_futex_look, me, note_identity, note_unsafe, spoil_loops, unmodelled, visible, with,
};
use crate::hooks::argument_write;
use crate::platform::{Global, started};
use alloc::format;
use inspect_core::event::{CancelOperation, ControlOperation, Footprint, Object, SiteId, ThreadId};
use inspect_core::run::Request;
use inspect_wire::library::LibraryRow;

export! {
    interpose_pthread_cancel / 1 => cancel;
    interpose_pthread_testcancel / 0 => test;
    interpose_pthread_setcancelstate / 2 => set_state;
    interpose_pthread_setcanceltype / 2 => set_type;
}

/// What a join of a cancelled thread yields: `PTHREAD_CANCELED`.
const CANCELED: u64 = u64::MAX;

/// Which threads a program can cancel, as far as the functions that it uses say.
#[derive(Clone, Copy)]
struct Possible {
    any: bool,
    /// Only main itself can tell others its handle.
    main: bool,
}

fn possible() -> Possible {
    static POSSIBLE: Global<Option<Possible>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { POSSIBLE.get() }.get_or_insert_with(|| Possible {
        any: imports_one_of(&["pthread_cancel"]),
        main: imports_one_of(&["pthread_self", "thrd_current"]),
    })
}

/// Whether a request to cancel the running thread would have an effect at a cancellation point.
#[inline(always)]
fn is_cancellable() -> bool {
    let possible = possible();
    possible.any && may_be_asked(possible)
}

#[cold]
fn may_be_asked(possible: Possible) -> bool {
    let me = me();
    let acts = || with(|engine| engine.threads[me.index()].cancellation.acts());
    (possible.main || me != ThreadId::MAIN) && acts()
}

/// Whether a request may end a wait of the running thread.
pub(super) fn may_be_cancelled() -> bool {
    is_cancellable()
}

fn name(thread: ThreadId) {
    note_name(Object::cancellation(thread).0, || match thread {
        ThreadId::MAIN => "the cancellation of main".into(),
        thread => format!("the cancellation of thread {}", thread.0),
    });
}

extern "C" fn cancel(handle: u64, pc: u64) -> i32 {
    const ESRCH: i32 = 3;
    if !started() {
        return real!("pthread_cancel" as fn(u64) -> i32)(handle);
    }
    let site = of_call(pc);
    if !possible().any {
        unmodelled("pthread_cancel, by a library that was loaded later or is not instrumented", site);
    }
    let Some(thread) = thread_of(handle) else {
        return refuse(CancelOperation::Request(handle_of(ThreadId::UNKNOWN)).into(), site, ESRCH);
    };
    if thread == ThreadId::MAIN && !possible().main {
        unmodelled("pthread_cancel of main, whose handle the program does not ask for", site);
    }
    note_identity();
    name(thread);
    visible(Request::new(CancelOperation::Request(handle_of(thread)).into(), site));
    spoil_loops();
    note_use_of_handle(thread);
    // SAFETY: a word of a thread's descriptor, which lasts as long as the process.
    unsafe { (word_of_cancellation(thread).start as *mut u32).write_volatile(1) };
    0
}

extern "C" fn test(pc: u64) {
    if !started() {
        return real!("pthread_testcancel" as fn())();
    }
    point(of_call(pc));
}

/// A cancellation point at which the running thread does not wait, or before it does.
#[inline(always)]
pub(super) fn point(site: SiteId) {
    if is_cancellable() {
        look(site);
    }
}

#[cold]
fn look(site: SiteId) {
    if is_requested(site) {
        act(site);
    }
}

fn is_requested(site: SiteId) -> bool {
    note_identity();
    name(me());
    let request = Request::new(CancelOperation::Look { thread: me(), requested: false }.into(), site);
    visible(request);
    let requested = last_event().operation.succeeded() == Some(true);
    if !requested {
        let of_request = Footprint::of(&request.operation).iter().next();
        of_request.into_iter().for_each(|(range, _)| log_futex_look(&request, range));
    }
    requested
}

/// A call of a function with this row. Of functions that use streams POSIX leaves open whether they act on a request:
/// that is a choice.
#[inline(always)]
pub(super) fn point_of_call(row: &LibraryRow, site: SiteId) {
    if possible().any && is_cancellable() {
        act_in_call(row, site);
    }
}

#[cold]
fn act_in_call(row: &LibraryRow, site: SiteId) {
    if is_asynchronous() {
        note_unsafe(row.name, site);
    }
    if row.cancellation_point {
        look(site);
    } else if row.may_cancel() && is_requested(site) && chooses_second(site) {
        act(site);
    }
}

/// A choice between two ways to go on.
pub(super) fn chooses_second(site: SiteId) -> bool {
    let mut request = Request::new(ControlOperation::Choose.into(), site);
    request.count = 2;
    visible(request);
    last_event().choice == 1
}

/// The running thread is about to wait where a request may end the wait: chooses by which of the two the wait ends. It
/// returns if not by a request; whether it had a choice belongs into the request of the wait.
#[inline(always)]
pub(super) fn choose(site: SiteId) -> bool {
    is_cancellable() && chosen(site)
}

#[cold]
fn chosen(site: SiteId) -> bool {
    look(site);
    choose_in_call(site, || {})
}

/// The same in a call that has looked for a request when it began; `leave_call` comes before the thread ends.
pub(super) fn choose_in_call(site: SiteId, leave_call: impl FnOnce()) -> bool {
    if !is_cancellable() {
        return false;
    }
    if chooses_second(site) {
        visible(Request::new(CancelOperation::Accept(me()).into(), site));
        leave_call();
        act(site);
    }
    true
}

/// The running thread is about to wait for a signal: returns whether a request may end the wait.
#[inline(always)]
pub(super) fn before_wait(site: SiteId) -> bool {
    let cancellable = is_cancellable();
    if cancellable {
        look(site);
    }
    cancellable
}

/// The running thread is cancelled.
fn act(site: SiteId) -> ! {
    interruptions::cancel_at_once(false);
    leave(CANCELED, site)
}

/// Writes to the program's variable for the setting before.
fn give_before(variable: u64, before: i32, site: SiteId) {
    if variable != 0 {
        argument_write(variable, 4, site);
        // SAFETY: the program's variable.
        unsafe { (variable as *mut i32).write_unaligned(before) };
    }
}

extern "C" fn set_state(state: i32, before: u64, pc: u64) -> i32 {
    const DISABLED: i32 = 1;
    if !started() {
        return real!("pthread_setcancelstate" as fn(i32, u64) -> i32)(state, before);
    }
    if !(0..=DISABLED).contains(&state) {
        return EINVAL;
    }
    let site = of_call(pc);
    let disabled = change(|settings| core::mem::replace(&mut settings.disabled, state == DISABLED), site);
    give_before(before, i32::from(disabled), site);
    0
}

/// Whether a request to cancel the running thread has an effect wherever the thread is.
pub(crate) fn is_asynchronous() -> bool {
    is_cancellable() && with(|engine| engine.threads[me().index()].cancellation.asynchronous)
}

/// Where a request has an effect at any time, the running thread looks for one.
pub(crate) fn at_any_time(site: SiteId) {
    if !is_asynchronous() {
        return;
    }
    let held_back = interruptions::hold_back(true);
    let requested = is_requested(site);
    interruptions::hold_back(held_back);
    if requested {
        act(site);
    }
}

/// The running thread uses the heap.
#[inline(always)]
pub(crate) fn note_heap(pc: u64) {
    if attention_of(me()) & attention::CANCELLED_AT_ONCE != 0 {
        note_unsafe("malloc or another function of the heap", of_call(pc));
    }
}

/// The running thread changes whether, or where, requests have an effect: those that came before have theirs, and so
/// have those that are there afterwards.
fn change(change: impl FnOnce(&mut Cancellation) -> bool, site: SiteId) -> bool {
    at_any_time(site);
    let before = with(|engine| change(&mut engine.threads[me().index()].cancellation));
    interruptions::cancel_at_once(is_asynchronous());
    at_any_time(site);
    before
}

/// Asynchronous cancellation: the thread may be cancelled before each of its operations, before it changes its
/// settings, and before it ends. What it does between two operations nobody else can see.
extern "C" fn set_type(kind: i32, before: u64, pc: u64) -> i32 {
    const ASYNCHRONOUS: i32 = 1;
    if !started() {
        return real!("pthread_setcanceltype" as fn(i32, u64) -> i32)(kind, before);
    }
    if !(0..=ASYNCHRONOUS).contains(&kind) {
        return EINVAL;
    }
    let site = of_call(pc);
    if kind == ASYNCHRONOUS && possible().any {
        if me() == ThreadId::MAIN && possible().main {
            unmodelled("pthread_setcanceltype (PTHREAD_CANCEL_ASYNCHRONOUS) by main", site);
        }
        if unwinding::is_needed() {
            unmodelled("pthread_setcanceltype (PTHREAD_CANCEL_ASYNCHRONOUS), in a program with exceptions", site);
        }
    }
    let asynchronous = change(|settings| core::mem::replace(&mut settings.asynchronous, kind == ASYNCHRONOUS), site);
    give_before(before, i32::from(asynchronous), site);
    0
}
