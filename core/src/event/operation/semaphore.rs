//! Operations on semaphores.
//!
//! # Dependence
//! The operations change or look at one number, the count. A pair commutes if neither order changes what the two
//! learn or whether they can be taken:
//! - Two posts add up to the same count. Posts close to the largest count are an exception: one of them may fail.
//! - A failed trywait and `sem_getvalue` look at the count and leave it as it is, so two of them commute.
//!
//! All other pairs are dependent. So the count before a wait, a trywait or `sem_getvalue` is the same in all executions
//! of one Mazurkiewicz trace, and may be recorded as an outcome ([`Units`]). The count before a post is not.
//!
//! # Which pairs can be reversed
//! A dependent pair can be reversed if the later operation could have been taken just before the earlier one. Only a
//! wait cannot always be taken: it needs a unit. By the count before the wait:
//!
//! | earlier operation | none (blocked at the end of a run) | one | more |
//! |---|---|---|---|
//! | post | no | no | yes |
//! | failed trywait, `sem_getvalue` | no | yes, unless a post lies between | yes |
//! | initialisation | no | no | no |
//! | destruction | no | yes | yes |
//! | wait, successful trywait | yes | yes | yes |
//!
//! Where there was no semaphore before the initialisation, or one that was destroyed, all three are yes: a wait is a
//! misuse there, and does not wait.
//!
//! With one unit, the last post before the wait gave it. With more, each of the posts since the last wait can be the
//! last of them, as posts commute; one unit remains without it.
//!
//! # Happens-before of C11
//! A post releases the semaphore, and a wait or a successful trywait acquires it, from all posts before it: in the C
//! library they are read-modify-writes of one word, which continue each other's release sequences. POSIX lists
//! `sem_post`, `sem_wait` and `sem_trywait` among the functions that synchronise memory (Base Definitions, 4.12). A
//! failed trywait and `sem_getvalue` acquire nothing.

use super::Operation;
use super::properties::{Acquires, Description, LifecycleChange, Objects, Releases, none, none_of};
use crate::event::{ByteRange, Footprint, Need, Object, ObjectKind, ThreadId, Touch};

/// The count that an operation finds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Units {
    /// No unit.
    None,
    /// One unit.
    One,
    /// Several units.
    More,
}

/// How far the count that a post finds is from the largest one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Room {
    /// No post that is about to be made can fail.
    Ample,
    /// There is room for this post, but perhaps not for others.
    Scarce,
    /// The count is the largest one: the post fails.
    None,
}

/// An operation on a semaphore.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SemaphoreOperation {
    /// `sem_init`, with the count.
    Init(Object, u32),
    /// `sem_destroy`.
    Destroy(Object),
    /// `sem_wait`, enabled while the count is above zero: `Units::None` only if it is pending.
    Wait {
        /// The semaphore.
        semaphore: Object,
        /// The count before the operation.
        units: Units,
    },
    /// `sem_trywait`, also an expired timed wait. With `Units::None` it fails.
    TryWait {
        /// The semaphore.
        semaphore: Object,
        /// The count before the operation.
        units: Units,
    },
    /// `sem_post`.
    Post {
        /// The semaphore.
        semaphore: Object,
        /// Whether there is room for another unit.
        room: Room,
    },
    /// `sem_getvalue`.
    Count {
        /// The semaphore.
        semaphore: Object,
        /// The count, as far as it concerns others.
        units: Units,
    },
}

use SemaphoreOperation::{Count, Destroy, Init, Post, TryWait, Wait};

impl SemaphoreOperation {
    #[inline]
    fn semaphore(self) -> Object {
        match self {
            Init(semaphore, _)
            | Destroy(semaphore)
            | Wait { semaphore, .. }
            | TryWait { semaphore, .. }
            | Post { semaphore, .. }
            | Count { semaphore, .. } => semaphore,
        }
    }

    #[inline]
    fn touch(self) -> Touch {
        match self {
            Init(_, 0) => Touch::InitEmpty,
            Init(..) | Destroy(_) => Touch::Lifecycle,
            Wait { units: Units::None, .. } => Touch::Await,
            Wait { units: Units::One, .. } => Touch::TakeLast,
            Wait { units: Units::More, .. } => Touch::Take,
            TryWait { units: Units::One, .. } => Touch::TryTakeLast,
            TryWait { units: Units::More, .. } => Touch::TryTake,
            Post { room: Room::Ample, .. } => Touch::Post,
            Post { room: Room::Scarce | Room::None, .. } => Touch::PostNearLimit,
            TryWait { units: Units::None, .. } => Touch::TryFindNone,
            Count { units: Units::None, .. } => Touch::FindNone,
            Count { units: Units::One | Units::More, .. } => Touch::FindSome,
        }
    }
}

impl Description for SemaphoreOperation {
    fn name(self) -> &'static str {
        match self {
            Init(..) => "init semaphore",
            Destroy(_) => "destroy semaphore",
            Wait { .. } => "wait for unit",
            TryWait { units: Units::None, .. } => "failed trywait",
            TryWait { .. } => "trywait",
            Post { room: Room::None, .. } => "failed post",
            Post { .. } => "post",
            Count { .. } => "get value",
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((self.semaphore(), ObjectKind::Semaphore)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        Footprint::object(self.semaphore(), self.touch())
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            Wait { semaphore, .. } => Need::Unit(semaphore),
            Init(..) | Destroy(_) | TryWait { .. } | Post { .. } | Count { .. } => Need::Nothing,
        }
    }

    #[inline]
    fn lifecycle(self) -> Option<LifecycleChange> {
        match self {
            Init(semaphore, _) => Some(LifecycleChange::Begins(semaphore, ObjectKind::Semaphore)),
            Destroy(semaphore) => Some(LifecycleChange::Ends(semaphore, ObjectKind::Semaphore)),
            Wait { .. } | TryWait { .. } | Post { .. } | Count { .. } => None,
        }
    }

    #[inline]
    fn ends_hold(self) -> bool {
        match self {
            Post { .. } => true,
            Init(..) | Destroy(_) | Wait { .. } | TryWait { .. } | Count { .. } => false,
        }
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            Wait { semaphore, units: Units::One | Units::More }
            | TryWait { semaphore, units: Units::One | Units::More } => Acquires::Object(semaphore),
            Init(..)
            | Destroy(_)
            | Wait { units: Units::None, .. }
            | TryWait { units: Units::None, .. }
            | Post { .. }
            | Count { .. } => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self {
            Init(semaphore, _) => Releases::Forgets(semaphore, None),
            Post { semaphore, room: Room::Ample | Room::Scarce } => Releases::Object(semaphore),
            Destroy(_) | Wait { .. } | TryWait { .. } | Post { room: Room::None, .. } | Count { .. } => {
                Releases::Nothing
            }
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            Wait { .. } | TryWait { .. } | Post { .. } | Count { .. } => true,
            Init(..) | Destroy(_) => false,
        }
    }

    /// A trywait succeeds if it takes a unit, `sem_getvalue` if there is one, a post if there is room.
    #[inline]
    fn succeeded(self) -> Option<bool> {
        match self {
            TryWait { units, .. } | Count { units, .. } => Some(units != Units::None),
            Post { room, .. } => Some(room != Room::None),
            Init(..) | Destroy(_) | Wait { .. } => None,
        }
    }

    #[inline]
    fn is_failed_lock(self) -> bool {
        match self {
            TryWait { units, .. } => units == Units::None,
            Init(..) | Destroy(_) | Wait { .. } | Post { .. } | Count { .. } => false,
        }
    }

    /// A failed post learns of the posts of others.
    #[inline]
    fn is_unordered_look(self) -> bool {
        match self {
            Count { .. } | Post { room: Room::None, .. } => true,
            Init(..) | Destroy(_) | Wait { .. } | TryWait { .. } | Post { .. } => false,
        }
    }

    fn with_full_effect(self) -> Operation {
        Operation::Semaphore(match self {
            TryWait { semaphore, .. } => TryWait { semaphore, units: Units::More },
            Wait { semaphore, .. } => Wait { semaphore, units: Units::More },
            Post { semaphore, .. } => Post { semaphore, room: Room::Scarce },
            Init(..) | Destroy(_) | Count { .. } => self,
        })
    }

    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Self {
        let semaphore = object(self.semaphore());
        match self {
            Init(_, count) => Init(semaphore, count),
            Destroy(_) => Destroy(semaphore),
            Wait { units, .. } => Wait { semaphore, units },
            TryWait { units, .. } => TryWait { semaphore, units },
            Post { room, .. } => Post { semaphore, room },
            Count { units, .. } => Count { semaphore, units },
        }
    }

    // They access no memory of the program, name and wake no thread, are no part of a wait for a signal, and hold
    // nothing: any thread may post. A post does not go first, as a trywait and `sem_getvalue` depend on it.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { access memory_order is_relaxed hold wait expiry signals woken choice_kind creates joins detaches handle cancels }
    none! { starts_timer }
    none! { gives_way goes_first is_idle rests exits ends_process }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }
}
