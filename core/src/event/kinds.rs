//! The kinds of synchronisation objects, the ways to touch them, and what can be waited for.
//!
//! Nobody outside of `event`, `run` and `model` matches on [`ObjectKind`], [`Touch`] or [`Need`]: what others have to
//! know of a kind of object, a touch or a need is a method here, without a catch-all arm, or a row of the table of
//! touches. So a new kind of object makes the compiler list what has to be said of it.

mod need;
mod offer;
mod touch;

pub use need::{Awaited, Need};
pub use offer::{Demand, Offer, Wanted};
pub use touch::Touch;

use super::{EffectKind, FindingKind};

/// The kinds of synchronisation objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A mutex.
    Mutex,
    /// A condition variable.
    Condition,
    /// A once object.
    Once,
    /// The queue of those who wait for a futex word.
    Futex,
    /// A semaphore.
    Semaphore,
    /// A read-write lock.
    Rwlock,
    /// A barrier.
    Barrier,
    /// The cancellation of a thread.
    Cancellation,
    /// A pipe, a counter, or one way of two connected sockets.
    Channel,
}

impl ObjectKind {
    /// Whether a search that compares states covers all orders of operations on such objects. Of read-write locks it
    /// misses some: which orders of readers and writers follow below a state that was visited before is not summarised
    /// exactly. Nor is which waits at a channel follow.
    pub fn is_summarised(self) -> bool {
        match self {
            ObjectKind::Rwlock | ObjectKind::Channel => false,
            ObjectKind::Mutex
            | ObjectKind::Condition
            | ObjectKind::Once
            | ObjectKind::Futex
            | ObjectKind::Semaphore
            | ObjectKind::Barrier
            | ObjectKind::Cancellation => true,
        }
    }

    /// The kind of finding for an object of this kind that was initialised by a call and never destroyed; `None` if
    /// that is no finding.
    pub fn left_behind(self) -> Option<FindingKind> {
        match self {
            ObjectKind::Mutex => Some(FindingKind::MutexNotDestroyed),
            ObjectKind::Condition => Some(FindingKind::CondNotDestroyed),
            ObjectKind::Once
            | ObjectKind::Futex
            | ObjectKind::Semaphore
            | ObjectKind::Rwlock
            | ObjectKind::Barrier
            | ObjectKind::Cancellation
            | ObjectKind::Channel => None,
        }
    }

    /// The effect by which static facts describe that such an object is initialised or destroyed. `None` if they do not
    /// describe operations on such objects at all: then nothing is known of what such an operation does in other
    /// executions.
    pub fn lifecycle_effect(self) -> Option<EffectKind> {
        match self {
            ObjectKind::Mutex => Some(EffectKind::MutexLifecycle),
            ObjectKind::Condition => Some(EffectKind::CondLifecycle),
            ObjectKind::Once
            | ObjectKind::Futex
            | ObjectKind::Semaphore
            | ObjectKind::Rwlock
            | ObjectKind::Barrier
            | ObjectKind::Cancellation
            | ObjectKind::Channel => None,
        }
    }

    /// Whether static facts describe the operations on such objects.
    pub fn is_described(self) -> bool {
        self.lifecycle_effect().is_some()
    }
}

/// How an operation changes which thread holds a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HoldChange {
    /// The thread takes it, once more if it is recursive and the thread holds it.
    Takes,
    /// The thread gives it back, once.
    Gives,
    /// No thread holds it any more, however often it was taken.
    Clears,
}

/// Whether an operation that touches an object in some mode had to wait until the object was available, and which
/// earlier touches of the object show that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// It can touch the object at any time.
    No,
    /// It waits while another thread holds the object ([`Touch::hold`]).
    ForRelease,
    /// It waits for the earlier touch that enables it, if there is one ([`Touch::enables`]).
    ForEnabling,
    /// It waits while another thread holds the object or has it for reading ([`Touch::change_of_readers`]).
    ForReleaseByAll,
    /// It waits for a unit, and the semaphore had so many, two standing for more ([`Touch::wait_before`]).
    ForUnit(u8),
    /// It waits for something that a channel offers
    /// ([`Demand::waits_before`]).
    ForOffer,
}

/// How a touch of a semaphore changes its units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UnitChange {
    /// It does not touch a semaphore.
    None,
    /// It adds one, or fails to.
    Gives,
    /// It takes one.
    Takes,
    /// It finds whether there are some.
    Looks,
    /// There are none from now on.
    Begins,
    /// The units that there were count no longer.
    Ends,
}

/// What is waited for at a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Data, or their end.
    Input,
    /// Room for data.
    Room,
    /// Events of what it watches.
    Events,
    /// A connection that somebody has made.
    Connection,
    /// Room in a queue of connections.
    Place,
    /// One of several things, of one channel or of several.
    Either,
}

/// As what a thread takes a read-write lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// For reading, together with other readers.
    Reader,
    /// For writing, alone.
    Writer,
}
