//! Names of threads, their priorities, and what `pthread_getattr_np` says of them. Names and priorities are kept by the
//! platform; to the scheduler they are one object with the processors of a thread ([`super::processors`]).

use super::error::{ERANGE, ESRCH};
use super::extent::length;
use super::processors::ThreadNamed;
use super::thread::thread_of;
use super::thread_end::{Found, look};
use super::{export, processors, real};
use crate::engine::site::of_call;
use crate::engine::{me, note_identity, unmodelled, with};
use crate::hooks::{argument_read, argument_write};
use crate::platform::thread_attributes::{self, NAME};
use crate::platform::{PAGE, fiber, started};
use inspect_core::event::{SiteId, ThreadId};

export! {
    interpose_pthread_setname_np / 2 => set_name;
    interpose_pthread_getname_np / 3 => get_name;
    interpose_pthread_getattr_np / 2 => get_attributes;
}

extern "C" fn set_name(handle: u64, name: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_setname_np" as fn(u64, u64) -> i32)(handle, name);
    }
    let site = of_call(pc);
    let len = length::<u8>(name, u64::MAX - name) as usize;
    argument_read(name, len as u64 + 1, site);
    if len >= NAME {
        return ERANGE;
    }
    let mut kept = [0; NAME];
    for (at, byte) in kept[..len].iter_mut().enumerate() {
        // SAFETY: inside the string that the program passes.
        *byte = unsafe { *((name + at as u64) as *const u8) };
    }
    let Some(thread) = thread_of(handle) else { return ESRCH };
    processors::announce(handle, true, true, site);
    thread_attributes::set_name(thread.index(), kept);
    0
}

/// As the system does, the calling thread writes all of its name with zeros behind it; of another one it is read from
/// a file.
extern "C" fn get_name(handle: u64, to: u64, len: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_getname_np" as fn(u64, u64, u64) -> i32)(handle, to, len);
    }
    let site = of_call(pc);
    if len < NAME as u64 {
        return ERANGE;
    }
    let Some(thread) = thread_of(handle) else { return ESRCH };
    processors::announce(handle, true, false, site);
    let name = thread_attributes::name_of(thread.index());
    let used = name.iter().position(|&byte| byte == 0).map_or(NAME, |len| len + 1);
    let used = if thread == me() { NAME } else { used };
    argument_write(to, used as u64, site);
    for (at, &byte) in name[..used].iter().enumerate() {
        // SAFETY: the program's buffer, which has room for a name; if not, it faults here as it would in the library.
        unsafe { ((to + at as u64) as *mut u8).write(byte) };
    }
    0
}

/// `prctl`, if the request is to name the calling thread.
pub(super) fn name_by_request(request: u64, name: u64, site: SiteId) {
    const SET_NAME: u32 = 15;
    if request as u32 == SET_NAME {
        argument_read(name, (length::<u8>(name, NAME as u64) + 1).min(NAME as u64), site);
        processors::announce(0, false, true, site);
    }
}

/// `prctl`, if the request is to tell the name of the calling thread.
pub(super) fn ask_by_request(request: u64, to: u64, site: SiteId) {
    const GET_NAME: u32 = 16;
    if request as u32 == GET_NAME {
        processors::announce(0, false, false, site);
        argument_write(to, NAME as u64, site);
    }
}

/// A call that asks for a priority, or changes it: of the calling thread, or of the one with a number, where `which`
/// says that it is that of one.
pub(super) fn use_priority(which: Option<(u64, u64)>, changes: bool, site: SiteId) {
    const OF_THREAD: u32 = 0;
    match which {
        None => processors::announce(0, false, changes, site),
        Some((which, number)) if which as u32 == OF_THREAD => processors::announce(number, false, changes, site),
        Some(_) => {}
    }
}

extern "C" fn get_attributes(handle: u64, attributes: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_getattr_np" as fn(u64, u64) -> i32)(handle, attributes);
    }
    let site = of_call(pc);
    let Some(thread) = thread_of(handle) else {
        unmodelled("pthread_getattr_np of a thread that does not exist", site);
    };
    if processors::use_by_handle(thread, false, site) == ThreadNamed::Gone {
        return ESRCH;
    }
    // The addresses are those of its stack.
    note_identity();
    let is_detached = match look(thread, site) {
        Found::Detached if with(|engine| engine.run.thread_info(thread).ended) => {
            unmodelled("pthread_getattr_np of a detached thread that has ended", site)
        }
        Found::Detached => true,
        Found::Runs | Found::Ended => false,
    };
    argument_write(attributes, 56, site);
    describe(thread, is_detached, attributes);
    0
}

/// Fills in attributes: where the stack of a thread is and how large, its guard, and whether it is detached.
fn describe(thread: ThreadId, is_detached: bool, attributes: u64) {
    let size = fiber::size_of_stack(thread.index());
    let end = fiber::top(thread.index()).next_multiple_of(PAGE);
    // Main has none that the C library knows of.
    let guard = if thread == ThreadId::MAIN { 0 } else { with(|engine| engine.threads[thread.index()].guard) };
    real!("pthread_attr_init" as fn(u64) -> i32)(attributes);
    real!("pthread_attr_setstack" as fn(u64, u64, u64) -> i32)(attributes, end - size, size);
    real!("pthread_attr_setguardsize" as fn(u64, u64) -> i32)(attributes, guard);
    real!("pthread_attr_setdetachstate" as fn(u64, i32) -> i32)(attributes, is_detached.into());
}
