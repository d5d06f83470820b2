//! What a run did before a state, as far as something after the state may be in conflict with it.
//!
//! Of what a thread did several times in the same way only the last time counts: what comes after that comes after the
//! others. The search goes back and forth in a run and shares beginnings with the run before, so all can be taken back.

use super::code::PlacesId;
use super::facts::What;
use super::held::HeldId;
use crate::event::ThreadId;
use crate::ranges::RangeId;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

const NONE: u32 = u32::MAX;

/// Accesses of a thread, of one kind and with the same locks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Kind {
    pub(super) thread: ThreadId,
    pub(super) what: What,
    pub(super) held: HeldId,
    pub(super) places: PlacesId,
}

/// The accesses of a kind to one location.
#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    /// The thread's own time at the last of them.
    epoch: u32,
    group: u32,
    location: RangeId,
    /// Another one for this location.
    before: u32,
}

/// How much there was at some moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    entries: usize,
    groups: usize,
    writers: usize,
    undo: usize,
}

/// Everything before the state.
#[derive(Debug, Default)]
pub(super) struct Past {
    entries: Vec<Entry>,
    /// By location: what does not write, and what writes.
    heads: Vec<[u32; 2]>,
    /// The accesses of a kind, wherever they are, with the time of the last.
    groups: Vec<(Kind, u32)>,
    numbers: BTreeMap<Kind, u32>,
    /// The groups that write.
    writers: Vec<u32>,
    /// Of an entry or, with `true`, a group: the time it had.
    undo: Vec<(bool, u32, u32)>,
}

impl Past {
    pub(super) fn mark(&self) -> Mark {
        let (entries, groups) = (self.entries.len(), self.groups.len());
        Mark { entries, groups, writers: self.writers.len(), undo: self.undo.len() }
    }

    /// Takes back what was added since.
    pub(super) fn rewind(&mut self, mark: Mark) {
        while self.undo.len() > mark.undo {
            let Some((is_group, at, epoch)) = self.undo.pop() else { break };
            match is_group {
                true => self.groups[at as usize].1 = epoch,
                false => self.entries[at as usize].epoch = epoch,
            }
        }
        for entry in self.entries.drain(mark.entries..).rev() {
            self.heads[entry.location as usize][usize::from(entry.kind.what.writes())] = entry.before;
        }
        self.writers.truncate(mark.writers);
        for (kind, _) in self.groups.drain(mark.groups..) {
            self.numbers.remove(&kind);
        }
    }

    /// A thread, whose own time is `epoch`, accessed this location.
    pub(super) fn add(&mut self, location: RangeId, kind: Kind, epoch: u32) {
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

    /// What was done to a location that may be in conflict with something that writes or does not: each kind, with the time
    /// of the last access.
    pub(super) fn at(&self, location: RangeId, writes: bool) -> impl Iterator<Item = (Kind, u32)> {
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

    /// The same of what was done anywhere.
    pub(super) fn everywhere(&self, writes: bool) -> impl Iterator<Item = (Kind, u32)> {
        let (all, writers) = if writes { (&self.groups[..], &[][..]) } else { (&[][..], &self.writers[..]) };
        all.iter().copied().chain(writers.iter().map(|&group| self.groups[group as usize]))
    }
}
