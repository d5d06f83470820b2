//! Virtual time along happens-before: a thread's clock is never behind what the clock of a thread that it is ordered
//! after was at that operation.
//!
//! Nothing is done at the operations themselves. Clocks move on only when a thread looks at its clock or sleeps, so it is
//! enough to go through the events since the last such moment then: no clock has moved since they happened. A program
//! that never looks pays nothing.

use super::run_data::RunData;
use crate::platform::clock;
use alloc::collections::BTreeMap;
use inspect_core::event::{Event, Footprint};
use inspect_core::run::Run;

/// When the operations happened that later ones are ordered after.
#[derive(Clone, Default)]
pub(crate) struct Times {
    /// Events taken into account.
    seen: usize,
    /// When each object was written, released or signalled last.
    objects: BTreeMap<u64, u64>,
    /// When each signal and broadcast was sent, by event.
    wakes: BTreeMap<u32, u64>,
}

impl Times {
    /// Brings the clocks up to date with these events of the run.
    pub(super) fn catch_up(&mut self, events: &[Event]) {
        // Until the first clock moves, nobody can be behind.
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
            if let Some(&then) = self.objects.get(&range.start) {
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
