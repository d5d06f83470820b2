//! Races in orders of a run's events that keep the order of its critical sections.
//!
//! Umang Mathur, Andreas Pavlogiannis, Mahesh Viswanathan: "Optimal Prediction of Synchronization-Preserving Races",
//! POPL 2021. Claim: whether a part of a run's events can be made, in their order, such that two conflicting accesses
//! are both about to happen, all critical sections on one mutex stay in their order, and each read finds what it found,
//! is decided by the least set of events that contains what comes before the two accesses and is closed under what its
//! events need; it can be decided for all pairs in time linear in the run. There is such a race iff neither access is
//! in the set.
//!
//! Departures: runs have more than reads, writes and mutexes; what they need is in [`Needs`]. The paper closes one set
//! for all pairs of a thread and a location step by step; here each pair has its own, of so many pairs at most, one
//! for each pair of source locations that was not predicted yet: a prediction is only wanted once. And as what is
//! predicted is run, sets that keep less ([`Keeps`]) can be tried as well: most programs do not depend on all that they
//! read, but whether a thread still comes to its access is not known before.

use super::order::linearised;
use super::{Needs, PredictedKind, Prediction};
use crate::event::{EventIndex, Object, SiteId, Step, ThreadId};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// What a predicted run keeps of the run that was made, beside the order of each thread and what events need.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Keeps {
    /// What reads find and the order of critical sections: the run can be made, and each event is the same.
    All,
    /// The order of critical sections: threads may go another way.
    Sections,
    /// Nothing: critical sections on one mutex may come in another order as well.
    Nothing,
}

/// The least set of events that holds some events and whatever its events need, and in which a mutex is given back
/// before it is taken again. Of each thread it has the first events, so it is a run, in the order of the whole one.
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
}

impl<'n, 't> Closure<'n, 't> {
    /// The empty set.
    pub fn new(needs: &'n Needs<'t>, keeps: Keeps) -> Self {
        Closure { needs, keeps, counts: vec![0; needs.threads()], last: BTreeMap::new(), open: Vec::new() }
    }

    /// The least set with all that has to be executed before each of these events can be about to happen.
    pub fn before(needs: &'n Needs<'t>, keeps: Keeps, events: &[u32]) -> Self {
        let mut closure = Closure::new(needs, keeps);
        for &event in events {
            needs.before_it_is_pending(event).for_each(|needed| closure.add(needed));
        }
        closure
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

    /// The events of the set, in their order.
    pub fn events(&self) -> Vec<u32> {
        (0..self.needs.events().len() as u32).filter(|&event| self.contains(event)).collect()
    }

    /// The steps of a run of the events of the set: in their order, or else in an order in which each mutex is free
    /// when it is taken and these threads go on one after the other as far as they can, if that is one.
    pub(super) fn steps(&self, threads: &[usize]) -> Option<Vec<Step>> {
        if self.keeps == Keeps::Nothing {
            return linearised(self.needs, &self.counts, threads);
        }
        Some(self.events().into_iter().map(|event| self.needs.step(event)).collect())
    }
}

/// Accesses that race: on the same bytes, by two threads, one of them plain and one of them a write.
fn conflict(needs: &Needs<'_>, one: u32, other: u32) -> bool {
    let of = |event: u32| &needs.events()[event as usize];
    let (a, b) = (of(one), of(other));
    let (Some((bytes, mode)), Some((other_bytes, other_mode))) = (a.operation.access(), b.operation.access()) else {
        return false;
    };
    a.thread != b.thread
        && bytes.overlaps(other_bytes)
        && (mode.is_plain() || other_mode.is_plain())
        && (mode.writes() || other_mode.writes())
}

/// The prediction that two accesses race, if there is an order that keeps critical sections in which they do.
fn race(needs: &Needs<'_>, keeps: Keeps, one: u32, other: u32) -> Option<Prediction> {
    let closure = Closure::before(needs, keeps, &[one, other]);
    if closure.contains(one) || closure.contains(other) {
        return None;
    }
    let thread = |event: u32| needs.events()[event as usize].thread.index();
    let mut steps =
        closure.steps(&[thread(one), thread(other)]).or_else(|| closure.steps(&[thread(other), thread(one)]))?;
    steps.extend([needs.step(one), needs.step(other)]);
    Some(Prediction { kind: PredictedKind::Race, events: vec![EventIndex(one), EventIndex(other)], steps })
}

/// The races of a run, one for each pair of source locations, after so many pairs of accesses at most. `is_known` says
/// of a pair of locations, the lower one first, that it need not be predicted.
pub fn races(
    needs: &Needs<'_>,
    keeps: Keeps,
    pairs: usize,
    is_known: &dyn Fn(SiteId, SiteId) -> bool,
) -> Vec<Prediction> {
    /// How many pairs of accesses at the same two locations are looked at.
    const TRIES: u32 = 4;
    let site = |event: u32| needs.events()[event as usize].site;
    let mut left = pairs;
    let mut tried: BTreeMap<(SiteId, SiteId), u32> = BTreeMap::new();
    let mut found = Vec::new();
    let mut shown = BTreeSet::new();
    for (one, other) in conflicting(needs) {
        let key = (site(one).min(site(other)), site(one).max(site(other)));
        let tries = tried.entry(key).or_default();
        if left == 0 || *tries == TRIES || shown.contains(&key) || is_known(key.0, key.1) {
            continue;
        }
        *tries += 1;
        left -= 1;
        if let Some(race) = race(needs, keeps, one, other) {
            shown.insert(key);
            found.push(race);
        }
    }
    found
}

/// Pairs of accesses that could race, the earlier one first: of a thread's accesses at one source location, the last
/// two before each access of another thread.
fn conflicting(needs: &Needs<'_>) -> Vec<(u32, u32)> {
    /// By thread and source location, the last two accesses.
    type Accesses = BTreeMap<(ThreadId, SiteId), [Option<u32>; 2]>;
    let mut by_granule: BTreeMap<u64, Accesses> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    for (position, event) in needs.events().iter().enumerate() {
        let Some((range, _)) = event.operation.access() else { continue };
        for granule in [range.start >> 3, (range.end() - 1) >> 3] {
            let there = by_granule.entry(granule).or_default();
            let position = position as u32;
            let earlier = there.values().flatten().flatten().filter(|&&one| conflict(needs, one, position));
            pairs.extend(earlier.map(|&one| (one, position)));
            let own = there.entry((event.thread, event.site)).or_default();
            if own[1] != Some(position) {
                *own = [own[1], Some(position)];
            }
        }
    }
    pairs.into_iter().collect()
}
