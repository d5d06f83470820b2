//! The heap of the program: one arena for each slot, at fixed addresses.
//!
//! Where a block lies depends only on what its own thread allocated and freed before (S7). A thread takes from its own
//! arena; a block freed by another thread is not used again within the run; blocks freed by their owner wait in
//! quarantine, first in, first out, while no more than [`QUARANTINE`] bytes are waiting. Where freed blocks are used
//! again at once ([`begin_reuse`], S17), a thread takes the block of the size that it freed last, whoever allocated
//! that.
//!
//! An arena consists of segments. A *small* segment starts with a bitmap, one bit for 16 bytes, set where a block
//! starts; blocks lie densely, so that a run dirties few pages. A *large* block has segments of its own. Before each
//! block is a [`BlockHeader`] with a check word, after it a red zone of at least 16 bytes with a fixed pattern. All of
//! it lies in the arena itself and is restored with it; damage done by code without hooks shows at `free`.

mod geometry;
mod header;
mod segments;
mod take;

use super::global::Global;
use super::layout::{ARENA_SIZE, ARENAS};
pub use super::upcalls::HeapError;
use super::upcalls::upcalls;
use super::{fiber, poison, sys};
use core::ptr;
use geometry::{ADDRESS, Arena, BITMAP, GRANULE, LARGE, RED_ZONE, SEGMENT, SEGMENTS, TABLE, base};
use header::{BlockHeader, room_for};
use inspect_core::event::{MAX_THREADS, ThreadId, ThreadSet};
use segments::{SMALL_SEGMENT, UNUSED, segment_kind, start_at_or_before};
use take::FreePlace;

/// How many bytes of a block are filled with a pattern at most.
const FILLED: u64 = 16 << 10;
/// What fresh memory is filled with: no valid address, no initialised mutex, no plausible number.
pub const FRESH: u8 = 0xbe;
/// What freed memory is filled with.
pub const FREED: u8 = 0xdf;
const RED: u8 = 0xfb;
/// Bytes of the red zone that are filled and checked.
const CHECKED: u64 = 64;
const LIVE: u64 = 0xa11c;
const DEAD: u64 = 0xf4ee;

/// Whether a block is in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockState {
    /// Allocated.
    Live,
    /// Freed, contents gone.
    Freed,
}

/// One block of the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockInfo {
    /// First byte.
    pub start: u64,
    /// Bytes asked for; what follows is red zone.
    pub size: u64,
    /// Whether it is in use.
    pub state: BlockState,
    /// The slot that allocated it.
    pub owner: usize,
    /// Return address of the allocation.
    pub allocated_at: u64,
    /// Return address of the free, or 0.
    pub freed_at: u64,
}

/// What of the heap belongs to the run and is not in its memory: copied by snapshots and checkpoints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Bytes allocated and not freed.
    pub live: u64,
    /// Freed blocks are used again at once, by the thread that freed them.
    reuses: bool,
}

impl Usage {
    /// Nothing is allocated.
    pub const NONE: Usage = Usage { live: 0, reuses: false };
}

static USAGE: Global<Usage> = Global::new(Usage::NONE);
static LIMIT: Global<u64> = Global::new(u64::MAX);
static MAPPED: Global<ThreadSet> = Global::new(ThreadSet::EMPTY);

/// Sets the number of bytes after which [`super::upcalls::Upcalls::on_memory_limit`] is called.
pub fn set_limit(bytes: u64) {
    LIMIT.write(bytes);
}

/// The accounting at this moment.
pub fn usage() -> Usage {
    USAGE.read()
}

/// Whether freed blocks are used again at once, by the thread that freed them.
pub fn reuses() -> bool {
    USAGE.read().reuses
}

/// From here on, until the end of the run, freed blocks are used again at once. Called by the main thread, before there
/// are others.
pub fn begin_reuse() {
    USAGE.write(Usage { reuses: true, ..USAGE.read() });
    if is_ready(0) {
        // SAFETY: the arena exists; no other borrow of its state is in use.
        unsafe { arena(0) }.begin_reuse();
    }
}

/// Brings the accounting back.
pub fn set_usage(usage: Usage) {
    USAGE.write(usage);
}

/// Whether the arena of a slot exists.
pub fn is_ready(slot: usize) -> bool {
    MAPPED.read().contains(ThreadId::at(slot))
}

/// Makes the arena of a slot exist.
pub fn prepare(slot: usize) {
    assert!(slot < MAX_THREADS, "no such slot");
    if is_ready(slot) {
        return;
    }
    let start = base(slot);
    // SAFETY: the range is this arena's and is mapped once.
    if !unsafe { sys::map_fixed(start, ARENA_SIZE, sys::PROT_RW) } {
        sys::fatal("cannot reserve memory for the program's heap");
    }
    let mut mapped = MAPPED.read();
    mapped.insert(ThreadId::at(slot));
    MAPPED.write(mapped);
    // SAFETY: fresh zero memory; the state lies behind the first segment's bitmap.
    let arena = unsafe { arena(slot) };
    arena.next = start + BITMAP + size_of::<Arena>() as u64;
    arena.end = start + SEGMENT;
    arena.segments = 1;
}

/// Makes what the arenas have not given out inaccessible until they do. Where no snapshot counts the pages that a run
/// writes to, nothing else would keep a program that overwrites everything from using up the machine's memory.
pub fn close_untaken() {
    for slot in (0..MAX_THREADS).filter(|&slot| is_ready(slot)) {
        // SAFETY: the arena exists; no borrow of its state is in use.
        let taken = unsafe { arena(slot) }.segments * SEGMENT;
        // SAFETY: memory of this arena that was not given out yet.
        if !unsafe { sys::protect(base(slot) + taken, ARENA_SIZE - TABLE - taken, 0) } {
            sys::fatal("cannot protect the unused part of the program's heap");
        }
    }
}

/// # Safety
/// The arena exists and no other borrow of its state is in use.
unsafe fn arena<'a>(slot: usize) -> &'a mut Arena {
    // SAFETY: passed on.
    unsafe { &mut *((base(slot) + BITMAP) as *mut Arena) }
}

/// Allocates `size` bytes in the arena of the current slot, at a multiple of `align` (a power of two). Null only for
/// sizes that no allocator could serve. `zero` clears the block, otherwise it holds [`FRESH`].
pub fn allocate(size: u64, align: u64, zero: bool, pc: u64) -> u64 {
    let slot = fiber::current_slot();
    prepare(slot);
    // No machine has so many addresses: this fails everywhere, whatever the limit.
    const ADDRESSES: u64 = 1 << 47;
    if size >= ADDRESSES || align >= ADDRESSES {
        return 0;
    }
    // SAFETY: the arena exists; the borrow ends with this function, and nothing below borrows it again.
    let arena = unsafe { arena(slot) };
    let place = if charge(size) { arena.take(slot, size, align.max(GRANULE)) } else { None };
    let Some(FreePlace { block, room, untouched }) = place else { upcalls().on_memory_limit() };
    // SAFETY: the place is free memory of this arena with room for header, block and red zone.
    unsafe {
        let header = BlockHeader::of(block);
        header.set(block, size, room, LIVE);
        header.allocated_at = pc;
        header.freed_at = 0;
        if !zero {
            ptr::write_bytes(block as *mut u8, FRESH, size.min(FILLED) as usize);
        } else if !untouched {
            ptr::write_bytes(block as *mut u8, 0, size as usize);
        }
        ptr::write_bytes((block + size) as *mut u8, RED, (room - size).min(CHECKED) as usize);
    }
    poison::allocated(block, size, zero, pc);
    upcalls().on_allocated(block, size, untouched, pc);
    block
}

/// Counts memory taken into use; false if that is too much.
fn charge(bytes: u64) -> bool {
    let live = USAGE.read().live.saturating_add(bytes);
    USAGE.write(Usage { live, ..USAGE.read() });
    live <= LIMIT.read()
}

fn discharge(bytes: u64) {
    let usage = USAGE.read();
    USAGE.write(Usage { live: usage.live.saturating_sub(bytes), ..usage });
}

/// The block whose bytes, or whose red zone, an address is in; for an address in the header of a block, the block
/// before it. None for everything that is no heap.
#[inline]
pub fn block_of(address: u64) -> Option<BlockInfo> {
    if !ARENAS.contains(address) {
        return None;
    }
    let slot = ((address - ARENAS.start) / ARENA_SIZE) as usize;
    if !is_ready(slot) {
        return None;
    }
    start_at_or_before(slot, address).map(|start| info(slot, start))
}

/// The block in whose header an address is.
pub fn block_headed_by(address: u64) -> Option<BlockInfo> {
    let first = (address | (GRANULE - 1)) + 1;
    [first, first + GRANULE].into_iter().find_map(block_at)
}

/// Whether an address is in memory that was made a part of the heap: of a block or beside one.
pub fn is_taken(address: u64) -> bool {
    if !ARENAS.contains(address) {
        return false;
    }
    let slot = ((address - ARENAS.start) / ARENA_SIZE) as usize;
    let segment = (address - base(slot)) / SEGMENT;
    is_ready(slot) && segment < SEGMENTS && segment_kind(slot, segment) != UNUSED
}

/// Calls a function with each block that is allocated and was not freed.
pub fn each_live(mut f: impl FnMut(BlockInfo)) {
    for slot in (0..MAX_THREADS).filter(|&slot| is_ready(slot)) {
        for start in segments::starts(slot) {
            let block = info(slot, start);
            if block.state == BlockState::Live {
                f(block);
            }
        }
    }
}

fn info(owner: usize, start: u64) -> BlockInfo {
    // SAFETY: `start` is the start of a block of the arena.
    let header = unsafe { BlockHeader::of(start) };
    let state = if header.state() == LIVE { BlockState::Live } else { BlockState::Freed };
    let (allocated_at, freed_at) = (header.allocated_at & ADDRESS, header.freed_at & ADDRESS);
    BlockInfo { start, size: header.size, state, owner, allocated_at, freed_at }
}

/// The block that starts exactly at `pointer`.
fn block_at(pointer: u64) -> Option<BlockInfo> {
    block_of(pointer).filter(|block| block.start == pointer)
}

/// Frees the block at `pointer`. The block keeps its contents if there is an error.
pub fn release(pointer: u64, pc: u64) -> Result<(), HeapError> {
    let block = block_at(pointer).ok_or(HeapError::InvalidFree)?;
    // SAFETY: the start of a block.
    let header = unsafe { BlockHeader::of(pointer) };
    if !header.intact(pointer) {
        return Err(HeapError::Overflow);
    }
    if block.state == BlockState::Freed {
        return Err(HeapError::DoubleFree);
    }
    let room = header.room();
    if !red_zone_intact(pointer, block.size, room) {
        return Err(HeapError::Overflow);
    }
    upcalls().on_freed(pointer, block.size, pc);
    header.set(pointer, block.size, room, DEAD);
    discharge(block.size);
    header.freed_at = pc;
    // SAFETY: the block's own bytes, which the program has given back.
    unsafe { ptr::write_bytes(pointer as *mut u8, FREED, block.size.min(FILLED) as usize) };
    let is_large = segment_kind(block.owner, (pointer - base(block.owner)) / SEGMENT) != SMALL_SEGMENT;
    if let Some(class) = if is_large { Some(LARGE) } else { room_for(room - RED_ZONE).1 } {
        set_aside(pointer, room, class, block.owner);
    }
    Ok(())
}

/// Keeps a freed block for a later use.
fn set_aside(pointer: u64, room: u64, class: usize, owner: usize) {
    let slot = fiber::current_slot();
    prepare(slot);
    // SAFETY: the arena exists; the borrow ends with this function, and nothing below borrows it again.
    let arena = unsafe { arena(slot) };
    if reuses() && class != LARGE {
        arena.keep(pointer, class);
        return;
    }
    if owner == slot {
        arena.quarantine(slot, pointer, room, class);
    } else {
        arena.note_foreign_free(class);
    }
}

fn red_zone_intact(block: u64, size: u64, room: u64) -> bool {
    (size..(size + CHECKED).min(room)).all(|offset| {
        // SAFETY: inside the room of the block.
        unsafe { *((block + offset) as *const u8) == RED }
    })
}

/// Blocks larger than this get room to grow in place.
const GROWS_IN_PLACE: u64 = 4096;

/// Makes the block at `pointer` hold `size` bytes, moving it: a use of the old address is a use of freed memory. A
/// large block gets room to grow, in which it is not moved, so that growing it step by step stays cheap.
pub fn resize(pointer: u64, size: u64, pc: u64) -> Result<u64, HeapError> {
    let block = block_at(pointer).ok_or(HeapError::InvalidFree)?;
    if block.state == BlockState::Freed {
        return Err(HeapError::DoubleFree);
    }
    // SAFETY: the start of a block.
    let header = unsafe { BlockHeader::of(pointer) };
    if !header.intact(pointer) || !red_zone_intact(pointer, block.size, header.room()) {
        return Err(HeapError::Overflow);
    }
    let room = header.room();
    if size > GROWS_IN_PLACE && size + RED_ZONE <= room && block.owner == fiber::current_slot() {
        resize_in_place(header, pointer, block.size, size, pc);
        return Ok(pointer);
    }
    let moved = allocate_moved(pointer, block.size, size, pc);
    if moved != 0 {
        release(pointer, pc)?;
    }
    Ok(moved)
}

/// Changes the size of a block that has room for it.
#[inline]
fn resize_in_place(header: &mut BlockHeader, pointer: u64, old: u64, size: u64, pc: u64) {
    let room = header.room();
    upcalls().on_freed(pointer, old, pc);
    header.set(pointer, size, room, LIVE);
    discharge(old);
    if !charge(size) {
        upcalls().on_memory_limit();
    }
    // SAFETY: inside the room of the block.
    unsafe {
        if size > old {
            let fresh = (size - old).min(FILLED);
            ptr::write_bytes((pointer + old) as *mut u8, FRESH, fresh as usize);
            poison::allocated(pointer + old, size - old, false, pc);
        }
        ptr::write_bytes((pointer + size) as *mut u8, RED, (room - size).min(CHECKED) as usize);
    }
}

/// A new block of `size` bytes with the contents of the one at `pointer`, which has `old`; 0 if there is no memory.
#[inline]
fn allocate_moved(pointer: u64, old: u64, size: u64, pc: u64) -> u64 {
    let grown = if size > GROWS_IN_PLACE && size > old { size + size / 2 } else { size };
    let moved = allocate(grown, GRANULE, false, pc);
    if moved == 0 {
        return 0;
    }
    // SAFETY: both blocks have that many bytes; the new one's red zone is set for the size asked for.
    unsafe {
        let header = BlockHeader::of(moved);
        let room = header.room();
        header.set(moved, size, room, LIVE);
        discharge(grown - size);
        ptr::write_bytes((moved + size) as *mut u8, RED, (room - size).min(CHECKED) as usize);
        ptr::copy_nonoverlapping(pointer as *const u8, moved as *mut u8, size.min(old) as usize);
    }
    poison::copy(pointer, moved, size.min(old));
    moved
}
