//! What a thread reads over and over while it comes to no visible operation: a loop that waits for memory whose accesses
//! are no operations (S13).
//!
//! The watchdog says that a thread makes no progress. From then on its plain accesses leave the fast path and are
//! observed. Locations that it reads again and again, that hold the same value each time and that it does not write, are
//! what it may be waiting for: the run is cut, accesses to them become visible, and the search begins anew. The clock
//! decides only whether that happens; the run that is cut counts for nothing, so that the same plan still gives the same
//! trace.

use super::attention::{self, attention, set_attention};
use super::memory;
use super::run_data::RunData;
use super::state::{LAST_SITE, RUNNING, Trouble, with};
use super::step::end_run;
use super::threads::me;
use crate::platform::Global;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use inspect_core::event::{ByteRange, LimitKind, ThreadId};
use inspect_core::run::Run;

/// How many accesses of a stalled thread are observed: many rounds of a loop that does more than wait.
const OBSERVED: u32 = 1 << 18;
/// How many locations are remembered.
const MAX_LOCATIONS: usize = 1 << 14;

/// What a stalled thread has done to a location.
#[derive(Clone, Copy)]
struct Seen {
    /// What it held at first.
    value: u64,
    reads: u32,
    /// It was written, or has held another value.
    changed: bool,
}

/// The observation of a stalled thread.
pub(crate) struct Stall {
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

/// How many accesses of the running thread are still to be observed.
static LEFT: Global<u32> = Global::new(OBSERVED);
/// The same at the last tick.
static LEFT_AT_TICK: Global<u32> = Global::new(OBSERVED);

/// Whether the running thread, which makes no progress, is observed. Called in the handler of the watchdog's timer, at any
/// moment, so it changes nothing but the thread's reasons for attention. A thread that has made no plain access since the
/// last tick is not observed.
pub(crate) fn is_observed() -> bool {
    let left = LEFT.read();
    if !RUNNING.read() || left == 0 {
        return false;
    }
    let begins = attention(me()) & attention::STALLED == 0;
    let goes_on = left != LEFT_AT_TICK.read();
    LEFT_AT_TICK.write(left);
    set_attention(me(), attention::STALLED, true);
    begins || goes_on
}

/// The stalled thread is about to make a plain access that is no operation. Cuts the run once enough was seen.
#[cold]
pub(crate) fn observe(thread: ThreadId, range: ByteRange, write: bool) {
    if LEFT.read() == 0 {
        return;
    }
    LEFT.write(LEFT.read() - 1);
    let cut = with(|engine| {
        engine.stall.note(range, write);
        LEFT.read() == 0 && engine.stall.conclude()
    });
    if cut {
        end_run(Some(Trouble::Stuck(thread, LAST_SITE.read())), LimitKind::Time);
    }
}

/// The thread goes on after all.
#[cold]
pub(crate) fn is_over(thread: ThreadId) {
    set_attention(thread, attention::STALLED, false);
    with(|engine| engine.stall.forget());
}

impl Stall {
    pub(crate) fn new() -> Self {
        Stall { seen: BTreeMap::new(), overflowed: false, found: Polled::default() }
    }

    /// Whether the last run was cut because a thread waits for what it reads.
    pub(crate) fn has_found(&self) -> bool {
        self.found.unknown || !self.found.locations.is_empty()
    }

    /// Takes out what the last run was cut for.
    pub(crate) fn take_found(&mut self) -> Polled {
        core::mem::take(&mut self.found)
    }

    fn forget(&mut self) {
        LEFT.write(OBSERVED);
        self.seen.clear();
        self.overflowed = false;
    }

    fn note(&mut self, range: ByteRange, write: bool) {
        if self.seen.len() >= MAX_LOCATIONS && !self.seen.contains_key(&range) {
            self.overflowed = true;
            return;
        }
        let value = memory::value_if_any(range);
        let seen = self.seen.entry(range).or_insert(Seen { value, reads: 0, changed: false });
        seen.reads += u32::from(!write);
        seen.changed |= write || seen.value != value;
    }

    /// Whether the thread waits for what it has read, as far as can be seen.
    fn conclude(&mut self) -> bool {
        let polled = self.seen.iter().filter(|(_, seen)| seen.reads > 1 && !seen.changed);
        self.found = Polled { locations: polled.map(|(range, _)| *range).collect(), unknown: self.overflowed };
        self.seen.clear();
        self.overflowed = false;
        self.has_found()
    }
}

impl RunData for Stall {
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
