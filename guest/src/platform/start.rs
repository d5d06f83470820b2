//! How Inspect gets hold of the program.
//!
//! The guest is the first library of the program, so the program's entry point calls our `__libc_start_main`. If the
//! program is not explored, the call is passed on as it is. Otherwise main is replaced: the C library initialises
//! itself, then calls [`explored_main`], which never returns. Each run begins with the program's constructors
//! ([`constructors`]).

use super::global::Global;
use super::layout::SHARED;
use super::mode::{self, explored};
use super::upcalls::upcalls;
use super::{arena, child, constructors, copy, elf, exit, fiber, handlers, layout, link, patch, program, random, sys};
use core::ffi::c_char;
use core::sync::atomic::Ordering;
use inspect_core::event::SiteId;
use inspect_core::explore::Counts;
use inspect_wire::message::{InconclusiveReason, Message};
use inspect_wire::shared;

type StartMain = extern "C" fn(program::Main, i32, *mut *mut c_char, *const (), *const (), *const (), *const ()) -> i32;

#[unsafe(no_mangle)]
extern "C" fn interpose___libc_start_main(
    main: program::Main,
    argc: i32,
    argv: *mut *mut c_char,
    init: *const (),
    fini: *const (),
    loader_fini: *const (),
    stack_end: *const (),
) -> i32 {
    // SAFETY: the C library's function of this name.
    let real: StartMain = unsafe { core::mem::transmute(elf::real("__libc_start_main")) };
    if !explored() {
        return real(main, argc, argv, init, fini, loader_fini, stack_end);
    }
    program::set_main(main);
    if !constructors::take_over() {
        sys::fatal("cannot take the constructors away from the C library: /proc/self/mem cannot be written");
    }
    exit::watch_end();
    // Programs from before glibc 2.34 have a function of their own here, which runs the constructors.
    let init = core::ptr::null();
    real(explored_main, argc, argv, init, fini, loader_fini, stack_end)
}

static JOB: Global<Option<inspect_wire::message::Job>> = Global::new(None);

/// Main of an explored program: sets everything up and leaves for the engine.
extern "C" fn explored_main(argc: i32, argv: *mut *mut c_char, envp: *mut *mut c_char) -> i32 {
    let arguments = constructors::Arguments { argc, argv, envp };
    program::set_arguments(arguments);
    fiber::map_engine_stacks();
    handlers::install();
    constructors::announce(&arguments);
    link::open();
    // The host may be killed before it could end this process, or may have been already.
    child::die_with_parent();
    let host = link::header().host.load(Ordering::Relaxed);
    if host != 0 && child::parent() != i64::from(host) {
        sys::exit(3);
    }
    if !patch::disable_fast_calls() {
        sys::fatal("cannot take the clock away from the program");
    }
    patch::shorten_exit(on_exit);
    let job = match link::job() {
        Ok(job) => job,
        Err(message) => sys::fatal(message),
    };
    link::open_state_table(&job);
    if threads_of_process() > 1 {
        refuse("a thread was created before main: it cannot be controlled");
    }
    raise_descriptor_limit();
    copy::choose();
    arena::set_limit(job.memory_limit);
    random::set_seed(job.seed);
    // SAFETY: one OS thread; only this function and, later, `engine_main` use the job.
    *unsafe { JOB.get() } = Some(job);
    mode::start();
    fiber::leave_for(layout::ENGINE_STACK, engine_main)
}

extern "C" fn on_exit(status: i32) -> ! {
    upcalls().on_exit(status)
}

/// The number of threads the kernel knows of.
fn threads_of_process() -> u64 {
    let mut stat = [0u64; 18];
    // SAFETY: the kernel reads the path and fills in the 144 bytes.
    let result =
        unsafe { sys::call2(sys::nr::__NR_stat, c"/proc/self/task".as_ptr() as u64, stat.as_mut_ptr() as u64) };
    // A directory has two links, and one for each of its directories: those are the threads.
    if sys::failed(result) { 1 } else { stat[2].saturating_sub(2) }
}

/// Ends a search that cannot begin: nothing was covered.
fn refuse(why: &str) -> ! {
    let reason = InconclusiveReason::Other(why.into());
    let sent = link::send(&Message::Inconclusive(reason))
        && link::send(&Message::Done { counts: Counts::default(), complete: false });
    if !sent {
        sys::fatal(why);
    }
    link::finish()
}

/// A call before main that cannot be controlled: the search does not begin.
pub(crate) fn refuse_call(call: &str, site: SiteId) -> ! {
    link::open();
    let known = link::send(&Message::Modules(elf::modules()));
    let reason = InconclusiveReason::Unmodelled { call: call.into(), site };
    let sent = known
        && link::send(&Message::Inconclusive(reason))
        && link::send(&Message::Done { counts: Counts::default(), complete: false });
    if !sent {
        sys::fatal(call);
    }
    link::finish()
}

/// The engine's descriptors lie above the usual limit.
fn raise_descriptor_limit() {
    const NOFILE: u64 = 7;
    let mut limit = [0u64; 2];
    // SAFETY: the kernel writes, then reads, a pair of limits.
    unsafe {
        if sys::call4(sys::nr::__NR_prlimit64, 0, NOFILE, 0, limit.as_mut_ptr() as u64) == 0 {
            limit[0] = limit[1];
            sys::call4(sys::nr::__NR_prlimit64, 0, NOFILE, limit.as_ptr() as u64, 0);
        }
    }
}

extern "C" fn engine_main() -> ! {
    const FIRST_SLOTS: usize = 8;
    fiber::ensure_slots(FIRST_SLOTS);
    // SAFETY: one OS thread; only this function and, before, `explored_main` use the job.
    match unsafe { JOB.get() }.take() {
        Some(job) => upcalls().main_loop(job),
        None => unreachable!("the job is decoded before the engine starts"),
    }
}

const _: () = assert!(SHARED.len() == shared::SIZE);
