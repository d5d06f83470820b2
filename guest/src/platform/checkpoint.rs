//! The state of the program in the middle of a run, to go on from again.
//!
//! Only hot pages can differ from the snapshot, so a checkpoint holds those. A page that becomes hot later held its
//! contents of the snapshot at the checkpoint, too. What belongs to the engine (contexts, scheduler, traces) is the
//! engine's to keep.

use super::snapshot::{self, copy_page};
use super::sys::PAGE;
use super::{arena, fiber, syscalls};
use alloc::vec::Vec;

/// A state to return to, within the run it was taken in and any other that starts from the same snapshot.
pub struct Checkpoint {
    pages: Vec<[u64; PAGE as usize / 8]>,
    usage: arena::Usage,
    outside: syscalls::State,
    slot: usize,
}

impl Checkpoint {
    /// Takes a checkpoint. To be called on the engine stack, after the running fiber switched to the engine's context.
    /// None if the run has open files, mappings or other things outside of memory that a checkpoint does not hold.
    pub fn take() -> Option<Checkpoint> {
        if !syscalls::can_checkpoint() {
            return None;
        }
        let hot = snapshot::hot();
        let mut pages = Vec::with_capacity(hot.len());
        for page in hot {
            // SAFETY: a hot page is readable memory of the program; the copy is whole.
            pages.push(unsafe { *(page.page as *const [u64; PAGE as usize / 8]) });
        }
        Some(Checkpoint { pages, usage: arena::usage(), outside: syscalls::save(), slot: fiber::current_slot() })
    }

    /// Returns to the state of the checkpoint. On the engine stack; the engine then brings back its own state and
    /// switches to the fiber.
    pub fn restore(&self) {
        let hot = snapshot::hot();
        for (at, page) in hot.iter().enumerate() {
            let from = self.pages.get(at).map_or(page.copy, |copy| copy.as_ptr() as u64);
            // SAFETY: both are whole pages; the hot one is writable memory of the program.
            unsafe { copy_page(page.page, from) };
        }
        arena::set_usage(self.usage);
        syscalls::load(&self.outside);
        fiber::set_current_slot(self.slot);
    }

    /// Bytes of memory it takes.
    pub fn size(&self) -> usize {
        self.pages.len() * PAGE as usize + size_of::<Checkpoint>()
    }
}
