//! What a run asks of the program: its memory, and what only its driver can see of its threads.

use super::Run;
use crate::event::{ByteRange, Object, ThreadId, ThreadSet};

/// A state, hashed.
pub type StateKey = u128;

/// What the run needs to know of the program's memory.
pub trait World {
    /// The value of the bytes of `range` (at most 8, little-endian, zero-extended).
    fn value(&self, range: ByteRange) -> u64;

    /// Whether the compare-exchange that `thread` is about to perform would succeed now.
    fn exchange_succeeds(&self, thread: ThreadId) -> bool;

    /// Whether a pending signal would interrupt the wait of this thread. The run then ends as after a failed
    /// assumption: another run, in which the signal is sent before the thread looks for signals and begins to wait,
    /// shows what follows. Called only when no thread is enabled.
    fn is_interrupted(&self, thread: ThreadId) -> bool;

    /// The value of the bytes of `range` before an operation writes them, if they can be read without a fault. Used
    /// only for [`Trace::values`](crate::event::Trace::values).
    fn value_before(&self, _range: ByteRange) -> Option<u64> {
        None
    }

    /// The value with which the pending compare-exchange of `thread` compares. Used only for
    /// [`Trace::values`](crate::event::Trace::values).
    fn compared(&self, _thread: ThreadId) -> Option<u64> {
        None
    }

    /// The first half of a wait has given this mutex back. The waiting thread does not run, so it is the driver that
    /// writes in the mutex's memory that the mutex is not in use, if it keeps that there.
    fn note_release(&self, _mutex: Object) {}

    /// Threads have begun to wait for a condition variable, or have left its waiters; `any` says whether some wait now.
    /// The driver writes in the object's memory whether it is in use, if it keeps that there.
    fn note_waiters(&self, _cond: Object, _any: bool) {}

    /// A hash of the program's memory and of the local states of these threads; `None` if they cannot be determined.
    /// Used only by searches that compare states.
    fn fingerprint(&self, _live: ThreadSet) -> Option<StateKey> {
        None
    }

    /// A hash of what the events so far determine about data races with later accesses, if races are not to be found
    /// where accesses are pending at once. Used only by searches that compare states.
    fn unsettled(&self, _run: &Run) -> StateKey {
        0
    }

    /// The threads into whose own memory (stack, thread-local storage) an address points that is stored outside of it.
    /// Used only by searches with symmetry.
    fn named(&self, _live: ThreadSet) -> ThreadSet {
        ThreadSet::EMPTY
    }

    /// The thread in whose own memory an address lies. Used only by searches with symmetry.
    fn owner(&self, _address: u64) -> Option<ThreadId> {
        None
    }

    /// Whether exchanging these two threads maps the program's memory to itself: they are at the same place of the same
    /// code, with the same local state up to addresses in their own memory. The caller has made sure that no such
    /// address is stored elsewhere and that both are about to do the same. Used only by searches with symmetry.
    fn symmetric(&self, _a: ThreadId, _b: ThreadId) -> bool {
        false
    }
}

/// Memory that cannot be read, for a run that is cut from outside: a pending compare-exchange is recorded as failing.
pub(super) struct Unknown;

impl World for Unknown {
    fn value(&self, _range: ByteRange) -> u64 {
        0
    }

    fn exchange_succeeds(&self, _thread: ThreadId) -> bool {
        false
    }

    fn is_interrupted(&self, _: ThreadId) -> bool {
        false
    }
}
