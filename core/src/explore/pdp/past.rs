//! The accesses of a run before a state, with which accesses after the state may conflict.
//!
//! Of several equal accesses of a thread only the last counts: what happens after it happens after the others. Checks
//! go back and forth in a run and share beginnings of runs, so additions can be taken back.

use super::code::PointsToId;
use super::locksets::LocksetsId;
use crate::event::{EffectKind, ThreadId};
use crate::ranges::RangeId;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

/// Accesses of a thread, of one kind and with the same locks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct AccessGroup {
    pub(super) thread: ThreadId,
    pub(super) what: EffectKind,
    pub(super) held: LocksetsId,
    pub(super) places: PointsToId,
}

/// The accesses of a group to one range.
#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: AccessGroup,
    /// The thread's epoch at the last of them.
    epoch: u32,
    group: u32,
    location: RangeId,
    /// The entry added before it for the same range.
    before: u32,
}

/// The sizes of the tables at some moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Savepoint {
    entries: usize,
    groups: usize,
    writers: usize,
    undo: usize,
}

/// The accesses before the state.
#[derive(Debug, Default)]
pub(super) struct PastAccesses {
    entries: Vec<Entry>,
    /// By range: the last entry that does not write, and the last that writes.
    heads: Vec<[u32; 2]>,
    /// The groups, each with the epoch of its last access to any range.
    groups: Vec<(AccessGroup, u32)>,
    numbers: BTreeMap<AccessGroup, u32>,
    /// The groups that write.
    writers: Vec<u32>,
    /// Changes to take back: whether of a group or of an entry, its number, and the epoch it had.
    undo: Vec<(bool, u32, u32)>,
}

impl PastAccesses {
    /// The present sizes of the tables, for [`rewind`](Self::rewind).
    pub(super) fn savepoint(&self) -> Savepoint {
        let (entries, groups) = (self.entries.len(), self.groups.len());
        Savepoint { entries, groups, writers: self.writers.len(), undo: self.undo.len() }
    }

    /// Takes back what was added since a savepoint.
    pub(super) fn rewind(&mut self, savepoint: Savepoint) {
        while self.undo.len() > savepoint.undo {
            let Some((is_group, at, epoch)) = self.undo.pop() else { break };
            match is_group {
                true => self.groups[at as usize].1 = epoch,
                false => self.entries[at as usize].epoch = epoch,
            }
        }
        for entry in self.entries.drain(savepoint.entries..).rev() {
            self.heads[entry.location as usize][usize::from(entry.kind.what.writes())] = entry.before;
        }
        self.writers.truncate(savepoint.writers);
        for (kind, _) in self.groups.drain(savepoint.groups..) {
            self.numbers.remove(&kind);
        }
    }

    /// Adds an access to a range in this epoch of its thread.
    pub(super) fn add(&mut self, location: RangeId, kind: AccessGroup, epoch: u32) {
        if self.heads.len() <= location as usize {
            self.heads.resize(location as usize + 1, [NONE; 2]);
        }
        let writes = kind.what.writes();
        let mut at = self.heads[location as usize][usize::from(writes)];
        while at != NONE {
            let entry = &mut self.entries[at as usize];
            if entry.kind == kind {
                if entry.epoch != epoch {
                    self.undo.push((false, at, entry.epoch));
                    entry.epoch = epoch;
                    let group = entry.group;
                    self.touch(group, epoch);
                }
                return;
            }
            at = entry.before;
        }
        let next = self.groups.len() as u32;
        let group = *self.numbers.entry(kind).or_insert(next);
        if group == next {
            self.groups.push((kind, epoch));
            self.writers.extend(writes.then_some(group));
        } else {
            self.touch(group, epoch);
        }
        let head = &mut self.heads[location as usize][usize::from(writes)];
        let before = core::mem::replace(head, self.entries.len() as u32);
        self.entries.push(Entry { kind, epoch, group, location, before });
    }

    fn touch(&mut self, group: u32, epoch: u32) {
        let old = &mut self.groups[group as usize].1;
        if *old != epoch {
            self.undo.push((true, group, *old));
            *old = epoch;
        }
    }

    /// The groups of accesses to a range that conflict with a write, if `writes`, otherwise with a read: each with the
    /// epoch of its last access.
    pub(super) fn at(&self, location: RangeId, writes: bool) -> impl Iterator<Item = (AccessGroup, u32)> {
        let [reader, writer] = self.heads.get(location as usize).copied().unwrap_or([NONE; 2]);
        let chain = |mut next: u32| {
            core::iter::from_fn(move || {
                let entry = self.entries.get(next as usize)?;
                next = entry.before;
                Some((entry.kind, entry.epoch))
            })
        };
        chain(writer).chain(chain(if writes { reader } else { NONE }))
    }

    /// As [`at`](Self::at), for accesses to any range.
    pub(super) fn everywhere(&self, writes: bool) -> impl Iterator<Item = (AccessGroup, u32)> {
        let (all, writers) = if writes { (&self.groups[..], &[][..]) } else { (&[][..], &self.writers[..]) };
        all.iter().copied().chain(writers.iter().map(|&group| self.groups[group as usize]))
    }
}
