//! A thread says what it is about to do, and arrives at that operation.

use super::thread::Status;
use super::{Request, Run};
use crate::event::{MAX_THREADS, Need, Operation, ThreadId};

impl Run {
    /// The running thread is about to perform a visible operation.
    #[inline]
    pub fn arrive(&mut self, thread: ThreadId, request: Request) {
        self.set_request(thread, request);
        self.arrived(thread);
    }

    /// What the thread requested last.
    #[inline(always)]
    pub fn request(&self, thread: ThreadId) -> &Request {
        &self.threads[thread.index() % MAX_THREADS].request
    }

    /// Says what the running thread is about to do, before [`arrived`](Self::arrived). Inlined, so that the request is
    /// written in place: copying it right after its fields were written stalls the processor. Where the kind of the
    /// operation is a constant, so is what it needs.
    #[inline(always)]
    pub fn set_request(&mut self, thread: ThreadId, request: Request) {
        self.threads[thread.index() % MAX_THREADS].set_request(request);
    }

    /// Replaces the operation of the request by the one that the search is to see.
    #[inline]
    pub fn set_operation(&mut self, thread: ThreadId, operation: Operation) {
        self.threads[thread.index()].set_operation(operation);
    }

    /// The running thread is about to perform the operation that it [requested](Self::set_request).
    #[inline]
    pub fn arrived(&mut self, thread: ThreadId) {
        let slot = &mut self.threads[thread.index()];
        debug_assert_eq!(slot.status, Status::Running, "only a running thread arrives");
        slot.status = Status::Arrived;
        let goes_first = slot.demands.goes_first;
        let need = slot.need();
        self.note_going_first(thread, goes_first);
        if need == Need::OthersStopped {
            self.ending.insert(thread);
        } else if self.can_take(thread) {
            self.enabled.insert(thread);
            match need {
                Need::EndOf(child) => self.threads[thread.index()].enabled_by = self.threads[child.index()].exit,
                Need::RequestTo(_) => {
                    let slot = &mut self.threads[thread.index()];
                    slot.enabled_by = slot.requested_by;
                }
                Need::Wake(_) => self.threads[thread.index()].enabled_by = self.woken_by(thread),
                Need::Nothing
                | Need::Mutex(_)
                | Need::Once(_)
                | Need::Unit(_)
                | Need::Rwlock(..)
                | Need::WriterFirst(..)
                | Need::Round(_)
                | Need::Channel(..)
                | Need::OthersStopped
                | Need::Never => {}
            }
        }
        self.note_pending_misuse(thread);
    }

    #[inline(always)]
    pub(super) fn note_going_first(&mut self, thread: ThreadId, goes_first: bool) {
        self.going_first.remove(thread);
        if goes_first {
            self.going_first.insert(thread);
        }
    }
}
