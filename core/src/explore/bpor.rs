//! Bounded dynamic partial-order reduction: every trace that has a linearisation with at most N preemptions, without
//! remembering states.
//!
//! Katherine E. Coons, Madanlal Musuvathi, Kathryn S. McKinley: "Bounded Partial-Order Reduction", OOPSLA 2013. Claim:
//! with a bound, a race asks for more than its reversal right before the earlier event, since preempting that event's
//! thread there may cost more than the bound has left; if the same thread is also tried where that thread was switched
//! to (a conservative backtrack point), every state that can be reached within the bound is.
//!
//! From the paper: conservative backtrack points, the start without preemption, no sleep sets (they assume that what was
//! explored covers the traces that begin with it, which a bound breaks).
//!
//! Departures, each for programs on which the check against brute force or against `cb-por` showed traces missed:
//! - The end of a hold (an unlock, the end of an initialiser) is a conservative backtrack point. A thread that is switched
//!   to before it and comes to wait for that hold gives way without a preemption; after it, it would not.
//! - So is every place between the race and what comes before the thread's last event where threads were switched, not
//!   only the last such place: the preemption that is there already can be shared.
//! - Every earlier event counts with which the event is dependent and which does not come before its thread, not only the
//!   last one or those in an immediate race: on the way from one reversal to the next the bound may be exceeded.
//! - Operations pending at the end of a run count. A switch away from a thread that waits with a timeout, or has yielded,
//!   is no preemption.
//!
//! There is no proof that this is enough. The model checks it against brute force and `cb-por` (`core/tests/
//! context_bound.rs`); who wants to rely on a bound uses `--preemptions` with the default search, or `cb-por`.

use super::Explorer;
use super::depth_first::{self, DepthFirst, Stack};
use super::estimate::Estimate;
use super::unexecuted::Unexecuted;
use crate::event::{Event, Operation, Plan, Step, ThreadId, ThreadSet, Trace, dependent};
use crate::order::{Conflict, EventId, Path};
use alloc::vec::Vec;

/// One state of the present path.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// Threads that could go here.
    enabled: ThreadSet,
    /// Threads to be tried here.
    backtrack: ThreadSet,
    /// Threads tried, the present one included.
    done: ThreadSet,
    /// The thread whose replacement here is a preemption, if any.
    running: Option<ThreadId>,
    /// Preemptions before this state.
    spent: u32,
}

impl State {
    /// Preemptions up to and including this state's step, were it this thread's.
    fn spent_with(&self, thread: ThreadId) -> u32 {
        self.spent + u32::from(self.running.is_some_and(|running| running != thread))
    }

    /// Adds a thread to those to be tried, or everybody if it cannot go here.
    fn ask_for(&mut self, thread: ThreadId) {
        if self.enabled.contains(thread) {
            self.backtrack.insert(thread);
        } else {
            self.backtrack = self.backtrack.union(self.enabled);
        }
    }
}

/// The search.
#[derive(Debug)]
pub struct Bpor {
    bound: u32,
    cut: bool,
    path: Path,
    stack: Stack<State>,
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

    /// For tests that are to fail: backtrack points only before the last event that the later one may come before, and
    /// where that event's thread was switched to.
    #[doc(hidden)]
    pub fn published(bound: u32) -> Self {
        Bpor { published: true, ..Bpor::new(bound) }
    }

    /// The state before `event`, which comes next in the path.
    fn state(&self, event: &Event, last: Option<&Event>) -> State {
        let above = self.stack.last().zip(self.stack.last_step());
        let spent = above.map_or(0, |(state, (step, _))| state.spent_with(step.thread));
        let running = last.filter(|last| !last.operation.gives_way()).map(|last| last.thread);
        let running = running.filter(|&thread| event.enabled.contains(thread));
        let here = ThreadSet::only(event.thread);
        State { enabled: event.enabled, backtrack: here, done: here, running, spent }
    }

    /// Adds the thread of a drafted event that comes next in the path to the backtrack set of every state in which it may be
    /// needed, and completes the event's clock. With `only`, the event counts as racing with the one at that position alone.
    fn add_backtrack_points(&mut self, event: EventId, only: Option<u32>) {
        self.past.clear();
        self.past.extend_from_slice(self.path.clock(event));
        self.path.conflicts(event, &mut self.conflicts);
        let thread = self.path.node(event).thread;
        // Something that the event may come before lies below, and nothing that it comes after lies in between.
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
            let ends_hold = !self.published && ends_hold(self.path.operation(earlier));
            if here || below && (switched || ends_hold) {
                state.ask_for(thread);
            }
            below |= here;
            if self.published && below && switched {
                break;
            }
        }
        self.path.settle(event, &self.conflicts);
    }

    /// Whether a drafted event depends on the one at `at`, which does not come before its thread's last, and could have
    /// come before it.
    fn may_come_before(&self, event: EventId, at: usize) -> bool {
        let (earlier, later) = (self.path.operation(self.path.events()[at]), self.path.operation(event));
        // Who waits for a hold to end comes before it began, or after it. Where no hold ends, the path tells.
        let ended = ends_hold(earlier) && waits(later);
        let known = || self.conflicts.iter().any(|c| c.reversible && c.position as usize == at);
        dependent(earlier, later) && (!ended || known())
    }

    /// The part of the search that the last run stands for, as far as is known.
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
    type State = State;

    fn stack(&mut self) -> &mut Stack<State> {
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

/// Whether others may go on after this operation that had to wait before it, without being in a race with it.
fn ends_hold(operation: &Operation) -> bool {
    matches!(operation, Operation::Unlock(_) | Operation::OnceLeave(_))
}

/// Whether this operation waits for a hold to end.
fn waits(operation: &Operation) -> bool {
    matches!(operation, Operation::Lock(_) | Operation::WaitReacquire { .. } | Operation::OnceEnter { .. })
}
