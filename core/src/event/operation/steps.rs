//! What has come of a step at a futex, for the thread that goes on with it.

use super::{FutexOperation, Operation, Ownership};
use crate::event::{Object, ThreadId};

impl Operation {
    /// For one that joins the waiters of one of several words: whether it has.
    pub fn joined(&self) -> Option<bool> {
        let Operation::Futex(FutexOperation::Join { joined, .. }) = *self else { return None };
        Some(joined)
    }

    /// For one that leaves the waiters of a word: whether its thread was woken there.
    pub fn was_woken(&self) -> Option<bool> {
        let Operation::Futex(FutexOperation::Leave { woken, .. }) = *self else { return None };
        Some(woken)
    }

    /// For one that takes a lock with priority inheritance: whose that was.
    pub fn found_lock(&self) -> Option<Ownership> {
        let Operation::Futex(FutexOperation::Lock { found, .. }) = *self else { return None };
        Some(found)
    }

    /// For one that waits for such a lock, among its waiters: the lock.
    pub fn awaited_lock(&self) -> Option<Object> {
        let Operation::Futex(step) = *self else { return None };
        match step {
            FutexOperation::Rest { word, owns } | FutexOperation::Leave { word, owns, .. } => owns.then_some(word),
            FutexOperation::Wait { .. }
            | FutexOperation::Expire { .. }
            | FutexOperation::Resume { .. }
            | FutexOperation::Join { .. }
            | FutexOperation::Lock { .. }
            | FutexOperation::Unlock { .. } => None,
        }
    }

    /// For one that gives such a lock back: whether it was the thread's own, and the new owner.
    pub fn gave_lock(&self) -> Option<(bool, Option<ThreadId>)> {
        let Operation::Futex(FutexOperation::Unlock { owned, woken, .. }) = *self else { return None };
        Some((owned, woken))
    }
}
