//! Ranges of bytes by number, with those they overlap.

use crate::event::ByteRange;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Number of a range.
pub(super) type Location = u32;

/// No range.
pub(super) const NOWHERE: Location = u32::MAX;

/// The ranges that are known.
#[derive(Debug, Default)]
pub(super) struct Locations {
    ranges: Vec<ByteRange>,
    /// The others that overlap a range.
    overlaps: Vec<Vec<Location>>,
    by_start: BTreeMap<(u64, u32), Location>,
    longest: u32,
    /// Numbers at the hashes of their ranges; the size is a power of two.
    table: Vec<Location>,
}

impl Locations {
    /// How many are known.
    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The range with a number.
    pub(super) fn range(&self, location: Location) -> ByteRange {
        self.ranges[location as usize]
    }

    /// The others that overlap one.
    pub(super) fn overlaps(&self, location: Location) -> &[Location] {
        &self.overlaps[location as usize]
    }

    /// The number of a range.
    #[inline]
    pub(super) fn number(&mut self, range: ByteRange) -> Location {
        if !self.table.is_empty() {
            let mut at = self.hash(range);
            while self.table[at] != NOWHERE {
                if self.ranges[self.table[at] as usize] == range {
                    return self.table[at];
                }
                at = (at + 1) & (self.table.len() - 1);
            }
        }
        self.add(range)
    }

    fn hash(&self, range: ByteRange) -> usize {
        let mixed = (range.start ^ u64::from(range.len) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.table.len() - 1)
    }

    fn add(&mut self, range: ByteRange) -> Location {
        let new = self.ranges.len() as Location;
        self.longest = self.longest.max(range.len);
        let from = (range.start.saturating_sub(u64::from(self.longest)), 0);
        let near = self.by_start.range(from..(range.end(), 0)).map(|(_, &other)| other);
        let overlaps: Vec<_> = near.filter(|&other| self.ranges[other as usize].overlaps(range)).collect();
        overlaps.iter().for_each(|&other| self.overlaps[other as usize].push(new));
        self.by_start.insert((range.start, range.len), new);
        self.ranges.push(range);
        self.overlaps.push(overlaps);
        if self.ranges.len() * 2 > self.table.len() {
            self.table = alloc::vec![NOWHERE; (self.table.len() * 2).max(256)];
            (0..=new).for_each(|location| self.enter(location));
        } else {
            self.enter(new);
        }
        new
    }

    fn enter(&mut self, location: Location) {
        let mut at = self.hash(self.ranges[location as usize]);
        while self.table[at] != NOWHERE {
            at = (at + 1) & (self.table.len() - 1);
        }
        self.table[at] = location;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn overlaps_are_those_of_the_ranges() {
        let mut locations = Locations::default();
        let mut state = 1_u64;
        for _ in 0..2_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let range = ByteRange { start: (state >> 33) % 1_000, len: 1 + ((state >> 50) % 40) as u32 };
            let number = locations.number(range);
            assert_eq!(locations.range(number), range);
            assert_eq!(locations.number(range), number);
        }
        for one in 0..locations.len() as Location {
            let found: BTreeSet<Location> = locations.overlaps(one).iter().copied().collect();
            let range = locations.range(one);
            let others = (0..locations.len() as Location).filter(|&other| other != one);
            assert_eq!(found, others.filter(|&other| locations.range(other).overlaps(range)).collect());
            assert_eq!(found.len(), locations.overlaps(one).len());
        }
    }
}
