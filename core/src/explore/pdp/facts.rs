//! Static facts: what the compiler pass knows of a program's code, where a run does not show it.

use crate::event::{AccessMode, ByteRange, EffectKind, ObjectKind, Operation, Touch};
use alloc::vec::Vec;

/// What the code may do, point by point. A point is a place in the code with an access, a call or a branch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The points by number.
    pub points: Vec<Point>,
}

/// A point of the code. The default is a point that accesses anything and influences nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Point {
    /// The points that a value read here may influence: what they access, or which side they take. Sorted.
    pub influences: Vec<u32>,
    /// Whether the value read here may differ between executions although no thread writes the memory: an input,
    /// whether a lock was free, whether a wait expired.
    pub varies: bool,
    /// The objects that it may access in any execution.
    pub places: PointsTo,
    /// Whether it has an effect that is not described here.
    pub opaque: bool,
    /// Whether the description holds only if every execution passes the point with the same values, as it decides where
    /// the next blocks of the heap are, or which function is called.
    pub fixed: bool,
    /// For a branch, by the side taken: what may happen on all other sides, up to the join point.
    pub untaken_paths: Vec<UntakenPath>,
    /// For a branch, the number of the join point at which its sides meet.
    pub merge: u32,
}

/// A points-to set: the objects that an access may touch. Objects with different numbers do not overlap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum PointsTo {
    /// Any object.
    #[default]
    Anywhere,
    /// One of these; sorted.
    Objects(Vec<u32>),
}

impl PointsTo {
    /// Whether both may touch one object.
    pub fn intersects(&self, other: &PointsTo) -> bool {
        match (self, other) {
            (PointsTo::Anywhere, _) | (_, PointsTo::Anywhere) => true,
            (PointsTo::Objects(a), PointsTo::Objects(b)) => a.iter().any(|object| b.binary_search(object).is_ok()),
        }
    }
}

/// What may happen on the sides of a branch that were not taken, calls and loops included.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UntakenPath {
    /// Whether it has effects that are not described here: it creates a thread, calls an unknown function, or unlocks
    /// an unknown mutex.
    pub opaque: bool,
    /// The accesses, and the operations on synchronisation objects.
    pub steps: Vec<PathStep>,
    /// The mutexes that are unlocked there without having been locked there.
    pub given_up: Vec<u64>,
    /// The change of the lockset up to the join point, if an untaken side leads there.
    pub after: Option<LockChange>,
}

/// One effect that an untaken path may have.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PathStep {
    /// Its kind.
    pub what: EffectKind,
    /// The bytes that the effect is on, if they are the same in all executions.
    pub exact: Option<ByteRange>,
    /// If `exact` is `None`: the objects that the effect may be on.
    pub places: PointsTo,
    /// The change of the lockset from the branch up to this step.
    pub locks: LockChange,
}

/// How the lockset of a thread differs from that at the branch; both lists are sorted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct LockChange {
    /// The mutexes locked since the branch on every path: certainly held.
    pub acquired: Vec<u64>,
    /// The mutexes unlocked since the branch on some path: not certainly held unless acquired.
    pub released: Vec<u64>,
}

impl LockChange {
    /// The mutexes that are certainly held if these were held at the branch. Both lists are sorted.
    pub fn applied_to(&self, held: &[u64]) -> Vec<u64> {
        let kept = held.iter().filter(|lock| self.released.binary_search(lock).is_err());
        let mut locks: Vec<u64> = kept.chain(&self.acquired).copied().collect();
        locks.sort_unstable();
        locks.dedup();
        locks
    }
}

/// What an effect is on: memory, a mutex or a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Memory,
    Mutex,
    Condition,
}

impl Family {
    /// Whether objects of this kind belong to it.
    pub(super) fn includes(self, kind: ObjectKind) -> bool {
        kind.lifecycle_effect().is_some_and(|effect| effect.family() == self)
    }
}

impl EffectKind {
    /// The effect of an operation on something that it touches; `None` for objects of which the facts say nothing.
    pub(super) fn of(operation: &Operation, touch: Touch) -> Option<EffectKind> {
        if let Some((_, mode)) = operation.access() {
            return Some(match mode {
                // A compare-exchange that fails in this run may write in another one.
                AccessMode::AtomicCompare => EffectKind::AtomicWrite,
                // A call on a file may read what stands for the file and write the table of descriptors.
                AccessMode::Read | AccessMode::Write if touch.only_reads() => EffectKind::Read,
                AccessMode::Read | AccessMode::Write => EffectKind::Write,
                AccessMode::AtomicRead | AccessMode::AtomicWrite if touch.only_reads() => EffectKind::AtomicRead,
                AccessMode::AtomicRead | AccessMode::AtomicWrite => EffectKind::AtomicWrite,
            });
        }
        match operation.lifecycle() {
            Some(change) => change.kind().lifecycle_effect(),
            None => touch.effect(),
        }
    }

    /// The family of what the effect is on.
    pub(super) fn family(self) -> Family {
        match self {
            EffectKind::Read | EffectKind::Write | EffectKind::AtomicRead | EffectKind::AtomicWrite => Family::Memory,
            EffectKind::Lock | EffectKind::TryLock | EffectKind::Unlock | EffectKind::MutexLifecycle => Family::Mutex,
            EffectKind::Wait | EffectKind::Expire | EffectKind::Wake | EffectKind::CondLifecycle => Family::Condition,
        }
    }

    /// Whether it counts as a write where conflicts are looked for. Operations on a mutex are no data races, but if it
    /// could be initialised or destroyed while it is used, it would protect nothing.
    pub(super) fn writes(self) -> bool {
        match self {
            EffectKind::Write | EffectKind::AtomicWrite | EffectKind::MutexLifecycle => true,
            EffectKind::Read
            | EffectKind::AtomicRead
            | EffectKind::Lock
            | EffectKind::TryLock
            | EffectKind::Unlock
            | EffectKind::Wait
            | EffectKind::Expire
            | EffectKind::Wake
            | EffectKind::CondLifecycle => false,
        }
    }

    /// Whether the thread sees a value of memory.
    pub(super) fn reads(self) -> bool {
        // An atomic write may be a read-modify-write.
        matches!(self, EffectKind::Read | EffectKind::AtomicRead | EffectKind::AtomicWrite)
    }

    /// Whether it is an atomic access.
    pub(super) fn is_atomic(self) -> bool {
        matches!(self, EffectKind::AtomicRead | EffectKind::AtomicWrite)
    }
}
