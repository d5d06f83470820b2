//! What the algorithms with backtrack sets and sleep sets have in common: a stack of states, each with the threads to
//! be tried in it and the operations that are asleep, filled from the races of every run.
//!
//! Patrice Godefroid: "Partial-Order Methods for the Verification of Concurrent Systems", LNCS 1032 (1996), for sleep
//! sets: after an operation has been explored in a state, the traces that begin with it are covered, so it sleeps in
//! the states below until something dependent with it is executed. Departure: an operation sleeps together with its
//! alternative, so a signal can be asleep for one waiter and awake for another.
//!
//! Operations that can no longer be taken at the end of a run take part in races, since a lock that is never granted
//! could have been granted earlier.

mod items;

use super::depth_first::{self, DepthFirst, Stack};
use super::source::known_initials;
use super::symmetry::{Symmetry, renamed};
use super::unexecuted::Unexecuted;
use super::{Divisible, Estimate, Explorer, Item};
use crate::event::{
    Alternatives, Event, EventIndex, Operation, Plan, Sleeper, Step, ThreadId, ThreadSet, Trace, dependent,
};
use crate::order::{Conflict, EventId, Path, join};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// One state of the present path.
#[derive(Clone, Copy, Debug)]
pub struct BacktrackState {
    /// Threads that could go here.
    pub(super) enabled: ThreadSet,
    /// Threads to be tried here.
    pub(super) backtrack: ThreadSet,
    /// Threads tried with every alternative that was awake.
    pub(super) done: ThreadSet,
    /// Whether what the thread tried at present does here takes part in a race with something later.
    pub(super) raced: bool,
    /// Where the operations asleep here begin in [`Backtracking::asleep`]; they end where those of the next state
    /// begin.
    asleep: u32,
    /// The thread tried at present is tried by somebody else.
    foreign: bool,
}

/// An operation asleep, with the alternatives it has as long as it sleeps.
#[derive(Clone, Copy, Debug)]
struct Asleep {
    sleeper: Sleeper,
    alternatives: Alternatives,
}

/// Which threads a race adds to a backtrack set.
pub trait BacktrackPoints {
    /// Adds to the state before position `at` what the race of the event there with `later` calls for. `later` comes
    /// next in the path, but is not in it; `past` counts what comes before `later` if the event at `at` is taken away.
    fn add(path: &Path, states: &mut [BacktrackState], at: u32, later: EventId, past: &[u32]);

    /// The same for a `later` event that comes somewhere beyond the end of the path. What comes before it there begins
    /// with `beginning`, drafted with its clock, or is not there if that is the event itself. `past` counts a part of what
    /// comes before it, of which nothing comes after the event at `at`.
    fn add_for_symmetric(_: &Path, states: &mut [BacktrackState], at: u32, _: EventId, _: &[u32], _beginning: EventId) {
        let state = &mut states[at as usize];
        state.backtrack = state.backtrack.union(state.enabled);
    }

    /// The thread to be tried next in a state; one that turns out to be asleep is passed over.
    fn next(&self, state: &BacktrackState) -> Option<ThreadId> {
        state.backtrack.minus(state.done).first()
    }

    /// Whether every earlier event that an event depends on counts as racing with it, not only those that it does not
    /// come after through others.
    fn uses_all_dependent_events(&self) -> bool {
        false
    }

    /// Whether parts of the search can be given away.
    fn can_be_divided(&self) -> bool {
        false
    }

    /// Whether what was explored in a state sleeps in the states below.
    fn uses_sleep_sets(&self) -> bool {
        true
    }
}

/// Fills the backtrack set of the state before position `at` for a race of the event there with something that `thread`
/// does somewhere below the end of the path.
///
/// The reversed continuation begins with what the path has after the event and independent of it, so a thread with which
/// that can begin will do. If there is nothing, it begins with something not known, by anybody but the event's thread.
fn make_room(path: &Path, states: &mut [BacktrackState], at: u32, thread: ThreadId) {
    let state = &mut states[at as usize];
    let (initials, _) = known_initials(path, at);
    if initials.is_empty() {
        let own = ThreadSet::only(path.node(path.events()[at as usize]).thread);
        state.backtrack = state.backtrack.union(state.enabled.minus(own));
    } else if initials.intersection(state.backtrack).is_empty() {
        let preferred = if initials.contains(thread) { Some(thread) } else { initials.first() };
        state.backtrack.insert(preferred.expect("not empty"));
    }
}

/// A search with backtrack sets, which `R` fills, and sleep sets.
#[derive(Debug, Default)]
pub struct Backtracking<R> {
    path: Path,
    stack: Stack<BacktrackState>,
    asleep: Vec<Asleep>,
    estimate: Estimate,
    conflicts: Vec<Conflict>,
    past: Vec<u32>,
    points: R,
    /// For a search that tries only one of several threads that are alike.
    symmetry: Option<Box<Symmetry>>,
    /// For tests that are to fail: nothing wakes what sleeps but its own thread.
    sleeps_on: bool,
    /// The part of the search to be explored, until its first run was made.
    item: Option<Item>,
}

impl<R: BacktrackPoints> Backtracking<R> {
    /// A search that has not begun.
    pub(super) fn with(points: R) -> Self
    where
        R: Default,
    {
        Backtracking { points, ..Backtracking::default() }
    }

    /// The same, trying only one of several symmetric threads ([`Symmetry`]); `as_printed` is a wrong search.
    pub(super) fn by_symmetry(points: R, as_printed: bool) -> Self
    where
        R: Default,
    {
        Backtracking { symmetry: Some(Box::new(Symmetry::new(as_printed))), ..Backtracking::with(points) }
    }

    /// A wrong search, which the tests have to catch: an operation goes on sleeping after one that it depends on.
    #[cfg(feature = "model")]
    pub(super) fn without_waking(points: R) -> Self
    where
        R: Default,
    {
        Backtracking { sleeps_on: true, ..Backtracking::with(points) }
    }

    /// Lets the races of a drafted event that comes next in the path take effect, and completes its clock.
    fn look(&mut self, event: EventId, only: Option<u32>) {
        self.past.clear();
        self.past.extend_from_slice(self.path.clock(event));
        self.path.conflicts(event, &mut self.conflicts);
        for conflict in self.conflicts.iter().filter(|c| c.reversible) {
            if self.path.counts(&self.past, conflict.event) {
                continue;
            }
            if let Some(symmetry) = &mut self.symmetry {
                symmetry.note_race(self.path.operation(conflict.event), self.path.operation(event));
            }
            if only.is_none_or(|only| only == conflict.position) {
                R::add(&self.path, self.stack.states_mut(), conflict.position, event, &self.past);
            }
            join(&mut self.past, self.path.clock(conflict.event));
        }
        if self.points.uses_all_dependent_events() {
            self.look_everywhere(event);
        }
        self.path.settle(event, &self.conflicts);
    }

    /// How many events of the last run were on the path before.
    pub(super) fn known(&self) -> usize {
        self.path.len()
    }

    /// How many steps of the present path later plans will share, largest first, as far as that is known.
    pub(super) fn forks(&self, forks: &mut Vec<u32>) {
        /// More are not worth their checkpoints.
        const MOST: usize = 16;
        let left = |state: &BacktrackState| !state.backtrack.minus(state.done).is_empty();
        let branching = self.stack.states().iter().enumerate().rev().filter(|(_, state)| left(state));
        forks.extend(branching.map(|(at, _)| at as u32).take(MOST));
    }

    /// Takes in the first `end` events of a run only. What lies below the state after them is not searched; what may be
    /// done there is told by calls of [`beyond`](Self::beyond).
    pub(super) fn learn_until(&mut self, trace: &Trace, end: usize) {
        self.path.truncate(end);
        if let Some(state) = self.stack.states().get(end) {
            self.asleep.truncate(state.asleep as usize);
            self.stack.truncate(end);
        }
        depth_first::learn_until(self, trace, end);
        self.estimate.reached_with(self.share());
    }

    /// The part of the search that the last run stands for, as far as is known.
    fn share(&self) -> f64 {
        self.stack.states().iter().map(|state| 1.0 / state.backtrack.len() as f64).product()
    }

    /// Lets an operation take effect that `thread` may perform somewhere below the end of the path, perhaps after
    /// others. With `somewhere` instead of the operation, it may be in conflict with the events at these positions.
    /// `origin` is an event that comes before all that the thread does, if it has done nothing yet.
    pub(super) fn beyond(
        &mut self,
        thread: ThreadId,
        operation: Operation,
        origin: Option<EventIndex>,
        somewhere: &[u32],
    ) {
        let event = self.path.draft(thread, operation, origin);
        self.past.clear();
        self.past.extend_from_slice(self.path.clock(event));
        self.path.conflicts(event, &mut self.conflicts);
        for conflict in self.conflicts.iter().filter(|c| c.reversible) {
            if !self.path.counts(&self.past, conflict.event) {
                make_room(&self.path, self.stack.states_mut(), conflict.position, thread);
                join(&mut self.past, self.path.clock(conflict.event));
            }
        }
        for &position in somewhere {
            if !self.path.counts(self.path.clock(event), self.path.events()[position as usize]) {
                make_room(&self.path, self.stack.states_mut(), position, thread);
            }
        }
        self.path.forget(event);
    }

    /// The first alternative of `thread` that is awake in the top state; `Step::FIRST` if nothing is known of it.
    fn awake(&self, thread: ThreadId) -> Option<u32> {
        let start = self.stack.last()?.asleep as usize;
        let own = || self.asleep[start..].iter().filter(|a| a.sleeper.thread == thread);
        let Some(any) = own().next() else { return Some(Step::FIRST) };
        let mut choice = any.alternatives.default_choice();
        while own().any(|a| a.sleeper.choice == choice) {
            choice = any.alternatives.after(choice)?;
        }
        Some(choice)
    }

    /// Takes the last event off the path. The next thread to be tried in the state before it, if any.
    fn next_thread(&mut self) -> Option<ThreadId> {
        let last = self.path.pop()?;
        let (current, operation) = (self.path.node(last).thread, *self.path.operation(last));
        self.path.forget(last);
        let (Step { choice, .. }, alternatives) = self.stack.last_step()?;
        let foreign = self.stack.last()?.foreign;
        self.asleep.push(Asleep { sleeper: Sleeper { thread: current, operation, choice }, alternatives });
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.finish(current, choice);
        }
        while !foreign && let Some(choice) = self.awake(current) {
            if !self.passes_over_choice(current, choice) {
                return Some(current);
            }
        }
        self.stack.last_mut()?.done.insert(current);
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.complete(current);
        }
        loop {
            let state = self.stack.last_mut()?;
            let thread = self.points.next(state)?;
            state.done.insert(thread);
            if self.awake(thread).is_some() && !self.passes_over(thread) {
                let state = self.stack.last_mut()?;
                (state.raced, state.foreign) = (false, false);
                return Some(thread);
            }
        }
    }

    /// Whether `thread` need not be tried in the top state, where the path ends, as a thread that is alike was tried. If
    /// so, takes note of what would have been found.
    fn passes_over(&mut self, thread: ThreadId) -> bool {
        if self.symmetry.is_none() {
            return false;
        }
        let partial = self.is_partly_asleep(thread);
        let start = self.stack.last().map_or(0, |state| state.asleep as usize);
        let Some(symmetry) = &mut self.symmetry else { return false };
        let Some(counterpart) = symmetry.counterpart(thread).filter(|_| !partial) else {
            symmetry.begin(partial);
            return false;
        };
        if !symmetry.pass_over::<R>(&mut self.path, self.stack.states_mut(), (thread, counterpart)) {
            symmetry.begin(partial);
            return false;
        }
        for at in start..self.asleep.len() {
            let mut entry = self.asleep[at];
            if entry.sleeper.thread == counterpart {
                entry.sleeper.thread = thread;
                entry.sleeper.operation = renamed(&entry.sleeper.operation, thread, counterpart);
                self.asleep.push(entry);
            }
        }
        true
    }

    /// The same for an alternative of a thread others of which were tried.
    fn passes_over_choice(&mut self, thread: ThreadId, choice: u32) -> bool {
        let Some(symmetry) = &mut self.symmetry else { return false };
        let start = self.stack.last().map_or(0, |state| state.asleep as usize);
        let own = |entry: &&Asleep| entry.sleeper.thread == thread;
        let Some(Alternatives::Threads(_)) = self.asleep[start..].iter().find(own).map(|a| a.alternatives) else {
            return false;
        };
        let Some(counterpart) = symmetry.counterpart_choice(thread, choice) else { return false };
        let is_counterpart =
            |entry: &&Asleep| entry.sleeper.thread == thread && entry.sleeper.choice == u32::from(counterpart.0);
        let Some(&(mut entry)) = self.asleep[start..].iter().find(is_counterpart) else { return false };
        let chosen = ThreadId(choice as u8);
        if !symmetry.pass_over_choice::<R>(&mut self.path, self.stack.states_mut(), thread, (chosen, counterpart)) {
            return false;
        }
        entry.sleeper.choice = choice;
        entry.sleeper.operation = renamed(&entry.sleeper.operation, chosen, counterpart);
        self.asleep.push(entry);
        true
    }

    /// Some of what `thread` could do in the top state is asleep.
    fn is_partly_asleep(&self, thread: ThreadId) -> bool {
        let start = self.stack.last().map_or(0, |state| state.asleep as usize);
        self.asleep[start..].iter().any(|a| a.sleeper.thread == thread)
    }

    /// Puts the state before a new event on the stack.
    fn enter(&mut self, event: &Event) {
        let asleep = self.asleep.len() as u32;
        if let (Some(above), Some(&last)) = (self.stack.last(), self.path.events().last()) {
            let (thread, operation) = (self.path.node(last).thread, *self.path.operation(last));
            for at in above.asleep as usize..asleep as usize {
                let entry = self.asleep[at];
                if self.points.uses_sleep_sets()
                    && entry.sleeper.thread != thread
                    && (self.sleeps_on || !dependent(&entry.sleeper.operation, &operation))
                {
                    self.asleep.push(entry);
                }
            }
        }
        let (backtrack, done) = (ThreadSet::only(event.thread), ThreadSet::EMPTY);
        let state = BacktrackState { enabled: event.enabled, backtrack, done, raced: false, asleep, foreign: false };
        self.stack.push(state, event);
        if self.symmetry.is_some() {
            let partial = self.is_partly_asleep(event.thread);
            if let Some(symmetry) = &mut self.symmetry {
                symmetry.enter(&self.path, event, partial);
            }
        }
    }
}

impl<R: BacktrackPoints> Unexecuted for Backtracking<R> {
    fn path(&mut self) -> &mut Path {
        &mut self.path
    }

    fn race(&mut self, event: EventId, only: Option<u32>) {
        self.look(event, only);
        if only.is_none()
            && let Some(symmetry) = &mut self.symmetry
        {
            symmetry.take_in(&self.path, event);
        }
    }
}

impl<R: BacktrackPoints> DepthFirst for Backtracking<R> {
    type State = BacktrackState;

    fn stack(&mut self) -> &mut Stack<BacktrackState> {
        &mut self.stack
    }

    /// Which alternative is awake, the run finds out.
    fn next_step(&mut self) -> Option<Step> {
        self.next_thread().map(|thread| Step { thread, choice: Step::FIRST })
    }

    fn leave(&mut self) {
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.leave();
        }
        let state = self.stack.pop();
        self.asleep.truncate(state.map_or(0, |state| state.asleep as usize));
    }

    fn extend(&mut self, trace: &Trace, position: usize) -> bool {
        let event = &trace.events[position];
        if position == self.stack.states().len() {
            self.enter(event);
        }
        let id = self.path.draft(event.thread, event.operation, event.enabled_by);
        self.look(id, None);
        self.path.push(id);
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.take_in(&self.path, id);
        }
        self.race_expiries(id, event);
        true
    }
}

impl<R: BacktrackPoints> Explorer for Backtracking<R> {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        let first = !self.stack.has_started();
        if !depth_first::next_plan(self, plan) {
            return false;
        }
        if first {
            plan.steps.extend(self.item.iter().flat_map(|item| &item.steps));
            return true;
        }
        plan.then = plan.steps.pop().map(|step| step.thread);
        let start = self.stack.last().map_or(0, |state| state.asleep as usize);
        let asleep = self.asleep[start..].iter().map(|a| a.sleeper);
        plan.sleep.extend(asleep.filter(|sleeper| self.points.uses_sleep_sets() || plan.then == Some(sleeper.thread)));
        true
    }

    fn learn(&mut self, trace: &Trace) {
        self.inherit(trace);
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.hear(&self.path, trace);
        }
        depth_first::learn(self, trace);
        self.race_pending(trace);
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.close_all();
            symmetry.judge(trace);
        }
        self.estimate.reached_with(self.share());
    }

    fn lose(&mut self) {
        self.item = None;
        depth_first::lose(&mut self.stack);
        if let Some((step, _)) = self.stack.last_step() {
            // What the thread did is not known: an operation that depends on nothing stands for it and goes to sleep.
            let event = self.path.draft(step.thread, Operation::Yield, None);
            self.look(event, None);
            self.path.push(event);
        }
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.lose();
        }
        self.estimate.reached_with(self.share());
    }

    fn estimated_total(&self) -> Option<f64> {
        self.estimate.total()
    }

    fn divisible(&mut self) -> Option<&mut dyn Divisible> {
        if self.points.can_be_divided() { Some(self) } else { None }
    }
}
