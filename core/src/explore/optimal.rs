//! Optimal partial-order reduction: one run for every Mazurkiewicz trace and no blocked run. Memory holds only the
//! present path and the ends of the runs that led to it.
//!
//! Parosh Aziz Abdulla, Mohamed Faouzi Atig, Sarbojit Das, Bengt Jonsson, Konstantinos Sagonas: "Parsimonious Optimal
//! Dynamic Partial Order Reduction", CAV 2024. Claim: of all runs that show a race, it has to be reversed in one only:
//! that in which every event that the reversal removes was scheduled by default. If it is reversed there at once, depth
//! first, every trace is visited once and the memory needed is polynomial in the length of a run.
//!
//! # The search
//! A run follows a prefix and then a fixed policy, the default. An event f *races* with an earlier event x if f depends
//! on x, not only through a third event, and could have come before x. The *past* of the race is the set of events
//! other than x that happen before f. The reversal runs the path before x, then the events of the past that come after
//! x, then f, then the thread of x, then follows the default. The events put before x this way are a *block*; the block
//! and its end f are *reversed over* x. Events that a run does not take by default are *marked*: the end of each block,
//! and every alternative of a choice but the first.
//! - A race is reversed unless x, or an event after x that is not in the past, is marked (*parsimony*). Only races of
//!   events that are new in a run count: of the end of the block with which its prefix ends, and of all later events.
//! - Another alternative of a choice is a branch of its own. Its event is marked, and its own races are not reversed,
//!   as they are those of the first alternative.
//! - Operations that are blocked at the end of a run race like events (`unexecuted`).
//! - A signal that wakes a waiter disables the expiry of its wait; their race is found at the signal (`unexecuted`).
//!
//! # Why each trace is visited once
//! Two traces have an event in common if its outcome and the events that happen before it are the same in both. Take a
//! trace that continues the path before x and does not contain x. Its first events that conflict with x do not depend
//! on each other, so they belong to different threads; the trace is visited below the block that ends with the one of
//! these events whose thread has the lowest number (the rule of the *lowest thread*). So where x comes
//! right after blocks that were reversed over it, a race of f with x is not reversed if f belongs to a lower thread
//! than the end of one of these blocks, unless f happens after that end or after the end of a later one of them.
//!
//! The block is found once. Among the runs through x that contain the past of f and then f, exactly one departs from
//! the default only where the default step would conflict with an event of the past or with f: it takes one of these
//! instead, again that of the lowest thread. This argument is ours, as the definition of blocks differs from
//! the paper's; the tests compare the search with brute force on generated programs.
//!
//! # Departures
//! - The rule of the lowest thread replaces the paper's characterisation of sleep sets: it does not compare a branch
//!   with its siblings. Whether f happens after the end of a block depends on the outcome that f has when it is taken
//!   before x. For a compare-exchange, values decide ([`Trace::values`]). Where they are not known, or the bytes
//!   compared overlap with accesses of another size, the race is reversed in any case: nothing is missed, but a trace
//!   may be visited again. So may a trace of operations on a semaphore (docs/limits.md).
//! - A lock races with the lock that began the hold before it. The past of that race is what happens before the later
//!   lock otherwise than through the mutex ([`Path::base`]), so the unlock between the two is not in it.
//!
//! A branch is self-contained: the path before it with its marks, and the block. So a subtree can be given away by
//! giving away branches of the first of the runs that led to the present one, and a search can be stopped and resumed
//! by keeping all branches.

mod items;
mod races;

use super::unexecuted::Unexecuted;
use super::{Divisible, Estimate, Explorer, Item};
use crate::event::{Alternatives, Ending, FreeRun, Operation, Plan, Step, ThreadId, Trace};
use crate::order::{Conflict, EventId, NO_EVENT, Path, join};
use alloc::vec::Vec;

const NOWHERE: u32 = u32::MAX;

/// What the search keeps of an event beside its place in the partial order.
#[derive(Clone, Copy, Debug)]
struct Annotation {
    choice: u32,
    alternatives: Alternatives,
    /// The value before the event, as in [`Values`](crate::event::Values).
    before: Option<u64>,
    compared: Option<u64>,
    /// Not taken by default: it ends a block (it is a *reversed* event), or it is another alternative than the first.
    marked: bool,
    /// Of a reversed event: the position at which its block begins.
    block: u32,
    /// Of a reversed event: the thread of the event it was reversed with, which goes next.
    then: Option<ThreadId>,
    /// Of a reversed event: the event that was reversed over the same operation, just before this one was.
    reversed_before: EventId,
    /// Of the event right after a block, if its thread is that of the event that the block was reversed over: the end
    /// of that block.
    block_end: EventId,
}

const DEFAULT: Annotation = Annotation {
    choice: 0,
    alternatives: Alternatives::None,
    before: None,
    compared: None,
    marked: false,
    block: NOWHERE,
    then: None,
    reversed_before: NO_EVENT,
    block_end: NO_EVENT,
};

/// A run that is left to be made and that leaves a path: a reversal or another alternative.
#[derive(Clone, Copy, Debug)]
struct Branch {
    /// The later event of the race, or the event with alternatives.
    event: EventId,
    /// How much of the path comes before `event`.
    length: u32,
    kind: BranchKind,
}

#[derive(Clone, Copy, Debug)]
enum BranchKind {
    /// The event goes before the one at this position.
    Reverse(u32),
    /// The event takes this alternative.
    Choose(u32),
}

/// An earlier run from which a branch led to the next one, and in the end to the present one: what is needed to restore
/// its path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Where the next run leaves this run's path: the path is cut here before the tail is restored.
    position: u32,
    /// Where the run's tail, the events of its path from `position` on, begins in `Optimal::tails`.
    tail: u32,
    /// Where the branches of the next run begin in `Optimal::branches`.
    branches: u32,
    /// First event drafted for the next run.
    drafted: EventId,
}

/// What is known of the first new event of the next trace.
#[derive(Clone, Copy, Debug)]
struct Expected {
    annotation: Annotation,
    /// Whether its own races are to be reversed: not those of another alternative, which has the races of the first.
    races: bool,
}

const NOT_EXPECTED: Expected = Expected { annotation: DEFAULT, races: true };

/// A search by optimal partial-order reduction.
#[derive(Debug)]
pub struct Optimal {
    path: Path,
    /// By event, drafted ones included.
    annotations: Vec<Annotation>,
    /// The steps of the path.
    steps: Vec<Step>,
    /// The marked events of the path, in order.
    marked: Vec<EventId>,
    /// The branches that are left, those of the first run first.
    branches: Vec<Branch>,
    frames: Vec<Frame>,
    /// The tails that the frames restore, one after the other.
    tails: Vec<EventId>,
    expected: Expected,
    /// The part of the search to be explored, until its first run was made.
    item: Option<Item>,
    started: bool,
    estimate: Estimate,
    conflicts: Vec<Conflict>,
    clock: Vec<u32>,
    /// Seeded bug: races are reversed without regard to the rule of the lowest thread.
    greedy: bool,
}

impl Default for Optimal {
    fn default() -> Self {
        Optimal::new()
    }
}

impl Optimal {
    /// A search that has not begun.
    pub fn new() -> Self {
        Optimal {
            path: Path::new(),
            annotations: Vec::new(),
            steps: Vec::new(),
            marked: Vec::new(),
            branches: Vec::new(),
            frames: Vec::new(),
            tails: Vec::new(),
            expected: NOT_EXPECTED,
            item: None,
            started: false,
            estimate: Estimate::default(),
            conflicts: Vec::new(),
            clock: Vec::new(),
            greedy: false,
        }
    }

    /// A search with a seeded bug: without the rule of the lowest thread, traces are visited again.
    #[cfg(feature = "model")]
    pub fn broken() -> Self {
        Optimal { greedy: true, ..Optimal::new() }
    }

    #[inline]
    fn push(&mut self, event: EventId) {
        let annotation = &self.annotations[event as usize];
        self.steps.push(Step { thread: self.path.node(event).thread, choice: annotation.choice });
        if annotation.marked {
            self.marked.push(event);
        }
        self.path.push(event);
    }

    fn pop(&mut self) -> Option<EventId> {
        let event = self.path.pop()?;
        self.steps.pop();
        if self.marked.last() == Some(&event) {
            self.marked.pop();
        }
        Some(event)
    }

    fn cut(&mut self, length: u32) {
        while self.path.len() as u32 > length {
            self.pop();
        }
    }

    #[inline]
    fn draft(&mut self, thread: ThreadId, operation: Operation, by: Option<crate::event::EventIndex>) -> EventId {
        let id = self.path.draft(thread, operation, by);
        self.annotations.push(DEFAULT);
        id
    }

    fn forget(&mut self, first: EventId) {
        self.path.forget(first);
        self.annotations.truncate(first as usize);
    }

    /// Returns to the run from which the present one was reached. False if there is none.
    fn leave(&mut self) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        self.estimate.leave();
        self.cut(frame.position);
        for at in frame.tail as usize..self.tails.len() {
            let event = self.tails[at];
            self.push(event);
        }
        self.tails.truncate(frame.tail as usize);
        self.forget(frame.drafted);
        true
    }

    /// Saves the path from `position` on and cuts it there.
    fn enter(&mut self, position: u32) {
        self.frames.push(Frame {
            position,
            tail: self.tails.len() as u32,
            branches: self.branches.len() as u32,
            drafted: self.path.drafted(),
        });
        self.tails.extend_from_slice(&self.path.events()[position as usize..]);
        self.cut(position);
    }

    /// Adds the branches that a new event, which comes next in the path, calls for, and appends it.
    fn append_new(&mut self, event: EventId, races: bool) {
        let length = self.path.len() as u32;
        if races {
            let annotation = &self.annotations[event as usize];
            let limit = if annotation.marked { annotation.block } else { NOWHERE };
            let choice = annotation.alternatives.after(annotation.choice);
            self.find_races(event, limit, None);
            if let Some(choice) = choice {
                self.branches.push(Branch { event, length, kind: BranchKind::Choose(choice) });
            }
        } else {
            self.find_races(event, 0, None);
        }
        self.push(event);
    }

    /// The number of runs that leave the path at a branch: one, or one for each alternative left.
    fn size(&self, branch: &Branch) -> u64 {
        match branch.kind {
            BranchKind::Reverse(_) => 1,
            BranchKind::Choose(choice) => 1 + self.annotations[branch.event as usize].alternatives.left_after(choice),
        }
    }

    /// Writes the path and the next step into `plan`.
    fn write(&self, plan: &mut Plan, step: Step, then: Option<ThreadId>) {
        plan.steps.extend_from_slice(&self.steps);
        plan.steps.push(step);
        plan.then = then;
        self.write_forks(&mut plan.forks);
    }

    /// Writes how many steps of the path the next plans will share with it, if the run to be made adds no branches.
    /// Each of these plans shares with the path no more than the plan before it does.
    fn write_forks(&self, forks: &mut Vec<u32>) {
        const MOST: usize = 8;
        let mut shared = NOWHERE;
        for at in (0..self.frames.len()).rev() {
            let Frame { position, branches: end, .. } = self.frames[at];
            let begin = at.checked_sub(1).map_or(0, |before| self.frames[before].branches);
            shared = shared.min(position);
            for branch in self.branches[begin as usize..end as usize].iter().rev() {
                shared = shared.min(match branch.kind {
                    BranchKind::Reverse(position) => position,
                    BranchKind::Choose(_) => branch.length,
                });
                if forks.last().is_none_or(|&last| shared < last) {
                    if forks.len() == MOST {
                        return;
                    }
                    forks.push(shared);
                }
            }
        }
    }

    /// Computes the past of the race between the event of `branch`, with which the path ends, and the one at
    /// `position`: `self.clock` then counts the events of the past. Returns the annotation of the reversed event.
    fn prepare_reversal(&mut self, branch: &Branch, position: u32) -> Expected {
        let earlier = self.path.events()[position as usize];
        let mut past = core::mem::take(&mut self.clock);
        self.path.base(branch.event, &mut past);
        self.path.conflicts_beyond(branch.event, &past, &mut self.conflicts);
        for (at, conflict) in self.conflicts.iter().enumerate().filter(|(_, conflict)| conflict.reversible) {
            if conflict.position < position || self.path.counts(&past, conflict.event) {
                continue;
            }
            self.path.join_enabling(&self.conflicts, at, &mut past);
            if conflict.position > position {
                join(&mut past, self.path.clock(conflict.event));
            }
        }
        self.clock = past;
        let then = Some(self.path.node(earlier).thread);
        let reversed_before = self.annotations[earlier as usize].block_end;
        Expected {
            annotation: Annotation { marked: true, block: position, then, reversed_before, ..DEFAULT },
            races: true,
        }
    }

    /// Appends the events of the past: those of `events` that `self.clock` counts.
    fn append_past(&mut self, events: &[EventId]) {
        for &event in events {
            if self.path.counts(&self.clock, event) {
                self.push(event);
            }
        }
    }

    fn reverse(&mut self, branch: Branch, position: u32, plan: &mut Plan) {
        let thread = self.path.node(branch.event).thread;
        self.expected = self.prepare_reversal(&branch, position);
        self.enter(position);
        let tails = core::mem::take(&mut self.tails);
        self.append_past(&tails[self.frames.last().map_or(0, |frame| frame.tail as usize)..]);
        self.tails = tails;
        self.write(plan, Step { thread, choice: Step::FIRST }, self.expected.annotation.then);
    }

    /// The annotation of the event of `branch` when it takes another alternative.
    fn expect_choice(&self, branch: &Branch) -> Expected {
        let old = &self.annotations[branch.event as usize];
        let block = if old.marked { old.block } else { branch.length };
        Expected {
            annotation: Annotation {
                marked: true,
                block,
                then: old.then,
                reversed_before: old.reversed_before,
                ..DEFAULT
            },
            races: false,
        }
    }

    fn choose(&mut self, branch: Branch, choice: u32, plan: &mut Plan) {
        let thread = self.path.node(branch.event).thread;
        if let Some(next) = self.annotations[branch.event as usize].alternatives.after(choice) {
            self.branches.push(Branch { kind: BranchKind::Choose(next), ..branch });
        }
        self.expected = self.expect_choice(&branch);
        self.enter(branch.length);
        self.write(plan, Step { thread, choice }, self.expected.annotation.then);
    }
}

impl Explorer for Optimal {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        plan.clear();
        plan.free_run = FreeRun::Fair;
        if !self.started {
            self.started = true;
            if let Some(item) = &self.item {
                plan.steps.extend_from_slice(&item.steps);
                plan.then = item.then;
            }
            return true;
        }
        loop {
            let first = self.frames.last().map_or(0, |frame| frame.branches as usize);
            if self.branches.len() > first {
                let branch = self.branches.pop().expect("not empty");
                self.cut(branch.length);
                // Branches are taken from the end of the run backwards, so none that is left needs a later event.
                self.forget(branch.event + 1);
                match branch.kind {
                    BranchKind::Reverse(position) => self.reverse(branch, position, plan),
                    BranchKind::Choose(choice) => self.choose(branch, choice, plan),
                }
                return true;
            }
            if !self.leave() {
                return false;
            }
        }
    }

    fn learn(&mut self, trace: &Trace) {
        self.restore_prefix(trace);
        let known = self.path.len();
        let before = self.branches.len();
        let expected = core::mem::replace(&mut self.expected, NOT_EXPECTED);
        let mut block_end = None;
        let mut values = trace.values.iter().skip_while(|v| v.event.index() < known).peekable();
        for (at, event) in trace.events.iter().enumerate().skip(known) {
            let id = self.draft(event.thread, event.operation, event.enabled_by);
            let annotation = &mut self.annotations[id as usize];
            let mut races = true;
            if at == known {
                *annotation = expected.annotation;
                races = expected.races;
            }
            (annotation.choice, annotation.alternatives) = (event.choice, event.alternatives);
            if let Some(values) = values.next_if(|v| v.event.index() == at) {
                (annotation.before, annotation.compared) = (values.before, values.compared);
            }
            match block_end.take() {
                // Not if the event is the end of a wait that the end of the block made possible.
                Some((end, thread))
                    if thread == event.thread && event.enabled_by.is_none_or(|by| by.index() + 1 != at) =>
                {
                    annotation.block_end = end;
                }
                _ => {}
            }
            block_end = annotation.then.map(|thread| (id, thread));
            self.append_new(id, races);
            self.race_expiries(id, event);
        }
        if trace.ending != Ending::Blocked {
            self.race_pending(trace);
        }
        let below: u64 = self.branches[before..].iter().map(|branch| self.size(branch)).sum();
        self.estimate.enter(below + 1);
        self.estimate.reached();
    }

    fn lose(&mut self) {
        // The path ends before the lost step, without branches of its own.
        self.item = None;
        self.expected = NOT_EXPECTED;
        self.estimate.enter(1);
        self.estimate.reached();
    }

    fn estimated_total(&self) -> Option<f64> {
        self.estimate.total()
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        Some(self)
    }
}
