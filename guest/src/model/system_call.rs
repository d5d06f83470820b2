//! Calls of `syscall`. Those of futexes have a model; all others are the platform's affair.

use super::arguments::Frame;
use super::futex;
use crate::engine::site::of_call;
use crate::engine::{note_sleep, spoil_loops};
use crate::platform::program;

/// Serves a futex operation, and puts what `syscall` returns into the frame.
pub(super) fn serve_futex(frame: &mut Frame) {
    let result = futex::call(core::array::from_fn(|at| frame.argument(at + 1)), of_call(frame.return_address));
    frame.set_result(if result < 0 {
        program::set_errno(-result as u32);
        u64::MAX
    } else {
        result as u64
    });
}

/// Says what a system call that is no futex operation means for a waiting loop.
pub(super) fn note_in_loops(frame: &Frame) {
    const SCHED_YIELD: u64 = 24;
    if frame.argument(0) == SCHED_YIELD {
        note_sleep(of_call(frame.return_address));
    } else {
        spoil_loops();
    }
}
