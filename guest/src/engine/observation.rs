//! The observation of a thread that makes no progress (see [`super::stall`]).

use super::memory;
use super::run_data::RunData;
use crate::platform::Global;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use inspect_core::event::ByteRange;
use inspect_core::run::Run;

/// How many accesses of a stalled thread are observed: many rounds of a loop that does more than wait.
const OBSERVED: u32 = 1 << 18;
/// How many locations are remembered.
const MAX_LOCATIONS: usize = 1 << 14;

/// How many accesses of the running thread are still to be observed.
pub(super) static LEFT: Global<u32> = Global::new(OBSERVED);

/// What a stalled thread has done to a location.
#[derive(Clone, Copy)]
struct Seen {
    /// What it held at first.
    value: u64,
    reads: u32,
    /// It was written, or has held another value.
    changed: bool,
}

/// What a stalled thread accesses.
pub(crate) struct Observation {
    seen: BTreeMap<ByteRange, Seen>,
    /// The thread accesses more locations than are remembered.
    overflowed: bool,
    /// What the run was cut for.
    found: Polled,
}

/// What a stalled thread was found to wait for.
#[derive(Clone, Default, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Polled {
    /// The locations.
    pub(crate) locations: Vec<ByteRange>,
    /// It reads too many locations to tell.
    pub(crate) unknown: bool,
}

impl Observation {
    /// Nothing was observed yet.
    pub(crate) fn new() -> Self {
        Observation { seen: BTreeMap::new(), overflowed: false, found: Polled::default() }
    }

    /// Whether the last run was cut because a thread waits for what it reads.
    pub(crate) fn has_found(&self) -> bool {
        self.found.unknown || !self.found.locations.is_empty()
    }

    /// Takes out what the thread waits for because of which the last run was cut.
    pub(crate) fn take_found(&mut self) -> Polled {
        core::mem::take(&mut self.found)
    }

    /// The thread goes on after all: forgets what was observed of it.
    pub(super) fn forget(&mut self) {
        LEFT.write(OBSERVED);
        self.seen.clear();
        self.overflowed = false;
    }

    /// The thread is about to make an access.
    pub(super) fn note(&mut self, range: ByteRange, write: bool) {
        if self.seen.len() >= MAX_LOCATIONS && !self.seen.contains_key(&range) {
            self.overflowed = true;
            return;
        }
        let value = memory::value_if_any(range);
        let seen = self.seen.entry(range).or_insert(Seen { value, reads: 0, changed: false });
        seen.reads += u32::from(!write);
        seen.changed |= write || seen.value != value;
    }

    /// Ends the observation. Returns whether the thread waits for what it has read, as far as that can be told.
    pub(super) fn conclude(&mut self) -> bool {
        let polled = self.seen.iter().filter(|(_, seen)| seen.reads > 1 && !seen.changed);
        self.found = Polled { locations: polled.map(|(range, _)| *range).collect(), unknown: self.overflowed };
        self.seen.clear();
        self.overflowed = false;
        self.has_found()
    }
}

impl RunData for Observation {
    type Saved = ();
    type Left = Polled;

    fn begin(&mut self, _run: &Run) {
        self.forget();
        self.found = Polled::default();
    }

    /// A thread that comes to a checkpoint makes progress.
    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, run: &Run, (): &()) {
        self.begin(run);
    }

    fn leave(&mut self) -> Polled {
        self.take_found()
    }

    fn adopt(&mut self, found: Polled) {
        self.found = found;
    }
}
