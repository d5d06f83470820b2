//! The threads of a run: what each is about to do, and where it is.

use crate::event::{ByteRange, Demands, EventIndex, MemoryOrder, Need, Object, Operation, SiteId, ThreadId, ThreadSet};

/// A visible operation that a thread is about to perform. The run ignores the outcome fields of `operation` and fills
/// them in. A driver sets them to fixed values all the same, as they are part of the hash of a state; for an attempt,
/// such as a trylock, to those of one that fails.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// What the thread is about to do.
    pub operation: Operation,
    /// Where in the source.
    pub site: SiteId,
    /// For [`ControlOperation::Choose`](crate::event::ControlOperation::Choose): how many alternatives. What it is for
    /// requeues and for operations that take signals is said at [`Request::with_requeue`] and
    /// [`Request::with_signals`].
    pub count: u32,
    /// For locks: the mutex is recursive.
    pub recursive: bool,
    /// For [`MemoryOperation::AtomicUpdate`](crate::event::MemoryOperation::AtomicUpdate): a compare-exchange, which
    /// may fail.
    pub conditional: bool,
    /// For a compare-exchange: its memory order if it fails.
    pub failure_order: MemoryOrder,
    /// For the beginning of a wait ([`CondOperation::WaitRelease`](crate::event::CondOperation::WaitRelease),
    /// [`FutexOperation::Wait`](crate::event::FutexOperation::Wait)): the wait may expire.
    pub timed: bool,
    /// For a wait: a request to cancel the thread may end it. At a condition variable the thread leaves the wait then;
    /// in any other wait it has chosen not to, and the run counts for nothing if the wait does not end
    /// ([`CancelOperation`](crate::event::CancelOperation)).
    pub cancellable: bool,
    /// For the end of a mutex' life: it is no misuse if a thread holds the mutex, as long as none waits for it.
    pub may_be_held: bool,
    /// For [`FutexOperation::Wait`](crate::event::FutexOperation::Wait): the value that the word must have for the
    /// thread to begin to wait. What it is for requeues and for operations that take signals is said at `count`.
    pub expected: u32,
    /// For waits for a futex word, and for wakes of them: the bitset. A wake can wake a waiter if their bitsets have a
    /// common bit. 0 stands for the set of all bits.
    pub bits: u32,
}

impl Request {
    /// A request without any of the special properties.
    pub fn new(operation: Operation, site: SiteId) -> Self {
        Request {
            operation,
            site,
            count: 0,
            recursive: false,
            conditional: false,
            failure_order: MemoryOrder::Relaxed,
            timed: false,
            cancellable: false,
            may_be_held: false,
            expected: 0,
            bits: 0,
        }
    }
}

/// What a thread of a run is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// No such thread (yet).
    Absent,
    /// Between two operations: the running thread.
    Running,
    /// Arrived; enabled or not according to `Run::enabled`.
    Arrived,
    /// Among the waiters of a condition variable or futex word; enabled only if the wait can end without a signal.
    Waiting,
    /// At the head of a waiting loop: nothing that it watches has changed.
    Parked,
    /// It has ended.
    Ended,
}

/// What a run keeps of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    pub(super) status: Status,
    pub(super) request: Request,
    /// What the scheduler asks of the operation of `request` again and again while it is pending.
    /// [`Thread::set_request`] and [`Thread::set_operation`] keep it up to date.
    pub(super) demands: Demands,
    pub(super) enabled_by: Option<EventIndex>,
    /// For an ended thread: its exit event.
    pub(super) exit: Option<EventIndex>,
    /// The first request to cancel the thread.
    pub(super) requested_by: Option<EventIndex>,
    pub(super) detached: bool,
    pub(super) joined: bool,
    /// Its last join or detachment of a thread was a misuse. Whoever asks does so before the thread's next operation,
    /// so it is no part of a state.
    pub(super) refused: bool,
    /// Threads created by this one so far in this run.
    pub(super) creations: u32,
    /// Threads known to have ended: those it joined, and those known to them or, at its creation, to its creator.
    pub(super) over: ThreadSet,
    /// The mutex that it watches while it is parked.
    pub(super) watched_mutex: Option<MutexWatch>,
}

/// The change of a mutex that lets a parked thread go on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MutexWatch {
    /// Another thread has locked, unlocked, initialised or destroyed the mutex. Between any two such operations the
    /// parked thread may hold the mutex for one iteration, which another thread's trylock would notice; so the parked
    /// thread makes one iteration after each of them.
    Used(Object),
    /// The mutex was initialised again or destroyed.
    Alive(Object),
    /// No thread holds the mutex any more, or it was initialised again or destroyed.
    Free(Object),
    /// The thread is unparked in any case: the memory of the mutex, or memory that the thread watches with it, was
    /// freed or its variable's lifetime has ended.
    Gone,
}

impl MutexWatch {
    /// The mutex that is watched; `None` if its memory has ended.
    pub(super) fn mutex(self) -> Option<Object> {
        match self {
            MutexWatch::Used(mutex) | MutexWatch::Alive(mutex) | MutexWatch::Free(mutex) => Some(mutex),
            MutexWatch::Gone => None,
        }
    }
}

/// A location that a parked thread watches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Watched {
    pub(super) thread: ThreadId,
    pub(super) range: ByteRange,
    /// The value that keeps the thread parked.
    pub(super) value: u64,
    /// A change of the value wakes the thread: it matters to the next iteration.
    pub(super) wakes: bool,
    /// The iteration writes there in an atomic store.
    pub(super) stored: bool,
}

/// A thread that does not exist (yet).
pub(super) const ABSENT: Thread = Thread {
    status: Status::Absent,
    request: Request {
        operation: Operation::IDLE,
        site: SiteId(0),
        count: 0,
        recursive: false,
        conditional: false,
        failure_order: MemoryOrder::Relaxed,
        timed: false,
        cancellable: false,
        may_be_held: false,
        expected: 0,
        bits: 0,
    },
    demands: Demands::NONE,
    enabled_by: None,
    exit: None,
    requested_by: None,
    detached: false,
    joined: false,
    refused: false,
    creations: 0,
    over: ThreadSet::EMPTY,
    watched_mutex: None,
};

impl Thread {
    /// Makes the thread absent. The request of an absent thread is never read, so it stays.
    #[inline]
    pub(super) fn reset(&mut self) {
        self.status = Status::Absent;
        (self.enabled_by, self.exit, self.requested_by) = (None, None, None);
        (self.detached, self.joined, self.refused) = (false, false, false);
        self.creations = 0;
        self.over = ThreadSet::EMPTY;
    }

    /// Makes `request` what the thread is about to do.
    #[inline(always)]
    pub(super) fn set_request(&mut self, request: Request) {
        self.demands = request.operation.demands();
        self.request = request;
    }

    /// Makes `operation` the thread's next one. Everything else that the thread requested stays.
    #[inline]
    pub(super) fn set_operation(&mut self, operation: Operation) {
        self.request.operation = operation;
        self.demands = operation.demands();
    }

    /// What the operation needs.
    #[inline(always)]
    pub(super) fn need(&self) -> Need {
        debug_assert_eq!(self.demands, self.request.operation.demands(), "demands-of-request");
        self.demands.need
    }

    /// Whether something is chosen when the operation is taken.
    #[inline(always)]
    pub(super) fn chooses(&self) -> bool {
        debug_assert_eq!(self.demands, self.request.operation.demands(), "demands-of-request");
        self.demands.chooses
    }
}
