//! Requests to cancel threads, and the waits that they end.

use super::effect::After;
use super::{Run, Status};
use crate::event::{
    CancelOperation, CondOperation, EventIndex, FindingKind, Handle, Need, Object, Operation, ThreadId, Wait,
};

impl Run {
    /// The outcome of an operation that concerns cancellation, in the present state; `None` if it has only one.
    pub(super) fn outcome_at_cancellation(&self, operation: CancelOperation) -> Option<CancelOperation> {
        match operation {
            CancelOperation::Look { thread, .. } => {
                Some(CancelOperation::Look { thread, requested: self.is_cancelled(thread) })
            }
            CancelOperation::Request(_) | CancelOperation::Accept(_) => None,
        }
    }

    /// Notes a misuse if `thread` uses the handle of a thread that was joined, or has ended detached.
    pub(super) fn note_use_of_handle(&mut self, thread: ThreadId, handle: Handle) {
        let slot = &self.threads[handle.thread.index()];
        if slot.joined || slot.detached && slot.status == Status::Ended {
            self.misuse(FindingKind::ThreadGone, thread, Object(0));
        }
    }

    /// Applies the effect of an operation that concerns cancellation.
    pub(super) fn apply_to_cancellation(&mut self, thread: ThreadId, operation: CancelOperation) -> After {
        match operation {
            CancelOperation::Request(handle) => {
                self.note_use_of_handle(thread, handle);
                self.request_cancellation(handle.thread);
            }
            CancelOperation::Look { .. } | CancelOperation::Accept(_) => {}
        }
        After::RunsOn
    }

    /// The event that was recorded last is a request to cancel `thread`. Of several requests, the first one enables the
    /// thread.
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

    /// Enables a thread that waits for a condition variable to leave the wait because its cancellation was requested,
    /// if its request allows that and the wait could not end already by an expiry.
    pub(super) fn end_cancelled_wait(&mut self, thread: ThreadId) {
        let slot = &mut self.threads[thread.index()];
        let Some(by) = slot.requested_by.filter(|_| slot.request.cancellable) else { return };
        if self.enabled.contains(thread) {
            return;
        }
        let Some(Wait { cond, mutex: Some(mutex), mutexes, .. }) = slot.request.operation.wait() else { return };
        slot.set_operation(Operation::Cond(CondOperation::WaitExpire { cond, mutex, mutexes }));
        slot.enabled_by = Some(by);
        self.enabled.insert(thread);
    }

    /// Whether the cancellation of a thread was requested.
    pub fn is_cancelled(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].requested_by.is_some()
    }

    /// True if `thread`, which cannot go on, has chosen not to wait for a request to cancel it, and such a request has
    /// come ([`CancelOperation`]).
    pub(super) fn has_chosen_otherwise(&self, thread: ThreadId) -> bool {
        let slot = &self.threads[thread.index()];
        let waits_for_signal = slot.status == Status::Parked && slot.request.operation.awaits_signal();
        slot.request.cancellable && (slot.status == Status::Arrived || waits_for_signal) && slot.requested_by.is_some()
    }

    /// True if `thread` has chosen to wait for a request to cancel it, and none has come.
    pub(super) fn waits_for_request(&self, thread: ThreadId) -> bool {
        let slot = &self.threads[thread.index()];
        slot.need() == Need::RequestTo(thread) && slot.requested_by.is_none()
    }
}
