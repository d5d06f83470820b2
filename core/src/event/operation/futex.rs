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
//! # Happens-before of C11
//! There is none. C11 does not know futexes; what orders the data of the threads is what they do to the word by atomic
//! accesses of their own. The wait's own reading of the word is a relaxed atomic access.

use super::Operation;
use super::properties::{AccessMode, Description, Objects, Wait, WaitStep, none, none_of};
use crate::event::{ByteRange, Footprint, Object, ObjectKind, ThreadId, Touch};
use core::num::NonZero;

/// The number of an alias, counted from 1, so that an `Option` of it takes no more room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AliasNumber(NonZero<u16>);

impl AliasNumber {
    /// The number of the alias that these bytes are, if they are one.
    pub(super) fn of(bytes: ByteRange) -> Option<AliasNumber> {
        let after = bytes.alias_number()? + 1;
        NonZero::new(after as u16).map(AliasNumber)
    }

    /// The bytes that a search sees in place of `bytes`: those of the alias, if there is one.
    pub(super) fn seen(alias: Option<AliasNumber>, bytes: ByteRange) -> ByteRange {
        alias.map_or(bytes, |AliasNumber(after)| ByteRange::alias(u32::from(after.get()) - 1))
    }
}

/// What a search sees of the queues of futex words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Queues {
    /// Each word has its own.
    Apart,
    /// One queue stands for all of them ([`Object::ALL_FUTEXES`]), in a program that moves waiters from one to another.
    Common,
}

impl Queues {
    /// The queue of a word, as a search sees it.
    pub(super) fn seen(self, queue: Object) -> Object {
        match self {
            Queues::Apart => queue,
            Queues::Common => Object::ALL_FUTEXES,
        }
    }
}

/// Which of the waiters of a futex word a wake can find.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Finds {
    /// All waiters in the word's queue.
    All,
    /// Those in the word's queue that a bitset selects.
    ByBits,
    /// Those in the word's queue, in a program in which a search sees all queues as one ([`Queues::Common`]).
    ByWord,
}

impl Finds {
    /// Whether the wake finds some of the waiters in the queue that the search sees, and not all.
    pub(super) fn selects(self) -> bool {
        match self {
            Finds::All => false,
            Finds::ByBits | Finds::ByWord => true,
        }
    }

    /// What the search sees of the queues.
    pub(super) fn queues(self) -> Queues {
        match self {
            Finds::All | Finds::ByBits => Queues::Apart,
            Finds::ByWord => Queues::Common,
        }
    }
}

/// A step of a wait for a futex word: four bytes.
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
}

impl FutexOperation {
    fn word(self) -> Object {
        match self {
            FutexOperation::Wait { word, .. }
            | FutexOperation::Expire { word, .. }
            | FutexOperation::Resume { word } => word,
        }
    }

    fn queue(self) -> Object {
        Object::futex(self.word().0)
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
            FutexOperation::Wait { .. } => operation,
            FutexOperation::Expire { queues, .. } => FutexOperation::Expire { word, queues },
            FutexOperation::Resume { .. } => FutexOperation::Resume { word },
        })
    }
}

impl Description for FutexOperation {
    fn name(self) -> &'static str {
        match self {
            FutexOperation::Wait { queued: true, .. } => "futex wait on",
            FutexOperation::Wait { queued: false, .. } => "futex wait, not as expected,",
            FutexOperation::Expire { .. } => "futex wait ends without wake",
            FutexOperation::Resume { .. } => "woken from futex wait on",
        }
    }

    #[inline]
    fn access(self) -> Option<(ByteRange, AccessMode)> {
        match self {
            FutexOperation::Wait { word, alias, .. } => Some((Self::seen(word, alias), AccessMode::AtomicRead)),
            FutexOperation::Expire { .. } | FutexOperation::Resume { .. } => None,
        }
    }

    fn is_relaxed(self) -> bool {
        match self {
            FutexOperation::Wait { .. } => true,
            FutexOperation::Expire { .. } | FutexOperation::Resume { .. } => false,
        }
    }

    #[inline]
    fn objects(self) -> Objects {
        [Some((self.queue(), ObjectKind::Futex)), None]
    }

    #[inline]
    fn footprint(self) -> Footprint {
        match self {
            FutexOperation::Wait { word, alias, queues, .. } => {
                let queue = self.in_queue(queues, Touch::Enqueue);
                Footprint::bytes(Self::seen(word, alias), Touch::Read).and(queue)
            }
            FutexOperation::Expire { queues, .. } => self.in_queue(queues, Touch::Dequeue),
            FutexOperation::Resume { .. } => Footprint::none(),
        }
    }

    #[inline]
    fn wait(self) -> Option<Wait> {
        let step = match self {
            FutexOperation::Wait { queued: true, .. } => WaitStep::Begin,
            FutexOperation::Wait { queued: false, .. } => return None,
            FutexOperation::Expire { .. } => WaitStep::Expire,
            FutexOperation::Resume { .. } => WaitStep::End,
        };
        Some(Wait { step, cond: self.queue(), mutex: None })
    }

    fn expiry(self) -> Option<Operation> {
        match self {
            FutexOperation::Wait { word, queued: true, queues, .. } => {
                Some(Operation::Futex(FutexOperation::Expire { word, queues }))
            }
            FutexOperation::Wait { queued: false, .. }
            | FutexOperation::Expire { .. }
            | FutexOperation::Resume { .. } => None,
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            FutexOperation::Wait { .. } => true,
            FutexOperation::Expire { .. } | FutexOperation::Resume { .. } => false,
        }
    }

    /// Also a wait that finds another value than expected: whether it does must not decide about what others cost.
    #[inline]
    fn gives_way(self) -> bool {
        match self {
            FutexOperation::Wait { .. } => true,
            FutexOperation::Expire { .. } | FutexOperation::Resume { .. } => false,
        }
    }

    /// Once the thread waits, its next operation is known.
    #[inline]
    fn rests(self) -> bool {
        match self {
            FutexOperation::Wait { queued, .. } => queued,
            FutexOperation::Expire { .. } | FutexOperation::Resume { .. } => false,
        }
    }

    fn with_full_effect(self) -> Operation {
        Operation::Futex(match self {
            FutexOperation::Wait { word, alias, queues, .. } => {
                FutexOperation::Wait { word, queued: true, alias, queues }
            }
            FutexOperation::Expire { .. } | FutexOperation::Resume { .. } => self,
        })
    }

    fn relocated(self, bytes: impl Fn(ByteRange) -> ByteRange, _: impl Fn(Object) -> Object) -> Self {
        let moved = |word: Object| Object(bytes(Self::bytes_of(word)).start);
        match self {
            FutexOperation::Wait { word, queued, alias, queues } => {
                FutexOperation::Wait { word: moved(word), queued, alias, queues }
            }
            FutexOperation::Expire { word, queues } => FutexOperation::Expire { word: moved(word), queues },
            FutexOperation::Resume { word } => FutexOperation::Resume { word: moved(word) },
        }
    }

    // A wait can be begun at any time; the word has no life cycle, no mutex is touched, and no other thread named. A
    // wake is an operation of condition variables.
    none! { concerns_signals awaits_signal }
    none! { need memory_order lifecycle hold ends_hold is_failed_lock succeeded signals woken choice_kind }
    none! { acquires releases creates joins detaches cancels goes_first is_idle exits ends_process is_unordered_look }

    /// The word stays: its address says which queue it is.
    fn seen_at(self, bytes: ByteRange) -> Self {
        match self {
            FutexOperation::Wait { word, queued, queues, .. } => {
                FutexOperation::Wait { word, queued, alias: AliasNumber::of(bytes), queues }
            }
            FutexOperation::Expire { .. } | FutexOperation::Resume { .. } => self,
        }
    }

    fn renamed(self, _: impl Fn(ThreadId) -> ThreadId) -> Self {
        self
    }
}
