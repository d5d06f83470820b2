//! Misuses of the threads API that show while a run is on its way.

use super::{Misuse, Run};
use crate::event::{FindingKind, Object, ThreadId};

impl Run {
    /// Notes a misuse that shows when a thread arrives: it locks again a mutex that it holds and that is not recursive.
    #[inline]
    pub(super) fn note_pending_misuse(&mut self, thread: ThreadId) {
        let slot = &self.threads[thread.index()];
        if let Some(mutex) = slot.need().mutex()
            && !slot.request.recursive
            && self.objects.peek(mutex).owner == Some(thread)
        {
            self.misuse(FindingKind::MutexRelock, thread, mutex);
        }
    }

    /// Notes a misuse that shows when the run ends: a thread still waits to join one that was detached.
    pub(super) fn note_misuse_at_end(&mut self, thread: ThreadId) {
        let joined = self.threads[thread.index()].request.operation.joins();
        if let Some(child) = joined.filter(|child| self.threads[child.index()].detached) {
            self.misuse(FindingKind::JoinInvalid, thread, Object(child.0.into()));
        }
    }

    /// Notes a misuse by `thread` at its present operation.
    pub fn misuse(&mut self, kind: FindingKind, thread: ThreadId, object: Object) {
        let request = &self.threads[thread.index()].request;
        let (site, operation, at) = (request.site, request.operation, self.now());
        self.note(Misuse { kind, thread, site, operation: Some(operation), object, at, other: None });
    }

    /// Notes a misuse that the driver has seen, e.g. at a call that is refused before it becomes an operation.
    pub fn note(&mut self, misuse: Misuse) {
        self.misuses.push(misuse);
    }
}
