//! Parts of a search on their way between guests and the host, and into checkpoint files.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use inspect_core::event::{Alternatives, Sleeper, Step, ThreadId, ThreadSet};
use inspect_core::explore::{Counts, DrawnRuns, Item, OperationEncoding, PrefixEvent, SharedOperation};
use serde::{Deserialize, Serialize};

/// How guests that share a table of states write operations into it: the length in bytes, then the bytes.
pub const STATE_OPERATIONS: OperationEncoding =
    OperationEncoding { encode: encode_operation, decode: decode_operation };

fn encode_operation(operation: &SharedOperation) -> Option<Vec<u64>> {
    let bytes = postcard::to_allocvec(operation).ok()?;
    let word = |part: &[u8]| {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(word)
    };
    Some(core::iter::once(bytes.len() as u64).chain(bytes.chunks(8).map(word)).collect())
}

fn decode_operation(words: &[u64]) -> Option<SharedOperation> {
    let (&length, words) = words.split_first()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    postcard::from_bytes(bytes.get(..usize::try_from(length).ok()?)?).ok()
}

/// Items, one after the other. Those next to each other mostly share a long prefix, which is kept once: all branches
/// off a run together take about as much memory as the run.
///
/// Invariant (first-is-whole): the first item shares nothing with one before it, so a bundle can be put behind another
/// one as it is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Bundle(VecDeque<Packed>);

/// An item without what it shares with the one before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Packed {
    steps: Rest<Step>,
    prefix_events: Rest<PrefixEvent>,
    then: Option<ThreadId>,
    block: u32,
    reversed_before: Option<u32>,
    races: bool,
    tried: Rest<(u32, ThreadSet)>,
    asleep: Rest<(u32, Sleeper, Alternatives)>,
    exact: bool,
    drawn: Option<DrawnRuns>,
    share: f64,
    prefix_hash: u64,
}

/// A list of an item without what it shares with that of the item before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Rest<T> {
    /// The number of entries at the beginning that are those of the item before.
    same: u32,
    rest: Vec<T>,
}

impl<T: Clone + PartialEq> Rest<T> {
    fn after(before: &[T], list: &[T]) -> Self {
        Rest::beyond(list, before.iter().zip(list).take_while(|(a, b)| a == b).count() as u32)
    }

    /// `list`, of which the first `same` entries are those of the item before.
    fn beyond(list: &[T], same: u32) -> Self {
        Rest { same, rest: list.get(same as usize..).unwrap_or(&[]).to_vec() }
    }

    /// Turns the list of the item before into this one; false if that is too short.
    fn complete(&self, list: &mut Vec<T>) -> bool {
        let known = self.same as usize <= list.len();
        list.truncate(self.same as usize);
        list.extend_from_slice(&self.rest);
        known
    }
}

/// The complete lists of an item.
#[derive(Debug, Default)]
struct Lists {
    steps: Vec<Step>,
    prefix_events: Vec<PrefixEvent>,
    tried: Vec<(u32, ThreadSet)>,
    asleep: Vec<(u32, Sleeper, Alternatives)>,
}

impl Lists {
    /// Turns the lists of one item into those of the next; false if that is none that follows this one.
    fn go_on(&mut self, next: &Packed) -> bool {
        next.steps.complete(&mut self.steps)
            & next.prefix_events.complete(&mut self.prefix_events)
            & next.tried.complete(&mut self.tried)
            & next.asleep.complete(&mut self.asleep)
    }
}

impl Packed {
    /// Keeps what these lists, the item's own, have beyond the entries that an item before it has as well, `same` of
    /// each list.
    fn keep_beyond(&mut self, lists: &Lists, same: [u32; 4]) {
        let [steps, prefix_events, tried, asleep] = same;
        self.steps = Rest::beyond(&lists.steps, steps);
        self.prefix_events = Rest::beyond(&lists.prefix_events, prefix_events);
        self.tried = Rest::beyond(&lists.tried, tried);
        self.asleep = Rest::beyond(&lists.asleep, asleep);
    }

    /// How many entries of each list are those of the item before.
    fn same(&self) -> [u32; 4] {
        [self.steps.same, self.prefix_events.same, self.tried.same, self.asleep.same]
    }

    /// The item, with these lists.
    fn item(&self, lists: &Lists) -> Item {
        Item {
            steps: lists.steps.clone(),
            prefix_events: lists.prefix_events.clone(),
            then: self.then,
            block: self.block,
            reversed_before: self.reversed_before,
            races: self.races,
            tried: lists.tried.clone(),
            asleep: lists.asleep.clone(),
            exact: self.exact,
            drawn: self.drawn,
            share: self.share,
            prefix_hash: self.prefix_hash,
        }
    }
}

/// Makes a [`Bundle`].
#[derive(Debug, Default)]
pub struct Packer {
    bundle: Bundle,
    last: Lists,
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
            drawn,
            share,
            prefix_hash,
        } = item;
        self.bundle.0.push_back(Packed {
            steps: Rest::after(&self.last.steps, &steps),
            prefix_events: Rest::after(&self.last.prefix_events, &prefix_events),
            then,
            block,
            reversed_before,
            races,
            tried: Rest::after(&self.last.tried, &tried),
            asleep: Rest::after(&self.last.asleep, &asleep),
            exact,
            drawn,
            share,
            prefix_hash,
        });
        self.last = Lists { steps, prefix_events, tried, asleep };
    }

    /// The bundle of all items.
    pub fn finish(self) -> Bundle {
        self.bundle
    }
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

    /// Whether this is what [`Packer`] makes. The functions below give other items if not.
    pub fn is_sound(&self) -> bool {
        let mut lists = Lists::default();
        self.0.iter().all(|packed| lists.go_on(packed))
    }

    /// The items, each with its whole prefix; `None` if this is not what [`Packer`] makes.
    pub fn items(&self) -> Option<Vec<Item>> {
        let mut lists = Lists::default();
        self.0.iter().map(|packed| lists.go_on(packed).then(|| packed.item(&lists))).collect()
    }

    /// Puts the items of another bundle behind those of this one.
    pub fn append(&mut self, mut other: Bundle) {
        self.0.append(&mut other.0);
    }

    /// Removes the first item.
    pub fn pop_first(&mut self) -> Option<Item> {
        self.take_first(1).items()?.pop()
    }

    /// Removes the first `count` items, or all if there are fewer.
    pub fn take_first(&mut self, count: usize) -> Bundle {
        let first: VecDeque<Packed> = self.0.drain(..count.min(self.len())).collect();
        make_whole(&first, &mut self.0);
        Bundle(first)
    }

    /// Removes the last `count` items, or all if there are fewer.
    pub fn take_last(&mut self, count: usize) -> Bundle {
        let mut last = self.0.split_off(self.len().saturating_sub(count));
        make_whole(&self.0, &mut last);
        Bundle(last)
    }

    /// The same items, the last one first.
    #[must_use]
    pub fn reversed(mut self) -> Bundle {
        let mut lists = Lists::default();
        for at in 0..self.len() {
            // What an item shares with the next one is kept with that one from now on.
            let same = self.0.get(at + 1).map(Packed::same);
            lists.go_on(&self.0[at]);
            self.0[at].keep_beyond(&lists, same.unwrap_or_default());
        }
        self.0.make_contiguous().reverse();
        self
    }
}

/// Cuts items off those before them: the first one no longer refers to the last of `before`.
fn make_whole(before: &VecDeque<Packed>, items: &mut VecDeque<Packed>) {
    if let Some(first) = items.front_mut() {
        let mut lists = Lists::default();
        for packed in before {
            lists.go_on(packed);
        }
        lists.go_on(first);
        first.keep_beyond(&lists, [0; 4]);
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// The items of a run of `length` steps, one for each: the longest first, as a search leaves them.
    fn branches(length: u32) -> Vec<Item> {
        let step = |at: u32, thread| Step { thread: ThreadId::at(thread), choice: at };
        let branch = |at: u32| Item {
            steps: (0..at).map(|at| step(at, 0)).chain([step(at, 1)]).collect(),
            tried: (0..=at).map(|at| (at, ThreadSet::only(ThreadId::at(2)))).collect(),
            block: at,
            ..Item::everything()
        };
        (0..length).rev().map(branch).collect()
    }

    /// How many entries of lists a bundle keeps.
    fn kept(bundle: &Bundle) -> usize {
        bundle.0.iter().map(|packed| packed.steps.rest.len() + packed.tried.rest.len()).sum()
    }

    #[test]
    fn what_is_taken_from_either_end_and_put_together_are_the_same_items() {
        let items = branches(7);
        for (first, last) in (0..=8).flat_map(|first| (0..=8).map(move |last| (first, last))) {
            let mut middle = Bundle::of(items.clone());
            let (front, back) = (middle.take_first(first), middle.take_last(last));
            assert_eq!(front.len(), first.min(7));
            assert_eq!(back.len(), last.min(7 - front.len()));
            assert!(front.is_sound() && middle.is_sound() && back.is_sound());
            let mut together = front;
            together.append(middle);
            together.append(back);
            assert_eq!(together.items(), Some(items.clone()), "{first} and {last} of 7");
        }
    }

    #[test]
    fn the_last_item_comes_first_in_a_reversed_bundle() {
        for length in 0..6 {
            let mut items = branches(length);
            let reversed = Bundle::of(items.clone()).reversed();
            items.reverse();
            assert_eq!(reversed.items(), Some(items.clone()));
            assert_eq!(reversed, Bundle::of(items), "as if it had been packed in this order");
        }
    }

    #[test]
    fn items_come_out_one_by_one_from_the_front() {
        let items = branches(5);
        let mut bundle = Bundle::of(items.clone());
        let popped: Vec<Item> = core::iter::from_fn(|| bundle.pop_first()).collect();
        assert_eq!(popped, items);
    }

    /// Each item has one step that the one before it does not have, and the first has them all.
    #[test]
    fn the_items_of_a_run_take_memory_for_its_length_whatever_is_done_with_them() {
        const LENGTH: u32 = 1000;
        let most = 4 * LENGTH as usize;
        let mut bundle = Bundle::of(branches(LENGTH));
        assert!(kept(&bundle) <= most);
        bundle = bundle.reversed();
        assert!(kept(&bundle) <= most);
        let half = bundle.take_last(LENGTH as usize / 2);
        assert!(kept(&bundle) + kept(&half) <= 2 * most);
        bundle.append(half);
        while bundle.pop_first().is_some() {
            assert!(kept(&bundle) <= 2 * most);
        }
    }

    #[test]
    fn a_bundle_that_refers_to_more_than_the_item_before_has_is_not_sound() {
        let mut bundle = Bundle::of(branches(3));
        assert!(bundle.is_sound());
        bundle.0[1].tried.same = 9;
        assert!(!bundle.is_sound() && bundle.items().is_none());
        let mut cut = Bundle::of(branches(3));
        cut.0.pop_front();
        assert!(!cut.is_sound(), "the first item is not whole");
        // What such a bundle says is not used, but it does no harm either.
        let _ = (bundle.reversed().take_last(2), cut.pop_first());
        assert_eq!(Bundle::of(vec![Item::everything()]).items(), Some(vec![Item::everything()]));
    }
}
