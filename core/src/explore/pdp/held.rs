//! Sets of locks by number, and what becomes of them: each is computed once in a search.

use super::facts::Locks;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Sets of locks, one for each way in which a thread may have come to where it is; it holds at least one of them.
type Held = Vec<Vec<u64>>;

/// Number of such sets.
pub(super) type HeldId = u32;

/// Nothing is held.
pub(super) const NOTHING: HeldId = 0;

/// More sets than this are replaced by what they have in common.
const MOST_SETS: usize = 8;

/// What happens to what is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Change {
    Lock(u64),
    Unlock(u64),
    /// A untaken's step, by the number of its locks.
    Step(u32),
    /// It may as well be what another number stands for.
    Or(HeldId),
    /// Whether the two have no lock in common on some way: the answer is [`NOTHING`] or another number.
    Apart(HeldId),
}

/// All that is known.
#[derive(Debug)]
pub(super) struct HeldSets {
    sets: Vec<Held>,
    numbers: BTreeMap<Held, HeldId>,
    changes: BTreeMap<(HeldId, Change), Option<HeldId>>,
}

impl Default for HeldSets {
    fn default() -> Self {
        let nothing: Held = alloc::vec![Vec::new()];
        let numbers = BTreeMap::from([(nothing.clone(), NOTHING)]);
        HeldSets { sets: alloc::vec![nothing], numbers, changes: BTreeMap::new() }
    }
}

impl HeldSets {
    /// How many are known.
    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether a lock is held on every way.
    pub(super) fn holds(&self, held: HeldId, lock: u64) -> bool {
        self.sets[held as usize].iter().all(|set| set.binary_search(&lock).is_ok())
    }

    /// What is held after a lock was taken.
    pub(super) fn lock(&mut self, held: HeldId, lock: u64) -> HeldId {
        let add = |mut set: Vec<u64>| {
            if let Err(at) = set.binary_search(&lock) {
                set.insert(at, lock);
            }
            set
        };
        let change = |this: &Self| Some(this.sets[held as usize].iter().cloned().map(add).collect());
        self.changed(held, Change::Lock(lock), change).unwrap_or(held)
    }

    /// What is held after a lock was given up; `None` if it may not be held.
    pub(super) fn unlock(&mut self, held: HeldId, lock: u64) -> Option<HeldId> {
        let remove = |mut set: Vec<u64>| {
            let at = set.binary_search(&lock).ok()?;
            set.remove(at);
            Some(set)
        };
        let change = |this: &Self| this.sets[held as usize].iter().cloned().map(remove).collect();
        self.changed(held, Change::Unlock(lock), change)
    }

    /// What is held in a untaken's step, whose locks have this number.
    pub(super) fn step(&mut self, held: HeldId, number: u32, locks: &Locks) -> HeldId {
        let change = |this: &Self| Some(this.sets[held as usize].iter().map(|set| locks.applied_to(set)).collect());
        self.changed(held, Change::Step(number), change).unwrap_or(NOTHING)
    }

    /// What is held if it is one or the other.
    pub(super) fn either(&mut self, a: HeldId, b: HeldId) -> HeldId {
        let change = |this: &Self| Some(this.sets[a as usize].iter().chain(&this.sets[b as usize]).cloned().collect());
        self.changed(a, Change::Or(b), change).unwrap_or(NOTHING)
    }

    /// Whether two threads that hold these may have no lock in common.
    pub(super) fn may_be_apart(&mut self, a: HeldId, b: HeldId) -> bool {
        if a == NOTHING || b == NOTHING {
            return true;
        }
        let key = (a.min(b), Change::Apart(a.max(b)));
        if let Some(known) = self.changes.get(&key) {
            return known.is_some();
        }
        let common = |a: &[u64], b: &[u64]| a.iter().any(|lock| b.binary_search(lock).is_ok());
        let (all, others) = (&self.sets[a as usize], &self.sets[b as usize]);
        let apart = all.iter().any(|one| others.iter().any(|other| !common(one, other)));
        self.changes.insert(key, apart.then_some(NOTHING));
        apart
    }

    fn changed(&mut self, held: HeldId, change: Change, compute: impl FnOnce(&Self) -> Option<Held>) -> Option<HeldId> {
        if let Some(known) = self.changes.get(&(held, change)) {
            return *known;
        }
        let number = compute(self).map(|sets| self.number(sets));
        self.changes.insert((held, change), number);
        number
    }

    fn number(&mut self, mut sets: Held) -> HeldId {
        sets.sort_unstable();
        sets.dedup();
        if sets.len() > MOST_SETS {
            let mut common = sets.pop().unwrap_or_default();
            common.retain(|lock| sets.iter().all(|set| set.binary_search(lock).is_ok()));
            sets = alloc::vec![common];
        }
        let next = self.sets.len() as HeldId;
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
    fn locks_come_and_go() {
        let mut held = HeldSets::default();
        let one = held.lock(NOTHING, 1);
        let two = held.lock(one, 2);
        assert!(held.holds(two, 1) && held.holds(two, 2) && !held.holds(one, 2));
        assert_eq!(held.unlock(two, 2), Some(one));
        assert_eq!(held.unlock(one, 2), None);
        let changed = held.step(two, 0, &Locks { acquired: alloc::vec![3], released: alloc::vec![1] });
        assert!(held.holds(changed, 2) && held.holds(changed, 3) && !held.holds(changed, 1));
    }

    #[test]
    fn two_may_be_apart_if_they_are_on_one_way() {
        let mut held = HeldSets::default();
        let (one, two) = (held.lock(NOTHING, 1), held.lock(NOTHING, 2));
        let (both, either) = (held.lock(one, 2), held.either(one, two));
        assert!(held.may_be_apart(one, two) && held.may_be_apart(either, one) && held.may_be_apart(NOTHING, NOTHING));
        assert!(!held.may_be_apart(both, one) && !held.may_be_apart(either, both) && !held.may_be_apart(one, one));
    }

    /// Nine ways are more than are kept apart: what is left is the lock that all have.
    #[test]
    fn too_many_ways_have_what_they_have_in_common() {
        let mut held = HeldSets::default();
        let common = held.lock(NOTHING, 100);
        let ways: Vec<HeldId> = (1..=9).map(|lock| held.lock(common, lock)).collect();
        let all = ways.into_iter().reduce(|a, b| held.either(a, b)).unwrap_or(NOTHING);
        assert!(held.holds(all, 100) && (1..=9).all(|lock| !held.holds(all, lock)));
        assert_eq!(all, common);
    }
}
