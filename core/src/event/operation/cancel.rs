//! Cancellation of threads.
//!
//! A request is kept until its thread acts on it at a cancellation point. There are two kinds of these:
//!
//! - A call that does not wait, or that tries: it *looks* whether there is a request.
//! - A call that waits: the wait ends by what it waits for, or by a request. At a condition variable, a request lets
//!   the thread leave the waiters, as an expiry does. Anywhere else, which of the two ends the wait is a choice made
//!   when the wait begins, after a look that found no request: the thread then waits for one of them only. Runs in
//!   which it should have chosen the other one end as with a failed assumption ([`PendingStatus::ChosenOtherwise`]);
//!   they show nothing that the run with the other choice does not show. So each operation waits for one thing, and
//!   where both have come to pass, either may end the wait, which POSIX leaves open.
//!
//! # Dependence
//! A request depends on the looks of its thread, and on other requests to the same thread: the first of them is what
//! enables the thread. Each of these pairs can be reversed. To accept a request depends on nothing but the request that
//! enabled it, an enabling edge; so does leaving the waiters of a condition variable, beside what an expiry depends on.
//! A request also uses the handle of the thread ([`Handle`]).
//!
//! # Happens-before of C11
//! POSIX does not list `pthread_cancel` among the functions that synchronise memory, so nothing is ordered.
//!
//! [`PendingStatus::ChosenOtherwise`]: crate::event::PendingStatus::ChosenOtherwise

use super::properties::{Description, Objects, none, none_of};
use super::{Handle, Operation};
use crate::event::{ByteRange, Footprint, Need, Object, ObjectKind, ThreadId, Touch};

/// An operation that concerns the cancellation of a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CancelOperation {
    /// `pthread_cancel` of the thread with this handle.
    Request(Handle),
    /// The running thread, which is this one, finds out whether its cancellation was requested.
    Look {
        /// The thread.
        thread: ThreadId,
        /// Whether its cancellation was requested.
        requested: bool,
    },
    /// The running thread, which is this one, waits for a request.
    Accept(ThreadId),
}

use CancelOperation::{Accept, Look, Request};

impl CancelOperation {
    #[inline]
    fn thread(self) -> ThreadId {
        match self {
            Request(Handle { thread, .. }) | Look { thread, .. } | Accept(thread) => thread,
        }
    }

    #[inline]
    fn object(self) -> Object {
        Object::cancellation(self.thread())
    }
}

impl Description for CancelOperation {
    fn name(self) -> &'static str {
        match self {
            Request(_) => "cancel",
            Look { requested: false, .. } => "not requested yet:",
            Look { requested: true, .. } => "requested:",
            Accept(_) => "accept",
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((self.object(), ObjectKind::Cancellation)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        match self {
            Request(handle) => Footprint::objects((self.object(), Touch::RequestCancellation), handle.touched()),
            Look { .. } => Footprint::object(self.object(), Touch::LookForRequest),
            Accept(_) => Footprint::none(),
        }
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            Accept(thread) => Need::RequestTo(thread),
            Request(_) | Look { .. } => Need::Nothing,
        }
    }

    #[inline]
    fn cancels(self) -> Option<ThreadId> {
        match self {
            Request(handle) => Some(handle.thread),
            Look { .. } | Accept(_) => None,
        }
    }

    #[inline]
    fn handle(self) -> Option<Handle> {
        match self {
            Request(handle) => Some(handle),
            Look { .. } | Accept(_) => None,
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            Look { .. } => true,
            Request(_) | Accept(_) => false,
        }
    }

    /// A look succeeds if there is a request.
    #[inline]
    fn succeeded(self) -> Option<bool> {
        match self {
            Look { requested, .. } => Some(requested),
            Request(_) | Accept(_) => None,
        }
    }

    fn with_full_effect(self) -> Operation {
        Operation::Cancel(self)
    }

    fn renamed(self, thread: impl Fn(ThreadId) -> ThreadId) -> Self {
        match self {
            Request(handle) => Request(handle.renamed(thread)),
            Look { thread: other, requested } => Look { thread: thread(other), requested },
            Accept(other) => Accept(thread(other)),
        }
    }

    // They access no memory of the program, and nothing is held, signalled, ordered by C11 or ended by them.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { access memory_order is_relaxed lifecycle hold ends_hold is_failed_lock wait expiry signals woken choice_kind }
    none! { acquires releases creates joins detaches gives_way goes_first is_idle rests exits ends_process }
    none! { starts_timer }
    none! { is_unordered_look }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }

    /// The object is named by the thread.
    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, _: impl Fn(Object) -> Object) -> Self {
        self
    }
}
