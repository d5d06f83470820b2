//! The named semaphores of a run. Each run begins without any.

use super::run_data::RunData;
use alloc::vec::Vec;
use inspect_core::run::Run;

/// The name of a semaphore, as its index in the list of names. A thread keeps this while others run, and not the text:
/// a checkpoint brings back a thread's stack, but not the engine's heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SemaphoreName(u32);

/// A named semaphore: one that has a name, or that some thread has open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedSemaphore {
    /// Its name, or the one that it had.
    pub(crate) name: SemaphoreName,
    /// Whether its name still leads to it (it was not unlinked).
    pub(crate) linked: bool,
    /// How often it is open.
    pub(crate) opens: u32,
    /// The block of the heap in which it lies, or in which it will lie once it is opened again.
    pub(crate) block: u64,
}

/// The named semaphores of a run, in the order of their creation.
#[derive(Default)]
pub(crate) struct NamedSemaphores {
    semaphores: Vec<NamedSemaphore>,
    /// All names that came up in any run. None is ever removed, so that a name which a thread has means the same after
    /// its stack was brought back.
    names: Vec<Vec<u8>>,
}

impl NamedSemaphores {
    /// The name of these bytes.
    pub(crate) fn name(&mut self, bytes: &[u8]) -> SemaphoreName {
        let known = self.names.iter().position(|name| name == bytes);
        let place = known.unwrap_or_else(|| {
            self.names.push(bytes.to_vec());
            self.names.len() - 1
        });
        SemaphoreName(place as u32)
    }

    /// The bytes of a name.
    pub(crate) fn bytes(&self, name: SemaphoreName) -> &[u8] {
        &self.names[name.0 as usize]
    }

    /// A name leads to a new semaphore, which is open once.
    pub(crate) fn create(&mut self, name: SemaphoreName, block: u64) {
        self.semaphores.push(NamedSemaphore { name, linked: true, opens: 1, block });
    }

    /// The semaphore to which a name leads.
    pub(crate) fn find(&mut self, name: SemaphoreName) -> Option<&mut NamedSemaphore> {
        self.semaphores.iter_mut().find(|semaphore| semaphore.linked && semaphore.name == name)
    }

    /// The semaphore that is open and lies in this block.
    pub(crate) fn at(&mut self, block: u64) -> Option<&mut NamedSemaphore> {
        self.semaphores.iter_mut().find(|semaphore| semaphore.opens > 0 && semaphore.block == block)
    }

    /// Forgets the semaphores that no name leads to and that nobody has open.
    pub(crate) fn tidy(&mut self) {
        self.semaphores.retain(|semaphore| semaphore.linked || semaphore.opens > 0);
    }

    /// Passes to `word` what decides about later calls, for the hash of a state.
    pub(crate) fn hash(&self, mut word: impl FnMut(u64)) {
        for semaphore in &self.semaphores {
            self.bytes(semaphore.name).iter().for_each(|&byte| word(byte.into()));
            word(u64::from(semaphore.opens) << 1 | u64::from(semaphore.linked));
            word(semaphore.block);
        }
    }
}

impl RunData for NamedSemaphores {
    type Saved = Vec<NamedSemaphore>;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.semaphores.clear();
    }

    fn save(&mut self, _run: &Run, saved: &mut Self::Saved) -> bool {
        saved.clone_from(&self.semaphores);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Self::Saved) {
        self.semaphores.clone_from(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
