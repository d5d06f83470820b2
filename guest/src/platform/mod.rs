//! Everything that is specific to Linux on x86-64, and the border with the engine.
//!
//! The platform makes one OS thread look like many, keeps the program's memory and its effects on the outside inside
//! the process, and brings all of it back between two runs. It decides nothing about interleavings: that is the
//! engine's part. This module's documentation is the contract between the two.
//!
//! # Naming what the library exports
//!
//! Everything written as `#[unsafe(no_mangle)] extern "C" fn interpose_NAME` is exported to the program under the name
//! `NAME` (the build renames it), and everything that starts with `__inspect_` is exported as it is. Nothing else is
//! visible. Inside the library a plain call of `memcpy`, written by the compiler, always means our own
//! [`mem`], never an interposer.
//!
//! # What the platform offers
//!
//! | | |
//! |---|---|
//! | [`started`] | false before the first run, and in a program that is not explored: interposers call [`elf::real`], hooks return at once |
//! | [`program`] | main, its arguments, the C library's entry points that the engine calls |
//! | [`float_control`] | the floating-point environment of the running thread |
//! | [`fiber`] | slots with stack and thread-local storage at fixed addresses; [`fiber::prepare`], [`fiber::switch`], [`fiber::set_current_slot`] |
//! | [`arena`] | the heap of the program: one deterministic arena per slot; [`arena::block_of`] |
//! | [`snapshot`] | [`snapshot::take`] before the first run, [`snapshot::restore`] after each one, [`snapshot::verify`] |
//! | [`checkpoint`] | the same in the middle of a run |
//! | [`output`] | what the program wrote to its standard output and error |
//! | [`clock`] | virtual time per slot |
//! | [`contents`] | a hash of what memory holds |
//! | [`fork`] | one run in a forked child |
//! | [`link`] | the shared memory of the host: send messages, counters |
//! | [`watchdog`] | ends a run that makes no progress |
//! | [`child`] | whether this process is a forked child, and how that gives up |
//!
//! A *slot* is the number of a thread (`ThreadId`): slot 0 is main. Everything a thread can observe (stack, TLS, heap
//! addresses, mappings, descriptors, time) is a function of its slot and of its own history.
//!
//! After [`snapshot::restore`] the engine calls [`snapshot::verify`] every so many runs and before it says `verified`.
//! When the first thread is created it calls [`program::note_threads`]. Every stack has 8 MiB, Linux's default for main
//! and threads; a thread that asks for more than [`fiber::LARGEST_STACK`] cannot be run.
//!
//! # Order of calls
//!
//! 1. `__libc_start_main` (ours) finds the shared memory, takes the constructors of the program away from the C library
//!    and calls the C library's; that calls our main. That maps the shared memory, decodes the job, builds the slots
//!    and calls [`Upcalls::main_loop`] on the engine stack, which never returns.
//! 2. The engine calls [`fiber::ensure_slots`] as it likes, then [`snapshot::take`] once (again after growing).
//!    In fork mode it calls [`snapshot::take_for_fork`] instead, and each run is a [`fork::run`].
//! 3. Then [`dispatch::arm`]; if that says no, no verdict is possible. [`watchdog::start`], and
//!    [`watchdog::note_progress`] at each visible operation.
//! 4. For each run: [`begin_run`], [`fiber::prepare`]`(0, size, entry, control)` where entry calls
//!    [`program::run_main`], then [`fiber::switch`] from the engine's context. The fibers switch among themselves. The
//!    run is over when one switches back to the engine's context. Then [`output::captured`] if wanted, then
//!    [`snapshot::restore`].
//!
//! Addresses of code are resolved by the host, with [`elf::modules`] as the first message.
//!
//! # What the engine must provide
//!
//! [`Upcalls`]: one constant of the crate's root implements it, named by [`upcalls::answer_upcalls`]. The real guest
//! and the platform's own test each have one.
#![cfg_attr(
    feature = "platform-selftest",
    allow(dead_code, unused_imports, reason = "the test engine uses only a part")
)]

pub mod affinity;
mod attributes;
mod call;
pub mod caller;
pub mod channels;
pub mod child;
mod constructors;
mod copy;
mod crash;
mod files;
mod handlers;
mod heap;
mod mappings;
mod maps;
mod mem;
mod membarrier;
mod mode;
pub mod names;
mod outside;
mod patch;
#[cfg(feature = "many-threads")]
mod preload;
mod random;
mod syscalls;
pub mod timing;
pub(crate) mod upcalls;

pub mod arena;
pub mod checkpoint;
pub mod clock;
pub mod contents;
pub mod dispatch;
pub mod elf;
pub mod exit;
pub mod fiber;
pub mod float_control;
pub mod fork;
pub mod global;
pub mod layout;
mod limits;
pub mod link;
pub mod output;
pub mod poison;
pub mod program;
pub mod recover;
pub mod sent;
pub mod sigaction;
pub mod signals;
pub mod snapshot;
pub mod start;
pub mod sys;
pub mod thread_attributes;
pub mod tokens;
pub mod unwind;
pub mod watchdog;

pub use call::Call;
pub(crate) use crash::tool_error;
pub use elf::engine_ranges;
pub use files::{Asked, PathObject, SocketPath};
pub use global::Global;
#[cfg(feature = "platform-selftest")]
pub use heap::used as engine_memory;
pub use heap::{EngineHeap, in_vault, vault_digest, vault_size};
pub use layout::{ARENAS, Range, STACKS, is_fixed};
pub use mappings::{ADDRESSES, Rights, any as any_mappings, memory_is_gone, rights_of_mappings};
pub use mode::{explored, started};
pub use patch::divert_call;
pub use sys::PAGE;
pub use upcalls::Upcalls;

/// Brings everything that the program can observe outside of its memory to the state that a run starts with. Called
/// before each run.
pub fn begin_run() {
    fiber::set_current_slot(0);
    outside::reset();
}

/// Whether the running code is on one of the engine's stacks, and not on that of a thread of the program.
pub fn is_on_engine_stack() -> bool {
    let local = 0u8;
    layout::ENGINE.contains(core::hint::black_box(&raw const local) as u64)
}

/// What stands for the file to which a path of the program's leads; the same in every process.
pub fn object_of_path(directory: i32, path: &core::ffi::CStr) -> Option<PathObject> {
    files::object_of(directory, path)
}

/// How often the run has renamed a file: then other paths may stand for files.
pub fn renames() -> u32 {
    files::renames()
}

/// How many numbers descriptors of the program can have.
pub const DESCRIPTORS: usize = files::DESCRIPTORS;

/// Whether the running thread made the descriptor.
pub fn is_descriptor_of_running_thread(fd: u64) -> bool {
    files::maker(fd) == Some(fiber::current_slot())
}

/// Whether a descriptor was open before the run, and is one of a file or of the null device, which are always ready.
pub fn is_always_ready(fd: u64) -> bool {
    files::is_always_ready(fd)
}

/// Whether the descriptor is open.
pub fn is_open(fd: u64) -> bool {
    files::is_kind_open(files::kind(fd))
}

/// What is at a path at which a socket is looked for.
pub fn find_socket(path: u64) -> SocketPath {
    files::find_socket(path)
}

/// Makes the file of a socket; 0 or an error number.
pub fn make_socket_file(path: u64, channel: u8) -> i64 {
    files::make_socket_file(path, channel)
}

/// Whether the descriptor is standard output or error, or a duplicate of one of them.
pub fn is_output(fd: u64) -> bool {
    files::is_output(fd)
}

/// A number that changes whenever the descriptor becomes another one or none.
pub fn generation_of_descriptor(fd: u64) -> u32 {
    files::generation(fd)
}

/// Whether the descriptor was opened for reading only.
pub fn is_read_only(fd: u64) -> bool {
    files::is_read_only(fd)
}

/// The absolute path of the file behind a descriptor; None if it has none.
pub fn path_of_descriptor(fd: u64) -> Option<alloc::string::String> {
    files::path_of(fd).map(files::without_process)
}
