//! Just enough of threads to test fibers: they take turns at `sched_yield`, in the order of their slots.

use super::{ENGINE, end};
use crate::platform::{Global, fiber, program};
use alloc::string::String;
use core::ffi::c_void;
use fiber::Context;
use inspect_core::event::MAX_THREADS;

type Start = extern "C" fn(*mut c_void) -> *mut c_void;

#[derive(Clone, Copy)]
struct Thread {
    context: Context,
    start: Option<Start>,
    argument: *mut c_void,
    result: *mut c_void,
    alive: bool,
}

const NONE: Thread = Thread {
    context: Context::EMPTY,
    start: None,
    argument: core::ptr::null_mut(),
    result: core::ptr::null_mut(),
    alive: false,
};

static THREADS: Global<[Thread; MAX_THREADS]> = Global::new([NONE; MAX_THREADS]);
static COUNT: Global<usize> = Global::new(0);

fn threads() -> &'static mut [Thread; MAX_THREADS] {
    // SAFETY: no reference is kept over a switch.
    unsafe { THREADS.get() }
}

pub(super) fn begin() {
    threads()[0] = Thread { context: fiber::prepare(0, program::run_main), alive: true, ..NONE };
    COUNT.write(1);
    // SAFETY: the context is fresh; the engine's waits.
    unsafe { fiber::switch(ENGINE.as_ptr(), &raw const threads()[0].context) };
}

/// Lets the next thread go on.
pub(super) fn yield_now() {
    let me = fiber::current_slot();
    let count = COUNT.read();
    let next = (1..=count).map(|step| (me + step) % count).find(|&slot| threads()[slot].alive);
    match next {
        None => end(String::from("no thread left")),
        Some(next) if next == me => {}
        Some(next) => {
            fiber::set_current_slot(next);
            // SAFETY: a suspended thread of this run.
            unsafe { fiber::switch(&raw mut threads()[me].context, &raw const threads()[next].context) };
        }
    }
}

extern "C" fn run_thread() -> ! {
    let me = fiber::current_slot();
    let Thread { start, argument, .. } = threads()[me];
    if let Some(start) = start {
        threads()[me].result = start(argument);
    }
    program::run_thread_local_destructors();
    threads()[me].alive = false;
    yield_now();
    unreachable!("a thread that ended is not continued")
}

#[unsafe(no_mangle)]
extern "C" fn interpose_pthread_create(
    id: *mut u64,
    _attributes: *const c_void,
    start: Start,
    argument: *mut c_void,
) -> i32 {
    let slot = COUNT.read();
    assert!(slot < fiber::ready_slots(), "more threads than slots");
    program::note_threads();
    COUNT.write(slot + 1);
    let context = fiber::prepare(slot, run_thread);
    threads()[slot] = Thread { context, start: Some(start), argument, result: core::ptr::null_mut(), alive: true };
    // SAFETY: the program's place for the identifier.
    unsafe { *id = fiber::thread_pointer(slot) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn interpose_pthread_join(id: u64, result: *mut *mut c_void) -> i32 {
    const ESRCH: i32 = 3;
    let Some(slot) = fiber::slot_of_thread_pointer(id) else { return ESRCH };
    while threads()[slot].alive {
        yield_now();
    }
    if !result.is_null() {
        // SAFETY: the program's place for the result.
        unsafe { *result = threads()[slot].result };
    }
    0
}
