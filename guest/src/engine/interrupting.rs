//! The signals that interrupt threads, and whether one is pending for a thread. [`super::interruptions`] decides which
//! signals these are.

use crate::platform::{Global, sigaction};
use inspect_core::event::ThreadId;

static INTERRUPTING: Global<u64> = Global::new(0);

/// The signals that interrupt threads which do not block them, a bit each.
#[inline(always)]
pub(crate) fn interrupting() -> u64 {
    INTERRUPTING.read()
}

/// Says which signals interrupt threads, a bit each. Called between runs.
pub(super) fn set_interrupting(signals: u64) {
    INTERRUPTING.write(signals);
}

/// Whether a signal is pending that interrupts this thread.
pub(crate) fn is_pending(thread: ThreadId) -> bool {
    interrupting() != 0 && interrupting() & sigaction::deliverable(thread.index()) != 0
}
