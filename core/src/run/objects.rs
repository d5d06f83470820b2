//! The synchronisation objects of one run, by address.

use super::ReadHolds;
use crate::event::{ByteRange, Object, Offer, ThreadId, ThreadSet};
use crate::table::Table;
use alloc::vec::Vec;
use core::cell::Cell;
use core::hash::{Hash, Hasher};

/// Whether a call has initialised or destroyed a synchronisation object.
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

/// What the run knows of one address used as a synchronisation object. All fields are part of the hash of a state;
/// those that name threads are compared in `run/symmetry.rs` as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ObjectState {
    /// Life cycle of an object that is initialised by a call.
    pub lifecycle: Lifecycle,
    /// Who holds the mutex, or the read-write lock for writing.
    pub owner: Option<ThreadId>,
    /// Whether the bytes are a copy of an object that was held when it was copied: no thread can take the copy, and
    /// none holds it that could give it back.
    pub copied_held: bool,
    /// How many times the owner of a recursive mutex holds it.
    pub depth: u32,
    /// The waiters of a condition variable or futex word that have not been woken.
    pub waiters: ThreadSet,
    /// Who runs the initialiser of a once object.
    pub once_runner: Option<ThreadId>,
    /// Whether that initialiser has returned.
    pub once_done: bool,
    /// Whether that initialiser is about to be left without having returned.
    pub once_fails: bool,
    /// How many units a semaphore has; how many threads a round of a barrier takes; how many writers wait for a
    /// read-write lock that prefers them.
    pub count: u32,
    /// What a channel offers.
    pub offer: Offer,
    /// Which threads have arrived in the present round of a barrier.
    pub arrived: ThreadSet,
    /// Who holds a read-write lock for reading. Its writer is the owner.
    pub readers: ReadHolds,
}

impl Hash for ObjectState {
    /// Most objects are mutexes and condition variables: that all other fields are as at first takes one bit. Searches
    /// that compare states hash every object at every state.
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let &ObjectState {
            lifecycle,
            owner,
            copied_held,
            depth,
            waiters,
            once_runner,
            once_done,
            once_fails,
            count,
            offer,
            arrived,
            readers,
        } = self;
        (lifecycle, owner, copied_held, depth, waiters).hash(hasher);
        let others = (once_runner, once_done, once_fails, count, offer, arrived, readers);
        let initial = others == Default::default();
        initial.hash(hasher);
        if !initial {
            others.hash(hasher);
        }
    }
}

/// The objects that the present run has used, in the order of their first use. What a run costs depends on its own
/// objects only, not on those of earlier runs.
#[derive(Debug)]
pub(super) struct Objects {
    /// By address: where the object is in `used`.
    places: Table<u64>,
    used: Vec<(Object, ObjectState)>,
    /// Where in `used` the object is that was looked for last: an operation looks for its object several times.
    recent: Cell<usize>,
}

impl Objects {
    pub(super) fn new() -> Self {
        Objects { places: Table::default(), used: Vec::with_capacity(32), recent: Cell::new(0) }
    }

    /// Forgets every object.
    pub(super) fn clear(&mut self) {
        self.used.clear();
        self.places.clear();
    }

    /// Where `object` is in `used`.
    #[inline]
    fn place(&self, object: Object) -> Option<usize> {
        let recent = self.recent.get();
        if self.used.get(recent).is_some_and(|(used, _)| *used == object) {
            return Some(recent);
        }
        let place = self.places.get(object.0)? as usize;
        self.recent.set(place);
        Some(place)
    }

    /// The state of `object`, created unseen on first use.
    #[inline]
    pub(super) fn get(&mut self, object: Object) -> &mut ObjectState {
        let place = self.place(object).unwrap_or_else(|| self.add(object));
        &mut self.used[place].1
    }

    #[inline(never)]
    fn add(&mut self, object: Object) -> usize {
        self.places.set(object.0, self.used.len() as u32);
        self.used.push((object, ObjectState::default()));
        self.used.len() - 1
    }

    /// The state of `object`; unseen if the run has not used it.
    #[inline]
    pub(super) fn peek(&self, object: Object) -> &ObjectState {
        self.place(object).map_or(&UNSEEN, |place| &self.used[place].1)
    }

    /// Forgets the objects in a range of addresses, whose memory is reused. Mutexes that a thread holds are added to
    /// `seized`.
    pub(super) fn forget(&mut self, range: ByteRange, seized: &mut Vec<Object>) {
        for (object, state) in &mut self.used {
            if object.0.wrapping_sub(range.start) < u64::from(range.len) {
                if state.owner.is_some() && !seized.contains(object) {
                    seized.push(*object);
                }
                *state = ObjectState::default();
            }
        }
    }

    /// Every object seen in this run, in the order of their first use.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Object, &ObjectState)> {
        self.used.iter().map(|(object, state)| (*object, state))
    }
}

static UNSEEN: ObjectState = ObjectState {
    lifecycle: Lifecycle::Unseen,
    owner: None,
    copied_held: false,
    depth: 0,
    waiters: ThreadSet::EMPTY,
    once_runner: None,
    once_done: false,
    once_fails: false,
    count: 0,
    offer: Offer(0),
    arrived: ThreadSet::EMPTY,
    readers: ReadHolds::NONE,
};
