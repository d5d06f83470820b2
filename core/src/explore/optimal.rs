//! Optimal partial-order reduction that decides from the path alone: one run for every Mazurkiewicz trace, none
//! blocked, and nothing kept but the present path and the tails of the runs that led to it.
//!
//! Parosh Aziz Abdulla, Mohamed Faouzi Atig, Sarbojit Das, Bengt Jonsson, Konstantinos Sagonas: "Parsimonious Optimal
//! Dynamic Partial Order Reduction", CAV 2024. Claim: a race is to be reversed in one of the runs that show it, the
//! one in which all that the reversal deletes had been scheduled by default; if it is reversed there at once, depth
//! first, every trace is visited once and the memory needed is polynomial in the length of a run.
//!
//! # The search
//! A run follows a prefix and then a fixed policy. A *race* of an event f is an earlier event x that f depends on, that f
//! could have come before, and that f depends on through nothing else. Its *past* is what comes before f without x. The
//! reversal runs the path before x, then the past's events after x and f (together a *block*), then the thread of x,
//! then freely. Events a run does not take by default are *marked*: the f of each block, and every alternative of a choice
//! but the first.
//! - A race is reversed unless an event from x on that is not in the past is marked (*parsimony*). Only events that
//!   are new in a run are looked at: f itself and what comes after the block.
//! - Another alternative of a choice is a branch of its own; its event is marked and its own races are not looked at,
//!   as they are those of the first alternative.
//! - Operations that can never be taken at the end of a run race like events.
//! - A signal that wakes a waiter which could have left by itself disables that; the race shows at the signal.
//!
//! # Why each trace comes up once
//! Take a trace that continues the path before x but does not contain x as it was. Its first events that conflict with x
//! do not depend on each other, so they belong to different threads; the trace is visited below the block that ends with
//! the one of the *lowest thread*. So, when f is to go before an x that already stands right behind blocks that were
//! reversed over it, f must not belong to a lower thread than the end of such a block, unless it comes after that or
//! after the end of a later one.
//! The block is found once: among the runs through x that have the past of f and then f, exactly one takes
//! nothing but the past and f against the default, because wherever the default would destroy them, the way around it is
//! one of their own events, the lowest again. This argument is ours, as the definition of blocks differs from the
//! paper's; the tests compare the search with brute force on generated programs.
//!
//! # Departures
//! - In place of the paper's characterisation of sleep sets there is the lowest thread, which needs no look at
//!   siblings. Whether f comes after the end of a block depends on what f is when taken before x. For a
//!   compare-exchange this is decided by values ([`Trace::values`]). Where they are not known, or the bytes compared
//!   overlap with accesses of another size, the reversal is made in any case: nothing is missed, but a trace may be
//!   visited again.
//! - A lock races with the lock that began the hold before it, and its past is that of its thread only.
//!
//! A branch is self-contained: the path before it with its marks, and the block. So a subtree can be given away by
//! handing over branches of the oldest frame, and a search can be stopped and resumed by keeping them.

mod items;
mod races;

use super::unexecuted::Unexecuted;
use super::{Divisible, Estimate, Explorer, Item};
use crate::event::{Alternatives, Ending, Operation, Plan, Step, ThreadId, Trace};
use crate::order::{Conflict, EventId, NO_EVENT, Path, join};
use alloc::vec::Vec;

const NOWHERE: u32 = u32::MAX;

/// What the search keeps of an event beside its place in the order.
#[derive(Clone, Copy, Debug)]
struct Mark {
    choice: u32,
    alternatives: Alternatives,
    /// As in [`Values`](crate::event::Values).
    before: Option<u64>,
    compared: Option<u64>,
    /// Not taken by default: reversed in, or another alternative than the first.
    marked: bool,
    /// Reversed in: where its block begins.
    block: u32,
    /// Reversed in: the thread it was reversed with, to go next.
    then: Option<ThreadId>,
    /// Reversed in: the event reversed in before it over the same operation.
    chain: EventId,
    /// Taken right after a block, by the thread whose operation the block was reversed over: the end of that block.
    behind: EventId,
}

const PLAIN: Mark = Mark {
    choice: 0,
    alternatives: Alternatives::None,
    before: None,
    compared: None,
    marked: false,
    block: NOWHERE,
    then: None,
    chain: NO_EVENT,
    behind: NO_EVENT,
};

/// Something left to do with a path: a reversal or another alternative.
#[derive(Clone, Copy, Debug)]
struct Branch {
    /// The later event of the race, or the event with alternatives.
    event: EventId,
    /// How much of the path comes before `event`.
    length: u32,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// The event goes before the one at this position.
    Reverse(u32),
    /// The event takes this alternative.
    Choose(u32),
}

/// A run that has led to the present one.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The path has to be cut here before the tail is put back.
    position: u32,
    /// Where the run's tail begins in `Optimal::tails`.
    tail: u32,
    /// Where the branches of the next run begin in `Optimal::branches`.
    branches: u32,
    /// First event drafted for the next run.
    drafted: EventId,
}

/// What the next trace's first new event is.
#[derive(Clone, Copy, Debug)]
struct Expected {
    mark: Mark,
    /// Whether its own races are to be looked at (not for another alternative of an event that has been looked at).
    races: bool,
}

const NOTHING: Expected = Expected { mark: PLAIN, races: true };

/// The search.
#[derive(Debug)]
pub struct Optimal {
    path: Path,
    marks: Vec<Mark>,
    /// The steps of the path.
    steps: Vec<Step>,
    /// The marked events of the path, in order.
    marked: Vec<EventId>,
    branches: Vec<Branch>,
    frames: Vec<Frame>,
    tails: Vec<EventId>,
    expected: Expected,
    /// The part of the search to be explored, until its first run was made.
    item: Option<Item>,
    started: bool,
    estimate: Estimate,
    conflicts: Vec<Conflict>,
    clock: Vec<u32>,
    /// For tests that are to fail: a race is reversed in every run that shows it.
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
            marks: Vec::new(),
            steps: Vec::new(),
            marked: Vec::new(),
            branches: Vec::new(),
            frames: Vec::new(),
            tails: Vec::new(),
            expected: NOTHING,
            item: None,
            started: false,
            estimate: Estimate::default(),
            conflicts: Vec::new(),
            clock: Vec::new(),
            greedy: false,
        }
    }

    /// A wrong search, which the tests have to catch: the lowest thread has no say, and traces are visited again.
    #[cfg(feature = "model")]
    pub fn broken() -> Self {
        Optimal { greedy: true, ..Optimal::new() }
    }

    #[inline]
    fn push(&mut self, event: EventId) {
        let mark = &self.marks[event as usize];
        self.steps.push(Step { thread: self.path.node(event).thread, choice: mark.choice });
        if mark.marked {
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
        self.marks.push(PLAIN);
        id
    }

    fn forget(&mut self, first: EventId) {
        self.path.forget(first);
        self.marks.truncate(first as usize);
    }

    /// Goes back to the run before.
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

    /// Notes what is left to do with a new event that comes next in the path, and appends it.
    fn take_in(&mut self, event: EventId, races: bool) {
        let length = self.path.len() as u32;
        if races {
            let mark = &self.marks[event as usize];
            let limit = if mark.marked { mark.block } else { NOWHERE };
            let choice = mark.alternatives.after(mark.choice);
            self.look(event, limit, None);
            if let Some(choice) = choice {
                self.branches.push(Branch { event, length, what: What::Choose(choice) });
            }
        } else {
            self.look(event, 0, None);
        }
        self.push(event);
    }

    /// How many runs a branch stands for directly.
    fn size(&self, branch: &Branch) -> u64 {
        match branch.what {
            What::Reverse(_) => 1,
            What::Choose(choice) => 1 + self.marks[branch.event as usize].alternatives.left_after(choice),
        }
    }

    /// Writes the path and the next step into `plan`.
    fn write(&self, plan: &mut Plan, step: Step, then: Option<ThreadId>) {
        plan.steps.extend_from_slice(&self.steps);
        plan.steps.push(step);
        plan.then = then;
        self.write_forks(&mut plan.forks);
    }

    /// Writes how many steps of the path the next plans will share with it, if the run to be made shows nothing new: each
    /// of them goes on from what it shares with the one before.
    fn write_forks(&self, forks: &mut Vec<u32>) {
        const MOST: usize = 8;
        let mut shared = NOWHERE;
        for at in (0..self.frames.len()).rev() {
            let Frame { position, branches: end, .. } = self.frames[at];
            let begin = at.checked_sub(1).map_or(0, |before| self.frames[before].branches);
            shared = shared.min(position);
            for branch in self.branches[begin as usize..end as usize].iter().rev() {
                shared = shared.min(match branch.what {
                    What::Reverse(position) => position,
                    What::Choose(_) => branch.length,
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

    /// Finds out what has to come along when the event of `branch` goes before the one at `position`, the path being that
    /// before the event: `self.clock` then counts what happens before it if the earlier one is taken away. Returns what
    /// the event will be.
    fn prepare_reversal(&mut self, branch: &Branch, position: u32) -> Expected {
        let earlier = self.path.events()[position as usize];
        let mut past = core::mem::take(&mut self.clock);
        self.path.base(branch.event, &mut past);
        self.path.conflicts_beyond(branch.event, &past, &mut self.conflicts);
        for conflict in self.conflicts.iter().filter(|c| c.reversible && c.position > position) {
            join(&mut past, self.path.clock(conflict.event));
        }
        self.clock = past;
        let then = Some(self.path.node(earlier).thread);
        let chain = self.marks[earlier as usize].behind;
        Expected { mark: Mark { marked: true, block: position, then, chain, ..PLAIN }, races: true }
    }

    /// Appends those of `events` that `self.clock` counts.
    fn take_along(&mut self, events: &[EventId]) {
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
        self.take_along(&tails[self.frames.last().map_or(0, |frame| frame.tail as usize)..]);
        self.tails = tails;
        self.write(plan, Step { thread, choice: Step::FIRST }, self.expected.mark.then);
    }

    /// What the event of `branch` will be when it takes another alternative.
    fn expect_choice(&self, branch: &Branch) -> Expected {
        let old = &self.marks[branch.event as usize];
        let block = if old.marked { old.block } else { branch.length };
        Expected { mark: Mark { marked: true, block, then: old.then, chain: old.chain, ..PLAIN }, races: false }
    }

    fn choose(&mut self, branch: Branch, choice: u32, plan: &mut Plan) {
        let thread = self.path.node(branch.event).thread;
        if let Some(next) = self.marks[branch.event as usize].alternatives.after(choice) {
            self.branches.push(Branch { what: What::Choose(next), ..branch });
        }
        self.expected = self.expect_choice(&branch);
        self.enter(branch.length);
        self.write(plan, Step { thread, choice }, self.expected.mark.then);
    }
}

impl Explorer for Optimal {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        plan.clear();
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
                // Branches are taken from the end of the run backwards, so nobody needs what came after this one.
                self.forget(branch.event + 1);
                match branch.what {
                    What::Reverse(position) => self.reverse(branch, position, plan),
                    What::Choose(choice) => self.choose(branch, choice, plan),
                }
                return true;
            }
            if !self.leave() {
                return false;
            }
        }
    }

    fn learn(&mut self, trace: &Trace) {
        self.inherit(trace);
        let known = self.path.len();
        let before = self.branches.len();
        let expected = core::mem::replace(&mut self.expected, NOTHING);
        let mut behind = None;
        let mut values = trace.values.iter().skip_while(|v| v.event.index() < known).peekable();
        for (at, event) in trace.events.iter().enumerate().skip(known) {
            let id = self.draft(event.thread, event.operation, event.enabled_by);
            let mark = &mut self.marks[id as usize];
            let mut races = true;
            if at == known {
                *mark = expected.mark;
                races = expected.races;
            }
            (mark.choice, mark.alternatives) = (event.choice, event.alternatives);
            if let Some(values) = values.next_if(|v| v.event.index() == at) {
                (mark.before, mark.compared) = (values.before, values.compared);
            }
            match behind.take() {
                // A waiter that was about to leave by itself may have been woken by the block instead.
                Some((end, thread))
                    if thread == event.thread && event.enabled_by.is_none_or(|by| by.index() + 1 != at) =>
                {
                    mark.behind = end;
                }
                _ => {}
            }
            behind = mark.then.map(|thread| (id, thread));
            self.take_in(id, races);
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
        self.expected = NOTHING;
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
