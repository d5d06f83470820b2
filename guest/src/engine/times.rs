//! Virtual time along dependence: if an operation of one thread comes before one of another that is dependent on it, or
//! that it enables, the clock of the second thread shows no earlier time at its operation than that of the first did
//! at its own. Real time never runs backwards: whoever finds what another thread has done, finds it later, also where
//! that orders nothing else, as at a failed `trylock`. Operations that commute say nothing of each other's time.
//!
//! Nothing is done at the operations themselves. Clocks move on only when a thread reads its clock or sleeps, so it is
//! enough to go through the events since the last such moment then: no clock has moved since they happened. A program
//! that never reads a clock pays nothing.

use super::run_data::RunData;
use crate::platform::clock::{self, ClockTime};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use inspect_core::event::{Event, Footprint, Touch};
use inspect_core::run::Run;

/// The virtual times of the operations on which later ones may depend.
#[derive(Clone, Default)]
pub(crate) struct Times {
    /// How many events of the run are taken into account.
    seen: usize,
    /// When each object was touched last in each way.
    objects: BTreeMap<u64, Vec<(Touch, ClockTime)>>,
    /// When each event took place that may have enabled a later one: all but accesses to memory.
    enabling: BTreeMap<u32, ClockTime>,
}

impl Times {
    /// Brings the clocks up to date with these events of the run.
    pub(super) fn catch_up(&mut self, events: &[Event]) {
        // Until the first clock moves, all show the same.
        if clock::moved() {
            for (index, event) in events.iter().enumerate().skip(self.seen) {
                self.take_in(index as u32, event);
            }
        }
        self.seen = self.seen.max(events.len());
    }

    fn take_in(&mut self, index: u32, event: &Event) {
        let slot = event.thread.index();
        if let Some(&then) = event.enabled_by.and_then(|by| self.enabling.get(&(by.index() as u32))) {
            clock::bring_to(slot, then);
        }
        for (range, touch) in Footprint::of(&event.operation).iter() {
            let touches = self.objects.entry(range.start).or_default();
            for &(_, then) in touches.iter().filter(|(earlier, _)| touch.conflicts(*earlier)) {
                clock::bring_to(slot, then);
            }
            let now = clock::moment(slot);
            match touches.iter_mut().find(|(kind, _)| *kind == touch) {
                Some((_, last)) => last.join(now),
                None => touches.push((touch, now)),
            }
        }
        if event.operation.access().is_none() {
            self.enabling.insert(index, clock::moment(slot));
        }
    }
}

impl RunData for Times {
    type Saved = Times;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.seen = 0;
        self.objects.clear();
        self.enabling.clear();
    }

    fn save(&mut self, _run: &Run, saved: &mut Times) -> bool {
        saved.clone_from(self);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Times) {
        self.clone_from(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
