//! Sets of events that are runs: closed under what their events need.

use super::Needs;
use super::order::linearised;
use crate::event::{Object, Step};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// What a predicted run keeps of the run that was made, beside the order of each thread and what its events need of
/// objects other than memory and plain mutexes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Keeps {
    /// What reads find and the order of critical sections: the run can be made, and each of its events is the same.
    All,
    /// The order of critical sections: threads may go another way.
    Sections,
    /// Nothing: critical sections on one mutex may come in another order as well.
    Nothing,
}

/// The least set of events that holds some events and whatever its events need, and, if critical sections keep their
/// order, in which a mutex is given back before it is taken again. Of each thread it has the first events, so that its
/// events are a run, too.
#[derive(Debug)]
pub struct Closure<'n, 't> {
    needs: &'n Needs<'t>,
    keeps: Keeps,
    /// By thread: the number of its events in the set.
    counts: Vec<u32>,
    /// By plain mutex: the last event of the set that takes it.
    last: BTreeMap<Object, u32>,
    /// Events of the set whose needs are still to be looked at.
    open: Vec<u32>,
    /// How many events were added and how many needs looked at.
    steps: u64,
}

impl<'n, 't> Closure<'n, 't> {
    /// The empty set.
    pub fn new(needs: &'n Needs<'t>, keeps: Keeps) -> Self {
        Closure { needs, keeps, counts: vec![0; needs.threads()], last: BTreeMap::new(), open: Vec::new(), steps: 0 }
    }

    /// Adds all events that have to be executed before `event` can be pending, and what they need.
    pub(super) fn add_before(&mut self, event: u32) {
        let needs = self.needs;
        needs.before_it_is_pending(event).for_each(|needed| self.add(needed));
    }

    /// How many steps it took to make the set; questions asked of it do not count.
    pub(super) fn steps_made(&self) -> u64 {
        self.steps
    }

    /// Whether an event is in the set.
    pub fn contains(&self, event: u32) -> bool {
        let thread = self.needs.events()[event as usize].thread.index();
        self.needs.number(event) <= self.counts[thread]
    }

    /// Adds an event and what it needs.
    pub fn add(&mut self, event: u32) {
        self.add_alone(event);
        while let Some(added) = self.open.pop() {
            let needs = self.needs;
            self.steps += 1 + (needs.needed(added).len() + needs.sources(added).len()) as u64;
            needs.needed(added).iter().for_each(|&needed| self.add_alone(needed));
            if self.keeps == Keeps::All {
                needs.sources(added).iter().for_each(|&source| self.add_alone(source));
            }
            if let Some(hold) = needs.hold(added).filter(|_| self.keeps != Keeps::Nothing) {
                // All that take the mutex before the last one that does have to give it back.
                let last = self.last.entry(hold.mutex).or_insert(added);
                let earlier = (*last).min(added);
                *last = (*last).max(added);
                if earlier < *last {
                    let release = needs.hold(earlier).and_then(|hold| hold.release);
                    release.into_iter().for_each(|release| self.add_alone(release));
                }
            }
        }
    }

    /// Adds an event and those before it of its thread.
    fn add_alone(&mut self, event: u32) {
        let thread = self.needs.events()[event as usize].thread.index();
        for number in self.counts[thread]..self.needs.number(event) {
            self.open.push(self.needs.numbered(thread, number + 1));
        }
        self.counts[thread] = self.counts[thread].max(self.needs.number(event));
    }

    /// How many events are in the set.
    pub(super) fn size(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// The events of the set, in their order.
    pub fn events(&self) -> Vec<u32> {
        let threads = self.counts.iter().enumerate();
        let events = threads.flat_map(|(thread, &count)| (1..=count).map(move |number| (thread, number)));
        let mut events: Vec<u32> = events.map(|(thread, number)| self.needs.numbered(thread, number)).collect();
        events.sort_unstable();
        events
    }

    /// The steps of a run of the set's events. If critical sections keep their order, the events come in the order of
    /// the run that was made. Otherwise, they come in an order in which each mutex is free when it is taken and the
    /// threads in `threads` go on one after the other, after all others; `None` if no such order was found.
    pub(super) fn run(&self, threads: &[usize]) -> Option<Vec<Step>> {
        if self.keeps == Keeps::Nothing {
            return linearised(self.needs, &self.counts, threads);
        }
        Some(self.events().into_iter().map(|event| self.needs.step(event)).collect())
    }
}
