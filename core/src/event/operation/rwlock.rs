//! Operations on read-write locks.
//!
//! # Dependence
//! A *writer's* operations (its lock, its unlock) are dependent with all others, as those of a mutex. Among *readers*:
//! - Two read unlocks commute, and so do a read unlock and a read lock: while a reader holds the lock no writer does,
//!   so each can be taken whatever the other does.
//! - A failed read trylock has seen a writer: it depends on that writer's lock and unlock, and on nothing else. A
//!   failed write trylock has seen a holder of either kind, so it depends on readers' locks and unlocks as well. Failed
//!   trylocks of either kind commute.
//! - Two read locks are treated as dependent although they commute. A writer that waits for several readers could have
//!   come before all of them or before the last of them only; with the readers' locks in one order, the *last one that
//!   the writer could have come before* is a single event, as the beginning of a hold of a mutex is. So a program in
//!   which n readers lock at a time has n! traces, as with a mutex, and not one.
//!
//! # Which pairs can be reversed
//! Only locks that wait cannot always be taken.
//! - A read lock waits for the writer's unlock and races with that writer's lock, as with a mutex. It races with the
//!   read lock and the failed write trylock before it.
//! - A write lock waits until every reader has unlocked. It cannot come right before a read unlock. It can come right
//!   before a read lock R if the other readers that hold the lock there have unlocked, or unlock later than R without R
//!   happening before: those unlocks belong to the past of the race (`order::Path`). It races with the last such R.
//!
//! # Happens-before of C11
//! POSIX lists the functions among those that synchronise memory. As in C++ (shared_mutex, 32.6.4.4), a writer's unlock
//! synchronises with every later lock, a reader's unlock with every later lock of a writer. Readers do not synchronise
//! with each other: their unlocks are released under another name than writers' unlocks.

use super::Operation;
use super::properties::{Acquires, Description, LifecycleChange, Objects, Releases, none, none_of};
use crate::event::{ByteRange, Footprint, HoldChange, Need, Object, ObjectKind, Side, ThreadId, Touch};

/// An operation on a read-write lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RwlockOperation {
    /// `pthread_rwlock_init`.
    Init(Object),
    /// `pthread_rwlock_destroy`.
    Destroy(Object),
    /// `pthread_rwlock_rdlock`, `pthread_rwlock_wrlock`. A reader waits for the writer, a writer for all holders.
    Lock {
        /// The lock.
        rwlock: Object,
        /// Whether it is taken for reading or for writing.
        side: Side,
    },
    /// `pthread_rwlock_tryrdlock`, `pthread_rwlock_trywrlock`, also expired timed locks.
    TryLock {
        /// The lock.
        rwlock: Object,
        /// Whether it is to be taken for reading or for writing.
        side: Side,
        /// Whether the caller holds the lock afterwards.
        acquired: bool,
    },
    /// `pthread_rwlock_unlock`.
    Unlock {
        /// The lock.
        rwlock: Object,
        /// How the caller holds it; none if it does not, in which case nothing changes.
        side: Option<Side>,
    },
}

use RwlockOperation::{Destroy, Init, Lock, TryLock, Unlock};

impl RwlockOperation {
    #[inline]
    fn rwlock(self) -> Object {
        match self {
            Init(rwlock) | Destroy(rwlock) | Lock { rwlock, .. } | TryLock { rwlock, .. } | Unlock { rwlock, .. } => {
                rwlock
            }
        }
    }

    #[inline]
    fn touch(self) -> Touch {
        match self {
            Init(_) | Destroy(_) => Touch::Lifecycle,
            Lock { side: Side::Reader, .. } => Touch::ReadLock,
            Lock { side: Side::Writer, .. } => Touch::WriteLock,
            TryLock { side: Side::Reader, acquired: true, .. } => Touch::TryReadLock,
            TryLock { side: Side::Writer, acquired: true, .. } => Touch::TryWriteLock,
            TryLock { side: Side::Reader, acquired: false, .. } => Touch::FailedReadLock,
            TryLock { side: Side::Writer, acquired: false, .. } => Touch::FailedWriteLock,
            Unlock { side: Some(Side::Reader), .. } => Touch::ReadUnlock,
            Unlock { side: Some(Side::Writer), .. } => Touch::WriteUnlock,
            Unlock { side: None, .. } => Touch::FailedReadLock,
        }
    }
}

/// The name under which readers' unlocks are released: an address inside the lock.
pub(super) fn of_readers(rwlock: Object) -> Object {
    Object(rwlock.0 + 1)
}

impl Description for RwlockOperation {
    fn name(self) -> &'static str {
        match self {
            Init(_) => "init read-write lock",
            Destroy(_) => "destroy read-write lock",
            Lock { side: Side::Reader, .. } => "lock for reading",
            Lock { side: Side::Writer, .. } => "lock for writing",
            TryLock { side: Side::Reader, acquired: true, .. } => "trylock for reading",
            TryLock { side: Side::Writer, acquired: true, .. } => "trylock for writing",
            TryLock { side: Side::Reader, acquired: false, .. } => "failed trylock for reading",
            TryLock { side: Side::Writer, acquired: false, .. } => "failed trylock for writing",
            Unlock { side: Some(Side::Reader), .. } => "unlock after reading",
            Unlock { side: Some(Side::Writer), .. } => "unlock after writing",
            Unlock { side: None, .. } => "unlock without having locked",
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((self.rwlock(), ObjectKind::Rwlock)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        Footprint::object(self.rwlock(), self.touch())
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            Lock { rwlock, side } => Need::Rwlock(rwlock, side),
            Init(_) | Destroy(_) | TryLock { .. } | Unlock { .. } => Need::Nothing,
        }
    }

    #[inline]
    fn lifecycle(self) -> Option<LifecycleChange> {
        match self {
            Init(rwlock) => Some(LifecycleChange::Begins(rwlock, ObjectKind::Rwlock)),
            Destroy(rwlock) => Some(LifecycleChange::Ends(rwlock, ObjectKind::Rwlock)),
            Lock { .. } | TryLock { .. } | Unlock { .. } => None,
        }
    }

    /// Only a writer holds the lock as a mutex is held; what several threads hold at a time excludes nobody.
    #[inline]
    fn hold(self) -> Option<(Object, HoldChange)> {
        match self {
            Init(rwlock) => Some((rwlock, HoldChange::Clears)),
            Lock { rwlock, side: Side::Writer } | TryLock { rwlock, side: Side::Writer, acquired: true } => {
                Some((rwlock, HoldChange::Takes))
            }
            Unlock { rwlock, side: Some(Side::Writer) } => Some((rwlock, HoldChange::Gives)),
            Destroy(_) | Lock { .. } | TryLock { .. } | Unlock { .. } => None,
        }
    }

    #[inline]
    fn ends_hold(self) -> bool {
        match self {
            Unlock { side, .. } => side.is_some(),
            Init(_) | Destroy(_) | Lock { .. } | TryLock { .. } => false,
        }
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            Lock { rwlock, side } | TryLock { rwlock, side, acquired: true } => match side {
                Side::Reader => Acquires::Object(rwlock),
                Side::Writer => Acquires::Both(rwlock, of_readers(rwlock)),
            },
            Init(_) | Destroy(_) | TryLock { acquired: false, .. } | Unlock { .. } => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self {
            Init(rwlock) => Releases::Forgets(rwlock, Some(of_readers(rwlock))),
            Unlock { rwlock, side: Some(Side::Writer) } => Releases::Object(rwlock),
            Unlock { rwlock, side: Some(Side::Reader) } => Releases::Object(of_readers(rwlock)),
            Destroy(_) | Lock { .. } | TryLock { .. } | Unlock { side: None, .. } => Releases::Nothing,
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            TryLock { .. } | Unlock { .. } => true,
            Init(_) | Destroy(_) | Lock { .. } => false,
        }
    }

    #[inline]
    fn succeeded(self) -> Option<bool> {
        match self {
            TryLock { acquired, .. } => Some(acquired),
            Init(_) | Destroy(_) | Lock { .. } | Unlock { .. } => None,
        }
    }

    #[inline]
    fn is_failed_lock(self) -> bool {
        match self {
            TryLock { acquired, .. } => !acquired,
            Init(_) | Destroy(_) | Lock { .. } | Unlock { .. } => false,
        }
    }

    /// A writer's unlock goes first: until then, other threads can do nothing with the lock but try to take it. The
    /// others at a reader's unlock can.
    #[inline]
    fn goes_first(self) -> bool {
        match self {
            Unlock { side, .. } => side == Some(Side::Writer),
            Init(_) | Destroy(_) | Lock { .. } | TryLock { .. } => false,
        }
    }

    /// A trylock stands for a writer's lock: the two are in conflict with the same operations.
    fn with_full_effect(self) -> Operation {
        Operation::Rwlock(match self {
            TryLock { rwlock, side, .. } => TryLock { rwlock, side, acquired: true },
            Lock { rwlock, side: Side::Writer } => TryLock { rwlock, side: Side::Writer, acquired: true },
            Init(_) | Destroy(_) | Lock { side: Side::Reader, .. } | Unlock { .. } => self,
        })
    }

    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Self {
        let rwlock = object(self.rwlock());
        match self {
            Init(_) => Init(rwlock),
            Destroy(_) => Destroy(rwlock),
            Lock { side, .. } => Lock { rwlock, side },
            TryLock { side, acquired, .. } => TryLock { rwlock, side, acquired },
            Unlock { side, .. } => Unlock { rwlock, side },
        }
    }

    // They access no memory of the program, name and wake no thread, and are no part of a wait.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { access memory_order is_relaxed wait expiry signals woken choice_kind creates joins detaches handle cancels }
    none! { starts_timer }
    none! { gives_way is_idle rests exits ends_process is_unordered_look }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }
}
