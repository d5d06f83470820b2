//! Futexes that are locks with priority inheritance. Priorities decide nothing: any waiter may be handed the lock.
//!
//! The scheduler decides what comes of a lock or unlock, and the running thread writes the word before it does anything
//! else, as an atomic access is performed.

use super::error::{EAGAIN, EDEADLK, EINVAL, EPERM, ESRCH, ETIMEDOUT};
use super::futex_owner::{GONE, OWNER, number, read};
use super::futex_word::{EFAULT, Timeout, queues, readable};
use super::signal;
use crate::engine::{interruptions, last_event, me, note_identity, spoil_loops, unmodelled, visible, with};
use crate::hooks::argument_read;
use crate::platform::fiber::PROCESS;
use crate::platform::recover;
use inspect_core::event::{
    FutexOperation, MemoryOperation, MemoryOrder, Object, Ownership, SiteId, ThreadId, ThreadNumber, ThreadSet,
};
use inspect_core::run::Request;

/// `FUTEX_WAITERS`
const WAITERS: u32 = 1 << 31;
/// `FUTEX_OWNER_DIED`
const DIED: u32 = 1 << 30;

/// What the kernel refuses, or has no rule for.
const MIXED: &str =
    "futex (a word that is a lock with priority inheritance and is waited for, or woken, as another one)";

fn write(word: u64, value: u32) -> Result<i32, i32> {
    if recover::write_value(word, &value) { Ok(0) } else { Err(EFAULT) }
}

/// Requests an operation on a lock; what came of it is in the last event.
fn request(operation: FutexOperation, site: SiteId) {
    // The word has the number of a thread.
    note_identity();
    spoil_loops();
    visible(Request::new(operation.into(), site).by_owner(number(me())));
}

pub(super) fn lock(word: u64, timeout: Timeout, site: SiteId) -> Result<i32, i32> {
    readable(word, true, site)?;
    let operation =
        FutexOperation::Lock { word: Object(word), found: Ownership::Others, alias: None, queues: queues() };
    request(operation, site);
    let Some(found) = last_event().operation.found_lock() else { unreachable!("a lock") };
    let before = read(word);
    let result = match found {
        Ownership::Free => write(word, before & DIED | number(me())),
        Ownership::Own => Err(EDEADLK),
        Ownership::Others => {
            write(word, before | WAITERS)?;
            refuse_cycle(before & OWNER, site);
            wait(word, before & OWNER, timeout, site)
        }
    };
    refuse_others(word, site);
    result
}

/// The running thread is among the waiters of the lock, which this thread owned.
fn wait(word: u64, owner: u32, timeout: Timeout, site: SiteId) -> Result<i32, i32> {
    with(|engine| engine.owned_locks.waiting.insert(me()));
    let leave = FutexOperation::Leave { word: Object(word), woken: false, owns: true, queues: queues() };
    // A handler of signals that ran here would see the thread among the waiters.
    let held_back = interruptions::hold_back(true);
    let timed = timeout != Timeout::Never;
    let exists = exists(owner, site);
    request(if timed || !exists { leave } else { FutexOperation::Rest { word: Object(word), owns: true } }, site);
    interruptions::hold_back(held_back);
    with(|engine| engine.owned_locks.waiting.remove(me()));
    signal::after_wait(site);
    match last_event().operation.was_woken() {
        Some(false) if !exists => Err(ESRCH),
        Some(false) => {
            timeout.expire();
            Err(ETIMEDOUT)
        }
        Some(true) | None => Ok(0),
    }
}

/// Refuses a lock whose owner waits, maybe through others, for one that the running thread owns: the kernel tells the
/// last of them so, and whoever that is depends on the order.
fn refuse_cycle(owner: u32, site: SiteId) {
    let mut next = thread_of(owner);
    while let Some(thread) = next.filter(|thread| with(|engine| engine.owned_locks.waiting.contains(*thread))) {
        let Some(word) = with(|engine| engine.run.request(thread).operation.awaited_lock()) else { return };
        let after = thread_of(read(word.0) & OWNER);
        if after == Some(me()) {
            unmodelled("futex (threads that wait for each other's locks with priority inheritance)", site);
        }
        // It was handed the lock and has not gone on yet.
        next = after.filter(|after| *after != thread);
    }
}

/// The thread of the program with this number.
fn thread_of(owner: u32) -> Option<ThreadId> {
    owner.checked_sub(PROCESS as u32).and_then(|slot| ThreadNumber::try_from(slot).ok()).map(ThreadId)
}

/// Whether the owner of a lock is a thread. What the kernel does for one that has ended is not modelled.
fn exists(owner: u32, site: SiteId) -> bool {
    let Some(thread) = thread_of(owner) else { return false };
    let known = with(|engine| thread.index() < engine.run.paths().len() && engine.run.thread_info(thread).exists);
    if known && with(|engine| engine.owned_locks.ending.contains(thread)) {
        unmodelled(GONE, site);
    }
    known
}

/// An attempt is an atomic access: it announces that somebody waits as a lock does, but does not wait.
pub(super) fn try_lock(word: u64, site: SiteId) -> Result<i32, i32> {
    let range = readable(word, true, site)?;
    note_identity();
    spoil_loops();
    let order = MemoryOrder::SequentiallyConsistent;
    visible(Request::new(MemoryOperation::AtomicUpdate { range, order, wrote: true }.into(), site));
    refuse_others(word, site);
    let before = read(word);
    match before & OWNER {
        0 => write(word, before & DIED | number(me())),
        owner if owner == number(me()) => Err(EDEADLK),
        owner => {
            write(word, before | WAITERS)?;
            Err(if exists(owner, site) { EAGAIN } else { ESRCH })
        }
    }
}

pub(super) fn unlock(word: u64, site: SiteId) -> Result<i32, i32> {
    if !word.is_multiple_of(4) {
        // The kernel looks whose it is before it looks at the address.
        argument_read(word, 4, site);
        let value: u32 = recover::read_value(word).ok_or(EFAULT)?;
        return Err(if value & OWNER == number(me()) { EINVAL } else { EPERM });
    }
    readable(word, true, site)?;
    let operation =
        FutexOperation::Unlock { word: Object(word), woken: None, owned: true, alias: None, queues: queues() };
    request(operation, site);
    let Some((owned, woken)) = last_event().operation.gave_lock() else { unreachable!("an unlock") };
    if !owned {
        return Err(EPERM);
    }
    if let Some(woken) = woken
        && !with(|engine| engine.owned_locks.waiting.contains(woken))
    {
        unmodelled(MIXED, site);
    }
    refuse_others(word, site);
    write(word, woken.map_or(0, |woken| number(woken) | WAITERS))
}

/// The kernel refuses operations on a lock while threads wait for its word that do not wait for the lock.
fn refuse_others(word: u64, site: SiteId) {
    let others = with(|engine| engine.run.object(Object::futex(word)).waiters.minus(engine.owned_locks.waiting));
    if !others.is_empty() {
        unmodelled(MIXED, site);
    }
}

/// These threads were woken, or are about to be, by what is no unlock.
pub(super) fn refuse_wake(woken: ThreadSet, site: SiteId) {
    if with(|engine| !engine.owned_locks.waiting.intersection(woken).is_empty()) {
        unmodelled(MIXED, site);
    }
}
