//! Where things are. Everything the program can see is at an address that is the same in every run and every process;
//! the ranges lie between the heap of a position-independent program and its libraries, where Linux puts nothing.

use inspect_core::event::MAX_THREADS;

/// A half-open range of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Range {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
}

impl Range {
    /// The range of `len` bytes from `start` on.
    pub const fn new(start: u64, len: u64) -> Self {
        Range { start, end: start + len }
    }

    /// Whether the address is inside.
    #[inline(always)]
    pub const fn contains(self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.end - self.start
    }

    /// Whether `len` bytes at `address` touch the range.
    #[inline(always)]
    pub const fn touches(self, address: u64, len: u64) -> bool {
        address < self.end && address.saturating_add(len) > self.start
    }

    /// Number of bytes.
    pub const fn len(self) -> u64 {
        self.end - self.start
    }
}

const SLOTS: u64 = MAX_THREADS as u64;
/// With room for so many threads, each has less of what there is.
const MANY_SLOTS: bool = SLOTS > 64;

/// Arenas: one stretch of [`ARENA_SIZE`] for each slot.
pub const ARENAS: Range = Range::new(0x1000_0000_0000, SLOTS * ARENA_SIZE);
pub const ARENA_SIZE: u64 = if MANY_SLOTS { 1 << 30 } else { 8 << 30 };

/// Stacks with TLS: one stretch of [`STACK_STRIDE`] for each slot.
pub const STACKS: Range = Range::new(0x1100_0000_0000, SLOTS * STACK_STRIDE);
pub const STACK_STRIDE: u64 = 64 << 20;

/// Mappings the program makes during a run: one stretch of [`MAPPING_SIZE`] for each slot.
pub const MAPPINGS: Range = Range::new(0x1200_0000_0000, SLOTS * MAPPING_SIZE);
pub const MAPPING_SIZE: u64 = if MANY_SLOTS { 8 << 30 } else { 64 << 30 };

/// Where the poisoned bits of heaps and stacks are ([`super::poison`]): as far from what they belong to as this range
/// is from the first arena.
pub const POISON: Range = Range::new(0x1b00_0000_0000, 2 << 40);

/// Where the origins of these bits are.
pub const ORIGINS: Range = Range::new(0x1d00_0000_0000, 2 << 40);

/// Poisoned bits and origins of variables with static storage.
pub const STATIC_POISON: Range = Range::new(0x1f00_0000_0000, 1 << 40);

/// All memory of the engine, except the image of the guest library itself: stacks, heap, copies of the program's
/// pages, shared memory. Inaccessible gaps separate the parts.
pub const ENGINE: Range = Range::new(0x2000_0000_0000, 1 << 40);

/// Whether the address is one that does not change from process to process, or none of the program's memory at all.
pub const fn is_fixed(address: u64) -> bool {
    const USER_SPACE: u64 = 1 << 47;
    ARENAS.contains(address) || STACKS.contains(address) || MAPPINGS.contains(address) || address >= USER_SPACE
}

const GAP: u64 = 16 << 20;
/// Stack of the engine's main loop.
pub const ENGINE_STACK: Range = Range::new(ENGINE.start + GAP, 16 << 20);
/// Stack on which the engine serves a fiber.
pub const SERVICE_STACK: Range = Range::new(ENGINE_STACK.end + GAP, 16 << 20);
/// Stack on which a defect of the engine is reported.
pub const EMERGENCY_STACK: Range = Range::new(SERVICE_STACK.end + GAP, 1 << 20);
/// Stack on which signal handlers run.
pub const SIGNAL_STACK: Range = Range::new(EMERGENCY_STACK.end + GAP, 1 << 20);
/// Memory shared with the host.
pub const SHARED: Range = Range::new(ENGINE.start + (1 << 30), inspect_wire::shared::SIZE);
/// What a forked child hands back.
pub const CHANNEL: Range = Range::new(SHARED.end + GAP, 256 << 20);
/// The table of states that guests share.
pub const STATE_TABLE: Range = Range::new(CHANNEL.end + GAP, inspect_wire::shared::MOST_TABLE);
/// Heap of the engine.
pub const ENGINE_HEAP: Range = Range::new(ENGINE.start + (64 << 30), 192 << 30);
/// The part of the heap that does not change while a run is in progress: what the search remembers.
pub const VAULT: Range = Range::new(ENGINE_HEAP.end + GAP, 64 << 30);
/// Copies of the program's pages, and tables about them.
pub const PAGE_STORE: Range = Range::new(VAULT.end + GAP, 512 << 30);

const _: () = assert!(PAGE_STORE.end < ENGINE.end);
const _: () = assert!(SIGNAL_STACK.end < SHARED.start && STATE_TABLE.end < ENGINE_HEAP.start);
const _: () = assert!(ARENAS.end <= STACKS.start && STACKS.end <= MAPPINGS.start && MAPPINGS.end <= POISON.start);
const _: () = assert!(STACKS.end - ARENAS.start <= POISON.len() && POISON.len() == ORIGINS.len());
const _: () = assert!(POISON.end <= ORIGINS.start && ORIGINS.end <= STATIC_POISON.start);
const _: () = assert!(STATIC_POISON.end <= ENGINE.start);
