//! Makes the records of a run short: what a thread did between two events, in an order that says no more than the original.
//!
//! Between two events of a thread its locks only become less certain, where ways meet. So it is safe to look at accesses
//! after all of that, and at each branch and meeting where it was last.

use crate::event::{ByteRange, Record, RecordKind, ThreadId};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// What a thread did since its last event.
#[derive(Debug, Default)]
struct Interval {
    at: u32,
    /// Branches and meetings, with where they were last.
    ways: BTreeMap<(bool, u32, u32, u64), usize>,
    /// By point: what it read and wrote.
    points: BTreeMap<u32, [Vec<ByteRange>; 2]>,
    /// Without a point.
    others: Vec<RecordKind>,
    last: Option<u32>,
    /// Whether there is anything to write down.
    used: bool,
}

impl Interval {
    fn add(&mut self, number: usize, kind: RecordKind) {
        self.used = true;
        match kind {
            RecordKind::Point(point) => {
                self.last = Some(point);
                self.points.entry(point).or_default();
            }
            RecordKind::Access { range, write } => match self.last {
                Some(point) => extend(&mut self.points.entry(point).or_default()[usize::from(write)], range),
                None => self.others.push(kind),
            },
            RecordKind::Branch { point, taken, activation } => {
                self.ways.insert((true, point, taken, activation), number);
            }
            RecordKind::Merge { merge, activation } => {
                self.ways.insert((false, merge, 0, activation), number);
            }
        }
    }

    /// Writes it down; the point that the thread is at stays its last.
    fn end(&mut self, thread: ThreadId, records: &mut Vec<Record>) {
        if !core::mem::take(&mut self.used) {
            return;
        }
        let at = self.at;
        let mut push = |kind| records.push(Record { at, thread, kind });
        let mut ways: Vec<_> = core::mem::take(&mut self.ways).into_iter().collect();
        ways.sort_unstable_by_key(|(_, last)| *last);
        for ((is_branch, number, taken, activation), _) in ways {
            push(match is_branch {
                true => RecordKind::Branch { point: number, taken, activation },
                false => RecordKind::Merge { merge: number, activation },
            });
        }
        core::mem::take(&mut self.others).into_iter().for_each(&mut push);
        for (point, mut accesses) in core::mem::take(&mut self.points) {
            push(RecordKind::Point(point));
            for (write, ranges) in [false, true].into_iter().zip(&mut accesses) {
                ranges.sort_unstable();
                let mut joined: Vec<ByteRange> = Vec::new();
                ranges.drain(..).for_each(|range| extend(&mut joined, range));
                joined.into_iter().for_each(|range| push(RecordKind::Access { range, write }));
            }
        }
        if let Some(last) = self.last {
            push(RecordKind::Point(last));
        }
    }
}

/// Adds a range; one that touches the last is joined with it.
fn extend(ranges: &mut Vec<ByteRange>, range: ByteRange) {
    if let Some(last) = ranges.last_mut()
        && last.start <= range.end()
        && range.start <= last.end()
    {
        let (start, end) = (last.start.min(range.start), last.end().max(range.end()));
        if let Ok(len) = u32::try_from(end - start) {
            *last = ByteRange { start, len };
            return;
        }
    }
    ranges.push(range);
}

/// The records in short.
pub(super) fn digest(records: &[Record]) -> Vec<Record> {
    let mut short = Vec::new();
    let mut threads: BTreeMap<ThreadId, Interval> = BTreeMap::new();
    let mut at = 0;
    for (number, record) in records.iter().enumerate() {
        if record.at != at {
            threads.iter_mut().for_each(|(thread, interval)| interval.end(*thread, &mut short));
            at = record.at;
        }
        let interval = threads.entry(record.thread).or_default();
        interval.at = record.at;
        interval.add(number, record.kind);
    }
    threads.iter_mut().for_each(|(thread, interval)| interval.end(*thread, &mut short));
    short
}
