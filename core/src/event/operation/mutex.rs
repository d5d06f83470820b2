//! Operations on mutexes.

use super::Operation;
use super::properties::{Acquires, Description, LifecycleChange, Objects, Releases, none, none_of};
use crate::event::{ByteRange, Footprint, HoldChange, Need, Object, ObjectKind, ThreadId, Touch};

/// An operation on a mutex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MutexOperation {
    /// `pthread_mutex_init`.
    Init(Object),
    /// `pthread_mutex_destroy`.
    Destroy(Object),
    /// A blocking lock, enabled while the mutex is free or, for a recursive mutex, held by the caller.
    Lock(Object),
    /// `pthread_mutex_trylock`, also an expired timed lock. `acquired: false` only reads the mutex's state.
    TryLock {
        /// The mutex.
        mutex: Object,
        /// Whether the caller holds the mutex afterwards.
        acquired: bool,
    },
    /// `pthread_mutex_unlock`.
    Unlock(Object),
}

impl MutexOperation {
    #[inline]
    fn mutex(self) -> Object {
        match self {
            MutexOperation::Init(mutex)
            | MutexOperation::Destroy(mutex)
            | MutexOperation::Lock(mutex)
            | MutexOperation::TryLock { mutex, .. }
            | MutexOperation::Unlock(mutex) => mutex,
        }
    }
}

impl Description for MutexOperation {
    fn name(self) -> &'static str {
        match self {
            MutexOperation::Init(_) => "init mutex",
            MutexOperation::Destroy(_) => "destroy mutex",
            MutexOperation::Lock(_) => "lock",
            MutexOperation::TryLock { acquired: true, .. } => "trylock",
            MutexOperation::TryLock { acquired: false, .. } => "failed trylock",
            MutexOperation::Unlock(_) => "unlock",
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((self.mutex(), ObjectKind::Mutex)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        let touch = match self {
            MutexOperation::Init(_) | MutexOperation::Destroy(_) => Touch::Lifecycle,
            MutexOperation::Lock(_) => Touch::Acquire,
            MutexOperation::TryLock { acquired: true, .. } => Touch::TryAcquire,
            MutexOperation::TryLock { acquired: false, .. } => Touch::Probe,
            MutexOperation::Unlock(_) => Touch::Release,
        };
        Footprint::object(self.mutex(), touch)
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            MutexOperation::Lock(mutex) => Need::Mutex(mutex),
            MutexOperation::Init(_)
            | MutexOperation::Destroy(_)
            | MutexOperation::TryLock { .. }
            | MutexOperation::Unlock(_) => Need::Nothing,
        }
    }

    #[inline]
    fn lifecycle(self) -> Option<LifecycleChange> {
        match self {
            MutexOperation::Init(mutex) => Some(LifecycleChange::Begins(mutex, ObjectKind::Mutex)),
            MutexOperation::Destroy(mutex) => Some(LifecycleChange::Ends(mutex, ObjectKind::Mutex)),
            MutexOperation::Lock(_) | MutexOperation::TryLock { .. } | MutexOperation::Unlock(_) => None,
        }
    }

    #[inline]
    fn hold(self) -> Option<(Object, HoldChange)> {
        match self {
            MutexOperation::Init(mutex) => Some((mutex, HoldChange::Clears)),
            MutexOperation::Lock(mutex) | MutexOperation::TryLock { mutex, acquired: true } => {
                Some((mutex, HoldChange::Takes))
            }
            MutexOperation::Unlock(mutex) => Some((mutex, HoldChange::Gives)),
            MutexOperation::Destroy(_) | MutexOperation::TryLock { acquired: false, .. } => None,
        }
    }

    fn ends_hold(self) -> bool {
        match self {
            MutexOperation::Unlock(_) => true,
            MutexOperation::Init(_)
            | MutexOperation::Destroy(_)
            | MutexOperation::Lock(_)
            | MutexOperation::TryLock { .. } => false,
        }
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            MutexOperation::Lock(mutex) | MutexOperation::TryLock { mutex, acquired: true } => Acquires::Object(mutex),
            MutexOperation::Init(_)
            | MutexOperation::Destroy(_)
            | MutexOperation::TryLock { acquired: false, .. }
            | MutexOperation::Unlock(_) => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self {
            MutexOperation::Init(mutex) => Releases::Forgets(mutex, None),
            MutexOperation::Unlock(mutex) => Releases::Object(mutex),
            MutexOperation::Destroy(_) | MutexOperation::Lock(_) | MutexOperation::TryLock { .. } => Releases::Nothing,
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            MutexOperation::TryLock { .. } => true,
            MutexOperation::Init(_)
            | MutexOperation::Destroy(_)
            | MutexOperation::Lock(_)
            | MutexOperation::Unlock(_) => false,
        }
    }

    #[inline]
    fn succeeded(self) -> Option<bool> {
        match self {
            MutexOperation::TryLock { acquired, .. } => Some(acquired),
            MutexOperation::Init(_)
            | MutexOperation::Destroy(_)
            | MutexOperation::Lock(_)
            | MutexOperation::Unlock(_) => None,
        }
    }

    fn is_failed_lock(self) -> bool {
        match self {
            MutexOperation::TryLock { acquired, .. } => !acquired,
            MutexOperation::Init(_)
            | MutexOperation::Destroy(_)
            | MutexOperation::Lock(_)
            | MutexOperation::Unlock(_) => false,
        }
    }

    /// An unlock goes first: while a mutex is held, other threads can do nothing with it but try to lock it.
    #[inline]
    fn goes_first(self) -> bool {
        match self {
            MutexOperation::Unlock(_) => true,
            MutexOperation::Init(_)
            | MutexOperation::Destroy(_)
            | MutexOperation::Lock(_)
            | MutexOperation::TryLock { .. } => false,
        }
    }

    fn with_full_effect(self) -> Operation {
        Operation::Mutex(match self {
            MutexOperation::TryLock { mutex, .. } => MutexOperation::TryLock { mutex, acquired: true },
            MutexOperation::Init(_)
            | MutexOperation::Destroy(_)
            | MutexOperation::Lock(_)
            | MutexOperation::Unlock(_) => self,
        })
    }

    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Self {
        match self {
            MutexOperation::Init(mutex) => MutexOperation::Init(object(mutex)),
            MutexOperation::Destroy(mutex) => MutexOperation::Destroy(object(mutex)),
            MutexOperation::Lock(mutex) => MutexOperation::Lock(object(mutex)),
            MutexOperation::TryLock { mutex, acquired } => MutexOperation::TryLock { mutex: object(mutex), acquired },
            MutexOperation::Unlock(mutex) => MutexOperation::Unlock(object(mutex)),
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
