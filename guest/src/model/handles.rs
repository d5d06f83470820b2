//! Calls that ask for the clock, the policy or the priority of a thread that is given by its handle, or change these.
//! Of a thread that has ended and can still be joined the C library says that there is none.

use super::error::ESRCH;
use super::processors::{ThreadNamed, use_by_handle};
use super::thread::{refuse, thread_of};
use super::{export, real};
use crate::engine::site::of_call;
use crate::hooks::{argument_read, argument_write};
use crate::platform::started;
use inspect_core::event::{Operation, SiteId, ThreadId, ThreadOperation};

export! {
    interpose_pthread_getcpuclockid / 2 => get_clock;
    interpose_pthread_getschedparam / 3 => get_scheduling;
    interpose_pthread_setschedparam / 3 => set_scheduling;
    interpose_pthread_setschedprio / 2 => set_scheduling_priority;
}

/// What a call finds that names a thread by this handle: the misuse of a handle is noted.
pub(super) fn named_by(handle: u64, changes: bool, site: SiteId) -> ThreadNamed {
    if let Some(thread) = thread_of(handle) {
        return use_by_handle(thread, changes, site);
    }
    refuse(Operation::Thread(ThreadOperation::Detach(ThreadId::UNKNOWN)), site, ESRCH);
    ThreadNamed::Gone
}

extern "C" fn get_clock(handle: u64, clock: u64, pc: u64) -> i32 {
    let real = real!("pthread_getcpuclockid" as fn(u64, u64) -> i32);
    if !started() {
        return real(handle, clock);
    }
    let site = of_call(pc);
    if named_by(handle, false, site) != ThreadNamed::Lives {
        return ESRCH;
    }
    argument_write(clock, 4, site);
    real(handle, clock)
}

extern "C" fn get_scheduling(handle: u64, policy: u64, parameters: u64, pc: u64) -> i32 {
    let real = real!("pthread_getschedparam" as fn(u64, u64, u64) -> i32);
    if !started() {
        return real(handle, policy, parameters);
    }
    let site = of_call(pc);
    if named_by(handle, false, site) != ThreadNamed::Lives {
        return ESRCH;
    }
    argument_write(policy, 4, site);
    argument_write(parameters, 4, site);
    real(handle, policy, parameters)
}

extern "C" fn set_scheduling(handle: u64, policy: i32, parameters: u64, pc: u64) -> i32 {
    let real = real!("pthread_setschedparam" as fn(u64, i32, u64) -> i32);
    if !started() {
        return real(handle, policy, parameters);
    }
    let site = of_call(pc);
    argument_read(parameters, 4, site);
    if named_by(handle, true, site) != ThreadNamed::Lives {
        return ESRCH;
    }
    real(handle, policy, parameters)
}

extern "C" fn set_scheduling_priority(handle: u64, priority: i32, pc: u64) -> i32 {
    let real = real!("pthread_setschedprio" as fn(u64, i32) -> i32);
    if !started() {
        return real(handle, priority);
    }
    if named_by(handle, true, of_call(pc)) != ThreadNamed::Lives {
        return ESRCH;
    }
    real(handle, priority)
}
