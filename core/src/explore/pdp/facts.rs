//! What is known of a program's code without running it: the facts that stand in for what a run cannot show.

use crate::event::{AccessMode, ByteRange, LifecycleChange, ObjectKind, Operation, Touch};
use alloc::vec::Vec;

/// What the code may do, point by point. A point is a place in the code at which something is accessed, called or decided.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The points by number.
    pub points: Vec<Point>,
}

/// A point of the code. By default nothing is known of it that would allow for more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Point {
    /// The points that a value taken in here may influence: where they access, or which way they go. Sorted.
    pub influences: Vec<u32>,
    /// Whether the value taken in here may differ although nobody writes the memory it comes from: an input, whether a
    /// lock was free, whether a wait expired.
    pub varies: bool,
    /// What it may access, in all executions.
    pub places: Places,
    /// Whether it does something that is not understood.
    pub opaque: bool,
    /// Whether it is not understood either if what it depends on differs, or whether it happens at all: what decides
    /// where the next blocks of the heap are, and whom it calls.
    pub fixed: bool,
    /// For a branch, by the way taken: what may happen on all the other ways, until they meet.
    pub untaken_paths: Vec<UntakenPath>,
    /// For a branch, the number of the place where its ways meet.
    pub merge: u32,
}

/// The objects that something may be in. Whether two of them overlap is known only from their numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Places {
    /// Any.
    #[default]
    Anywhere,
    /// One of these; sorted.
    Objects(Vec<u32>),
}

impl Places {
    /// Whether both may be in one object.
    pub fn meet(&self, other: &Places) -> bool {
        match (self, other) {
            (Places::Anywhere, _) | (_, Places::Anywhere) => true,
            (Places::Objects(a), Places::Objects(b)) => a.iter().any(|object| b.binary_search(object).is_ok()),
        }
    }
}

/// What may happen on the ways not taken from a branch, calls and loops included.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UntakenPath {
    /// Whether something there is not understood: a thread is created, an unknown function called, a lock given up that
    /// is not known.
    pub opaque: bool,
    /// The accesses and operations on synchronisation objects.
    pub steps: Vec<PathStep>,
    /// The locks that are given up there without having been taken there.
    pub given_up: Vec<u64>,
    /// What the locks are where the ways meet, if a way not taken leads there.
    pub after: Option<Locks>,
}

/// One thing that may happen on a way not taken.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PathStep {
    /// What it is.
    pub what: What,
    /// Where, if that is the same in all executions.
    pub exact: Option<ByteRange>,
    /// Where, otherwise.
    pub places: Places,
    /// The locks at this moment.
    pub locks: Locks,
}

/// How the locks that a thread holds differ from those at the branch; sorted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Locks {
    /// Taken since, and certainly held.
    pub acquired: Vec<u64>,
    /// Perhaps given up since; not held unless acquired.
    pub released: Vec<u64>,
}

impl Locks {
    /// What is certainly held if this was held at the branch. Both sorted.
    pub fn applied_to(&self, held: &[u64]) -> Vec<u64> {
        let kept = held.iter().filter(|lock| self.released.binary_search(lock).is_err());
        let mut locks: Vec<u64> = kept.chain(&self.acquired).copied().collect();
        locks.sort_unstable();
        locks.dedup();
        locks
    }
}

/// The kinds of things that happen to memory and synchronisation objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum What {
    /// Plain read.
    Read,
    /// Plain write.
    Write,
    /// Atomic load.
    AtomicRead,
    /// Atomic store or read-modify-write.
    AtomicWrite,
    /// A mutex is locked, also at the end of a wait.
    Lock,
    /// A mutex is perhaps locked.
    TryLock,
    /// A mutex is unlocked, also at the beginning of a wait.
    Unlock,
    /// A mutex is initialised or destroyed.
    MutexLifecycle,
    /// A thread begins to wait for a condition variable.
    Wait,
    /// A wait ends without a signal.
    Expire,
    /// A condition variable is signalled.
    Wake,
    /// A condition variable is initialised or destroyed.
    CondLifecycle,
}

/// The kinds of objects that things happen to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Memory,
    Mutex,
    Condition,
}

impl Family {
    /// Whether objects of this kind belong to it.
    pub(super) fn includes(self, kind: ObjectKind) -> bool {
        match kind {
            ObjectKind::Mutex => self == Family::Mutex,
            ObjectKind::Condition => self == Family::Condition,
            ObjectKind::Once => false,
        }
    }
}

impl What {
    /// What an operation does to something that it touches; None for once objects, of which the code tells nothing.
    pub(super) fn of(operation: &Operation, touch: Touch) -> Option<What> {
        match touch {
            Touch::Read | Touch::Write | Touch::Compare => operation.access().map(|(_, mode)| match mode {
                AccessMode::Read => What::Read,
                AccessMode::Write => What::Write,
                AccessMode::AtomicRead => What::AtomicRead,
                AccessMode::AtomicCompare | AccessMode::AtomicWrite => What::AtomicWrite,
            }),
            Touch::Lifecycle => match operation.lifecycle()? {
                LifecycleChange::Begins(_, kind) | LifecycleChange::Ends(_, kind) => match kind {
                    ObjectKind::Mutex => Some(What::MutexLifecycle),
                    ObjectKind::Condition => Some(What::CondLifecycle),
                    ObjectKind::Once => None,
                },
            },
            Touch::Acquire => Some(What::Lock),
            Touch::TryAcquire | Touch::Probe => Some(What::TryLock),
            Touch::Release => Some(What::Unlock),
            Touch::Enqueue => Some(What::Wait),
            Touch::Dequeue => Some(What::Expire),
            Touch::Wake | Touch::WakeNobody => Some(What::Wake),
            Touch::OnceRun | Touch::OncePass | Touch::OnceDone => None,
        }
    }

    /// Of what kind the object is.
    pub(super) fn family(self) -> Family {
        match self {
            What::Read | What::Write | What::AtomicRead | What::AtomicWrite => Family::Memory,
            What::Lock | What::TryLock | What::Unlock | What::MutexLifecycle => Family::Mutex,
            What::Wait | What::Expire | What::Wake | What::CondLifecycle => Family::Condition,
        }
    }

    /// Whether it counts as a write where locks are looked at. What happens to a mutex is no data race, but its
    /// initialisation beside its use would make the mutex worthless.
    pub(super) fn writes(self) -> bool {
        match self {
            What::Write | What::AtomicWrite | What::MutexLifecycle => true,
            What::Read
            | What::AtomicRead
            | What::Lock
            | What::TryLock
            | What::Unlock
            | What::Wait
            | What::Expire
            | What::Wake
            | What::CondLifecycle => false,
        }
    }

    /// Whether the thread sees a value of memory.
    pub(super) fn reads(self) -> bool {
        // An atomic write may be a read-modify-write.
        matches!(self, What::Read | What::AtomicRead | What::AtomicWrite)
    }

    /// Whether it is an atomic access.
    pub(super) fn is_atomic(self) -> bool {
        matches!(self, What::AtomicRead | What::AtomicWrite)
    }
}
