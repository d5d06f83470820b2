//! The kinds of synchronisation objects, the ways to touch them, and what can be waited for.
//!
//! Nobody outside of `event`, `run` and `model` matches on [`ObjectKind`], [`Touch`] or [`Need`]: what others have to know
//! of a kind of object, a touch or a need is a method here, without a catch-all arm. So a new kind of object makes the
//! compiler list what has to be said of it, and all of that is in this file.

mod need;
mod rwlock;
mod semaphore;
#[cfg(test)]
mod tests;

pub use need::{Awaited, Need};
pub use rwlock::{RwlockTouch, Side};
pub use semaphore::SemaphoreTouch;

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
}

impl ObjectKind {
    /// Whether a search that compares states covers all orders of operations on such objects. Of read-write locks it
    /// misses some: which orders of readers and writers follow below a state that was visited before is not summarised
    /// exactly.
    pub fn is_summarised(self) -> bool {
        match self {
            ObjectKind::Rwlock => false,
            ObjectKind::Mutex
            | ObjectKind::Condition
            | ObjectKind::Once
            | ObjectKind::Futex
            | ObjectKind::Semaphore
            | ObjectKind::Barrier => true,
        }
    }

    /// How one that was initialised by a call and never destroyed is reported, if it is.
    pub fn left_behind(self) -> Option<FindingKind> {
        match self {
            ObjectKind::Mutex => Some(FindingKind::MutexNotDestroyed),
            ObjectKind::Condition => Some(FindingKind::CondNotDestroyed),
            ObjectKind::Once | ObjectKind::Futex | ObjectKind::Semaphore | ObjectKind::Rwlock | ObjectKind::Barrier => {
                None
            }
        }
    }

    /// As what static facts describe the beginning and the end of its life. None if they do not describe operations on such
    /// objects at all: then nothing is known of what such an operation does in other executions.
    pub fn lifecycle_effect(self) -> Option<EffectKind> {
        match self {
            ObjectKind::Mutex => Some(EffectKind::MutexLifecycle),
            ObjectKind::Condition => Some(EffectKind::CondLifecycle),
            ObjectKind::Once | ObjectKind::Futex | ObjectKind::Semaphore | ObjectKind::Rwlock | ObjectKind::Barrier => {
                None
            }
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

/// Whether what touches an object had to wait for it to be available, and which earlier touches of it show that.
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
    /// It waits for a unit, of which there are so many, two standing for more ([`Touch::wait_before`]).
    ForUnit(u8),
}

/// In which way an operation touches an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// Reads the bytes of a range.
    Read,
    /// Writes the bytes of a range.
    Write,
    /// A compare-exchange that fails: reads, and might have written.
    Compare,
    /// Changes the life cycle of a synchronisation object: init, destroy.
    Lifecycle,
    /// Takes a mutex, waiting until it is free (lock, the end of a wait).
    Acquire,
    /// Takes a mutex without having had to wait for it (successful trylock).
    TryAcquire,
    /// Gives a mutex up.
    Release,
    /// Looks at a mutex without changing it (failed trylock).
    Probe,
    /// Joins the waiters of a condition variable or of a futex word.
    Enqueue,
    /// Leaves the waiters of a condition variable or of a futex word without a signal.
    Dequeue,
    /// Wakes waiters of a condition variable or of a futex word.
    Wake,
    /// A signal or broadcast that found no waiter.
    WakeNobody,
    /// Enters a once object as the one who runs the initialiser.
    OnceRun,
    /// Passes a once object whose initialiser has run.
    OncePass,
    /// Leaves the initialiser of a once object, which is done or, if it failed, as at first.
    OnceDone,
    /// Touches a semaphore.
    Semaphore(SemaphoreTouch),
    /// Touches a read-write lock.
    Rwlock(RwlockTouch),
    /// Arrives at a barrier.
    Arrive,
}

impl Touch {
    /// How a signal or broadcast touches what its waiters wait at, if there are `any`.
    pub fn of_wake(any: bool) -> Touch {
        if any { Touch::Wake } else { Touch::WakeNobody }
    }

    /// Whether the order of two touches of one object matters. Symmetric.
    #[inline]
    pub fn conflicts(self, other: Touch) -> bool {
        use Touch::*;
        match (self, other) {
            // Reads, failed trylocks and passes of a finished once object change nothing.
            (Read | Compare, Read | Compare) | (Probe, Probe) | (OncePass, OncePass) => false,
            // Waiters form a set: the order of arrival is not visible, as a signal may choose any of them.
            (Enqueue, Enqueue) => false,
            // Leaving the set commutes with others leaving or joining it.
            (Enqueue, Dequeue) | (Dequeue, Enqueue) | (Dequeue, Dequeue) => false,
            // Two signals that are both lost commute.
            (WakeNobody, WakeNobody) => false,
            (Semaphore(touch), Semaphore(other)) => touch.conflicts(other),
            (Rwlock(touch), Rwlock(other)) => touch.conflicts(other),
            (
                Read | Write | Compare | Lifecycle | Acquire | TryAcquire | Release | Probe | Enqueue | Dequeue | Wake
                | WakeNobody | OnceRun | OncePass | OnceDone | Semaphore(_) | Rwlock(_) | Arrive,
                _,
            ) => true,
        }
    }

    /// Whether the order of two touches of overlapping ranges matters.
    ///
    /// A failed compare-exchange counts as a read only among accesses of exactly its own bytes. Otherwise its outcome,
    /// which other accesses decide, would decide whether it conflicts with an overlapping access. A search that finds
    /// races in one path at a time cannot take that into account.
    #[inline]
    pub fn conflicts_in(self, other: Touch, same_range: bool) -> bool {
        self.conflicts(other) || (!same_range && (self == Touch::Compare || other == Touch::Compare))
    }

    /// Whether this mode conflicts with every mode, so that it is ordered with all other touches of the object.
    #[inline]
    pub fn orders_all(self) -> bool {
        use Touch::*;
        match self {
            Write | Lifecycle | Acquire | TryAcquire | Release | Wake | OnceRun | OnceDone | Arrive => true,
            Semaphore(touch) => touch.orders_all(),
            Rwlock(touch) => touch.orders_all(),
            Read | Compare | Probe | Enqueue | Dequeue | WakeNobody | OncePass => false,
        }
    }

    /// Whether this mode, among the modes of touching one range as one kind of object, conflicts only with modes that
    /// [order all](Self::orders_all).
    #[inline]
    pub fn only_reads(self) -> bool {
        use Touch::*;
        match self {
            Read | Compare | Probe => true,
            Write | Lifecycle | Acquire | TryAcquire | Release | Enqueue | Dequeue | Wake | WakeNobody | OnceRun
            | OncePass | OnceDone | Semaphore(_) | Arrive => false,
            Rwlock(touch) => touch.only_reads(),
        }
    }

    /// The kind of object that is touched in this mode, as one bit. No bit if it may be any synchronisation object.
    #[inline]
    pub(crate) fn family(self) -> u8 {
        match self {
            Touch::Read | Touch::Write | Touch::Compare => 1,
            Touch::Acquire | Touch::TryAcquire | Touch::Release | Touch::Probe => 2,
            Touch::Enqueue | Touch::Dequeue | Touch::Wake | Touch::WakeNobody => 4,
            Touch::OnceRun | Touch::OncePass | Touch::OnceDone => 8,
            Touch::Semaphore(_) => 16,
            Touch::Rwlock(_) => 32,
            Touch::Arrive => 64,
            Touch::Lifecycle => 0,
        }
    }

    /// How a touch in this mode changes which thread holds a mutex, at most: a change of the life cycle may clear it.
    #[inline]
    pub fn hold(self) -> Option<HoldChange> {
        match self {
            Touch::Acquire | Touch::TryAcquire => Some(HoldChange::Takes),
            Touch::Release => Some(HoldChange::Gives),
            Touch::Lifecycle => Some(HoldChange::Clears),
            Touch::Rwlock(touch) => touch.hold(),
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OnceRun
            | Touch::OncePass
            | Touch::OnceDone
            | Touch::Semaphore(_)
            | Touch::Arrive => None,
        }
    }

    /// Whether a touch in this mode may make an object that threads wait for unavailable to them, or available.
    #[inline]
    pub fn changes_availability(self) -> bool {
        match self {
            Touch::Acquire
            | Touch::TryAcquire
            | Touch::Release
            | Touch::Lifecycle
            | Touch::OnceRun
            | Touch::OnceDone => true,
            Touch::Semaphore(touch) => touch.changes_count(),
            Touch::Rwlock(touch) => touch.changes_availability(),
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OncePass
            | Touch::Arrive => false,
        }
    }

    /// Whether an object touched in this mode was necessarily unavailable just before for an operation that touches it
    /// next as `later`. If so, the first operation enables the second, and the two do not race.
    pub fn enables(self, later: Touch) -> bool {
        use Touch::*;
        match (self, later) {
            // Before an unlock or a failed trylock the mutex was held; a blocking lock had to wait.
            (Release | Probe, Acquire) => true,
            // A thread that passes a once object, or tries again after a failed initialiser, waited until it was left.
            (OnceDone, OncePass | OnceRun) => true,
            (
                Read | Write | Compare | Lifecycle | Acquire | TryAcquire | Release | Probe | Enqueue | Dequeue | Wake
                | WakeNobody | OnceRun | OncePass | OnceDone | Semaphore(_) | Rwlock(_) | Arrive,
                _,
            ) => false,
        }
    }

    /// Whether it waits until the object is available.
    #[inline]
    pub fn waiting(self) -> Waiting {
        match self {
            Touch::Acquire => Waiting::ForRelease,
            Touch::OnceRun | Touch::OncePass => Waiting::ForEnabling,
            Touch::Semaphore(touch) => touch.needed_of().map_or(Waiting::No, Waiting::ForUnit),
            Touch::Rwlock(RwlockTouch::Read) => Waiting::ForRelease,
            Touch::Rwlock(RwlockTouch::Write) => Waiting::ForReleaseByAll,
            Touch::Rwlock(
                RwlockTouch::TryRead
                | RwlockTouch::TryWrite
                | RwlockTouch::FailedRead
                | RwlockTouch::FailedWrite
                | RwlockTouch::EndRead
                | RwlockTouch::EndWrite,
            ) => Waiting::No,
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Lifecycle
            | Touch::TryAcquire
            | Touch::Release
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OnceDone
            | Touch::Arrive => Waiting::No,
        }
    }

    /// Whether, after an object was touched like this, whoever waits for a [change](Awaited::Change) of it has to wait for
    /// another touch.
    pub fn keeps_waiting(self) -> bool {
        match self {
            Touch::OnceRun => true,
            Touch::Semaphore(touch) => touch.leaves_none(),
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Lifecycle
            | Touch::Acquire
            | Touch::TryAcquire
            | Touch::Release
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OncePass
            | Touch::OnceDone
            | Touch::Rwlock(_)
            | Touch::Arrive => false,
        }
    }

    /// By how many a touch in this mode changes the number of holds for reading.
    #[inline]
    pub fn change_of_readers(self) -> i32 {
        match self {
            Touch::Rwlock(touch) => touch.change_of_readers(),
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Lifecycle
            | Touch::Acquire
            | Touch::TryAcquire
            | Touch::Release
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OnceRun
            | Touch::OncePass
            | Touch::OnceDone
            | Touch::Semaphore(_)
            | Touch::Arrive => 0,
        }
    }

    /// Of a touch that comes before an operation which waits for a unit: whether that operation could have come just before
    /// it, where `units` (two standing for more) are there afterwards; and how many still earlier ones are to count with.
    /// That a wait could have come before an initialisation is not considered.
    pub fn wait_before(self, units: u8) -> (bool, u8) {
        match self {
            Touch::Semaphore(touch) => touch.wait_before(units),
            Touch::Lifecycle => (false, units),
            Touch::Read
            | Touch::Write
            | Touch::Compare
            | Touch::Acquire
            | Touch::TryAcquire
            | Touch::Release
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::Wake
            | Touch::WakeNobody
            | Touch::OnceRun
            | Touch::OncePass
            | Touch::OnceDone
            | Touch::Rwlock(_)
            | Touch::Arrive => (true, units),
        }
    }

    /// How the same operation would touch the object just before an earlier touch, in an order in which another such
    /// operation (a rival) stands there that conflicts with the earlier touch as well, and the two not with each other. Of a
    /// compare-exchange, values say it.
    pub fn before_with_rival(self, earlier: Touch) -> Touch {
        use Touch::*;
        match (self, earlier) {
            // Destroying a mutex does not change who holds it.
            (TryAcquire, Lifecycle) => TryAcquire,
            // As the two do not conflict, the rival is a failed trylock or a lost signal. If nothing that would change it
            // comes between, then so is this one.
            (TryAcquire, _) => Probe,
            (Wake, _) => WakeNobody,
            (Semaphore(touch), _) => Semaphore(touch.before_with_rival(earlier)),
            (Rwlock(touch), _) => Rwlock(touch.before_with_rival(earlier)),
            (
                Read | Write | Compare | Lifecycle | Acquire | Release | Probe | Enqueue | Dequeue | WakeNobody
                | OnceRun | OncePass | OnceDone | Arrive,
                _,
            ) => self,
        }
    }

    /// Whether it leaves something behind that whoever touches the object later comes after in time: it writes, gives back
    /// or wakes, and does not only look, take or wait.
    pub fn is_followed_in_time(self) -> bool {
        match self {
            Touch::Write | Touch::Lifecycle | Touch::Release | Touch::Wake | Touch::OnceDone | Touch::Arrive => true,
            Touch::Semaphore(touch) => touch.is_followed_in_time(),
            Touch::Rwlock(touch) => touch.is_followed_in_time(),
            Touch::Read
            | Touch::Compare
            | Touch::Acquire
            | Touch::TryAcquire
            | Touch::Probe
            | Touch::Enqueue
            | Touch::Dequeue
            | Touch::WakeNobody
            | Touch::OnceRun
            | Touch::OncePass => false,
        }
    }

    /// As what static facts describe it. None for objects whose kind they do not [describe](ObjectKind::is_described), and
    /// for accesses and changes of a life cycle, where the mode of the access or the kind of the object says it.
    pub fn effect(self) -> Option<EffectKind> {
        match self {
            Touch::Acquire => Some(EffectKind::Lock),
            Touch::TryAcquire | Touch::Probe => Some(EffectKind::TryLock),
            Touch::Release => Some(EffectKind::Unlock),
            Touch::Enqueue => Some(EffectKind::Wait),
            Touch::Dequeue => Some(EffectKind::Expire),
            Touch::Wake | Touch::WakeNobody => Some(EffectKind::Wake),
            Touch::OnceRun | Touch::OncePass | Touch::OnceDone => None,
            Touch::Semaphore(_) | Touch::Rwlock(_) | Touch::Arrive => None,
            Touch::Read | Touch::Write | Touch::Compare | Touch::Lifecycle => None,
        }
    }
}
