//! The end of a thread in a program with exceptions, by `pthread_exit` or by cancellation: the unwinder of the program
//! leaves its functions one by one and runs their destructors and cleanup handlers, as it does for the C library.
//!
//! Handlers of functions of C without exceptions are in the thread's list ([`super::cleanup`]), of which each is run
//! when its function is reached. An initialiser of a once object in progress is given up by the personality routine of
//! its frame ([`super::once`]).

use super::cleanup::is_buffer;
use super::thread_end::end_thread;
use super::{real, verifier};
use crate::engine::frame_ends::frames_end;
use crate::engine::{me, unmodelled, with};
use crate::platform::{elf, fiber};
use inspect_core::event::{SiteId, ThreadId};

/// Whether the program has functions that the unwinder has to leave: their personality routines are in a library, or
/// the program does not link it.
pub(super) fn is_needed() -> bool {
    let is_there = |personality: &&str| !elf::find(personality).is_null();
    ["__gxx_personality_v0", "__gcc_personality_v0"].iter().any(is_there)
}

/// Leaves all functions of the running thread, and ends it.
pub(super) fn unwind(site: SiteId) -> ! {
    let force = elf::find("_Unwind_ForcedUnwind");
    if force.is_null() || elf::find("_Unwind_GetCFA").is_null() {
        unmodelled("the end of a thread in a program with exceptions but without the library's unwinder", site);
    }
    let exception = with(|engine| {
        let exception = &mut engine.threads[me().index()].exception;
        exception.0 = [0, not_rethrown as *const () as u64, 0, 0];
        &raw mut *exception as u64
    });
    type Stop = extern "C" fn(i32, i32, u64, u64, u64, u64) -> i32;
    // SAFETY: the unwinder's function of this name has this signature. The exception lies where the engine keeps it for
    // as long as the thread lives.
    let force = unsafe { core::mem::transmute::<*const (), extern "C" fn(u64, Stop, u64) -> i32>(force) };
    force(exception, stop, site.0);
    unmodelled("the end of a thread through functions that cannot be unwound", site)
}

/// What the unwinder calls at each frame before it leaves it.
extern "C" fn stop(_version: i32, actions: i32, _class: u64, _exception: u64, context: u64, site: u64) -> i32 {
    const END_OF_STACK: i32 = 16;
    const GO_ON: i32 = 0;
    let me = me();
    let (innermost, result) = with(|engine| {
        let state = &engine.threads[me.index()];
        (state.cleanup, state.result)
    });
    if actions & END_OF_STACK != 0 {
        if me != ThreadId::MAIN {
            frames_end(fiber::top(me.index()), SiteId(site));
        }
        end_thread(result);
    }
    let end = real!("_Unwind_GetCFA" as fn(u64) -> u64)(context);
    if is_buffer(innermost) && end > innermost {
        real!("_longjmp" as fn(u64, i32))(innermost, 1);
    }
    GO_ON
}

/// What is called if a handler for all exceptions does not throw this one on: the C library ends the process.
extern "C" fn not_rethrown(_reason: i32, _exception: u64) {
    verifier::abort_at(0);
}
