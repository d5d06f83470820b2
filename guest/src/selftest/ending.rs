//! How a run of the test ends.

use crate::platform::{Global, fiber};
use alloc::string::String;

/// Where the engine waits while a run is on its way.
pub(super) static ENGINE: Global<fiber::FiberContext> = Global::new(fiber::FiberContext::EMPTY);
/// How the run has ended.
pub(super) static ENDING: Global<String> = Global::new(String::new());

/// Ends the run from one of its threads.
pub(super) fn end(how: String) -> ! {
    // SAFETY: one OS thread; the borrow ends before the switch, and the engine waits in `run_once`.
    unsafe {
        *ENDING.get() = how;
        let mut abandoned = fiber::FiberContext::EMPTY;
        fiber::switch(&raw mut abandoned, ENGINE.as_ptr());
    }
    unreachable!("an ended run is not continued")
}
