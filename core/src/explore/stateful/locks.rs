//! The locksets of the dissertation (chapter 3). Two operations under a common mutex are never enabled at once. So an
//! operation below a revisited state, executed under a mutex, does not race with one of the path under the same mutex:
//! the mutex is unlocked and locked in between, which orders the two.
//!
//! That holds as long as a mutex stays locked until its holder unlocks it. An operation that ends a hold otherwise
//! *seizes* the mutex ([`Locksets::seized_by`]); the mutex does not count where such an operation may come in between.
//!
//! The run ([`ObjectState`](crate::run::ObjectState)) knows the holders of its present moment only. A search sees
//! events and no run, and needs the holders at every position of its path. And a hold ends here as soon as another
//! thread unlocks the mutex, where the run goes on counting how many times a recursive mutex is held.

use crate::event::{HoldChange, Object, ThreadId};
use crate::hash::Map;
use alloc::vec;
use alloc::vec::Vec;

/// Number of a set of mutexes, or of a relation between mutexes and their holders.
pub(super) type LocksetId = u32;

/// Nothing is held.
pub(super) const NO_LOCKS: LocksetId = 0;

/// The mutexes that are held, each with its holder and how many times that has locked it.
type Holders = Vec<(Object, ThreadId, u32)>;

/// Sets of mutexes, and relations between mutexes and their holders, each stored once.
#[derive(Debug)]
pub(super) struct Locksets {
    sets: Vec<Vec<Object>>,
    set_numbers: Map<Vec<Object>, LocksetId>,
    holders: Vec<Holders>,
    holder_numbers: Map<Holders, LocksetId>,
    /// By relation: the set of each thread for which it was computed.
    held: Vec<Vec<(ThreadId, LocksetId)>>,
    /// By relation: the one after each change for which it was computed.
    changed: Vec<Vec<(Object, ThreadId, HoldChange, LocksetId)>>,
}

impl Default for Locksets {
    fn default() -> Self {
        let mut locks = Locksets {
            sets: vec![Vec::new()],
            set_numbers: Map::default(),
            holders: vec![Vec::new()],
            holder_numbers: Map::default(),
            held: vec![Vec::new()],
            changed: vec![Vec::new()],
        };
        locks.set_numbers.insert(Vec::new(), NO_LOCKS);
        locks.holder_numbers.insert(Vec::new(), NO_LOCKS);
        locks
    }
}

impl Locksets {
    /// The mutexes in a set.
    pub(super) fn members(&self, set: LocksetId) -> &[Object] {
        &self.sets[set as usize]
    }

    /// The mutexes that `thread` holds.
    pub(super) fn held_by(&mut self, holders: LocksetId, thread: ThreadId) -> LocksetId {
        if holders == NO_LOCKS {
            return NO_LOCKS;
        }
        let known = &self.held[holders as usize];
        if let Some(&(_, set)) = known.iter().find(|(other, _)| *other == thread) {
            return set;
        }
        let own = self.holders[holders as usize].iter().filter(|(_, holder, _)| *holder == thread);
        let set: Vec<Object> = own.map(|(mutex, ..)| *mutex).collect();
        let number = self.number_of(set);
        self.held[holders as usize].push((thread, number));
        number
    }

    /// The number of a set of mutexes, which are in ascending order.
    pub(super) fn number_of(&mut self, set: Vec<Object>) -> LocksetId {
        let sets = &mut self.sets;
        *self.set_numbers.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            sets.len() as LocksetId - 1
        })
    }

    /// The relation after an operation that [changes](crate::order::Path::hold_change) it so.
    pub(super) fn after(
        &mut self,
        holders: LocksetId,
        thread: ThreadId,
        change: Option<(Object, HoldChange)>,
    ) -> LocksetId {
        let Some((mutex, change)) = change else { return holders };
        let same =
            |known: &&(Object, ThreadId, HoldChange, LocksetId)| (known.0, known.1, known.2) == (mutex, thread, change);
        if let Some(known) = self.changed[holders as usize].iter().find(same) {
            return known.3;
        }
        let mut now = self.holders[holders as usize].clone();
        let at = now.iter().position(|(other, ..)| *other == mutex);
        match (change, at) {
            (HoldChange::Takes, Some(at)) if now[at].1 == thread => now[at].2 += 1,
            (HoldChange::Takes, Some(at)) => now[at] = (mutex, thread, 1),
            (HoldChange::Takes, None) => {
                now.push((mutex, thread, 1));
                now.sort_unstable();
            }
            (HoldChange::Gives, Some(at)) if now[at].1 == thread && now[at].2 > 1 => now[at].2 -= 1,
            (HoldChange::Gives | HoldChange::Clears, Some(at)) => {
                now.remove(at);
            }
            (HoldChange::Gives | HoldChange::Clears, None) => {}
        }
        let (all, held, changed) = (&mut self.holders, &mut self.held, &mut self.changed);
        let number = *self.holder_numbers.entry(now).or_insert_with_key(|now| {
            all.push(now.clone());
            held.push(Vec::new());
            changed.push(Vec::new());
            all.len() as LocksetId - 1
        });
        changed[holders as usize].push((mutex, thread, change, number));
        number
    }

    /// The mutex that an operation seizes which [changes](crate::order::Path::hold_change) the relation so: it clears
    /// the mutex, or its thread is not the holder.
    pub(super) fn seized_by(
        &self,
        holders: LocksetId,
        thread: ThreadId,
        change: Option<(Object, HoldChange)>,
    ) -> Option<Object> {
        if holders == NO_LOCKS {
            return None;
        }
        let (mutex, change) = change?;
        let (.., holder, _) = self.holders[holders as usize].iter().find(|(other, ..)| *other == mutex)?;
        (change == HoldChange::Clears || *holder != thread).then_some(mutex)
    }
}
