//! Values that reports show beside the events of a run.

use super::run_data::{RunData, refill};
use alloc::vec::Vec;
use inspect_core::event::ByteRange;
use inspect_core::run::Run;
use inspect_wire::message::ReportedValues;
use serde::{Deserialize, Serialize};

/// Values in memory, recorded where the host wants them.
pub(crate) struct TraceValues {
    /// By event, of threads with [`super::attention::VALUES`]; may be shorter than the list of events.
    pub(crate) by_event: Vec<ReportedValues>,
    /// Ranges whose contents at the end of each run are reported, if the traces of all runs are.
    pub(crate) ranges: Option<Vec<ByteRange>>,
    /// What they held at the end of the last run.
    pub(crate) contents: Vec<u64>,
}

/// What a run has recorded.
#[derive(Serialize, Deserialize)]
pub(crate) struct RecordedValues {
    by_event: Vec<ReportedValues>,
    contents: Vec<u64>,
}

impl TraceValues {
    /// No values yet. `ranges` are those whose contents are reported at the end of each run, if the traces of all runs
    /// are reported.
    pub(crate) fn new(ranges: Option<Vec<ByteRange>>) -> Self {
        TraceValues { by_event: Vec::new(), ranges, contents: Vec::new() }
    }

    /// The values of the run just made, one entry for each of its events.
    pub(crate) fn take_values(&mut self, events: usize) -> Vec<ReportedValues> {
        let mut values = core::mem::take(&mut self.by_event);
        values.resize(events, ReportedValues { before: 0, after: 0 });
        values
    }
}

impl RunData for TraceValues {
    /// The values by event; contents are read at the end of a run.
    type Saved = Vec<ReportedValues>;
    type Left = RecordedValues;

    fn begin(&mut self, _run: &Run) {
        self.by_event.clear();
    }

    fn save(&mut self, _run: &Run, saved: &mut Vec<ReportedValues>) -> bool {
        refill(saved, &self.by_event);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Vec<ReportedValues>) {
        refill(&mut self.by_event, saved);
    }

    fn leave(&mut self) -> RecordedValues {
        RecordedValues { by_event: core::mem::take(&mut self.by_event), contents: core::mem::take(&mut self.contents) }
    }

    fn adopt(&mut self, left: RecordedValues) {
        (self.by_event, self.contents) = (left.by_event, left.contents);
    }
}
