//! The engine's own memory: the global allocator of the guest, and page-wise memory for big tables.
//!
//! Both live in [`layout::ENGINE`]; no program memory is ever handed out here and nothing here is restored.
//!
//! Data that change only between runs are in a part of their own, the *vault* ([`in_vault`]): if its digest before a
//! run is not the one after it, then the program has written to memory that is not its own.

use super::global::Global;
use super::layout::{ENGINE_HEAP, PAGE_STORE, Range, VAULT};
use super::sys;
use core::alloc::{GlobalAlloc, Layout};

/// A range that is made accessible from its start on, as it is used.
struct Growing {
    next: u64,
    accessible: u64,
    range: Range,
}

/// Memory is made accessible in pieces of this size.
const PIECE: u64 = 4 << 20;

impl Growing {
    const fn new(range: Range) -> Self {
        Growing { next: range.start, accessible: range.start, range }
    }

    /// `len` fresh zero bytes, or 0 if there are none left.
    fn take(&mut self, len: u64, align: u64) -> u64 {
        let start = (self.next + align - 1) & !(align - 1);
        let Some(end) = start.checked_add(len) else { return 0 };
        if end > self.range.end {
            return 0;
        }
        while self.accessible < end {
            let piece =
                PIECE.max((end - self.accessible).next_multiple_of(PIECE)).min(self.range.end - self.accessible);
            // SAFETY: the piece lies in the engine's own range, which nothing else maps.
            if !unsafe { sys::map_fixed(self.accessible, piece, sys::PROT_RW) } {
                return 0;
            }
            self.accessible += piece;
        }
        self.next = end;
        start
    }
}

/// Four sizes for every doubling, from 16 bytes on.
const CLASSES: usize = 160;

/// The class of a size and the size of its blocks.
fn class_of(size: u64) -> (usize, u64) {
    if size <= 64 {
        let units = size.max(1).div_ceil(16);
        return (units as usize - 1, units * 16);
    }
    let doubling = 63 - (size - 1).leading_zeros();
    let step = 1u64 << (doubling - 2);
    let quarter = (size - 1 - (1u64 << doubling)) / step;
    let class = 4 + (doubling as usize - 6) * 4 + quarter as usize;
    (class, (1u64 << doubling) + (quarter + 1) * step)
}

struct Heap {
    memory: Growing,
    free: [u64; CLASSES],
}

static HEAP: Global<Heap> = Global::new(Heap { memory: Growing::new(ENGINE_HEAP), free: [0; CLASSES] });
static VAULT_HEAP: Global<Heap> = Global::new(Heap { memory: Growing::new(VAULT), free: [0; CLASSES] });
/// Whether new blocks come from the vault.
static VAULT_OPEN: Global<bool> = Global::new(false);
static PAGES: Global<Growing> = Global::new(Growing::new(PAGE_STORE));

/// The guest's global allocator: size classes over memory that only grows.
pub struct EngineHeap;

// SAFETY: blocks come from ENGINE_HEAP or VAULT, each in use by one owner at a time; a block of a class is at least as
// large as the layout asked for, and aligned as its size is a multiple of the alignment or it is over-aligned on first
// use.
unsafe impl GlobalAlloc for EngineHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the only borrow of this heap; signal handlers do not allocate.
        let heap = unsafe { if VAULT_OPEN.read() { VAULT_HEAP.get() } else { HEAP.get() } };
        // Sizes of a class that serves an alignment above 16 are powers of two, hence its blocks are aligned.
        let size =
            if layout.align() > 16 { layout.size().max(layout.align()).next_power_of_two() } else { layout.size() };
        let (class, size) = class_of(size as u64);
        let Some(head) = heap.free.get_mut(class) else { return core::ptr::null_mut() };
        if *head != 0 {
            let block = *head as *mut u64;
            // SAFETY: a free block of the heap holds the address of the next one.
            *head = unsafe { *block };
            return block.cast();
        }
        let align = if size.is_power_of_two() { size.min(4096).max(layout.align() as u64) } else { 16 };
        heap.memory.take(size, align) as *mut u8
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        let heap = unsafe { if VAULT.contains(block as u64) { VAULT_HEAP.get() } else { HEAP.get() } };
        let size =
            if layout.align() > 16 { layout.size().max(layout.align()).next_power_of_two() } else { layout.size() };
        let (class, _) = class_of(size as u64);
        // SAFETY: the block is the caller's no more and is large enough for the link.
        unsafe { *block.cast::<u64>() = heap.free[class] };
        heap.free[class] = block as u64;
    }
}

/// Does `work` with memory from the vault: what it allocates must not be written while a run is in progress.
pub fn in_vault<R>(work: impl FnOnce() -> R) -> R {
    let before = VAULT_OPEN.read();
    VAULT_OPEN.write(true);
    let result = work();
    VAULT_OPEN.write(before);
    result
}

/// Bytes of the vault in use so far.
pub fn vault_size() -> u64 {
    // SAFETY: one OS thread; the value is copied at once.
    unsafe { (*VAULT_HEAP.as_ptr()).memory.next - VAULT.start }
}

/// A checksum of the vault; takes about 30 us for a MiB.
pub fn vault_digest() -> u64 {
    const LANES: usize = 8;
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    // SAFETY: the vault is accessible up to where it is used, and this function allocates nothing.
    let words = unsafe { core::slice::from_raw_parts(VAULT.start as *const u64, vault_size() as usize / 8) };
    let mut lanes = [ODD; LANES];
    let (blocks, rest) = words.as_chunks::<LANES>();
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block) {
            *lane = (*lane ^ word).wrapping_mul(ODD);
        }
    }
    let folded = |sum: u64, word: &u64| (sum ^ word).wrapping_mul(ODD).rotate_left(23);
    rest.iter().chain(&lanes).fold(words.len() as u64, folded)
}

/// `len` bytes of zeroed memory in whole pages, never given back. Ends the process if there is none. Callable from
/// signal handlers, as the allocator is never active in one.
pub fn pages(len: u64) -> u64 {
    // SAFETY: the only borrow of PAGES; callers are the main flow and the fault handler, which never interrupts this.
    let start = unsafe { PAGES.get() }.take(len.next_multiple_of(sys::PAGE), sys::PAGE);
    if start == 0 {
        sys::fatal("out of memory for copies of the program's pages");
    }
    start
}

/// Bytes of the engine's memory in use so far: heap and page store.
#[cfg(feature = "platform-selftest")]
pub fn used() -> u64 {
    // SAFETY: one OS thread; no code that runs while the borrows last uses these two globals.
    let (heap, pages) = unsafe { (HEAP.get(), PAGES.get()) };
    (heap.memory.next - ENGINE_HEAP.start) + vault_size() + (pages.next - PAGE_STORE.start)
}

/// Makes a stack of the engine's usable.
pub fn map_stack(range: Range) {
    // SAFETY: the range belongs to the engine and is mapped once.
    if !unsafe { sys::map_fixed(range.start, range.len(), sys::PROT_RW) } {
        sys::fatal("cannot map the engine's stacks");
    }
}
