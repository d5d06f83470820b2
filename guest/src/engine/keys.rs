//! The destructors of the program's thread-specific keys. Values stay in the C library's thread descriptors.

use super::run_data::{RunData, refill};
use crate::platform::Global;
use alloc::vec::Vec;
use inspect_core::run::Run;

/// `PTHREAD_KEYS_MAX`.
const MAX: usize = 1024;

#[derive(Clone, Copy)]
struct Table {
    /// Destructor by key; 0 for none.
    destructors: [u64; MAX],
    /// No key from here on has a destructor.
    end: usize,
}

/// The table at present, and as it was when main began: every run starts from there.
static NOW: Global<Table> = Global::new(Table { destructors: [0; MAX], end: 0 });
static AT_MAIN: Global<Table> = Global::new(Table { destructors: [0; MAX], end: 0 });

/// Remembers the keys that constructors made, with which every run begins. Called before the first run.
pub(crate) fn remember() {
    AT_MAIN.write(NOW.read());
}

/// The destructors, by key.
pub(crate) fn table() -> &'static [u64] {
    // SAFETY: a read; the caller drops the reference before the program goes on, and only the program changes the
    // table.
    let table = unsafe { &*NOW.as_ptr() };
    &table.destructors[..table.end]
}

/// A key has this destructor from now on; 0 for none.
pub(crate) fn set_destructor(key: u32, destructor: u64) {
    // SAFETY: one OS thread; the borrow ends with this function.
    let table = unsafe { NOW.get() };
    if let Some(slot) = table.destructors.get_mut(key as usize) {
        *slot = destructor;
        table.end = table.end.max(key as usize + 1);
    }
}

/// The table, as a part of the engine.
pub(crate) struct Keys;

impl Keys {
    fn set(&mut self, destructors: &[u64]) {
        // SAFETY: no thread of the program runs, and only running threads use the table.
        let table = unsafe { NOW.get() };
        let end = table.end.max(destructors.len());
        table.destructors[..end].fill(0);
        table.destructors[..destructors.len()].copy_from_slice(destructors);
        table.end = destructors.len();
    }
}

impl RunData for Keys {
    type Saved = Vec<u64>;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        // SAFETY: written before the first run only.
        let start = unsafe { &*AT_MAIN.as_ptr() };
        self.set(&start.destructors[..start.end]);
    }

    fn save(&mut self, _run: &Run, saved: &mut Vec<u64>) -> bool {
        refill(saved, table());
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Vec<u64>) {
        self.set(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
