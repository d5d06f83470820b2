//! What stands before a block, and how much room a block of a size gets.

use super::geometry::{ADDRESS, GRANULE, HEADER, RED_ZONE, SMALL};

#[repr(C)]
pub(super) struct BlockHeader {
    /// Bytes asked for.
    pub(super) size: u64,
    /// Room after the header (32 bits, granules), state (16 bits), and 16 bits of check.
    word: u64,
    /// Return address of the allocation in the low 48 bits; above it half of the link of the quarantine.
    pub(super) allocated_at: u64,
    /// Return address of the free, and the other half of the link.
    pub(super) freed_at: u64,
}

const _: () = assert!(HEADER == size_of::<BlockHeader>() as u64);

impl BlockHeader {
    /// # Safety
    /// `block` is the start of a block.
    pub(super) unsafe fn of<'a>(block: u64) -> &'a mut BlockHeader {
        // SAFETY: passed on.
        unsafe { &mut *((block - HEADER) as *mut BlockHeader) }
    }

    fn check(block: u64, size: u64, room: u64, state: u64) -> u64 {
        let mixed =
            (block ^ size.rotate_left(29) ^ room.rotate_left(47) ^ state << 13).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed >> 48
    }

    pub(super) fn set(&mut self, block: u64, size: u64, room: u64, state: u64) {
        self.size = size;
        self.word = (room / GRANULE) << 32 | state << 16 | BlockHeader::check(block, size, room, state);
    }

    pub(super) fn room(&self) -> u64 {
        (self.word >> 32) * GRANULE
    }

    pub(super) fn state(&self) -> u64 {
        self.word >> 16 & 0xffff
    }

    /// Number of the next block in quarantine, or 0.
    pub(super) fn link(&self) -> u32 {
        ((self.allocated_at >> 48) << 16 | self.freed_at >> 48) as u32
    }

    pub(super) fn set_link(&mut self, link: u32) {
        self.allocated_at = self.allocated_at & ADDRESS | u64::from(link >> 16) << 48;
        self.freed_at = self.freed_at & ADDRESS | u64::from(link & 0xffff) << 48;
    }

    pub(super) fn intact(&self, block: u64) -> bool {
        self.word & 0xffff == BlockHeader::check(block, self.size, self.room(), self.state())
    }
}

/// The room for a block of `size` bytes and the class of that room (none for large blocks).
pub(super) fn room_for(size: u64) -> (u64, Option<usize>) {
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
