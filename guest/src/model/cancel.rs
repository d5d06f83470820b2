//! Cancellation: requests, cancellation points, and what a thread does that is cancelled.
//!
//! Whether a request has come is a word of the thread's descriptor as well, so that a loop that asks again and again is
//! parked like one that polls a variable. In a program that cannot cancel threads, nothing here is an operation.

use super::error::EINVAL;
use super::imports::imports_one_of;
use super::thread::{leave, refuse, thread_of};
use super::{export, real};
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::{
    last_event, log_futex_look, me, note_identity, note_misuse, spoil_loops, unmodelled, visible, with,
};
use crate::hooks::argument_write;
use crate::platform::{Global, fiber, started};
use alloc::format;
use inspect_core::detect::FindingKind;
use inspect_core::event::{ByteRange, CancelOperation, ControlOperation, Object, Operation, SiteId, ThreadId};
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
    (possible.main || me != ThreadId::MAIN) && !with(|engine| engine.threads[me.index()].cancellation.disabled)
}

/// Whether a request may end a wait of the running thread.
pub(super) fn may_be_cancelled() -> bool {
    is_cancellable()
}

/// The word that says whether a request has come: in a part of the descriptor's head that the C library leaves unused.
fn word(thread: ThreadId) -> ByteRange {
    const UNUSED: u64 = 136;
    ByteRange { start: fiber::thread_pointer(thread.index()) + UNUSED, len: 4 }
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
        return refuse(CancelOperation::Request(ThreadId(u8::MAX)).into(), site, ESRCH);
    };
    if thread == ThreadId::MAIN && !possible().main {
        unmodelled("pthread_cancel of main, whose handle the program does not ask for", site);
    }
    note_identity();
    name(thread);
    let operation = Operation::Cancel(CancelOperation::Request(thread));
    visible(Request::new(operation, site));
    spoil_loops();
    let info = with(|engine| engine.run.thread_info(thread));
    if info.joined || info.detached && info.ended {
        note_misuse(FindingKind::ThreadGone, operation, Object(0), site);
    }
    // SAFETY: a word of a thread's descriptor, which lasts as long as the process.
    unsafe { (word(thread).start as *mut u32).write_volatile(1) };
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
        log_futex_look(&request, word(me()));
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
    if chooses_second(site) {
        visible(Request::new(CancelOperation::Accept(me()).into(), site));
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
    with(|engine| engine.threads[me().index()].cancellation.disabled = true);
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
    let disabled = with(|engine| {
        let cancellation = &mut engine.threads[me().index()].cancellation;
        core::mem::replace(&mut cancellation.disabled, state == DISABLED)
    });
    give_before(before, i32::from(disabled), of_call(pc));
    0
}

/// Asynchronous cancellation could come between any two instructions, and what others see of that is not explored.
extern "C" fn set_type(kind: i32, before: u64, pc: u64) -> i32 {
    const ASYNCHRONOUS: i32 = 1;
    if !started() {
        return real!("pthread_setcanceltype" as fn(i32, u64) -> i32)(kind, before);
    }
    if !(0..=ASYNCHRONOUS).contains(&kind) {
        return EINVAL;
    }
    if kind == ASYNCHRONOUS && possible().any {
        unmodelled("pthread_setcanceltype (PTHREAD_CANCEL_ASYNCHRONOUS)", of_call(pc));
    }
    let asynchronous = with(|engine| {
        let cancellation = &mut engine.threads[me().index()].cancellation;
        core::mem::replace(&mut cancellation.asynchronous, kind == ASYNCHRONOUS)
    });
    give_before(before, i32::from(asynchronous), of_call(pc));
    0
}
