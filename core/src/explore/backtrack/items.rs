//! Dividing a search with backtrack sets, as in the distributed search of Yang's dissertation (chapter 6).
//!
//! A thread that is still to be tried in a state becomes an [`Item`]: the path before the state, and for each state of
//! the path the threads that other workers try there. The worker that explores the item may add further threads to the
//! backtrack sets of these states, and tries them; so may the worker that gave it away, and then both explore the same
//! subtree (figure 6.8).

use super::super::item::{Divisible, Item, PrefixHash};
use super::super::unexecuted::Unexecuted;
use super::{Asleep, BacktrackPoints, BacktrackState, Backtracking};
use crate::event::{Alternatives, Sleeper, Step, ThreadId, ThreadSet, Trace, dependent};
use crate::order::EventId;
use alloc::vec::Vec;

/// What the items of a path have in common, collected once for all of them: to collect it for each takes time for the
/// square of the path's length.
#[derive(Default)]
struct Common {
    /// By position: the threads that other workers try in the state before it, if the step of the path is taken there.
    tried: Vec<(u32, ThreadSet)>,
    /// By position: the operations explored from the state before it.
    asleep: Vec<(u32, Sleeper, Alternatives)>,
    /// By position: what an item of the state before it has of this.
    starts: Vec<Start>,
}

/// What the items of a state have of the states above it.
struct Start {
    /// How many entries of the two lists are of states above.
    tried: usize,
    asleep: usize,
    /// The prefix hash of the items.
    hash: u64,
    /// The estimated share of each of them of the whole search.
    share: f64,
}

impl<R: BacktrackPoints> Backtracking<R> {
    /// Adds backtrack points for all earlier events that `event` depends on (figure 6.9): the state before each of them
    /// gets a thread that leads to `event`. In the figure that is any such thread; here it is the thread of `event` if
    /// it is enabled there, as in figure 6.10. Pairs of events that can never be enabled together count as well, which
    /// adds threads in vain and misses none.
    pub(super) fn find_all_dependent(&mut self, event: EventId) {
        let own = self.path.node(event).thread;
        let mut leading = ThreadSet::only(own);
        for at in (0..self.path.len()).rev() {
            let earlier = self.path.events()[at];
            let thread = self.path.node(earlier).thread;
            if thread != own && dependent(self.path.operation(earlier), self.path.operation(event)) {
                let state: &mut BacktrackState = &mut self.stack.states_mut()[at];
                let possible = leading.intersection(state.enabled);
                if possible.contains(own) {
                    state.backtrack.insert(own);
                } else if possible.is_empty() {
                    state.backtrack = state.backtrack.union(state.enabled);
                } else if possible.intersection(state.backtrack).is_empty() {
                    state.backtrack.insert(possible.first().expect("not empty"));
                }
            }
            // `past` counts all that happens before the event.
            if self.path.counts(&self.past, earlier) {
                leading.insert(thread);
            }
        }
    }

    /// Pushes the states of the item's prefix, as the item's first run shows them.
    pub(super) fn restore_prefix(&mut self, trace: &Trace) {
        let Some(item) = self.item.take() else { return };
        let mut tried = item.tried.iter().peekable();
        let mut asleep = item.asleep.iter().peekable();
        let prefix = item.prefix();
        for (at, event) in trace.events.iter().enumerate().take(item.steps.len()) {
            self.enter(event);
            let others =
                tried.next_if(|(position, _)| *position as usize == at).map_or(ThreadSet::EMPTY, |(_, set)| *set);
            let state = self.stack.last_mut().expect("it was just entered");
            state.backtrack = state.backtrack.union(others);
            (state.done, state.given_away) = (others, at < prefix);
            while let Some(&(_, sleeper, alternatives)) = asleep.next_if(|(position, ..)| *position as usize == at) {
                self.asleep.push(Asleep { sleeper, alternatives });
            }
            let id = self.path.draft(event.thread, event.operation, event.enabled_by);
            if at < prefix {
                self.path.conflicts(id, &mut self.conflicts);
                self.path.settle(id, &self.conflicts);
            } else {
                self.find_races(id, None);
            }
            self.path.push(id);
            if at == prefix {
                self.race_expiries(id, event);
            }
        }
    }

    /// The threads that this worker still has to try in a state, beside the one tried at present.
    fn untried(&self, at: usize) -> ThreadSet {
        let state = &self.stack.states()[at];
        let mut untried = state.backtrack.minus(state.done);
        untried.remove(self.path.node(self.path.events()[at]).thread);
        // An operation without alternatives that is asleep is not run.
        for asleep in self.asleep_in(at) {
            let sleeper = &asleep.sleeper;
            if asleep.alternatives == Alternatives::None {
                untried.remove(sleeper.thread);
            }
        }
        untried
    }

    fn asleep_in(&self, at: usize) -> &[Asleep] {
        let states = self.stack.states();
        let end = states.get(at + 1).map_or(self.asleep.len(), |next| next.asleep as usize);
        &self.asleep[states[at].asleep as usize..end]
    }

    /// What the items of the first `length` states of the path have in common.
    fn common(&self, length: usize) -> Common {
        let mut common = Common::default();
        let (mut hash, mut share) = (PrefixHash::default(), 1.0);
        for (position, state) in self.stack.states()[..length].iter().enumerate() {
            let node = self.path.node(self.path.events()[position]);
            share *= 1.0 / state.backtrack.len() as f64;
            common.starts.push(Start {
                tried: common.tried.len(),
                asleep: common.asleep.len(),
                hash: hash.finish(),
                share,
            });
            hash.add(node.thread, self.path.operation(self.path.events()[position]), true);
            let mut others = state.backtrack.union(state.done);
            others.remove(node.thread);
            if !others.is_empty() {
                common.tried.push((position as u32, others));
            }
            // The operations explored from this state sleep in it; the rest of its sleep set follows from the states
            // above.
            let explored = |asleep: &&Asleep| {
                let sleeper = asleep.sleeper.thread;
                state.done.contains(sleeper) || sleeper == node.thread
            };
            let known = self.asleep_in(position).iter().filter(explored);
            common.asleep.extend(known.map(|known| (position as u32, known.sleeper, known.alternatives)));
        }
        common
    }

    /// The item for a thread that is still to be tried in the state before position `at`, or for the other alternatives
    /// of the one tried there at present. `common` has this state.
    fn item_of(&self, common: &Common, at: usize, thread: ThreadId) -> Item {
        let (start, state) = (&common.starts[at], &self.stack.states()[at]);
        let (event, current) = (self.path.events()[at], self.stack.steps()[at]);
        let mut steps = self.stack.steps()[..at].to_vec();
        steps.push(Step { thread, choice: Step::FIRST });
        let mut tried = common.tried[..start.tried].to_vec();
        let mut others = state.backtrack.union(state.done);
        others.insert(current.thread);
        others.remove(thread);
        if !others.is_empty() {
            tried.push((at as u32, others));
        }
        let end = common.starts.get(at + 1).map_or(common.asleep.len(), |next| next.asleep);
        let of_others = common.asleep[..end].iter().filter(|(_, sleeper, _)| sleeper.thread != thread);
        let mut asleep: Vec<_> = of_others.copied().collect();
        if thread != current.thread {
            // The operation that is being explored sleeps as well.
            let sleeper =
                Sleeper { thread: current.thread, operation: *self.path.operation(event), choice: current.choice };
            asleep.push((at as u32, sleeper, self.stack.alternatives(at)));
        }
        let (share, prefix_hash) = (start.share, start.hash);
        Item { steps, tried, asleep, exact: true, share, prefix_hash, ..Item::everything() }
    }
}

impl<R: BacktrackPoints> Divisible for Backtracking<R> {
    fn begin(&mut self, item: Item) {
        self.path.truncate(0);
        self.path.forget(0);
        self.stack.clear();
        self.asleep.clear();
        self.item = Some(item);
    }

    fn open(&self) -> usize {
        if !self.stack.has_started() {
            return 0;
        }
        (0..self.stack.states().len()).map(|at| self.untried(at).len()).sum()
    }

    /// Gives away a thread of the state nearest to the start.
    fn give(&mut self) -> Option<Item> {
        if !self.stack.has_started() {
            return None;
        }
        let at = (0..self.stack.states().len()).find(|&at| !self.untried(at).is_empty())?;
        let thread = self.untried(at).first()?;
        let item = self.item_of(&self.common(at + 1), at, thread);
        self.stack.states_mut()[at].done.insert(thread);
        Some(item)
    }

    fn save(&mut self, take: &mut dyn FnMut(Item)) {
        if !self.stack.has_started() {
            take(self.item.clone().unwrap_or_else(Item::everything));
            return;
        }
        let common = self.common(self.stack.states().len());
        for at in (0..self.stack.states().len()).rev() {
            self.untried(at).iter().for_each(|thread| take(self.item_of(&common, at, thread)));
            let step = self.stack.steps()[at];
            if !self.stack.states()[at].given_away && self.stack.alternatives(at).after(step.choice).is_some() {
                // The other alternatives of the step; the item begins with the first of them that is not asleep.
                take(self.item_of(&common, at, step.thread));
            }
        }
    }

    fn covered(&self) -> f64 {
        self.estimate.covered()
    }
}
