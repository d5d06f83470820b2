//! Operations on barriers.
//!
//! A wait at a barrier has two halves. A thread *arrives*; the arrival that completes the round enables all threads of
//! the round, and its own thread does not wait. The others *pass*, each enabled by that arrival.
//!
//! # Dependence
//! Two arrivals at a barrier are dependent: their order decides which of them completes the round, so which thread is
//! the serial one by its result, and, where more threads use the barrier than its count, who belongs to which round.
//! Each of them can be reversed with the next one, as an arrival never waits. A pass depends on nothing but the arrival
//! that enabled it, an enabling edge.
//!
//! The serial thread is the one that completes the round, as in the C library. POSIX leaves open which thread of the
//! round it is. As all orders of arrival are explored, and a thread of the round does nothing between its arrival and
//! its pass that others could see, each thread of a round is the serial one in some execution.
//!
//! # Happens-before of C11
//! Everything before an arrival of a round happens before everything after a pass of that round (POSIX lists
//! `pthread_barrier_wait` among the functions that synchronise memory). The arrival that completes the round acquires
//! the earlier ones of the round, and each pass acquires the arrival that enabled it. Nothing else is ordered: where
//! more threads use the barrier than a round takes, a thread may pass long after later rounds were completed, and a
//! later round may be that of other threads.

use super::Operation;
use super::properties::{Acquires, Description, LifecycleChange, Objects, Releases, none, none_of};
use crate::event::{ByteRange, Footprint, Need, Object, ObjectKind, ThreadId, Touch};

/// An operation on a barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BarrierOperation {
    /// `pthread_barrier_init`, with how many threads a round takes.
    Init(Object, u32),
    /// `pthread_barrier_destroy`.
    Destroy(Object),
    /// First half of `pthread_barrier_wait`.
    Arrive {
        /// The barrier.
        barrier: Object,
        /// Whether it completes the round.
        last: bool,
    },
    /// Last half of `pthread_barrier_wait`, of a thread that did not complete the round. Its
    /// [`Event::enabled_by`](crate::event::Event::enabled_by) is the arrival that did.
    Pass(Object),
}

use BarrierOperation::{Arrive, Destroy, Init, Pass};

impl BarrierOperation {
    #[inline]
    fn barrier(self) -> Object {
        match self {
            Init(barrier, _) | Destroy(barrier) | Arrive { barrier, .. } | Pass(barrier) => barrier,
        }
    }
}

impl Description for BarrierOperation {
    fn name(self) -> &'static str {
        match self {
            Init(..) => "init barrier",
            Destroy(_) => "destroy barrier",
            Arrive { last: false, .. } => "arrive",
            Arrive { last: true, .. } => "arrive last",
            Pass(_) => "pass",
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((self.barrier(), ObjectKind::Barrier)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        match self {
            Init(barrier, _) | Destroy(barrier) => Footprint::object(barrier, Touch::Lifecycle),
            Arrive { barrier, .. } => Footprint::object(barrier, Touch::Arrive),
            Pass(_) => Footprint::none(),
        }
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            Pass(barrier) => Need::Round(barrier),
            Init(..) | Destroy(_) | Arrive { .. } => Need::Nothing,
        }
    }

    #[inline]
    fn lifecycle(self) -> Option<LifecycleChange> {
        match self {
            Init(barrier, _) => Some(LifecycleChange::Begins(barrier, ObjectKind::Barrier)),
            Destroy(barrier) => Some(LifecycleChange::Ends(barrier, ObjectKind::Barrier)),
            Arrive { .. } | Pass(_) => None,
        }
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            Arrive { barrier, last: true, .. } => Acquires::Object(barrier),
            Pass(_) => Acquires::Enabling,
            Init(..) | Destroy(_) | Arrive { last: false, .. } => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self {
            Init(barrier, _) => Releases::Forgets(barrier, None),
            Arrive { barrier, last: false, .. } => Releases::Object(barrier),
            Arrive { barrier, last: true } => Releases::Enabled { forgets: barrier },
            Destroy(_) | Pass(_) => Releases::Nothing,
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            Arrive { .. } => true,
            Init(..) | Destroy(_) | Pass(_) => false,
        }
    }

    /// An arrival succeeds if it completes the round.
    #[inline]
    fn succeeded(self) -> Option<bool> {
        match self {
            Arrive { last, .. } => Some(last),
            Init(..) | Destroy(_) | Pass(_) => None,
        }
    }

    fn with_full_effect(self) -> Operation {
        Operation::Barrier(self)
    }

    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Self {
        let barrier = object(self.barrier());
        match self {
            Init(_, count) => Init(barrier, count),
            Destroy(_) => Destroy(barrier),
            Arrive { last, .. } => Arrive { barrier, last },
            Pass(_) => Pass(barrier),
        }
    }

    // They access no memory of the program, hold and signal nothing, and name no thread.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { access memory_order is_relaxed hold ends_hold is_failed_lock wait expiry signals woken choice_kind }
    none! { creates joins detaches handle cancels gives_way goes_first is_idle rests exits ends_process is_unordered_look }
    none! { starts_timer }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }
}
