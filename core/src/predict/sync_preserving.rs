//! Races in orders of a run's events that keep the order of its critical sections.
//!
//! Umang Mathur, Andreas Pavlogiannis, Mahesh Viswanathan: "Optimal Prediction of Synchronization-Preserving Races",
//! POPL 2021. Claim: whether a part of a run's events can be made, in their order, such that two conflicting accesses
//! are both about to happen, all critical sections on one mutex stay in their order, and each read finds what it found,
//! is decided by the least set of events that contains what comes before the two accesses and is closed under what its
//! events need. There is such a race iff neither access is in the set. For two threads and a location, all pairs are
//! decided in time linear in the run, as the set grows with the accesses.
//!
//! Departures: runs have more than reads, writes and mutexes; what their events need is in [`Needs`]. The paper closes
//! one set step by step for all accesses of two threads to a location; here each pair of source locations has such a
//! set of its own, as one race is wanted for each pair ([`together`]). Pairs that a common mutex keeps apart are left
//! out before. And as what is predicted is run, sets that keep less ([`Keeps`]) are tried as well: most programs do not
//! depend on all that they read, but whether a thread still comes to its access is not known before.

use super::closure::Keeps;
use super::dependences::granules;
use super::memory::{Actor, Memory, StepBudget};
use super::together::together;
use super::{Needs, PredictedKind, Prediction};
use crate::event::{AccessMode, ByteRange, EventIndex, Object};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// How many steps of the budget there are for each pair of groups that is listed.
const PART_OF_LIST: u64 = 8;

/// Accesses that are alike: of one thread, at one source location, to the same bytes, in the same mode.
struct Group {
    actor: Actor,
    range: ByteRange,
    mode: AccessMode,
    /// The plain mutexes held at all of them.
    held: BTreeSet<Object>,
    /// In the order of the run.
    events: Vec<u32>,
}

impl Group {
    /// Whether accesses of the two groups race if nothing orders them; false if a mutex keeps them apart.
    fn conflicts(&self, other: &Group) -> bool {
        self.actor.thread != other.actor.thread
            && self.range.overlaps(other.range)
            && (self.mode.is_plain() || other.mode.is_plain())
            && (self.mode.writes() || other.mode.writes())
            && self.held.is_disjoint(&other.held)
    }
}

/// The accesses of a run in groups, and by granule the groups that touch it.
pub(super) struct Accesses {
    groups: Vec<Group>,
    granules: BTreeMap<u64, Vec<usize>>,
}

/// Two groups that could race, and how many pairs of their granule were looked at before.
struct Pair {
    one: usize,
    other: usize,
    rank: u64,
}

impl Accesses {
    /// Puts the accesses of a run into groups.
    pub(super) fn of(needs: &Needs<'_>) -> Accesses {
        let held = needs.held();
        // In an order that does not depend on the run, so that the next run's list goes on where that of this one ends.
        let mut all: BTreeMap<(Actor, ByteRange, bool, bool), Group> = BTreeMap::new();
        for (position, event) in needs.events().iter().enumerate() {
            let Some((range, mode)) = event.operation.access() else { continue };
            let actor = Actor { site: event.site, thread: event.thread };
            let held = &held[position];
            let new = || Group { actor, range, mode, held: held.clone(), events: Vec::new() };
            let group = all.entry((actor, range, mode.is_plain(), mode.writes())).or_insert_with(new);
            group.events.push(position as u32);
            group.held.retain(|mutex| held.contains(mutex));
        }
        let groups: Vec<Group> = all.into_values().collect();
        let mut by_granule: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (number, group) in groups.iter().enumerate() {
            granules(group.range).for_each(|granule| by_granule.entry(granule).or_default().push(number));
        }
        Accesses { groups, granules: by_granule }
    }

    /// Pairs of groups that could race: of each granule its share of `most`, others in each turn.
    fn pairs(&self, turn: usize, most: u64) -> Vec<Pair> {
        let number = |there: &Vec<usize>| (there.len() * (there.len() - 1) / 2) as u64;
        let total: u64 = self.granules.values().map(number).sum();
        let mut pairs = Vec::new();
        for (&granule, there) in &self.granules {
            let all = number(there);
            let share =
                if total <= most { all } else { (u128::from(all) * u128::from(most) / u128::from(total)) as u64 + 1 };
            if all > 0 {
                let first = (turn as u64).wrapping_mul(share) % all;
                self.pairs_of(granule, there, first, share.min(all), &mut pairs);
            }
        }
        pairs
    }

    /// So many pairs of a granule from the one with the number `first` on, and then from the beginning.
    fn pairs_of(&self, granule: u64, there: &[usize], first: u64, share: u64, pairs: &mut Vec<Pair>) {
        let (mut skipped, mut looked_at) = (first, 0);
        for row in (0..there.len()).chain(0..there.len()) {
            let rest = &there[row + 1..];
            let skip = skipped.min(rest.len() as u64);
            skipped -= skip;
            let (one, left) = (&self.groups[there[row]], share - looked_at);
            for &number in rest[skip as usize..].iter().take(left as usize) {
                let other = &self.groups[number];
                // Groups with several granules in common are a pair of the first.
                let is_first = granule == (one.range.start >> 3).max(other.range.start >> 3);
                if is_first && one.conflicts(other) {
                    pairs.push(Pair { one: there[row], other: number, rank: looked_at });
                }
                looked_at += 1;
            }
        }
    }
}

/// The races of a run in orders that keep what `keeps` says: one for each pair of source locations of which no race was
/// predicted yet.
pub(super) fn races(accesses: &Accesses, needs: &Needs<'_>, keeps: Keeps, memory: &mut Memory) -> Vec<Prediction> {
    let mut budget = memory.budget(needs);
    let groups = &accesses.groups;
    let kind = PredictedKind::Race;
    let mut pairs = accesses.pairs(memory.turn(), budget.left() / PART_OF_LIST);
    let key = |pair: &Pair| Actor::key(&[groups[pair.one].actor, groups[pair.other].actor]);
    pairs.sort_by_cached_key(|pair| (memory.times_refuted(kind, keeps, &key(pair)), pair.rank));
    let (mut found, mut shown) = (Vec::new(), BTreeSet::new());
    for pair in pairs {
        let (one, other) = (&groups[pair.one], &groups[pair.other]);
        let sites = [one.actor.site.min(other.actor.site), one.actor.site.max(other.actor.site)];
        if shown.contains(&sites) || memory.is_known(kind, keeps, &sites) {
            continue;
        }
        match race(needs, keeps, one, other, &mut budget) {
            Some(race) => {
                shown.insert(sites);
                found.push(race);
            }
            // If it has used up the budget, others come before it next time.
            None => memory.refute(kind, keeps, key(&pair)),
        }
        if budget.is_used_up() {
            break;
        }
    }
    found
}

/// The prediction that an access of one group races with one of another.
fn race(needs: &Needs<'_>, keeps: Keeps, one: &Group, other: &Group, budget: &mut StepBudget) -> Option<Prediction> {
    let (events, mut steps) = together(needs, keeps, &[&one.events, &other.events], budget)?;
    steps.extend(events.iter().map(|&event| needs.step(event)));
    Some(Prediction { kind: PredictedKind::Race, events: events.into_iter().map(EventIndex).collect(), steps })
}
