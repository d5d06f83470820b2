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

    fn item_of(&self, at: usize, thread: ThreadId) -> Item {
        let mut steps: Vec<Step> = Vec::new();
        let (mut tried, mut asleep, mut hash) = (Vec::new(), Vec::new(), PrefixHash::default());
        for (position, (&event, state)) in self.path.events().iter().zip(self.stack.states()).enumerate().take(at + 1) {
            let (node, choice) = (self.path.node(event), self.stack.steps()[position].choice);
            let mut others = state.backtrack.union(state.done);
            others.insert(node.thread);
            if position < at {
                steps.push(Step { thread: node.thread, choice });
                hash.add(node.thread, self.path.operation(event), true);
                others.remove(node.thread);
            } else {
                others.remove(thread);
            }
            // The operations explored from this state sleep in it; the rest of its sleep set follows from the states
            // above.
            let explored = |asleep: &&Asleep| {
                let sleeper = asleep.sleeper.thread;
                (state.done.contains(sleeper) || sleeper == node.thread) && sleeper != thread
            };
            let known = self.asleep_in(position).iter().filter(explored);
            asleep.extend(known.map(|known| (position as u32, known.sleeper, known.alternatives)));
            if position == at && thread != node.thread {
                // So does the operation that is being explored.
                let sleeper = Sleeper { thread: node.thread, operation: *self.path.operation(event), choice };
                asleep.push((position as u32, sleeper, self.stack.alternatives(position)));
            }
            if !others.is_empty() {
                tried.push((position as u32, others));
            }
        }
        steps.push(Step { thread, choice: Step::FIRST });
        let share = self.stack.states()[..=at].iter().map(|state| 1.0 / state.backtrack.len() as f64).product();
        Item { steps, tried, asleep, exact: true, share, prefix_hash: hash.finish(), ..Item::everything() }
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
        let item = self.item_of(at, thread);
        self.stack.states_mut()[at].done.insert(thread);
        Some(item)
    }

    fn save(&mut self, take: &mut dyn FnMut(Item)) {
        if !self.stack.has_started() {
            take(self.item.clone().unwrap_or_else(Item::everything));
            return;
        }
        for at in (0..self.stack.states().len()).rev() {
            self.untried(at).iter().for_each(|thread| take(self.item_of(at, thread)));
            let step = self.stack.steps()[at];
            if !self.stack.states()[at].given_away && self.stack.alternatives(at).after(step.choice).is_some() {
                // The other alternatives of the step; the item begins with the first of them that is not asleep.
                take(self.item_of(at, step.thread));
            }
        }
    }

    fn covered(&self) -> f64 {
        self.estimate.covered()
    }
}
