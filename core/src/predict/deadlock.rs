//! Deadlocks in orders of a run's events that keep the order of its critical sections.
//!
//! Hünkar Can Tunç, Umang Mathur, Andreas Pavlogiannis, Mahesh Viswanathan: "Sound Dynamic Deadlock Prediction in
//! Linear Time", PLDI 2023. Claim: a cycle of locks, each requested by a thread that holds the one before it while no
//! two of the threads hold a mutex in common, is a deadlock in an order that keeps critical sections iff none of the
//! requests is in the least closed set that contains what comes before all of them. Requests by one thread of one mutex
//! with the same mutexes held are one abstract request; whether an abstract cycle has such a deadlock is decided in
//! time linear in the run, as the set grows with the requests ([`together`]).
//!
//! Departures: abstract requests differ by source location as well, as one deadlock is wanted for each set of these.
//! Only cycles of at most four threads are looked for, and as many as the budget allows; in each run the search begins
//! with another request.

use super::closure::Keeps;
use super::memory::{Actor, Memory};
use super::together::together;
use super::{Needs, PredictedKind, Prediction};
use crate::event::{EventIndex, Object, SiteId};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// The most threads of a cycle that is looked for.
const LONGEST: usize = 4;
/// The search for cycles may take this part of the budget: one step in so many.
const PART_OF_SEARCH: u64 = 4;

/// An abstract request: the events by which one thread locks one mutex at one source location, while it holds the same
/// others.
pub(super) struct Request {
    actor: Actor,
    mutex: Object,
    held: BTreeSet<Object>,
    /// In the order of the run.
    events: Vec<u32>,
}

/// The abstract requests of a run.
pub(super) fn requests(needs: &Needs<'_>) -> Vec<Request> {
    let mut numbers: BTreeMap<(Actor, Object, BTreeSet<Object>), usize> = BTreeMap::new();
    let mut all: Vec<Request> = Vec::new();
    for (position, held) in needs.held().into_iter().enumerate().filter(|(_, held)| !held.is_empty()) {
        let position = position as u32;
        let (Some(hold), event) = (needs.hold(position), &needs.events()[position as usize]) else { continue };
        let actor = Actor { site: event.site, thread: event.thread };
        let number = *numbers.entry((actor, hold.mutex, held.clone())).or_insert_with(|| {
            all.push(Request { actor, mutex: hold.mutex, held, events: Vec::new() });
            all.len() - 1
        });
        all[number].events.push(position);
    }
    all
}

/// The deadlocks of a run in orders that keep what `keeps` says: one for each set of source locations of which none was
/// predicted yet.
pub(super) fn deadlocks(all: &[Request], needs: &Needs<'_>, keeps: Keeps, memory: &mut Memory) -> Vec<Prediction> {
    let kind = PredictedKind::Deadlock;
    let mut budget = memory.budget(needs);
    let mut search = CycleSearch::new(all, memory.turn(), budget.left() / PART_OF_SEARCH);
    search.all_cycles();
    let mut cycles = search.cycles;
    let actors = |cycle: &[usize]| Actor::key(&cycle.iter().map(|&at| all[at].actor).collect::<Vec<_>>());
    cycles.sort_by_cached_key(|cycle| memory.times_refuted(kind, keeps, &actors(cycle)));
    let mut found: BTreeMap<Vec<SiteId>, Prediction> = BTreeMap::new();
    for cycle in cycles {
        let mut sites: Vec<SiteId> = cycle.iter().map(|&at| all[at].actor.site).collect();
        sites.sort();
        if found.contains_key(&sites) || memory.is_known(kind, keeps, &sites) {
            continue;
        }
        let sequences: Vec<&[u32]> = cycle.iter().map(|&at| &all[at].events[..]).collect();
        match together(needs, keeps, &sequences, &mut budget) {
            Some((events, steps)) => {
                let events = events.into_iter().map(EventIndex).collect();
                found.insert(sites, Prediction { kind, events, steps });
            }
            // If it has used up the budget, others come before it next time.
            None => memory.refute(kind, keeps, actors(&cycle)),
        }
        if budget.is_used_up() {
            break;
        }
    }
    found.into_values().collect()
}

/// Looks for cycles of requests.
struct CycleSearch<'a> {
    all: &'a [Request],
    /// By mutex: the requests made while it is held.
    holding: BTreeMap<Object, Vec<usize>>,
    /// The number of the request with which the search begins, and of the one that it takes first from each list.
    turn: usize,
    left: u64,
    cycles: Vec<Vec<usize>>,
}

impl<'a> CycleSearch<'a> {
    fn new(all: &'a [Request], turn: usize, left: u64) -> Self {
        let mut holding: BTreeMap<Object, Vec<usize>> = BTreeMap::new();
        for (number, request) in all.iter().enumerate() {
            request.held.iter().for_each(|&mutex| holding.entry(mutex).or_default().push(number));
        }
        CycleSearch { all, holding, turn, left, cycles: Vec::new() }
    }

    /// Looks for all cycles, as far as the budget goes.
    fn all_cycles(&mut self) {
        let number = self.all.len();
        for first in 0..number {
            self.extend(&mut vec![self.turn.wrapping_add(first) % number]);
        }
    }

    /// Looks at all cycles that begin with these requests, each of which requests what the next one's thread holds. The
    /// first one is the earliest.
    fn extend(&mut self, path: &mut Vec<usize>) {
        let all = self.all;
        let (first, last) = (&all[path[0]], &all[path[path.len() - 1]]);
        if path.len() > 1 && first.held.contains(&last.mutex) {
            self.cycles.push(path.clone());
        }
        let next = self.holding.get(&last.mutex).cloned().unwrap_or_default();
        if path.len() == LONGEST || next.is_empty() {
            return;
        }
        let begin = self.turn % next.len();
        for &next in next[begin..].iter().chain(&next[..begin]) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let request = &all[next];
            let apart = |&other: &usize| {
                let other = &all[other];
                other.actor.thread != request.actor.thread && other.held.is_disjoint(&request.held)
            };
            if next > path[0] && path.iter().all(apart) {
                path.push(next);
                self.extend(path);
                path.pop();
            }
        }
    }
}
