//! Just enough of threads to test fibers: they take turns at `sched_yield`, in the order of their slots.

use super::ending::{ENGINE, end};
use crate::platform::float_control::FloatControl;
use crate::platform::{Global, elf, fiber, program};
use alloc::string::String;
use core::ffi::c_void;
use fiber::FiberContext;
use inspect_core::event::MAX_THREADS;

type Start = extern "C" fn(*mut c_void) -> *mut c_void;

#[derive(Clone, Copy)]
struct Thread {
    context: FiberContext,
    start: Option<Start>,
    argument: *mut c_void,
    result: *mut c_void,
    alive: bool,
}

const NONE: Thread = Thread {
    context: FiberContext::EMPTY,
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
    threads()[0] = Thread {
        context: fiber::prepare(0, fiber::LARGEST_STACK, program::run_main, FloatControl::INITIAL),
        alive: true,
        ..NONE
    };
    COUNT.write(1);
    // SAFETY: the context is fresh; the engine's waits.
    unsafe { fiber::switch(ENGINE.as_ptr(), &raw const threads()[0].context) };
}

/// All threads at a checkpoint.
pub(super) struct SavedThreads {
    threads: [Thread; MAX_THREADS],
    count: usize,
}

pub(super) fn save() -> SavedThreads {
    SavedThreads { threads: *threads(), count: COUNT.read() }
}

/// Goes on with the thread that asked for the checkpoint; returns at the end of the run.
pub(super) fn resume(saved: &SavedThreads) {
    *threads() = saved.threads;
    COUNT.write(saved.count);
    // SAFETY: the thread is suspended in `pause`, with its stack as it was then.
    unsafe { fiber::switch(ENGINE.as_ptr(), &raw const threads()[fiber::current_slot()].context) };
}

/// After how many more turns the run is interrupted for a checkpoint; 0 for never.
pub(super) static PAUSE_IN: Global<u64> = Global::new(0);
/// Whether the run was interrupted, not ended.
pub(super) static PAUSED: Global<bool> = Global::new(false);

fn pause(me: usize) {
    let left = PAUSE_IN.read();
    PAUSE_IN.write(left.saturating_sub(1));
    if left == 1 {
        PAUSED.write(true);
        // SAFETY: the engine waits.
        unsafe { fiber::switch(&raw mut threads()[me].context, ENGINE.as_ptr()) };
    }
}

/// Lets the next thread go on.
pub(super) fn yield_now() {
    pause(fiber::current_slot());
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
    attributes: *const c_void,
    start: Start,
    argument: *mut c_void,
) -> i32 {
    if !crate::platform::started() {
        type Create = extern "C" fn(*mut u64, *const c_void, Start, *mut c_void) -> i32;
        // SAFETY: the C library's function of this name.
        let real: Create = unsafe { core::mem::transmute(elf::real("pthread_create")) };
        return real(id, attributes, start, argument);
    }
    let slot = COUNT.read();
    assert!(slot < fiber::ready_slots(), "more threads than slots");
    program::note_threads();
    COUNT.write(slot + 1);
    let context = fiber::prepare(slot, fiber::LARGEST_STACK, run_thread, FloatControl::current());
    threads()[slot] = Thread { context, start: Some(start), argument, result: core::ptr::null_mut(), alive: true };
    // SAFETY: the program's place for the identifier.
    unsafe { *id = fiber::thread_pointer(slot) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn interpose_pthread_join(id: u64, result: *mut *mut c_void) -> i32 {
    const ESRCH: i32 = 3;
    if !crate::platform::started() {
        // SAFETY: the C library's function of this name.
        let real: extern "C" fn(u64, *mut *mut c_void) -> i32 =
            unsafe { core::mem::transmute(elf::real("pthread_join")) };
        return real(id, result);
    }
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
