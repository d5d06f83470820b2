//! Operations on condition variables, and what wakes those who wait for a futex word.
//!
//! Waking the waiters of a futex word is a signal, a broadcast or a wake of some at the word's queue
//! ([`Object::futex`]); what else there is to a futex is in [`super::futex`].

use super::choice::ChoiceKind;
use super::properties::{Acquires, Description, LifecycleChange, Objects, Releases, Wait, WaitStep, none, none_of};
use super::{MutexOperation, Operation};
use crate::event::{ByteRange, Footprint, HoldChange, Need, Object, ObjectKind, ThreadId, ThreadSet, Touch};

/// An operation on a condition variable. A wait has two halves, of which the first gives the mutex back and the last
/// takes it again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum CondOperation {
    /// `pthread_cond_init`.
    Init(Object),
    /// `pthread_cond_destroy`.
    Destroy(Object),
    /// First half of a wait: releases the mutex and joins the waiters of the condition variable.
    WaitRelease {
        /// The condition variable.
        cond: Object,
        /// The mutex given up.
        mutex: Object,
    },
    /// A waiter leaves without a signal: a timed wait expires, or a spurious wake-up.
    WaitExpire {
        /// The condition variable.
        cond: Object,
        /// The mutex to be taken again.
        mutex: Object,
    },
    /// Last half of a wait: takes the mutex again. Enabled, like a lock, while the mutex is free; its
    /// [`Event::enabled_by`](crate::event::Event::enabled_by) is the signal, broadcast or expiry that ended the wait.
    WaitReacquire {
        /// The condition variable.
        cond: Object,
        /// The mutex taken.
        mutex: Object,
    },
    /// `pthread_cond_signal`, or waking one who waits for a futex word. Which waiter wakes is the event's choice.
    Signal {
        /// The condition variable, or the queue of the futex word.
        cond: Object,
        /// The waiter woken, if there was one.
        woken: Option<ThreadId>,
    },
    /// `pthread_cond_broadcast`, or waking all who wait for a futex word.
    Broadcast {
        /// The condition variable, or the queue of the futex word.
        cond: Object,
        /// The waiters woken.
        woken: ThreadSet,
    },
    /// Wakes so many of those who wait for a futex word, or all if they are fewer. Which ones is the event's choice.
    WakeSome {
        /// The queue of the futex word.
        queue: Object,
        /// The waiters woken.
        woken: ThreadSet,
        /// How many are woken at most.
        most: u8,
        /// Whether a bitset says which waiters can be woken.
        selects: bool,
    },
}

impl CondOperation {
    /// Wakes at most so many of those who wait for a futex word: of all, or of those that a bitset selects.
    pub fn wake(queue: Object, most: u8, selects: bool) -> Self {
        let woken = ThreadSet::EMPTY;
        match most {
            1 if !selects => CondOperation::Signal { cond: queue, woken: None },
            64.. if !selects => CondOperation::Broadcast { cond: queue, woken },
            _ => CondOperation::WakeSome { queue, woken, most, selects },
        }
    }
}

impl Description for CondOperation {
    fn name(self) -> &'static str {
        match self {
            CondOperation::Init(_) => "init condition",
            CondOperation::Destroy(_) => "destroy condition",
            CondOperation::WaitRelease { .. } => "wait",
            CondOperation::WaitExpire { .. } => "wait ends without signal",
            CondOperation::WaitReacquire { .. } => "wake up, lock",
            CondOperation::Signal { cond, .. } if cond.is_futex() => "futex wake of one",
            CondOperation::Broadcast { cond, .. } if cond.is_futex() => "futex wake of all",
            CondOperation::WakeSome { selects: false, .. } => "futex wake of some",
            CondOperation::WakeSome { selects: true, .. } => "futex wake by bits",
            CondOperation::Signal { .. } => "signal",
            CondOperation::Broadcast { .. } => "broadcast",
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        match self {
            CondOperation::Init(cond) | CondOperation::Destroy(cond) => [Some((cond, ObjectKind::Condition)), None],
            CondOperation::Signal { cond, .. } | CondOperation::Broadcast { cond, .. } => {
                [Some((cond, if cond.is_futex() { ObjectKind::Futex } else { ObjectKind::Condition })), None]
            }
            CondOperation::WakeSome { queue, .. } => [Some((queue, ObjectKind::Futex)), None],
            CondOperation::WaitRelease { cond, mutex }
            | CondOperation::WaitExpire { cond, mutex }
            | CondOperation::WaitReacquire { cond, mutex } => {
                [Some((cond, ObjectKind::Condition)), Some((mutex, ObjectKind::Mutex))]
            }
        }
    }

    #[inline]
    fn footprint(self) -> Footprint {
        match self {
            CondOperation::Init(cond) | CondOperation::Destroy(cond) => Footprint::object(cond, Touch::Lifecycle),
            CondOperation::WaitRelease { cond, mutex } => {
                Footprint::objects((cond, Touch::Enqueue), (mutex, Touch::Release))
            }
            CondOperation::WaitExpire { cond, .. } => Footprint::object(cond, Touch::Dequeue),
            CondOperation::WaitReacquire { mutex, .. } => Footprint::object(mutex, Touch::Acquire),
            CondOperation::Signal { cond, .. } | CondOperation::Broadcast { cond, .. } => {
                Footprint::object(cond, Touch::of_wake(!self.woken().is_empty()))
            }
            CondOperation::WakeSome { queue, selects: true, .. } => Footprint::object(queue, Touch::WakeSelected),
            CondOperation::WakeSome { queue, woken, selects: false, .. } => {
                Footprint::object(queue, Touch::of_wake(!woken.is_empty()))
            }
        }
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            CondOperation::WaitReacquire { mutex, .. } => Need::Mutex(mutex),
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => Need::Nothing,
        }
    }

    #[inline]
    fn lifecycle(self) -> Option<LifecycleChange> {
        match self {
            CondOperation::Init(cond) => Some(LifecycleChange::Begins(cond, ObjectKind::Condition)),
            CondOperation::Destroy(cond) => Some(LifecycleChange::Ends(cond, ObjectKind::Condition)),
            CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => None,
        }
    }

    #[inline]
    fn hold(self) -> Option<(Object, HoldChange)> {
        match self {
            CondOperation::WaitRelease { mutex, .. } => Some((mutex, HoldChange::Gives)),
            CondOperation::WaitReacquire { mutex, .. } => Some((mutex, HoldChange::Takes)),
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitExpire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => None,
        }
    }

    #[inline]
    fn wait(self) -> Option<Wait> {
        match self {
            CondOperation::WaitRelease { cond, mutex } => {
                Some(Wait { step: WaitStep::Begin, cond, mutex: Some(mutex) })
            }
            CondOperation::WaitExpire { cond, mutex } => {
                Some(Wait { step: WaitStep::Expire, cond, mutex: Some(mutex) })
            }
            CondOperation::WaitReacquire { cond, mutex } => {
                Some(Wait { step: WaitStep::End, cond, mutex: Some(mutex) })
            }
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => None,
        }
    }

    fn expiry(self) -> Option<Operation> {
        match self {
            CondOperation::WaitRelease { cond, mutex } => {
                Some(Operation::Cond(CondOperation::WaitExpire { cond, mutex }))
            }
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => None,
        }
    }

    #[inline]
    fn signals(self) -> Option<Object> {
        match self {
            CondOperation::Signal { cond, .. } | CondOperation::Broadcast { cond, .. } => Some(cond),
            CondOperation::WakeSome { queue, .. } => Some(queue),
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. } => None,
        }
    }

    #[inline]
    fn woken(self) -> ThreadSet {
        match self {
            CondOperation::Signal { woken, .. } => woken.map_or(ThreadSet::EMPTY, ThreadSet::only),
            CondOperation::Broadcast { woken, .. } | CondOperation::WakeSome { woken, .. } => woken,
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. } => ThreadSet::EMPTY,
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            CondOperation::Signal { .. } | CondOperation::Broadcast { .. } | CondOperation::WakeSome { .. } => true,
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. } => false,
        }
    }

    #[inline]
    fn choice_kind(self) -> ChoiceKind {
        match self {
            CondOperation::Signal { cond, .. } => ChoiceKind::Waiter(cond),
            CondOperation::WakeSome { queue, most, selects: false, .. } => ChoiceKind::Waiters(queue, most),
            CondOperation::WakeSome { queue, most, selects: true, .. } => ChoiceKind::SelectedWaiters(queue, most),
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Broadcast { .. } => ChoiceKind::None,
        }
    }

    /// The end of a wait synchronizes with the unlocks of its mutex before it; it does not with the signal.
    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            CondOperation::WaitReacquire { mutex, .. } => Acquires::Object(mutex),
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self {
            CondOperation::WaitRelease { mutex, .. } => Releases::Object(mutex),
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => Releases::Nothing,
        }
    }

    #[inline]
    fn gives_way(self) -> bool {
        match self {
            CondOperation::WaitRelease { .. } => true,
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => false,
        }
    }

    /// After the first half of a wait, and after leaving the waiters, the next operation is known: the last half.
    #[inline]
    fn rests(self) -> bool {
        match self {
            CondOperation::WaitRelease { .. } | CondOperation::WaitExpire { .. } => true,
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => false,
        }
    }

    /// A signal that wakes a thread stands for a broadcast that does, a lock for the end of a wait: they are in
    /// conflict with the same operations.
    fn with_full_effect(self) -> Operation {
        match self {
            CondOperation::Signal { cond, .. } | CondOperation::Broadcast { cond, .. } => {
                Operation::Cond(CondOperation::Signal { cond, woken: Some(ThreadId::MAIN) })
            }
            CondOperation::WakeSome { queue, .. } => {
                Operation::Cond(CondOperation::Signal { cond: queue, woken: Some(ThreadId::MAIN) })
            }
            CondOperation::WaitReacquire { mutex, .. } => Operation::Mutex(MutexOperation::Lock(mutex)),
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. } => Operation::Cond(self),
        }
    }

    fn renamed(self, thread: impl Fn(ThreadId) -> ThreadId) -> Self {
        match self {
            CondOperation::Signal { cond, woken } => CondOperation::Signal { cond, woken: woken.map(thread) },
            CondOperation::Broadcast { cond, woken } => {
                CondOperation::Broadcast { cond, woken: woken.iter().map(thread).collect() }
            }
            CondOperation::WakeSome { queue, woken, most, selects } => {
                CondOperation::WakeSome { queue, woken: woken.iter().map(thread).collect(), most, selects }
            }
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. } => self,
        }
    }

    fn relocated(self, _: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Self {
        match self {
            CondOperation::Init(cond) => CondOperation::Init(object(cond)),
            CondOperation::Destroy(cond) => CondOperation::Destroy(object(cond)),
            CondOperation::WaitRelease { cond, mutex } => {
                CondOperation::WaitRelease { cond: object(cond), mutex: object(mutex) }
            }
            CondOperation::WaitExpire { cond, mutex } => {
                CondOperation::WaitExpire { cond: object(cond), mutex: object(mutex) }
            }
            CondOperation::WaitReacquire { cond, mutex } => {
                CondOperation::WaitReacquire { cond: object(cond), mutex: object(mutex) }
            }
            CondOperation::Signal { cond, woken } => CondOperation::Signal { cond: object(cond), woken },
            CondOperation::Broadcast { cond, woken } => CondOperation::Broadcast { cond: object(cond), woken },
            CondOperation::WakeSome { queue, woken, most, selects } => {
                CondOperation::WakeSome { queue: object(queue), woken, most, selects }
            }
        }
    }

    // They access no memory of the program, cannot fail, and create, join or end no thread. That a wait releases the
    // mutex counts as a race with the operation that takes it next, unlike an unlock.
    none! { concerns_signals awaits_signal }
    none! { access memory_order is_relaxed ends_hold is_failed_lock succeeded creates joins detaches cancels }
    none! { goes_first is_idle exits ends_process is_unordered_look }

    fn seen_at(self, _: ByteRange) -> Self {
        self
    }
}
