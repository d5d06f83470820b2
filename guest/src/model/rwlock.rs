//! Read-write locks: POSIX.
//!
//! Readers come first, as in the C library by default: a reader waits for the writer that has the lock, not for writers
//! that wait; for other locks see [`super::writer_first`]. Which of several waiting threads gets the lock is explored.

use super::error::{EBUSY, EDEADLK, EINVAL, ETIMEDOUT};
use super::object::{self, PREFERENCE, is_in_use, state};
use super::pause::{REALTIME, advance_to, is_valid_time, is_wait_clock};
use super::uses::{Kind, Use};
use super::{early, export, real, writer_first};
use crate::engine::site::of_call;
use crate::engine::{last_event, me, unmodelled, with};
use crate::hooks::argument_read;
use crate::platform::started;
use inspect_core::detect::FindingKind;
use inspect_core::event::{Object, RwlockOperation, Side, SiteId};
use inspect_core::run::ReadHolds;

export! {
    interpose_pthread_rwlock_init / 2 => init;
    interpose_pthread_rwlock_destroy / 1 => destroy;
    interpose_pthread_rwlock_rdlock / 1 => rdlock;
    interpose_pthread_rwlock_wrlock / 1 => wrlock;
    interpose_pthread_rwlock_tryrdlock / 1 => tryrdlock;
    interpose_pthread_rwlock_trywrlock / 1 => trywrlock;
    interpose_pthread_rwlock_timedrdlock / 2 => timedrdlock;
    interpose_pthread_rwlock_timedwrlock / 2 => timedwrlock;
    interpose_pthread_rwlock_clockrdlock / 3 => clockrdlock;
    interpose_pthread_rwlock_clockwrlock / 3 => clockwrlock;
    interpose_pthread_rwlock_unlock / 1 => unlock;
}

/// `pthread_rwlock_t`.
const RWLOCK: Kind = Kind { shape: object::RWLOCK, misuse: FindingKind::RwlockMisuse, adopt: |_| {} };

/// The functions in which a thread waits at an operation and of which the operation says all that is left to do, with
/// what is written into the object's memory.
pub(crate) fn entries() -> [u64; 3] {
    [rdlock as *const () as u64, wrlock as *const () as u64, unlock as *const () as u64]
}

extern "C" fn init(rwlock: u64, attributes: u64, pc: u64) -> i32 {
    let real = real!("pthread_rwlock_init" as fn(u64, u64) -> i32);
    if !started() {
        early::note(rwlock);
        return real(rwlock, attributes);
    }
    argument_read(attributes, 8, of_call(pc));
    RWLOCK.initialise(rwlock, RwlockOperation::Init(Object(rwlock)), pc, || real(rwlock, attributes))
}

/// Whether readers wait for writers that wait.
#[inline(always)]
fn prefers_writers(used: &Use, rwlock: u64) -> bool {
    const WRITER_NONRECURSIVE: u32 = 2;
    // SAFETY: the program passes a lock, so its bytes can be read; if not, it faults here as it would there.
    used.sound && unsafe { ((rwlock + PREFERENCE) as *const u32).read_unaligned() } == WRITER_NONRECURSIVE
}

extern "C" fn destroy(rwlock: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_destroy" as fn(u64) -> i32)(rwlock);
    }
    RWLOCK.destroy(rwlock, RwlockOperation::Destroy(Object(rwlock)), pc);
    0
}

#[inline(always)]
fn begin_use(rwlock: u64, site: SiteId) -> Use {
    RWLOCK.begin_use(rwlock, site)
}

/// Whether the running thread holds the lock for reading as often as the scheduler can count.
#[inline(always)]
fn holds_most(used: &Use) -> bool {
    used.before.readers.of(me()) + 1 >= ReadHolds::LIMIT
}

/// Locks for reading once more a lock that the running thread holds as often as the scheduler can count.
#[inline(never)]
fn lock_deeper(used: &Use, rwlock: u64, site: SiteId) {
    if prefers_writers(used, rwlock) {
        unmodelled("pthread_rwlock_rdlock nested seven times, of a lock that prefers writers", site);
    }
    with(|engine| {
        engine.deep_read_holds.take(me(), rwlock);
        // Threads that hold a lock so often look alike to the scheduler, however often it is.
        engine.run.expose();
    });
}

/// The running thread has taken the lock, or given it back.
fn end_use(used: &Use, rwlock: u64) {
    // The next hold after these may be the first one beyond what the scheduler counts.
    if used.before.readers.of(me()) + 2 == ReadHolds::LIMIT {
        with(|engine| engine.deep_read_holds.forget(me(), rwlock));
    }
    if used.sound {
        RWLOCK.shape.set_in_use(rwlock, is_in_use(&state(rwlock)));
    }
}

#[inline(always)]
fn lock(rwlock: u64, side: Side, site: SiteId) -> i32 {
    let used = begin_use(rwlock, site);
    if used.before.owner == Some(me()) {
        return EDEADLK;
    }
    if side == Side::Reader && holds_most(&used) {
        lock_deeper(&used, rwlock, site);
        return 0;
    }
    if prefers_writers(&used, rwlock) {
        writer_first::lock(&RWLOCK, &used, rwlock, side, site);
    } else {
        RWLOCK.perform(&used, rwlock, RwlockOperation::Lock { rwlock: Object(rwlock), side }, site);
    }
    end_use(&used, rwlock);
    0
}

/// A lock that does not wait; `refused` is the result if it is not available.
fn attempt(rwlock: u64, side: Side, refused: i32, site: SiteId) -> i32 {
    let used = begin_use(rwlock, site);
    if side == Side::Reader && holds_most(&used) {
        lock_deeper(&used, rwlock, site);
        return 0;
    }
    let acquired = match (prefers_writers(&used, rwlock), refused) {
        (true, ETIMEDOUT) => writer_first::timed(&RWLOCK, &used, rwlock, side, site),
        (true, _) => writer_first::attempt(&RWLOCK, &used, rwlock, side, site),
        (false, _) => {
            let operation = RwlockOperation::TryLock { rwlock: Object(rwlock), side, acquired: false };
            RWLOCK.perform(&used, rwlock, operation, site);
            last_event().operation.succeeded() == Some(true)
        }
    };
    if !acquired {
        return refused;
    }
    end_use(&used, rwlock);
    0
}

/// A lock with a time limit is a trylock: one that is scheduled while the lock is not available has expired, and one
/// that waits longer is scheduled later.
fn timed(rwlock: u64, side: Side, clock: i32, until: u64, site: SiteId) -> i32 {
    argument_read(until, 16, site);
    if !is_wait_clock(clock) || !is_valid_time(until) {
        return EINVAL;
    }
    if state(rwlock).owner == Some(me()) {
        return EDEADLK;
    }
    let result = attempt(rwlock, side, ETIMEDOUT, site);
    if result == ETIMEDOUT {
        advance_to(clock as u64, until);
    }
    result
}

extern "C" fn rdlock(rwlock: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_rdlock" as fn(u64) -> i32)(rwlock);
    }
    lock(rwlock, Side::Reader, of_call(pc))
}

extern "C" fn wrlock(rwlock: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_wrlock" as fn(u64) -> i32)(rwlock);
    }
    lock(rwlock, Side::Writer, of_call(pc))
}

extern "C" fn tryrdlock(rwlock: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_tryrdlock" as fn(u64) -> i32)(rwlock);
    }
    attempt(rwlock, Side::Reader, EBUSY, of_call(pc))
}

extern "C" fn trywrlock(rwlock: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_trywrlock" as fn(u64) -> i32)(rwlock);
    }
    attempt(rwlock, Side::Writer, EBUSY, of_call(pc))
}

extern "C" fn timedrdlock(rwlock: u64, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_timedrdlock" as fn(u64, u64) -> i32)(rwlock, until);
    }
    timed(rwlock, Side::Reader, REALTIME as i32, until, of_call(pc))
}

extern "C" fn timedwrlock(rwlock: u64, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_timedwrlock" as fn(u64, u64) -> i32)(rwlock, until);
    }
    timed(rwlock, Side::Writer, REALTIME as i32, until, of_call(pc))
}

extern "C" fn clockrdlock(rwlock: u64, clock: i32, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_clockrdlock" as fn(u64, i32, u64) -> i32)(rwlock, clock, until);
    }
    timed(rwlock, Side::Reader, clock, until, of_call(pc))
}

extern "C" fn clockwrlock(rwlock: u64, clock: i32, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_clockwrlock" as fn(u64, i32, u64) -> i32)(rwlock, clock, until);
    }
    timed(rwlock, Side::Writer, clock, until, of_call(pc))
}

extern "C" fn unlock(rwlock: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_rwlock_unlock" as fn(u64) -> i32)(rwlock);
    }
    let site = of_call(pc);
    let used = begin_use(rwlock, site);
    if holds_most(&used) && with(|engine| engine.deep_read_holds.give(me(), rwlock)) {
        return 0;
    }
    if prefers_writers(&used, rwlock) {
        writer_first::unlock(&RWLOCK, &used, rwlock, site);
    } else {
        let operation = RwlockOperation::Unlock { rwlock: Object(rwlock), side: None };
        RWLOCK.perform(&used, rwlock, operation, site);
    }
    end_use(&used, rwlock);
    0
}
