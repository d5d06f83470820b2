//! Identities of local states, for stateful searches that recognise a thread's local state by what has changed in it
//! (`--local-states delta`).
//!
//! Yu Yang: "Dynamic Verification of Multithreaded Programs", dissertation, University of Utah 2009, figure 4.4
//! (NEXTLOCAL). A change of a local state is a *delta*. The identity after a delta is determined by the identity before
//! it and the delta; if nothing has changed, it stays the same; if it is unknown what has changed, it is a fresh one,
//! which no other local state has. Claim (theorem 4.1): equal identities stand for equal local states.
//!
//! # Departures
//! - Figure 4.4 looks identities up in a table. Here an identity is a hash of the identity before and the delta, and a
//!   fresh one is a hash of all steps that led there, so that a run made again computes the same identities without a
//!   table. (The probability that two hashes agree is that of [`States`](super::States).)
//! - The identity after a delta of everything that is live does not depend on the identity before it.
//! - A thread has several identities, one for each function that it is in; after an unknown delta of all of them, these
//!   differ from each other.

use crate::event::Event;
use crate::hash::Hasher128;
use core::hash::Hash;

/// The identity of what is live in one function that a thread is in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[repr(transparent)]
pub struct Identity([u64; 2]);

/// How much of what is live a known delta covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Covers {
    /// Part of it: the rest is unchanged.
    Part,
    /// All of it.
    Everything,
}

/// How the identity after a delta is computed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Linking {
    /// As the module documentation says.
    #[default]
    Sound,
    /// Seeded bug: the identity after a delta does not depend on the one before it.
    #[cfg(feature = "model")]
    BrokenStart,
    /// Seeded bug: an unknown delta counts as no change.
    #[cfg(feature = "model")]
    BrokenUnknown,
    /// Seeded bug: after an unknown delta the identity is the same at all places of the search tree.
    #[cfg(feature = "model")]
    BrokenPlace,
}

impl Identity {
    /// The words to hash before a known delta; the hash of both is the identity after the delta. They are those of this
    /// identity, which is the one before the delta, or zeros if the delta covers everything.
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

    /// The identity after a known delta, from the hash of [`start`](Self::start) and the delta.
    #[inline(always)]
    pub fn of(hash: u128) -> Identity {
        Identity([hash as u64, (hash >> 64) as u64])
    }

    /// The identity after an unknown delta of a function, at a place of the search tree. `function` is a number that no
    /// other function of the run has.
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

    /// The 128 bits of the identity, the low word first.
    #[inline(always)]
    pub fn words(&self) -> &[u64; 2] {
        &self.0
    }
}

/// The place of the present run in the search tree: a hash of its steps up to the last call of [`here`](Self::here).
#[derive(Clone, Debug, Default)]
pub struct Places {
    taken: usize,
    hasher: Hasher128,
}

impl Places {
    /// The place after `events`, which are all events of the present run so far. They begin with those of the last
    /// call.
    pub fn here(&mut self, events: &[Event]) -> u128 {
        for event in &events[self.taken..] {
            (event.thread, event.choice).hash(&mut self.hasher);
        }
        self.taken = events.len();
        self.hasher.key()
    }
}
