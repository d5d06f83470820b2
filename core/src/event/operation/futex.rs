//! Waits for futex words.
//!
//! # The pairs
//! A wait reads its word, atomically, and, if the word has the expected value, joins the waiters in the same step. Who
//! waits is in a *queue*, an object of its own beside the word ([`Object::futex`]), so that an access to the word and a
//! wake of its waiters are independent, as they are in the kernel. On the word a wait is a read; on the queue
//! waits, expiries and wakes are dependent as at a condition variable, and a wake is an operation of that group
//! ([`CondOperation`](super::CondOperation)).
//!
//! | | write of the word | wait | expiry | wake that finds waiters | wake that finds none |
//! |---|---|---|---|---|---|
//! | wait | dependent | | | dependent | dependent |
//! | expiry | | | | dependent | dependent |
//! | wake that finds waiters | | dependent | dependent | dependent | dependent |
//! | wake that finds none | | dependent | dependent | dependent | |
//!
//! A wake that a bitset restricts is dependent with all of them, other wakes included: whom it finds depends on the
//! bits of those who wait, so that what is true of wakes that find nobody is not true of it.
//!
//! All dependent pairs are reversible. The end of a wait touches nothing: the wake that made it possible is its
//! enabling edge.
//!
//! A wait that finds another value than expected only reads the word, and is dependent with wakes all the same. What it
//! finds is decided by writes of the word, and these are independent of wakes: if the footprint followed the outcome,
//! whether a wait is dependent with a wake would be decided by an event that is dependent with only one of them, which
//! a search that finds races in one path at a time cannot take into account. This gives up some reduction: such a wait
//! and a wake are explored in both orders.
//!
//! # Moving waiters
//! A requeue compares a word, unless it is the kind that does not, wakes a waiter of it and moves others to those of
//! another word, in one step: three objects, of which an operation has room for two. In a program that moves waiters, a
//! search sees one queue in place of all ([`Queues::Common`]). Waits and expiries touch that queue, and a wake or a
//! requeue is dependent with all of them and with each other, as a wake by bits is, since whom it finds depends on who
//! waits for which word. The run knows who waits for which word all the same. This gives up reduction between the words
//! of such a program. A step of a waiter that was moved names the word for which it has begun to wait.
//!
//! # Waiting for several words
//! A thread that waits for several words *joins* the waiters of one after the other, each after a comparison, *rests*
//! until it was woken at one of them, and *leaves* one after the other, finding out at each whether it was woken there:
//! so does the kernel, and wakes come between these steps. A join touches its word and its queue as a wait does, and a
//! leave the queue as an expiry does. A rest touches nothing: the first wake is its enabling edge. So that the first
//! one is the same in all executions of a trace, the wakes have to be ordered, and all queues are one as where waiters
//! are moved.
//!
//! # Locks with priority inheritance
//! The word of such a lock holds the number of its owner, and a bit that says that others wait. A *lock* writes the
//! word and, if the lock has an owner, joins the waiters in the same step; a thread that has joined rests. An *unlock*
//! hands the lock over to a waiter and writes the word in the same step. The rest's enabling edge is the unlock. A
//! thread that waits only for some time leaves instead of resting, and finds out whether the lock was handed over. On
//! the word, locks and unlocks are writes, whatever comes of them; on the queue a lock is a join, and an unlock is
//! dependent with all as a wake by bits is.
//!
//! # Happens-before of C11
//! There is none by waits and wakes. C11 does not know futexes; what orders the data of the threads is what they do to
//! the word by atomic accesses of their own. The wait's own reading of the word is a relaxed atomic access.
//!
//! Locks with priority inheritance order the data: a thread that was handed one makes no access of its own to the word.
//! A lock that takes the word acquires and releases as an atomic read-modify-write does, and one that joins the waiters
//! is a relaxed one. An unlock releases, and the rest, or the leave of a thread that was handed the lock, acquires what
//! the word holds.

use super::Operation;
use super::choice::ChoiceKind;
use super::properties::{AccessMode, Acquires, Description, MemoryOrder, Objects, Releases, none, none_of};
use super::queues::{AliasNumber, Mutexes, Ownership, Queues};
use super::wait::{Wait, WaitStep};
use crate::event::{ByteRange, Footprint, Need, Object, ObjectKind, ThreadId, ThreadSet, Touch};

/// A step of a wait for a futex word of four bytes, or of a lock that is one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FutexOperation {
    /// Compares the word with the expected value and, if they are equal, joins the waiters.
    Wait {
        /// The word.
        word: Object,
        /// Whether the thread waits now. If not, the call returns at once.
        queued: bool,
        /// The alias by which a search sees the bytes of the word, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
        /// What the search sees of the queue.
        queues: Queues,
    },
    /// A waiter goes on without a wake: the wait expires, or a spurious wake-up.
    Expire {
        /// The word.
        word: Object,
        /// What the search sees of the queue.
        queues: Queues,
    },
    /// A waiter goes on; its [`Event::enabled_by`](crate::event::Event::enabled_by) is what woke it.
    Resume {
        /// The word.
        word: Object,
    },
    /// Compares one of several words with the expected value and, if they are equal, joins the waiters.
    Join {
        /// The word.
        word: Object,
        /// Whether the thread is among the waiters now.
        joined: bool,
        /// The alias by which a search sees the bytes of the word, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
        /// What the search sees of the queue.
        queues: Queues,
    },
    /// Waits until the thread was woken at a word whose waiters it has joined.
    Rest {
        /// The word, or the first one.
        word: Object,
        /// Whether the word is a lock, which the thread owns then.
        owns: bool,
    },
    /// Leaves the waiters of a word, if the thread was not woken there.
    Leave {
        /// The word.
        word: Object,
        /// Whether the thread was woken there.
        woken: bool,
        /// Whether the word is a lock, which the thread owns if so.
        owns: bool,
        /// What the search sees of the queue.
        queues: Queues,
    },
    /// Takes a lock with priority inheritance, or joins its waiters. The thread itself writes the word.
    Lock {
        /// The word.
        word: Object,
        /// Whose the lock was.
        found: Ownership,
        /// The alias by which a search sees the bytes of the word, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
        /// What the search sees of the queue.
        queues: Queues,
    },
    /// Hands such a lock over to a waiter, or gives it back. Which waiter is the event's choice. The thread itself
    /// writes the word.
    Unlock {
        /// The word.
        word: Object,
        /// The new owner, if there is one.
        woken: Option<ThreadId>,
        /// Whether the lock was the thread's own. If not, nothing was done.
        owned: bool,
        /// The alias by which a search sees the bytes of the word, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
        /// What the search sees of the queue.
        queues: Queues,
    },
}

use FutexOperation::{Expire, Join, Leave, Lock, Rest, Resume, Unlock};

impl FutexOperation {
    fn word(self) -> Object {
        match self {
            FutexOperation::Wait { word, .. }
            | Expire { word, .. }
            | Resume { word }
            | Join { word, .. }
            | Rest { word, .. }
            | Leave { word, .. }
            | Lock { word, .. }
            | Unlock { word, .. } => word,
        }
    }

    fn queue(self) -> Object {
        Object::futex(self.word().0)
    }

    /// The word, as a search sees it.
    fn bytes(self) -> ByteRange {
        match self {
            FutexOperation::Wait { word, alias, .. }
            | Join { word, alias, .. }
            | Lock { word, alias, .. }
            | Unlock { word, alias, .. } => Self::seen(word, alias),
            Expire { word, .. } | Resume { word } | Rest { word, .. } | Leave { word, .. } => Self::bytes_of(word),
        }
    }

    /// To whom an unlock hands the lock, if it is an unlock and there is a waiter.
    #[inline]
    fn handed(self) -> Option<Option<ThreadId>> {
        match self {
            Unlock { woken, .. } => Some(woken),
            FutexOperation::Wait { .. }
            | Expire { .. }
            | Resume { .. }
            | Join { .. }
            | Rest { .. }
            | Leave { .. }
            | Lock { .. } => None,
        }
    }

    /// A step that a search sees in this queue.
    fn in_queue(self, queues: Queues, touch: Touch) -> Footprint {
        Footprint::object(queues.seen(self.queue()), touch)
    }

    /// The bytes as which a search sees a word.
    pub(super) fn seen(word: Object, alias: Option<AliasNumber>) -> ByteRange {
        AliasNumber::seen(alias, Self::bytes_of(word))
    }

    /// The bytes of the word at an address.
    pub fn bytes_of(word: Object) -> ByteRange {
        ByteRange { start: word.0, len: 4 }
    }
}

impl Operation {
    /// A step that ends a wait for a futex word, as one of a wait for `word`, to which its thread was moved. Every
    /// other operation is returned unchanged.
    pub(crate) fn moved_to(&self, word: Object) -> Operation {
        let Operation::Futex(operation) = *self else { return *self };
        Operation::Futex(match operation {
            Expire { queues, .. } => Expire { word, queues },
            Resume { .. } => Resume { word },
            FutexOperation::Wait { .. } | Join { .. } | Rest { .. } | Leave { .. } | Lock { .. } | Unlock { .. } => {
                operation
            }
        })
    }
}

impl Description for FutexOperation {
    fn name(self) -> &'static str {
        match self {
            FutexOperation::Wait { queued: true, .. } => "futex wait on",
            FutexOperation::Wait { queued: false, .. } => "futex wait, not as expected,",
            Expire { .. } => "futex wait ends without wake",
            Resume { .. } => "woken from futex wait on",
            Join { joined: true, .. } => "futex wait, among others, on",
            Join { joined: false, .. } => "futex wait, among others, not as expected,",
            Rest { owns: false, .. } => "woken from futex wait, among others, on",
            Rest { owns: true, .. } => "owns futex lock",
            Leave { woken: true, .. } => "futex wait was woken at",
            Leave { woken: false, .. } => "futex wait was not woken at",
            Lock { found: Ownership::Free, .. } => "takes futex lock",
            Lock { found: Ownership::Others, .. } => "waits for futex lock",
            Lock { found: Ownership::Own, .. } => "owns already futex lock",
            Unlock { owned: true, woken: None, .. } => "gives back futex lock",
            Unlock { owned: true, woken: Some(_), .. } => "hands over futex lock",
            Unlock { owned: false, .. } => "does not own futex lock",
        }
    }

    #[inline]
    fn access(self) -> Option<(ByteRange, AccessMode)> {
        match self {
            FutexOperation::Wait { .. } | Join { .. } => Some((self.bytes(), AccessMode::AtomicRead)),
            Lock { .. } | Unlock { .. } => Some((self.bytes(), AccessMode::AtomicWrite)),
            Expire { .. } | Resume { .. } | Rest { .. } | Leave { .. } => None,
        }
    }

    /// A lock that joins the waiters learns that the lock has an owner, and goes on after it was handed the lock only,
    /// or leaves.
    fn is_relaxed(self) -> bool {
        match self {
            FutexOperation::Wait { .. } | Join { .. } => true,
            Unlock { owned, .. } => !owned,
            Expire { .. } | Resume { .. } | Rest { .. } | Leave { .. } | Lock { .. } => false,
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((self.queue(), ObjectKind::Futex)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        let of_word = |touch| Footprint::bytes(self.bytes(), touch);
        match self {
            FutexOperation::Wait { queues, .. } | Join { queues, .. } => {
                of_word(Touch::Read).and(self.in_queue(queues, Touch::Enqueue))
            }
            Lock { queues, .. } => of_word(Touch::Write).and(self.in_queue(queues, Touch::Enqueue)),
            Unlock { queues, .. } => of_word(Touch::Write).and(self.in_queue(queues, Touch::WakeSelected)),
            Expire { queues, .. } | Leave { queues, .. } => self.in_queue(queues, Touch::Dequeue),
            Resume { .. } | Rest { .. } => Footprint::none(),
        }
    }

    #[inline]
    fn need(self) -> Need {
        match self {
            Rest { .. } => Need::Wake(self.queue()),
            FutexOperation::Wait { .. }
            | Expire { .. }
            | Resume { .. }
            | Join { .. }
            | Leave { .. }
            | Lock { .. }
            | Unlock { .. } => Need::Nothing,
        }
    }

    /// The steps of a wait for several words, or for a lock, are no such steps: the thread goes on after each of them.
    #[inline]
    fn wait(self) -> Option<Wait> {
        let step = match self {
            FutexOperation::Wait { queued: true, .. } => WaitStep::Begin,
            Expire { .. } => WaitStep::Expire,
            Resume { .. } => WaitStep::End,
            FutexOperation::Wait { queued: false, .. }
            | Join { .. }
            | Rest { .. }
            | Leave { .. }
            | Lock { .. }
            | Unlock { .. } => return None,
        };
        Some(Wait { step, cond: self.queue(), mutex: None, mutexes: Mutexes::One })
    }

    fn expiry(self) -> Option<Operation> {
        match self {
            FutexOperation::Wait { word, queued: true, queues, .. } => Some(Operation::Futex(Expire { word, queues })),
            FutexOperation::Wait { queued: false, .. }
            | Expire { .. }
            | Resume { .. }
            | Join { .. }
            | Rest { .. }
            | Leave { .. }
            | Lock { .. }
            | Unlock { .. } => None,
        }
    }

    #[inline]
    fn signals(self) -> Option<Object> {
        self.handed().map(|_| self.queue())
    }

    #[inline]
    fn woken(self) -> ThreadSet {
        self.handed().flatten().map_or(ThreadSet::EMPTY, ThreadSet::only)
    }

    #[inline]
    fn choice_kind(self) -> ChoiceKind {
        match self {
            Expire { .. } => ChoiceKind::WaitEnd,
            FutexOperation::Wait { .. } | Resume { .. } | Join { .. } | Rest { .. } | Leave { .. } => ChoiceKind::None,
            Lock { .. } | Unlock { .. } => self.handed().map_or(ChoiceKind::None, |_| ChoiceKind::Owner(self.queue())),
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            FutexOperation::Wait { .. } | Join { .. } | Leave { .. } | Lock { .. } | Unlock { .. } => true,
            Expire { .. } | Resume { .. } | Rest { .. } => false,
        }
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            Lock { found: Ownership::Free, .. } => Acquires::Memory(self.bytes(), MemoryOrder::SequentiallyConsistent),
            Rest { owns: true, .. } | Leave { woken: true, owns: true, .. } => {
                Acquires::Memory(self.bytes(), MemoryOrder::Acquire)
            }
            FutexOperation::Wait { .. }
            | Expire { .. }
            | Resume { .. }
            | Join { .. }
            | Rest { owns: false, .. }
            | Leave { .. }
            | Lock { .. }
            | Unlock { .. } => Acquires::Nothing,
        }
    }

    /// A lock that joins the waiters, or an unlock by another thread than the owner, leaves the release sequences as
    /// they are.
    #[inline]
    fn releases(self) -> Releases {
        let order = match self {
            Lock { found: Ownership::Free, .. } | Unlock { owned: true, .. } => MemoryOrder::SequentiallyConsistent,
            Lock { .. } | Unlock { .. } => MemoryOrder::Relaxed,
            FutexOperation::Wait { .. } | Expire { .. } | Resume { .. } | Join { .. } | Rest { .. } | Leave { .. } => {
                return Releases::Nothing;
            }
        };
        Releases::Memory { range: self.bytes(), order, update: true }
    }

    /// From a leave a thread learns whether another one has woken it, without synchronising with that.
    #[inline]
    fn is_unordered_look(self) -> bool {
        match self {
            Leave { .. } => true,
            FutexOperation::Wait { .. }
            | Expire { .. }
            | Resume { .. }
            | Join { .. }
            | Rest { .. }
            | Lock { .. }
            | Unlock { .. } => false,
        }
    }

    /// Also a wait that finds another value than expected, and a lock that is free: whether it is must not decide about
    /// what others cost.
    #[inline]
    fn gives_way(self) -> bool {
        match self {
            FutexOperation::Wait { .. } | Join { .. } | Lock { .. } => true,
            Expire { .. } | Resume { .. } | Rest { .. } | Leave { .. } | Unlock { .. } => false,
        }
    }

    /// Once the thread waits, its next operation is known.
    #[inline]
    fn rests(self) -> bool {
        match self {
            FutexOperation::Wait { queued, .. } => queued,
            Expire { .. } | Resume { .. } | Join { .. } | Rest { .. } | Leave { .. } | Lock { .. } | Unlock { .. } => {
                false
            }
        }
    }

    /// Only a wait that finds another value than expected is in conflict with less.
    fn with_full_effect(self) -> Operation {
        Operation::Futex(match self {
            FutexOperation::Wait { word, alias, queues, .. } => {
                FutexOperation::Wait { word, queued: true, alias, queues }
            }
            Expire { .. } | Resume { .. } | Join { .. } | Rest { .. } | Leave { .. } | Lock { .. } | Unlock { .. } => {
                self
            }
        })
    }

    fn relocated(self, bytes: impl Fn(ByteRange) -> ByteRange, _: impl Fn(Object) -> Object) -> Self {
        let moved = Object(bytes(Self::bytes_of(self.word())).start);
        let mut new = self;
        match &mut new {
            FutexOperation::Wait { word, .. }
            | Expire { word, .. }
            | Resume { word }
            | Join { word, .. }
            | Rest { word, .. }
            | Leave { word, .. }
            | Lock { word, .. }
            | Unlock { word, .. } => *word = moved,
        }
        new
    }

    // The word has no life cycle, no mutex is touched, and no other thread named. A wake is an operation of condition
    // variables.
    none! { at_channel }
    none! { concerns_signals awaits_signal }
    none! { memory_order lifecycle hold ends_hold is_failed_lock succeeded }
    none! { creates starts_timer joins detaches handle cancels goes_first is_idle exits ends_process }

    /// The word stays: its address says which queue it is.
    fn seen_at(self, bytes: ByteRange) -> Self {
        let mut new = self;
        match &mut new {
            FutexOperation::Wait { alias, .. } | Join { alias, .. } | Lock { alias, .. } | Unlock { alias, .. } => {
                *alias = AliasNumber::of(bytes)
            }
            Expire { .. } | Resume { .. } | Rest { .. } | Leave { .. } => {}
        }
        new
    }

    fn renamed(self, thread: impl Fn(ThreadId) -> ThreadId) -> Self {
        match self {
            Unlock { word, woken, owned, alias, queues } => {
                Unlock { word, woken: woken.map(thread), owned, alias, queues }
            }
            FutexOperation::Wait { .. }
            | Expire { .. }
            | Resume { .. }
            | Join { .. }
            | Rest { .. }
            | Leave { .. }
            | Lock { .. } => self,
        }
    }
}
