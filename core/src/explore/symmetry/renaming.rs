//! Operations with two threads exchanged.

use crate::event::{Operation, ThreadId};

/// The image of a thread under the exchange of `a` and `b`.
pub(super) fn exchange(thread: ThreadId, a: ThreadId, b: ThreadId) -> ThreadId {
    match thread {
        _ if thread == a => b,
        _ if thread == b => a,
        other => other,
    }
}

/// The operation with two threads exchanged.
pub(in crate::explore) fn renamed(operation: &Operation, a: ThreadId, b: ThreadId) -> Operation {
    operation.renamed(|thread| exchange(thread, a, b))
}
