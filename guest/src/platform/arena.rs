//! The heap of the program: one arena for each slot, at fixed addresses.
//!
//! Where a block lies depends only on what its own thread allocated and freed before (DESIGN 3.7). A thread takes from
//! its own arena; a block freed by another thread is not used again within the run; blocks freed by their owner wait in
//! quarantine, first in, first out, while no more than [`QUARANTINE`] bytes are waiting.
//!
//! An arena consists of segments. A *small* segment starts with a bitmap, one bit for 16 bytes, set where a block
//! starts; blocks lie densely, so that a run dirties few pages. A *large* block has segments of its own. Before each
//! block is a [`Header`] with a check word, after it a red zone of at least 16 bytes with a fixed pattern. All of it
//! lies in the arena itself and is restored with it; damage done by code without hooks shows at `free`.

use super::fork;
use super::global::Global;
use super::layout::{ARENA_SIZE, ARENAS};
use super::{fiber, sys};
use core::ptr;
use inspect_core::event::MAX_THREADS;

const SEGMENT: u64 = 64 << 10;
const SEGMENTS: u64 = (ARENA_SIZE - TABLE) / SEGMENT;
/// The table of segments at the end of an arena: 4 bytes for each.
const TABLE: u64 = ARENA_SIZE / SEGMENT * 4;
const BITMAP: u64 = SEGMENT / GRANULE / 8;
const GRANULE: u64 = 16;
const HEADER: u64 = size_of::<Header>() as u64;
const RED_ZONE: u64 = 16;
/// Bytes of the red zone that are filled and checked.
const CHECKED: u64 = 64;
/// Largest room of a block in a small segment.
const SMALL: u64 = 16 << 10;
/// Bytes of small blocks in quarantine before the oldest is used again.
pub const QUARANTINE: u64 = 1 << 20;
/// The same for large blocks.
const LARGE_QUARANTINE: u64 = 16 << 20;
/// Only so many bytes of a block are filled with a pattern.
const FILLED: u64 = 16 << 10;
/// What fresh memory is filled with: no valid address, no initialised mutex, no plausible number.
pub const FRESH: u8 = 0xbe;
/// What freed memory is filled with.
pub const FREED: u8 = 0xdf;
const RED: u8 = 0xfb;

const LIVE: u64 = 0xa11c;
const DEAD: u64 = 0xf4ee;

/// Kinds in the segment table; a number from [`BACK`] on is a later segment of a large block, and says how many
/// segments back its first one is.
const UNUSED: u32 = 0;
const SMALL_SEGMENT: u32 = 1;
const LARGE_SEGMENT: u32 = 2;
const BACK: u32 = 2;

#[repr(C)]
struct Header {
    /// Bytes asked for.
    size: u64,
    /// Room after the header (32 bits, granules), state (16 bits), and 16 bits of check.
    word: u64,
    /// Return address of the allocation in the low 48 bits; above it half of the link of the quarantine.
    allocated_at: u64,
    /// Return address of the free, and the other half of the link.
    freed_at: u64,
}

/// The bits of a code address.
const ADDRESS: u64 = (1 << 48) - 1;

const CLASSES: usize = 64 + 4 * 8 + 1;

#[repr(C)]
struct Arena {
    /// Next free byte of the current small segment, and its end.
    next: u64,
    end: u64,
    /// Number of segments in use.
    segments: u64,
    quarantined: u64,
    /// First and last block in quarantine, by class.
    first: [u32; CLASSES],
    last: [u32; CLASSES],
    large_quarantined: u64,
}

/// The class of all large blocks.
const LARGE: usize = CLASSES - 1;

const _: () = assert!(BITMAP + size_of::<Arena>() as u64 <= 2048);

/// What goes wrong at a `free` or `realloc`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapError {
    /// The block was freed before.
    DoubleFree,
    /// The address is not that of a block.
    InvalidFree,
    /// The red zone after the block, or the header before it, was overwritten by code without hooks.
    Overflow,
}

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

/// Heap accounting that belongs to the run: copied by snapshots and checkpoints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Bytes allocated and not freed.
    pub live: u64,
}

static USAGE: Global<Usage> = Global::new(Usage { live: 0 });
static LIMIT: Global<u64> = Global::new(u64::MAX);
static MAPPED: Global<u64> = Global::new(0);

/// Sets the number of bytes after which `engine::on_memory_limit` is called.
pub fn set_limit(bytes: u64) {
    LIMIT.write(bytes);
}

/// The accounting at this moment.
pub fn usage() -> Usage {
    USAGE.read()
}

/// Brings the accounting back.
pub fn set_usage(usage: Usage) {
    USAGE.write(usage);
}

fn base(slot: usize) -> u64 {
    ARENAS.start + slot as u64 * ARENA_SIZE
}

/// Whether the arena of a slot exists.
pub fn is_ready(slot: usize) -> bool {
    MAPPED.read() >> slot & 1 == 1
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
    MAPPED.write(MAPPED.read() | 1 << slot);
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
        // SAFETY: memory of this arena that nobody has used.
        if !unsafe { sys::protect(base(slot) + taken, ARENA_SIZE - TABLE - taken, 0) } {
            sys::fatal("cannot protect the unused part of the program's heap");
        }
    }
}

/// SAFETY: the arena exists and no other borrow of its state is in use.
unsafe fn arena<'a>(slot: usize) -> &'a mut Arena {
    // SAFETY: passed on.
    unsafe { &mut *((base(slot) + BITMAP) as *mut Arena) }
}

fn segment_kind(slot: usize, segment: u64) -> u32 {
    if segment == 0 {
        return SMALL_SEGMENT;
    }
    // SAFETY: `segment` is below SEGMENTS; the table is inside the arena.
    unsafe { *((base(slot) + ARENA_SIZE - TABLE + segment * 4) as *const u32) }
}

fn set_segment_kind(slot: usize, segment: u64, kind: u32) {
    // SAFETY: as above.
    unsafe { *((base(slot) + ARENA_SIZE - TABLE + segment * 4) as *mut u32) = kind }
}

impl Header {
    /// SAFETY: `block` is the start of a block.
    unsafe fn of<'a>(block: u64) -> &'a mut Header {
        // SAFETY: passed on.
        unsafe { &mut *((block - HEADER) as *mut Header) }
    }

    fn check(block: u64, size: u64, room: u64, state: u64) -> u64 {
        let mixed =
            (block ^ size.rotate_left(29) ^ room.rotate_left(47) ^ state << 13).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed >> 48
    }

    fn set(&mut self, block: u64, size: u64, room: u64, state: u64) {
        self.size = size;
        self.word = (room / GRANULE) << 32 | state << 16 | Header::check(block, size, room, state);
    }

    fn room(&self) -> u64 {
        (self.word >> 32) * GRANULE
    }

    fn state(&self) -> u64 {
        self.word >> 16 & 0xffff
    }

    /// Number of the next block in quarantine, or 0.
    fn link(&self) -> u32 {
        ((self.allocated_at >> 48) << 16 | self.freed_at >> 48) as u32
    }

    fn set_link(&mut self, link: u32) {
        self.allocated_at = self.allocated_at & ADDRESS | u64::from(link >> 16) << 48;
        self.freed_at = self.freed_at & ADDRESS | u64::from(link & 0xffff) << 48;
    }

    fn intact(&self, block: u64) -> bool {
        self.word & 0xffff == Header::check(block, self.size, self.room(), self.state())
    }
}

/// The room for a block of `size` bytes and the class of that room (none for large blocks).
fn room_for(size: u64) -> (u64, Option<usize>) {
    let room = (size + RED_ZONE).next_multiple_of(GRANULE);
    if room <= 1024 {
        return (room, Some((room / GRANULE) as usize - 1));
    }
    if room > SMALL {
        return (room, None);
    }
    // Eight sizes for every doubling above 1024.
    let doubling = 63 - (room - 1).leading_zeros() as u64;
    let step = 1 << (doubling - 3);
    let rounded = room.next_multiple_of(step);
    let class = 64 + (doubling - 10) as usize * 8 + ((rounded - (1 << doubling)) / step) as usize - 1;
    (rounded, Some(class))
}

/// Where a fresh allocation comes from.
struct Place {
    block: u64,
    room: u64,
    /// Never used in this run: all zero.
    untouched: bool,
}

/// Allocates `size` bytes in the arena of the current slot, at a multiple of `align` (a power of two). Null only for
/// sizes that no allocator could serve. `zero` clears the block, otherwise it holds [`FRESH`].
pub fn allocate(size: u64, align: u64, zero: bool, pc: u64) -> u64 {
    let slot = fiber::current_slot();
    prepare(slot);
    if size > i64::MAX as u64 - align {
        return 0;
    }
    // SAFETY: the arena exists; the borrow ends with this function, and nothing below borrows it again.
    let arena = unsafe { arena(slot) };
    let place = if charge(size) { arena.take(slot, size, align.max(GRANULE)) } else { None };
    let Some(Place { block, room, untouched }) = place else { crate::engine::on_memory_limit() };
    // SAFETY: the place is free memory of this arena with room for header, block and red zone.
    unsafe {
        let header = Header::of(block);
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
    crate::engine::on_allocated(block, size, untouched, pc);
    block
}

impl Arena {
    fn take(&mut self, slot: usize, size: u64, align: u64) -> Option<Place> {
        let (room, class) = room_for(size);
        let Some(class) = class.filter(|_| align <= 4096) else { return self.take_large(slot, room, align) };
        if self.quarantined > QUARANTINE
            && let Some(block) = self.reuse(slot, class, align)
        {
            return Some(Place { block, room, untouched: false });
        }
        let mut block = (self.next + HEADER).next_multiple_of(align);
        if block + room > self.end {
            let segment = self.take_segments(slot, 1, SMALL_SEGMENT)?;
            self.next = segment + BITMAP;
            self.end = segment + SEGMENT;
            block = (self.next + HEADER).next_multiple_of(align);
        }
        self.next = block + room;
        mark_start(block);
        Some(Place { block, room, untouched: true })
    }

    /// The oldest block of the class in quarantine, if it is aligned.
    fn reuse(&mut self, slot: usize, class: usize, align: u64) -> Option<u64> {
        let block = block_number(slot, self.first[class])?;
        if block % align != 0 {
            return None;
        }
        // SAFETY: blocks in quarantine are blocks of this arena.
        let header = unsafe { Header::of(block) };
        self.first[class] = header.link();
        self.quarantined -= header.room();
        Some(block)
    }

    /// Puts a freed block that nobody will use again at the end of its class's quarantine.
    fn quarantine(&mut self, slot: usize, block: u64, room: u64, class: usize) {
        let number = ((block - base(slot)) / GRANULE) as u32;
        // SAFETY: both are blocks of this arena.
        unsafe { Header::of(block) }.set_link(0);
        match block_number(slot, self.first[class]).and(block_number(slot, self.last[class])) {
            // SAFETY: as above.
            Some(last) => unsafe { Header::of(last) }.set_link(number),
            None => self.first[class] = number,
        }
        self.last[class] = number;
        if class == LARGE {
            self.large_quarantined += room;
        } else {
            self.quarantined += room;
        }
    }

    fn take_large(&mut self, slot: usize, room: u64, align: u64) -> Option<Place> {
        let before = HEADER.max(align).max(64);
        let count = (before + room).div_ceil(SEGMENT);
        if self.large_quarantined > LARGE_QUARANTINE
            && let Some((block, room)) = self.reuse_large(slot, count, align)
        {
            return Some(Place { block, room, untouched: false });
        }
        let first = self.take_segments(slot, count, LARGE_SEGMENT)?;
        let block = (first + 64).next_multiple_of(align);
        // SAFETY: the segments are ours; the first two words say where the block is and how many segments it has.
        unsafe { (first as *mut [u64; 2]).write([block, count]) };
        Some(Place { block, room: first + count * SEGMENT - block, untouched: true })
    }

    /// The oldest large block in quarantine with about this number of segments. (A block at the start of a segment was
    /// aligned to more than one: its first segment lies further back.)
    fn reuse_large(&mut self, slot: usize, count: u64, align: u64) -> Option<(u64, u64)> {
        let mut before: Option<u64> = None;
        let mut number = self.first[LARGE];
        while let Some(block) = block_number(slot, number) {
            // SAFETY: a large block of this arena, and the words at its first segment's start.
            let (header, [_, segments]) =
                unsafe { (Header::of(block), *((block & !(SEGMENT - 1)) as *const [u64; 2])) };
            let fits = (count..=count + count / 4).contains(&segments) && !block.is_multiple_of(SEGMENT);
            if fits && block.is_multiple_of(align) {
                match before {
                    // SAFETY: a block of this arena.
                    Some(before) => unsafe { Header::of(before) }.set_link(header.link()),
                    None => self.first[LARGE] = header.link(),
                }
                if header.link() == 0 {
                    self.last[LARGE] = before.map_or(0, |before| ((before - base(slot)) / GRANULE) as u32);
                }
                self.large_quarantined -= header.room();
                return Some((block, header.room()));
            }
            before = Some(block);
            number = header.link();
        }
        None
    }

    fn take_segments(&mut self, slot: usize, count: u64, kind: u32) -> Option<u64> {
        let first = self.segments;
        if count > SEGMENTS - first {
            return None;
        }
        self.segments += count;
        set_segment_kind(slot, first, kind);
        for back in 1..count {
            set_segment_kind(slot, first + back, BACK + back as u32);
        }
        let start = base(slot) + first * SEGMENT;
        if fork::in_child() {
            // SAFETY: memory of this arena that nobody has used.
            let opened = unsafe { sys::protect(start, count * SEGMENT, sys::PROT_RW) };
            opened.then_some(start)
        } else {
            Some(start)
        }
    }
}

/// The block with a number; None for 0.
fn block_number(slot: usize, number: u32) -> Option<u64> {
    (number != 0).then(|| base(slot) + u64::from(number) * GRANULE)
}

/// Counts memory taken into use; false if that is too much.
fn charge(bytes: u64) -> bool {
    let live = USAGE.read().live.saturating_add(bytes);
    USAGE.write(Usage { live });
    live <= LIMIT.read()
}

fn discharge(bytes: u64) {
    USAGE.write(Usage { live: USAGE.read().live.saturating_sub(bytes) });
}

fn bitmap_word(block: u64) -> (*mut u64, u64) {
    let segment = block & !(SEGMENT - 1);
    let granule = (block - segment) / GRANULE;
    ((segment + granule / 64 * 8) as *mut u64, granule % 64)
}

fn mark_start(block: u64) {
    let (word, bit) = bitmap_word(block);
    // SAFETY: the bitmap of a small segment of the arena.
    unsafe { *word |= 1 << bit };
}

/// The start of the block at or before `address`, if there is one whose room or header reaches there.
fn start_at_or_before(slot: usize, address: u64) -> Option<u64> {
    let segment = (address - base(slot)) / SEGMENT;
    let kind = if segment < SEGMENTS { segment_kind(slot, segment) } else { UNUSED };
    match kind {
        UNUSED => None,
        SMALL_SEGMENT => {
            let (first, bit) = bitmap_word(address);
            let mut word = first;
            // SAFETY: the words from the segment's start to `first` are its bitmap.
            unsafe {
                let mut bits = *word & (u64::MAX >> (63 - bit));
                while bits == 0 {
                    if (word as u64).is_multiple_of(SEGMENT) {
                        return None;
                    }
                    word = word.sub(1);
                    bits = *word;
                }
                let granule = (word as u64 % SEGMENT) * 8 + u64::from(63 - bits.leading_zeros());
                Some((address & !(SEGMENT - 1)) + granule * GRANULE)
            }
        }
        large => {
            let back = if large == LARGE_SEGMENT { 0 } else { u64::from(large - BACK) };
            // SAFETY: the first word of a large block's first segment.
            let block = unsafe { *((base(slot) + (segment - back) * SEGMENT) as *const u64) };
            (block <= address).then_some(block)
        }
    }
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

fn info(owner: usize, start: u64) -> BlockInfo {
    // SAFETY: `start` is the start of a block of the arena.
    let header = unsafe { Header::of(start) };
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
    let header = unsafe { Header::of(pointer) };
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
    crate::engine::on_freed(pointer, block.size, pc);
    header.set(pointer, block.size, room, DEAD);
    discharge(block.size);
    header.freed_at = pc;
    // SAFETY: the block's own bytes; nobody may use them any more.
    unsafe { ptr::write_bytes(pointer as *mut u8, FREED, block.size.min(FILLED) as usize) };
    if block.owner == fiber::current_slot() {
        let is_large = segment_kind(block.owner, (pointer - base(block.owner)) / SEGMENT) != SMALL_SEGMENT;
        let class = if is_large { Some(LARGE) } else { room_for(room - RED_ZONE).1 };
        if let Some(class) = class {
            // SAFETY: the arena exists as it has a block; no other borrow of its state is in use.
            unsafe { arena(block.owner) }.quarantine(block.owner, pointer, room, class);
        }
    }
    Ok(())
}

fn red_zone_intact(block: u64, size: u64, room: u64) -> bool {
    (size..(size + CHECKED).min(room)).all(|offset| {
        // SAFETY: inside the room of the block.
        unsafe { *((block + offset) as *const u8) == RED }
    })
}

/// Whether header and red zone of a block are as the allocator left them.
pub fn is_intact(block: &BlockInfo) -> bool {
    // SAFETY: the start of a block.
    let header = unsafe { Header::of(block.start) };
    header.intact(block.start)
        && (block.state == BlockState::Freed || red_zone_intact(block.start, block.size, header.room()))
}

/// Makes the block at `pointer` hold `size` bytes, moving it: who keeps the old address uses freed memory. A large
/// block gets room to grow, so that growing it step by step stays cheap.
pub fn resize(pointer: u64, size: u64, pc: u64) -> Result<u64, HeapError> {
    const GROWS_IN_PLACE: u64 = 4096;
    let block = block_at(pointer).ok_or(HeapError::InvalidFree)?;
    if block.state == BlockState::Freed {
        return Err(HeapError::DoubleFree);
    }
    // SAFETY: the start of a block.
    let header = unsafe { Header::of(pointer) };
    if !header.intact(pointer) || !red_zone_intact(pointer, block.size, header.room()) {
        return Err(HeapError::Overflow);
    }
    let room = header.room();
    if size > GROWS_IN_PLACE && size + RED_ZONE <= room && block.owner == fiber::current_slot() {
        crate::engine::on_freed(pointer, block.size, pc);
        header.set(pointer, size, room, LIVE);
        discharge(block.size);
        if !charge(size) {
            crate::engine::on_memory_limit();
        }
        // SAFETY: inside the room of the block.
        unsafe {
            if size > block.size {
                let fresh = (size - block.size).min(FILLED);
                ptr::write_bytes((pointer + block.size) as *mut u8, FRESH, fresh as usize);
            }
            ptr::write_bytes((pointer + size) as *mut u8, RED, (room - size).min(CHECKED) as usize);
        }
        return Ok(pointer);
    }
    let grown = if size > GROWS_IN_PLACE && size > block.size { size + size / 2 } else { size };
    let moved = allocate(grown, GRANULE, false, pc);
    if moved == 0 {
        return Ok(0);
    }
    // SAFETY: both blocks have that many bytes; the new one's red zone is set for the size asked for.
    unsafe {
        let header = Header::of(moved);
        let room = header.room();
        header.set(moved, size, room, LIVE);
        discharge(grown - size);
        ptr::write_bytes((moved + size) as *mut u8, RED, (room - size).min(CHECKED) as usize);
        ptr::copy_nonoverlapping(pointer as *const u8, moved as *mut u8, size.min(block.size) as usize);
    }
    release(pointer, pc)?;
    Ok(moved)
}

/// Calls `visit` with every block of every arena, in order of address.
pub fn for_each_block(mut visit: impl FnMut(BlockInfo)) {
    for slot in (0..MAX_THREADS).filter(|&slot| is_ready(slot)) {
        // SAFETY: the arena exists; the count is copied.
        let segments = unsafe { arena(slot) }.segments;
        for segment in 0..segments {
            let start = base(slot) + segment * SEGMENT;
            match segment_kind(slot, segment) {
                SMALL_SEGMENT => visit_small(slot, start, &mut visit),
                // SAFETY: the first word of a large block's first segment is its address.
                LARGE_SEGMENT => visit(info(slot, unsafe { *(start as *const u64) })),
                _ => {}
            }
        }
    }
}

fn visit_small(slot: usize, segment: u64, visit: &mut impl FnMut(BlockInfo)) {
    for word in 0..BITMAP / 8 {
        // SAFETY: the bitmap of a small segment.
        let mut bits = unsafe { *((segment + word * 8) as *const u64) };
        while bits != 0 {
            let granule = word * 64 + u64::from(bits.trailing_zeros());
            bits &= bits - 1;
            visit(info(slot, segment + granule * GRANULE));
        }
    }
}
