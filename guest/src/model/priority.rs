//! Priority ceilings of mutexes: numbers that are kept with them. Which thread runs is explored whatever the
//! priorities, so inheriting a priority changes nothing; a lock of a mutex with a ceiling, which may fail because of
//! it, is not modelled.
//!
//! The ceiling is changed under the mutex and may be asked for without it, as in the C library: an atomic location.

use super::error::{EDEADLK, EINVAL};
use super::mutex::{begin_use, lock_by, unlock};
use super::mutex_kind::{MutexKind, has_ceiling, kind};
use super::{export, real};
use crate::engine::site::of_call;
use crate::engine::{me, note_written, visible, with};
use crate::hooks::argument_write;
use crate::platform::started;
use inspect_core::event::{ByteRange, MemoryOperation, MemoryOrder, SiteId};
use inspect_core::run::Request;

export! {
    interpose_pthread_mutex_getprioceiling / 2 => getprioceiling;
    interpose_pthread_mutex_setprioceiling / 3 => setprioceiling;
}

/// Where the first word of a mutex, which is the C library's lock, has the ceiling.
const SHIFT: u32 = 19;

fn ceiling(mutex: u64) -> i32 {
    // SAFETY: the program passes a mutex, whose bytes were read before.
    (unsafe { (mutex as *const u32).read_volatile() } >> SHIFT).cast_signed()
}

/// What operations on the ceiling touch: bytes beside those that stand for the mutex itself.
fn location(mutex: u64) -> ByteRange {
    let range = ByteRange { start: mutex + 4, len: 4 };
    with(|engine| engine.memory.note_probed(range));
    range
}

fn give(ceiling: i32, result: u64, site: SiteId) {
    if result != 0 {
        argument_write(result, 4, site);
        // SAFETY: the program's variable for the ceiling.
        unsafe { (result as *mut i32).write_unaligned(ceiling) };
    }
}

extern "C" fn getprioceiling(mutex: u64, result: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_getprioceiling" as fn(u64, u64) -> i32)(mutex, result);
    }
    let site = of_call(pc);
    if begin_use(mutex, site).is_noted(mutex, site) || !has_ceiling(mutex) {
        return EINVAL;
    }
    visible(Request::new(MemoryOperation::AtomicLoad(location(mutex), MemoryOrder::Relaxed).into(), site));
    give(ceiling(mutex), result, site);
    0
}

extern "C" fn setprioceiling(mutex: u64, new: i32, result: u64, pc: u64) -> i32 {
    if !started() {
        return real!("pthread_mutex_setprioceiling" as fn(u64, i32, u64) -> i32)(mutex, new, result);
    }
    /// The priorities of `SCHED_FIFO`.
    const PRIORITIES: core::ops::RangeInclusive<i32> = 1..=99;
    let site = of_call(pc);
    let used = begin_use(mutex, site);
    if used.is_noted(mutex, site) || !has_ceiling(mutex) || !PRIORITIES.contains(&new) {
        return EINVAL;
    }
    let own = used.before.owner == Some(me());
    if own && kind(mutex) == MutexKind::ErrorCheck {
        return EDEADLK;
    }
    // The ceiling does not matter for this lock.
    let error = lock_by(mutex, site, |_, _| ());
    if error != 0 {
        return error;
    }
    visible(Request::new(MemoryOperation::AtomicStore(location(mutex), MemoryOrder::Relaxed).into(), site));
    let old = ceiling(mutex);
    // SAFETY: as for reading.
    unsafe { (mutex as *mut i32).write_volatile(new << SHIFT) };
    note_written(ByteRange { start: mutex, len: 4 });
    unlock(mutex, pc);
    give(old, result, site);
    0
}
