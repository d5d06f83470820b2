//! Which robust mutexes the threads of a run hold: what the end of a thread gives back.

use super::run_data::RunData;
use alloc::vec::Vec;
use inspect_core::event::ThreadId;
use inspect_core::run::Run;

/// The robust mutexes that are held, by address, each with its owner, in the order of their locking. The scheduler
/// knows which objects a thread holds, but not which of these are robust mutexes.
#[derive(Default)]
pub(crate) struct RobustHolds {
    held: Vec<(ThreadId, u64)>,
}

impl RobustHolds {
    /// A thread has taken a robust mutex that it did not hold.
    pub(crate) fn take(&mut self, thread: ThreadId, mutex: u64) {
        self.give(mutex);
        self.held.push((thread, mutex));
    }

    /// Nobody holds the mutex any more.
    pub(crate) fn give(&mut self, mutex: u64) {
        self.held.retain(|hold| hold.1 != mutex);
    }

    /// The mutex that a thread has locked last, of those that it holds: which one it is depends on no other thread.
    pub(crate) fn latest(&self, thread: ThreadId) -> Option<u64> {
        self.held.iter().rfind(|hold| hold.0 == thread).map(|hold| hold.1)
    }
}

impl RunData for RobustHolds {
    type Saved = Vec<(ThreadId, u64)>;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.held.clear();
    }

    fn save(&mut self, _run: &Run, saved: &mut Self::Saved) -> bool {
        saved.clone_from(&self.held);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Self::Saved) {
        self.held.clone_from(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
