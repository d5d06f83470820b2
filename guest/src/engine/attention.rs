//! Reasons for which the hooks of a thread leave the fast path: one bit each, in a byte for each thread.

use super::run_data::{RunData, refill};
use crate::platform::Global;
use alloc::vec::Vec;
use inspect_core::event::{MAX_THREADS, ThreadId};
use inspect_core::run::Run;

/// The iterations of a loop that may have to be parked are logged.
pub(crate) const LOOP: u8 = 1;
/// The thread was woken from a park: its next operation is in the trace already.
pub(crate) const GRANTED: u8 = 2;
/// Values and call stacks are recorded for reports.
pub(crate) const VALUES: u8 = 4;
/// Every access is recorded in the pruning log.
pub(crate) const RECORDS: u8 = 8;
/// The thread makes no progress: its plain accesses are observed.
pub(crate) const STALLED: u8 = 16;

/// Signals may interrupt the thread before its operations.
pub(crate) const SIGNALS: u8 = 32;
/// The thread may be cancelled before any of its operations.
pub(crate) const CANCELLED_AT_ONCE: u8 = 64;

static ATTENTION: Global<[u8; MAX_THREADS]> = Global::new([0; MAX_THREADS]);

/// The reasons that every thread has at the start of a run.
static INITIAL: Global<u8> = Global::new(0);

/// The thread's reasons for leaving the fast path.
#[inline(always)]
pub(crate) fn attention(thread: ThreadId) -> u8 {
    // SAFETY: a plain read; one OS thread.
    unsafe { (*ATTENTION.as_ptr())[thread.index()] }
}

/// Adds reasons for leaving the fast path to those of a thread (`on`), or removes them.
pub(super) fn set_attention(thread: ThreadId, reasons: u8, on: bool) {
    // SAFETY: one OS thread; no other reference is in use.
    let slot = &mut unsafe { ATTENTION.get() }[thread.index()];
    *slot = if on { *slot | reasons } else { *slot & !reasons };
}

/// Every thread of every run has these reasons from its start. Called before the first run.
pub(crate) fn always(reasons: u8) {
    INITIAL.write(INITIAL.read() | reasons);
}

/// The reasons of all threads, as a part of the engine.
pub(crate) struct Attention;

impl RunData for Attention {
    /// The reasons of each thread of the run.
    type Saved = Vec<u8>;
    type Left = ();

    fn begin(&mut self, run: &Run) {
        // A thread number that no earlier run used needs the initial reasons, too; if there are none, its entry is 0
        // already.
        let changed = if INITIAL.read() == 0 { run.paths().len() } else { MAX_THREADS };
        // SAFETY: no thread of the program runs, and only their hooks use the table.
        let attention = unsafe { ATTENTION.get() };
        attention[..changed].fill(INITIAL.read());
    }

    fn save(&mut self, run: &Run, saved: &mut Vec<u8>) -> bool {
        // SAFETY: no thread of the program runs, and only their hooks use the table.
        refill(saved, &unsafe { ATTENTION.get() }[..run.paths().len()]);
        true
    }

    fn restore(&mut self, run: &Run, saved: &Vec<u8>) {
        self.begin(run);
        // SAFETY: as above.
        let attention = unsafe { ATTENTION.get() };
        attention[..saved.len()].copy_from_slice(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
