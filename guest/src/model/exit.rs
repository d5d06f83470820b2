//! The end of the process by `exit` or `quick_exit`, and what is called then: functions that were registered (`atexit`,
//! `on_exit`, `at_quick_exit`, and `__cxa_atexit` for C++ objects of static storage), and the destructors of libraries.
//!
//! The C library takes each function from its list under a lock, the last registered first, and calls it without the
//! lock. So the order of what threads do with the list decides who calls which function: whether a function is
//! registered before another thread exits, and which of two threads that exit comes first. Each step at the list is an
//! operation: registering, and, right before the C library looks for the next function, the beginning of `exit` and the
//! return of a function. For the latter, the C library is given functions of the guest ([`call`]), which call those of
//! the program.
//!
//! Several threads may exit at a time. ISO C leaves that undefined; as in the C library up to version 2.40, each of
//! them calls what is left on the list.

use super::library_state::{self, Use};
use super::{descriptors, export, kept, memory_streams, real};
use crate::engine::exit_handlers::{Handler, handler, number_of};
use crate::engine::site::of_call;
use crate::engine::{call_back, keeps_buffers, me, set_uncomparable, unmodelled, with};
use crate::platform::exit::{self, has_written_all, open_streams};
use crate::platform::{program, started};
use inspect_core::event::SiteId;
use inspect_wire::library::Hidden::{self, ExitHandlers, QuickExitHandlers};

export! {
    interpose___cxa_atexit / 3 => register;
    interpose_on_exit / 2 => register_with_status;
    interpose___cxa_at_quick_exit / 2 => register_quick;
}

extern "C" fn register(function: u64, argument: u64, object: u64, pc: u64) -> i32 {
    let real = real!("__cxa_atexit" as fn(u64, u64, u64) -> i32);
    if !started() {
        return real(function, argument, object);
    }
    library_state::update(ExitHandlers, of_call(pc));
    real(call as *const () as u64, number_of(Handler { function, argument }), object)
}

/// `on_exit`: the function is given the status of the process before its argument.
extern "C" fn register_with_status(function: u64, argument: u64, pc: u64) -> i32 {
    let real = real!("on_exit" as fn(u64, u64) -> i32);
    if !started() {
        return real(function, argument);
    }
    library_state::update(ExitHandlers, of_call(pc));
    real(call_with_status as *const () as u64, number_of(Handler { function, argument }))
}

/// The running thread is about to look for the next function of a list. What threads have done before they registered a
/// function is not ordered before the function, as ISO C does not say so.
fn look(list: Hidden) {
    let site = with(|engine| engine.threads[me().index()].exit);
    library_state::update_in_order(list, site);
}

extern "C" fn call(number: u64, status: i32) {
    let Handler { function, argument } = handler(number);
    // SAFETY: the program has registered the function, which is given its argument and, beyond it, the status.
    let function: extern "C" fn(u64, i32) = unsafe { core::mem::transmute(function) };
    call_back(|| function(argument, status));
    look(ExitHandlers);
}

extern "C" fn call_with_status(status: i32, number: u64) {
    let Handler { function, argument } = handler(number);
    // SAFETY: the program has registered the function.
    let function: extern "C" fn(i32, u64) = unsafe { core::mem::transmute(function) };
    call_back(|| function(status, argument));
    look(ExitHandlers);
}

/// What the running thread does when it exits, before the C library does anything.
pub(crate) fn begin() {
    if exit::is_only_streams() {
        return;
    }
    // What the C library's frames hold is in no state.
    set_uncomparable(true);
    // As the C library does, which finds none any more.
    program::run_thread_local_destructors();
    look(ExitHandlers);
}

/// All functions that were registered in a run and all destructors were called. The C library writes out the buffers of
/// streams next.
pub(crate) fn end() {
    if !exit::is_only_streams() {
        look(ExitHandlers);
    }
    if keeps_buffers() {
        let site: SiteId = with(|engine| engine.threads[me().index()].exit);
        write_out_buffers(site);
    }
}

/// The process ends, and the C library writes out what streams have in buffers of the program's own.
fn write_out_buffers(site: SiteId) {
    let mut last = 0;
    let is_written_out = |stream| {
        memory_streams::has_to_write(stream)
            || kept::buffer_of(stream)
                .is_some_and(|buffer| !has_written_all(stream) || is_small_and_written(stream, buffer.len))
    };
    while let Some(stream) = open_streams().filter(|&stream| stream > last && is_written_out(stream)).min() {
        descriptors::use_stream(stream, Use::Change, site);
        last = stream;
    }
}

/// Whether a stream was written to last and has a buffer of so few bytes that the C library passes most writes on at
/// once. Others would keep them in the buffer, which has to last as long as the stream is open (C17 7.21.5.6).
fn is_small_and_written(stream: u64, len: u64) -> bool {
    const KEEPS_WRITES_FROM: u64 = 128;
    const WRITES: u32 = 0x800;
    // SAFETY: an open stream of the C library's list, whose first word are the flags.
    len < KEEPS_WRITES_FROM && unsafe { *(stream as *const u32) } & WRITES != 0
}

/// The C library gives functions that were registered for `quick_exit` no argument, so each number has a function of
/// its own.
extern "C" fn call_quick<const NUMBER: usize>() {
    // SAFETY: the program has registered the function.
    let function: extern "C" fn() = unsafe { core::mem::transmute(handler(NUMBER as u64).function) };
    call_back(|| function());
    look(QuickExitHandlers);
}

/// The functions for `quick_exit`, by number.
#[rustfmt::skip]
const QUICK: [extern "C" fn(); 32] = [
    call_quick::<0>, call_quick::<1>, call_quick::<2>, call_quick::<3>, call_quick::<4>, call_quick::<5>,
    call_quick::<6>,
    call_quick::<7>, call_quick::<8>, call_quick::<9>, call_quick::<10>, call_quick::<11>, call_quick::<12>,
    call_quick::<13>, call_quick::<14>, call_quick::<15>, call_quick::<16>, call_quick::<17>, call_quick::<18>,
    call_quick::<19>, call_quick::<20>, call_quick::<21>, call_quick::<22>, call_quick::<23>, call_quick::<24>,
    call_quick::<25>, call_quick::<26>, call_quick::<27>, call_quick::<28>, call_quick::<29>, call_quick::<30>,
    call_quick::<31>,
];

extern "C" fn register_quick(function: u64, object: u64, pc: u64) -> i32 {
    let real = real!("__cxa_at_quick_exit" as fn(u64, u64) -> i32);
    if !started() {
        return real(function, object);
    }
    library_state::update(QuickExitHandlers, of_call(pc));
    let number = number_of(Handler { function, argument: 0 });
    match QUICK.get(number as usize) {
        Some(call) => real(*call as *const () as u64, object),
        None => unmodelled("at_quick_exit of one more function, beside 32 exit handlers", of_call(pc)),
    }
}
