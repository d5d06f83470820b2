//! Operations on condition variables, and what wakes those who wait for a futex word.
//!
//! Waking the waiters of a futex word is a signal, a broadcast or a wake of some at the word's queue
//! ([`Object::futex`]), and so is moving them; what else there is to a futex is in [`super::futex`].

use super::choice::ChoiceKind;
use super::properties::{AccessMode, Acquires, Description, LifecycleChange, Objects, Releases, none, none_of};
use super::queues::{AliasNumber, Finds, Mutexes};
use super::requeued::Requeued;
use super::wait::{Wait, WaitStep};
use super::{FutexOperation, MutexOperation, Operation};
use crate::event::{
    ALL_THREADS, ByteRange, Footprint, HoldChange, Need, Object, ObjectKind, ThreadId, ThreadNumber, ThreadSet, Touch,
};

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
        /// With how many mutexes the program waits there.
        mutexes: Mutexes,
    },
    /// A waiter leaves without a signal: a timed wait expires, or a spurious wake-up.
    WaitExpire {
        /// The condition variable.
        cond: Object,
        /// The mutex to be taken again.
        mutex: Object,
        /// With how many mutexes the program waits there.
        mutexes: Mutexes,
    },
    /// Last half of a wait: takes the mutex again. Enabled, like a lock, while the mutex is free; its
    /// [`Event::enabled_by`](crate::event::Event::enabled_by) is the signal, broadcast or expiry that ended the wait.
    WaitReacquire {
        /// The condition variable.
        cond: Object,
        /// The mutex taken.
        mutex: Object,
        /// With how many mutexes the program waits there.
        mutexes: Mutexes,
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
    /// Wakes `most` of those who wait for a futex word, or all if they are fewer. Which ones is the event's choice.
    WakeSome {
        /// The queue of the futex word.
        queue: Object,
        /// The waiters woken.
        woken: ThreadSet,
        /// How many are woken at most.
        #[cfg_attr(feature = "serde", serde(with = "crate::event::thread::serial::count"))]
        most: ThreadNumber,
        /// Which waiters can be woken.
        finds: Finds,
    },
    /// Compares a futex word, if it is to; wakes some of its waiters and moves others to the waiters of another word.
    /// Which ones is the event's choice.
    Requeue {
        /// The words, and what has come of it.
        words: Requeued,
        /// The alias by which a search sees the bytes of the word, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
    },
}

impl CondOperation {
    /// A wake of at most `most` of those who wait for a futex word.
    pub fn wake(queue: Object, most: ThreadNumber, finds: Finds) -> Self {
        let woken = ThreadSet::EMPTY;
        match most {
            1 if !finds.selects() => CondOperation::Signal { cond: queue, woken: None },
            ALL_THREADS.. if !finds.selects() => CondOperation::Broadcast { cond: queue, woken },
            _ => CondOperation::WakeSome { queue, woken, most, finds },
        }
    }

    /// A request to move waiters of a futex word to another one.
    pub fn requeue(word: Object, to: Object, compares: bool) -> Self {
        CondOperation::Requeue { words: Requeued::of(word, to, compares), alias: None }
    }
}

impl Operation {
    /// For a requeue: the other word, which waiter was woken, and how many were moved.
    pub fn requeued(&self) -> Option<Requeued> {
        let Operation::Cond(CondOperation::Requeue { words, .. }) = *self else { return None };
        Some(words)
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
            CondOperation::WakeSome { finds: Finds::All, .. } => "futex wake of some",
            CondOperation::WakeSome { finds: Finds::ByBits, .. } => "futex wake by bits",
            CondOperation::WakeSome { finds: Finds::ByWord, most: 1, .. } => "futex wake of one",
            CondOperation::WakeSome { finds: Finds::ByWord, most: ALL_THREADS.., .. } => "futex wake of all",
            CondOperation::WakeSome { finds: Finds::ByWord, .. } => "futex wake of some",
            CondOperation::Requeue { .. } => "futex requeue of",
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
            CondOperation::Requeue { words, .. } => {
                [words.from(), words.to()].map(|word| Some((Object::futex(word.0), ObjectKind::Futex)))
            }
            CondOperation::WaitRelease { cond, mutex, .. }
            | CondOperation::WaitExpire { cond, mutex, .. }
            | CondOperation::WaitReacquire { cond, mutex, .. } => {
                [Some((cond, ObjectKind::Condition)), Some((mutex, ObjectKind::Mutex))]
            }
        }
    }

    #[inline]
    fn footprint(self) -> Footprint {
        match self {
            CondOperation::Init(cond) | CondOperation::Destroy(cond) => Footprint::object(cond, Touch::Lifecycle),
            CondOperation::WaitRelease { cond, mutex, mutexes } => {
                Footprint::objects((cond, mutexes.enqueue()), (mutex, Touch::Release))
            }
            CondOperation::WaitExpire { cond, mutexes, .. } => Footprint::object(cond, mutexes.dequeue()),
            CondOperation::WaitReacquire { mutex, .. } => Footprint::object(mutex, Touch::Acquire),
            CondOperation::Signal { cond, .. } | CondOperation::Broadcast { cond, .. } => {
                Footprint::object(cond, Touch::of_wake(!self.woken().is_empty()))
            }
            CondOperation::WakeSome { queue, woken, finds: Finds::All, .. } => {
                Footprint::object(queue, Touch::of_wake(!woken.is_empty()))
            }
            CondOperation::WakeSome { queue, finds, .. } => {
                Footprint::object(finds.queues().seen(queue), Touch::WakeSelected)
            }
            CondOperation::Requeue { words, alias } => {
                let queues = Footprint::object(Object::ALL_FUTEXES, Touch::WakeSelected);
                let looks = || Footprint::bytes(FutexOperation::seen(words.from(), alias), Touch::Read);
                if words.compares() { looks().and(queues) } else { queues }
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
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => Need::Nothing,
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
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => None,
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
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => None,
        }
    }

    #[inline]
    fn wait(self) -> Option<Wait> {
        match self {
            CondOperation::WaitRelease { cond, mutex, mutexes } => {
                Some(Wait { step: WaitStep::Begin, cond, mutex: Some(mutex), mutexes })
            }
            CondOperation::WaitExpire { cond, mutex, mutexes } => {
                Some(Wait { step: WaitStep::Expire, cond, mutex: Some(mutex), mutexes })
            }
            CondOperation::WaitReacquire { cond, mutex, mutexes } => {
                Some(Wait { step: WaitStep::End, cond, mutex: Some(mutex), mutexes })
            }
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => None,
        }
    }

    fn expiry(self) -> Option<Operation> {
        match self {
            CondOperation::WaitRelease { cond, mutex, mutexes } => {
                Some(Operation::Cond(CondOperation::WaitExpire { cond, mutex, mutexes }))
            }
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => None,
        }
    }

    #[inline]
    fn signals(self) -> Option<Object> {
        match self {
            CondOperation::Signal { cond, .. } | CondOperation::Broadcast { cond, .. } => Some(cond),
            CondOperation::WakeSome { queue, .. } => Some(queue),
            CondOperation::Requeue { words, .. } => Some(Object::futex(words.from().0)),
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
            CondOperation::Requeue { words, .. } => words.woken(),
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
            CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => true,
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
            CondOperation::WakeSome { queue, most, finds: Finds::All, .. } => ChoiceKind::Waiters(queue, most),
            CondOperation::WakeSome { queue, most, .. } => ChoiceKind::SelectedWaiters(queue, most),
            CondOperation::Requeue { words, .. } => ChoiceKind::Requeued(Object::futex(words.from().0)),
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Broadcast { .. } => ChoiceKind::None,
            CondOperation::WaitExpire { .. } => ChoiceKind::WaitEnd,
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
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => Acquires::Nothing,
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
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => Releases::Nothing,
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
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => false,
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
            | CondOperation::WakeSome { .. }
            | CondOperation::Requeue { .. } => false,
        }
    }

    /// A signal that wakes a thread stands for a broadcast that does, a lock for the end of a wait: they are in
    /// conflict with the same operations.
    fn with_full_effect(self) -> Operation {
        match self {
            CondOperation::Signal { cond, .. } | CondOperation::Broadcast { cond, .. } => {
                Operation::Cond(CondOperation::Signal { cond, woken: Some(ThreadId::MAIN) })
            }
            CondOperation::WakeSome { queue, finds: Finds::All | Finds::ByBits, .. } => {
                Operation::Cond(CondOperation::Signal { cond: queue, woken: Some(ThreadId::MAIN) })
            }
            CondOperation::WaitReacquire { mutex, .. } => Operation::Mutex(MutexOperation::Lock(mutex)),
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WakeSome { finds: Finds::ByWord, .. }
            | CondOperation::Requeue { .. } => Operation::Cond(self),
        }
    }

    fn renamed(self, thread: impl Fn(ThreadId) -> ThreadId) -> Self {
        match self {
            CondOperation::Signal { cond, woken } => CondOperation::Signal { cond, woken: woken.map(thread) },
            CondOperation::Broadcast { cond, woken } => {
                CondOperation::Broadcast { cond, woken: woken.iter().map(thread).collect() }
            }
            CondOperation::WakeSome { queue, woken, most, finds } => {
                CondOperation::WakeSome { queue, woken: woken.iter().map(thread).collect(), most, finds }
            }
            CondOperation::Requeue { words, alias } => {
                let woken = words.woken().iter().map(thread).collect();
                CondOperation::Requeue { words: words.with_woken(woken), alias }
            }
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. } => self,
        }
    }

    fn relocated(self, bytes: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Self {
        let moved = |word: Object| Object(bytes(FutexOperation::bytes_of(word)).start);
        match self {
            CondOperation::Init(cond) => CondOperation::Init(object(cond)),
            CondOperation::Destroy(cond) => CondOperation::Destroy(object(cond)),
            CondOperation::WaitRelease { cond, mutex, mutexes } => {
                CondOperation::WaitRelease { cond: object(cond), mutex: object(mutex), mutexes }
            }
            CondOperation::WaitExpire { cond, mutex, mutexes } => {
                CondOperation::WaitExpire { cond: object(cond), mutex: object(mutex), mutexes }
            }
            CondOperation::WaitReacquire { cond, mutex, mutexes } => {
                CondOperation::WaitReacquire { cond: object(cond), mutex: object(mutex), mutexes }
            }
            CondOperation::Signal { cond, woken } => CondOperation::Signal { cond: object(cond), woken },
            CondOperation::Broadcast { cond, woken } => CondOperation::Broadcast { cond: object(cond), woken },
            CondOperation::WakeSome { queue, woken, most, finds } => {
                CondOperation::WakeSome { queue: object(queue), woken, most, finds }
            }
            CondOperation::Requeue { words, alias } => {
                CondOperation::Requeue { words: words.at(moved(words.from()), moved(words.to())), alias }
            }
        }
    }

    /// The reading of a word that is compared is an atomic access.
    #[inline]
    fn access(self) -> Option<(ByteRange, AccessMode)> {
        match self {
            CondOperation::Requeue { words, alias } => {
                words.compares().then(|| (FutexOperation::seen(words.from(), alias), AccessMode::AtomicRead))
            }
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => None,
        }
    }

    #[inline]
    fn is_relaxed(self) -> bool {
        self.access().is_some()
    }

    // They write no memory of the program, cannot fail, and create, join or end no thread. That a wait releases the
    // mutex counts as a race with the operation that takes it next, unlike an unlock.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { memory_order ends_hold is_failed_lock succeeded creates starts_timer joins detaches handle cancels }
    none! { goes_first is_idle exits ends_process is_unordered_look }

    fn seen_at(self, bytes: ByteRange) -> Self {
        match self {
            CondOperation::Requeue { words, .. } => CondOperation::Requeue { words, alias: AliasNumber::of(bytes) },
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. }
            | CondOperation::Signal { .. }
            | CondOperation::Broadcast { .. }
            | CondOperation::WakeSome { .. } => self,
        }
    }
}
