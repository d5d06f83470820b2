//! Context-bounded search that visits each partial order once.
//!
//! Madanlal Musuvathi, Shaz Qadeer: "Partial-Order Reduction for Context-Bounded State Exploration", MSR-TR-2007-12.
//! Claim: a state is a happens-before graph. Its context bound CB(s) is the least number of preemptions of an order of
//! its events, and CB(s, t) that of an order that ends with a step of thread t from s. Every state within a bound is
//! reached by an order all of whose steps are within it (theorem 1), although CB is not monotone along an execution. So
//! a depth-first search that prunes steps beyond the bound and states seen before visits exactly the states within the
//! bound (algorithm 1, [`CbPor::basic`]). Let an *end* be a state in which an execution ends. If a state counts as seen
//! only when all ends within the bound that can be reached from it were visited, then every run leads to a new end, and
//! each end is visited once (algorithm 2, [`CbPor::new`]).
//!
//! From the paper: the two algorithms; hashes of states as the exclusive or of hashes of their actions, an action being
//! an event with everything that happens before it (section 3.3); CB stored with every state. With hashes of 128 bits,
//! two of n states are taken for one with a probability of n^2 / 2^129: 1.5e-21 for a thousand million states.
//!
//! Departures:
//! - An action's tuple has its vector clock where the paper's has the variable and the number of the write: besides
//!   reads and writes there are locks, condition variables and accesses that overlap.
//! - The paper computes CB backwards, over all prefixes of a state. Here prefixes are built forwards, and, by theorem
//!   1, only by steps within the bound, so that their number is polynomial in the length of a run for a given bound. Of
//!   a run that shares its beginning with the one before, only prefixes with a new event are built, and none below
//!   which everything was visited.
//! - Algorithm 2 computes the successors of a prefix and asks whether each was seen. Here each state stores the threads
//!   whose successor within the bound was not seen; a state that becomes seen is removed from its predecessors' sets.
//!   So a successor need not be known before a run has reached it.
//! - This search executes whole runs. The plan prescribes steps as long as they lead to stored states. From there the
//!   run visits new states only, since all prefixes of visited ends are stored, and makes no preemption. In algorithm 1
//!   a run continues after a state seen before, so ends are visited more than once.
//! - In algorithm 2, a thread whose next step is independent of all other threads (it creates a thread or ends) takes
//!   it at once, unless it is the thread's first or follows a step that gives way (a wait or a yield): taken right
//!   after any other previous step of the thread, it can only save preemptions. So there are fewer states.
//! - A step has alternatives (the waiter that a signal wakes); each is a step of its own. A switch away from a thread
//!   that waits with a timeout, or has yielded, is no preemption.
//!
//! Each run costs, for every prefix that is new or has a new event, time quadratic in the number of threads. Memory
//! grows with the number of states within the bound, as the paper's does: 16 bytes for a state below which everything
//! was visited. With more than 8 million states, or if the enabled threads of a state are not those expected, the
//! search begins anew as `bounded`, which visits everything, but not once each.
//!
//! Invariant (closed-is-exhausted): below a closed state, every end within the bound was visited. The tests compare the
//! ends visited with brute force (`core/tests/context_bound.rs`).

mod discovery;
mod prefixes;
mod states;

use super::Explorer;
use super::bounded::Bounded;
use super::estimate::Estimate;
use crate::event::{Ending, Event, Plan, Step, ThreadId, ThreadSet, Trace};
use crate::order::{EventId, Recorded};
use alloc::vec;
use alloc::vec::Vec;
use prefixes::Prefixes;
use states::{OpenStep, StateTable};

/// When a state counts as seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    /// When it is visited.
    Visited,
    /// When all ends within the bound that can be reached from it were visited.
    Exhausted,
}

/// A context-bounded search.
#[derive(Debug)]
pub struct CbPor {
    bound: u32,
    seen: Seen,
    /// The most memory for states, in closed states.
    most: usize,
    /// Seeded bug, see [`CbPor::broken`].
    first_come: bool,
    recorded: Recorded,
    /// By event: the hash of the action.
    actions: Vec<u128>,
    /// By position: the state before; and the state at the end.
    path: Vec<u128>,
    prefixes: Prefixes,
    states: StateTable,
    /// Whether the bound has excluded a step.
    cut: bool,
    started: bool,
    /// The state before the last plan's last step, and that step.
    last: Option<(u128, OpenStep)>,
    estimate: Estimate,
    fallback: Option<Bounded>,
    work: Work,
}

/// Buffers that are reused.
#[derive(Debug, Default)]
struct Work {
    /// Prefixes to which the event of the present position can be added.
    sources: Vec<u32>,
    /// Prefixes to which an earlier event can be added, with that event.
    later: Vec<(u32, EventId)>,
    prefix: Vec<u32>,
    /// States to be marked as seen, and the prefix of each as numbers of events by thread.
    seen: Vec<u128>,
    stack: Vec<u32>,
}

/// The most memory that states may take. The unit is the memory of one closed state: 16 bytes and its share of a hash
/// table.
const MOST: usize = 1 << 23;

impl CbPor {
    /// Algorithm 2: everything within `bound` preemptions, each end once.
    pub fn new(bound: u32) -> Self {
        CbPor {
            bound,
            seen: Seen::Exhausted,
            most: MOST,
            first_come: false,
            recorded: Recorded::new(),
            actions: Vec::new(),
            path: vec![states::INITIAL],
            prefixes: Prefixes::default(),
            states: StateTable::default(),
            cut: false,
            started: false,
            last: None,
            estimate: Estimate::default(),
            fallback: None,
            work: Work::default(),
        }
    }

    /// Algorithm 1: visits each state within `bound` preemptions.
    pub fn basic(bound: u32) -> Self {
        CbPor { seen: Seen::Visited, ..CbPor::new(bound) }
    }

    /// This search, with memory for at most `most` states. The unit is the memory of one closed state.
    pub fn with_room(self, most: usize) -> Self {
        CbPor { most, ..self }
    }

    fn is_full(&self) -> bool {
        self.states.size() > self.most
    }

    /// A search with a seeded bug: the context bound of a state is the cost of the order in which it is reached first.
    #[doc(hidden)]
    pub fn broken(bound: u32) -> Self {
        CbPor { first_come: true, ..CbPor::new(bound) }
    }

    /// The context bounds of the states that the last run went through; `None` for closed ones.
    #[doc(hidden)]
    pub fn costs(&self) -> Vec<Option<u32>> {
        self.path.iter().map(|state| self.states.open.get(state).map(|open| open.cost)).collect()
    }

    fn append(&mut self, event: &Event) {
        let id = self.recorded.append(event);
        let path = self.recorded.path();
        self.actions.truncate(id as usize);
        self.actions.push(states::action(event, path.node(id).index, path.clock(id)));
        let before = self.path.last().copied().unwrap_or(states::INITIAL);
        self.path.push(before ^ self.actions[id as usize]);
    }

    fn pop(&mut self) {
        self.recorded.pop();
        self.path.pop();
        self.prefixes.truncate(self.recorded.path().len());
    }

    /// Procedure Mark of the paper: marks `state`, whose prefix is in `work.stack`, as seen; in algorithm 2 also the
    /// states before it all of whose steps lead to seen states.
    fn mark_seen(&mut self, state: u128) {
        let stride = self.prefixes.stride();
        let mut stack = core::mem::take(&mut self.work.stack);
        let mut seen = core::mem::take(&mut self.work.seen);
        let mut prefix = core::mem::take(&mut self.work.prefix);
        seen.push(state);
        while let Some(state) = seen.pop() {
            prefix.clear();
            prefix.extend(stack.drain(stack.len() - stride..));
            if self.seen == Seen::Exhausted {
                self.close(state);
            }
            for number in 0..stride {
                let thread = ThreadId::at(number);
                let Some(last) = self.recorded.last(thread, &prefix) else { continue };
                if !self.recorded.is_last(thread, &prefix) {
                    continue;
                }
                let before = state ^ self.actions[last as usize];
                let exhausted = self.states.leave(before, thread, self.recorded.choice(last));
                if exhausted && self.seen == Seen::Exhausted {
                    seen.push(before);
                    let at = stack.len();
                    stack.extend_from_slice(&prefix);
                    stack[at + number] -= 1;
                }
            }
        }
        (self.work.stack, self.work.seen, self.work.prefix) = (stack, seen, prefix);
    }

    fn close(&mut self, state: u128) {
        if let Some(open) = self.states.close(state) {
            self.prefixes.close(open.listed, state);
        }
    }

    /// Makes `work.stack` hold the prefix of the events up to `position`.
    fn stack_up_to(&mut self, position: usize) {
        let path = self.recorded.path();
        self.work.stack.clear();
        self.work.stack.resize(path.stride(), 0);
        for &event in &path.events()[..position] {
            self.work.stack[path.node(event).thread.index()] += 1;
        }
    }

    /// Marks the states that the run has visited from position `known` on as seen; in algorithm 2, its end.
    fn mark_run(&mut self, known: usize) {
        let last = self.recorded.path().len();
        match self.seen {
            // After a lost run, a run that was planned to leave the stored states may end in one.
            Seen::Exhausted if self.states.is_closed(self.path[last]) => {}
            Seen::Exhausted => {
                self.stack_up_to(last);
                self.mark_seen(self.path[last]);
            }
            Seen::Visited => {
                for position in known + 1..=last {
                    let state = self.path[position];
                    if self.states.is_closed(state) {
                        break;
                    }
                    self.stack_up_to(position);
                    self.mark_seen(state);
                }
            }
        }
    }

    /// Whether a state of the run has other enabled threads than was computed, or was not computed.
    fn deviates(&self, trace: &Trace, known: usize) -> bool {
        let expected = |position: usize| self.states.open.get(&self.path[position]).map(|open| open.enabled);
        let differs = |(position, event): (usize, &Event)| match expected(position) {
            Some(enabled) => enabled != event.enabled,
            None => !self.states.is_closed(self.path[position]),
        };
        let end = self.path[trace.events.len()];
        let known_end = self.states.open.contains_key(&end) || self.states.is_closed(end);
        trace.events.iter().enumerate().skip(known).any(differs) || !known_end
    }

    /// Extends `plan` from the end of the path by steps within the bound, until one leaves the stored states.
    fn extend_plan(&mut self, plan: &mut Plan) -> bool {
        let begin = plan.steps.len();
        let mut state = self.path[begin];
        self.last = None;
        loop {
            let Some(open_step) = self.states.open_step(state) else {
                match self.last.take() {
                    None => return false,
                    // In algorithm 1, a state is visited even if all its successors were.
                    Some(last) if self.seen == Seen::Visited => self.last = Some(last),
                    Some((before, open_step)) => {
                        self.states.note_lost(before, &open_step);
                        plan.steps.truncate(begin);
                        state = self.path[begin];
                        continue;
                    }
                }
                return true;
            };
            plan.steps.push(Step { thread: open_step.thread, choice: open_step.choice });
            self.last = Some((state, open_step));
            match open_step.next {
                Some(next) => state = next,
                None => return true,
            }
        }
    }
}

impl Explorer for CbPor {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        if let Some(fallback) = &mut self.fallback {
            return fallback.next_plan(plan);
        }
        plan.clear();
        if !self.started {
            return true;
        }
        loop {
            let state = self.path[self.recorded.path().len()];
            if self.states.open.contains_key(&state) {
                plan.clear();
                let path = self.recorded.path();
                let step = |&event: &EventId| (path.node(event).thread, self.recorded.choice(event));
                plan.steps.extend(path.events().iter().map(step).map(|(thread, choice)| Step { thread, choice }));
                if self.extend_plan(plan) {
                    return true;
                }
                if self.seen == Seen::Visited {
                    self.close(state);
                }
            }
            if self.recorded.path().is_empty() {
                return false;
            }
            self.pop();
        }
    }

    fn learn(&mut self, trace: &Trace) {
        if let Some(fallback) = &mut self.fallback {
            return fallback.learn(trace);
        }
        let known = self.recorded.path().len();
        for event in trace.events.iter().skip(known) {
            self.append(event);
        }
        self.recorded.finish(trace);
        self.extend();
        let end = self.path[trace.events.len()];
        let reached = self.states.open.get(&end).map_or(0.0, |open| open.reached);
        self.estimate.reached_with(reached);
        if self.is_full() || self.deviates(trace, known) {
            (self.states, self.prefixes) = (StateTable::default(), Prefixes::default());
            self.fallback = Some(Bounded::new(self.bound));
            return;
        }
        if let (Ending::Limit(_), Some(open)) = (trace.ending, self.states.open.get_mut(&end)) {
            // The limit has cut the run: nothing is tried from here.
            open.open = ThreadSet::EMPTY;
        }
        self.mark_run(known);
    }

    fn lose(&mut self) {
        if let Some(fallback) = &mut self.fallback {
            return fallback.lose();
        }
        self.started = true;
        if let Some((state, open_step)) = self.last.take() {
            self.states.note_lost(state, &open_step);
        }
        self.estimate.reached_with(0.0);
    }

    fn estimated_total(&self) -> Option<f64> {
        self.fallback.as_ref().map_or_else(|| self.estimate.total(), Explorer::estimated_total)
    }

    fn states(&self) -> Option<u64> {
        Some(self.states.len() as u64)
    }

    fn bound_cut(&self) -> bool {
        self.cut || self.fallback.as_ref().is_some_and(Explorer::bound_cut)
    }
}
