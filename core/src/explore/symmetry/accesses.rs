//! The race-free plain accesses that a thread makes between two synchronisation operations, taken together.
//!
//! What happens before a race-free plain access happens before the synchronisation that precedes it. So the same events
//! happen before all of these accesses, and only one thing is to be found out about them: whether they race once two
//! threads are exchanged.

use crate::event::{AccessMode, ByteRange, Footprint, Operation, dependent};
use alloc::vec::Vec;

/// The bytes that such accesses read, and those that they write.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Accesses {
    reads: Vec<ByteRange>,
    writes: Vec<ByteRange>,
}

impl Accesses {
    /// Adds an access; [`finish`](Self::finish) follows the last one.
    #[inline]
    pub(super) fn add(&mut self, operation: &Operation) {
        match operation.access() {
            Some((range, AccessMode::Write)) => self.writes.push(range),
            Some((range, AccessMode::Read)) => self.reads.push(range),
            Some((_, AccessMode::AtomicRead | AccessMode::AtomicCompare | AccessMode::AtomicWrite)) | None => {}
        }
    }

    /// Merges ranges that touch, so that equal sets of bytes compare equal.
    pub(super) fn finish(&mut self) {
        unite(&mut self.reads);
        unite(&mut self.writes);
    }

    /// Forgets all accesses.
    pub(super) fn clear(&mut self) {
        self.reads.clear();
        self.writes.clear();
    }

    /// Whether one of these accesses conflicts with one of `other`.
    pub(super) fn conflict(&self, other: &Accesses) -> bool {
        share(&self.writes, &other.writes) || share(&self.writes, &other.reads) || share(&self.reads, &other.writes)
    }

    /// Bytes for which an operation conflicts with one of these accesses, if there are any.
    pub(super) fn conflicting(&self, operation: &Operation) -> Option<ByteRange> {
        let writes = self.writes.iter().map(|&range| Operation::plain(range, true));
        let reads = self.reads.iter().map(|&range| Operation::plain(range, false));
        let access = writes.chain(reads).find(|access| dependent(operation, access))?;
        let (bytes, _) = Footprint::of(&access).iter().next()?;
        let common = |(range, _): (ByteRange, _)| {
            let (start, end) = (range.start.max(bytes.start), range.end().min(bytes.end()));
            (start < end).then(|| ByteRange { start, len: (end - start) as u32 })
        };
        Some(Footprint::of(operation).iter().find_map(common).unwrap_or(bytes))
    }
}

fn unite(ranges: &mut Vec<ByteRange>) {
    /// A length has 32 bits.
    const MOST: u64 = 1 << 31;
    ranges.sort_unstable();
    ranges.dedup_by(|range, last| {
        let end = last.end().max(range.end());
        let together = range.start <= last.end() && end - last.start < MOST;
        if together {
            last.len = (end - last.start) as u32;
        }
        together
    });
}

/// Whether two lists of ranges, each in ascending order, have a byte in common.
fn share(ranges: &[ByteRange], others: &[ByteRange]) -> bool {
    let (mut at, mut other) = (0, 0);
    while at < ranges.len() && other < others.len() {
        if ranges[at].overlaps(others[other]) {
            return true;
        }
        if ranges[at].end() <= others[other].start { at += 1 } else { other += 1 }
    }
    false
}
