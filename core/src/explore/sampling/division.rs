//! Dividing a search that samples: an item is a range of runs, by their numbers.
//!
//! A run depends on its number, and on what was learned from the first few runs: a worker that has not made these makes
//! them before those of its item, and does not count them.

use super::super::item::{Divisible, DrawnRuns, Item};
use super::Sampling;

/// Into how many parts the runs that are left can be divided at a time.
const PARTS: u64 = 64;
/// The least number of runs of a part.
const LEAST: u64 = 16;

impl Sampling {
    /// How many runs are left, once that is known.
    fn runs_left(&self) -> u64 {
        self.left.end.map_or(0, |end| end.saturating_sub(self.left.first))
    }

    /// The number of runs of a part that is given away.
    fn part(&self) -> u64 {
        (self.runs_left() / PARTS).max(LEAST)
    }
}

impl Divisible for Sampling {
    fn begin(&mut self, item: Item) {
        self.left = item.drawn.unwrap_or(DrawnRuns { first: 0, end: self.runs });
        self.share = item.share;
    }

    fn open(&self) -> usize {
        (self.runs_left() / self.part()) as usize
    }

    fn give(&mut self) -> Option<Item> {
        let (left, part) = (self.runs_left(), self.part());
        let end = self.left.end.filter(|_| left >= part)?;
        let share = self.share * part as f64 / left as f64;
        self.share -= share;
        self.left.end = Some(end - part);
        Some(Item { drawn: Some(DrawnRuns { first: end - part, end: Some(end) }), share, ..Item::everything() })
    }

    fn save(&mut self, take: &mut dyn FnMut(Item)) {
        if self.left.end.is_none() || self.runs_left() > 0 {
            take(Item { drawn: Some(self.left), share: self.share, ..Item::everything() });
        }
    }

    fn covered(&self) -> f64 {
        self.covered
    }
}
