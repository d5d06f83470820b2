//! The ways to touch a semaphore. Which pairs conflict, and which of these can be reversed, is derived in
//! `event/operation/semaphore.rs`.

use super::Touch;

/// In which way an operation touches a semaphore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SemaphoreTouch {
    /// Initialises it with a count of zero.
    InitEmpty,
    /// Adds a unit.
    Post,
    /// Adds a unit, or fails to, where another post may fail.
    PostNearLimit,
    /// Takes a unit, which it may have had to wait for, and leaves others.
    Take,
    /// The same for the only unit.
    TakeLast,
    /// Waits for a unit at the end of a run.
    Await,
    /// Takes a unit without having had to wait for it, and leaves others (trywait).
    TryTake,
    /// The same for the only unit.
    TryTakeLast,
    /// Looks at a count above zero.
    FindSome,
    /// Looks at a count of zero.
    FindNone,
}

use SemaphoreTouch::*;

impl SemaphoreTouch {
    /// All of them.
    #[cfg(test)]
    pub(super) const ALL: [SemaphoreTouch; 10] =
        [InitEmpty, Post, PostNearLimit, Take, TakeLast, Await, TryTake, TryTakeLast, FindSome, FindNone];

    #[inline]
    pub(super) fn conflicts(self, other: SemaphoreTouch) -> bool {
        match (self, other) {
            (Post, Post) | (FindSome | FindNone, FindSome | FindNone) => false,
            (
                InitEmpty | Post | PostNearLimit | Take | TakeLast | Await | TryTake | TryTakeLast | FindSome
                | FindNone,
                _,
            ) => true,
        }
    }

    #[inline]
    pub(super) fn orders_all(self) -> bool {
        match self {
            InitEmpty | PostNearLimit | Take | TakeLast | Await | TryTake | TryTakeLast => true,
            Post | FindSome | FindNone => false,
        }
    }

    /// Whether it changes whether there is a unit, at most.
    #[inline]
    pub(super) fn changes_count(self) -> bool {
        match self {
            InitEmpty | Post | PostNearLimit | Take | TakeLast | TryTake | TryTakeLast => true,
            Await | FindSome | FindNone => false,
        }
    }

    /// For one that waits: how many units there are, two standing for more.
    #[inline]
    pub(super) fn needed_of(self) -> Option<u8> {
        match self {
            Await => Some(0),
            TakeLast => Some(1),
            Take => Some(2),
            InitEmpty | Post | PostNearLimit | TryTake | TryTakeLast | FindSome | FindNone => None,
        }
    }

    /// Whether there is no unit afterwards.
    #[inline]
    pub(super) fn leaves_none(self) -> bool {
        match self {
            InitEmpty | TakeLast | TryTakeLast | FindNone | Await => true,
            Post | PostNearLimit | Take | TryTake | FindSome => false,
        }
    }

    /// Whether it leaves something behind that whoever comes later follows in time.
    #[inline]
    pub(super) fn is_followed_in_time(self) -> bool {
        match self {
            InitEmpty | Post | PostNearLimit => true,
            Take | TakeLast | Await | TryTake | TryTakeLast | FindSome | FindNone => false,
        }
    }

    /// See [`Touch::before_with_rival`]. Before a post that gave the only unit, a trywait finds none.
    #[inline]
    pub(super) fn before_with_rival(self, earlier: Touch) -> SemaphoreTouch {
        match (self, earlier) {
            (TryTakeLast, Touch::Semaphore(Post | PostNearLimit)) => FindNone,
            (
                InitEmpty | Post | PostNearLimit | Take | TakeLast | Await | TryTake | TryTakeLast | FindSome
                | FindNone,
                _,
            ) => self,
        }
    }

    /// Of an earlier touch: whether an operation that waits could have come just before it, where `units` (two standing
    /// for more) are there after it; and how many were there before it if that is to matter to still earlier ones.
    #[inline]
    pub(super) fn wait_before(self, units: u8) -> (bool, u8) {
        match self {
            Post | PostNearLimit if units < 2 => (false, 0),
            Post | PostNearLimit => (true, units),
            Take | TakeLast | TryTake | TryTakeLast => (true, units),
            FindSome | FindNone | Await => (units > 0, units),
            InitEmpty => (false, 0),
        }
    }
}
