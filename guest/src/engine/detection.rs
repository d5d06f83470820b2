//! Feeds the detectors of `inspect_core::detect`, and finds accesses to the heap outside of live blocks.

use super::announced_frames;
use super::pruning_log;
use super::recent;
use super::service_stack::on_service_stack;
use super::state::{Engine, with};
use super::states;
use super::threads::{CONTEXTS, me};
use super::visibility::plain_is_visible;
use crate::platform::arena::{self, BlockState, HeapError};
use crate::platform::{ARENAS, STACKS, fiber, program};
use inspect_core::detect::FindingKind;
use inspect_core::event::{
    ByteRange, ControlOperation, EndKind, EventIndex, MemoryOrder, Object, Operation, SiteId, ThreadId,
};
use inspect_core::run::Misuse;
use inspect_wire::message::InconclusiveReason;

/// Passes the events executed since the last call to the detectors.
#[inline(always)]
pub(super) fn feed(engine: &mut Engine) {
    recent::forget();
    engine.observer.take_in(engine.watch_sets.resolve(engine.run.events()));
}

/// Passes a plain access that is not a visible operation to the detectors. Returns whether nothing was found wrong with
/// it.
#[inline(always)]
pub(crate) fn plain(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
    plain_on_service_stack(range.start, u64::from(range.len) << 1 | u64::from(write), site, thread)
}

on_service_stack!(plain_on_service_stack(start: u64, len_and_write: u64, site: SiteId, thread: ThreadId) -> bool => plain_here);

extern "C" fn plain_here(start: u64, len_and_write: u64, site: SiteId, thread: ThreadId) -> bool {
    let range = ByteRange { start, len: (len_and_write >> 1) as u32 };
    let write = len_and_write & 1 == 1;
    let races = with(|engine| {
        if engine.discipline.is_some() {
            // Accesses that break the locking discipline become operations, which the observer judges for races. Where
            // it is asked what C11 orders, it has to know which release sequences plain writes end.
            states::invisible_access(engine, thread, range, write);
            if !states::is_ordered(engine) {
                return false;
            }
        }
        engine.observer.plain(thread, range, write, site)
    });
    check_heap(thread, range, write, site) && !races
}

/// The running thread uses the memory of a synchronisation object, or (`write`) begins or ends the object's life.
#[inline(always)]
pub(crate) fn object(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) {
    object_on_service_stack(range.start, u64::from(range.len) << 1 | u64::from(write), site, thread);
}

on_service_stack!(object_on_service_stack(start: u64, len_and_write: u64, site: SiteId, thread: ThreadId) => object_here);

extern "C" fn object_here(start: u64, len_and_write: u64, site: SiteId, thread: ThreadId) {
    let range = ByteRange { start, len: (len_and_write >> 1) as u32 };
    let write = len_and_write & 1 == 1;
    with(|engine| {
        if engine.discipline.is_some() {
            states::invisible_access(engine, thread, range, write);
        }
        engine.observer.object(thread, range, write, site);
    });
}

/// The running thread leaves a synchronisation object at which it was released.
pub(crate) fn leaving(thread: ThreadId, range: ByteRange, site: SiteId) {
    leaving_on_service_stack(range.start, range.len, site, thread);
}

on_service_stack!(leaving_on_service_stack(start: u64, len: u32, site: SiteId, thread: ThreadId) => leaving_here);

extern "C" fn leaving_here(start: u64, len: u32, site: SiteId, thread: ThreadId) {
    let range = ByteRange { start, len };
    with(|engine| {
        if engine.discipline.is_some() {
            states::invisible_access(engine, thread, range, false);
        }
        engine.observer.leaving(thread, range, site);
    });
}

/// The running thread has destroyed an object, after all that were released at it have left.
pub(crate) fn all_have_left(range: ByteRange) {
    all_have_left_on_service_stack(range.start, range.len);
}

on_service_stack!(all_have_left_on_service_stack(start: u64, len: u32) => all_have_left_here);

extern "C" fn all_have_left_here(start: u64, len: u32) {
    with(|engine| {
        feed(engine);
        engine.observer.all_have_left(ByteRange { start, len });
    });
}

/// Passes a fence to the detectors.
pub(crate) fn fence(thread: ThreadId, order: MemoryOrder) {
    recent::forget();
    with(|engine| engine.observer.fence(thread, order));
}

/// The running thread has allocated a block of the heap.
pub(crate) fn on_allocated(start: u64, size: u64, site: SiteId) {
    if size != 0 {
        recent::forget();
        pruning_log::access(range(start, size), true);
        with(|engine| {
            // A block that gets to another thread by what C11 does not order races with that thread's accesses.
            if engine.discipline.is_some() && states::is_ordered(engine) {
                states::invisible_access(engine, me(), range(start, size), true);
            }
            engine.observer.alloc(me(), range(start, size), site);
        });
    }
}

/// The running thread gives a block of the heap back, or resizes it.
pub(crate) fn on_freed(start: u64, size: u64, site: SiteId) {
    if size != 0 {
        recent::forget();
        pruning_log::access(range(start, size), true);
        with(|engine| {
            if engine.discipline.is_some() && !plain_is_visible(range(start, size)) {
                states::invisible_access(engine, me(), range(start, size), true);
            }
            engine.run.memory_ends(range(start, size));
            engine.observer.free(me(), range(start, size), site)
        });
    }
}

fn range(start: u64, size: u64) -> ByteRange {
    ByteRange { start, len: size.min(u32::MAX.into()) as u32 }
}

/// Checks an access to the heap, or to the stack of another thread. False, with a misuse noted, if it does not lie in
/// one live block, or in memory of that stack that is in use. True for an access to anything else.
#[inline(always)]
pub(crate) fn check_heap(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
    if ARENAS.contains(range.start) {
        check_block(thread, range, write, site)
    } else {
        if STACKS.contains(range.start) {
            return check_stack(thread, range, write, site);
        }
        if fiber::thread_pointer(0).wrapping_sub(range.start) < NEAR && thread.index() != 0 {
            note_use_of_error_number(0, range, site);
        }
        true
    }
}

/// Main's variables do not end before the process, whether main has ended or not, and the descriptor of a thread, which
/// is above its thread pointer, lasts as long as its stack.
fn check_stack(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
    let Some(slot) = fiber::slot_of_address(range.start).filter(|&slot| slot != thread.index()) else { return true };
    note_use_of_error_number(slot, range, site);
    let (owner, has_ended) =
        with(|engine| (engine.run.thread_info(ThreadId::at(slot)), engine.ended_variables.touches(range)));
    // SAFETY: a read; a thread that is not running is suspended at its context.
    let innermost = unsafe { (*CONTEXTS.as_ptr())[slot].stack };
    let has_returned = fiber::stack(slot).contains(innermost) && range.start < innermost;
    let in_descriptor = range.start >= fiber::thread_pointer(slot);
    if !owner.exists || in_descriptor {
        return true;
    }
    let is_gone = has_returned || owner.ended && slot != 0;
    if !(is_gone || has_ended && announced_frames::lies_in_one(slot, range.start)) {
        return true;
    }
    let kind = FindingKind::StackUseAfterReturn;
    let operation = Some(Operation::plain(range, write));
    note(Misuse { kind, thread, site, operation, object: Object(range.start), at: EventIndex(0), other: None });
    false
}

/// The C library's variables of a thread lie so close below its thread pointer; main's are not on a stack of ours.
const NEAR: u64 = 4096;

/// The library's calls of a thread write its `errno` where they fail, which nobody announces: what another thread that
/// uses the variable reads, or races with, is not all found.
fn note_use_of_error_number(slot: usize, range: ByteRange, site: SiteId) {
    let number = fiber::thread_pointer(slot).wrapping_sub(program::errno_below_thread_pointer());
    if range.start < number.wrapping_add(4) && number < range.end() {
        const CALLS: &str = "functions of the C library that may write an errno which another thread uses";
        let is_known =
            |known: &InconclusiveReason| matches!(known, InconclusiveReason::Unmodelled { call, .. } if call == CALLS);
        with(|engine| {
            if !engine.uncontrolled.iter().any(is_known) {
                engine.uncontrolled.push(InconclusiveReason::Unmodelled { call: CALLS.into(), site });
            }
        });
    }
}

fn check_block(thread: ThreadId, range: ByteRange, write: bool, site: SiteId) -> bool {
    let Some((kind, object)) = misuse_of_heap(range) else { return true };
    let operation = Some(Operation::plain(range, write));
    note(Misuse { kind, thread, site, operation, object: Object(object), at: EventIndex(0), other: None });
    false
}

/// What is wrong with an access to an arena, and the block that it concerns. Before the first block of an arena, and
/// before a large one, there is no other block that an address could be behind.
fn misuse_of_heap(range: ByteRange) -> Option<(FindingKind, u64)> {
    let Some(block) = arena::block_of(range.start) else {
        let next = arena::block_headed_by(range.start).map_or(range.start, |block| block.start);
        return arena::is_taken(range.start).then_some((FindingKind::HeapOverflow, next));
    };
    let end = block.start + block.size;
    if block.state == BlockState::Live {
        return (range.end() > end).then_some((FindingKind::HeapOverflow, block.start));
    }
    // What lies behind the bytes of a freed block and before a live one is beside the live one.
    let next = arena::block_headed_by(range.start).filter(|next| next.state == BlockState::Live);
    match next {
        Some(next) if range.start >= end => Some((FindingKind::HeapOverflow, next.start)),
        _ => Some((FindingKind::HeapUseAfterFree, block.start)),
    }
}

/// A heap error found by the allocator.
pub(crate) fn note_heap_error(error: HeapError, pointer: u64, site: SiteId) {
    let kind = match error {
        HeapError::DoubleFree => FindingKind::DoubleFree,
        HeapError::InvalidFree => FindingKind::InvalidFree,
        HeapError::Overflow => FindingKind::HeapOverflow,
    };
    let operation = Some(Operation::Control(ControlOperation::EndProcess(EndKind::HeapError)));
    note(Misuse { kind, thread: me(), site, operation, object: Object(pointer), at: EventIndex(0), other: None });
}

/// Notes a misuse, once in a run for each thread and site, so that a loop does not fill memory.
pub(super) fn note(misuse: Misuse) {
    with(|engine| {
        let known = engine.run.misuses();
        if known.iter().any(|old| old.kind == misuse.kind && old.site == misuse.site && old.thread == misuse.thread) {
            return;
        }
        let at = EventIndex(engine.run.events().len() as u32);
        engine.run.note(Misuse { at, ..misuse });
    });
}
