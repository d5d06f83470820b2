//! Where a run can be interrupted for a checkpoint: the running thread has handed its next operation to the scheduler,
//! and the scheduler has not seen it. The thread waits on the service stack, of which a checkpoint holds the part in
//! use.

use super::run_data::{RunData, refill};
use super::threads::HOME;
use crate::platform::Global;
use crate::platform::fiber::{self, FiberContext};
use crate::platform::layout::SERVICE_STACK;
use alloc::vec::Vec;
use inspect_core::run::Run;

static WAITING: Global<FiberContext> = Global::new(FiberContext::EMPTY);
static PAUSED: Global<bool> = Global::new(false);

/// Lets the engine take a checkpoint of this moment. Called on the service stack; returns in each run that goes on from
/// here.
#[cold]
#[inline(never)]
pub(super) fn pause() {
    PAUSED.write(true);
    WAITING.write(fiber::own_context());
    // SAFETY: the engine waits at its context, and comes back to this one, now or after it has brought back the stack.
    unsafe { fiber::switch(WAITING.as_ptr(), HOME.as_ptr()) };
}

/// Whether the run has come to a pause and not to its end.
pub(crate) fn paused() -> bool {
    let paused = PAUSED.read();
    PAUSED.write(false);
    paused
}

/// Where a paused or resumed run goes on.
pub(crate) fn waiting() -> *const FiberContext {
    WAITING.as_ptr()
}

/// The service stack of a paused run, as a part of the engine.
pub(crate) struct ServiceStack;

/// Where the running thread waits, and the part of the service stack from there on.
pub(crate) struct PausedStack {
    waiting: FiberContext,
    bytes: Vec<u8>,
}

impl Default for PausedStack {
    fn default() -> Self {
        PausedStack { waiting: FiberContext::EMPTY, bytes: Vec::new() }
    }
}

impl RunData for ServiceStack {
    type Saved = PausedStack;
    type Left = ();

    /// Nothing is on the service stack between two runs.
    fn begin(&mut self, _run: &Run) {}

    fn save(&mut self, _run: &Run, saved: &mut PausedStack) -> bool {
        saved.waiting = WAITING.read();
        let len = (SERVICE_STACK.end - saved.waiting.stack) as usize;
        // SAFETY: the running thread's part of the service stack, where it waits.
        refill(&mut saved.bytes, unsafe { core::slice::from_raw_parts(saved.waiting.stack as *const u8, len) });
        true
    }

    fn restore(&mut self, _run: &Run, saved: &PausedStack) {
        let waiting = saved.waiting.stack as *mut u8;
        // SAFETY: nothing runs on the service stack, and this part of it has the size it had when it was copied.
        unsafe { core::ptr::copy_nonoverlapping(saved.bytes.as_ptr(), waiting, saved.bytes.len()) };
        WAITING.write(saved.waiting);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
