//! What each event of a run needs in any order of a part of the run's events, so that it happens again and is the same.
//!
//! An order of a part of the events is a run of the program if each thread takes the same steps as far as it goes, and
//! each step finds what it found in the run that was made. So an event needs
//!
//! - the event before it of its thread, and the one that enabled it ([`Event::enabled_by`]);
//! - if it reads memory: the writes that it reads from;
//! - if it takes a mutex that is only ever locked and unlocked (a *plain* one): nothing, but the order of those that
//!   hold the mutex is kept (see [`Closure`](super::Closure));
//! - of any other object: all earlier events that depend on it.
//!
//! Of the events of one thread that are alike, the last one stands for all, as it needs those before it: so an event
//! needs a few of each thread, however long the run is.
//!
//! The events come in the order of the run. This is sound because dependence covers everything that threads have in
//! common; it is cautious about all objects but memory and plain mutexes.

use super::dependences::Dependences;
use super::mutexes::{Hold, plain_mutexes};
use crate::event::{Event, Object, Step};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

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

impl<'t> Needs<'t> {
    /// The needs of these events, which are those of a whole run or of its beginning.
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
        let (needed, sources) = Dependences::new(&mutexes).of_all(events);
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

    /// The event of the same thread just before `event`.
    pub fn before(&self, event: u32) -> Option<u32> {
        let number = self.number(event);
        let thread = self.events[event as usize].thread.index();
        (number > 1).then(|| self.numbered(thread, number - 1))
    }

    /// The events that `event` needs beside the one before it in its thread and the writes that it reads from.
    pub fn needed(&self, event: u32) -> &[u32] {
        &self.needed[event as usize]
    }

    /// The writes that `event` reads from.
    pub fn sources(&self, event: u32) -> &[u32] {
        &self.sources[event as usize]
    }

    /// The plain mutex that `event` takes.
    pub fn hold(&self, event: u32) -> Option<Hold> {
        self.holds[event as usize]
    }

    /// What `event` needs before it is pending. If it is an access or takes a plain mutex, it can be pending without
    /// being executed: whatever else it needs is needed for its execution only.
    pub(super) fn before_it_is_pending(&self, event: u32) -> impl Iterator<Item = u32> + use<> {
        let enabled_by = self.events[event as usize].enabled_by.map(|by| by.0);
        self.before(event).into_iter().chain(enabled_by)
    }

    /// The step by which a run makes `event` again.
    pub(super) fn step(&self, event: u32) -> Step {
        let Event { thread, choice, .. } = self.events[event as usize];
        Step { thread, choice }
    }

    /// By event: the plain mutexes that its thread holds before it.
    pub(super) fn held(&self) -> Vec<BTreeSet<Object>> {
        let mut held = alloc::vec![BTreeSet::new(); self.threads()];
        let mut releases: BTreeMap<u32, Object> = BTreeMap::new();
        let mut all = Vec::with_capacity(self.events.len());
        for (position, event) in self.events.iter().enumerate() {
            let held: &mut BTreeSet<Object> = &mut held[event.thread.index()];
            all.push(held.clone());
            if let Some(hold) = self.holds[position] {
                held.insert(hold.mutex);
                releases.extend(hold.release.map(|release| (release, hold.mutex)));
            }
            if let Some(mutex) = releases.remove(&(position as u32)) {
                held.remove(&mutex);
            }
        }
        all
    }
}
