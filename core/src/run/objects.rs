//! The synchronisation objects of one run, by address.

use crate::event::{Object, ThreadId, ThreadSet};
use alloc::vec;
use alloc::vec::Vec;

/// How a synchronisation object came to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Lifecycle {
    /// Not seen yet: initialised statically, if at all.
    #[default]
    Unseen,
    /// Initialised by a call.
    Initialised,
    /// Destroyed by a call.
    Destroyed,
}

/// What the run knows of one address used as a synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ObjectState {
    /// Life cycle of a mutex or condition variable.
    pub lifecycle: Lifecycle,
    /// Who holds the mutex.
    pub owner: Option<ThreadId>,
    /// How many times the owner of a recursive mutex holds it.
    pub depth: u32,
    /// The waiters of a condition variable that have not been woken.
    pub waiters: ThreadSet,
    /// Who runs the initialiser of a once object.
    pub once_runner: Option<ThreadId>,
    /// Whether that initialiser has returned.
    pub once_done: bool,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: u64,
    generation: u32,
    state: ObjectState,
}

/// Open-addressing table that is emptied by a new generation rather than by clearing, so that a run of few operations
/// costs little however large an earlier run was.
#[derive(Debug)]
pub(super) struct Objects {
    slots: Vec<Slot>,
    generation: u32,
    /// The slots in use, in the order of their first use.
    used: Vec<u32>,
}

impl Objects {
    pub(super) fn new() -> Self {
        Objects { slots: vec![EMPTY; 64], generation: 1, used: Vec::with_capacity(32) }
    }

    /// Forgets every object.
    pub(super) fn clear(&mut self) {
        self.used.clear();
        self.generation = self.generation.checked_add(1).unwrap_or_else(|| {
            self.slots.fill(EMPTY);
            1
        });
    }

    /// The state of `object`, created unseen on first use.
    #[inline]
    pub(super) fn get(&mut self, object: Object) -> &mut ObjectState {
        if self.used.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let at = self.find(object.0);
        let slot = &mut self.slots[at];
        if slot.generation != self.generation {
            *slot = Slot { key: object.0, generation: self.generation, state: ObjectState::default() };
            self.used.push(at as u32);
        }
        &mut self.slots[at].state
    }

    /// The state of `object`; unseen if it is not in the table.
    #[inline]
    pub(super) fn peek(&self, object: Object) -> &ObjectState {
        let slot = &self.slots[self.find(object.0)];
        if slot.generation == self.generation { &slot.state } else { &EMPTY.state }
    }

    /// Every object seen in this run, in the order of their first use.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Object, &ObjectState)> {
        let slots = self.used.iter().map(|&at| &self.slots[at as usize]);
        slots.map(|slot| (Object(slot.key), &slot.state))
    }

    #[inline]
    fn find(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & mask;
        while self.slots[at].generation == self.generation && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![EMPTY; self.slots.len() * 2];
        let old = core::mem::replace(&mut self.slots, larger);
        for place in 0..self.used.len() {
            let slot = old[self.used[place] as usize];
            let at = self.find(slot.key);
            self.slots[at] = slot;
            self.used[place] = at as u32;
        }
    }
}

static EMPTY: Slot = Slot {
    key: 0,
    generation: 0,
    state: ObjectState {
        lifecycle: Lifecycle::Unseen,
        owner: None,
        depth: 0,
        waiters: ThreadSet::EMPTY,
        once_runner: None,
        once_done: false,
    },
};
