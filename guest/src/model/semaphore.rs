//! Semaphores: POSIX, apart from names ([`super::named_semaphore`]). The scheduler counts; the object's memory only
//! says that it was initialised.

use super::error::{EAGAIN, EINTR, EINVAL, EOVERFLOW, ETIMEDOUT};
use super::object::{Shape, state};
use super::pause::{REALTIME, advance_to, is_valid_time, is_wait_clock};
use super::uses::Kind;
use super::{cancel, early, export, real, signal};
use crate::engine::site::of_call;
use crate::engine::{last_event, note_misuse, with};
use crate::hooks::{argument_read, argument_write};
use crate::platform::{program, started};
use inspect_core::detect::FindingKind;
use inspect_core::event::{Object, Room, SemaphoreOperation, SiteId, Units};
use inspect_core::run::Request;

export! {
    interpose_sem_init / 3 => init;
    interpose_sem_destroy / 1 => destroy;
    interpose_sem_wait / 1 => wait;
    interpose_sem_trywait / 1 => trywait;
    interpose_sem_timedwait / 2 => timedwait;
    interpose_sem_clockwait / 3 => clockwait;
    interpose_sem_post / 1 => post;
    interpose_sem_getvalue / 2 => getvalue;
}

/// `sem_t`. The C library uses the first twelve bytes.
pub(super) const SEMAPHORE: Kind =
    Kind { shape: Shape::without_initialiser(32, 12, 16, 24), misuse: FindingKind::SemaphoreMisuse, adopt };

/// `SEM_VALUE_MAX`
pub(super) const LARGEST: u32 = i32::MAX as u32;

/// The functions in which a thread waits at an operation and of which the operation says all that is left to do.
pub(crate) fn entries() -> [u64; 2] {
    [wait as *const () as u64, post as *const () as u64]
}

/// The count of a semaphore that was initialised before main is where the C library has it.
fn adopt(semaphore: u64) {
    // SAFETY: the C library has initialised it.
    let count = unsafe { (semaphore as *const u32).read_unaligned() };
    note_count(semaphore, count);
}

/// A semaphore that no call in this run has initialised has this count.
pub(super) fn note_count(semaphore: u64, count: u32) {
    with(|engine| engine.run.note_count(Object(semaphore), count));
    SEMAPHORE.shape.after_adoption(semaphore);
}

/// Fails with an error number: these functions return -1.
pub(super) fn fail(error: i32) -> i32 {
    program::set_errno(error as u32);
    -1
}

extern "C" fn init(semaphore: u64, shared: i32, count: u32, pc: u64) -> i32 {
    let real = real!("sem_init" as fn(u64, i32, u32) -> i32);
    if !started() {
        early::note(semaphore);
        return real(semaphore, shared, count);
    }
    if count > LARGEST {
        return fail(EINVAL);
    }
    let operation = SemaphoreOperation::Init(Object(semaphore), count);
    SEMAPHORE.initialise(semaphore, operation, pc, || real(semaphore, shared, count))
}

extern "C" fn destroy(semaphore: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_destroy" as fn(u64) -> i32)(semaphore);
    }
    let operation = SemaphoreOperation::Destroy(Object(semaphore));
    // Undefined for one that was opened by its name; the C library does nothing.
    if with(|engine| engine.named_semaphores.at(semaphore).is_some()) {
        note_misuse(FindingKind::SemaphoreMisuse, operation.into(), Object(semaphore), of_call(pc));
        return 0;
    }
    SEMAPHORE.destroy(semaphore, operation, pc);
    0
}

extern "C" fn wait(semaphore: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_wait" as fn(u64) -> i32)(semaphore);
    }
    let site = of_call(pc);
    if signal::interrupts(true, site) {
        return fail(EINTR);
    }
    let cancellable = cancel::choose(site);
    let used = SEMAPHORE.begin_use(semaphore, site);
    let operation = SemaphoreOperation::Wait { semaphore: Object(semaphore), units: Units::More };
    let mut request = Request::new(operation.into(), site);
    request.cancellable = cancellable;
    SEMAPHORE.request(&used, semaphore, request);
    0
}

/// Takes a unit if there is one; `refused` is the error if there is none.
fn attempt(semaphore: u64, refused: i32, site: SiteId) -> i32 {
    let used = SEMAPHORE.begin_use(semaphore, site);
    let operation = SemaphoreOperation::TryWait { semaphore: Object(semaphore), units: Units::None };
    SEMAPHORE.perform(&used, semaphore, operation, site);
    if last_event().operation.succeeded() == Some(true) { 0 } else { fail(refused) }
}

extern "C" fn trywait(semaphore: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_trywait" as fn(u64) -> i32)(semaphore);
    }
    attempt(semaphore, EAGAIN, of_call(pc))
}

extern "C" fn timedwait(semaphore: u64, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_timedwait" as fn(u64, u64) -> i32)(semaphore, until);
    }
    timed(semaphore, REALTIME, until, of_call(pc))
}

extern "C" fn clockwait(semaphore: u64, clock: i32, until: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_clockwait" as fn(u64, i32, u64) -> i32)(semaphore, clock, until);
    }
    if !is_wait_clock(clock) {
        return fail(EINVAL);
    }
    timed(semaphore, clock as u64, until, of_call(pc))
}

/// A wait with a time limit is a trywait: one that is scheduled while there is no unit has expired, and one that waits
/// longer is scheduled later.
fn timed(semaphore: u64, clock: u64, until: u64, site: SiteId) -> i32 {
    argument_read(until, 16, site);
    if !is_valid_time(until) {
        return fail(EINVAL);
    }
    if signal::interrupts(true, site) {
        return fail(EINTR);
    }
    cancel::point(site);
    let result = attempt(semaphore, ETIMEDOUT, site);
    if result != 0 {
        // A request may have come while the thread waited.
        cancel::point(site);
        advance_to(clock, until);
    }
    result
}

extern "C" fn post(semaphore: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_post" as fn(u64) -> i32)(semaphore);
    }
    let site = of_call(pc);
    let used = SEMAPHORE.begin_use(semaphore, site);
    let operation = SemaphoreOperation::Post { semaphore: Object(semaphore), room: Room::Ample };
    SEMAPHORE.perform(&used, semaphore, operation, site);
    if last_event().operation.succeeded() == Some(true) { 0 } else { fail(EOVERFLOW) }
}

extern "C" fn getvalue(semaphore: u64, count: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sem_getvalue" as fn(u64, u64) -> i32)(semaphore, count);
    }
    let site = of_call(pc);
    let used = SEMAPHORE.begin_use(semaphore, site);
    let operation = SemaphoreOperation::Count { semaphore: Object(semaphore), units: Units::More };
    SEMAPHORE.perform(&used, semaphore, operation, site);
    let value = state(semaphore).count;
    argument_write(count, 4, site);
    // SAFETY: the program's variable for the count.
    unsafe { (count as *mut u32).write_unaligned(value) };
    0
}
