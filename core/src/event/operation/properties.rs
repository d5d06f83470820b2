//! What is said of each operation, whatever the state.
//!
//! The list in [`properties!`] is what a new operation has to decide. A group's file answers each property either operation
//! by operation, in a match without a catch-all arm, or, if it concerns no operation of the group, by naming it in `none!`.

use super::Operation;
use crate::event::{ByteRange, Footprint, Object, ObjectKind, ThreadId};

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

/// The steps of a wait for a condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitStep {
    /// The thread gives the mutex back and joins the waiters.
    Begin,
    /// It leaves the waiters without a signal.
    Expire,
    /// It takes the mutex again.
    End,
}

/// A step of a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Which step.
    pub step: WaitStep,
    /// The condition variable.
    pub cond: Object,
    /// The mutex that is given back for the wait.
    pub mutex: Object,
}

/// What there is to choose when an operation is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoiceKind {
    /// Nothing.
    None,
    /// One of the waiters of this condition variable, if there are some.
    Waiter(Object),
    /// A value.
    Value,
}

/// Whose past an operation takes over by C11, before it has its effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acquires {
    /// Nobody's.
    Nothing,
    /// That of all who have released this object.
    Object(Object),
    /// That of this thread, which has ended.
    Thread(ThreadId),
    /// That of the release sequences which it reads from, as far as the memory order acquires.
    Memory(ByteRange, MemoryOrder),
}

/// To whom an operation hands its thread's past on by C11.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Releases {
    /// To nobody.
    Nothing,
    /// To those who acquire this object.
    Object(Object),
    /// To nobody, and what has been released by this object before is gone.
    Forgets(Object),
    /// To this thread, which begins.
    Thread(ThreadId),
    /// To those who read what it writes, as far as the memory order releases.
    Memory {
        /// What it writes.
        range: ByteRange,
        /// The memory order.
        order: MemoryOrder,
        /// It is a read-modify-write, which continues the release sequences there.
        update: bool,
    },
}

/// Answers properties for all operations of a group: they are not concerned.
macro_rules! none {
    ($($property:ident)*) => { $(none_of! { $property })* };
}
pub(super) use none;

/// Makes of a list of properties, each with what it is for operations that it does not concern: the trait that the
/// groups implement, the methods of [`Operation`], and the arms of [`none!`].
macro_rules! properties {
    ($($(#[$about:meta])* $name:ident: $type:ty = $none:expr;)*) => {
        /// What a group says of its operations.
        pub(super) trait Description: Copy {
            $($(#[$about])* fn $name(self) -> $type;)*

            /// What kind of operation it is, in a word or two.
            fn name(self) -> &'static str;

            /// What it touches, and how: dependence is decided by it alone.
            fn footprint(self) -> Footprint;

            /// The operation with the outcome that is in conflict with all that any outcome of it is in conflict with.
            fn with_full_effect(self) -> Operation;

            /// The bytes it accesses, to be exchanged for others.
            fn bytes_mut(&mut self) -> Option<&mut ByteRange>;

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
                    of_group!(*self, group => group.$name())
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

    /// What it does to who holds a mutex.
    hold: Option<(crate::event::Object, crate::event::HoldChange)> = None;

    /// Whether others may go on after it that had to wait before it, without being in a race with it.
    ends_hold: bool = false;

    /// Whether it is an attempt to take a mutex that failed: it has seen that somebody holds it.
    is_failed_lock: bool = false;

    /// Which step of a wait it is.
    wait: Option<crate::event::Wait> = None;

    /// The operation by which a thread that has begun to wait with this one leaves without a signal.
    expiry: Option<crate::event::Operation> = None;

    /// The condition variable whose waiters it wakes, if there are some.
    signals: Option<crate::event::Object> = None;

    /// The waiters that it woke.
    woken: crate::event::ThreadSet = crate::event::ThreadSet::EMPTY;

    // When it can be taken, and what can come of it.

    /// What has to be there before it can be taken. The end of a wait needs its signal before: that is no matter of the
    /// operation alone.
    need: crate::event::Need = crate::event::Need::Nothing;

    /// What there is to choose.
    choice_kind: crate::event::ChoiceKind = crate::event::ChoiceKind::None;

    /// For an operation that is tried, with one of two outcomes: whether it has succeeded. A compare-exchange that
    /// succeeds writes (all read-modify-writes are tried in this sense), who succeeds at a once object runs the
    /// initialiser.
    succeeded: Option<bool> = None;

    // Happens-before of C11.

    /// Whose past it takes over.
    acquires: crate::event::Acquires = crate::event::Acquires::Nothing;

    /// To whom it hands its thread's past on.
    releases: crate::event::Releases = crate::event::Releases::Nothing;

    // Threads.

    /// The thread that it creates.
    creates: Option<crate::event::ThreadId> = None;

    /// The thread whose end it waits for.
    joins: Option<crate::event::ThreadId> = None;

    /// The thread that it detaches.
    detaches: Option<crate::event::ThreadId> = None;

    /// Whether it is the end of its thread, other than by ending the process.
    exits: bool = false;

    /// How it ends the process. Such an operation is delayed until nobody else can go on.
    ends_process: Option<crate::event::EndKind> = None;

    // Scheduling.

    /// Whether its thread lets others go on of its own accord: a switch after it is no preemption.
    gives_way: bool = false;

    /// Whether it is mostly independent of all that others are about to do wherever it is possible, so that a run which
    /// has to choose takes it first.
    goes_first: bool = false;

    /// Whether it does nothing but let others go on, so that a loop which waits for others may have it.
    is_idle: bool = false;

    /// Whether its thread has nothing to run after it: it has ended, or its next operation is known already.
    rests: bool = false;
}

impl Operation {
    /// What kind of operation it is, in a word or two.
    pub fn name(&self) -> &'static str {
        of_group!(*self, group => group.name())
    }

    /// What it touches, and how: dependence is decided by it alone.
    #[inline]
    pub fn footprint(&self) -> Footprint {
        of_group!(*self, group => group.footprint())
    }

    /// The operation with the outcome that is in conflict with all that any outcome of it is in conflict with: the
    /// compare-exchange has written, the attempt to lock has succeeded, the signal has woken somebody.
    pub fn with_full_effect(&self) -> Operation {
        of_group!(*self, group => group.with_full_effect())
    }

    /// The bytes it accesses, to be exchanged for others.
    pub fn bytes_mut(&mut self) -> Option<&mut ByteRange> {
        of_group!(self, group => group.bytes_mut())
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

/// What follows from the properties.
impl Operation {
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

    /// The thread that it creates, joins or detaches.
    #[inline]
    pub fn names_thread(&self) -> Option<ThreadId> {
        self.creates().or(self.joins()).or(self.detaches())
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

    /// Whether its thread does nothing after it.
    #[inline]
    pub fn is_last(&self) -> bool {
        self.exits() || self.ends_process().is_some()
    }
}
