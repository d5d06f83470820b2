//! A map from addresses to small numbers that is emptied in constant time, for state that lives for one run.

use alloc::vec;
use alloc::vec::Vec;

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    generation: u32,
    value: u32,
}

const EMPTY: Slot = Slot { key: 0, generation: 0, value: 0 };

/// Open addressing with linear probing; a slot counts only if it carries the present generation. Entries are never
/// removed one by one.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
    generation: u32,
    used: usize,
}

impl Table {
    pub(super) fn new() -> Self {
        Table { slots: vec![EMPTY; 64], generation: 1, used: 0 }
    }

    /// Forgets every entry.
    pub(super) fn clear(&mut self) {
        self.used = 0;
        self.generation = self.generation.checked_add(1).unwrap_or_else(|| {
            self.slots.fill(EMPTY);
            1
        });
    }

    /// Every key with its value, in table order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u64, u32)> {
        let live = |slot: &&Slot| slot.generation == self.generation;
        self.slots.iter().filter(live).map(|slot| (slot.key, slot.value))
    }

    /// The value of `key`.
    pub(super) fn get(&self, key: u64) -> Option<u32> {
        let slot = &self.slots[self.find(key)];
        (slot.generation == self.generation).then_some(slot.value)
    }

    /// Gives `key` a value, whether it had one or not.
    pub(super) fn set(&mut self, key: u64, value: u32) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let at = self.find(key);
        if self.slots[at].generation != self.generation {
            self.used += 1;
        }
        self.slots[at] = Slot { key, generation: self.generation, value };
    }

    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & mask;
        while self.slots[at].generation == self.generation && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let larger = vec![EMPTY; self.slots.len() * 2];
        let old = core::mem::replace(&mut self.slots, larger);
        for slot in old.into_iter().filter(|slot| slot.generation == self.generation) {
            let at = self.find(slot.key);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn keeps_entries_while_growing_and_forgets_them_on_clear() {
        let mut table = Table::new();
        for round in 0..3 {
            for key in 0..1000 {
                table.set(key * 8, key as u32 + round);
            }
            assert!((0..1000).all(|key| table.get(key * 8) == Some(key as u32 + round)));
            table.clear();
            assert!((0..1000).all(|key| table.get(key * 8).is_none()));
        }
    }
}
