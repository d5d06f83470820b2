//! What threads can learn from each other without C11 making one happen after the other.
//!
//! A search that looks for accesses that are pending at once finds every data race of programs whose threads learn from each
//! other by ways that C11 orders: in an execution that is sequentially consistent, two conflicting accesses that are
//! unordered can then be brought together (Boehm and Adve 2008, "Foundations of the C++ concurrency memory model",
//! section 6: a sequentially consistent execution has a type 2 data race if and only if one has a type 1 data race). The
//! operations told here are the other ways: behind them there may be races that only the history of an execution shows.
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

/// The first way that the events from `from` on go.
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
    let mut own = before.iter().rev().filter(|event| event.thread == speaker);
    own.next().is_some_and(|last| change(last).is_some()) || own.find_map(change) == Some(HoldChange::Takes)
}
