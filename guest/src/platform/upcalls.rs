//! What the platform asks of the floors above it.

use super::call::Call;
use inspect_core::event::SiteId;
use inspect_wire::message::Job;

/// What goes wrong at a `free` or `realloc`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapError {
    /// The block was freed before.
    DoubleFree,
    /// The address is not that of a block.
    InvalidFree,
    /// The red zone after the block, or the header before it, was overwritten by code without hooks.
    Overflow,
}

/// The functions by which the platform reports to the floors above what the program does.
///
/// All but [`Upcalls::main_loop`], [`Upcalls::on_stalled`], [`Upcalls::on_stuck`] and [`Upcalls::on_tool_error`] are
/// called on the stack of the thread concerned (or on its reserve stack, after a crash), with
/// [`super::fiber::current_slot`] set. Those that return `!` make the end of the run a pending operation of the thread
/// and switch to another one.
///
/// `pc` is always an address inside the call of the program that is responsible, or its return address.
pub trait Upcalls: Sync {
    /// Does what the job orders and ends the process. Called once, on the engine stack, before main.
    fn main_loop(&self, job: Job) -> !;

    /// The thread got a fatal signal, from the processor or by raising it. `address` is that of the fault.
    fn on_crash(&self, signal: i32, address: u64, pc: u64) -> !;

    /// The thread has returned from main, or ends the process as the last one: exit handlers are about to run. Returns
    /// whether a stream has a buffer of the program's own.
    fn on_exiting(&self) -> bool;

    /// The thread ends the process, and all exit handlers and destructors have run.
    fn on_exited(&self);

    /// The thread ends the process: exit handlers have run, unless it called `_exit`.
    fn on_exit(&self, status: i32) -> !;

    /// The thread makes a call that Inspect has no model of.
    fn on_unmodelled(&self, call: &str, pc: u64) -> !;

    /// `free` or `realloc` was called with a wrong address, or found a damaged red zone.
    fn on_heap_error(&self, error: HeapError, pointer: u64, pc: u64) -> !;

    /// The heap of this run is larger than the job allows.
    fn on_memory_limit(&self) -> !;

    /// The thread was given a block of the heap; `untouched` if its bytes were not used before in this run. Also called
    /// before the engine starts.
    fn on_allocated(&self, start: u64, size: u64, untouched: bool, pc: u64);

    /// The thread allocates memory and is given a block that was not used before, although it has freed one of the
    /// size. Also called before the engine starts.
    fn on_reusable(&self);

    /// The thread gives a block of the heap back. Also called before the engine starts.
    fn on_freed(&self, start: u64, size: u64, pc: u64);

    /// `free` or `realloc` is about to look at the block: the engine may switch to other threads first. Also called
    /// before the engine starts.
    fn on_freeing(&self, block: u64, pc: u64);

    /// A function of the heap is about to write its result to these bytes of the program. Also called before the engine
    /// starts.
    fn on_result_written(&self, start: u64, size: u64, pc: u64);

    /// A function of the heap is about to look at what it keeps of the block. Also called before the engine starts.
    fn on_asked(&self, block: u64, pc: u64);

    /// The thread waits inside the C library as long as the word at `address` has the value `expected`. Returns what
    /// the futex call returns: 0, or a negated error number.
    fn on_futex_wait(&self, address: u64, expected: u32, pc: u64) -> i64;

    /// The thread makes a call that makes a channel, moves data through one or closes one, or polls descriptors.
    /// Returns what the call returns.
    fn on_channel_call(&self, call: &Call) -> i64;

    /// The thread wakes up to `count` threads that wait for the word at `address`. Returns the number woken.
    fn on_futex_wake(&self, address: u64, count: u32, pc: u64) -> i64;

    /// The thread yields the processor or sleeps, by a system call.
    fn on_yield(&self, pc: u64);

    /// The thread makes no progress: whether the engine observes what it accesses, and may end the run itself. Called
    /// in a signal handler, at each tick until the run goes on or is cut.
    fn on_stalled(&self) -> bool;

    /// The thread has made no progress for too long. Called on the service stack; the run is cut (limit Time).
    fn on_stuck(&self) -> !;

    /// Inspect itself has a defect: a panic or a fault in the guest. Called on the emergency stack.
    fn on_tool_error(&self, message: &str) -> !;

    /// The thread was given a value that differs from one reading to the next: a time or a random number.
    fn note_changing_input(&self);

    /// The thread was given a value that distinguishes it from other threads: its own number.
    fn note_identity(&self);

    /// The thread's clock is about to move on. The engine first brings the clocks of threads up to those of the threads
    /// that they are ordered after.
    fn before_time_passes(&self);

    /// The thread's clock moves on.
    fn note_time_passes(&self);

    /// The thread reads its clock, after a loop in which time passed at `passed_at`, and of which only one number of
    /// rounds was explored.
    fn on_time_after_loop(&self, passed_at: SiteId, pc: u64);

    /// Whether the running thread may run beside another one, which no thread has joined.
    fn has_other_threads(&self) -> bool;

    /// Whether there is a thread in this slot that has not ended.
    fn lives(&self, slot: usize) -> bool;

    /// Whether the run has created a thread in this slot.
    fn exists(&self, slot: usize) -> bool;

    /// Whether the call that the thread is making is known to make a descriptor.
    fn makes_descriptor(&self) -> bool;

    /// The thread is about to make an operation at this place: signals that interrupt it are delivered first.
    fn on_boundary(&self, site: SiteId);

    /// The thread makes an operation of this name, of a call that is not allowed where it may be cancelled at any time.
    fn on_unsafe_call(&self, call: &str, site: SiteId);

    /// The thread is about to make an access here, or to end: it may be cancelled, if it may be at any time.
    fn on_cancellable(&self, site: SiteId);

    /// Calls a function of the program for the thread: a signal handler.
    fn call_back(&self, function: &mut dyn FnMut());
}

unsafe extern "Rust" {
    // The guest is one compilation unit, so the compiler sees what this is and makes direct calls of it.
    // SAFETY: defined by `answer_upcalls!` with this type, as a constant.
    #[link_name = "inspect_upcalls"]
    safe static UPCALLS: &'static dyn Upcalls;
}

/// The implementation of the platform's calls.
#[inline(always)]
pub(crate) fn upcalls() -> &'static dyn Upcalls {
    UPCALLS
}

/// Names the implementation of the platform's calls: a constant whose type implements [`Upcalls`]. Used once, in the
/// crate's root.
macro_rules! answer_upcalls {
    ($answerer:expr) => {
        #[unsafe(no_mangle)]
        #[allow(non_upper_case_globals, reason = "the name of a symbol")]
        static inspect_upcalls: &dyn $crate::platform::upcalls::Upcalls = &$answerer;
    };
}
pub(crate) use answer_upcalls;
