//! Signals that threads take.

use super::{Request, Run, World};
use crate::event::{Operation, SignalOperation, ThreadId};

impl Request {
    /// This request, with the signals of which it takes one, a bit each ([`SignalOperation::bit`]). They are kept in
    /// fields that such an operation does not use otherwise.
    pub fn with_signals(mut self, signals: u64) -> Self {
        (self.count, self.expected) = (signals as u32, (signals >> 32) as u32);
        self
    }
}

impl Run {
    /// The signals of which `thread` is about to take one.
    fn wanted_signals(&self, thread: ThreadId) -> u64 {
        let request = &self.threads[thread.index()].request;
        u64::from(request.count) | u64::from(request.expected) << 32
    }

    /// The signals with which an operation that concerns signals compares the pending ones; `None` for all other
    /// operations.
    #[inline]
    pub(super) fn compared_with_pending(&self, thread: ThreadId, operation: &Operation) -> Option<u64> {
        operation.concerns_signals().then(|| self.wanted_signals(thread))
    }

    /// The outcome of an operation that concerns signals, in the present state; `None` if it has only one.
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
            SignalOperation::Send { .. }
            | SignalOperation::SetTimer { .. }
            | SignalOperation::Expire { .. }
            | SignalOperation::Look { .. } => None,
        }
    }

    /// Whether some parked thread stands at the head of a loop that polls, and does not wait for a signal.
    pub(super) fn some_spin(&self) -> bool {
        self.parked.iter().any(|thread| !self.threads[thread.index()].request.operation.awaits_signal())
    }
}
