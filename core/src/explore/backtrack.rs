//! What the algorithms with backtrack sets and sleep sets have in common: each state of the path has a backtrack set,
//! which the races of every run fill, and the operations that are asleep in it.
//!
//! Patrice Godefroid: "Partial-Order Methods for the Verification of Concurrent Systems", LNCS 1032 (1996), for sleep
//! sets: after an operation has been explored in a state, the traces that begin with it are covered, so it sleeps in
//! the states below until something dependent with it is executed. Departures: an operation sleeps together with its
//! alternative, so a signal can be asleep for one waiter and awake for another; operations that are blocked at the end
//! of a run take part in races, since a lock that is never granted could have been granted earlier (`unexecuted`).
//!
//! Invariant (done-is-asleep): in a state from which a thread has been explored, the thread sleeps with every
//! alternative that was explored, so what begins with it is not explored again below the state's later branches.
//! Without that a search makes more runs (`Flip::without_delayed_sets`, whose runs a test counts). If an operation
//! sleeps longer than it should, traces are missed (`Source::broken`, which the cross-check tests catch).

mod items;

use super::backtrack_points::{BacktrackPoints, BacktrackState};
use super::depth_first::{self, DepthFirst, Stack};
use super::initials::known_initials;
use super::symmetry::{Symmetry, renamed};
use super::unexecuted::Unexecuted;
use super::{Divisible, Estimate, Explorer, Item};
use crate::event::{
    Alternatives, Event, EventIndex, FreeRun, Operation, Plan, Sleeper, Step, ThreadId, ThreadSet, Trace, dependent,
};
use crate::order::{Conflict, EventId, Path, join};
use alloc::boxed::Box;
use alloc::vec::Vec;

/// An operation that is asleep, and all alternatives that it has.
#[derive(Clone, Copy, Debug)]
struct Asleep {
    sleeper: Sleeper,
    alternatives: Alternatives,
}

/// Adds a backtrack point to the state before position `at` for a race of the event there with an operation that
/// `thread` may execute somewhere below the end of the path.
///
/// The reversed continuation begins with the events of the path that do not happen after the one at `at`, so one of the
/// initials of these will do. If there are none, the first event of the continuation is not known: any thread but that
/// of the event at `at` may execute it.
fn add_initial(path: &Path, states: &mut [BacktrackState], at: u32, thread: ThreadId) {
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
    /// Present in a search that tries only one of several symmetric threads.
    symmetry: Option<Box<Symmetry>>,
    /// Seeded bug: a sleeping operation is not woken by operations that it depends on.
    never_wakes: bool,
    /// The item to be explored, until its first run was made.
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

    /// A search that has not begun and that tries only one of several symmetric threads ([`Symmetry`]). `as_printed`
    /// stands for a seeded bug: figure 7.6 of the dissertation, in which a pruned thread adds no backtrack points.
    pub(super) fn by_symmetry(points: R, as_printed: bool) -> Self
    where
        R: Default,
    {
        Backtracking { symmetry: Some(Box::new(Symmetry::new(as_printed))), ..Backtracking::with(points) }
    }

    /// A search with a seeded bug: an operation goes on sleeping after one that it depends on.
    #[cfg(feature = "model")]
    pub(super) fn without_waking(points: R) -> Self
    where
        R: Default,
    {
        Backtracking { never_wakes: true, ..Backtracking::with(points) }
    }

    /// Adds the backtrack points for the races of a drafted event that comes next in the path, and completes its clock.
    /// With `only`, for its race with the event at that position alone.
    fn find_races(&mut self, event: EventId, only: Option<u32>) {
        self.past.clear();
        self.past.extend_from_slice(self.path.clock(event));
        self.path.conflicts(event, &mut self.conflicts);
        for at in 0..self.conflicts.len() {
            let conflict = self.conflicts[at];
            if !conflict.reversible || self.path.counts(&self.past, conflict.event) {
                continue;
            }
            self.path.join_enabling(&self.conflicts, at, &mut self.past);
            if let Some(symmetry) = &mut self.symmetry {
                symmetry.record_race(self.path.operation(conflict.event), self.path.operation(event));
            }
            if only.is_none_or(|only| only == conflict.position) {
                R::add(&self.path, self.stack.states_mut(), conflict.position, event, &self.past);
            }
            join(&mut self.past, self.path.clock(conflict.event));
        }
        if self.points.uses_all_dependent_events() {
            self.find_all_dependent(event);
        }
        self.path.settle(event, &self.conflicts);
    }

    /// The length of the path.
    pub(super) fn path_length(&self) -> usize {
        self.path.len()
    }

    /// Writes how many steps of the path later plans are known to share with the present one, see [`Plan::forks`].
    pub(super) fn forks(&self, forks: &mut Vec<u32>) {
        /// Checkpoints beyond these cost more than they save.
        const MOST: usize = 16;
        let left = |state: &BacktrackState| !state.backtrack.minus(state.done).is_empty();
        let branching = self.stack.states().iter().enumerate().rev().filter(|(_, state)| left(state));
        forks.extend(branching.map(|(at, _)| at as u32).take(MOST));
    }

    /// Takes in the first `end` events of a run only. What lies below the state after them is not explored; the caller
    /// then calls [`race_below`](Self::race_below) for each operation that may be executed there.
    pub(super) fn learn_until(&mut self, trace: &Trace, end: usize) {
        self.path.truncate(end);
        if let Some(state) = self.stack.states().get(end) {
            self.asleep.truncate(state.asleep as usize);
            self.stack.truncate(end);
        }
        depth_first::learn_until(self, trace, end);
        self.estimate.reached_with(self.share());
    }

    /// The last run's share of the whole search, for the estimate; backtrack sets may still grow.
    fn share(&self) -> f64 {
        self.stack.states().iter().map(|state| 1.0 / state.backtrack.len() as f64).product()
    }

    /// Adds the backtrack points for an operation that `thread` may execute somewhere below the end of the path,
    /// perhaps after others. Where the operation is not known, `somewhere` has the positions of the events that it may
    /// conflict with. `origin` is an event that happens before everything the thread does, if it has done nothing yet.
    pub(super) fn race_below(
        &mut self,
        thread: ThreadId,
        operation: Operation,
        origin: Option<EventIndex>,
        somewhere: &[u32],
    ) {
        let event = self.path.draft(thread, operation.after_unknown(), origin);
        self.past.clear();
        self.past.extend_from_slice(self.path.clock(event));
        self.path.conflicts(event, &mut self.conflicts);
        for (at, conflict) in self.conflicts.iter().enumerate().filter(|(_, conflict)| conflict.reversible) {
            if !self.path.counts(&self.past, conflict.event) {
                self.path.join_enabling(&self.conflicts, at, &mut self.past);
                add_initial(&self.path, self.stack.states_mut(), conflict.position, thread);
                join(&mut self.past, self.path.clock(conflict.event));
            }
        }
        for &position in somewhere {
            if !self.path.counts(self.path.clock(event), self.path.events()[position as usize]) {
                add_initial(&self.path, self.stack.states_mut(), position, thread);
            }
        }
        self.path.forget(event);
    }

    /// The first alternative of `thread` that is not asleep in the last state; `Step::FIRST` if none is asleep.
    fn first_awake(&self, thread: ThreadId) -> Option<u32> {
        let start = self.stack.last()?.asleep as usize;
        let own = || self.asleep[start..].iter().filter(|a| a.sleeper.thread == thread);
        let Some(any) = own().next() else { return Some(Step::FIRST) };
        let mut choice = any.alternatives.default_choice();
        while own().any(|a| a.sleeper.choice == choice) {
            choice = any.alternatives.after(choice)?;
        }
        Some(choice)
    }

    /// Takes the last event off the path, and puts it to sleep in the state before it. Returns the next thread to be
    /// tried there, if any.
    fn next_thread(&mut self) -> Option<ThreadId> {
        let last = self.path.pop()?;
        let (current, operation) = (self.path.node(last).thread, *self.path.operation(last));
        self.path.forget(last);
        let (Step { choice, .. }, alternatives) = self.stack.last_step()?;
        let given_away = self.stack.last()?.given_away;
        self.asleep.push(Asleep { sleeper: Sleeper { thread: current, operation, choice }, alternatives });
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.finish(current, choice);
        }
        while !given_away && let Some(choice) = self.first_awake(current) {
            if !self.is_choice_pruned_by_symmetry(current, choice) {
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
            if self.first_awake(thread).is_some() && !self.is_pruned_by_symmetry(thread) {
                let state = self.stack.last_mut()?;
                (state.raced, state.given_away) = (false, false);
                return Some(thread);
            }
        }
    }

    /// Whether `thread` need not be tried in the last state, since a symmetric thread was tried. If so, the backtrack
    /// points that trying it would have added are added.
    fn is_pruned_by_symmetry(&mut self, thread: ThreadId) -> bool {
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
        if !symmetry.apply_symmetric::<R>(&mut self.path, self.stack.states_mut(), (thread, counterpart)) {
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

    /// Whether the alternative `choice` of `thread` need not be tried in the last state, since the number of a
    /// symmetric thread was tried as an alternative. If so, the backtrack points that trying it would have added are
    /// added.
    fn is_choice_pruned_by_symmetry(&mut self, thread: ThreadId, choice: u32) -> bool {
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
        let chosen = ThreadId::at(choice as usize);
        if !symmetry.apply_symmetric_choice::<R>(&mut self.path, self.stack.states_mut(), thread, (chosen, counterpart))
        {
            return false;
        }
        entry.sleeper.choice = choice;
        entry.sleeper.operation = renamed(&entry.sleeper.operation, chosen, counterpart);
        self.asleep.push(entry);
        true
    }

    /// Whether an alternative of `thread` is asleep in the last state.
    fn is_partly_asleep(&self, thread: ThreadId) -> bool {
        let start = self.stack.last().map_or(0, |state| state.asleep as usize);
        self.asleep[start..].iter().any(|a| a.sleeper.thread == thread)
    }

    /// Pushes the state before a new event, with its sleep set.
    fn enter(&mut self, event: &Event) {
        let asleep = self.asleep.len() as u32;
        if let (Some(above), Some(&last)) = (self.stack.last(), self.path.events().last()) {
            let (thread, operation) = (self.path.node(last).thread, *self.path.operation(last));
            for at in above.asleep as usize..asleep as usize {
                let entry = self.asleep[at];
                if self.points.uses_sleep_sets()
                    && entry.sleeper.thread != thread
                    && (self.never_wakes || !dependent(&entry.sleeper.operation, &operation))
                {
                    self.asleep.push(entry);
                }
            }
        }
        let (backtrack, done) = (ThreadSet::only(event.thread), ThreadSet::EMPTY);
        let state = BacktrackState { enabled: event.enabled, backtrack, done, raced: false, asleep, given_away: false };
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
        self.find_races(event, only);
        if only.is_none()
            && let Some(symmetry) = &mut self.symmetry
        {
            symmetry.add_event(&self.path, event);
        }
    }
}

impl<R: BacktrackPoints> DepthFirst for Backtracking<R> {
    type State = BacktrackState;

    fn stack(&mut self) -> &mut Stack<BacktrackState> {
        &mut self.stack
    }

    /// Leaves the alternative open: the run takes the first one that is not asleep.
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
        self.find_races(id, None);
        self.path.push(id);
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.add_event(&self.path, id);
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
        plan.free_run = FreeRun::Fair;
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
        self.learn_unless(trace, &mut || false);
    }

    /// An event may race with all events before it, and belongs to all symmetric states before it.
    fn learn_unless(&mut self, trace: &Trace, gives_up: &mut dyn FnMut() -> bool) -> bool {
        self.restore_prefix(trace);
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.begin_run(&self.path, trace);
        }
        if !depth_first::learn_unless(self, trace, trace.events.len(), gives_up) {
            return false;
        }
        self.race_pending(trace);
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.close_all();
            symmetry.end_run(trace);
        }
        self.estimate.reached_with(self.share());
        true
    }

    fn lose(&mut self) {
        self.item = None;
        depth_first::lose(&mut self.stack);
        if let Some((step, _)) = self.stack.last_step() {
            // What the thread did is not known: an operation that depends on nothing stands for it and goes to sleep.
            let event = self.path.draft(step.thread, Operation::IDLE, None);
            self.find_races(event, None);
            self.path.push(event);
        }
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.disable();
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
