//! Parts of a search on their way between guests and the host, and into checkpoint files.

use alloc::vec::Vec;
use inspect_core::event::{Alternatives, Sleeper, Step, ThreadId, ThreadSet};
use inspect_core::explore::{Counts, Item, PrefixEvent};
use serde::{Deserialize, Serialize};

/// Items, one after the other. Those next to each other mostly share a long prefix, which is kept once.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Bundle(Vec<Packed>);

/// An item without what it shares with the one before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Packed {
    /// The number of steps at the beginning that are those of the item before.
    same_steps: u32,
    steps: Vec<Step>,
    /// The number of annotated events at the beginning that are those of the item before.
    same_prefix_events: u32,
    prefix_events: Vec<PrefixEvent>,
    then: Option<ThreadId>,
    block: u32,
    reversed_before: Option<u32>,
    races: bool,
    same_tried: u32,
    tried: Vec<(u32, ThreadSet)>,
    same_asleep: u32,
    asleep: Vec<(u32, Sleeper, Alternatives)>,
    exact: bool,
    share: f64,
    prefix_hash: u64,
}

/// Makes a [`Bundle`].
#[derive(Debug, Default)]
pub struct Packer {
    bundle: Bundle,
    steps: Vec<Step>,
    prefix_events: Vec<PrefixEvent>,
    tried: Vec<(u32, ThreadSet)>,
    asleep: Vec<(u32, Sleeper, Alternatives)>,
}

impl Packer {
    /// Puts an item behind the others.
    pub fn add(&mut self, item: Item) {
        let Item {
            steps,
            prefix_events,
            then,
            block,
            reversed_before,
            races,
            tried,
            asleep,
            exact,
            share,
            prefix_hash,
        } = item;
        let same_steps = common(&self.steps, &steps);
        let same_prefix_events = common(&self.prefix_events, &prefix_events);
        let same_tried = common(&self.tried, &tried);
        let same_asleep = common(&self.asleep, &asleep);
        self.bundle.0.push(Packed {
            same_steps: same_steps as u32,
            steps: steps[same_steps..].to_vec(),
            same_prefix_events: same_prefix_events as u32,
            prefix_events: prefix_events[same_prefix_events..].to_vec(),
            then,
            block,
            reversed_before,
            races,
            same_tried: same_tried as u32,
            tried: tried[same_tried..].to_vec(),
            same_asleep: same_asleep as u32,
            asleep: asleep[same_asleep..].to_vec(),
            exact,
            share,
            prefix_hash,
        });
        (self.steps, self.prefix_events) = (steps, prefix_events);
        (self.tried, self.asleep) = (tried, asleep);
    }

    /// The bundle of all items.
    pub fn finish(self) -> Bundle {
        self.bundle
    }
}

fn common<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

impl Bundle {
    /// These items.
    pub fn of(items: impl IntoIterator<Item = Item>) -> Bundle {
        let mut packer = Packer::default();
        items.into_iter().for_each(|item| packer.add(item));
        packer.finish()
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The items; `None` if this is not what [`Packer`] makes.
    pub fn items(&self) -> Option<Vec<Item>> {
        let (mut steps, mut prefix_events) = (Vec::new(), Vec::new());
        let (mut tried, mut asleep) = (Vec::new(), Vec::new());
        let unpacked = self.0.iter().map(|packed| {
            let (same_steps, same_prefix_events) = (packed.same_steps as usize, packed.same_prefix_events as usize);
            let same_tried = packed.same_tried as usize;
            let same_asleep = packed.same_asleep as usize;
            let known = same_steps <= steps.len() && same_prefix_events <= prefix_events.len();
            if !known || same_tried > tried.len() || same_asleep > asleep.len() {
                return None;
            }
            asleep.truncate(same_asleep);
            asleep.extend_from_slice(&packed.asleep);
            tried.truncate(same_tried);
            tried.extend_from_slice(&packed.tried);
            steps.truncate(same_steps);
            steps.extend_from_slice(&packed.steps);
            prefix_events.truncate(same_prefix_events);
            prefix_events.extend_from_slice(&packed.prefix_events);
            Some(Item {
                steps: steps.clone(),
                prefix_events: prefix_events.clone(),
                then: packed.then,
                block: packed.block,
                reversed_before: packed.reversed_before,
                races: packed.races,
                tried: tried.clone(),
                asleep: asleep.clone(),
                exact: packed.exact,
                share: packed.share,
                prefix_hash: packed.prefix_hash,
            })
        });
        unpacked.collect()
    }
}

/// Work for a guest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Package {
    /// The pass of the search ([`Commit::pass`]) that the items are of: a guest whose search has begun anew since then
    /// ignores them.
    pub pass: u32,
    /// The items.
    pub work: Bundle,
}

/// What a guest has counted since its last commit, and what is left to it, both of one moment: a guest that explores
/// what is left by the last commit of a dead one repeats nothing that was counted.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Commit {
    /// How many times the guest's search began anew, with more operations visible. Counts of earlier passes are void.
    pub pass: u32,
    /// The last request that the guest has seen ([`SharedHeader::request`](crate::shared::SharedHeader::request)).
    pub answers: u32,
    /// The number of packages that the guest has taken
    /// ([`SharedHeader::packages`](crate::shared::SharedHeader::packages)). A package that was put down later is not in
    /// `left`.
    pub packages: u32,
    /// What the guest has counted since its last commit.
    pub counts: Counts,
    /// Runs since the last commit that were lost with the processes that made them.
    pub lost: u64,
    /// The estimated share of the search that the guest has covered since its last commit, from 0 to 1.
    pub covered: f64,
    /// Items that other guests are to explore.
    pub given: Bundle,
    /// Items that the guest will explore itself. If there are none, it waits for the next package.
    pub left: Bundle,
}
