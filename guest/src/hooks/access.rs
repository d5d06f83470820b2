//! Plain accesses.

use crate::engine::recent::{self, Check};
use crate::engine::{
    LAST_SITE, attention, attention_of, detection, end_process, forget_objects, log_own_write, log_plain, me,
    note_begun, note_ended, note_unsafe, own_stack_is_visible, plain_is_visible, settle, site::is_unread, take_granted,
    visible,
};
use crate::engine::{pruning_log, stack_walk, stall, static_objects, uninitialised};
use crate::platform::upcalls::upcalls;
use crate::platform::{ARENAS, STACKS, engine_ranges, fiber, poison, recover, started};
use inspect_core::event::{ByteRange, EndKind, Operation, SiteId, ThreadId};
use inspect_core::run::Request;

/// `__inspect_read`: a plain read that may be shared.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_read(address: u64, size: u64, site: u64) {
    if is_repeated(address, size, Check::Read, site) {
        return;
    }
    if started() && size != 0 {
        access(range(address, size), false, SiteId(site), false);
    }
}

/// `__inspect_write`: a plain write that may be shared.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_write(address: u64, size: u64, site: u64) {
    if is_repeated(address, size, Check::Write, site) {
        return;
    }
    if started() && size != 0 {
        access(range(address, size), true, SiteId(site), false);
    }
}

/// `__inspect_table_write`: a write of the address of a table of virtual functions. The destructor of the object's own
/// class writes what is there: the C++ language knows no such write, and other threads may call virtual functions until
/// the destructor has stopped them.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_table_write(address: u64, table: u64, site: u64) {
    const POINTER: u64 = 8;
    if started() && recover::read_value(address) == Some(table) {
        __inspect_read(address, POINTER, site);
    } else {
        __inspect_write(address, POINTER, site);
    }
}

/// `__inspect_end`: a local variable that may be shared ends with its function.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_end(address: u64, size: u64, site: u64) {
    if started() && size != 0 {
        let range = range(address, size);
        access(range, true, SiteId(site), false);
        forget_objects(range);
        if STACKS.contains(address) {
            note_ended(range);
        }
    }
}

/// `__inspect_begin`: a local variable that may be shared begins.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_begin(address: u64, size: u64) {
    if started() && size != 0 {
        note_begun(range(address, size));
    }
}

/// `__inspect_check_read`: a read that cannot be shared but may hit the heap.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_check_read(address: u64, size: u64, site: u64) {
    if is_repeated(address, size, Check::HeapRead, site) {
        return;
    }
    if started() && size != 0 {
        LAST_SITE.write(SiteId(site));
        if detection::check_heap(me(), range(address, size), false, SiteId(site)) {
            recent::note(address, size, Check::HeapRead);
        }
    }
}

/// `__inspect_check_write`: a write that cannot be shared but may hit the heap.
#[unsafe(no_mangle)]
pub(super) extern "C" fn __inspect_check_write(address: u64, size: u64, site: u64) {
    if is_repeated(address, size, Check::HeapWrite, site) {
        return;
    }
    if started() && size != 0 {
        let range = range(address, size);
        LAST_SITE.write(SiteId(site));
        refuse_engine_memory(range, SiteId(site));
        if detection::check_heap(me(), range, true, SiteId(site)) {
            recent::note(address, size, Check::HeapWrite);
        }
        if attention_of(me()) & attention::LOOP != 0 {
            log_own_write(range, SiteId(site));
        }
    }
}

/// The functions in which a thread waits at a plain access; they only return once it was granted.
pub(crate) fn entries() -> [u64; 3] {
    [__inspect_read as *const () as u64, __inspect_write as *const () as u64, watched as *const () as u64]
}

/// Whether the access needs no check: the thread has made it before, and has no reason for attention.
#[inline(always)]
fn is_repeated(address: u64, size: u64, check: Check, site: u64) -> bool {
    let repeated = recent::passed(address, size, check) && attention_of(me()) == 0;
    if repeated {
        LAST_SITE.write(SiteId(site));
    }
    repeated
}

fn range(start: u64, size: u64) -> ByteRange {
    ByteRange { start, len: size.min(u32::MAX.into()) as u32 }
}

/// A plain access by the program: a visible operation, or checked for races and heap errors.
pub(crate) fn plain(range: ByteRange, write: bool, site: SiteId) {
    let check = if write { Check::Write } else { Check::Read };
    access(range, write, site, recent::passed(range.start, u64::from(range.len), check));
}

/// The same, given whether the running thread is known to have made the access before.
#[inline(always)]
fn access(range: ByteRange, write: bool, site: SiteId, passed: bool) {
    LAST_SITE.write(site);
    let me = me();
    if write {
        refuse_engine_memory(range, site);
    }
    if plain_is_visible(range) || attention_of(me) != 0 {
        return watched(me, range, write, site, passed);
    }
    if !passed {
        static_objects::note_access(range);
        check(me, range, write, site);
    }
}

/// Checks for races and heap errors.
#[inline(always)]
fn check(me: ThreadId, range: ByteRange, write: bool, site: SiteId) {
    if detection::plain(me, range, write, site) {
        recent::note(range.start, u64::from(range.len), if write { Check::Write } else { Check::Read });
    }
}

/// A plain access that is a visible operation, or of a thread that has a reason for attention.
#[inline(never)]
fn watched(me: ThreadId, range: ByteRange, write: bool, site: SiteId, passed: bool) {
    static_objects::note_access(range);
    let operation = Operation::plain(range, write);
    const ONE_STEP: u32 = 8;
    if write && range.len > ONE_STEP && attention_of(me) & attention::CANCELLED_AT_ONCE != 0 {
        note_unsafe("a write of more than eight bytes, which may be several steps", site);
    }
    if plain_is_visible(range) {
        visible(Request::new(operation, site));
        detection::check_heap(me, range, write, site);
    } else {
        if attention_of(me) & attention::CANCELLED_AT_ONCE != 0 {
            upcalls().on_cancellable(site);
        }
        settle(me);
        if attention_of(me) & attention::VALUES != 0 {
            stack_walk::access(site);
        }
        // A thread is woken for what its loop reads, not for what nobody uses.
        let is_granted = attention_of(me) & attention::GRANTED != 0 && !is_unread(site);
        let granted = is_granted && take_granted(me, Some(range), site);
        if !granted && !passed {
            check(me, range, write, site);
        }
        pruning_log::access(range, write);
        if attention_of(me) & attention::STALLED != 0 {
            stall::observe(me, range, write);
        }
    }
    if attention_of(me) & attention::LOOP != 0 {
        log_plain(range, write, &Request::new(operation, site));
    }
}

/// A call uses a synchronisation object, or (`write`) initialises or destroys it. For races, a use is an access to the
/// object's first bytes. Objects with static storage are left out until that matters, and then are accessed as a whole.
/// Returns whether the object, if it is on the heap, lies in one live block.
#[inline(always)]
pub(crate) fn object_access(object: ByteRange, write: bool, site: SiteId) -> bool {
    LAST_SITE.write(site);
    let Some(accessed) = accessed_part(object, write) else { return true };
    let me = me();
    if attention_of(me) != 0 {
        note_object_access(me, object, write, site);
    }
    detection::object(me, accessed, write, site);
    let sound = detection::check_heap(me, object, write, site);
    if write && sound {
        poison::clear(object.start, object.len.into());
    }
    sound
}

/// The running thread leaves a synchronisation object at which it was released: as a use of the object, but over once
/// the object is destroyed.
pub(crate) fn object_leaving(object: ByteRange, site: SiteId) {
    LAST_SITE.write(site);
    let Some(accessed) = accessed_part(object, false) else { return };
    let me = me();
    if attention_of(me) != 0 {
        note_object_access(me, object, false, site);
    }
    detection::leaving(me, accessed, site);
    detection::check_heap(me, object, false, site);
}

/// The bytes of an object that a call on it accesses; none if such objects are left out.
#[inline(always)]
fn accessed_part(object: ByteRange, write: bool) -> Option<ByteRange> {
    const FIRST: u32 = 8;
    let has_static_storage = !ARENAS.contains(object.start) && !STACKS.contains(object.start);
    let is_large_static = has_static_storage && object.len >= static_objects::SMALLEST;
    if is_large_static && !static_objects::are_accesses(object) {
        return None;
    }
    let len = if write || is_large_static { object.len } else { object.len.min(FIRST) };
    Some(ByteRange { start: object.start, len })
}

/// The C library writes memory that the program gave it, or its own, under a lock of its own: for races, as if an
/// operation on an object did.
pub(crate) fn locked_write(start: u64, size: u64, site: SiteId) {
    locked_access(start, size, true, site);
}

/// The C library reads memory of its own that lasts as long as the object that the program passes, a stream. The
/// process ends if that is no more: what the library would do is not known.
pub(crate) fn locked_read(start: u64, size: u64, site: SiteId) {
    if !locked_access(start, size, false, site) {
        end_process(EndKind::HeapError, site);
    }
}

/// Returns whether the memory is there.
fn locked_access(start: u64, size: u64, write: bool, site: SiteId) -> bool {
    let memory = range(start, size);
    let me = me();
    if attention_of(me) != 0 {
        note_object_access(me, memory, write, site);
    }
    detection::object(me, memory, write, site);
    let sound = detection::check_heap(me, memory, write, site);
    if write && sound {
        poison::clear(start, size);
    }
    sound
}

#[cold]
fn note_object_access(me: ThreadId, object: ByteRange, write: bool, site: SiteId) {
    settle(me);
    if attention_of(me) & attention::VALUES != 0 {
        stack_walk::access(site);
    }
    // Static facts describe what begins and ends an object's life, and who reaches a variable with static storage.
    if !write && (ARENAS.contains(object.start) || STACKS.contains(object.start)) {
        pruning_log::access(object, false);
    }
}

/// Memory that a modelled function reads for its caller. The pass has not decided whether it may be shared, so the
/// caller's own stack counts as not shared; the race detector still sees the access.
pub(crate) fn argument_read(start: u64, size: u64, site: SiteId) {
    argument(start, size, false, site);
}

/// As [`argument_read`], for memory whose contents decide how the function goes on.
pub(crate) fn argument_decides(start: u64, size: u64, site: SiteId) {
    argument_read(start, size, site);
    if poison::is_on()
        && let Some((_, origin)) = poison::first(start, size)
    {
        uninitialised::note_use(site, origin);
    }
}

/// As [`argument_read`], for memory that is written.
pub(crate) fn argument_write(start: u64, size: u64, site: SiteId) {
    argument(start, size, true, site);
}

fn argument(start: u64, size: u64, write: bool, site: SiteId) {
    if size == 0 || start == 0 {
        return;
    }
    let range = range(start, size);
    let own = fiber::slot_of_address(start) == Some(fiber::current_slot()) && !own_stack_is_visible();
    if own {
        pruning_log::access(range, write);
        detection::plain(me(), range, write, site);
    } else {
        plain(range, write, site);
    }
    if write {
        poison::clear(start, size);
    }
}

/// Writes to the engine's memory must not happen. In a process without Inspect these addresses are not mapped, so the
/// program gets what it would get there.
#[inline(always)]
fn refuse_engine_memory(range: ByteRange, site: SiteId) {
    const SIGSEGV: i32 = 11;
    let len = u64::from(range.len);
    if engine_ranges().iter().any(|engine| engine.touches(range.start, len)) {
        crate::engine::fault(SIGSEGV, site);
    }
}
