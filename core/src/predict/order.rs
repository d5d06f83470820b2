//! An order of a set of events that is a run as far as mutexes are concerned, if one is found without going back.

use super::Needs;
use crate::event::{Object, Step};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// The steps of the first `counts` events of each thread, in an order in which each event comes after those that it
/// needs, and takes a mutex only when it is free. Among the threads that can go on, those that are not in `last` go
/// first, then those in `last`, in their order. `None` if all threads that are left wait for each other.
pub(super) fn linearised(needs: &Needs<'_>, counts: &[u32], last: &[usize]) -> Option<Vec<Step>> {
    let mut order: Vec<usize> = (0..counts.len()).filter(|thread| !last.contains(thread)).collect();
    order.extend(last);
    let mut done = vec![0; counts.len()];
    let mut held: BTreeSet<Object> = BTreeSet::new();
    let mut releases: BTreeMap<u32, Object> = BTreeMap::new();
    let mut steps = Vec::new();
    let total: u32 = counts.iter().sum();
    while steps.len() < total as usize {
        let next = order.iter().find_map(|&thread| {
            let event = (done[thread] < counts[thread]).then(|| needs.numbered(thread, done[thread] + 1))?;
            let is_done = |&needed: &u32| {
                let thread = needs.events()[needed as usize].thread.index();
                needs.number(needed) <= done[thread]
            };
            let is_free = needs.hold(event).is_none_or(|hold| !held.contains(&hold.mutex));
            (is_free && needs.needed(event).iter().all(is_done)).then_some((thread, event))
        });
        let (thread, event) = next?;
        done[thread] += 1;
        if let Some(hold) = needs.hold(event) {
            held.insert(hold.mutex);
            releases.extend(hold.release.map(|release| (release, hold.mutex)));
        }
        if let Some(mutex) = releases.remove(&event) {
            held.remove(&mutex);
        }
        steps.push(needs.step(event));
    }
    Some(steps)
}
