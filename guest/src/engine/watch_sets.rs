//! Locations that a waiting loop watches together.
//!
//! A parked loop that watches several locations is woken by the first of them that changes: any one of several writes
//! enables it, and which one did is not a matter of the events alone. Happens-before knows enabling by one event only.
//! So the locations that some loop watches together form a watch set, and operations on any of them are shown to the
//! search as operations on one made-up location, the set's *alias*: then the writes to them are ordered, the first that
//! changes something is the one that enables, and reversing it against the others is reversing writes of one location.
//! That is more dependence than necessary, never less.
//!
//! The search begins anew when such a loop is first seen, as it does when a location is promoted. Detectors and reports
//! see the real locations.

use super::run_data::RunData;
use alloc::vec::Vec;
use inspect_core::event::{ByteRange, Event, MAX_THREADS, Object, Operation, Pending, ThreadId};
use inspect_core::run::Run;
use serde::{Deserialize, Serialize};

/// The member, of no bytes, that stands for a mutex under which some loop polls and which some thread tries to take. It
/// is a watch set of its own.
fn mark(mutex: Object) -> ByteRange {
    ByteRange { start: mutex.0, len: 0 }
}

/// The watch sets, and the real locations of a run's operations.
pub(crate) struct WatchSets {
    /// Locations, each with the number of its set.
    members: Vec<(ByteRange, u64)>,
    /// Locations watched together in this run that are not in one set yet.
    found: Vec<Vec<ByteRange>>,
    /// What the search has seen of mutexes so far.
    mutexes: MutexesSeen,
    /// The number of the next set.
    next: u64,
    /// The location of each thread's present operation, if the scheduler sees an alias of it.
    real: [Option<ByteRange>; MAX_THREADS],
    /// The events so far with real locations; recorded while there are watch sets.
    events: Vec<Event>,
}

/// The mutexes that matter for loops which take and give back a mutex in each iteration. Other threads notice that only
/// by trying to take the mutex at the wrong moment; so where nobody tries, such a loop does not wake others of its
/// kind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct MutexesSeen {
    /// Those that some loop polls under.
    polled: Vec<Object>,
    /// Those that some thread has tried to take without waiting.
    tried: Vec<Object>,
}

/// The part of [`WatchSets`] that a run changes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WatchedInRun {
    found: Vec<Vec<ByteRange>>,
    mutexes: MutexesSeen,
    real: Vec<Option<ByteRange>>,
    events: Vec<Event>,
}

impl WatchSets {
    /// There are no watch sets yet.
    pub(crate) fn new() -> Self {
        let real = [None; MAX_THREADS];
        let (members, found, mutexes) = (Vec::new(), Vec::new(), MutexesSeen::default());
        WatchSets { members, found, mutexes, next: 0, real, events: Vec::new() }
    }

    /// All locations with the numbers of their sets, for another process.
    pub(crate) fn members(&self) -> &[(ByteRange, u64)] {
        &self.members
    }

    /// Takes over the watch sets that another process has found.
    pub(crate) fn set_members(&mut self, members: Vec<(ByteRange, u64)>) {
        self.next = members.iter().map(|member| member.1 + 1).max().unwrap_or(0);
        self.members = members;
        self.sort();
    }

    /// Whether there are no watch sets.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The real location of a thread's present operation, if the scheduler sees an alias of it.
    pub(crate) fn real(&self, thread: usize) -> Option<ByteRange> {
        self.real[thread]
    }

    /// A loop watches these locations together: if they are not in one set yet, they are to become one.
    #[cold]
    pub(crate) fn note(&mut self, watch: impl Iterator<Item = ByteRange>) {
        let set = |range: ByteRange| self.members.iter().find(|member| member.0 == range).map(|member| member.1);
        let mut ranges: Vec<ByteRange> = watch.collect();
        let first = ranges.first().and_then(|&range| set(range));
        if first.is_some() && ranges.iter().all(|&range| set(range) == first) {
            return;
        }
        ranges.sort();
        if !self.found.contains(&ranges) {
            self.found.push(ranges);
        }
    }

    /// A loop polls under the mutex. Returns whether the search knows that threads try to take it.
    pub(crate) fn is_tried(&mut self, mutex: Object) -> bool {
        if !self.mutexes.polled.contains(&mutex) {
            self.mutexes.polled.push(mutex);
        }
        self.note_polled_and_tried(mutex);
        self.members.iter().any(|member| member.0 == mark(mutex))
    }

    /// A thread tries to take the mutex.
    pub(crate) fn note_tried(&mut self, mutex: Object) {
        if !self.mutexes.tried.contains(&mutex) {
            self.mutexes.tried.push(mutex);
            self.note_polled_and_tried(mutex);
        }
    }

    /// Marks a mutex that is polled under and tried: the search begins anew.
    fn note_polled_and_tried(&mut self, mutex: Object) {
        let MutexesSeen { polled, tried } = &self.mutexes;
        let marked = self.members.iter().any(|member| member.0 == mark(mutex));
        if polled.contains(&mutex)
            && tried.contains(&mutex)
            && !marked
            && !self.found.contains(&alloc::vec![mark(mutex)])
        {
            self.found.push(alloc::vec![mark(mutex)]);
        }
    }

    /// The operation with the alias of its location that the search is to see, if the location is in a watch set.
    pub(crate) fn alias(&mut self, thread: ThreadId, operation: Operation) -> Operation {
        self.real[thread.index()] = None;
        let Some(range) = operation.bytes() else { return operation };
        let Some(&(member, set)) = self.members.iter().find(|member| member.0.len > 0 && member.0.overlaps(range))
        else {
            return operation;
        };
        let inside = member.start <= range.start && range.end() <= member.end();
        if !inside {
            // Touches more than the member: what it touches joins the set.
            let mut ranges = alloc::vec![member, range];
            ranges.sort();
            if !self.found.contains(&ranges) {
                self.found.push(ranges);
            }
        }
        self.real[thread.index()] = Some(range);
        operation.seen_at(ByteRange::alias(set as u32))
    }

    /// The events with their real locations, given all events of the run so far.
    #[inline(always)]
    pub(crate) fn resolve<'a>(&'a mut self, events: &'a [Event]) -> &'a [Event] {
        if self.is_empty() { events } else { self.resolve_new(events) }
    }

    fn resolve_new(&mut self, events: &[Event]) -> &[Event] {
        for event in &events[self.events.len()..] {
            let mut event = *event;
            if let Some(range) = self.real[event.thread.index()] {
                event.operation = event.operation.seen_at(range);
            }
            self.events.push(event);
        }
        &self.events
    }

    /// Exchanges the run's events with those that have real locations, or back.
    pub(crate) fn exchange(&mut self, events: &mut Vec<Event>) {
        core::mem::swap(events, &mut self.events);
    }

    /// Gives pending operations their real locations.
    pub(crate) fn resolve_pending(&self, pending: &mut [Pending]) {
        for pending in pending {
            if let Some(range) = self.real[pending.thread.index()] {
                pending.operation = pending.operation.seen_at(range);
            }
        }
    }

    /// Whether this run has shown locations that are to be watched together.
    pub(crate) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Makes watch sets of what was found. Returns whether there was anything.
    pub(crate) fn merge_found(&mut self) -> bool {
        let found = core::mem::take(&mut self.found);
        for ranges in &found {
            let number = self.next;
            self.next += 1;
            for &range in ranges {
                let touching: Vec<u64> = self
                    .members
                    .iter()
                    .filter(|member| range.len > 0 && member.0.overlaps(range))
                    .map(|member| member.1)
                    .collect();
                for member in self.members.iter_mut().filter(|member| touching.contains(&member.1)) {
                    member.1 = number;
                }
                if !self.members.contains(&(range, number)) {
                    self.members.push((range, number));
                }
            }
        }
        self.sort();
        !found.is_empty()
    }

    /// The longest first, so that what lies inside one member is found inside it.
    fn sort(&mut self) {
        self.members.sort_by_key(|member| (core::cmp::Reverse(member.0.len), *member));
    }
}

impl RunData for WatchSets {
    type Saved = ();
    type Left = WatchedInRun;

    fn begin(&mut self, _run: &Run) {
        self.real = [None; MAX_THREADS];
        self.events.clear();
    }

    /// Loops that watch several locations are rare: no checkpoint is taken where there are some.
    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        self.is_empty()
    }

    fn restore(&mut self, run: &Run, (): &()) {
        self.begin(run);
    }

    fn leave(&mut self) -> WatchedInRun {
        let events = if self.is_empty() { Vec::new() } else { core::mem::take(&mut self.events) };
        let mutexes = core::mem::take(&mut self.mutexes);
        WatchedInRun { found: core::mem::take(&mut self.found), mutexes, real: self.real.to_vec(), events }
    }

    fn adopt(&mut self, left: WatchedInRun) {
        self.found = left.found;
        self.mutexes = left.mutexes;
        self.real.copy_from_slice(&left.real);
        self.events = left.events;
    }
}
