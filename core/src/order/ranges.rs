//! Numbers for the byte ranges that operations touch, and which of them overlap.

use crate::event::{ByteRange, Touch};
use alloc::vec;
use alloc::vec::Vec;

/// Number of a range.
pub(super) type RangeId = u32;

const FREE: u32 = u32::MAX;

/// Every distinct range seen so far, numbered in order of appearance; never forgets.
#[derive(Debug)]
pub(super) struct Ranges {
    table: Vec<u32>,
    ranges: Vec<ByteRange>,
    /// For each range, the other ranges that share a byte with it.
    overlaps: Vec<Vec<RangeId>>,
    /// For each range, the kinds of objects it has been used as, a bit each.
    families: Vec<u8>,
}

impl Ranges {
    pub(super) fn new() -> Self {
        Ranges { table: vec![FREE; 64], ranges: Vec::new(), overlaps: Vec::new(), families: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The number of `range`, given out on first use.
    #[inline]
    pub(super) fn number(&mut self, range: ByteRange) -> RangeId {
        let at = self.find(range);
        if self.table[at] != FREE { self.table[at] } else { self.add(range) }
    }

    /// The number of `range`, if it has one.
    pub(super) fn known(&self, range: ByteRange) -> Option<RangeId> {
        Some(self.table[self.find(range)]).filter(|&number| number != FREE)
    }

    /// The other ranges that share a byte with this one.
    #[inline]
    pub(super) fn overlaps(&self, range: RangeId) -> &[RangeId] {
        &self.overlaps[range as usize]
    }

    /// Notes that an operation has touched the range like this.
    #[inline]
    pub(super) fn note_family(&mut self, range: RangeId, touch: Touch) {
        self.families[range as usize] |= match touch {
            Touch::Read | Touch::Write | Touch::Compare => 1,
            Touch::Acquire | Touch::TryAcquire | Touch::Release | Touch::Probe => 2,
            Touch::Enqueue | Touch::Dequeue | Touch::Wake | Touch::WakeNobody => 4,
            Touch::OnceRun | Touch::OncePass | Touch::OnceDone => 8,
            Touch::Lifecycle => 0,
        };
    }

    /// Whether the range has been used as one kind of object only: memory, mutex, condition variable or once object.
    #[inline]
    pub(super) fn one_family(&self, range: RangeId) -> bool {
        self.families[range as usize].is_power_of_two()
    }

    #[cold]
    fn add(&mut self, range: ByteRange) -> RangeId {
        let number = self.ranges.len() as u32;
        let others: Vec<u32> = (0..number).filter(|&o| self.ranges[o as usize].overlaps(range)).collect();
        for &other in &others {
            self.overlaps[other as usize].push(number);
        }
        self.overlaps.push(others);
        self.ranges.push(range);
        self.families.push(0);
        if self.ranges.len() * 2 > self.table.len() {
            self.table = vec![FREE; self.table.len() * 2];
            for other in 0..number {
                let at = self.find(self.ranges[other as usize]);
                self.table[at] = other;
            }
        }
        let at = self.find(range);
        self.table[at] = number;
        number
    }

    #[inline]
    fn find(&self, range: ByteRange) -> usize {
        let mask = self.table.len() - 1;
        let key = range.start ^ u64::from(range.len).rotate_left(40);
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & mask;
        while self.table[at] != FREE && self.ranges[self.table[at] as usize] != range {
            at = (at + 1) & mask;
        }
        at
    }
}
