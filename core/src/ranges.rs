//! Numbers for ranges of bytes, and which of them overlap.

use crate::event::ByteRange;
use crate::table::Table;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Number of a range.
pub(crate) type RangeId = u32;

/// No range.
pub(crate) const NO_RANGE: RangeId = u32::MAX;

/// Every distinct range seen so far, numbered in the order of their first use. None is ever removed.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    numbers: Table<ByteRange>,
    ranges: Vec<ByteRange>,
    /// For each range, the other ranges that share a byte with it, in ascending order.
    overlaps: Vec<Vec<RangeId>>,
    by_start: BTreeMap<(u64, u32), RangeId>,
    /// The length of the longest range.
    longest: u32,
}

impl Ranges {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The number of `range`, given out on first use.
    #[inline]
    pub(crate) fn number(&mut self, range: ByteRange) -> RangeId {
        if let Some(number) = self.numbers.get(range) { number } else { self.add(range) }
    }

    /// The number of `range`, if it has one.
    pub(crate) fn known(&self, range: ByteRange) -> Option<RangeId> {
        self.numbers.get(range)
    }

    /// The range with a number.
    pub(crate) fn range(&self, number: RangeId) -> ByteRange {
        self.ranges[number as usize]
    }

    /// The other ranges that share a byte with this one.
    #[inline]
    pub(crate) fn overlaps(&self, number: RangeId) -> &[RangeId] {
        &self.overlaps[number as usize]
    }

    #[cold]
    fn add(&mut self, range: ByteRange) -> RangeId {
        let number = self.ranges.len() as RangeId;
        self.longest = self.longest.max(range.len);
        let from = (range.start.saturating_sub(u64::from(self.longest)), 0);
        let near = self.by_start.range(from..(range.end(), 0)).map(|(_, &other)| other);
        let mut others: Vec<RangeId> = near.filter(|&other| self.ranges[other as usize].overlaps(range)).collect();
        others.sort_unstable();
        others.iter().for_each(|&other| self.overlaps[other as usize].push(number));
        self.by_start.insert((range.start, range.len), number);
        self.numbers.set(range, number);
        self.ranges.push(range);
        self.overlaps.push(others);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn overlaps_are_those_of_the_ranges() {
        let mut ranges = Ranges::default();
        let mut state = 1_u64;
        for _ in 0..2_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let range = ByteRange { start: (state >> 33) % 1_000, len: 1 + ((state >> 50) % 40) as u32 };
            let number = ranges.number(range);
            assert_eq!(
                (ranges.range(number), ranges.number(range), ranges.known(range)),
                (range, number, Some(number))
            );
        }
        for one in 0..ranges.len() as RangeId {
            let found: BTreeSet<RangeId> = ranges.overlaps(one).iter().copied().collect();
            let others = (0..ranges.len() as RangeId).filter(|&other| other != one);
            assert_eq!(found, others.filter(|&other| ranges.range(other).overlaps(ranges.range(one))).collect());
            assert_eq!(found.len(), ranges.overlaps(one).len(), "none twice");
        }
    }
}
