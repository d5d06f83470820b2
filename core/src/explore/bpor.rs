//! Bounded dynamic partial-order reduction: every trace that has a linearisation with at most N preemptions, without
//! storing states.
//!
//! Katherine E. Coons, Madanlal Musuvathi, Kathryn S. McKinley: "Bounded Partial-Order Reduction", OOPSLA 2013. Claim:
//! with a bound, a backtrack point right before the earlier event of a race is not enough, since preempting that
//! event's thread there may exceed the bound; with a second, conservative one where the search switched to that thread,
//! every state within the bound is reached.
//!
//! From the paper: conservative backtrack points; runs that make no preemption after their prefix; no sleep sets (they
//! assume that what was explored covers the traces that begin with it, which is not so within a bound).
//!
//! Departures. Without each of them the comparison with brute force or with `cb-por` found programs with missed traces:
//! - The state before the end of a hold (an unlock, the end of an initialiser) gets a conservative backtrack point. If
//!   the thread to which the search switches there blocks on the hold, switching away from it is no preemption; after
//!   the end of the hold it would not block, and switching away from it would be one.
//! - Every state in which the path switches threads gets one, from the earlier event of the race back to the last event
//!   that happens before the later event; in the paper, the last such state only. A switch to the thread of the later
//!   event can replace a preemption that the path already has.
//! - An event counts as racing with every earlier event on which it depends and which does not happen before an earlier
//!   event of its thread, not only with the last one or those in an immediate race: the runs between one reversal and
//!   the next may exceed the bound.
//! - Operations that are blocked at the end of a run race as well (`unexecuted`). A switch away from a thread that
//!   waits with a timeout, or has yielded, is no preemption.
//!
//! There is no proof that this is enough. Tests compare the search with brute force and `cb-por` on generated programs
//! (`core/tests/context_bound.rs`); to rely on a bound, use `--preemptions` with `optimal`, or `cb-por`.

use super::Explorer;
use super::depth_first::{self, DepthFirst, Stack};
use super::estimate::Estimate;
use super::unexecuted::Unexecuted;
use crate::event::{Event, Plan, Step, ThreadId, ThreadSet, Trace, dependent};
use crate::order::{Conflict, EventId, Path};
use alloc::vec::Vec;

/// One state of the present path.
#[derive(Clone, Copy, Debug)]
pub(super) struct BporState {
    /// The enabled threads.
    enabled: ThreadSet,
    /// The backtrack set: threads to be tried here.
    backtrack: ThreadSet,
    /// Threads tried, the present one included.
    done: ThreadSet,
    /// The thread that took the last step, if a switch away from it here is a preemption.
    running: Option<ThreadId>,
    /// The number of preemptions before this state.
    spent: u32,
}

impl BporState {
    /// The number of preemptions up to and including a step of this thread from here.
    fn spent_with(&self, thread: ThreadId) -> u32 {
        self.spent + u32::from(self.running.is_some_and(|running| running != thread))
    }

    /// Adds a thread to the backtrack set, or all enabled threads if it is not enabled.
    fn add(&mut self, thread: ThreadId) {
        if self.enabled.contains(thread) {
            self.backtrack.insert(thread);
        } else {
            self.backtrack = self.backtrack.union(self.enabled);
        }
    }
}

/// A search by bounded partial-order reduction.
#[derive(Debug)]
pub struct Bpor {
    bound: u32,
    /// Whether the bound has left a backtrack point untried.
    cut: bool,
    path: Path,
    stack: Stack<BporState>,
    conflicts: Vec<Conflict>,
    past: Vec<u32>,
    estimate: Estimate,
    /// The paper's backtrack points, which are too few.
    published: bool,
}

impl Bpor {
    /// A search for everything within `bound` preemptions.
    pub fn new(bound: u32) -> Self {
        Bpor {
            bound,
            cut: false,
            path: Path::new(),
            stack: Stack::default(),
            conflicts: Vec::new(),
            past: Vec::new(),
            estimate: Estimate::default(),
            published: false,
        }
    }

    /// A search with a seeded bug: the paper's backtrack points alone.
    #[doc(hidden)]
    pub fn published(bound: u32) -> Self {
        Bpor { published: true, ..Bpor::new(bound) }
    }

    /// The state before `event`, which comes next in the path.
    fn state(&self, event: &Event, last: Option<&Event>) -> BporState {
        let above = self.stack.last().zip(self.stack.last_step());
        let spent = above.map_or(0, |(state, (step, _))| state.spent_with(step.thread));
        let running = last.filter(|last| !last.operation.gives_way()).map(|last| last.thread);
        let running = running.filter(|&thread| event.enabled.contains(thread));
        let here = ThreadSet::only(event.thread);
        BporState { enabled: event.enabled, backtrack: here, done: here, running, spent }
    }

    /// Adds the thread of a drafted event that comes next in the path to the backtrack set of every state in which it
    /// may be needed, and completes the event's clock. With `only`, the event counts as racing with the one at that
    /// position alone.
    fn add_backtrack_points(&mut self, event: EventId, only: Option<u32>) {
        self.past.clear();
        self.past.extend_from_slice(self.path.clock(event));
        self.path.conflicts(event, &mut self.conflicts);
        let thread = self.path.node(event).thread;
        // Whether the loop has passed a racing event, and since then no event that happens before `event`.
        let mut below = false;
        for at in (0..self.path.len()).rev() {
            let earlier = self.path.events()[at];
            if self.path.counts(&self.past, earlier) {
                below = false;
                continue;
            }
            let here = only.is_none_or(|only| only as usize == at) && self.may_come_before(event, at);
            let switched = self.stack.states()[at].running != Some(self.stack.steps()[at].thread);
            let state = &mut self.stack.states_mut()[at];
            let ends_hold = !self.published && self.path.operation(earlier).ends_hold();
            if here || below && (switched || ends_hold) {
                state.add(thread);
            }
            below |= here;
            if self.published && below && switched {
                break;
            }
        }
        self.path.settle(event, &self.conflicts);
    }

    /// Whether a drafted event races with the one at `at`, which does not happen before its thread's last event.
    fn may_come_before(&self, event: EventId, at: usize) -> bool {
        let (earlier, later) = (self.path.operation(self.path.events()[at]), self.path.operation(event));
        // An operation that waits for the end of a hold cannot come right before that end; it races with the beginning
        // of the hold, which is another conflict.
        let ended = earlier.ends_hold() && later.need().is_end_of_hold();
        let known = || self.conflicts.iter().any(|c| c.reversible && c.position as usize == at);
        dependent(earlier, later) && (!ended || known())
    }

    /// The last run's share of the whole search, for the estimate; backtrack sets may still grow.
    fn share(&self) -> f64 {
        self.stack.states().iter().map(|state| 1.0 / state.backtrack.len() as f64).product()
    }
}

impl Unexecuted for Bpor {
    fn path(&mut self) -> &mut Path {
        &mut self.path
    }

    fn race(&mut self, event: EventId, only: Option<u32>) {
        self.add_backtrack_points(event, only);
    }
}

impl DepthFirst for Bpor {
    type State = BporState;

    fn stack(&mut self) -> &mut Stack<BporState> {
        &mut self.stack
    }

    fn next_step(&mut self) -> Option<Step> {
        self.path.truncate(self.stack.states().len() - 1);
        if let Some(step) = self.stack.next_choice() {
            return Some(step);
        }
        let state = self.stack.last_mut()?;
        while let Some(thread) = state.backtrack.minus(state.done).first() {
            state.done.insert(thread);
            if state.spent_with(thread) <= self.bound {
                return Some(Step { thread, choice: Step::FIRST });
            }
            self.cut = true;
        }
        None
    }

    fn extend(&mut self, trace: &Trace, position: usize) -> bool {
        let event = &trace.events[position];
        if position == self.stack.states().len() {
            let last = position.checked_sub(1).map(|last| &trace.events[last]);
            self.stack.push(self.state(event, last), event);
        }
        let id = self.path.draft(event.thread, event.operation, event.enabled_by);
        self.add_backtrack_points(id, None);
        self.path.push(id);
        self.race_expiries(id, event);
        true
    }
}

impl Explorer for Bpor {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        depth_first::next_plan(self, plan)
    }

    fn learn(&mut self, trace: &Trace) {
        depth_first::learn(self, trace);
        self.race_pending(trace);
        self.estimate.reached_with(self.share());
    }

    fn lose(&mut self) {
        depth_first::lose(&mut self.stack);
        self.estimate.reached_with(self.share());
    }

    fn estimated_total(&self) -> Option<f64> {
        self.estimate.total()
    }

    fn bound_cut(&self) -> bool {
        self.cut
    }
}
