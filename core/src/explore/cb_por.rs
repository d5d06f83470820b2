//! Context-bounded search that visits each partial order once.
//!
//! Madanlal Musuvathi, Shaz Qadeer: "Partial-Order Reduction for Context-Bounded State Exploration", MSR-TR-2007-12.
//! Claim: with happens-before graphs as states, the context bound CB(s) of a state is the least number of preemptions of
//! an order of its events, and CB(s, t) that of orders that end with a step of thread t from s. Every state within a bound
//! is reached by an order all of whose steps are within it (theorem 1), although CB is not monotone along an execution. So
//! a depth-first search that prunes steps beyond the bound and states seen before visits exactly the states within the
//! bound (algorithm 1, [`CbPor::basic`]); and if a state counts as seen once all ends within the bound that can be reached
//! from it were visited, it never runs into a dead end and visits each end once (algorithm 2, [`CbPor::new`]).
//!
//! From the paper: the two algorithms; hashes of states as the exclusive or of hashes of their actions (section 3.3); CB
//! remembered for every state. With hashes of 128 bits, two of n states are taken for one with a probability of n^2 / 2^129:
//! 1.5e-21 for a thousand million states.
//!
//! Departures:
//! - An action's tuple has its vector clock where the paper's has the variable and the number of the write: besides reads
//!   and writes there are locks, condition variables and accesses that overlap.
//! - The paper computes CB backwards, over all prefixes of a state. Here prefixes are built forwards, and, by theorem 1,
//!   only by steps within the bound, so that their number is polynomial in the length of a run for a given bound. Of two
//!   runs with a common beginning, only the prefixes with something of the new end are looked at, and never those beyond
//!   which everything was visited.
//! - Algorithm 2 asks for the next states of a prefix and whether each was seen. Here each state has the set of threads
//!   whose next state within the bound was not, which loses one with each state that becomes seen. So the next state of a
//!   thread need not be known before something has gone there.
//! - This search executes whole runs. Where the way to go leads through known states, the plan prescribes it until it
//!   leaves them; what follows is new, as the prefixes of all ends visited are known, and costs no preemption. In algorithm
//!   1 a run goes on after it has come upon a state seen before, so ends come up more than once.
//! - A thread that has begun and whose next step concerns nobody else (it creates a thread or ends) takes that at once in
//!   algorithm 2: put right behind the thread's step before, it can only save preemptions. So there are fewer states.
//! - A step has alternatives (the waiter a signal wakes); each is a step of its own. A switch away from a thread that waits
//!   with a timeout, or has yielded, is no preemption.
//!
//! Each run costs, for every prefix that is new or has a new event, time quadratic in the number of threads. Memory grows
//! with the number of states within the bound, 16 bytes each once nothing new lies beyond it; that is the paper's. With more
//! than 8 million of them, or if a state's enabled threads are not those expected, the search begins anew without them
//! (`bounded`): it still covers everything, but not once each.

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
use states::{States, Way};

/// When a state counts as seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    /// When it is visited.
    Visited,
    /// When all ends beyond it were visited.
    Exhausted,
}

/// The search.
#[derive(Debug)]
pub struct CbPor {
    bound: u32,
    seen: Seen,
    most: usize,
    first_come: bool,
    recorded: Recorded,
    /// By event: the hash of the action.
    actions: Vec<u128>,
    /// By position: the state before; and the state at the end.
    path: Vec<u128>,
    prefixes: Prefixes,
    states: States,
    cut: bool,
    started: bool,
    /// The state before the last plan's last step, and that step.
    last: Option<(u128, Way)>,
    estimate: Estimate,
    instead: Option<Bounded>,
    work: Work,
}

/// Memory that is used again.
#[derive(Debug, Default)]
struct Work {
    /// Prefixes to which the event of the present position can be added, and ...
    sources: Vec<u32>,
    /// ... prefixes to which an earlier one can.
    later: Vec<(u32, EventId)>,
    prefix: Vec<u32>,
    /// States to be noted as seen, and the events of each.
    seen: Vec<u128>,
    stack: Vec<u32>,
}

/// The most memory that states may take, in closed states (16 bytes and their share of a hash table).
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
            states: States::default(),
            cut: false,
            started: false,
            last: None,
            estimate: Estimate::default(),
            instead: None,
            work: Work::default(),
        }
    }

    /// Algorithm 1: visits each state within `bound` preemptions.
    pub fn basic(bound: u32) -> Self {
        CbPor { seen: Seen::Visited, ..CbPor::new(bound) }
    }

    /// The same search with memory for so many closed states.
    pub fn with_room(self, most: usize) -> Self {
        CbPor { most, ..self }
    }

    fn is_full(&self) -> bool {
        self.states.size() > self.most
    }

    /// For tests that are to fail: takes the cost of the order in which a state is first reached for its context bound.
    #[doc(hidden)]
    pub fn broken(bound: u32) -> Self {
        CbPor { first_come: true, ..CbPor::new(bound) }
    }

    /// The context bounds of the states that the last run went through and that are not exhausted.
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

    /// Notes that `state`, whose events are on the stack, is seen; if states count as seen once exhausted, then also
    /// those before it of which that was the last step (procedure Mark of the paper).
    fn see(&mut self, state: u128) {
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
                let thread = ThreadId(number as u8);
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

    /// Puts the events up to `position` on the stack.
    fn stack_up_to(&mut self, position: usize) {
        let path = self.recorded.path();
        self.work.stack.clear();
        self.work.stack.resize(path.stride(), 0);
        for &event in &path.events()[..position] {
            self.work.stack[path.node(event).thread.index()] += 1;
        }
    }

    /// Notes what the run has visited from position `known` on.
    fn mark(&mut self, known: usize) {
        let last = self.recorded.path().len();
        match self.seen {
            // A run that was to leave known states has not, if a run before was lost.
            Seen::Exhausted if self.states.is_closed(self.path[last]) => {}
            Seen::Exhausted => {
                self.stack_up_to(last);
                self.see(self.path[last]);
            }
            Seen::Visited => {
                for position in known + 1..=last {
                    let state = self.path[position];
                    if self.states.is_closed(state) {
                        break;
                    }
                    self.stack_up_to(position);
                    self.see(state);
                }
            }
        }
    }

    /// Whether the run did otherwise than was expected.
    fn doubts(&self, trace: &Trace, known: usize) -> bool {
        let expected = |position: usize| self.states.open.get(&self.path[position]).map(|open| open.enabled);
        let differs = |(position, event): (usize, &Event)| match expected(position) {
            Some(enabled) => enabled != event.enabled,
            None => !self.states.is_closed(self.path[position]),
        };
        let end = self.path[trace.events.len()];
        let known_end = self.states.open.contains_key(&end) || self.states.is_closed(end);
        trace.events.iter().enumerate().skip(known).any(differs) || !known_end
    }

    /// Writes a way that leaves the known states from the end of the path into `plan`.
    fn lead_on(&mut self, plan: &mut Plan) -> bool {
        let begin = plan.steps.len();
        let mut state = self.path[begin];
        self.last = None;
        loop {
            let Some(way) = self.states.way(state) else {
                match self.last.take() {
                    None => return false,
                    // In algorithm 1, a state is visited even if all states after it were.
                    Some(last) if self.seen == Seen::Visited => self.last = Some(last),
                    Some((before, way)) => {
                        self.states.note_lost(before, &way);
                        plan.steps.truncate(begin);
                        state = self.path[begin];
                        continue;
                    }
                }
                return true;
            };
            plan.steps.push(Step { thread: way.thread, choice: way.choice });
            self.last = Some((state, way));
            match way.next {
                Some(next) => state = next,
                None => return true,
            }
        }
    }
}

impl Explorer for CbPor {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        if let Some(instead) = &mut self.instead {
            return instead.next_plan(plan);
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
                if self.lead_on(plan) {
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
        if let Some(instead) = &mut self.instead {
            return instead.learn(trace);
        }
        let known = self.recorded.path().len();
        for event in trace.events.iter().skip(known) {
            self.append(event);
        }
        self.recorded.finish(&trace.pending);
        self.extend();
        let end = self.path[trace.events.len()];
        let reached = self.states.open.get(&end).map_or(0.0, |open| open.reached);
        self.estimate.reached_with(reached);
        if self.is_full() || self.doubts(trace, known) {
            (self.states, self.prefixes) = (States::default(), Prefixes::default());
            self.instead = Some(Bounded::new(self.bound));
            return;
        }
        if let (Ending::Limit(_), Some(open)) = (trace.ending, self.states.open.get_mut(&end)) {
            // Nobody goes on from here.
            open.open = ThreadSet::EMPTY;
        }
        self.mark(known);
    }

    fn lose(&mut self) {
        if let Some(instead) = &mut self.instead {
            return instead.lose();
        }
        self.started = true;
        if let Some((state, way)) = self.last.take() {
            self.states.note_lost(state, &way);
        }
        self.estimate.reached_with(0.0);
    }

    fn estimated_total(&self) -> Option<f64> {
        self.instead.as_ref().map_or_else(|| self.estimate.total(), Explorer::estimated_total)
    }

    fn states(&self) -> Option<u64> {
        Some(self.states.len() as u64)
    }

    fn bound_cut(&self) -> bool {
        self.cut || self.instead.as_ref().is_some_and(Explorer::bound_cut)
    }
}
