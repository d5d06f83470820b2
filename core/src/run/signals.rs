//! Signals that threads take.

use super::{Request, Run, World};
use crate::event::{Operation, SignalOperation, ThreadId};

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
    fn wanted_signals(&self, thread: ThreadId) -> u64 {
        let request = &self.threads[thread.index()].request;
        u64::from(request.count) | u64::from(request.expected) << 32
    }

    /// With what an operation of a thread compares the signals that are pending, if it does.
    #[inline]
    pub(super) fn compared_with_pending(&self, thread: ThreadId, operation: &Operation) -> Option<u64> {
        operation.concerns_signals().then(|| self.wanted_signals(thread))
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

    /// Whether some thread is parked at a loop, and does not merely wait for a signal.
    pub(super) fn some_spin(&self) -> bool {
        self.parked.iter().any(|thread| !self.threads[thread.index()].request.operation.awaits_signal())
    }
}
