//! Finds operations by which a thread learns what another one has done although C11 does not order the two.
//!
//! A search that looks for accesses that are pending at once finds every data race of a program whose threads
//! communicate only by operations that C11 orders: if two conflicting accesses of a sequentially consistent execution
//! are unordered, another one has them pending at once (Boehm and Adve 2008, "Foundations of the C++ concurrency memory
//! model", section 6: a sequentially consistent execution has a type 2 data race if and only if one has a type 1 data
//! race). After an operation that is found here, a race may show only as a missing happens-before between two accesses
//! that are not pending at once in any run.
//!
//! # When a signal is ordered
//! By C11 a signal synchronizes with nothing. What C11 orders is the last unlock of the waiter's mutex by the
//! signalling thread before the end of the wait, which takes the mutex again after the signal and so after that unlock.
//! So all that the signalling thread has done up to its unlock happens before all that the woken thread does next. If
//! the signalling thread still holds the mutex, or has released it by its last operation, it has done nothing more than
//! that; otherwise it may have, and the woken thread learns of it by the signal alone. It would be needlessly strict to
//! require that the mutex is held at the signal: between an unlock and a signal that follows it directly the thread
//! does nothing more. It would be too weak to require that the thread has held the mutex at some time: what it has done
//! since then would be missed. The test `unordered_communication` shows both.
//!
//! The searches that rely on this are those that compare states ([`Stateful`](crate::explore::Stateful)) and those with
//! symmetry: neither sees the events of every path. After such an operation the former begin anew with states that
//! include what C11 orders ([`Observer::unsettled`](super::Observer::unsettled)), and the latter exchange no threads.

use crate::event::{Event, HoldChange, Releases, ThreadId};

/// A kind of communication between threads that C11 does not order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UnorderedCommunication {
    /// An atomic access that does not acquire what it reads or release what it writes; or a call that uses state of the
    /// C library or of the system which threads share, as `random` does: the library orders such calls, and C11 says
    /// nothing of it.
    RelaxedAtomic,
    /// An attempt to lock, or to take a unit of a semaphore, that failed: its thread learns that others hold the lock
    /// or have taken the units.
    FailedTryLock,
    /// A look at the state of a semaphore, a pipe, an event counter or a socket, or at whether the thread was woken at
    /// a futex; or a write to a pipe, an event counter or a socket, which waits for reads.
    UnorderedLook,
    /// A signal that woke a thread, sent by a thread that has executed an operation since it released the woken
    /// thread's mutex, or that has never held it.
    UnlockedSignal,
}

/// The first unordered communication among the events from `from` on.
pub fn unordered_communication(events: &[Event], from: usize) -> Option<UnorderedCommunication> {
    let may = |&(_, event): &(usize, &Event)| event.operation.may_communicate_unordered();
    events.iter().enumerate().skip(from).filter(may).find_map(|(at, event)| {
        let outside = |woken| !speaks_locked(&events[..at], event.thread, woken);
        // To hand over a lock is no signal: the new owner acquires what the last one has released.
        let is_signal = || matches!(event.operation.releases(), Releases::Nothing);
        if event.operation.is_relaxed() {
            Some(UnorderedCommunication::RelaxedAtomic)
        } else if event.operation.is_failed_lock() {
            Some(UnorderedCommunication::FailedTryLock)
        } else if event.operation.is_unordered_look() {
            Some(UnorderedCommunication::UnorderedLook)
        } else if is_signal() && event.operation.woken().iter().any(outside) {
            Some(UnorderedCommunication::UnlockedSignal)
        } else {
            None
        }
    })
}

/// Whether all that `speaker` has done before its signal happens before what `woken` does after its wait: the speaker
/// holds the mutex of the wait, or has released it by its last operation.
fn speaks_locked(before: &[Event], speaker: ThreadId, woken: ThreadId) -> bool {
    let mut waits = before.iter().rev().filter(|event| event.thread == woken);
    let Some(wait) = waits.find_map(|event| event.operation.begins_wait()) else { return false };
    let change = |event: &Event| match event.operation.hold() {
        Some((mutex, change)) if Some(mutex) == wait.mutex => Some(change),
        Some(_) | None => None,
    };
    let own = || before.iter().rev().filter(|event| event.thread == speaker);
    let gave_it_back = own().next().and_then(change) == Some(HoldChange::Gives);
    gave_it_back || own().find_map(change) == Some(HoldChange::Takes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Alternatives, CondOperation, MutexOperation, Mutexes, Object, Operation, SiteId, ThreadSet};

    const MUTEX: Object = Object(64);
    const OTHER: Object = Object(128);
    const COND: Object = Object(192);
    const WAITER: ThreadId = ThreadId(1);
    const SPEAKER: ThreadId = ThreadId(2);

    fn event(thread: ThreadId, operation: Operation) -> Event {
        Event {
            thread,
            operation,
            choice: 0,
            alternatives: Alternatives::None,
            enabled: ThreadSet::EMPTY,
            enabled_by: None,
            site: SiteId(0),
        }
    }

    /// What is found if the speaker signals after these operations on mutexes.
    fn after(operations: &[MutexOperation]) -> Option<UnorderedCommunication> {
        let mut events = vec![
            event(WAITER, Operation::Mutex(MutexOperation::Lock(MUTEX))),
            event(
                WAITER,
                Operation::Cond(CondOperation::WaitRelease { cond: COND, mutex: MUTEX, mutexes: Mutexes::One }),
            ),
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
        // Initialising the mutex neither takes nor releases it.
        assert_eq!(after(&[Init(MUTEX)]), unordered);
    }
}
