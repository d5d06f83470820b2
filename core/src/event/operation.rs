//! Visible operations.
//!
//! There is no catch-all arm over [`Operation`] anywhere in the project: a new operation makes the compiler list every
//! place that has to decide about it.

use super::{ByteRange, Object, ThreadId, ThreadSet};

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

/// A visible operation as a thread performed it, or is about to.
///
/// A pending operation carries what is known before it is taken: outcome fields (`acquired`, `woken`, `wrote`, `runs`)
/// then hold what they would be if it were taken now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Operation {
    /// A plain read that is visible (`--plain-accesses all`, or promoted after a race).
    Read(ByteRange),
    /// A plain write that is visible.
    Write(ByteRange),
    /// An atomic load.
    AtomicLoad(ByteRange, MemoryOrder),
    /// An atomic store.
    AtomicStore(ByteRange, MemoryOrder),
    /// An atomic read-modify-write; a compare-exchange that failed has `wrote: false` and counts as a read.
    AtomicUpdate {
        /// The bytes read and, if `wrote`, written.
        range: ByteRange,
        /// The order of the outcome that came about.
        order: MemoryOrder,
        /// False for a failed compare-exchange.
        wrote: bool,
    },
    /// `pthread_mutex_init`.
    MutexInit(Object),
    /// `pthread_mutex_destroy`.
    MutexDestroy(Object),
    /// A blocking lock, enabled while the mutex is free or, for a recursive mutex, held by the caller.
    Lock(Object),
    /// `pthread_mutex_trylock`, also an expired timed lock. `acquired: false` only reads the mutex's state.
    TryLock {
        /// The mutex.
        mutex: Object,
        /// Whether the caller holds the mutex afterwards.
        acquired: bool,
    },
    /// `pthread_mutex_unlock`.
    Unlock(Object),
    /// `pthread_cond_init`.
    CondInit(Object),
    /// `pthread_cond_destroy`.
    CondDestroy(Object),
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
    /// [`Event::enabled_by`](super::Event::enabled_by) is the signal, broadcast or expiry that ended the wait.
    WaitReacquire {
        /// The condition variable.
        cond: Object,
        /// The mutex taken.
        mutex: Object,
    },
    /// `pthread_cond_signal`. Which waiter wakes is the event's choice.
    Signal {
        /// The condition variable.
        cond: Object,
        /// The waiter woken, if there was one.
        woken: Option<ThreadId>,
    },
    /// `pthread_cond_broadcast`.
    Broadcast {
        /// The condition variable.
        cond: Object,
        /// The waiters woken.
        woken: ThreadSet,
    },
    /// Arrival at a `pthread_once` (or `call_once`). Blocked while another thread is running the initialiser.
    OnceEnter {
        /// The once object.
        once: Object,
        /// Whether the caller is the one who runs the initialiser.
        runs: bool,
    },
    /// The initialiser of a once object has returned or, after [`once_fails`](crate::run::Run::once_fails), was left by
    /// an exception or the end of its thread, so that another thread runs it again.
    OnceLeave(Object),
    /// `pthread_create`. The child's steps before its first visible operation belong to this transition.
    Create(ThreadId),
    /// The end of a thread other than by ending the process.
    Exit,
    /// `pthread_join`, enabled when the thread has ended.
    Join(ThreadId),
    /// `pthread_detach`.
    Detach(ThreadId),
    /// `inspect_choose(n)` or an input read from the explorer; the event's choice is the value.
    Choose,
    /// `sched_yield` where it has to be a step of its own (it depends on nothing).
    Yield,
    /// A failed assumption: never enabled, the thread stays here (S5).
    Assume,
    /// The thread wants to end the process.
    EndProcess(EndKind),
}
