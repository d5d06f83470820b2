//! Which thread joins or detaches which, or uses its handle otherwise, in all runs so far.
//!
//! Joins, detachments and other uses of one thread's handle depend on each other. While they are all made by one
//! thread, which its program order sorts, joins and detachments race with nothing, and no summary has to store them:
//! with many threads that one thread joins, in all orders of what else they do, these would be most of what is stored.

use crate::event::{MAX_THREADS, Operation, ThreadId};

#[derive(Debug)]
pub(super) struct Claims {
    /// By thread: who joins or detaches it, or uses its handle.
    by: [Option<ThreadId>; MAX_THREADS],
    contended: bool,
}

impl Default for Claims {
    fn default() -> Self {
        Claims { by: [None; MAX_THREADS], contended: false }
    }
}

/// The thread that an operation joins or detaches.
fn claimed(operation: &Operation) -> Option<ThreadId> {
    operation.joins().or(operation.detaches())
}

impl Claims {
    /// Takes in an operation of `by`, executed or pending. True if it is the first that shows a thread whose handle
    /// several threads use.
    pub(super) fn add(&mut self, by: ThreadId, operation: &Operation) -> bool {
        let used = claimed(operation).or(operation.handle().map(|handle| handle.thread));
        let Some(thread) = used.filter(|thread| thread.index() < MAX_THREADS) else { return false };
        let first = *self.by[thread.index()].get_or_insert(by);
        let new = first != by && !self.contended;
        self.contended |= new;
        new
    }

    /// Whether an operation joins or detaches a thread, and no run so far shows that this can race.
    pub(super) fn is_uncontended(&self, operation: &Operation) -> bool {
        !self.contended && claimed(operation).is_some()
    }
}
