//! Deadlocks in orders of a run's events that keep the order of its critical sections.
//!
//! Hünkar Can Tunç, Umang Mathur, Andreas Pavlogiannis, Mahesh Viswanathan: "Sound Dynamic Deadlock Prediction in
//! Linear Time", PLDI 2023. Claim: a cycle of locks, each requested by a thread that holds the one before it while no
//! two of the threads hold a mutex in common, is a deadlock in an order that keeps critical sections iff none of the
//! requests is in the least closed set that contains what comes before all of them; with abstract cycles it takes time
//! linear in the run.
//!
//! Departures: the cycles are looked for among the requests themselves, one of each source location and set of
//! mutexes, and no more than so many; cycles of at most four threads.

use super::{Closure, Keeps, Needs, PredictedKind, Prediction};
use crate::event::{EventIndex, Object, SiteId};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// The most threads of a cycle that is looked for.
const LONGEST: usize = 4;

/// A lock that is requested by a thread that holds others.
struct Request {
    event: u32,
    thread: usize,
    mutex: Object,
    held: BTreeSet<Object>,
}

/// The requests that differ in thread, mutex, mutexes held or source location; of those that do not, the first two.
fn requests(needs: &Needs<'_>) -> Vec<Request> {
    const TIMES: u32 = 2;
    let mut times: BTreeMap<(usize, Object, BTreeSet<Object>, SiteId), u32> = BTreeMap::new();
    let mut all = Vec::new();
    for (position, event) in needs.events().iter().enumerate() {
        let position = position as u32;
        let Some(hold) = needs.hold(position) else { continue };
        let held: BTreeSet<Object> = needs.held_before(position).collect();
        if held.is_empty() {
            continue;
        }
        let thread = event.thread.index();
        let times = times.entry((thread, hold.mutex, held.clone(), event.site)).or_default();
        *times += 1;
        if *times <= TIMES {
            all.push(Request { event: position, thread, mutex: hold.mutex, held });
        }
    }
    all
}

/// The deadlocks of a run, one for each set of source locations, after so many cycles at most. `is_known` says of the
/// locations, in ascending order, that they need not be predicted.
pub fn deadlocks(
    needs: &Needs<'_>,
    keeps: Keeps,
    cycles: usize,
    is_known: &dyn Fn(&[SiteId]) -> bool,
) -> Vec<Prediction> {
    let all = requests(needs);
    let mut search = Search { needs, keeps, all: &all, left: cycles, is_known, found: BTreeMap::new() };
    for first in 0..all.len() {
        search.extend(&mut alloc::vec![first]);
    }
    search.found.into_values().collect()
}

struct Search<'s, 't> {
    needs: &'s Needs<'t>,
    keeps: Keeps,
    all: &'s [Request],
    left: usize,
    is_known: &'s dyn Fn(&[SiteId]) -> bool,
    found: BTreeMap<Vec<SiteId>, Prediction>,
}

impl Search<'_, '_> {
    /// Looks at all cycles that begin with these requests, each of which requests what the next one's thread holds. The
    /// first one is the earliest.
    fn extend(&mut self, path: &mut Vec<usize>) {
        let (first, last) = (&self.all[path[0]], &self.all[path[path.len() - 1]]);
        if path.len() > 1 && first.held.contains(&last.mutex) {
            self.look_at(path);
        }
        if path.len() == LONGEST {
            return;
        }
        for next in path[0] + 1..self.all.len() {
            let request = &self.all[next];
            let apart = |&other: &usize| {
                let other = &self.all[other];
                other.thread != request.thread && other.held.is_disjoint(&request.held)
            };
            if request.held.contains(&last.mutex) && path.iter().all(apart) && self.left > 0 {
                path.push(next);
                self.extend(path);
                path.pop();
            }
        }
    }

    fn look_at(&mut self, cycle: &[usize]) {
        let events: Vec<u32> = cycle.iter().map(|&at| self.all[at].event).collect();
        let mut sites: Vec<SiteId> = events.iter().map(|&event| self.needs.events()[event as usize].site).collect();
        sites.sort();
        if self.left == 0 || self.found.contains_key(&sites) || (self.is_known)(&sites) {
            return;
        }
        self.left -= 1;
        let closure = Closure::before(self.needs, self.keeps, &events);
        if events.iter().any(|&event| closure.contains(event)) {
            return;
        }
        // Each thread of the cycle may be the first one.
        let threads: Vec<usize> = cycle.iter().map(|&at| self.all[at].thread).collect();
        let orders = (0..threads.len()).map(|first| [&threads[first..], &threads[..first]].concat());
        let Some(steps) = orders.into_iter().find_map(|order| closure.steps(&order)) else { return };
        let kind = PredictedKind::Deadlock;
        let events = events.into_iter().map(EventIndex).collect();
        self.found.insert(sites, Prediction { kind, events, steps });
    }
}
