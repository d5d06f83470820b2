//! The named semaphores of a run. Each run begins without any.

use super::run_data::RunData;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_core::run::Run;

/// A named semaphore: one that has a name, or that some thread has open.
#[derive(Clone, Debug)]
pub(crate) struct NamedSemaphore {
    /// Its name, or the one that it had.
    pub(crate) name: String,
    /// Its name leads to it.
    pub(crate) linked: bool,
    /// How often it is open.
    pub(crate) opens: u32,
    /// While it is open: the block of the heap in which it lies.
    pub(crate) block: u64,
    /// While it is not open: its count.
    pub(crate) count: u32,
}

/// All of them, in the order of their creation.
#[derive(Default)]
pub(crate) struct NamedSemaphores(pub(crate) Vec<NamedSemaphore>);

impl NamedSemaphores {
    /// The one to which a name leads.
    pub(crate) fn find(&mut self, name: &str) -> Option<&mut NamedSemaphore> {
        self.0.iter_mut().find(|semaphore| semaphore.linked && semaphore.name == name)
    }

    /// The one that lies in this block.
    pub(crate) fn at(&mut self, block: u64) -> Option<&mut NamedSemaphore> {
        self.0.iter_mut().find(|semaphore| semaphore.opens > 0 && semaphore.block == block)
    }

    /// Forgets those that no name leads to and nobody has open.
    pub(crate) fn tidy(&mut self) {
        self.0.retain(|semaphore| semaphore.linked || semaphore.opens > 0);
    }

    /// Passes to `word` what decides about later calls, for the hash of a state.
    pub(crate) fn hash(&self, mut word: impl FnMut(u64)) {
        for semaphore in &self.0 {
            semaphore.name.bytes().for_each(|byte| word(byte.into()));
            word(u64::from(semaphore.opens) << 33 | u64::from(semaphore.count) << 1 | u64::from(semaphore.linked));
            word(semaphore.block);
        }
    }
}

impl RunData for NamedSemaphores {
    type Saved = Vec<NamedSemaphore>;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.0.clear();
    }

    fn save(&mut self, _run: &Run, saved: &mut Self::Saved) -> bool {
        saved.clone_from(&self.0);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Self::Saved) {
        self.0.clone_from(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
