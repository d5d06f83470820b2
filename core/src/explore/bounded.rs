//! Preemption-bounded search: every trace that has a linearisation with at most N preemptions.
//!
//! Madanlal Musuvathi, Shaz Qadeer: "Iterative Context Bounding for Systematic Testing of Multithreaded Programs",
//! PLDI 2007, and "Partial-Order Reduction for Context-Bounded State Exploration", MSR-TR-2007-12. Claim: bounding
//! the switches away from threads that could go on, and not those from threads that cannot, leaves a number of
//! executions polynomial in their length, and small bounds find most bugs.
//!
//! Departures: the reports combine the bound with partial-order reduction by computing how few preemptions an execution
//! can be rearranged to have, since equivalent executions differ in preemptions and sleep sets lose some of them. Here
//! every interleaving within the bound is enumerated, except below a state that has been seen: equivalent prefixes that
//! end with the same thread and have spent no less lead to nothing new. States are recognised by a hash of 128 bits of
//! their events with their clocks; the table has a fixed largest size, and forgetting a state only costs time.
//! Executions are therefore not counted once a trace.
//!
//! Without the table ([`Bounded::every`]), it is the depth-first search with a bound that the reports compare with.
//!
//! A switch away from a thread that waits with a timeout, or has yielded, is no preemption.

use super::Explorer;
use super::depth_first::{self, DepthFirst, Stack};
use super::sizes::Sizes;
use crate::event::{Event, Plan, Step, ThreadId, ThreadSet, Trace};
use crate::order::{Conflict, Path};
use alloc::vec;
use alloc::vec::Vec;

/// One state of the present path.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// Threads that can still be tried here within the bound.
    untried: ThreadSet,
    /// The thread whose replacement here is a preemption, if any.
    running: Option<ThreadId>,
    /// Preemptions before this state.
    spent: u32,
    /// Sum of the hashes of the events before.
    hash: u128,
    /// Executions made before the present branch was taken.
    before: u64,
    /// Executions of the first branch; 0 while that is the present one.
    first: u64,
}

impl State {
    /// Preemptions up to and including this state's step, if that is the thread's.
    fn spent_with(&self, thread: ThreadId) -> u32 {
        self.spent + u32::from(self.running.is_some_and(|running| running != thread))
    }
}

/// The search.
#[derive(Debug)]
pub struct Bounded {
    bound: u32,
    cut: bool,
    path: Path,
    stack: Stack<State>,
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
            seen: Some(Seen::new()),
            hash: 0,
            executions: 0,
            sizes: Sizes::new(bound),
            conflicts: Vec::new(),
        }
    }

    /// The same without recognising states: every interleaving with at most `bound` preemptions, once.
    pub fn every(bound: u32) -> Self {
        Bounded { seen: None, ..Bounded::new(bound) }
    }

    /// Appends an event to the path; its hash.
    fn append(&mut self, event: &Event) -> u128 {
        let id = self.path.draft(event.thread, event.operation, event.enabled_by);
        self.path.conflicts(id, &mut self.conflicts);
        self.path.settle(id, &self.conflicts);
        self.path.push(id);
        hash(event, self.path.clock(id))
    }

    /// The state before `event`, which comes next in the path; `None` if nothing new can follow.
    fn state(&mut self, event: &Event, last: Option<&Event>) -> Option<State> {
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
        Some(State { untried, running, spent, hash: self.hash, before: self.executions, first: 0 })
    }

    /// Takes note of the size of the branch that the search comes back from.
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
    type State = State;

    fn stack(&mut self) -> &mut Stack<State> {
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
    use core::hash::{Hash, Hasher};
    let mut lanes = Lanes(0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344);
    (event.thread, event.operation, event.choice, event.enabled_by.is_some()).hash(&mut lanes);
    for &count in clock {
        lanes.write_u32(count);
    }
    u128::from(lanes.0) << 64 | u128::from(lanes.finish())
}

/// Two independent multiplicative hashes.
struct Lanes(u64, u64);

impl core::hash::Hasher for Lanes {
    fn finish(&self) -> u64 {
        self.1 ^ self.1 >> 31
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        self.1 = (self.1.rotate_left(23) ^ value).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
}

/// States seen, with the fewest preemptions spent on them.
#[derive(Debug)]
struct Seen {
    table: Vec<(u128, u32)>,
    used: usize,
}

impl Seen {
    /// Entries beyond which new states replace old ones.
    const LARGEST: usize = 1 << 20;

    fn new() -> Self {
        Seen { table: vec![(0, 0); 1 << 10], used: 0 }
    }

    /// Notes a state; false if it has been seen with no more preemptions.
    fn insert(&mut self, hash: u128, spent: u32) -> bool {
        if self.used * 2 > self.table.len() && self.table.len() < Self::LARGEST {
            let larger = vec![(0, 0); self.table.len() * 2];
            for (hash, spent) in core::mem::replace(&mut self.table, larger) {
                if hash != 0 {
                    let at = self.slot(hash);
                    self.table[at] = (hash, spent);
                }
            }
        }
        let at = self.slot(hash);
        let (other, fewest) = self.table[at];
        if other == hash && fewest <= spent {
            return false;
        }
        self.used += usize::from(other == 0);
        self.table[at] = (hash, spent);
        true
    }

    /// Where a state is or goes: among eight neighbours, the last of which is given up if all are taken.
    fn slot(&self, hash: u128) -> usize {
        let mask = self.table.len() - 1;
        let start = (hash >> 64) as usize;
        let at = |offset: usize| start.wrapping_add(offset) & mask;
        (0..8).map(at).find(|&at| self.table[at].0 == hash || self.table[at].0 == 0).unwrap_or(at(7))
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
            // The present branch: what was made of it, and what is left.
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
