//! What each event of a run needs in any order of a part of the run's events, so that it happens again and is the same.
//!
//! An order of a part of the events is a run of the program if each thread takes the same steps as far as it goes, and
//! each step finds what it found in the run that was made. So an event needs
//!
//! - the event before it of its thread, and the one that enabled it ([`Event::enabled_by`]);
//! - if it reads memory: the writes that it reads from;
//! - if it takes a mutex that is only ever locked and unlocked: nothing, but the order of those that hold the mutex is
//!   kept (see [`Closure`](super::Closure));
//! - of any other object: all earlier events that depend on it.
//!
//! The events come in the order of the run. This is sound because dependence covers everything that threads have in
//! common; it is cautious about all objects but memory and plain mutexes.

use crate::event::{ByteRange, Releases};
use crate::event::{Event, Footprint, HoldChange, Object, Operation, Step, ThreadId, Touch};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// A mutex taken by an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// The mutex.
    pub mutex: Object,
    /// The event that gives it back, if one does.
    pub release: Option<u32>,
}

/// What the events of a run need.
#[derive(Debug)]
pub struct Needs<'t> {
    events: &'t [Event],
    /// By event: its number among those of its thread, from 1.
    numbers: Vec<u32>,
    /// By thread: its events.
    threads: Vec<Vec<u32>>,
    /// By event: which it needs beside the one before it of its thread and what it reads from.
    needed: Vec<Vec<u32>>,
    /// By event: the writes that it reads from.
    sources: Vec<Vec<u32>>,
    /// By event: the plain mutex that it takes, if it takes one.
    holds: Vec<Option<Hold>>,
}

/// Whether an operation only accesses memory.
fn is_access(operation: &Operation) -> bool {
    let names_objects = operation.objects().iter().any(Option::is_some);
    operation.access().is_some() && operation.footprint().parts()[1].is_none() && !names_objects
}

/// Whether an access finds what was written before it.
fn reads(operation: &Operation) -> bool {
    let only_stores = match operation.releases() {
        Releases::Memory { update, .. } => !update,
        Releases::Nothing
        | Releases::Object(_)
        | Releases::Enabled { .. }
        | Releases::Forgets(..)
        | Releases::Thread(_) => false,
    };
    !only_stores && !operation.access().is_some_and(|(_, mode)| mode.writes() && mode.is_plain())
}

/// The mutex that an operation takes or gives back, if it does nothing else.
fn locked(operation: &Operation) -> Option<(Object, HoldChange)> {
    let (mutex, change) = operation.hold()?;
    let alone = operation.footprint().parts()[1].is_none() && operation.objects()[1].is_none();
    let is_plain = match change {
        HoldChange::Takes => operation.need().is_mutex(mutex),
        HoldChange::Gives => true,
        HoldChange::Clears => false,
    };
    (alone && is_plain).then_some((mutex, change))
}

/// The events that take each plain mutex, with those that give it back. A mutex is plain if it is locked and unlocked
/// by turns, each time by the same thread, and whatever else is done to it comes before all that or after it.
fn plain_mutexes(events: &[Event]) -> BTreeMap<Object, Vec<(u32, Option<u32>)>> {
    let mut all: BTreeMap<Object, Vec<(u32, Option<u32>)>> = BTreeMap::new();
    let (mut over, mut others) = (BTreeSet::new(), BTreeSet::new());
    for (position, event) in events.iter().enumerate() {
        let position = position as u32;
        let is_plain = match locked(&event.operation) {
            Some((mutex, HoldChange::Takes)) => {
                let holds = all.entry(mutex).or_default();
                let is_free = holds.last().is_none_or(|(_, release)| release.is_some());
                holds.push((position, None));
                is_free && !over.contains(&mutex)
            }
            Some((mutex, HoldChange::Gives)) => {
                let last = all.entry(mutex).or_default().last_mut();
                let own =
                    last.filter(|(taken, release)| release.is_none() && events[*taken as usize].thread == event.thread);
                let is_own = own.is_some();
                own.into_iter().for_each(|(_, release)| *release = Some(position));
                is_own && !over.contains(&mutex)
            }
            Some((_, HoldChange::Clears)) | None => {
                let touched = event.operation.footprint().iter().map(|(range, _)| Object(range.start));
                over.extend(touched.filter(|object| all.contains_key(object)));
                true
            }
        };
        others.extend(locked(&event.operation).map(|(mutex, _)| mutex).filter(|_| !is_plain));
    }
    all.retain(|mutex, _| !others.contains(mutex));
    all
}

impl<'t> Needs<'t> {
    /// What these events need, which are those of a whole run or of its beginning.
    pub fn new(events: &'t [Event]) -> Needs<'t> {
        let (mut numbers, mut threads) = (Vec::new(), Vec::<Vec<u32>>::new());
        for (position, event) in events.iter().enumerate() {
            if threads.len() <= event.thread.index() {
                threads.resize(event.thread.index() + 1, Vec::new());
            }
            let own = &mut threads[event.thread.index()];
            own.push(position as u32);
            numbers.push(own.len() as u32);
        }
        let mutexes = plain_mutexes(events);
        let mut holds = alloc::vec![None; events.len()];
        for (&mutex, taken) in &mutexes {
            taken.iter().for_each(|&(position, release)| holds[position as usize] = Some(Hold { mutex, release }));
        }
        let (needed, sources) = Dependences { mutexes, ..Dependences::default() }.of_all(events);
        Needs { events, numbers, threads, needed, sources, holds }
    }

    /// The events.
    pub fn events(&self) -> &'t [Event] {
        self.events
    }

    /// How many threads have an event.
    pub(super) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// The number of an event among those of its thread, from 1.
    pub(super) fn number(&self, event: u32) -> u32 {
        self.numbers[event as usize]
    }

    /// The event of a thread with this number.
    pub(super) fn numbered(&self, thread: usize, number: u32) -> u32 {
        self.threads[thread][number as usize - 1]
    }

    /// The event before it of its thread.
    pub fn before(&self, event: u32) -> Option<u32> {
        let number = self.number(event);
        let thread = self.events[event as usize].thread.index();
        (number > 1).then(|| self.numbered(thread, number - 1))
    }

    /// Which events it needs beside the one before it of its thread and what it reads from.
    pub fn needed(&self, event: u32) -> &[u32] {
        &self.needed[event as usize]
    }

    /// The writes that it reads from.
    pub fn sources(&self, event: u32) -> &[u32] {
        &self.sources[event as usize]
    }

    /// The plain mutex that it takes.
    pub fn hold(&self, event: u32) -> Option<Hold> {
        self.holds[event as usize]
    }

    /// What it needs before it is about to happen; it is executed by none of that, if it is an access or takes a plain
    /// mutex.
    pub(super) fn before_it_is_pending(&self, event: u32) -> impl Iterator<Item = u32> + use<> {
        let enabled_by = self.events[event as usize].enabled_by.map(|by| by.0);
        self.before(event).into_iter().chain(enabled_by)
    }

    /// The step that an event was.
    pub(super) fn step(&self, event: u32) -> Step {
        let Event { thread, choice, .. } = self.events[event as usize];
        Step { thread, choice }
    }

    /// The plain mutexes that the thread of an event holds before it.
    pub(super) fn held_before(&self, event: u32) -> impl Iterator<Item = Object> {
        let thread: ThreadId = self.events[event as usize].thread;
        let own = &self.threads[thread.index()][..self.number(event) as usize - 1];
        let holds = own.iter().filter_map(|&other| self.hold(other));
        holds.filter(move |hold| hold.release.is_none_or(|release| release > event)).map(|hold| hold.mutex)
    }
}

/// Earlier events on which later ones depend.
#[derive(Default)]
struct Dependences {
    mutexes: BTreeMap<Object, Vec<(u32, Option<u32>)>>,
    /// By a granule of memory or an object: the events that touch it.
    touched: BTreeMap<u64, Vec<u32>>,
}

impl Dependences {
    /// By event: which it needs, and which it reads from.
    fn of_all(mut self, events: &[Event]) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let (mut all, mut all_sources) = (Vec::with_capacity(events.len()), Vec::with_capacity(events.len()));
        for (position, event) in events.iter().enumerate() {
            let (mut needed, mut sources): (Vec<u32>, _) =
                (event.enabled_by.iter().map(|by| by.0).collect(), Vec::new());
            for part in event.operation.footprint().iter() {
                self.of_part(events, event, part, &mut needed, &mut sources);
            }
            for (range, _) in event.operation.footprint().iter() {
                granules(range).for_each(|granule| self.touched.entry(granule).or_default().push(position as u32));
            }
            for found in [&mut needed, &mut sources] {
                found.sort_unstable();
                found.dedup();
            }
            all.push(needed);
            all_sources.push(sources);
        }
        (all, all_sources)
    }

    /// Adds what an event needs for one of the objects that it touches.
    fn of_part(
        &self,
        events: &[Event],
        event: &Event,
        part: (ByteRange, Touch),
        needed: &mut Vec<u32>,
        sources: &mut Vec<u32>,
    ) {
        let range = part.0;
        let (accesses, finds) = (is_access(&event.operation), reads(&event.operation));
        let is_lock = locked(&event.operation).is_some_and(|(mutex, _)| self.mutexes.contains_key(&mutex));
        for granule in granules(range) {
            for &earlier in self.touched.get(&granule).map_or(&[][..], Vec::as_slice).iter().rev() {
                let other = &events[earlier as usize].operation;
                let conflicts = Footprint::of(other)
                    .iter()
                    .any(|(bytes, touch)| bytes.overlaps(range) && touch.conflicts_in(part.1, bytes == range));
                let both_access = accesses && is_access(other);
                let written = other.access().filter(|(_, mode)| both_access && mode.writes());
                // The order of locks is kept, the order of writes as well, and what writes find is not looked at.
                if conflicts && !both_access && !(is_lock && locked(other).is_some()) {
                    needed.push(earlier);
                }
                if conflicts && finds && written.is_some() {
                    sources.push(earlier);
                }
                if finds && written.is_some_and(|(bytes, _)| bytes.start <= range.start && range.end() <= bytes.end()) {
                    break;
                }
            }
        }
    }
}

/// What a range is filed under: the eight bytes around each of its bytes, or all of memory if there are too many.
fn granules(range: ByteRange) -> impl Iterator<Item = u64> {
    (range.start >> 3)..=((range.end() - 1) >> 3)
}
