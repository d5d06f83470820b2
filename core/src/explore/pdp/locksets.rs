//! Must-locksets by number, and their changes: each change is computed once in a search.
//!
//! A thread has one lockset at a point for each path that may lead there, untaken paths included: it certainly holds
//! all locks of at least one of them. Where paths meet, their locksets are put together. In the stateful search a
//! thread has one lockset, as only the path of the run counts.

use super::facts::LockChange;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The must-locksets of a thread at a point of a run, one for each path that may lead there: the thread holds all locks
/// of at least one of them.
type Locksets = Vec<Vec<u64>>;

/// The number by which a list of locksets is known in the [`LocksetTable`].
pub(super) type LocksetsId = u32;

/// Nothing is held.
pub(super) const NO_LOCKS: LocksetsId = 0;

/// More locksets than this are replaced by their intersection.
const MOST_SETS: usize = 8;

/// A change of locksets, or a question about two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Change {
    Lock(u64),
    Unlock(u64),
    /// A step of an untaken path, by the number of its lock change.
    Step(u32),
    /// The paths of other locksets join.
    Or(LocksetsId),
    /// Whether the two may have no lock in common: the result is [`NO_LOCKS`] if so, otherwise `None`.
    Disjoint(LocksetsId),
}

/// The locksets and their changes.
#[derive(Debug)]
pub(super) struct LocksetTable {
    sets: Vec<Locksets>,
    numbers: BTreeMap<Locksets, LocksetsId>,
    changes: BTreeMap<(LocksetsId, Change), Option<LocksetsId>>,
}

impl Default for LocksetTable {
    fn default() -> Self {
        let nothing: Locksets = alloc::vec![Vec::new()];
        let numbers = BTreeMap::from([(nothing.clone(), NO_LOCKS)]);
        LocksetTable { sets: alloc::vec![nothing], numbers, changes: BTreeMap::new() }
    }
}

impl LocksetTable {
    /// The number of changes computed.
    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether a lock is held on every path.
    pub(super) fn holds(&self, held: LocksetsId, lock: u64) -> bool {
        self.sets[held as usize].iter().all(|set| set.binary_search(&lock).is_ok())
    }

    /// The locksets after a lock was taken.
    pub(super) fn lock(&mut self, held: LocksetsId, lock: u64) -> LocksetsId {
        let add = |mut set: Vec<u64>| {
            if let Err(at) = set.binary_search(&lock) {
                set.insert(at, lock);
            }
            set
        };
        let change = |this: &Self| Some(this.sets[held as usize].iter().cloned().map(add).collect());
        self.changed(held, Change::Lock(lock), change).unwrap_or(held)
    }

    /// The locksets after a lock was released; `None` if it is not held on every path.
    pub(super) fn unlock(&mut self, held: LocksetsId, lock: u64) -> Option<LocksetsId> {
        let remove = |mut set: Vec<u64>| {
            let at = set.binary_search(&lock).ok()?;
            set.remove(at);
            Some(set)
        };
        let change = |this: &Self| this.sets[held as usize].iter().cloned().map(remove).collect();
        self.changed(held, Change::Unlock(lock), change)
    }

    /// The locksets at a step of an untaken path, whose lock change has this number.
    pub(super) fn step(&mut self, held: LocksetsId, number: u32, locks: &LockChange) -> LocksetsId {
        let change = |this: &Self| Some(this.sets[held as usize].iter().map(|set| locks.applied_to(set)).collect());
        self.changed(held, Change::Step(number), change).unwrap_or(NO_LOCKS)
    }

    /// The locksets where paths with one and the other join.
    pub(super) fn either(&mut self, a: LocksetsId, b: LocksetsId) -> LocksetsId {
        let change = |this: &Self| Some(this.sets[a as usize].iter().chain(&this.sets[b as usize]).cloned().collect());
        self.changed(a, Change::Or(b), change).unwrap_or(NO_LOCKS)
    }

    /// Whether two threads with these locksets may hold no common lock.
    pub(super) fn may_be_disjoint(&mut self, a: LocksetsId, b: LocksetsId) -> bool {
        if a == NO_LOCKS || b == NO_LOCKS {
            return true;
        }
        let key = (a.min(b), Change::Disjoint(a.max(b)));
        if let Some(known) = self.changes.get(&key) {
            return known.is_some();
        }
        let common = |a: &[u64], b: &[u64]| a.iter().any(|lock| b.binary_search(lock).is_ok());
        let (all, others) = (&self.sets[a as usize], &self.sets[b as usize]);
        let apart = all.iter().any(|one| others.iter().any(|other| !common(one, other)));
        self.changes.insert(key, apart.then_some(NO_LOCKS));
        apart
    }

    fn changed(
        &mut self,
        held: LocksetsId,
        change: Change,
        compute: impl FnOnce(&Self) -> Option<Locksets>,
    ) -> Option<LocksetsId> {
        if let Some(known) = self.changes.get(&(held, change)) {
            return *known;
        }
        let number = compute(self).map(|sets| self.number(sets));
        self.changes.insert((held, change), number);
        number
    }

    fn number(&mut self, mut sets: Locksets) -> LocksetsId {
        sets.sort_unstable();
        sets.dedup();
        if sets.len() > MOST_SETS {
            let mut common = sets.pop().unwrap_or_default();
            common.retain(|lock| sets.iter().all(|set| set.binary_search(lock).is_ok()));
            sets = alloc::vec![common];
        }
        let next = self.sets.len() as LocksetsId;
        *self.numbers.entry(sets).or_insert_with_key(|sets| {
            self.sets.push(sets.clone());
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locksets_follow_locks_and_unlocks() {
        let mut held = LocksetTable::default();
        let one = held.lock(NO_LOCKS, 1);
        let two = held.lock(one, 2);
        assert!(held.holds(two, 1) && held.holds(two, 2) && !held.holds(one, 2));
        assert_eq!(held.unlock(two, 2), Some(one));
        assert_eq!(held.unlock(one, 2), None);
        let changed = held.step(two, 0, &LockChange { acquired: alloc::vec![3], released: alloc::vec![1] });
        assert!(held.holds(changed, 2) && held.holds(changed, 3) && !held.holds(changed, 1));
    }

    #[test]
    fn two_may_be_disjoint_if_they_are_on_one_pair_of_paths() {
        let mut held = LocksetTable::default();
        let (one, two) = (held.lock(NO_LOCKS, 1), held.lock(NO_LOCKS, 2));
        let (both, either) = (held.lock(one, 2), held.either(one, two));
        assert!(
            held.may_be_disjoint(one, two)
                && held.may_be_disjoint(either, one)
                && held.may_be_disjoint(NO_LOCKS, NO_LOCKS)
        );
        assert!(
            !held.may_be_disjoint(both, one) && !held.may_be_disjoint(either, both) && !held.may_be_disjoint(one, one)
        );
    }

    /// Nine locksets are one more than are stored: their intersection remains.
    #[test]
    fn too_many_locksets_are_replaced_by_their_intersection() {
        let mut held = LocksetTable::default();
        let common = held.lock(NO_LOCKS, 100);
        let forks: Vec<LocksetsId> = (1..=9).map(|lock| held.lock(common, lock)).collect();
        let all = forks.into_iter().reduce(|a, b| held.either(a, b)).unwrap_or(NO_LOCKS);
        assert!(held.holds(all, 100) && (1..=9).all(|lock| !held.holds(all, lock)));
        assert_eq!(all, common);
    }
}
