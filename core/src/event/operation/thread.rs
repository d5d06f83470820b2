//! Creation, end, join and detachment of threads.

use super::Operation;
use super::properties::{Acquires, Description, Releases, none, none_of};
use crate::event::{ByteRange, Footprint, Need, Object, ThreadId, Touch};

/// What a thread does to threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ThreadOperation {
    /// `pthread_create`. The child's steps before its first visible operation belong to this transition.
    Create(ThreadId),
    /// A timer is started: its expiry is the operation of a thread of its own (S22), which nobody can join.
    StartTimer(ThreadId),
    /// The end of a thread other than by ending the process. Names the thread, which is the running one, if handles of
    /// detached threads are used in the program, as far as the search knows ([`Handle`](super::Handle)).
    Exit(Option<ThreadId>),
    /// `pthread_join`, enabled when the thread has ended.
    Join(ThreadId),
    /// `pthread_detach`.
    Detach(ThreadId),
}

impl Description for ThreadOperation {
    fn name(self) -> &'static str {
        match self {
            ThreadOperation::Create(_) => "create",
            ThreadOperation::StartTimer(_) => "start a timer as",
            ThreadOperation::Exit(_) => "thread ends",
            ThreadOperation::Join(_) => "join",
            ThreadOperation::Detach(_) => "detach",
        }
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            ThreadOperation::Join(thread) => Need::EndOf(thread),
            ThreadOperation::Create(_)
            | ThreadOperation::StartTimer(_)
            | ThreadOperation::Exit(_)
            | ThreadOperation::Detach(_) => Need::Nothing,
        }
    }

    #[inline]
    fn creates(self) -> Option<ThreadId> {
        match self {
            ThreadOperation::Create(thread) | ThreadOperation::StartTimer(thread) => Some(thread),
            ThreadOperation::Exit(_) | ThreadOperation::Join(_) | ThreadOperation::Detach(_) => None,
        }
    }

    #[inline]
    fn starts_timer(self) -> bool {
        match self {
            ThreadOperation::StartTimer(_) => true,
            ThreadOperation::Create(_)
            | ThreadOperation::Exit(_)
            | ThreadOperation::Join(_)
            | ThreadOperation::Detach(_) => false,
        }
    }

    #[inline]
    fn joins(self) -> Option<ThreadId> {
        match self {
            ThreadOperation::Join(thread) => Some(thread),
            ThreadOperation::Create(_)
            | ThreadOperation::StartTimer(_)
            | ThreadOperation::Exit(_)
            | ThreadOperation::Detach(_) => None,
        }
    }

    #[inline]
    fn detaches(self) -> Option<ThreadId> {
        match self {
            ThreadOperation::Detach(thread) => Some(thread),
            ThreadOperation::Create(_)
            | ThreadOperation::StartTimer(_)
            | ThreadOperation::Exit(_)
            | ThreadOperation::Join(_) => None,
        }
    }

    #[inline]
    fn exits(self) -> bool {
        match self {
            ThreadOperation::Exit(_) => true,
            ThreadOperation::Create(_)
            | ThreadOperation::StartTimer(_)
            | ThreadOperation::Join(_)
            | ThreadOperation::Detach(_) => false,
        }
    }

    #[inline]
    fn rests(self) -> bool {
        self.exits()
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            ThreadOperation::Join(thread) => Acquires::Thread(thread),
            ThreadOperation::Create(_)
            | ThreadOperation::StartTimer(_)
            | ThreadOperation::Exit(_)
            | ThreadOperation::Detach(_) => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self {
            ThreadOperation::Create(thread) | ThreadOperation::StartTimer(thread) => Releases::Thread(thread),
            ThreadOperation::Exit(_) | ThreadOperation::Join(_) | ThreadOperation::Detach(_) => Releases::Nothing,
        }
    }

    #[inline]
    fn goes_first(self) -> bool {
        match self {
            ThreadOperation::Create(_)
            | ThreadOperation::StartTimer(_)
            | ThreadOperation::Exit(_)
            | ThreadOperation::Join(_) => true,
            ThreadOperation::Detach(_) => false,
        }
    }

    fn renamed(self, thread: impl Fn(ThreadId) -> ThreadId) -> Self {
        match self {
            ThreadOperation::Create(other) => ThreadOperation::Create(thread(other)),
            ThreadOperation::StartTimer(other) => ThreadOperation::StartTimer(thread(other)),
            ThreadOperation::Exit(own) => ThreadOperation::Exit(own.map(thread)),
            ThreadOperation::Join(other) => ThreadOperation::Join(thread(other)),
            ThreadOperation::Detach(other) => ThreadOperation::Detach(thread(other)),
        }
    }

    /// A thread is joined or detached once, so the order decides which of two such operations is the misuse. What a
    /// join waits for is an enabling edge ([`Event::enabled_by`](crate::event::Event::enabled_by)). The end of a thread
    /// concerns those who use its handle after it was detached ([`Handle`](super::Handle)).
    #[inline]
    fn footprint(self) -> Footprint {
        match self {
            ThreadOperation::Create(_) | ThreadOperation::StartTimer(_) | ThreadOperation::Exit(None) => {
                Footprint::none()
            }
            ThreadOperation::Exit(Some(own)) => Footprint::object(Object::claim(own), Touch::End),
            ThreadOperation::Join(thread) | ThreadOperation::Detach(thread) => {
                Footprint::object(Object::claim(thread), Touch::Claim)
            }
        }
    }

    // They access neither memory nor synchronisation objects, and have one outcome.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { access memory_order is_relaxed objects lifecycle hold ends_hold is_failed_lock wait expiry signals woken }
    none! { choice_kind has_outcome succeeded handle cancels gives_way is_idle ends_process is_unordered_look }

    fn with_full_effect(self) -> Operation {
        Operation::Thread(self)
    }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }

    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, _: impl Fn(Object) -> Object) -> Self {
        self
    }
}
