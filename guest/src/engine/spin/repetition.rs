//! Whether the next iteration of a loop would be the one that was logged, and what it is then parked on.

use super::super::memory;
use super::super::parking::Parking;
use super::super::watch_sets::WatchSets;
use super::{Log, MAX_VALUES, MutexUse};
use inspect_core::event::{ByteRange, ControlOperation, Object, Operation};
use inspect_core::run::{MutexWatch, Request};

impl Log {
    /// What to watch of the mutex that the iteration has used: its release, if the attempt to take it failed; its uses
    /// by others, if the loop or another thread takes it by an attempt that can fail; otherwise the end of its life.
    fn watched_mutex(&self, watch_sets: &mut WatchSets) -> Option<MutexWatch> {
        let MutexUse { mutex, held, tried, .. } = self.done.mutex?;
        Some(if held {
            MutexWatch::Free(mutex)
        } else if tried || watch_sets.is_tried(mutex) {
            MutexWatch::Used(mutex)
        } else {
            MutexWatch::Alive(mutex)
        })
    }

    /// What to park on, if the iteration logged here would be repeated as it was.
    pub(super) fn parking(&self, values: &[u64], watch_sets: &mut WatchSets) -> Option<Parking> {
        let seen = &self.seen;
        let balanced = self.done.mutex.is_none_or(|used| used.depth == 0);
        // After a failed attempt the mutex may be given back before or after another operation of the iteration, and no
        // event shows which.
        let refused_before_another = self.done.mutex.is_some_and(|used| used.held) && self.done.operations != 0;
        let same = !self.done.spoiled
            && balanced
            && !refused_before_another
            && !self.looks_for_request_among_others()
            && values.len() <= MAX_VALUES
            && self.done.values[..self.done.count as usize] == *values;
        if !same {
            return None;
        }
        if self.done.operations.count_ones() > 1 {
            let of_operations = seen.iter().enumerate().filter(|(at, _)| self.done.operations >> at & 1 != 0);
            watch_sets.note(of_operations.map(|(_, seen)| seen.0));
        }
        if seen.is_empty() && self.done.first.is_none() {
            return self.parking_for_good();
        }
        let located = |locations: u64| {
            let chosen = seen.iter().enumerate().filter(move |(at, _)| locations >> at & 1 != 0);
            chosen.map(|(at, &location)| (location, self.done.stored >> at & 1 != 0))
        };
        let mut parking = Parking::new(self.done.first?, self.done.first_expected, located(!self.done.unread));
        if parking.watch().is_empty() && self.done.mutex.is_none() {
            // Whatever others do makes no difference to the loop.
            parking = Parking::new(parking.first, parking.expected, [(self.record(), false)].into_iter());
        }
        if parking.watch().iter().any(|&(range, value)| memory::value(range) != value) {
            return None;
        }
        parking.add_unread_stores(located(self.done.unread & self.done.stored).map(|(location, _)| location));
        parking.mutex = self.watched_mutex(watch_sets);
        parking.time_passes_at = self.done.passes_time.then_some(self.done.slept.unwrap_or(parking.first.site));
        Some(parking)
    }

    /// What to park on if the loop does nothing but sleep: its static record, which never changes, so it is never
    /// woken.
    fn parking_for_good(&self) -> Option<Parking> {
        let first = Request::new(Operation::Control(ControlOperation::Yield), self.done.slept?);
        Some(Parking::new(first, [0; 2], [(self.record(), false)].into_iter()))
    }

    /// The loop's static record, which never changes.
    fn record(&self) -> (ByteRange, u64) {
        let record = ByteRange { start: self.done.site, len: 8 };
        (record, memory::value(record))
    }

    /// Whether the iteration has looked for a request to cancel the thread, and has accessed something else. Operations
    /// on locations that a loop watches together become operations on one alias, but those on such a request cannot.
    fn looks_for_request_among_others(&self) -> bool {
        let is_request = |range: ByteRange| Object(range.start).cancelled_thread().is_some();
        self.done.operations.count_ones() > 1 && self.seen.iter().any(|&(range, _)| is_request(range))
    }
}
