//! Compacts the records of a run while they are made: those of a thread between two of its events are merged and
//! reordered, so that the analysis concludes no more from them than from the original order.
//!
//! Between two events of a thread its must-lockset can only shrink, at join points. So accesses may come after all
//! branches and join points, and each branch and join point where it was passed last. The order no longer shows whether
//! a point lies on one side of a branch; where that matters, [`RecordCompactor::end`] is called before the point is
//! recorded.

use crate::event::{ByteRange, Record, RecordKind, ThreadId};
use alloc::vec::Vec;

/// Size of the table, by a hash, of where an equal record was added last.
const RECENT: usize = 64;

/// How many records back an equal branch or join point is looked for if the table does not have it.
const WINDOW: usize = 32;

/// The records of the running thread since its last event.
#[derive(Debug)]
pub struct RecordCompactor {
    at: u32,
    thread: ThreadId,
    /// Counts branches and join points.
    number: u32,
    /// Branches and join points, each with the count when it was passed last.
    branches: Vec<(RecordKind, u32)>,
    recent_branches: [u32; RECENT],
    /// Accesses: point, whether it writes, and bytes.
    accesses: Vec<(Option<u32>, bool, ByteRange)>,
    recent_accesses: [u32; RECENT],
    points: Vec<u32>,
    last: Option<u32>,
}

impl Default for RecordCompactor {
    fn default() -> Self {
        RecordCompactor::new()
    }
}

impl RecordCompactor {
    /// No records.
    pub const fn new() -> Self {
        RecordCompactor {
            at: 0,
            thread: ThreadId::MAIN,
            number: 0,
            branches: Vec::new(),
            recent_branches: [0; RECENT],
            accesses: Vec::new(),
            recent_accesses: [0; RECENT],
            points: Vec::new(),
            last: None,
        }
    }

    /// Drops the records that were not written to the trace.
    pub fn forget(&mut self) {
        self.branches.clear();
        self.accesses.clear();
        self.points.clear();
        (self.number, self.last) = (0, None);
    }

    /// Adds a record. Those of another thread, or from before the thread's last event, are first written to `records`.
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
                self.branch(record.kind, point.wrapping_mul(2) ^ taken, activation)
            }
            RecordKind::Merge { merge, activation } => self.branch(record.kind, !merge, activation),
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

    fn branch(&mut self, kind: RecordKind, number: u32, activation: u64) {
        self.number += 1;
        let recent = &mut self.recent_branches[(number as usize ^ (activation >> 4) as usize) % RECENT];
        if let Some((old, last)) = self.branches.get_mut(*recent as usize)
            && *old == kind
        {
            *last = self.number;
            return;
        }
        let first = self.branches.len().saturating_sub(WINDOW);
        match self.branches[first..].iter().position(|(old, _)| *old == kind) {
            Some(at) => {
                self.branches[first + at].1 = self.number;
                *recent = (first + at) as u32;
            }
            None => {
                *recent = self.branches.len() as u32;
                self.branches.push((kind, self.number));
            }
        }
    }

    /// Writes the merged records to `records`: the thread comes to its next event, or the run has ended.
    pub fn end(&mut self, records: &mut Vec<Record>) {
        let (at, thread) = (self.at, self.thread);
        let mut push = |kind| records.push(Record { at, thread, kind });
        self.branches.sort_unstable_by_key(|(_, last)| *last);
        self.branches.iter().for_each(|(kind, _)| push(*kind));
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

/// The union of two ranges, if they overlap or touch.
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

    fn compacted(kinds: &[(u32, RecordKind)], ended_before: Option<usize>) -> Vec<RecordKind> {
        let (mut compactor, mut records) = (RecordCompactor::new(), Vec::new());
        for (number, &(at, kind)) in kinds.iter().enumerate() {
            if ended_before == Some(number) {
                compactor.end(&mut records);
            }
            compactor.add(&mut records, Record { at, thread: ThreadId::MAIN, kind });
            if ended_before == Some(number) {
                compactor.end(&mut records);
            }
        }
        compactor.end(&mut records);
        records.into_iter().map(|record| record.kind).collect()
    }

    const POINT: RecordKind = RecordKind::Point(7);
    const BRANCH: RecordKind = RecordKind::Branch { point: 1, taken: 0, activation: 16 };
    const MERGE: RecordKind = RecordKind::Merge { merge: 0, activation: 16 };

    #[test]
    fn branches_are_in_the_order_in_which_they_were_passed_last() {
        let loops = [BRANCH, MERGE, BRANCH, MERGE, BRANCH].map(|kind| (0, kind));
        assert_eq!(compacted(&loops, None), [MERGE, BRANCH]);
    }

    #[test]
    fn what_comes_after_an_event_is_another_interval() {
        assert_eq!(compacted(&[(0, BRANCH), (1, MERGE), (1, BRANCH)], None), [BRANCH, MERGE, BRANCH]);
    }

    #[test]
    fn a_point_stays_on_its_side_only_where_records_are_ended_before_it() {
        let fork = [(0, BRANCH), (0, POINT), (0, MERGE)];
        assert_eq!(compacted(&fork, None), [BRANCH, MERGE, POINT]);
        assert_eq!(compacted(&fork, Some(1)), [BRANCH, POINT, MERGE]);
    }

    #[test]
    fn accesses_that_touch_are_one() {
        let access =
            |start, len, write| (0, RecordKind::Access { point: Some(3), range: ByteRange { start, len }, write });
        let found =
            compacted(&[access(8, 8, false), access(32, 4, false), access(0, 8, false), access(4, 8, true)], None);
        assert_eq!(found, [access(0, 16, false), access(32, 4, false), access(4, 8, true)].map(|(_, kind)| kind));
    }
}
