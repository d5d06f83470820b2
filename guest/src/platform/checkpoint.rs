//! The state of the program in the middle of a run, to go on from again.
//!
//! Only hot pages can differ from the snapshot, so a checkpoint holds those. A page that becomes hot later has,
//! at the checkpoint, the contents of the snapshot. The engine's own data (contexts, scheduler, trace) are saved by
//! the engine (`engine::run_data`).

use super::outside::SavedOutside;
use super::sys::PAGE;
use super::{arena, copy, fiber, outside, snapshot};
use alloc::vec::Vec;

/// Aligned as a vector register wants it.
#[repr(align(64))]
struct Page([u64; PAGE as usize / 8]);

/// A state to return to, within the run it was taken in and any other that starts from the same snapshot.
pub struct MemoryCheckpoint {
    pages: Vec<Page>,
    /// Which parts of each page are zeros: these are not copied.
    zeros: Vec<u16>,
    usage: arena::Usage,
    outside: SavedOutside,
    slot: usize,
}

impl Default for MemoryCheckpoint {
    /// Memory for a checkpoint.
    fn default() -> MemoryCheckpoint {
        MemoryCheckpoint {
            pages: Vec::new(),
            zeros: Vec::new(),
            usage: arena::usage(),
            outside: outside::save(),
            slot: 0,
        }
    }
}

impl MemoryCheckpoint {
    /// Whether the state at this moment can be held: not if the run has open files, mappings or other things outside of
    /// memory that a checkpoint does not hold.
    pub fn is_possible() -> bool {
        outside::can_checkpoint()
    }

    /// Takes a checkpoint, if [`is_possible`](Self::is_possible). To be called on the engine stack, after the running
    /// fiber switched to the engine's context.
    pub fn take(&mut self) {
        let hot = snapshot::hot();
        self.pages.clear();
        self.pages.reserve(hot.len());
        self.zeros.clear();
        let start = self.pages.as_mut_ptr();
        // SAFETY: hot pages are readable memory of the program; the vector has room for as many.
        unsafe {
            let list = hot.iter().enumerate().map(|(at, hot)| (start.add(at) as u64, hot.page, hot.zeros));
            copy::keep(list, |zeros| self.zeros.push(zeros));
            self.pages.set_len(hot.len());
        }
        self.usage = arena::usage();
        self.outside = outside::save();
        self.slot = fiber::current_slot();
    }

    /// Returns to the state of the checkpoint. Called on the engine stack; the engine then brings back its own state
    /// and switches to the fiber.
    pub fn restore(&self) {
        let hot = snapshot::hot();
        let (held, later) = hot.split_at(self.pages.len());
        let copies = self.pages.iter().zip(&self.zeros);
        let held = held.iter().zip(copies).map(|(hot, (copy, &zeros))| (hot.page, copy.0.as_ptr() as u64, zeros));
        // SAFETY: all are whole pages; the hot ones are writable memory of the program.
        unsafe { copy::restore(held.chain(later.iter().map(|hot| (hot.page, hot.copy, hot.zeros)))) };
        arena::set_usage(self.usage);
        outside::load(&self.outside);
        fiber::set_current_slot(self.slot);
    }

    /// Bytes of memory it takes.
    pub fn size(&self) -> usize {
        self.pages.len() * PAGE as usize + size_of::<MemoryCheckpoint>() + outside::boxed(&self.outside)
    }
}
