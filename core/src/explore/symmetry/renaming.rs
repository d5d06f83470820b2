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
    match *operation {
        Operation::Create(thread) => Operation::Create(exchange(thread, a, b)),
        Operation::Join(thread) => Operation::Join(exchange(thread, a, b)),
        Operation::Detach(thread) => Operation::Detach(exchange(thread, a, b)),
        Operation::Signal { cond, woken } => {
            Operation::Signal { cond, woken: woken.map(|thread| exchange(thread, a, b)) }
        }
        Operation::Broadcast { cond, woken } => {
            Operation::Broadcast { cond, woken: woken.iter().map(|thread| exchange(thread, a, b)).collect() }
        }
        Operation::Read(_)
        | Operation::Write(_)
        | Operation::AtomicLoad(..)
        | Operation::AtomicStore(..)
        | Operation::AtomicUpdate { .. }
        | Operation::MutexInit(_)
        | Operation::MutexDestroy(_)
        | Operation::Lock(_)
        | Operation::TryLock { .. }
        | Operation::Unlock(_)
        | Operation::CondInit(_)
        | Operation::CondDestroy(_)
        | Operation::WaitRelease { .. }
        | Operation::WaitExpire { .. }
        | Operation::WaitReacquire { .. }
        | Operation::OnceEnter { .. }
        | Operation::OnceLeave(_)
        | Operation::Exit
        | Operation::Choose
        | Operation::Yield
        | Operation::Assume
        | Operation::EndProcess(_) => *operation,
    }
}
