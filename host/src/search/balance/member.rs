//! The ledger's entry for one worker.

use crate::error::ToolError;
use crate::run::Worker;
use inspect_core::explore::Counts;
use inspect_wire::work::{Bundle, Package};
use std::time::Instant;

/// A worker and its entry in the ledger.
pub(super) struct Member {
    pub(super) worker: Box<dyn Worker>,
    /// What is left of its last commit, and of the packages it has taken since.
    pub(super) left: Bundle,
    /// The package that was put down for it, until the worker is known to have taken it.
    pub(super) ahead: Option<Bundle>,
    /// How many packages were put down for it, and how many of them it has taken.
    pub(super) packages: u32,
    pub(super) taken: u32,
    /// Its last commit says that nothing is left to it, so it waits.
    pub(super) idle: bool,
    /// The request that it has not answered yet, and how many parts it was to give away.
    pub(super) asked: Option<(u32, u32)>,
    pub(super) committed: Instant,
    /// Counts and share covered that are committed, of its present pass.
    pub(super) counted: Counts,
    pub(super) covered: f64,
    pub(super) passes: u32,
    /// Heartbeat and transitions as they were last seen to change, and when that was.
    pub(super) pulse: (u64, u64, Instant),
}

impl Member {
    pub(super) fn hired(worker: Box<dyn Worker>, now: Instant) -> Member {
        Member {
            worker,
            left: Bundle::default(),
            ahead: None,
            packages: 0,
            taken: 0,
            idle: false,
            asked: None,
            committed: now,
            counted: Counts::default(),
            covered: 0.0,
            passes: 0,
            pulse: (0, 0, now),
        }
    }

    /// What the others have to do if it is killed now.
    pub(super) fn all_left(&self) -> Bundle {
        let mut all = self.left.clone();
        all.append(self.ahead.clone().unwrap_or_default());
        all
    }

    /// How many parts it could give away.
    pub(super) fn open(&self) -> u32 {
        self.worker.output().counters.open + self.ahead.as_ref().map_or(0, Bundle::len) as u32
    }

    pub(super) fn can_be_assigned(&self) -> bool {
        self.taken == self.packages
    }

    pub(super) fn assign(&mut self, work: Bundle) -> Result<(), ToolError> {
        debug_assert!(self.can_be_assigned() && self.ahead.is_none(), "there is one place for packages");
        let package = Package { pass: self.passes, work };
        self.worker.assign(&package).map_err(memory)?;
        self.ahead = Some(package.work);
        (self.idle, self.packages) = (false, self.packages.wrapping_add(1));
        Ok(())
    }

    /// Notes how many packages it has taken: the last one after its last commit that was read, or with it.
    pub(super) fn note_taken(&mut self, taken: u32) -> Result<(), ToolError> {
        self.taken = taken;
        if self.can_be_assigned() && self.ahead.is_some() {
            self.left.append(self.ahead.take().unwrap_or_default());
        }
        Ok(())
    }
}

/// What a worker or a file says is left, if it can be understood. It stays packed here: the items of one long run, each
/// with its whole prefix, take memory for the square of the run's length.
pub(super) fn checked(work: Bundle) -> Result<Bundle, ToolError> {
    if work.is_sound() { Ok(work) } else { Err(ToolError::new("what a worker has left cannot be understood")) }
}

/// The error of a worker that cannot be reached: what a rank says of itself, or what the shared memory of a guest is
/// not fit for.
pub(super) fn memory(error: std::io::Error) -> ToolError {
    let shared_memory = |error| ToolError::new(format!("cannot use the shared memory: {error}"));
    error.downcast::<ToolError>().unwrap_or_else(shared_memory)
}
