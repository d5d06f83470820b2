//! What the engine knows of each thread of the program.

use super::run_data::{RunData, refill};
use crate::platform::Global;
use crate::platform::fiber::{self, FiberContext};
use alloc::vec::Vec;
use inspect_core::event::{ByteRange, MAX_THREADS, Operation, SiteId, ThreadId};
use inspect_core::run::{Run, StateKey};

/// The thread that is running.
#[inline(always)]
pub(crate) fn me() -> ThreadId {
    ThreadId::at(fiber::current_slot())
}

/// What belongs to a thread of the program for the length of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadState {
    /// Its start routine.
    pub(crate) start: u64,
    /// The argument of that routine.
    pub(crate) argument: u64,
    /// What it returned or passed to its exit.
    pub(crate) result: u64,
    /// Where it called `exit` or returned from main.
    pub(crate) exit: SiteId,
    /// Innermost cleanup buffer (`pthread_cleanup_push`), or 0.
    pub(crate) cleanup: u64,
    /// What a request to cancel it does.
    pub(crate) cancellation: Cancellation,
    /// It does not look for signals now.
    pub(crate) holds_back: bool,
    /// It has looked for signals since its last operation.
    pub(crate) has_looked: bool,
    /// What the unwinder is given if it has to end the thread.
    pub(crate) exception: Exception,
    /// The operation that a parked loop was woken with: its event is recorded, the thread is on its way to perform it.
    pub(crate) granted: Option<Granted>,
    /// Where it has arrived, for a search that compares states.
    pub(crate) program_point: ProgramPoint,
    /// How many reasons there are for which states with the thread here cannot be compared: handlers, destructors and
    /// initialisers that run, calls of models that remember something.
    pub(crate) uncomparable: u32,
    /// The event whose value after the operation is still to be recorded, in a replay.
    pub(crate) unsettled: Option<(u32, ByteRange)>,
    /// Bytes of the guard of its stack, as its attributes say.
    pub(crate) guard: u64,
}

/// An exception as the unwinder wants it (`struct _Unwind_Exception`): its class, what is called when a handler drops
/// it, and two words of the unwinder's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(16))]
pub(crate) struct Exception(pub(crate) [u64; 4]);

/// What a thread has set for its own cancellation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cancellation {
    /// Requests are kept until cancellation is enabled again.
    pub(crate) disabled: bool,
    /// The type is asynchronous.
    pub(crate) asynchronous: bool,
    /// The thread runs its cleanup handlers and destructors, and then ends: requests are kept for good.
    pub(crate) ending: bool,
}

impl Cancellation {
    /// Whether a request has an effect at a cancellation point.
    pub(crate) fn acts(&self) -> bool {
        !self.disabled && !self.ending
    }
}

/// An operation that is in the trace before its thread has reached it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Granted {
    /// The first bytes that it touches, or those that stand for the object.
    pub(crate) place: ByteRange,
    /// Where it stands.
    pub(crate) site: SiteId,
}

/// Where a thread has arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramPoint {
    /// Where its operation stands.
    pub(super) site: SiteId,
    /// A hash of the operations of the innermost call, without the last one.
    pub(super) operations: StateKey,
    /// The last of these operations.
    pub(super) last: Operation,
    /// The innermost call writes to no memory that its operations do not name.
    pub(super) quiet: bool,
    /// A variable of one of the thread's frames was changed, and the engine does not know of which.
    pub(super) lost: bool,
}

impl ProgramPoint {
    /// The point of a thread that is about to end: nothing in its frames matters any more.
    pub(super) const NOWHERE: ProgramPoint =
        ProgramPoint { site: SiteId(0), operations: 0, last: Operation::IDLE, quiet: false, lost: false };
}

impl ThreadState {
    /// A thread that has not begun.
    pub(super) const NEW: ThreadState = ThreadState {
        start: 0,
        argument: 0,
        result: 0,
        exit: SiteId(0),
        cleanup: 0,
        cancellation: Cancellation { disabled: false, asynchronous: false, ending: false },
        holds_back: false,
        has_looked: false,
        exception: Exception([0; 4]),
        granted: None,
        program_point: ProgramPoint::NOWHERE,
        uncomparable: 0,
        unsettled: None,
        guard: 0,
    };
}

impl RunData for [ThreadState; MAX_THREADS] {
    /// The state of each thread of the run.
    type Saved = Vec<ThreadState>;
    type Left = ();

    fn begin(&mut self, run: &Run) {
        self[..run.paths().len()].fill(ThreadState::NEW);
    }

    fn save(&mut self, run: &Run, saved: &mut Vec<ThreadState>) -> bool {
        refill(saved, &self[..run.paths().len()]);
        true
    }

    fn restore(&mut self, run: &Run, saved: &Vec<ThreadState>) {
        let (held, later) = self[..run.paths().len()].split_at_mut(saved.len());
        held.copy_from_slice(saved);
        later.fill(ThreadState::NEW);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}

/// Where each thread of the program goes on.
pub(crate) static CONTEXTS: Global<[FiberContext; MAX_THREADS]> = Global::new([FiberContext::EMPTY; MAX_THREADS]);

/// Where the engine goes on at the end or at a pause of a run.
pub(crate) static HOME: Global<FiberContext> = Global::new(FiberContext::EMPTY);

/// [`CONTEXTS`], as a part of the engine.
pub(crate) struct Contexts;

impl RunData for Contexts {
    /// The context of each thread of the run.
    type Saved = Vec<FiberContext>;
    type Left = ();

    /// A context is written before its thread is switched to.
    fn begin(&mut self, _run: &Run) {}

    fn save(&mut self, run: &Run, saved: &mut Vec<FiberContext>) -> bool {
        // SAFETY: no thread of the program runs, and only running threads use the table.
        refill(saved, &unsafe { CONTEXTS.get() }[..run.paths().len()]);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Vec<FiberContext>) {
        // SAFETY: as above.
        let contexts = unsafe { CONTEXTS.get() };
        contexts[..saved.len()].copy_from_slice(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
