//! Identities of local states, for searches that tell a thread's local state by what has changed in it.
//!
//! Yu Yang: "Dynamic Verification of Multithreaded Programs", dissertation, University of Utah 2009, figure 4.4 (NEXTLOCAL).
//! The identity after a change (*delta*) belongs to the pair of the identity before and the change; nothing changed: it
//! stays; what has changed is unknown: it is one that nothing else has. Claim (theorem 4.1): equal identities, equal local
//! states.
//!
//! # Departures
//! - The table of figure 4.4 is a hash of the pair, and an identity that nothing else has is a hash of all choices that led
//!   there, so that a run made again finds both without a table. (The probability that two hashes agree is that of
//!   [`States`](super::States).)
//! - A change that covers all that lives needs no identity before it.
//! - A thread has several identities, one a function that it is in; after an unknown change they differ as well.

use crate::event::Event;
use crate::hash::Hasher128;
use core::hash::Hash;

/// The identity of what lives in one function of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub struct Identity([u64; 2]);

/// How much of what lives a known change covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Covers {
    /// Some of it: the rest is as it was.
    Part,
    /// All of it.
    Everything,
}

/// The rules by which identities follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Linking {
    /// Those described above.
    #[default]
    Sound,
    /// Wrong: a change is not linked with the identity that it starts from.
    #[cfg(feature = "model")]
    BrokenStart,
    /// Wrong: what is unknown counts as unchanged.
    #[cfg(feature = "model")]
    BrokenUnknown,
    /// Wrong: after an unknown change the identity is the same at all places of the search tree.
    #[cfg(feature = "model")]
    BrokenPlace,
}

impl Identity {
    /// What the hash of a change begins with: the identity that it is linked with.
    #[inline(always)]
    pub fn start(self, covers: Covers, linking: Linking) -> [u64; 2] {
        let whole = covers == Covers::Everything;
        let nothing = match linking {
            Linking::Sound => whole,
            #[cfg(feature = "model")]
            Linking::BrokenUnknown | Linking::BrokenPlace => whole,
            #[cfg(feature = "model")]
            Linking::BrokenStart => true,
        };
        if nothing { Identity::default().0 } else { self.0 }
    }

    /// The identity that belongs to the hash of a change and what it begins with.
    #[inline(always)]
    pub fn of(hash: u128) -> Identity {
        Identity([hash as u64, (hash >> 64) as u64])
    }

    /// The identity after an unknown change to a function, told by a number that no other function of the run has, at a
    /// place of the search tree.
    pub fn unknown(self, function: u64, place: u128, linking: Linking) -> Identity {
        let place = match linking {
            Linking::Sound => place,
            #[cfg(feature = "model")]
            Linking::BrokenStart => place,
            #[cfg(feature = "model")]
            Linking::BrokenUnknown => return self,
            #[cfg(feature = "model")]
            Linking::BrokenPlace => 0,
        };
        let mut hasher = Hasher128::default();
        (function, place).hash(&mut hasher);
        Identity::of(hasher.key())
    }

    /// Its bits.
    #[inline(always)]
    pub fn words(&self) -> &[u64; 2] {
        &self.0
    }
}

/// Where the present run is in the search tree: its choices, hashed as far as somebody has asked.
#[derive(Clone, Debug, Default)]
pub struct Places {
    taken: usize,
    hasher: Hasher128,
}

impl Places {
    /// The place after the events of the run so far. They are those of the last time, and perhaps further ones.
    pub fn here(&mut self, events: &[Event]) -> u128 {
        for event in &events[self.taken..] {
            (event.thread, event.choice).hash(&mut self.hasher);
        }
        self.taken = events.len();
        self.hasher.key()
    }
}
