//! Operations without a lasting edge of their own, with which a race may show in the clocks only.

use crate::event::{Event, HoldChange, ThreadId};

/// Whether a race could come about by an operation without the two accesses ever being pending at once.
pub(super) fn may_be_unordered(events: &[Event], at: usize) -> bool {
    let Event { thread: waker, operation, .. } = events[at];
    operation.is_relaxed()
        || operation.is_failed_lock()
        || operation.woken().iter().any(|waiter| !holds_mutex_of(&events[..at], waker, waiter))
}

/// Whether `waker` holds the mutex that `waiter` gave up for its wait.
fn holds_mutex_of(before: &[Event], waker: ThreadId, waiter: ThreadId) -> bool {
    let last = before.iter().rev().find(|event| event.thread == waiter);
    let Some(wait) = last.and_then(|event| event.operation.begins_wait()) else { return false };
    let own = before.iter().rev().filter(|event| event.thread == waker);
    let mut changes = own.filter_map(|event| event.operation.hold()).filter(|(mutex, _)| *mutex == wait.mutex);
    changes.next().is_some_and(|(_, change)| change == HoldChange::Takes)
}
