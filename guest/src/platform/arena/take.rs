//! Where the next block comes from: the quarantine of its class, the current segment, or a new one.

use super::geometry::{
    Arena, BITMAP, CLASSES, GRANULE, HEADER, LARGE, LARGE_QUARANTINE, QUARANTINE, SEGMENT, SEGMENTS, base,
};
use super::header::{BlockHeader, room_for};
use super::segments::{BACK, LARGE_SEGMENT, SMALL_SEGMENT, mark_start, set_segment_kind};
use super::{BlockState, block_at, reuses};
use crate::platform::upcalls::upcalls;
use crate::platform::{child, sys};

/// Free memory for an allocation.
pub(super) struct FreePlace {
    pub(super) block: u64,
    pub(super) room: u64,
    /// Never used in this run: all zero.
    pub(super) untouched: bool,
}

impl Arena {
    pub(super) fn take(&mut self, slot: usize, size: u64, align: u64) -> Option<FreePlace> {
        let (room, class) = room_for(size);
        let Some(class) = class.filter(|_| align <= 4096) else { return self.take_large(slot, room, align) };
        if reuses() {
            if let Some(block) = self.take_latest(class, align) {
                return Some(FreePlace { block, room, untouched: false });
            }
        } else if self.last[class] != 0 {
            upcalls().on_reusable();
        }
        if !reuses()
            && self.quarantined > QUARANTINE
            && let Some(block) = self.reuse(slot, class, align)
        {
            return Some(FreePlace { block, room, untouched: false });
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
        Some(FreePlace { block, room, untouched: true })
    }

    /// The oldest block of the class in quarantine, if it is aligned.
    fn reuse(&mut self, slot: usize, class: usize, align: u64) -> Option<u64> {
        let block = block_number(slot, self.first[class])?;
        if block % align != 0 {
            return None;
        }
        // SAFETY: blocks in quarantine are blocks of this arena.
        let header = unsafe { BlockHeader::of(block) };
        self.first[class] = header.link();
        self.quarantined -= header.room();
        Some(block)
    }

    /// Puts a freed block at the end of its class's quarantine.
    pub(super) fn quarantine(&mut self, slot: usize, block: u64, room: u64, class: usize) {
        let number = ((block - base(slot)) / GRANULE) as u32;
        // SAFETY: both are blocks of this arena.
        unsafe { BlockHeader::of(block) }.set_link(0);
        match block_number(slot, self.first[class]).and(block_number(slot, self.last[class])) {
            // SAFETY: as above.
            Some(last) => unsafe { BlockHeader::of(last) }.set_link(number),
            None => self.first[class] = number,
        }
        self.last[class] = number;
        if class == LARGE {
            self.large_quarantined += room;
        } else {
            self.quarantined += room;
        }
    }

    /// Frees a block for the slot's thread to use again: the block of its class that it takes next.
    pub(super) fn keep(&mut self, block: u64, class: usize) {
        let before = self.latest(class);
        // SAFETY: a block that was freed has room for a word.
        unsafe { (block as *mut u64).write(before) };
        self.set_latest(class, block);
    }

    /// The block of the class that the slot's thread freed last, if it is aligned.
    fn take_latest(&mut self, class: usize, align: u64) -> Option<u64> {
        let block = self.latest(class);
        if block == 0 || !block.is_multiple_of(align) {
            return None;
        }
        // SAFETY: `keep` wrote it there; only a program that uses freed memory has changed it.
        let before = unsafe { (block as *const u64).read() };
        self.set_latest(class, if is_free(before) { before } else { 0 });
        Some(block)
    }

    fn latest(&self, class: usize) -> u64 {
        u64::from(self.first[class]) | u64::from(self.last[class]) << 32
    }

    fn set_latest(&mut self, class: usize, block: u64) {
        (self.first[class], self.last[class]) = (block as u32, (block >> 32) as u32);
    }

    /// Notes that the slot's thread has freed a block of another arena. No list has such a last block while it is
    /// empty.
    pub(super) fn note_foreign_free(&mut self, class: usize) {
        self.last[class] = self.last[class].max(1);
    }

    /// From here on freed blocks are used again at once; those freed before never are.
    pub(super) fn begin_reuse(&mut self) {
        (self.first, self.last) = ([0; CLASSES], [0; CLASSES]);
    }

    fn take_large(&mut self, slot: usize, room: u64, align: u64) -> Option<FreePlace> {
        let before = HEADER.max(align).max(64);
        let count = (before + room).div_ceil(SEGMENT);
        if self.large_quarantined > LARGE_QUARANTINE
            && let Some((block, room)) = self.reuse_large(slot, count, room, align)
        {
            return Some(FreePlace { block, room, untouched: false });
        }
        let first = self.take_segments(slot, count, LARGE_SEGMENT)?;
        let block = (first + 64).next_multiple_of(align);
        // SAFETY: the segments are ours; the first two words say where the block is and how many segments it has.
        unsafe { (first as *mut [u64; 2]).write([block, count]) };
        Some(FreePlace { block, room: first + count * SEGMENT - block, untouched: true })
    }

    /// The oldest large block in quarantine with about this number of segments. (A block at the start of a segment was
    /// aligned to more than one: its first segment lies further back.)
    fn reuse_large(&mut self, slot: usize, count: u64, room: u64, align: u64) -> Option<(u64, u64)> {
        let mut before: Option<u64> = None;
        let mut number = self.first[LARGE];
        while let Some(block) = block_number(slot, number) {
            // SAFETY: a large block of this arena, and the words at its first segment's start.
            let (header, [_, segments]) =
                unsafe { (BlockHeader::of(block), *((block & !(SEGMENT - 1)) as *const [u64; 2])) };
            let fits = (count..=count + count / 4).contains(&segments) && !block.is_multiple_of(SEGMENT);
            // One that was aligned to more begins further on, and has less room.
            if fits && header.room() >= room && block.is_multiple_of(align) {
                match before {
                    // SAFETY: a block of this arena.
                    Some(before) => unsafe { BlockHeader::of(before) }.set_link(header.link()),
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
        if child::in_child() {
            // SAFETY: memory of this arena that was not given out yet.
            let opened = unsafe { sys::protect(start, count * SEGMENT, sys::PROT_RW) };
            opened.then_some(start)
        } else {
            Some(start)
        }
    }
}

/// Whether a freed block begins at an address.
fn is_free(block: u64) -> bool {
    block_at(block).is_some_and(|block| block.state == BlockState::Freed)
}

/// The block with a number; None for 0.
fn block_number(slot: usize, number: u32) -> Option<u64> {
    (number != 0).then(|| base(slot) + u64::from(number) * GRANULE)
}
