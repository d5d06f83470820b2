//! The kinds of synchronisation objects, the ways to touch them, and what can be waited for.
//!
//! Nobody outside of `event`, `run` and `model` matches on [`ObjectKind`], [`Touch`] or [`Need`]: what others have to know
//! of a kind of object, a touch or a need is a method here, without a catch-all arm. So a new kind of object makes the
//! compiler list what has to be said of it, and all of that is in this file.

mod rwlock;
mod semaphore;

pub use rwlock::RwlockTouch;
pub use semaphore::SemaphoreTouch;

use super::{EffectKind, FindingKind, Object, Side, ThreadId};

/// The kinds of synchronisation objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// A mutex.
    Mutex,
    /// A condition variable.
    Condition,
    /// A once object.
    Once,
    /// A semaphore.
    Semaphore,
    /// A read-write lock.
    Rwlock,
    /// A barrier.
    Barrier,
}

impl ObjectKind {
    /// How one that was initialised by a call and never destroyed is reported, if it is.
    pub fn left_behind(self) -> Option<FindingKind> {
        match self {
            ObjectKind::Mutex => Some(FindingKind::MutexNotDestroyed),
            ObjectKind::Condition => Some(FindingKind::CondNotDestroyed),
            ObjectKind::Once | ObjectKind::Semaphore | ObjectKind::Rwlock | ObjectKind::Barrier => None,
        }
    }

    /// As what static facts describe the beginning and the end of its life. None if they do not describe operations on such
    /// objects at all: then nothing is known of what such an operation does in other executions.
    pub fn lifecycle_effect(self) -> Option<EffectKind> {
        match self {
            ObjectKind::Mutex => Some(EffectKind::MutexLifecycle),
            ObjectKind::Condition => Some(EffectKind::CondLifecycle),
            ObjectKind::Once | ObjectKind::Semaphore | ObjectKind::Rwlock | ObjectKind::Barrier => None,
        }
    }

    /// Whether static facts describe the operations on such objects.
    pub fn is_described(self) -> bool {
        self.lifecycle_effect().is_some()
    }
}

/// What an operation waits for before it can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Nothing: it can always be taken.
    Nothing,
    /// This mutex has to be free, or to be the thread's own if it is recursive.
    Mutex(Object),
    /// No thread may be running the initialiser of this once object.
    Once(Object),
    /// This semaphore has to have a unit.
    Unit(Object),
    /// This read-write lock has to be available to a thread of that side.
    Rwlock(Object, Side),
    /// This round of the barrier (modulo 2) has to be complete.
    Round(Object, u32),
    /// This thread has to have ended.
    EndOf(ThreadId),
    /// No other thread may be able to go on.
    OthersStopped,
    /// It is never taken.
    Never,
}

impl Need {
    /// Whether the operation waits until another thread gives something back: a mutex, the right to run an initialiser,
    /// a unit of a semaphore.
    #[inline]
    pub fn is_end_of_hold(self) -> bool {
        match self {
            Need::Mutex(_) | Need::Once(_) | Need::Unit(_) | Need::Rwlock(..) => true,
            Need::Nothing | Need::Round(..) | Need::EndOf(_) | Need::OthersStopped | Need::Never => false,
        }
    }

    /// Whether several operations may meet it together, so that it depends on all of them which one can be done without.
    #[inline]
    pub fn is_met_by_several(self) -> bool {
        match self {
            Need::Unit(_) | Need::Rwlock(_, Side::Writer) => true,
            Need::Nothing
            | Need::Mutex(_)
            | Need::Once(_)
            | Need::Rwlock(_, Side::Reader)
            | Need::Round(..)
            | Need::EndOf(_)
            | Need::OthersStopped
            | Need::Never => false,
        }
    }

    /// Whether it is this mutex.
    #[inline]
    pub fn is_mutex(self, mutex: Object) -> bool {
        match self {
            Need::Mutex(needed) => needed == mutex,
            Need::Nothing
            | Need::Once(_)
            | Need::Unit(_)
            | Need::Rwlock(..)
            | Need::Round(..)
            | Need::EndOf(_)
            | Need::OthersStopped
            | Need::Never => false,
        }
    }

    /// What others have to do for it.
    #[inline]
    pub fn awaited(self) -> Awaited {
        match self {
            Need::Nothing => Awaited::Nothing,
            Need::Mutex(mutex) => Awaited::Release(mutex),
            Need::Once(once) => Awaited::Change(once, "the initialiser of"),
            Need::Unit(semaphore) => Awaited::Change(semaphore, "a post of"),
            Need::Rwlock(rwlock, Side::Reader) => Awaited::Release(rwlock),
            Need::Rwlock(rwlock, Side::Writer) => Awaited::ReleaseByAll(rwlock),
            Need::Round(barrier, _) => Awaited::Enabling(barrier, "more threads at"),
            Need::EndOf(thread) => Awaited::End(thread),
            Need::OthersStopped | Need::Never => Awaited::Never,
        }
    }
}

/// What others have to do before an operation can be taken, as far as the events of a run show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// Nothing.
    Nothing,
    /// Whoever holds this object has to give it back, if that is another thread ([`Touch::hold`]).
    Release(Object),
    /// The same, and whoever has the object for reading has to give it back, too.
    ReleaseByAll(Object),
    /// Another thread has to touch this object, if the last touch keeps others waiting ([`Touch::keeps_waiting`]); one
    /// that was not touched yet is available. The words say what is waited for, before the object's name.
    Change(Object, &'static str),
    /// Another thread has to make the operation possible, by an event that is its enabling edge. The words are as those
    /// of a change.
    Enabling(Object, &'static str),
    /// This thread has to end.
    End(ThreadId),
    /// What others do does not help: it is taken when nobody else can go on, or never.
    Never,
}

impl Awaited {
    /// The object at which is waited.
    pub fn object(self) -> Option<Object> {
        match self {
            Awaited::Release(object)
            | Awaited::ReleaseByAll(object)
            | Awaited::Change(object, _)
            | Awaited::Enabling(object, _) => Some(object),
            Awaited::Nothing | Awaited::End(_) | Awaited::Never => None,
        }
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
    /// Joins the waiters of a condition variable.
    Enqueue,
    /// Leaves the waiters of a condition variable without a signal.
    Dequeue,
    /// Wakes waiters of a condition variable.
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

#[cfg(test)]
mod tests {
    use super::Touch::{self, *};
    use super::{RwlockTouch, SemaphoreTouch};

    /// The touch listed after this one. Exhaustive: a new touch does not compile until it is in the chain.
    fn next(touch: &Touch) -> Option<Touch> {
        match touch {
            Read => Some(Write),
            Write => Some(Compare),
            Compare => Some(Lifecycle),
            Lifecycle => Some(Acquire),
            Acquire => Some(TryAcquire),
            TryAcquire => Some(Release),
            Release => Some(Probe),
            Probe => Some(Enqueue),
            Enqueue => Some(Dequeue),
            Dequeue => Some(Wake),
            Wake => Some(WakeNobody),
            WakeNobody => Some(OnceRun),
            OnceRun => Some(OncePass),
            OncePass => Some(OnceDone),
            OnceDone => Some(Arrive),
            Arrive => Some(Semaphore(SemaphoreTouch::ALL[0])),
            Semaphore(touch) => Some(after(&SemaphoreTouch::ALL, touch).map_or(Rwlock(RwlockTouch::ALL[0]), Semaphore)),
            Rwlock(touch) => after(&RwlockTouch::ALL, touch).map(Rwlock),
        }
    }

    fn after<T: Copy + PartialEq>(all: &[T], one: &T) -> Option<T> {
        let at = all.iter().position(|other| other == one).expect("a list of all");
        all.get(at + 1).copied()
    }

    fn all() -> impl Iterator<Item = Touch> {
        core::iter::successors(Some(Read), next)
    }

    #[test]
    fn orders_all_means_conflicts_with_every_mode() {
        for a in all() {
            assert_eq!(a.orders_all(), all().all(|b| a.conflicts(b)), "{a:?}");
        }
    }

    #[test]
    fn what_only_reads_conflicts_with_what_orders_all() {
        let families = [&[Read, Write, Compare][..], &[Acquire, TryAcquire, Release, Probe, Lifecycle]];
        for family in families {
            for a in family.iter().filter(|a| a.only_reads()) {
                for b in family {
                    assert_eq!(a.conflicts(*b), b.orders_all(), "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn conflicts_is_symmetric() {
        for a in all() {
            for b in all() {
                assert_eq!(a.conflicts(b), b.conflicts(a), "{a:?} {b:?}");
            }
        }
    }
}
