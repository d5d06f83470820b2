//! A hash table from small keys to numbers that is emptied in constant time: for data of one run, and for numbering.

use crate::event::ByteRange;
use crate::hash::spread;
use alloc::vec;
use alloc::vec::Vec;

/// A key of a [`Table`].
pub(crate) trait Key: Copy + PartialEq {
    /// The key of a slot that was never used.
    const NONE: Self;

    /// A word that differs for most different keys.
    fn word(self) -> u64;
}

impl Key for u64 {
    const NONE: u64 = 0;

    #[inline]
    fn word(self) -> u64 {
        self
    }
}

impl Key for ByteRange {
    const NONE: ByteRange = ByteRange { start: 0, len: 0 };

    #[inline]
    fn word(self) -> u64 {
        self.start ^ u64::from(self.len).rotate_left(40)
    }
}

impl Key for [u32; 3] {
    const NONE: [u32; 3] = [0; 3];

    #[inline]
    fn word(self) -> u64 {
        u64::from(self[0]) << 40 ^ u64::from(self[1]) << 20 ^ u64::from(self[2])
    }
}

#[derive(Clone, Copy, Debug)]
struct Slot<K> {
    key: K,
    generation: u32,
    value: u32,
}

impl<K: Key> Slot<K> {
    const EMPTY: Self = Slot { key: K::NONE, generation: 0, value: 0 };
}

/// Open addressing with linear probing. A slot is in use only if it carries the present generation, so that the table
/// is emptied by counting the generation up. Entries are never removed one by one.
///
/// Invariant (half-empty): at most half of the slots are used, so every search ends at an empty one.
#[derive(Debug)]
pub(crate) struct Table<K> {
    slots: Vec<Slot<K>>,
    generation: u32,
    used: usize,
}

impl<K: Key> Default for Table<K> {
    fn default() -> Self {
        Table { slots: vec![Slot::EMPTY; 64], generation: 1, used: 0 }
    }
}

impl<K: Key> Table<K> {
    /// Forgets every entry.
    pub(crate) fn clear(&mut self) {
        self.used = 0;
        self.generation = self.generation.checked_add(1).unwrap_or_else(|| {
            self.slots.fill(Slot::EMPTY);
            1
        });
    }

    /// Every key with its value, in table order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (K, u32)> {
        let live = |slot: &&Slot<K>| slot.generation == self.generation;
        self.slots.iter().filter(live).map(|slot| (slot.key, slot.value))
    }

    /// The value of `key`.
    #[inline]
    pub(crate) fn get(&self, key: K) -> Option<u32> {
        let slot = &self.slots[self.find(key)];
        (slot.generation == self.generation).then_some(slot.value)
    }

    /// Gives `key` a value, whether it had one or not. Returns whether it had none.
    #[inline]
    pub(crate) fn set(&mut self, key: K, value: u32) -> bool {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        debug_assert!(self.used * 2 < self.slots.len(), "half-empty");
        let at = self.find(key);
        let new = self.slots[at].generation != self.generation;
        self.used += usize::from(new);
        self.slots[at] = Slot { key, generation: self.generation, value };
        new
    }

    #[inline]
    fn find(&self, key: K) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (spread(key.word()) >> 32) as usize & mask;
        while self.slots[at].generation == self.generation && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![Slot::EMPTY; self.slots.len() * 2];
        let old = core::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.generation == self.generation) {
            let at = self.find(slot.key);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_entries_while_growing_and_forgets_them_on_clear() {
        let mut table = Table::default();
        for round in 0..3 {
            for key in 0..1000_u64 {
                assert!(table.set(key * 8, key as u32 + round), "new in this round");
            }
            assert!((0..1000).all(|key| table.get(key * 8) == Some(key as u32 + round)));
            assert!(!table.set(0, 7), "known in this round");
            assert_eq!(table.entries().count(), 1000);
            table.clear();
            assert!((0..1000).all(|key| table.get(key * 8).is_none()));
        }
    }

    #[test]
    fn entries_of_an_old_generation_stay_forgotten_when_the_generation_starts_again() {
        let mut table = Table::default();
        table.set(1_u64, 1);
        table.generation = u32::MAX;
        table.set(2, 2);
        table.clear();
        assert!(table.get(1).is_none() && table.get(2).is_none(), "generation 1 is used a second time");
    }
}
