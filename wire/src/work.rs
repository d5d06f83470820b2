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
    /// How many steps are those of the item before.
    same_steps: u32,
    steps: Vec<Step>,
    /// The same for what is handed down.
    same_heirlooms: u32,
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
        let same_heirlooms = common(&self.prefix_events, &prefix_events);
        let same_tried = common(&self.tried, &tried);
        let same_asleep = common(&self.asleep, &asleep);
        self.bundle.0.push(Packed {
            same_steps: same_steps as u32,
            steps: steps[same_steps..].to_vec(),
            same_heirlooms: same_heirlooms as u32,
            prefix_events: prefix_events[same_heirlooms..].to_vec(),
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

    /// All of them.
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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The items; `None` if this is not what [`Packer`] makes.
    pub fn items(&self) -> Option<Vec<Item>> {
        let (mut steps, mut prefix_events) = (Vec::new(), Vec::new());
        let (mut tried, mut asleep) = (Vec::new(), Vec::new());
        let unpacked = self.0.iter().map(|packed| {
            let (same_steps, same_heirlooms) = (packed.same_steps as usize, packed.same_heirlooms as usize);
            let same_tried = packed.same_tried as usize;
            let same_asleep = packed.same_asleep as usize;
            let known = same_steps <= steps.len() && same_heirlooms <= prefix_events.len();
            if !known || same_tried > tried.len() || same_asleep > asleep.len() {
                return None;
            }
            asleep.truncate(same_asleep);
            asleep.extend_from_slice(&packed.asleep);
            tried.truncate(same_tried);
            tried.extend_from_slice(&packed.tried);
            steps.truncate(same_steps);
            steps.extend_from_slice(&packed.steps);
            prefix_events.truncate(same_heirlooms);
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
    /// The pass ([`Commit::pass`]) it belongs to: a guest whose search has begun anew since has nothing to do with it.
    pub pass: u32,
    /// The parts.
    pub work: Bundle,
}

/// What a guest has done since its last commit, and what it still has to do. The two belong together: whoever redoes what
/// is left of the last commit does nothing twice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Commit {
    /// How many times the guest's search began anew, with more operations visible. Counts of earlier passes are void.
    pub pass: u32,
    /// The last request that it has seen ([`SharedHeader::request`](crate::shared::SharedHeader::request)).
    pub answers: u32,
    /// How many packages it has taken ([`SharedHeader::packages`](crate::shared::SharedHeader::packages)). What is left
    /// says nothing of one that was put down since.
    pub packages: u32,
    /// What it has counted since its last commit.
    pub counts: Counts,
    /// Runs that were lost since then with the processes that made them.
    pub lost: u64,
    /// The part of the search that it has covered since then, as far as that can be estimated.
    pub covered: f64,
    /// Parts that others are to explore.
    pub given: Bundle,
    /// Parts that it will explore itself. If there are none, it waits for the next package.
    pub left: Bundle,
}
