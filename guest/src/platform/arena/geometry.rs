//! How an arena is laid out.

use crate::platform::layout::{ARENA_SIZE, ARENAS};

pub(super) const SEGMENT: u64 = 64 << 10;
pub(super) const SEGMENTS: u64 = (ARENA_SIZE - TABLE) / SEGMENT;
/// The table of segments at the end of an arena: 4 bytes for each.
pub(super) const TABLE: u64 = ARENA_SIZE / SEGMENT * 4;
pub(super) const BITMAP: u64 = SEGMENT / GRANULE / 8;
pub(super) const GRANULE: u64 = 16;
pub(super) const HEADER: u64 = 32;
pub(super) const RED_ZONE: u64 = 16;
/// Largest room of a block in a small segment.
pub(super) const SMALL: u64 = 16 << 10;
/// Bytes of small blocks in quarantine before the oldest is used again.
pub const QUARANTINE: u64 = 1 << 20;
/// The same for large blocks.
pub(super) const LARGE_QUARANTINE: u64 = 16 << 20;

/// The bits of a code address.
pub(super) const ADDRESS: u64 = (1 << 48) - 1;

pub(super) const CLASSES: usize = 64 + 4 * 8 + 1;

#[repr(C)]
pub(super) struct Arena {
    /// Next free byte of the current small segment, and its end.
    pub(super) next: u64,
    pub(super) end: u64,
    /// Number of segments in use.
    pub(super) segments: u64,
    pub(super) quarantined: u64,
    /// First and last block in quarantine, by class; the last one is not 0 if the slot's thread has freed any block of
    /// the class, also one of another arena. Where freed blocks are used again at once, the lower and the upper half of
    /// the address of the block of the class that the slot's thread freed last.
    pub(super) first: [u32; CLASSES],
    pub(super) last: [u32; CLASSES],
    pub(super) large_quarantined: u64,
}

/// The class of all large blocks.
pub(super) const LARGE: usize = CLASSES - 1;

const _: () = assert!(BITMAP + size_of::<Arena>() as u64 <= 2048);

/// Where the arena of a slot begins.
pub(super) fn base(slot: usize) -> u64 {
    ARENAS.start + slot as u64 * ARENA_SIZE
}
