//! Signals that threads take.

use super::thread::Status;
use super::{Request, Run, World};
use crate::event::{Need, SignalOperation, ThreadId};

impl Request {
    /// A request to take one of these signals, a bit each ([`SignalOperation::bit`]). They are kept in fields that such
    /// an operation does not use.
    pub fn with_signals(mut self, signals: u64) -> Self {
        (self.count, self.expected) = (signals as u32, (signals >> 32) as u32);
        self
    }
}

impl Run {
    /// Which signals a thread is about to take one of.
    pub(super) fn wanted_signals(&self, thread: ThreadId) -> u64 {
        let request = &self.threads[thread.index()].request;
        u64::from(request.count) | u64::from(request.expected) << 32
    }

    #[inline(never)]
    pub(super) fn outcome_of_signal(
        &self,
        thread: ThreadId,
        operation: SignalOperation,
        world: &impl World,
    ) -> Option<SignalOperation> {
        let is_there = |pending| world.value(SignalOperation::bytes_of(pending)) & self.wanted_signals(thread) != 0;
        match operation {
            SignalOperation::Take { pending, alias, .. } => {
                Some(SignalOperation::Take { pending, taken: is_there(pending), alias })
            }
            SignalOperation::Await { pending, alias, .. } => {
                Some(SignalOperation::Await { pending, taken: is_there(pending), alias })
            }
            SignalOperation::Send { .. } | SignalOperation::Look { .. } => None,
        }
    }

    /// Whether a thread is in the middle of a wait: at a condition variable, a futex word or a barrier, or taking its
    /// mutex again.
    pub fn is_waiting(&self, thread: ThreadId) -> bool {
        let slot = &self.threads[thread.index()];
        let waits = slot.request.operation.wait().is_some() && slot.request.operation.begins_wait().is_none();
        matches!(slot.status, Status::Arrived | Status::Waiting) && (waits || matches!(slot.need(), Need::Round(_)))
    }

    /// Whether some thread is parked at a loop, and does not merely wait for a signal.
    pub(super) fn some_spin(&self) -> bool {
        self.parked.iter().any(|thread| !self.threads[thread.index()].request.operation.awaits_signal())
    }
}
