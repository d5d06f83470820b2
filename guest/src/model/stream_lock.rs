//! The locks of streams: `flockfile` and its kin, and the calls that take the lock of the stream that they use.
//!
//! To the scheduler such a lock is a recursive mutex at an address inside the stream, so that it ends with the stream.
//! A call that uses a stream holds the lock until it is over. That is an operation only in a program that can keep a
//! lock beyond a call: in any other one nobody can wait for a lock, as no thread is interrupted in the C library.

use super::descriptors::look_at_stream;
use super::error::EBUSY;
use super::imports::imports_one_of;
use super::indirect::pointee;
use super::{export, real};
use crate::engine::site::of_call;
use crate::engine::{has_other_threads, last_event, spoil_loops, unmodelled, visible};
use crate::platform::{Global, elf, started};
use inspect_core::event::{MutexOperation, Object, SiteId};
use inspect_core::run::Request;
use inspect_wire::library::{CallEffect, LibraryRow};

export! {
    interpose_flockfile / 1 => lock;
    interpose_ftrylockfile / 1 => trylock;
    interpose_funlockfile / 1 => unlock;
}

/// The functions in which a thread waits at an operation and of which the operation says all that is left to do.
pub(crate) fn entries() -> [u64; 3] {
    [lock as *const () as u64, trylock as *const () as u64, unlock as *const () as u64]
}

/// Where in a stream the C library keeps the address of its lock.
const LOCK: u64 = 136;

fn object(stream: u64) -> Object {
    Object(stream + LOCK)
}

/// Requests an operation on the lock of a stream. That a thread holds the lock already is asked by the operation, so a
/// loop with it is not parked.
#[inline(always)]
fn request(operation: MutexOperation, site: SiteId) {
    spoil_loops();
    let mut request = Request::new(operation.into(), site);
    request.recursive = true;
    visible(request);
}

extern "C" fn lock(stream: u64, pc: u64) {
    if !started() {
        return real!("flockfile" as fn(u64))(stream);
    }
    look_at_stream(stream, of_call(pc));
    request(MutexOperation::Lock(object(stream)), of_call(pc));
}

extern "C" fn trylock(stream: u64, pc: u64) -> i32 {
    if !started() {
        return real!("ftrylockfile" as fn(u64) -> i32)(stream);
    }
    look_at_stream(stream, of_call(pc));
    request(MutexOperation::TryLock { mutex: object(stream), acquired: false }, of_call(pc));
    if last_event().operation.succeeded() == Some(true) { 0 } else { EBUSY }
}

extern "C" fn unlock(stream: u64, pc: u64) {
    if !started() {
        return real!("funlockfile" as fn(u64))(stream);
    }
    look_at_stream(stream, of_call(pc));
    request(MutexOperation::Unlock(object(stream)), of_call(pc));
}

/// Whether the program can keep the lock of a stream beyond a call.
fn keeps_locks() -> bool {
    static KEEPS: Global<Option<bool>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { KEEPS.get() }.get_or_insert_with(|| imports_one_of(&["flockfile", "ftrylockfile"]))
}

/// The lock of a stream that a call holds.
#[must_use]
pub(super) struct Held {
    stream: u64,
    site: SiteId,
}

impl Held {
    /// The call is over.
    pub(super) fn release(self) {
        request(MutexOperation::Unlock(object(self.stream)), self.site);
    }
}

/// A call uses a stream, under its lock.
pub(super) fn take(stream: u64, site: SiteId) -> Option<Held> {
    if stream == 0 || !keeps_locks() {
        return None;
    }
    look_at_stream(stream, site);
    request(MutexOperation::Lock(object(stream)), site);
    Some(Held { stream, site })
}

/// Takes the lock that the call of a function with this row takes, if it takes one. The lock is given back at once
/// where the call ends the stream, which no other thread may use then.
pub(super) fn take_of_call(row: &LibraryRow, argument: impl Fn(u8) -> u64, site: SiteId) -> Option<Held> {
    if !keeps_locks() {
        return None;
    }
    let has = |wanted: fn(&CallEffect) -> bool| row.effects.iter().any(wanted);
    if has(|effect| matches!(effect, CallEffect::UsesStreamUnlocked(_) | CallEffect::UsesStandardUnlocked(_))) {
        return None;
    }
    if has_other_threads() && row.effects.iter().any(|effect| flushes_all(effect, &argument)) {
        unmodelled("fflush of all streams beside other threads, in a program that locks streams", site);
    }
    let held = take(row.effects.iter().find_map(|effect| used(effect, &argument))?, site)?;
    if has(|effect| matches!(effect, CallEffect::ClosesStream(_))) {
        held.release();
        return None;
    }
    Some(held)
}

/// The stream that a call uses under its lock.
fn used(effect: &CallEffect, argument: impl Fn(u8) -> u64) -> Option<u64> {
    match *effect {
        CallEffect::ReadsStream(stream) | CallEffect::WritesStream(stream) | CallEffect::FlushesStreams(stream) => {
            Some(argument(stream))
        }
        CallEffect::UsesStandard(variable) => Some(pointee(elf::find(variable) as u64)),
        _ => None,
    }
}

fn flushes_all(effect: &CallEffect, argument: impl Fn(u8) -> u64) -> bool {
    matches!(*effect, CallEffect::FlushesStreams(stream) if argument(stream) == 0)
}
