//! Joins: those that wait, those that do not ([`super::thread_end`]), and those with a time limit; POSIX and C11.

use super::error::{EBUSY, EDEADLK, EINVAL, ESRCH, ETIMEDOUT};
use super::pause::{REALTIME, advance_to, is_valid_time, is_wait_clock};
use super::processors::announce_claim;
use super::thread::{refuse, thread_of, was_refused};
use super::thread_end::{Found, look};
use super::{c11, cancel, export, real};
use crate::engine::site::of_call;
use crate::engine::{me, note_identity, visible, with};
use crate::hooks::{argument_read, argument_write};
use crate::platform::{clock, started};
use inspect_core::event::{Operation, SiteId, ThreadId, ThreadOperation};
use inspect_core::run::Request;

export! {
    interpose_pthread_join / 2 => join;
    interpose_pthread_tryjoin_np / 2 => tryjoin;
    interpose_pthread_timedjoin_np / 3 => timedjoin;
    interpose_pthread_clockjoin_np / 4 => clockjoin;
    interpose_thrd_join / 2 => c11_join;
}

extern "C" fn join(handle: u64, result: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_join" as fn(u64, u64) -> i32)(handle, result);
    }
    let site = of_call(pc);
    let cancellable = cancel::choose(site);
    let thread = match joinable(handle, site) {
        Ok(thread) => thread,
        Err(error) => return error,
    };
    let mut request = Request::new(Operation::Thread(ThreadOperation::Join(thread)), site);
    request.cancellable = cancellable;
    perform(request, thread, result)
}

/// The thread with this handle, or the error of a call that wants to join it: a misuse. Whether the thread was joined
/// or detached before, the order of operations decides.
fn joinable(handle: u64, site: SiteId) -> Result<ThreadId, i32> {
    let Some(thread) = thread_of(handle) else {
        return Err(refuse(Operation::Thread(ThreadOperation::Join(ThreadId::UNKNOWN)), site, ESRCH));
    };
    if thread == me() {
        return Err(refuse(Operation::Thread(ThreadOperation::Join(thread)), site, EDEADLK));
    }
    Ok(thread)
}

/// Joins a thread, whose result goes to `result` unless that is null.
fn perform(request: Request, thread: ThreadId, result: u64) -> i32 {
    let site = request.site;
    visible(request);
    if was_refused() {
        return EINVAL;
    }
    announce_claim(thread, site);
    give_result(thread, result, site);
    0
}

/// The running thread has joined another one, whose result goes to `result` unless that is null.
fn give_result(thread: ThreadId, result: u64, site: SiteId) {
    clock::follow(me().index(), thread.index());
    if result != 0 {
        argument_write(result, 8, site);
        let value = result_of(thread);
        // SAFETY: the program's variable for the result.
        unsafe { (result as *mut u64).write_unaligned(value) };
    }
}

/// What an ended thread returned. A result other than 0 may distinguish the thread from others.
fn result_of(thread: ThreadId) -> u64 {
    let value = with(|engine| engine.threads[thread.index()].result);
    if value != 0 {
        note_identity();
    }
    value
}

extern "C" fn c11_join(handle: u64, result: u64, pc: u64) -> i32 {
    if !started() {
        return real!("thrd_join" as fn(u64, u64) -> i32)(handle, result);
    }
    let mut value = 0u64;
    let joined = join(handle, 0, pc);
    if joined == 0 && result != 0 {
        if let Some(thread) = thread_of(handle) {
            value = result_of(thread);
        }
        argument_write(result, 4, of_call(pc));
        // SAFETY: the program's variable for the result.
        unsafe { (result as *mut i32).write_unaligned(value as i32) };
    }
    c11::result(joined)
}

/// Joins a thread that has ended; otherwise `refused` is the result.
fn attempt(handle: u64, result: u64, refused: i32, site: SiteId) -> i32 {
    let thread = match joinable(handle, site) {
        Ok(thread) => thread,
        Err(error) => return error,
    };
    let operation = Operation::Thread(ThreadOperation::Join(thread));
    match look(thread, site) {
        Found::Runs => refused,
        Found::Detached => refuse(operation, site, EINVAL),
        Found::Ended => perform(Request::new(operation, site), thread, result),
    }
}

extern "C" fn tryjoin(handle: u64, result: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_tryjoin_np" as fn(u64, u64) -> i32)(handle, result);
    }
    if handle == real!("pthread_self" as fn() -> u64)() {
        return EBUSY;
    }
    attempt(handle, result, EBUSY, of_call(pc))
}

extern "C" fn timedjoin(handle: u64, result: u64, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_timedjoin_np" as fn(u64, u64, u64) -> i32)(handle, result, until);
    }
    timed(handle, result, REALTIME as i32, until, pc)
}

extern "C" fn clockjoin(handle: u64, result: u64, clock: i32, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_clockjoin_np" as fn(u64, u64, i32, u64) -> i32)(handle, result, clock, until);
    }
    timed(handle, result, clock, until, pc)
}

/// A join with a time limit is an attempt: one that is scheduled before the end of the thread has expired, and one that
/// waits longer is scheduled later. Without a time it is a join.
fn timed(handle: u64, result: u64, clock: i32, until: u64, pc: u64) -> i32 {
    let site = of_call(pc);
    if !is_wait_clock(clock) {
        return EINVAL;
    }
    if until == 0 {
        return join(handle, result, pc);
    }
    argument_read(until, 16, site);
    // The C library goes on waiting when the system refuses the time.
    if !is_valid_time(until) {
        return join(handle, result, pc);
    }
    cancel::point(site);
    let joined = attempt(handle, result, ETIMEDOUT, site);
    if joined == ETIMEDOUT {
        // A request may have come while the thread waited.
        cancel::point(site);
        advance_to(clock as u64, until);
    }
    joined
}
