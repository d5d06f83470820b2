//! The table of an arena's segments, and where blocks start in them.

use super::geometry::{BITMAP, GRANULE, SEGMENT, SEGMENTS, TABLE, base};
use crate::platform::layout::ARENA_SIZE;

/// Kinds in the segment table; a number from [`BACK`] on is a later segment of a large block, and says how many
/// segments back its first one is.
pub(super) const UNUSED: u32 = 0;
pub(super) const SMALL_SEGMENT: u32 = 1;
pub(super) const LARGE_SEGMENT: u32 = 2;
pub(super) const BACK: u32 = 2;

pub(super) fn segment_kind(slot: usize, segment: u64) -> u32 {
    if segment == 0 {
        return SMALL_SEGMENT;
    }
    // SAFETY: `segment` is below SEGMENTS; the table is inside the arena.
    unsafe { *((base(slot) + ARENA_SIZE - TABLE + segment * 4) as *const u32) }
}

pub(super) fn set_segment_kind(slot: usize, segment: u64, kind: u32) {
    // SAFETY: as above.
    unsafe { *((base(slot) + ARENA_SIZE - TABLE + segment * 4) as *mut u32) = kind }
}

fn bitmap_word(block: u64) -> (*mut u64, u64) {
    let segment = block & !(SEGMENT - 1);
    let granule = (block - segment) / GRANULE;
    ((segment + granule / 64 * 8) as *mut u64, granule % 64)
}

pub(super) fn mark_start(block: u64) {
    let (word, bit) = bitmap_word(block);
    // SAFETY: the bitmap of a small segment of the arena.
    unsafe { *word |= 1 << bit };
}

/// The start of the block at or before `address`, if there is one whose room or header reaches there.
pub(super) fn start_at_or_before(slot: usize, address: u64) -> Option<u64> {
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

/// The starts of all blocks of an arena, those that were freed included.
pub(super) fn starts(slot: usize) -> impl Iterator<Item = u64> {
    (0..SEGMENTS).take_while(move |&segment| segment_kind(slot, segment) != UNUSED).flat_map(move |segment| {
        let first = base(slot) + segment * SEGMENT;
        let is_small = segment_kind(slot, segment) == SMALL_SEGMENT;
        // SAFETY: the first word of a large block's first segment.
        let large = (segment_kind(slot, segment) == LARGE_SEGMENT).then(|| unsafe { *(first as *const u64) });
        let words = if is_small { BITMAP / 8 } else { 0 };
        let small = (0..words).flat_map(move |word| {
            // SAFETY: the bitmap of a small segment of the arena.
            let bits = unsafe { *((first + word * 8) as *const u64) };
            let set = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            set.map(move |bit| first + (word * 64 + bit) * GRANULE)
        });
        large.into_iter().chain(small)
    })
}
