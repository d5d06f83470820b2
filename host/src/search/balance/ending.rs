//! Why a shared search stops, and its result.

use crate::run::{GuestEnd, RunOutput};
use crate::search::checkpoint::Progressed;
use std::time::{Duration, Instant};

/// How long a worker that was asked to stop may take before it is killed.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// The same for a worker that has nothing to commit.
pub(super) const SHORT_GRACE: Duration = Duration::from_secs(2);
/// The result of a shared search.
#[derive(Debug)]
pub(crate) struct Shared {
    /// What each of the workers has reported.
    pub(crate) outputs: Vec<RunOutput>,
    /// What was done and what is left.
    pub(crate) state: Progressed,
    /// Whether the state has all that is left.
    pub(crate) is_left_known: bool,
    /// How it ended.
    pub(crate) end: GuestEnd,
    /// The limit of executions was reached.
    pub(crate) full: bool,
    /// Whether nothing is left.
    pub(crate) complete: bool,
    /// The largest number of threads of a run.
    pub(crate) threads: u32,
    /// The worker's own estimate of all executions, in a search that is not divided.
    pub(crate) estimated_total: Option<f64>,
    /// How many states the worker remembers, in such a search.
    pub(crate) states: Option<u64>,
}

impl Shared {
    /// The result of a search that had nothing to do.
    pub(crate) fn nothing() -> Shared {
        Shared {
            outputs: Vec::new(),
            state: Progressed::nothing(),
            is_left_known: true,
            end: GuestEnd::Done,
            full: false,
            complete: false,
            threads: 0,
            estimated_total: None,
            states: None,
        }
    }
}

/// Why the workers are to stop.
pub(super) struct Stopping {
    pub(super) why: GuestEnd,
    pub(super) until: Instant,
    pub(super) full: bool,
    /// Nothing was left.
    pub(super) finished: bool,
}

impl Stopping {
    pub(super) fn because(why: GuestEnd) -> Stopping {
        Stopping { why, until: Instant::now() + GRACE, full: false, finished: false }
    }
}
