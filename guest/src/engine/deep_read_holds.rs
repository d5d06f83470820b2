//! Read-write locks that a thread holds for reading more often than the scheduler counts.

use super::run_data::RunData;
use alloc::vec::Vec;
use inspect_core::event::ThreadId;
use inspect_core::run::Run;

/// Which threads hold which locks, by address, and how often beyond what the scheduler counts, which is less than
/// [`inspect_core::run::ReadHolds::LIMIT`]. No other thread can notice that a thread takes a lock once more that it
/// has, or gives it back once and still has it.
#[derive(Default)]
pub(crate) struct DeepReadHolds {
    held: Vec<(ThreadId, u64, u32)>,
}

impl DeepReadHolds {
    /// A thread takes the lock once more.
    pub(crate) fn take(&mut self, thread: ThreadId, rwlock: u64) {
        match self.held.iter_mut().find(|hold| (hold.0, hold.1) == (thread, rwlock)) {
            Some(hold) => hold.2 += 1,
            None => self.held.push((thread, rwlock, 1)),
        }
    }

    /// A thread gives the lock back once; false if it does not hold it beyond what the scheduler counts.
    pub(crate) fn give(&mut self, thread: ThreadId, rwlock: u64) -> bool {
        let hold = self.held.iter_mut().find(|hold| (hold.0, hold.1) == (thread, rwlock) && hold.2 > 0);
        hold.map(|hold| hold.2 -= 1).is_some()
    }

    /// A thread holds the lock no more often than the scheduler counts: what there was before belongs to another lock
    /// at the same address.
    pub(crate) fn forget(&mut self, thread: ThreadId, rwlock: u64) {
        self.held.retain(|hold| (hold.0, hold.1) != (thread, rwlock));
    }
}

impl RunData for DeepReadHolds {
    type Saved = Vec<(ThreadId, u64, u32)>;
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
