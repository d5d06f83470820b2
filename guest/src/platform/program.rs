//! The program under test: its main, and what the engine calls of the C library.

use super::constructors::{self, Arguments};
use super::elf;
use super::exit::exit;
use super::fiber;
use super::global::Global;
use core::ffi::c_char;

/// The signature of main.
pub type Main = extern "C" fn(i32, *mut *mut c_char, *mut *mut c_char) -> i32;

#[derive(Clone, Copy)]
struct Program {
    main: Option<Main>,
    arguments: Arguments,
    call_tls_dtors: *const (),
}

static PROGRAM: Global<Program> = Global::new(Program {
    main: None,
    arguments: Arguments { argc: 0, argv: core::ptr::null_mut(), envp: core::ptr::null_mut() },
    call_tls_dtors: core::ptr::null(),
});

pub(super) fn set_main(main: Main) {
    let mut program = PROGRAM.read();
    program.main = Some(main);
    PROGRAM.write(program);
}

pub(super) fn set_arguments(arguments: Arguments) {
    let mut program = PROGRAM.read();
    program.arguments = arguments;
    program.call_tls_dtors = elf::find("__call_tls_dtors");
    PROGRAM.write(program);
}

/// Runs the constructors, main, the exit handlers and the destructors, on slot 0. Ends in
/// [`on_exit`](super::Upcalls::on_exit).
pub extern "C" fn run_main() -> ! {
    let program = PROGRAM.read();
    if let Some(main) = program.main {
        let arguments = program.arguments;
        constructors::construct(&arguments);
        let status = main(arguments.argc, arguments.argv, arguments.envp);
        exit(status);
    }
    unreachable!("main is known since the start")
}

/// Runs the destructors of the calling thread's C++ `thread_local` objects; part of a thread's end.
pub fn run_thread_local_destructors() {
    let function = PROGRAM.read().call_tls_dtors;
    if !function.is_null() {
        // SAFETY: the C library's function of this name.
        let function: extern "C" fn() = unsafe { core::mem::transmute(function) };
        function();
    }
}

/// Tells the C and C++ libraries that there is more than one thread, as `pthread_create` does: they leave out locks and
/// atomic operations before. The flag is memory of the program, so the next run starts without it.
pub fn note_threads() {
    static FLAG: Global<*mut u8> = Global::new(core::ptr::null_mut());
    if FLAG.read().is_null() {
        FLAG.write(elf::find("__libc_single_threaded").cast::<u8>().cast_mut());
    }
    if !FLAG.read().is_null() {
        // SAFETY: the C library's variable of this name, which is a byte.
        unsafe { *FLAG.read() = 0 };
    }
}

/// The address of the program's `errno` of the running thread.
fn errno_location() -> *mut i32 {
    static LOCATION: Global<*const ()> = Global::new(core::ptr::null());
    if LOCATION.read().is_null() {
        LOCATION.write(elf::real("__errno_location"));
    }
    // SAFETY: the C library's function of this name takes nothing and returns the address of the thread's errno.
    let location = unsafe { core::mem::transmute::<*const (), extern "C" fn() -> *mut i32>(LOCATION.read()) };
    location()
}

/// How far below a thread's thread pointer its `errno` is.
pub fn errno_below_thread_pointer() -> u64 {
    fiber::thread_pointer(fiber::current_slot()).wrapping_sub(errno_location() as u64)
}

/// Sets the program's `errno` of the running thread.
pub fn set_errno(error: u32) {
    // SAFETY: the thread's own variable.
    unsafe { *errno_location() = error as i32 };
}

/// The program's `errno` of the running thread.
pub fn errno() -> u32 {
    // SAFETY: the thread's own variable.
    unsafe { *errno_location() as u32 }
}

/// The page of the kernel's main stack from which on it holds arguments and environment: the program may change these.
/// Frames below them are never returned to, as the engine leaves that stack for good.
pub(super) fn argument_pages() -> u64 {
    PROGRAM.read().arguments.argv as u64 & !(super::sys::PAGE - 1)
}
