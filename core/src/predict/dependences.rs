//! On which earlier events of a run each event depends, by thread and kind: of events that are alike, the last one.

use super::mutexes::locked;
use crate::event::{ByteRange, Event, HoldChange, Object, Operation, Releases, ThreadId, Touch};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// The last of those events that are alike for whoever depends on them: of one thread, with one touch of one range.
#[derive(Clone, Copy)]
struct Last {
    thread: ThreadId,
    range: ByteRange,
    touch: Touch,
    is_lock: bool,
    event: u32,
}

/// What was done to a granule, each list with the latest at its end.
#[derive(Default)]
struct Granule {
    /// By accesses that write.
    writes: Vec<Last>,
    /// By accesses that only read.
    reads: Vec<Last>,
    /// By operations that are more than an access.
    others: Vec<Last>,
}

/// Earlier events on which later ones depend.
pub(super) struct Dependences {
    mutexes: BTreeSet<Object>,
    granules: BTreeMap<u64, Granule>,
}

/// A part of what an event touches.
#[derive(Clone, Copy)]
struct Part<'e> {
    event: &'e Event,
    range: ByteRange,
    touch: Touch,
    /// It takes or gives back a plain mutex.
    is_lock: bool,
}

/// Whether an operation only accesses memory.
fn is_access(operation: &Operation) -> bool {
    let names_objects = operation.objects().iter().any(Option::is_some);
    operation.access().is_some() && operation.footprint().parts()[1].is_none() && !names_objects
}

/// Whether an access finds what was written before it.
fn finds(operation: &Operation) -> bool {
    let only_stores = match operation.releases() {
        Releases::Memory { update, .. } => !update,
        Releases::Nothing
        | Releases::Object(_)
        | Releases::Enabled { .. }
        | Releases::Forgets(..)
        | Releases::Thread(_) => false,
    };
    !only_stores && !operation.access().is_some_and(|(_, mode)| mode.writes() && mode.is_plain())
}

/// The numbers of the granules (8 bytes each) that a range touches.
pub(super) fn granules(range: ByteRange) -> impl Iterator<Item = u64> {
    (range.start >> 3)..=((range.end() - 1) >> 3)
}

/// The bytes of a granule that are in a range, a bit each.
fn mask(granule: u64, range: ByteRange) -> u8 {
    let first = range.start.max(granule << 3) - (granule << 3);
    let end = range.end().min((granule + 1) << 3).saturating_sub(granule << 3);
    (first..end).fold(0, |mask, byte| mask | 1 << byte)
}

impl Dependences {
    /// Before the first event of a run that has these plain mutexes.
    pub(super) fn new<T>(mutexes: &BTreeMap<Object, T>) -> Self {
        Dependences { mutexes: mutexes.keys().copied().collect(), granules: BTreeMap::new() }
    }

    /// By event: the events that it needs, and the writes that it reads from.
    pub(super) fn of_all(mut self, events: &[Event]) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let (mut all, mut all_sources) = (Vec::with_capacity(events.len()), Vec::with_capacity(events.len()));
        for (position, event) in events.iter().enumerate() {
            let (mut needed, mut sources): (Vec<u32>, _) =
                (event.enabled_by.iter().map(|by| by.0).collect(), Vec::new());
            let change = locked(&event.operation).filter(|(mutex, _)| self.mutexes.contains(mutex));
            let is_lock = matches!(change, Some((_, HoldChange::Takes | HoldChange::Gives)));
            let footprint = event.operation.footprint();
            let parts = || footprint.iter().map(|(range, touch)| Part { event, range, touch, is_lock });
            parts().for_each(|part| self.look_back(&part, &mut needed, &mut sources));
            parts().for_each(|part| self.note(&part, position as u32));
            for found in [&mut needed, &mut sources] {
                found.sort_unstable();
                found.dedup();
            }
            all.push(needed);
            all_sources.push(sources);
        }
        (all, all_sources)
    }

    /// Adds what an event needs for one of the objects that it touches.
    fn look_back(&self, part: &Part<'_>, needed: &mut Vec<u32>, sources: &mut Vec<u32>) {
        let accesses = is_access(&part.event.operation);
        for (at, granule) in granules(part.range).filter_map(|at| Some((at, self.granules.get(&at)?))) {
            let conflicts = |last: &&Last| {
                last.range.overlaps(part.range) && last.touch.conflicts_in(part.touch, last.range == part.range)
            };
            // The order of critical sections is kept otherwise.
            let others = granule.others.iter().filter(|last| !(part.is_lock && last.is_lock));
            needed.extend(others.filter(conflicts).map(|last| last.event));
            if !accesses {
                // What else there is in memory stands for itself: the order of writes is kept as well.
                let all = granule.reads.iter().chain(&granule.writes);
                needed.extend(all.filter(conflicts).map(|last| last.event));
            } else if finds(&part.event.operation) {
                granule.last_writes(at, part.range, sources);
            }
        }
    }

    fn note(&mut self, part: &Part<'_>, event: u32) {
        let Part { range, touch, is_lock, .. } = *part;
        let last = Last { thread: part.event.thread, range, touch, is_lock, event };
        let access = part.event.operation.access().filter(|_| is_access(&part.event.operation));
        for at in granules(range) {
            let granule = self.granules.entry(at).or_default();
            let list = match access {
                Some((_, mode)) if mode.writes() => &mut granule.writes,
                Some(_) => &mut granule.reads,
                None => &mut granule.others,
            };
            let same = |other: &Last| {
                (other.thread, other.range, other.touch, other.is_lock) == (last.thread, range, touch, is_lock)
            };
            list.retain(|other| !same(other));
            list.push(last);
        }
    }
}

impl Granule {
    /// The last writes of the bytes of a range that are in this granule.
    fn last_writes(&self, at: u64, range: ByteRange, sources: &mut Vec<u32>) {
        let mut left = mask(at, range);
        for write in self.writes.iter().rev() {
            let written = mask(at, write.range);
            if written & left != 0 {
                sources.push(write.event);
                left &= !written;
            }
            if left == 0 {
                return;
            }
        }
    }
}
