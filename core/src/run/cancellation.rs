//! Requests to cancel threads, and the waits that they end.

use super::effect::After;
use super::{Run, Status};
use crate::event::{CancelOperation, CondOperation, EventIndex, Need, Operation, ThreadId, Wait};

impl Run {
    pub(super) fn outcome_at_cancellation(&self, operation: CancelOperation) -> Option<CancelOperation> {
        match operation {
            CancelOperation::Look { thread, .. } => {
                Some(CancelOperation::Look { thread, requested: self.is_cancelled(thread) })
            }
            CancelOperation::Request(_) | CancelOperation::Accept(_) => None,
        }
    }

    pub(super) fn apply_to_cancellation(&mut self, operation: CancelOperation) -> After {
        match operation {
            CancelOperation::Request(thread) => self.request_cancellation(thread),
            CancelOperation::Look { .. } | CancelOperation::Accept(_) => {}
        }
        After::RunsOn
    }

    /// The event that was recorded last requests that a thread be cancelled. The first request is what enables it.
    fn request_cancellation(&mut self, thread: ThreadId) {
        let by = EventIndex(self.trace.events.len() as u32 - 1);
        let slot = &mut self.threads[thread.index()];
        if slot.requested_by.is_some() {
            return;
        }
        slot.requested_by = Some(by);
        match slot.status {
            Status::Arrived if slot.need() == Need::RequestTo(thread) => {
                slot.enabled_by = Some(by);
                self.enabled.insert(thread);
            }
            Status::Waiting => self.end_cancelled_wait(thread),
            Status::Absent | Status::Running | Status::Arrived | Status::Parked | Status::Ended => {}
        }
    }

    /// A thread that waits for a signal can leave the wait because its cancellation was requested, if it allows that
    /// and could not leave it in any case.
    pub(super) fn end_cancelled_wait(&mut self, thread: ThreadId) {
        let slot = &mut self.threads[thread.index()];
        let Some(by) = slot.requested_by.filter(|_| slot.request.cancellable) else { return };
        if self.enabled.contains(thread) {
            return;
        }
        let Some(Wait { cond, mutex: Some(mutex), .. }) = slot.request.operation.wait() else { return };
        slot.set_operation(Operation::Cond(CondOperation::WaitExpire { cond, mutex }));
        slot.enabled_by = Some(by);
        self.enabled.insert(thread);
    }

    /// Whether the cancellation of a thread was requested.
    pub fn is_cancelled(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].requested_by.is_some()
    }

    /// Whether a thread waits for something else than the request that has come, where it had to choose.
    pub(super) fn has_chosen_otherwise(&self, thread: ThreadId) -> bool {
        let slot = &self.threads[thread.index()];
        let waits_for_signal = slot.status == Status::Parked && slot.request.operation.awaits_signal();
        slot.request.cancellable && (slot.status == Status::Arrived || waits_for_signal) && slot.requested_by.is_some()
    }

    /// Whether a thread waits for a request that has not come, where it had to choose.
    pub(super) fn waits_for_request(&self, thread: ThreadId) -> bool {
        let slot = &self.threads[thread.index()];
        slot.need() == Need::RequestTo(thread) && slot.requested_by.is_none()
    }
}
