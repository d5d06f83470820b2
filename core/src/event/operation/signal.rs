//! Signals that threads send each other.
//!
//! What has been sent and not been taken is *pending*, for a thread or for the process: a word of memory with a bit for
//! each signal, so that a signal which is sent again before it was taken is there once. The word belongs to the driver,
//! which performs the operations as it performs accesses.
//!
//! A thread takes a signal in two ways. Where a handler could run, it makes an *attempt* for the signals that it does
//! not block, and runs the handler of what it takes. Where it waits for signals (`sigwait`), it attempts to take one
//! of those, and rests after an attempt that has failed until the word changes, as a waiting loop does (S14). Both look
//! first at what is pending for the thread, then, in an operation of its own, at what is pending for the process. So
//! which thread gets a signal of the process is the order in which the threads look.
//!
//! # The pairs
//! On one word, a send and an attempt that succeeds write; an attempt that fails, and a look at what is pending, read.
//! An attempt is a compare-exchange, under the condition that one of its bits is set ([`Operation::concerns_signals`]):
//! all that the searches know of these holds for it. All dependent pairs are reversible. Sends of two threads to
//! one word are dependent even if both orders leave the same signals: this gives up some reduction.
//!
//! A signal to a thread, also where its number is 0, uses the handle of the thread as well ([`Handle`]).
//!
//! # Timers
//! The expiry of a timer (S22) is a send by a thread of its own. What a program does to a timer or asks about one is an
//! operation on the word to which the timer sends: so whether the timer is still set when it expires is decided by the
//! order of the two.
//!
//! # Happens-before of C11
//! C11 does not know signals between threads, and POSIX does not list them among the functions that synchronise memory;
//! but a handler runs after what its thread's sender did before it sent the signal, and programs hand data over in this
//! way (`pthread_kill` then a handler, `kill` then `sigwait`). In the kernel the two are ordered by a lock. So a send
//! releases and a take acquires.

use super::properties::{AccessMode, Acquires, Description, MemoryOrder, Releases, none, none_of};
use super::queues::AliasNumber;
use super::{Handle, Operation};
use crate::event::{ByteRange, Footprint, Object, ThreadId, Touch};

/// What is done to a word of pending signals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SignalOperation {
    /// A signal is sent: it is pending from now on.
    Send {
        /// The word.
        pending: Object,
        /// The signal.
        signal: u8,
        /// The handle by which the call names the thread, if it names one.
        handle: Option<Handle>,
        /// The alias by which a search sees its bytes, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
    },
    /// The running thread takes a signal, if one is pending that it does not block.
    Take {
        /// The word.
        pending: Object,
        /// Whether there was one.
        taken: bool,
        /// The alias by which a search sees its bytes, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
    },
    /// The running thread, which waits for signals, takes one of them, if one is pending.
    Await {
        /// The word.
        pending: Object,
        /// Whether there was one.
        taken: bool,
        /// The alias by which a search sees its bytes, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
    },
    /// A timer is made, set or deleted whose expiry sends a signal there.
    SetTimer {
        /// The word.
        pending: Object,
        /// The alias by which a search sees its bytes, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
    },
    /// A timer expires: if it is set still, its signal is pending from now on.
    Expire {
        /// The word.
        pending: Object,
        /// The signal; 0 if it sends none.
        signal: u8,
        /// The alias by which a search sees its bytes, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
    },
    /// The running thread asks what is pending, about a timer, or whether there is a thread.
    Look {
        /// The word.
        pending: Object,
        /// The handle by which the call names the thread, if it names one.
        handle: Option<Handle>,
        /// The alias by which a search sees its bytes, if it does ([`ByteRange::alias`]).
        alias: Option<AliasNumber>,
    },
}

use SignalOperation::{Await, Expire, Look, Send, SetTimer, Take};

impl SignalOperation {
    /// A signal is sent.
    pub fn send(pending: Object, signal: u8) -> Self {
        Send { pending, signal, handle: None, alias: None }
    }

    /// An attempt of a thread that does not wait, requested as one that fails.
    pub fn take(pending: Object) -> Self {
        Take { pending, taken: false, alias: None }
    }

    /// An attempt of a thread that waits, requested as one that fails.
    pub fn wait(pending: Object) -> Self {
        Await { pending, taken: false, alias: None }
    }

    /// A timer is made, set or deleted.
    pub fn set_timer(pending: Object) -> Self {
        SetTimer { pending, alias: None }
    }

    /// A timer expires.
    pub fn expire(pending: Object, signal: u8) -> Self {
        Expire { pending, signal, alias: None }
    }

    /// A thread asks what is pending, or about a timer.
    pub fn look(pending: Object) -> Self {
        Look { pending, handle: None, alias: None }
    }

    /// The same by a call that names the thread by its handle, if it names one.
    pub fn with_handle(self, handle: Option<Handle>) -> Self {
        match self {
            Send { pending, signal, alias, .. } => Send { pending, signal, handle, alias },
            Look { pending, alias, .. } => Look { pending, handle, alias },
            Take { .. } | Await { .. } | SetTimer { .. } | Expire { .. } => self,
        }
    }

    #[inline]
    fn place(self) -> (Object, Option<AliasNumber>) {
        match self {
            Send { pending, alias, .. }
            | Take { pending, alias, .. }
            | Await { pending, alias, .. }
            | SetTimer { pending, alias }
            | Expire { pending, alias, .. }
            | Look { pending, alias, .. } => (pending, alias),
        }
    }

    /// The word, as a search sees it.
    #[inline]
    fn word(self) -> ByteRange {
        let (pending, alias) = self.place();
        AliasNumber::seen(alias, Self::bytes_of(pending))
    }

    /// The bytes of the word at an address.
    #[inline]
    pub fn bytes_of(pending: Object) -> ByteRange {
        ByteRange { start: pending.0, len: 8 }
    }

    /// The bit that stands for a signal.
    #[inline]
    pub fn bit(signal: u8) -> u64 {
        1 << (signal.wrapping_sub(1) & 63)
    }

    fn at(self, pending: Object, alias: Option<AliasNumber>) -> Self {
        match self {
            Send { signal, handle, .. } => Send { pending, signal, handle, alias },
            Take { taken, .. } => Take { pending, taken, alias },
            Await { taken, .. } => Await { pending, taken, alias },
            SetTimer { .. } => SetTimer { pending, alias },
            Expire { signal, .. } => Expire { pending, signal, alias },
            Look { handle, .. } => Look { pending, handle, alias },
        }
    }
}

impl Description for SignalOperation {
    fn name(self) -> &'static str {
        match self {
            Send { .. } => "send a signal to",
            Take { taken: true, .. } | Await { taken: true, .. } => "take a signal for",
            Take { taken: false, .. } => "no signal yet for",
            Await { taken: false, .. } => "wait for a signal for",
            SetTimer { .. } => "set a timer for",
            Expire { .. } => "a timer expires for",
            Look { .. } => "ask for signals for",
        }
    }

    #[inline]
    fn access(self) -> Option<(ByteRange, AccessMode)> {
        let mode = match self {
            Send { .. } | SetTimer { .. } | Expire { .. } => AccessMode::AtomicWrite,
            Take { taken: true, .. } | Await { taken: true, .. } => AccessMode::AtomicWrite,
            Take { taken: false, .. } | Await { taken: false, .. } => AccessMode::AtomicCompare,
            Look { .. } => AccessMode::AtomicRead,
        };
        Some((self.word(), mode))
    }

    #[inline]
    fn footprint(self) -> Footprint {
        let touch = match self {
            Send { .. } | SetTimer { .. } | Expire { .. } => Touch::Write,
            Take { taken: true, .. } | Await { taken: true, .. } => Touch::Write,
            Take { taken: false, .. } | Await { taken: false, .. } => Touch::Compare,
            Look { .. } => Touch::Read,
        };
        let word = Footprint::bytes(self.word(), touch);
        self.handle().map_or(word, |handle| word.and(handle.footprint()))
    }

    #[inline]
    fn acquires(self) -> Acquires {
        match self {
            Take { taken: true, .. } | Await { taken: true, .. } => {
                Acquires::Memory(self.word(), MemoryOrder::AcquireRelease)
            }
            Take { taken: false, .. } | Await { taken: false, .. } => Acquires::Nothing,
            Send { .. } | SetTimer { .. } | Expire { .. } | Look { .. } => Acquires::Nothing,
        }
    }

    #[inline]
    fn releases(self) -> Releases {
        match self {
            Send { .. } | Expire { .. } => {
                Releases::Memory { range: self.word(), order: MemoryOrder::AcquireRelease, update: true }
            }
            // It leaves to others what was sent before: part of the release sequences of these.
            SetTimer { .. } | Take { taken: true, .. } | Await { taken: true, .. } => {
                Releases::Memory { range: self.word(), order: MemoryOrder::Acquire, update: true }
            }
            Take { taken: false, .. } | Await { taken: false, .. } | Look { .. } => Releases::Nothing,
        }
    }

    #[inline]
    fn has_outcome(self) -> bool {
        match self {
            Take { .. } | Await { .. } => true,
            Send { .. } | SetTimer { .. } | Expire { .. } | Look { .. } => false,
        }
    }

    #[inline]
    fn handle(self) -> Option<Handle> {
        match self {
            Send { handle, .. } | Look { handle, .. } => handle,
            Take { .. } | Await { .. } | SetTimer { .. } | Expire { .. } => None,
        }
    }

    #[inline]
    fn succeeded(self) -> Option<bool> {
        match self {
            Take { taken, .. } | Await { taken, .. } => Some(taken),
            Send { .. } | SetTimer { .. } | Expire { .. } | Look { .. } => None,
        }
    }

    #[inline]
    fn concerns_signals(self) -> bool {
        match self {
            Send { .. } | Take { .. } | Await { .. } | SetTimer { .. } | Expire { .. } | Look { .. } => true,
        }
    }

    #[inline]
    fn awaits_signal(self) -> bool {
        match self {
            Await { .. } => true,
            Send { .. } | Take { .. } | SetTimer { .. } | Expire { .. } | Look { .. } => false,
        }
    }

    /// From an attempt that fails, and from a look, a thread learns what others have sent or taken without
    /// synchronising with them.
    #[inline]
    fn is_unordered_look(self) -> bool {
        match self {
            Take { taken, .. } | Await { taken, .. } => !taken,
            SetTimer { .. } | Look { .. } => true,
            Send { .. } | Expire { .. } => false,
        }
    }

    /// Whether it waits must not decide about what others cost: every attempt of a wait counts.
    #[inline]
    fn gives_way(self) -> bool {
        match self {
            Await { .. } => true,
            Send { .. } | Take { .. } | SetTimer { .. } | Expire { .. } | Look { .. } => false,
        }
    }

    fn with_full_effect(self) -> Operation {
        Operation::Signal(match self {
            Take { pending, alias, .. } => Take { pending, taken: true, alias },
            Await { pending, alias, .. } => Await { pending, taken: true, alias },
            Send { .. } | SetTimer { .. } | Expire { .. } | Look { .. } => self,
        })
    }

    fn relocated(self, bytes: impl Fn(ByteRange) -> ByteRange, _: impl Fn(Object) -> Object) -> Self {
        let (pending, alias) = self.place();
        self.at(Object(bytes(Self::bytes_of(pending)).start), alias)
    }

    /// The word stays: its address says where the signals are.
    fn seen_at(self, bytes: ByteRange) -> Self {
        self.at(self.place().0, AliasNumber::of(bytes))
    }

    fn renamed(self, thread: impl Fn(ThreadId) -> ThreadId) -> Self {
        self.with_handle(self.handle().map(|handle| handle.renamed(thread)))
    }

    // They can be made at any time; what they use is memory, which has no life cycle and is nobody's.
    none! { at_channel }
    none! { memory_order is_relaxed objects lifecycle hold ends_hold is_failed_lock wait expiry signals woken need }
    none! { choice_kind creates starts_timer joins detaches cancels exits ends_process goes_first is_idle rests }
}
