//! The properties of operations: what is true of an operation whatever the state.
//!
//! Each property in the list [`properties!`] has to be answered for a new operation. A group's file answers a property
//! either operation by operation, in a match without a catch-all arm, or, if the property concerns no operation of the
//! group, by naming it in `none!`. What a touch of the footprint means is in `event/kinds.rs`.

use super::Operation;
use super::choice::ChoiceKind;
use super::wait::{Wait, WaitStep};
use crate::event::{ByteRange, Footprint, Need, Object, ObjectKind, ThreadId};

/// C11 memory orders, in the numbering of the `__ATOMIC_*` constants (consume is treated as acquire).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum MemoryOrder {
    /// `memory_order_relaxed`
    Relaxed = 0,
    /// `memory_order_consume` and `memory_order_acquire`
    Acquire = 2,
    /// `memory_order_release`
    Release = 3,
    /// `memory_order_acq_rel`
    AcquireRelease = 4,
    /// `memory_order_seq_cst`
    SequentiallyConsistent = 5,
}

impl MemoryOrder {
    /// Whether a read with this order synchronises with the release it reads from.
    pub fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcquireRelease | Self::SequentiallyConsistent)
    }

    /// Whether a write with this order is a release.
    pub fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcquireRelease | Self::SequentiallyConsistent)
    }
}

/// How a thread ends the whole process. Such an operation is delayed until every other thread has ended, is blocked or
/// parked, or wants to end the process too (S5), so that it cuts nothing short of what it could have shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EndKind {
    /// `return` from main, `exit`, `quick_exit` or `_exit`, with the exit status.
    Exit(i32),
    /// `abort()`.
    Abort,
    /// A failed `assert` (`__assert_fail`), reported at the assertion.
    AssertionFailed,
    /// A fatal signal: SIGSEGV, SIGBUS, SIGFPE, SIGILL or one the program raised at itself.
    Signal(u8),
    /// A heap error that was stopped before it could corrupt the heap (double free, invalid free).
    HeapError,
    /// `std::terminate` for a C++ exception that nobody catches.
    UncaughtException,
    /// The last thread has ended, and has called what the program registered for the end of the process: as `exit(0)`.
    LastThread,
}

/// How an operation accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessMode {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic load.
    AtomicRead,
    /// A compare-exchange that fails: it reads, and might have written.
    AtomicCompare,
    /// An atomic store, or an update that writes.
    AtomicWrite,
}

impl AccessMode {
    /// Whether it is not atomic.
    #[inline]
    pub fn is_plain(self) -> bool {
        match self {
            AccessMode::Read | AccessMode::Write => true,
            AccessMode::AtomicRead | AccessMode::AtomicCompare | AccessMode::AtomicWrite => false,
        }
    }

    /// Whether it changes memory.
    #[inline]
    pub fn writes(self) -> bool {
        match self {
            AccessMode::Write | AccessMode::AtomicWrite => true,
            AccessMode::Read | AccessMode::AtomicRead | AccessMode::AtomicCompare => false,
        }
    }

    /// Whether it changes memory, or would have with another value there.
    #[inline]
    fn may_write(self) -> bool {
        match self {
            AccessMode::Write | AccessMode::AtomicWrite | AccessMode::AtomicCompare => true,
            AccessMode::Read | AccessMode::AtomicRead => false,
        }
    }
}

/// The synchronisation objects that an operation names, at most two.
pub type Objects = [Option<(Object, ObjectKind)>; 2];

/// The beginning and the end of a synchronisation object's life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LifecycleChange {
    /// It is initialised.
    Begins(Object, ObjectKind),
    /// It is destroyed.
    Ends(Object, ObjectKind),
}

impl LifecycleChange {
    /// The kind of the object.
    pub fn kind(self) -> ObjectKind {
        match self {
            LifecycleChange::Begins(_, kind) | LifecycleChange::Ends(_, kind) => kind,
        }
    }
}

/// With which releases an operation synchronizes by C11: what happens before them happens before its effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acquires {
    /// With none.
    Nothing,
    /// With all releases of this object.
    Object(Object),
    /// With all releases of these two objects.
    Both(Object, Object),
    /// With the event that enabled it ([`Event::enabled_by`](crate::event::Event::enabled_by)).
    Enabling,
    /// With the last step of this thread, which has ended.
    Thread(ThreadId),
    /// With those whose release sequences it reads from, if the memory order acquires.
    Memory(ByteRange, MemoryOrder),
}

/// Which later operations synchronize with an operation by C11: what happens before it happens before them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Releases {
    /// None.
    Nothing,
    /// Those that acquire this object.
    Object(Object),
    /// Those that it enables. From now on an acquire of this object does not synchronize with earlier releases of it.
    Enabled {
        /// That object.
        forgets: Object,
    },
    /// None, and from now on an acquire of these objects does not synchronize with earlier releases of them.
    Forgets(Object, Option<Object>),
    /// The first step of this thread, which begins.
    Thread(ThreadId),
    /// Those that read what it writes, if the memory order releases.
    Memory {
        /// What it writes.
        range: ByteRange,
        /// The memory order.
        order: MemoryOrder,
        /// It is a read-modify-write, which continues the release sequences there.
        update: bool,
    },
}

/// Answers these properties with "none" for all operations of a group.
macro_rules! none {
    ($($property:ident)*) => { $(none_of! { $property })* };
}
pub(super) use none;

/// From a list of properties, each with its answer for operations that it does not concern, makes the trait that the
/// groups implement, the methods of [`Operation`], and the arms of [`none!`].
macro_rules! properties {
    ($($(#[$about:meta])* $name:ident: $type:ty = $none:expr;)*) => {
        /// The properties of a group's operations.
        pub(crate) trait Description: Copy {
            $($(#[$about])* fn $name(self) -> $type;)*

            /// What kind of operation it is, in a word or two.
            fn name(self) -> &'static str;

            /// What it touches, and how: dependence is decided by it alone.
            fn footprint(self) -> Footprint;

            /// The operation with the outcome that conflicts with every operation that some outcome of it conflicts
            /// with.
            fn with_full_effect(self) -> Operation;

            /// The operation with `bytes` in place of those that it accesses, if it accesses any: an alias, or its own
            /// again.
            fn seen_at(self, bytes: ByteRange) -> Self;

            /// The operation with other names for the threads it names.
            fn renamed(self, thread: impl Fn(ThreadId) -> ThreadId) -> Self;

            /// The operation with other addresses.
            fn relocated(self, bytes: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Self;
        }

        impl Operation {
            $(
                $(#[$about])*
                #[inline]
                pub fn $name(&self) -> $type {
                    #[cold]
                    fn of_other_group(operation: &Operation) -> $type {
                        of_group!(*operation, group => group.$name())
                    }
                    of_common_group!(*self, group => group.$name(), others => of_other_group(self))
                }
            )*
        }

        macro_rules! none_of {
            $(($name) => {
                #[inline]
                fn $name(self) -> $type {
                    $none
                }
            };)*
        }
        pub(super) use none_of;
    };
}

properties! {
    // Memory.

    /// The memory it accesses, and how.
    access: Option<(crate::event::ByteRange, crate::event::AccessMode)> = None;

    /// The memory order of an atomic access.
    memory_order: Option<crate::event::MemoryOrder> = None;

    /// Whether it is an atomic access that does not acquire what it reads, or does not release what it writes.
    is_relaxed: bool = false;

    // Synchronisation objects.

    /// The synchronisation objects that it names.
    objects: crate::event::Objects = [None; 2];

    /// The beginning or the end of an object's life.
    lifecycle: Option<crate::event::LifecycleChange> = None;

    /// How it changes which thread holds a mutex.
    hold: Option<(crate::event::Object, crate::event::HoldChange)> = None;

    /// Whether it may enable other threads, which waited for what it gives back, without racing with them.
    ends_hold: bool = false;

    /// Whether it is a failed attempt to take a mutex, from which its thread learns that a thread holds it.
    is_failed_lock: bool = false;

    /// Whether its thread learns from it what others have done to the object, without synchronising with them and
    /// without an attempt to take it.
    is_unordered_look: bool = false;

    /// Which step of a wait it is.
    wait: Option<crate::event::Wait> = None;

    /// For the beginning of a wait: the operation by which the thread ends that wait without a signal.
    expiry: Option<crate::event::Operation> = None;

    /// The condition variable, or the queue of a futex word, whose waiters it wakes, if it has any.
    signals: Option<crate::event::Object> = None;

    /// The waiters that it woke.
    woken: crate::event::ThreadSet = crate::event::ThreadSet::EMPTY;

    // When it can be taken, and with which outcomes.

    /// What it waits for before it can be taken. That the end of a wait waits for a signal first is not a property of
    /// the operation: it is recorded as an enabling edge.
    need: crate::event::Need = crate::event::Need::Nothing;

    /// What is chosen when it is taken.
    choice_kind: crate::event::ChoiceKind = crate::event::ChoiceKind::None;

    /// Whether fields of it say what has come of it: they are filled in when it is taken.
    has_outcome: bool = false;

    /// Whether it reads or changes a word of pending signals. If it takes a signal, it takes one of those with which it
    /// compares.
    concerns_signals: bool = false;
    /// Whether its thread, if it is parked there, waits for a signal.
    awaits_signal: bool = false;
    /// For an operation with two outcomes: whether it has succeeded. A trylock succeeds if it takes the mutex, a
    /// read-modify-write if it writes, the arrival at a once object if the thread runs the initialiser.
    succeeded: Option<bool> = None;

    /// What it wants of a channel, and finds there.
    at_channel: Option<crate::event::Demand> = None;

    // Happens-before of C11.
    /// With which releases it synchronizes.
    acquires: crate::event::Acquires = crate::event::Acquires::Nothing;

    /// Which later operations synchronize with it.
    releases: crate::event::Releases = crate::event::Releases::Nothing;

    // Threads.

    /// The thread that it creates.
    creates: Option<crate::event::ThreadId> = None;

    /// Whether the thread that it creates is a timer, which nobody joins.
    starts_timer: bool = false;

    /// The thread whose end it waits for.
    joins: Option<crate::event::ThreadId> = None;

    /// The thread that it detaches.
    detaches: Option<crate::event::ThreadId> = None;

    /// The handle that it uses, other than to join or detach the thread.
    handle: Option<crate::event::Handle> = None;

    /// The thread whose cancellation it requests.
    cancels: Option<crate::event::ThreadId> = None;

    /// Whether it is the end of its thread, other than by ending the process.
    exits: bool = false;

    /// How it ends the process. Such an operation is delayed until no other thread can go on.
    ends_process: Option<crate::event::EndKind> = None;

    // Scheduling.

    /// Whether a switch to another thread after it is no preemption: its thread waits or yields.
    gives_way: bool = false;

    /// Whether, wherever it is enabled, it is mostly independent of what the other threads are about to do, so that
    /// [`FreeRun::GoesFirst`](crate::event::FreeRun::GoesFirst) prefers it.
    goes_first: bool = false;

    /// Whether it has no effect, so that a waiting loop (S14) may contain it.
    is_idle: bool = false;

    /// Whether its thread has nothing to run after it: it has ended, or its next operation is known already.
    rests: bool = false;
}

impl Operation {
    /// What kind of operation it is, in a word or two.
    pub fn name(&self) -> &'static str {
        of_group!(*self, group => group.name())
    }

    /// What it touches, and how. Dependence is decided from this alone.
    // A footprint that is returned in memory is read again at once, in wider pieces than it was written in: the
    // processor would stall.
    #[inline(always)]
    pub fn footprint(&self) -> Footprint {
        #[cold]
        fn of_other_group(operation: &Operation) -> Footprint {
            of_group!(*operation, group => group.footprint())
        }
        of_common_group!(*self, group => group.footprint(), others => of_other_group(self))
    }

    /// The operation with the outcome that conflicts with every operation that some outcome of it conflicts with: the
    /// compare-exchange has written, the trylock has succeeded, the signal has woken a thread.
    pub fn with_full_effect(&self) -> Operation {
        of_group!(*self, group => group.with_full_effect())
    }

    /// The operation with `bytes` in place of those that it accesses, if it accesses any: an [alias](ByteRange::alias),
    /// or its own again.
    pub fn seen_at(&self, bytes: ByteRange) -> Operation {
        of_group!(*self, group => group.seen_at(bytes).into())
    }

    /// The operation with other names for the threads it names.
    pub fn renamed(&self, thread: impl Fn(ThreadId) -> ThreadId) -> Operation {
        of_group!(*self, group => group.renamed(thread).into())
    }

    /// The operation with other addresses.
    pub fn relocated(&self, bytes: impl Fn(ByteRange) -> ByteRange, object: impl Fn(Object) -> Object) -> Operation {
        of_group!(*self, group => group.relocated(bytes, object).into())
    }
}

/// The properties of an operation that the scheduler asks for at every step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Demands {
    /// [`Operation::need`]
    pub(crate) need: Need,
    /// Something is [chosen](Operation::choice_kind) when it is taken.
    pub(crate) chooses: bool,
    /// [`Operation::has_outcome`]
    pub(crate) has_outcome: bool,
    /// [`Operation::goes_first`]
    pub(crate) goes_first: bool,
    /// It [may write](Operation::may_write).
    pub(crate) may_write: bool,
}

impl Demands {
    /// The demands of an operation that has none of these properties.
    pub(crate) const NONE: Demands =
        Demands { need: Need::Nothing, chooses: false, has_outcome: false, goes_first: false, may_write: false };

    #[inline(always)]
    fn of(group: impl Description) -> Demands {
        Demands {
            need: group.need(),
            chooses: group.choice_kind() != ChoiceKind::None,
            has_outcome: group.has_outcome(),
            goes_first: group.goes_first(),
            may_write: group.access().is_some_and(|(_, access)| access.may_write()),
        }
    }
}

/// Properties that follow from those above.
impl Operation {
    /// The properties that the scheduler asks for.
    #[inline(always)]
    pub(crate) fn demands(&self) -> Demands {
        #[cold]
        fn of_other_group(operation: &Operation) -> Demands {
            of_group!(*operation, group => Demands::of(group))
        }
        of_common_group!(*self, group => Demands::of(group), others => of_other_group(self))
    }

    /// The bytes of memory it accesses.
    #[inline]
    pub fn bytes(&self) -> Option<ByteRange> {
        self.access().map(|(range, _)| range)
    }

    /// The bytes of a plain access.
    #[inline]
    pub fn plain_bytes(&self) -> Option<ByteRange> {
        self.access().filter(|(_, access)| access.is_plain()).map(|(range, _)| range)
    }

    /// The bytes it changes.
    #[inline]
    pub fn writes(&self) -> Option<ByteRange> {
        self.access().filter(|(_, access)| access.writes()).map(|(range, _)| range)
    }

    /// The bytes it changes, or would have with another value there.
    #[inline]
    pub fn may_write(&self) -> Option<ByteRange> {
        self.access().filter(|(_, access)| access.may_write()).map(|(range, _)| range)
    }

    /// The thread that it creates, joins, detaches or cancels.
    #[inline]
    pub fn names_thread(&self) -> Option<ThreadId> {
        self.creates().or(self.joins()).or(self.detaches()).or(self.cancels())
    }

    /// The wait that begins with it.
    #[inline]
    pub fn begins_wait(&self) -> Option<Wait> {
        self.wait().filter(|wait| wait.step == WaitStep::Begin)
    }

    /// The wait that ends with it, signalled or not.
    #[inline]
    pub fn ends_wait(&self) -> Option<Wait> {
        self.wait().filter(|wait| wait.step == WaitStep::End)
    }

    /// The operation as it may be executed after other operations than in the run, which are not known. If its outcome
    /// says which earlier operations met its need, it gets the outcome that needed none of them.
    pub fn after_unknown(&self) -> Operation {
        if self.need().is_met_by_several() { self.with_full_effect() } else { *self }
    }
}
