//! Makes the records of a run short while they are made: what a thread did between two events, in an order that says no
//! more than the original.
//!
//! Between two events of a thread its locks only become less certain, where ways meet. So it is safe to look at accesses
//! after all of that, and at each branch and join_point where it was last. Whether a point lies on one way only is not seen
//! from that order, so where it matters the notes have to be ended before the point.

use crate::event::{ByteRange, Record, RecordKind, ThreadId};
use alloc::vec::Vec;

/// Where something equal was noted last, by a hash.
const RECENT: usize = 64;

/// How far back an equal branch or join_point is looked for beside that.
const WINDOW: usize = 32;

/// What the running thread did since its last event.
#[derive(Debug)]
pub struct Notes {
    at: u32,
    thread: ThreadId,
    /// Counts branches and join_points.
    number: u32,
    /// Branches and join_points, with the number of the last time.
    ways: Vec<(RecordKind, u32)>,
    recent_ways: [u32; RECENT],
    /// Point, whether it writes, and what.
    accesses: Vec<(Option<u32>, bool, ByteRange)>,
    recent_accesses: [u32; RECENT],
    points: Vec<u32>,
    last: Option<u32>,
}

impl Default for Notes {
    fn default() -> Self {
        Notes::new()
    }
}

impl Notes {
    /// Nothing is noted.
    pub const fn new() -> Self {
        Notes {
            at: 0,
            thread: ThreadId::MAIN,
            number: 0,
            ways: Vec::new(),
            recent_ways: [0; RECENT],
            accesses: Vec::new(),
            recent_accesses: [0; RECENT],
            points: Vec::new(),
            last: None,
        }
    }

    /// Forgets what was noted and not written down.
    pub fn forget(&mut self) {
        self.ways.clear();
        self.accesses.clear();
        self.points.clear();
        (self.number, self.last) = (0, None);
    }

    /// Notes something. What another thread did, or this one before its last event, is written down.
    #[inline]
    pub fn add(&mut self, records: &mut Vec<Record>, record: Record) {
        if (record.at, record.thread) != (self.at, self.thread) {
            self.end(records);
            (self.at, self.thread) = (record.at, record.thread);
        }
        match record.kind {
            RecordKind::Point(point) => {
                if self.last != Some(point) && !self.points.contains(&point) {
                    self.points.push(point);
                }
                self.last = Some(point);
            }
            RecordKind::Access { point, range, write } => self.access(point, write, range),
            RecordKind::Branch { point, taken, activation } => {
                self.way(record.kind, point.wrapping_mul(2) ^ taken, activation)
            }
            RecordKind::Merge { merge, activation } => self.way(record.kind, !merge, activation),
        }
    }

    fn access(&mut self, point: Option<u32>, write: bool, range: ByteRange) {
        let recent = &mut self.recent_accesses[point.unwrap_or(0) as usize * 2 % RECENT + usize::from(write)];
        if let Some((old_point, old_write, old)) = self.accesses.get_mut(*recent as usize)
            && (*old_point, *old_write) == (point, write)
            && let Some(both) = joined(*old, range)
        {
            *old = both;
            return;
        }
        *recent = self.accesses.len() as u32;
        self.accesses.push((point, write, range));
    }

    fn way(&mut self, kind: RecordKind, number: u32, activation: u64) {
        self.number += 1;
        let recent = &mut self.recent_ways[(number as usize ^ (activation >> 4) as usize) % RECENT];
        if let Some((old, last)) = self.ways.get_mut(*recent as usize)
            && *old == kind
        {
            *last = self.number;
            return;
        }
        let first = self.ways.len().saturating_sub(WINDOW);
        match self.ways[first..].iter().position(|(old, _)| *old == kind) {
            Some(at) => {
                self.ways[first + at].1 = self.number;
                *recent = (first + at) as u32;
            }
            None => {
                *recent = self.ways.len() as u32;
                self.ways.push((kind, self.number));
            }
        }
    }

    /// Writes down what was noted: the thread comes to its next event, or the run is over.
    pub fn end(&mut self, records: &mut Vec<Record>) {
        let (at, thread) = (self.at, self.thread);
        let mut push = |kind| records.push(Record { at, thread, kind });
        self.ways.sort_unstable_by_key(|(_, last)| *last);
        self.ways.iter().for_each(|(kind, _)| push(*kind));
        self.accesses.sort_unstable();
        let mut open: Option<(Option<u32>, bool, ByteRange)> = None;
        for &(point, write, range) in &self.accesses {
            match &mut open {
                Some((p, w, old)) if (*p, *w) == (point, write) && joined(*old, range).is_some() => {
                    *old = joined(*old, range).unwrap_or(*old);
                }
                _ => {
                    open.iter().for_each(|&(point, write, range)| push(RecordKind::Access { point, range, write }));
                    open = Some((point, write, range));
                }
            }
        }
        open.iter().for_each(|&(point, write, range)| push(RecordKind::Access { point, range, write }));
        let others = self.points.iter().filter(|point| Some(**point) != self.last);
        others.for_each(|&point| push(RecordKind::Point(point)));
        self.last.iter().for_each(|&last| push(RecordKind::Point(last)));
        self.forget();
    }
}

/// The two ranges as one, if there is nothing between them.
fn joined(a: ByteRange, b: ByteRange) -> Option<ByteRange> {
    if a.start > b.end() || b.start > a.end() {
        return None;
    }
    let (start, end) = (a.start.min(b.start), a.end().max(b.end()));
    u32::try_from(end - start).ok().map(|len| ByteRange { start, len })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(kinds: &[(u32, RecordKind)], ended_before: Option<usize>) -> Vec<RecordKind> {
        let (mut notes, mut records) = (Notes::new(), Vec::new());
        for (number, &(at, kind)) in kinds.iter().enumerate() {
            if ended_before == Some(number) {
                notes.end(&mut records);
            }
            notes.add(&mut records, Record { at, thread: ThreadId::MAIN, kind });
            if ended_before == Some(number) {
                notes.end(&mut records);
            }
        }
        notes.end(&mut records);
        records.into_iter().map(|record| record.kind).collect()
    }

    const POINT: RecordKind = RecordKind::Point(7);
    const BRANCH: RecordKind = RecordKind::Branch { point: 1, taken: 0, activation: 16 };
    const MERGE: RecordKind = RecordKind::Merge { merge: 0, activation: 16 };

    #[test]
    fn ways_are_in_the_order_of_their_last_times() {
        let loops = [BRANCH, MERGE, BRANCH, MERGE, BRANCH].map(|kind| (0, kind));
        assert_eq!(notes(&loops, None), [MERGE, BRANCH]);
    }

    #[test]
    fn what_comes_after_an_event_is_another_interval() {
        assert_eq!(notes(&[(0, BRANCH), (1, MERGE), (1, BRANCH)], None), [BRANCH, MERGE, BRANCH]);
    }

    #[test]
    fn a_point_stays_on_its_way_only_where_the_notes_are_ended() {
        let way = [(0, BRANCH), (0, POINT), (0, MERGE)];
        assert_eq!(notes(&way, None), [BRANCH, MERGE, POINT]);
        assert_eq!(notes(&way, Some(1)), [BRANCH, POINT, MERGE]);
    }

    #[test]
    fn accesses_that_touch_are_one() {
        let access =
            |start, len, write| (0, RecordKind::Access { point: Some(3), range: ByteRange { start, len }, write });
        let found = notes(&[access(8, 8, false), access(32, 4, false), access(0, 8, false), access(4, 8, true)], None);
        assert_eq!(found, [access(0, 16, false), access(32, 4, false), access(4, 8, true)].map(|(_, kind)| kind));
    }
}
