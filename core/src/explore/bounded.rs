//! Preemption-bounded search: every trace that has a linearisation with at most N preemptions.
//!
//! Madanlal Musuvathi, Shaz Qadeer: "Iterative Context Bounding for Systematic Testing of Multithreaded Programs",
//! PLDI 2007, and "Partial-Order Reduction for Context-Bounded State Exploration", MSR-TR-2007-12. Claim: bounding
//! the switches away from threads that could go on, and not those from threads that cannot, leaves a number of
//! executions polynomial in their length, and small bounds find most bugs.
//!
//! Departures: the papers combine the bound with partial-order reduction by computing the fewest preemptions of an
//! equivalent execution, since equivalent executions differ in preemptions and sleep sets lose some of them (`cb_por`
//! does so). Here every interleaving within the bound is enumerated, except below a state that was seen before: of two
//! equivalent prefixes that end with the same thread, the one with no fewer preemptions leads to nothing new. States
//! are recognised by a 128-bit hash of their events with their clocks; the table has a largest size, and a state that
//! it forgets costs time and nothing else. So a trace may have several executions.
//!
//! Without the table ([`Bounded::every`]), it is the bounded depth-first search that the papers compare with.
//!
//! A switch away from a thread that waits with a timeout, or has yielded, is no preemption.

use super::Explorer;
use super::depth_first::{self, DepthFirst, Stack};
use super::sizes::Sizes;
use crate::event::{Event, Plan, Step, ThreadId, ThreadSet, Trace};
use crate::hash::{Hasher128, TableHash};
use crate::order::{Conflict, Path};
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use hashbrown::HashMap;

/// One state of the present path.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundedState {
    /// Threads that can still be tried here within the bound.
    untried: ThreadSet,
    /// The thread that took the last step, if a switch away from it here is a preemption.
    running: Option<ThreadId>,
    /// The number of preemptions before this state.
    spent: u32,
    /// The sum of the hashes of the events before.
    hash: u128,
    /// Executions made before the present branch was taken.
    before: u64,
    /// Executions below the first branch; 0 while that is the present one.
    first: u64,
}

impl BoundedState {
    /// The number of preemptions up to and including a step of this thread from here.
    fn spent_with(&self, thread: ThreadId) -> u32 {
        self.spent + u32::from(self.running.is_some_and(|running| running != thread))
    }
}

/// A preemption-bounded search.
#[derive(Debug)]
pub struct Bounded {
    bound: u32,
    /// Whether the bound has left a thread untried.
    cut: bool,
    path: Path,
    stack: Stack<BoundedState>,
    seen: Option<Seen>,
    /// The hash of the events up to now.
    hash: u128,
    executions: u64,
    sizes: Sizes,
    conflicts: Vec<Conflict>,
}

impl Bounded {
    /// A search for everything within `bound` preemptions.
    pub fn new(bound: u32) -> Self {
        Bounded {
            bound,
            cut: false,
            path: Path::new(),
            stack: Stack::default(),
            seen: Some(Seen::default()),
            hash: 0,
            executions: 0,
            sizes: Sizes::new(bound),
            conflicts: Vec::new(),
        }
    }

    /// A search that recognises no states: every interleaving with at most `bound` preemptions, once.
    pub fn every(bound: u32) -> Self {
        Bounded { seen: None, ..Bounded::new(bound) }
    }

    /// Appends an event to the path and returns its hash.
    fn append(&mut self, event: &Event) -> u128 {
        let id = self.path.draft(event.thread, event.operation, event.enabled_by);
        self.path.conflicts(id, &mut self.conflicts);
        self.path.settle(id, &self.conflicts);
        self.path.push(id);
        hash(event, self.path.clock(id))
    }

    /// The state before `event`, which comes next in the path; `None` if nothing new can follow.
    fn state(&mut self, event: &Event, last: Option<&Event>) -> Option<BoundedState> {
        let above = self.stack.last().zip(self.stack.last_step());
        let spent = above.map_or(0, |(state, (step, _))| state.spent_with(step.thread));
        let running = last.filter(|last| !last.operation.gives_way()).map(|last| last.thread);
        let running = running.filter(|&thread| event.enabled.contains(thread));
        let thread = last.map_or(ThreadId::MAIN, |last| last.thread);
        let key = self.hash.wrapping_add(u128::from(thread.0) + 1);
        if self.seen.as_mut().is_some_and(|seen| !seen.insert(key, spent)) {
            return None;
        }
        let mut untried = event.enabled;
        if let (Some(running), true) = (running, spent == self.bound) {
            self.cut |= untried.len() > 1;
            untried = ThreadSet::only(running);
        }
        untried.remove(event.thread);
        Some(BoundedState { untried, running, spent, hash: self.hash, before: self.executions, first: 0 })
    }

    /// Notes the size of the branch that the search comes back from.
    fn measure_branch(&mut self) {
        let Some((thread, state)) = self.stack.last_step().map(|(step, _)| step.thread).zip(self.stack.last_mut())
        else {
            return;
        };
        let size = self.executions - state.before;
        let spent = state.spent_with(thread);
        self.sizes.note(size, state.first, (spent > state.spent).then_some(spent));
        if state.first == 0 {
            state.first = size;
        }
        state.before = self.executions;
    }
}

impl DepthFirst for Bounded {
    type State = BoundedState;

    fn stack(&mut self) -> &mut Stack<BoundedState> {
        &mut self.stack
    }

    fn next_step(&mut self) -> Option<Step> {
        self.path.truncate(self.stack.states().len() - 1);
        self.measure_branch();
        if let Some(step) = self.stack.next_choice() {
            return Some(step);
        }
        let state = self.stack.last_mut()?;
        let thread = state.untried.first()?;
        state.untried.remove(thread);
        Some(Step { thread, choice: Step::FIRST })
    }

    fn extend(&mut self, trace: &Trace, position: usize) -> bool {
        let event = &trace.events[position];
        if position == self.stack.states().len() {
            let last = position.checked_sub(1).map(|last| &trace.events[last]);
            let Some(state) = self.state(event, last) else { return false };
            self.stack.push(state, event);
        }
        if self.seen.is_some() {
            self.hash = self.stack.states()[position].hash.wrapping_add(self.append(event));
        }
        true
    }
}

/// A hash of an event with everything before it.
fn hash(event: &Event, clock: &[u32]) -> u128 {
    let mut hasher = Hasher128::default();
    (event.thread, event.operation, event.choice, event.enabled_by.is_some()).hash(&mut hasher);
    clock.iter().for_each(|&count| hasher.write_u32(count));
    hasher.key()
}

/// States seen, with the fewest preemptions spent on them.
#[derive(Debug, Default)]
struct Seen(HashMap<u128, u32, TableHash>);

impl Seen {
    /// The most states that are remembered; with one more all are forgotten. (What fits into a table of 2^20 slots, 33
    /// MB.)
    const MOST: usize = 7 << 17;

    /// Adds a state; false if it was reached before with no more preemptions.
    fn insert(&mut self, hash: u128, spent: u32) -> bool {
        if let Some(fewest) = self.0.get_mut(&hash) {
            let fewer = spent < *fewest;
            *fewest = spent.min(*fewest);
            return fewer;
        }
        if self.0.len() == Self::MOST {
            self.0.clear();
        }
        self.0.insert(hash, spent);
        true
    }
}

impl Explorer for Bounded {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        depth_first::next_plan(self, plan)
    }

    fn learn(&mut self, trace: &Trace) {
        depth_first::learn(self, trace);
        self.executions += 1;
    }

    fn lose(&mut self) {
        depth_first::lose(&mut self.stack);
        self.executions += 1;
    }

    fn estimated_total(&self) -> Option<f64> {
        let mut left = 0.0;
        for (position, state) in self.stack.states().iter().enumerate().rev() {
            let (step, alternatives) = (self.stack.steps()[position], self.stack.alternatives(position));
            // The present branch: the executions made below it, and the estimate of those that are left there.
            let present = (self.executions - state.before) as f64 + left;
            let mut here = alternatives.left_after(step.choice) as f64 * self.sizes.free(present);
            for thread in state.untried.iter() {
                let spent = state.spent_with(thread);
                here += if spent > state.spent { self.sizes.spending(spent) } else { self.sizes.free(present) };
            }
            left += here;
        }
        (self.executions > 0).then_some(self.executions as f64 + left)
    }

    fn bound_cut(&self) -> bool {
        self.cut
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_new_until_it_was_reached_with_no_more_preemptions() {
        let mut seen = Seen::default();
        assert!(seen.insert(1, 2) && !seen.insert(1, 2) && !seen.insert(1, 3), "2 is no more than 2 or 3");
        assert!(seen.insert(1, 1) && !seen.insert(1, 2), "1 is less than 2");
    }

    #[test]
    fn states_are_forgotten_when_there_are_too_many() {
        let mut seen = Seen::default();
        assert!((0..Seen::MOST).all(|state| seen.insert(state as u128, 0)));
        assert!(!seen.insert(0, 0) && seen.insert(u128::MAX, 0) && seen.insert(0, 0));
    }
}
