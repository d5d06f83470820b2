//! Which threads take signals of the process, and which wait for some in calls that fail when another thread does.

use super::run_data::RunData;
use alloc::vec::Vec;
use inspect_core::event::{MAX_THREADS, SignalOperation, ThreadId};
use inspect_core::run::Run;

/// What some run has shown of each thread, as masks of signals.
#[derive(Clone, Copy, Default)]
struct Shown {
    taken: u64,
    waited_for: u64,
}

/// A signal to the process wakes a thread that waits for it in `sigwaitinfo` or `sigtimedwait`. If another thread takes
/// the signal before the woken one runs, Linux lets the call fail with `EINTR`, which is not explored. Which of the two
/// threads comes to its call first may depend on the run, so what all runs have shown is put together.
pub(crate) struct SignalTakers {
    shown: [Shown; MAX_THREADS],
}

impl SignalTakers {
    pub(crate) const fn new() -> SignalTakers {
        SignalTakers { shown: [Shown { taken: 0, waited_for: 0 }; MAX_THREADS] }
    }

    fn others(&self, thread: ThreadId) -> impl Iterator<Item = &Shown> {
        self.shown.iter().enumerate().filter(move |(index, _)| *index != thread.index()).map(|(_, shown)| shown)
    }

    /// A thread takes a signal of the process. Whether another one waits for it in such a call.
    pub(crate) fn take(&mut self, thread: ThreadId, signal: u8) -> bool {
        let signal = SignalOperation::bit(signal);
        self.shown[thread.index()].taken |= signal;
        self.others(thread).any(|other| other.waited_for & signal != 0)
    }

    /// A thread waits for these signals in such a call. Whether another one takes one of them.
    pub(crate) fn wait(&mut self, thread: ThreadId, signals: u64) -> bool {
        self.shown[thread.index()].waited_for |= signals;
        self.others(thread).any(|other| other.taken & signals != 0)
    }
}

impl RunData for SignalTakers {
    type Saved = ();
    type Left = Vec<(u64, u64)>;

    fn begin(&mut self, _run: &Run) {}

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, _run: &Run, (): &()) {}

    fn leave(&mut self) -> Vec<(u64, u64)> {
        self.shown.iter().map(|shown| (shown.taken, shown.waited_for)).collect()
    }

    fn adopt(&mut self, left: Vec<(u64, u64)>) {
        for (shown, (taken, waited_for)) in self.shown.iter_mut().zip(left) {
            shown.taken |= taken;
            shown.waited_for |= waited_for;
        }
    }
}
