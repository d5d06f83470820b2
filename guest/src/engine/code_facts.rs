//! What the instrumented program says about its own code ([`inspect_wire::facts`]), and where each thread is in it, for
//! a search that prunes what cannot lead to a race (`--algorithm pdp`).

use super::attention;
use super::run_data::RunData;
use crate::platform::Global;
use alloc::vec::Vec;
use inspect_core::event::{MAX_THREADS, RecordKind};
use inspect_core::explore::{Facts, RecordCompactor};
use inspect_core::run::Run;
use inspect_wire::facts;

/// Whether the pruning log is wanted.
static WANTED: Global<bool> = Global::new(false);

/// The table of facts: its address and the number of its words.
static TABLE: Global<(u64, u64)> = Global::new((0, 0));

/// How many modules have announced a table of facts.
static TABLES: Global<u32> = Global::new(0);

/// The point that each thread is at. The program announces a point before it does anything there.
pub(super) static POINTS: Global<[u32; MAX_THREADS]> = Global::new([0; MAX_THREADS]);

/// Records of the run that may still be merged with later ones.
pub(super) static NOTES: Global<RecordCompactor> = Global::new(RecordCompactor::new());

/// By point: whether it is [fixed](inspect_core::explore::Point::fixed).
pub(super) static FIXED: Global<Vec<bool>> = Global::new(Vec::new());

/// Turns the pruning log on. Called before the first run.
pub(crate) fn want() {
    WANTED.write(true);
    attention::always(attention::RECORDS);
}

/// Whether the pruning log is wanted.
#[inline(always)]
pub(crate) fn are_wanted() -> bool {
    WANTED.read()
}

/// A module announces its table of facts: the address of its words, and how many there are.
pub(crate) fn note_facts(words: u64, count: u64) {
    TABLE.write((words, count));
    TABLES.write(TABLES.read() + 1);
}

/// What is known of the code; nothing if it is in several modules, whose points would be mixed up.
pub(crate) fn facts() -> Facts {
    let (words, count) = TABLE.read();
    if TABLES.read() != 1 || words == 0 {
        return Facts::default();
    }
    // SAFETY: the pass announces the address of a constant of `count` words, which lives as long as the program.
    let words: Vec<u64> = unsafe { core::slice::from_raw_parts(words as *const u64, count as usize) }.to_vec();
    let facts = facts::decode(&words).unwrap_or_default();
    // SAFETY: no run is in progress, and only hooks read the list.
    *unsafe { FIXED.get() } = facts.points.iter().map(|point| point.fixed).collect();
    facts
}

/// Where the threads are in the code, as a part of the engine. The records themselves are in the trace.
pub(crate) struct PruningLog;

impl RunData for PruningLog {
    type Saved = ();
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        // SAFETY: no thread of the program runs, and only their hooks use it.
        unsafe { NOTES.get() }.forget();
    }

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    /// Each thread is at the point of its last record.
    fn restore(&mut self, run: &Run, (): &()) {
        if !are_wanted() {
            return;
        }
        self.begin(run);
        // SAFETY: no thread of the program runs, and only their hooks use it.
        let points = unsafe { POINTS.get() };
        for record in &run.trace().records {
            if let RecordKind::Point(point) = record.kind {
                points[record.thread.index()] = point;
            }
        }
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
