//! Operations on read-write locks that prefer waiting writers (`PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`).
//!
//! A lock for writing is an attempt; if that fails, the writer announces itself, and waits. While a writer is announced
//! no reader gets the lock, one that has it already included.
//!
//! # Dependence
//! All pairs on one lock are dependent. So the state of the lock before an operation is the same in all executions of
//! one Mazurkiewicz trace, and each operation carries to whom the lock was available there ([`Availability`]).
//!
//! # Which pairs can be reversed
//! A lock that waits could have come just before an earlier operation if the lock was available to its side there; an
//! operation before which it was not is what made it possible. All others can always be taken.
//!
//! # Happens-before of C11
//! As that of other read-write locks ([`super::rwlock`]).

use super::Operation;
use super::properties::{Acquires, Description, Objects, Releases, none, none_of};
use super::rwlock::of_readers;
use crate::event::{ByteRange, Footprint, Need, Object, ObjectKind, Side, ThreadId, Touch};

/// To whom a lock is available.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Availability {
    /// A writer has it, or readers have it and a writer waits.
    Nobody,
    /// Readers have it, and no writer waits.
    Readers,
    /// Nobody has it, and a writer waits.
    Writers,
    /// Nobody has it, and no writer waits.
    Both,
}

impl Availability {
    /// Whether it is available to this side.
    pub fn includes(self, side: Side) -> bool {
        match side {
            Side::Reader => matches!(self, Availability::Readers | Availability::Both),
            Side::Writer => matches!(self, Availability::Writers | Availability::Both),
        }
    }
}

/// A step of an operation on a read-write lock that prefers waiting writers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WriterFirstStep {
    /// Waits for the lock and takes it. A writer has announced itself before, and is announced no longer.
    Lock(Side),
    /// Takes the lock if it is available to this side.
    TryLock(Side),
    /// A writer is going to wait.
    Announce,
    /// A writer does not wait any longer.
    Withdraw,
    /// Gives the lock back; none if the caller does not hold it, in which case nothing changes.
    Unlock(Option<Side>),
}

use WriterFirstStep::{Announce, Lock, TryLock, Unlock, Withdraw};

/// An operation on a read-write lock that prefers waiting writers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WriterFirstOperation {
    /// The lock.
    pub rwlock: Object,
    /// The step.
    pub step: WriterFirstStep,
    /// To whom the lock was available before it.
    pub found: Availability,
}

impl WriterFirstOperation {
    /// The operation as it is requested, before it is known to whom the lock is available.
    pub fn new(rwlock: Object, step: WriterFirstStep) -> Self {
        WriterFirstOperation { rwlock, step, found: Availability::Nobody }
    }

    /// For reading or for writing, if the operation takes the lock.
    fn takes(self) -> Option<Side> {
        match self.step {
            Lock(side) => Some(side),
            TryLock(side) => self.found.includes(side).then_some(side),
            Announce | Withdraw | Unlock(_) => None,
        }
    }

    fn touch(self) -> Touch {
        use Availability::{Both, Nobody, Readers, Writers};
        match (self.step, self.found) {
            (Lock(Side::Reader), Nobody) => Touch::ReaderWaitsForAll,
            (Lock(Side::Reader), Readers) => Touch::ReaderJoins,
            (Lock(Side::Reader), Writers) => Touch::ReaderWaitsForWriters,
            (Lock(Side::Reader), Both) => Touch::ReaderEnters,
            (Lock(Side::Writer), Nobody) => Touch::WriterWaitsForAll,
            (Lock(Side::Writer), Readers) => Touch::WriterWaitsForReaders,
            (Lock(Side::Writer), Writers) => Touch::WriterFollows,
            (Lock(Side::Writer), Both) => Touch::WriterEnters,
            (TryLock(_) | Announce | Withdraw | Unlock(_), Nobody) => Touch::StepWhileClosed,
            (TryLock(_) | Announce | Withdraw | Unlock(_), Readers) => Touch::StepAmongReaders,
            (TryLock(_) | Announce | Withdraw | Unlock(_), Writers) => Touch::StepAmongWriters,
            (TryLock(_) | Announce | Withdraw | Unlock(_), Both) => Touch::StepWhileOpen,
        }
    }
}

impl Description for WriterFirstOperation {
    fn name(self) -> &'static str {
        match (self.step, self.takes()) {
            (Lock(Side::Reader), _) => "lock for reading",
            (Lock(Side::Writer), _) => "lock for writing",
            (TryLock(Side::Reader), Some(_)) => "trylock for reading",
            (TryLock(Side::Writer), Some(_)) => "trylock for writing",
            (TryLock(Side::Reader), None) => "failed trylock for reading",
            (TryLock(Side::Writer), None) => "failed trylock for writing",
            (Announce, _) => "begin to wait as a writer for",
            (Withdraw, _) => "no longer wait as a writer for",
            (Unlock(Some(Side::Reader)), _) => "unlock after reading",
            (Unlock(Some(Side::Writer)), _) => "unlock after writing",
            (Unlock(None), _) => "unlock without having locked",
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((self.rwlock, ObjectKind::Rwlock)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        Footprint::object(self.rwlock, self.touch())
    }

    #[inline]
    fn need(self) -> Need {
        match self.step {
            Lock(side) => Need::WriterFirst(self.rwlock, side),
            TryLock(_) | Announce | Withdraw | Unlock(_) => Need::Nothing,
        }
    }

    #[inline]
    fn ends_hold(self) -> bool {
        match self.step {
            Unlock(side) => side.is_some(),
            Lock(_) | TryLock(_) | Announce | Withdraw => false,
        }
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self.takes() {
            Some(Side::Reader) => Acquires::Object(self.rwlock),
            Some(Side::Writer) => Acquires::Both(self.rwlock, of_readers(self.rwlock)),
            None => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self.step {
            Unlock(Some(Side::Writer)) => Releases::Object(self.rwlock),
            Unlock(Some(Side::Reader)) => Releases::Object(of_readers(self.rwlock)),
            Lock(_) | TryLock(_) | Announce | Withdraw | Unlock(None) => Releases::Nothing,
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        true
    }

    #[inline]
    fn succeeded(self) -> Option<bool> {
        match self.step {
            TryLock(side) => Some(self.found.includes(side)),
            Lock(_) | Announce | Withdraw | Unlock(_) => None,
        }
    }

    fn with_full_effect(self) -> Operation {
        Operation::WriterFirst(self)
    }

    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Self {
        WriterFirstOperation { rwlock: object(self.rwlock), ..self }
    }

    // Their life cycle is that of other read-write locks. Whoever has the lock, others may look at it at any time. A
    // loop of failed attempts is not parked: which change ends it is not known.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { access memory_order is_relaxed lifecycle hold is_failed_lock wait expiry signals woken choice_kind creates joins detaches }
    none! { handle starts_timer }
    none! { cancels goes_first gives_way is_idle rests exits ends_process is_unordered_look }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }
}
