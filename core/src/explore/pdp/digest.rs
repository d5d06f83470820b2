//! Makes the records of a run short: what a thread did between two events, in an order that says no more than the original.
//!
//! Between two events of a thread its locks only become less certain, where ways meet. So it is safe to look at accesses
//! after all of that, and at each branch and meeting where it was last.

use crate::event::{ByteRange, Record, RecordKind, ThreadId};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// What a thread did since its last event.
#[derive(Debug, Default)]
struct Interval {
    at: u32,
    /// Branches and meetings, with where they were last.
    ways: BTreeMap<(bool, u32, u32, u64), usize>,
    /// By point: what it read and wrote.
    accesses: BTreeMap<(Option<u32>, bool), Vec<ByteRange>>,
    points: BTreeSet<u32>,
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
                self.points.insert(point);
            }
            RecordKind::Access { point, range, write } => {
                extend(self.accesses.entry((point, write)).or_default(), range);
            }
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
        for ((point, write), mut ranges) in core::mem::take(&mut self.accesses) {
            ranges.sort_unstable();
            let mut joined: Vec<ByteRange> = Vec::new();
            ranges.into_iter().for_each(|range| extend(&mut joined, range));
            joined.into_iter().for_each(|range| push(RecordKind::Access { point, range, write }));
        }
        core::mem::take(&mut self.points).into_iter().for_each(|point| push(RecordKind::Point(point)));
        if let Some(last) = self.last {
            push(RecordKind::Point(last));
        }
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

/// Adds a range; one that touches the last is joined with it.
fn extend(ranges: &mut Vec<ByteRange>, range: ByteRange) {
    match ranges.last_mut().and_then(|last| Some((joined(*last, range)?, last))) {
        Some((both, last)) => *last = both,
        None => ranges.push(range),
    }
}

/// How far back an equal record is looked for.
const WINDOW: usize = 32;

/// Where accesses were recorded last, by point.
const RECENT: usize = 64;

/// Adds records to those of a run, in place of equal ones that the thread left since its last event: of two ways, the
/// digest keeps the later one, and where accesses stand in between makes no difference to it.
#[derive(Debug)]
pub struct Notes {
    recent: [u32; RECENT],
}

impl Default for Notes {
    fn default() -> Self {
        Notes::new()
    }
}

impl Notes {
    /// Nothing is recorded.
    pub const fn new() -> Self {
        Notes { recent: [0; RECENT] }
    }

    /// Adds a record.
    pub fn add(&mut self, records: &mut Vec<Record>, record: Record) {
        match record.kind {
            RecordKind::Access { point, range, write } => {
                let slot = &mut self.recent[point.unwrap_or(0) as usize * 2 % RECENT + usize::from(write)];
                if let Some(old) = records.get_mut(*slot as usize)
                    && (old.at, old.thread) == (record.at, record.thread)
                    && let RecordKind::Access { point: other_point, range: other, write: other_write } = &mut old.kind
                    && (*other_point, *other_write) == (point, write)
                    && let Some(both) = joined(*other, range)
                {
                    *other = both;
                    return;
                }
                *slot = records.len() as u32;
            }
            RecordKind::Point(_) | RecordKind::Branch { .. } | RecordKind::Merge { .. } => {
                let is_way = |old: &&Record| matches!(old.kind, RecordKind::Branch { .. } | RecordKind::Merge { .. });
                if is_way(&&record) && records.iter().rev().take(WINDOW).find(is_way) == Some(&record) {
                    return;
                }
                let recent = records.len().saturating_sub(WINDOW);
                let equal = records[recent..].iter().rposition(|old| *old == record);
                if let Some(at) = equal.filter(|&at| is_one_interval(&records[recent + at..], record)) {
                    // What is recorded after it moves, so that accesses there are not found again.
                    records.remove(recent + at);
                }
            }
        }
        records.push(record);
    }
}

/// Whether all of these are of the record's thread, since its last event.
fn is_one_interval(records: &[Record], record: Record) -> bool {
    records.iter().all(|old| (old.at, old.thread) == (record.at, record.thread))
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
