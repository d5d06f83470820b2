//! Communication without order: operations through which threads communicate and which no happens-before edge orders for
//! good. With them a race may show in the clocks only.

use crate::event::{ByteRange, Event, Footprint, Operation, ThreadId, Touch, Trace};

/// Whether an operation could lead to a race whose two accesses are never pending at once.
pub(super) fn may_be_unordered(trace: &Trace, at: usize, operation: &Operation) -> bool {
    let waker = trace.events[at].thread;
    operation.is_relaxed()
        || matches!(operation, Operation::TryLock { acquired: false, .. })
        || operation.woken().iter().any(|waiter| !holds_mutex_of(trace, at, waker, waiter))
}

/// Whether `waker` holds, at event `at`, the mutex that `waiter` gave up for its wait.
fn holds_mutex_of(trace: &Trace, at: usize, waker: ThreadId, waiter: ThreadId) -> bool {
    let before = || trace.events[..at].iter().rev();
    let wait = before().find(|event| event.thread == waiter).map(|event| event.operation);
    let Some(Operation::WaitRelease { mutex: wanted, .. }) = wait else { return false };
    let range = ByteRange { start: wanted.0, len: 1 };
    let touch = |event: &Event| {
        let parts = Footprint::of(&event.operation).parts();
        parts.into_iter().flatten().find(|&(touched, _)| touched == range).map(|(_, touch)| touch)
    };
    let last = before().filter(|event| event.thread == waker).filter_map(touch).find(|&t| t != Touch::Probe);
    last.is_some_and(Touch::acquires)
}
