//! Virtual time along happens-before: a thread that hears from another one is not behind what that one's clock was when
//! it spoke.
//!
//! Nothing is done at the operations themselves. Clocks move on only when a thread looks at its clock or sleeps, so it is
//! enough to go through the events since the last such moment then: no clock has moved since they happened. A program
//! that never looks pays nothing.

use super::state::{RUNNING, with};
use crate::platform::clock;
use alloc::collections::BTreeMap;
use inspect_core::event::{Event, Footprint, Touch};

/// What passes on the time.
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
    /// Forgets the last run.
    pub(crate) fn reset(&mut self) {
        self.seen = 0;
        self.objects.clear();
        self.wakes.clear();
    }

    fn catch_up(&mut self, events: &[Event]) {
        // Until the first clock moves, nobody can be behind.
        if clock::moved() {
            for (index, event) in events.iter().enumerate().skip(self.seen) {
                self.pass_on(index as u32, event);
            }
        }
        self.seen = self.seen.max(events.len());
    }

    fn pass_on(&mut self, index: u32, event: &Event) {
        let slot = event.thread.index();
        for (range, touch) in Footprint::of(&event.operation).iter() {
            if let Some(&then) = self.objects.get(&range.start) {
                clock::bring_to(slot, then);
            }
            if leaves_word(touch) {
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

/// Whether later operations on the object hear from this one.
fn leaves_word(touch: Touch) -> bool {
    matches!(touch, Touch::Write | Touch::Lifecycle | Touch::Release | Touch::Wake | Touch::OnceDone)
}

elsewhere!(catch_up_elsewhere() => catch_up);

extern "C" fn catch_up() {
    with(|engine| {
        let events = if engine.watch_sets.is_empty() {
            engine.run.events()
        } else {
            engine.watch_sets.resolve(engine.run.events())
        };
        engine.times.catch_up(events);
    });
}

/// Before a clock moves on: what was said so far is heard at the time that it was then.
pub(crate) fn before_time_passes() {
    if RUNNING.read() {
        catch_up_elsewhere();
    }
}
