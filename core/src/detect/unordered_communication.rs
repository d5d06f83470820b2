//! What threads can learn from each other without C11 making one happen after the other.
//!
//! A search that looks for accesses that are pending at once finds every data race of programs whose threads learn from each
//! other in ways that C11 orders: in an execution that is sequentially consistent, two conflicting accesses that are
//! unordered can then be brought together (Boehm and Adve 2008, "Foundations of the C++ concurrency memory model",
//! section 6: a sequentially consistent execution has a type 2 data race if and only if one has a type 1 data race). The
//! operations found here are the other ways: a race that follows one of them may show in the history of an execution only.
//!
//! # When a signal is ordered
//! A signal itself makes nothing happen after anything. What C11 orders is the speaker's last unlock of the waiter's mutex
//! with the end of the wait, which takes the mutex again after the signal and so after that unlock. So all that the speaker
//! has done up to its unlock happens before all that the woken thread does next. If the speaker still has the mutex, or has
//! given it back in its last operation, there is nothing that it has done besides; otherwise there may be, and the woken
//! thread learns of it by the signal alone. To ask that the speaker has the mutex at the signal would be needlessly strict:
//! a signal sent right after the unlock hands on nothing more. To ask that it has had the mutex at some time would be
//! too weak: what it has done since would be missed. The test `unordered_communication` shows both.
//!
//! The searches that rely on it are the ones that compare states ([`Stateful`](crate::explore::Stateful)) and the ones that
//! exchange threads: neither looks at all histories.

use crate::event::{Event, HoldChange, ThreadId};

/// A way to learn from another thread that C11 does not order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UnorderedCommunication {
    /// An atomic access that does not acquire what it reads or release what it writes.
    RelaxedAtomic,
    /// An attempt to lock that failed: somebody has the mutex.
    FailedTryLock,
    /// A signal that woke a thread, sent by one that had done something since it had the thread's mutex.
    UnlockedSignal,
}

impl UnorderedCommunication {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            UnorderedCommunication::RelaxedAtomic => "an atomic access weaker than acquire and release",
            UnorderedCommunication::FailedTryLock => "a failed attempt to lock a mutex",
            UnorderedCommunication::UnlockedSignal => "a signal sent without the mutex of who waits for it",
        }
    }
}

/// The first communication without order among the events from `from` on.
pub fn unordered_communication(events: &[Event], from: usize) -> Option<UnorderedCommunication> {
    events.iter().enumerate().skip(from).find_map(|(at, event)| {
        let outside = |woken| !speaks_locked(&events[..at], event.thread, woken);
        if event.operation.is_relaxed() {
            Some(UnorderedCommunication::RelaxedAtomic)
        } else if event.operation.is_failed_lock() {
            Some(UnorderedCommunication::FailedTryLock)
        } else {
            event.operation.woken().iter().any(outside).then_some(UnorderedCommunication::UnlockedSignal)
        }
    })
}

/// Whether all that `speaker` has done before happens before what `woken` does when it has its mutex again: the speaker
/// has the mutex, or has given it back in its last operation.
fn speaks_locked(before: &[Event], speaker: ThreadId, woken: ThreadId) -> bool {
    let mut waits = before.iter().rev().filter(|event| event.thread == woken);
    let Some(wait) = waits.find_map(|event| event.operation.begins_wait()) else { return false };
    let change = |event: &Event| match event.operation.hold() {
        Some((mutex, change)) if mutex == wait.mutex => Some(change),
        Some(_) | None => None,
    };
    let own = || before.iter().rev().filter(|event| event.thread == speaker);
    let gave_it_back = own().next().and_then(change) == Some(HoldChange::Gives);
    gave_it_back || own().find_map(change) == Some(HoldChange::Takes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Alternatives, CondOperation, MutexOperation, Object, Operation, SiteId, ThreadSet};

    const MUTEX: Object = Object(64);
    const OTHER: Object = Object(128);
    const COND: Object = Object(192);
    const WAITER: ThreadId = ThreadId(1);
    const SPEAKER: ThreadId = ThreadId(2);

    /// What is found if the speaker signals after these operations on mutexes.
    fn after(operations: &[MutexOperation]) -> Option<UnorderedCommunication> {
        let event = |thread, operation| Event {
            thread,
            operation,
            choice: 0,
            alternatives: Alternatives::None,
            enabled: ThreadSet::EMPTY,
            enabled_by: None,
            site: SiteId(0),
        };
        let mut events = vec![
            event(WAITER, Operation::Mutex(MutexOperation::Lock(MUTEX))),
            event(WAITER, Operation::Cond(CondOperation::WaitRelease { cond: COND, mutex: MUTEX })),
        ];
        events.extend(operations.iter().map(|&operation| event(SPEAKER, Operation::Mutex(operation))));
        events.push(event(SPEAKER, Operation::Cond(CondOperation::Signal { cond: COND, woken: Some(WAITER) })));
        unordered_communication(&events, 0)
    }

    #[test]
    fn a_signal_is_ordered_with_the_mutex_or_right_after_its_unlock_only() {
        use MutexOperation::{Init, Lock, Unlock};
        assert_eq!(after(&[Lock(MUTEX)]), None);
        assert_eq!(after(&[Lock(MUTEX), Lock(OTHER)]), None);
        assert_eq!(after(&[Lock(MUTEX), Unlock(MUTEX)]), None);
        let unordered = Some(UnorderedCommunication::UnlockedSignal);
        assert_eq!(after(&[]), unordered);
        assert_eq!(after(&[Lock(OTHER)]), unordered);
        assert_eq!(after(&[Lock(MUTEX), Unlock(MUTEX), Lock(OTHER)]), unordered);
        // Making the mutex anew takes nothing and hands nothing on.
        assert_eq!(after(&[Init(MUTEX)]), unordered);
    }
}
