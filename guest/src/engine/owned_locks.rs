//! Who waits for futexes that are locks with priority inheritance, and which threads are about to end.

use super::run_data::RunData;
use inspect_core::event::ThreadSet;
use inspect_core::run::Run;

/// The scheduler knows who waits for a word, but not for what kind of futex.
#[derive(Default)]
pub(crate) struct OwnedLocks {
    /// Threads that are among the waiters of such a lock, or were handed one and have not gone on yet.
    pub(crate) waiting: ThreadSet,
    /// Threads that only end from here on: a lock that one of them owns is never unlocked.
    pub(crate) ending: ThreadSet,
}

impl RunData for OwnedLocks {
    type Saved = [ThreadSet; 2];
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        *self = OwnedLocks::default();
    }

    fn save(&mut self, _run: &Run, saved: &mut Self::Saved) -> bool {
        *saved = [self.waiting, self.ending];
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Self::Saved) {
        [self.waiting, self.ending] = *saved;
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
