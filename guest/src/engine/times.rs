//! Virtual time along happens-before: if an operation of one thread happens before one of another, the clock of the
//! second thread shows no earlier time at its operation than the clock of the first did at its own.
//!
//! Nothing is done at the operations themselves. Clocks move on only when a thread reads its clock or sleeps, so it is
//! enough to go through the events since the last such moment then: no clock has moved since they happened. A program
//! that never reads a clock pays nothing.

use super::run_data::RunData;
use crate::platform::clock;
use alloc::collections::BTreeMap;
use inspect_core::event::{Event, Footprint};
use inspect_core::run::Run;

/// The virtual times of the operations after which later ones are ordered.
#[derive(Clone, Default)]
pub(crate) struct Times {
    /// How many events of the run are taken into account.
    seen: usize,
    /// When each object was written, released or signalled last.
    objects: BTreeMap<u64, u64>,
    /// When each signal and broadcast was sent, by event.
    wakes: BTreeMap<u32, u64>,
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
        for (range, touch) in Footprint::of(&event.operation).iter() {
            if let Some(&then) = self.objects.get(&{ range.start }) {
                clock::bring_to(slot, then);
            }
            if touch.is_followed_in_time() {
                let now = clock::of(slot);
                self.objects.insert(range.start, now);
            }
        }
        if event.operation.signals().is_some() {
            self.wakes.insert(index, clock::of(slot));
        }
        if let Some(&then) = event.enabled_by.and_then(|by| self.wakes.get(&(by.index() as u32))) {
            clock::bring_to(slot, then);
        }
    }
}

impl RunData for Times {
    type Saved = Times;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.seen = 0;
        self.objects.clear();
        self.wakes.clear();
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
