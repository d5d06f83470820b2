//! Automatic symmetry discovery: of several symmetric threads only one is tried in a state.
//!
//! Yu Yang, Xiaofang Chen, Ganesh Gopalakrishnan, Chao Wang: "Automatic Discovery of Transition Symmetry in
//! Multithreaded Programs Using Dynamic Analysis", SPIN 2009; Yu Yang: "Dynamic Verification of Multithreaded
//! Programs", dissertation, University of Utah 2009, chapter 7 (figures 7.5 and 7.6). Claim: if the residual code of
//! two enabled threads (what they still have to execute) is the same under a bijection of their local variables and
//! labels, and so are their local states, then the executions that begin with the transition of one are those that
//! begin with that of the other, with the threads exchanged, and only one of them has to be tried.
//!
//! # Departures
//! - Figure 7.6 prunes a thread if a symmetric one (its *counterpart*) was tried, and with the thread it prunes the
//!   races of its operations with what came before the state, so backtrack points get lost. (T1: `r = x; x = 4`. T2:
//!   `y = 2; r = x; x = 4`. T3: `a = x; b = y`. After `y = 2`, T1 and T2 are symmetric; that the `x = 4` of T1 can come
//!   before `y = 2` shows only where T2 is tried.) Here everything executed after the counterpart's step is stored.
//!   Where the thread is pruned, these operations, with the threads exchanged, race with the path as if they had been
//!   executed again.
//! - An operation is stored as an *element*: with its thread, and with the operations below the state that happen
//!   before it, their threads, and one of them that no other happens before. This determines which events above the
//!   state happen before it and which race with it, and an initial of the reversed continuation, which source sets and
//!   sleep sets need (`add_for_symmetric`).
//! - A pruned thread sleeps like one that was tried: all traces that begin with it are covered. Sleep sets and pruning
//!   can be combined: with the threads exchanged, every operation that slept when the counterpart was tried sleeps now.
//!   An operation of the pruned thread becomes one of the counterpart, which sleeps since it was tried. (A thread some
//!   of whose alternatives were asleep is no counterpart.)
//! - The comparison of states ([`Run::record_symmetry`](crate::run::Run::record_symmetry)) leaves out which thread
//!   joins which. If one thread joins two others in a *row* of joins, with no other operation in between, then
//!   exchanging the two changes only which join of the row the thread waits in, until both have ended. Runs below the
//!   state show whether the two are joined in one row: what a thread does depends on what it reads, not on the order in
//!   which these two end. A run that ends within the row, before the joins of both, shows it only if the row began
//!   before the state; otherwise another run decides. Threads that are joined otherwise are not symmetric, nor are
//!   threads that create or detach others, or are detached.
//! - Happens-before depends on the path, not on the state alone, so a race that only the clocks show may be lost by the
//!   exchange. If every access is visible, two accesses that can be pending at once are pending at once in some run.
//!   And if there is a race, there are two such accesses, unless threads communicate without order
//!   ([`unordered_communication`]): by a relaxed atomic operation, a failed trylock, or a signal by a thread that does
//!   not hold the waiter's mutex. Where such an operation was executed, nothing is pruned.

mod accesses;
mod claims;
mod effect;
mod elements;
mod joins;
mod renaming;

pub(super) use renaming::renamed;

use self::accesses::Accesses;
use self::claims::Claims;
use self::elements::{Action, ElementSet, Elements, Relation};
use self::joins::{JoinRows, Waiting};
use crate::detect::unordered_communication;
use crate::event::{self, Alternatives, Ending, Event, Operation, ThreadId, ThreadSet, Trace};
use crate::order::{Conflict, EventId, Path};
use alloc::vec::Vec;

/// A state of the path that has symmetric threads.
#[derive(Clone, Debug, Default)]
struct SymmetricState {
    /// Its position in the path.
    at: u32,
    /// Classes of symmetric threads.
    classes: Vec<ThreadSet>,
    /// By thread: the race-free plain accesses between the symmetric state before it on the path and this one.
    above: Vec<AccessesAbove>,
    /// Threads that turned out not to be symmetric with any other.
    asymmetric: ThreadSet,
    /// Pairs of threads that are not symmetric, as they are joined differently.
    joined_apart: Vec<(ThreadId, ThreadId)>,
    /// Pairs for which some run does not show whether they are joined alike.
    undecided: Vec<(ThreadId, ThreadId)>,
    /// Pairs that are joined in one row of joins which has begun in this state.
    in_one_row: Vec<(ThreadId, ThreadId)>,
    /// The elements of the thread tried at present: its step, and what was executed below it.
    summary: ElementSet,
    /// Some alternatives of the thread tried at present were asleep before it was tried.
    partial: bool,
    /// What was executed below each thread and alternative that was tried, or pruned.
    tried: Vec<Tried>,
    /// The threads tried with all alternatives.
    complete: ThreadSet,
}

/// The race-free plain accesses of a thread in a part of the path.
#[derive(Clone, Copy, Debug)]
struct AccessesAbove {
    thread: ThreadId,
    accesses: u32,
    /// The position of the last one.
    last: u32,
}

/// A thread and the alternative it took, with what was executed below.
#[derive(Clone, Debug)]
struct Tried {
    thread: ThreadId,
    choice: u32,
    summary: ElementSet,
}

/// The race-free plain accesses of a thread since its last operation that is stored by itself.
#[derive(Debug, Default)]
struct OpenAccesses {
    /// The position of the first one.
    at: u32,
    accesses: Accesses,
}

/// In place of an action: the event is a race-free plain access.
const NO_ACTION: u32 = u32::MAX;

/// The symmetric threads in the states of the path, and what was executed below these states.
#[derive(Debug, Default)]
pub(super) struct Symmetry {
    /// By position in the path: the number of the event's action.
    actions: Vec<u32>,
    /// Positions of the events that are stored by themselves, in ascending order. Positions beyond the path do not
    /// count.
    kept: Vec<u32>,
    /// By thread: its accesses that are not stored yet.
    open: Vec<OpenAccesses>,
    /// The threads that have such accesses.
    opened: ThreadSet,
    /// The states with symmetric threads, by ascending position.
    states: Vec<SymmetricState>,
    /// The symmetric threads in the states of the last run, as it recorded them.
    symmetric: Vec<event::SymmetricThreads>,
    elements: Elements,
    claims: Claims,
    /// By thread: who creates it.
    creators: Vec<ThreadId>,
    /// Seeded bug, figure 7.6: a pruned thread adds no backtrack points.
    as_printed: bool,
    /// Nothing is pruned any more: some run was exposed ([`Run::expose`](crate::run::Run::expose)).
    exposed: bool,
    conflicts: Vec<Conflict>,
    past: Vec<u32>,
}

impl Symmetry {
    /// Before the first run. `as_printed` stands for the seeded bug of figure 7.6.
    pub(super) fn new(as_printed: bool) -> Self {
        Symmetry { as_printed, ..Symmetry::default() }
    }

    /// Called before a run is taken in; `path` is what the run shares with the one before.
    pub(super) fn begin_run(&mut self, path: &Path, trace: &Trace) {
        /// This many elements take some hundred megabytes.
        const MOST: usize = 1 << 22;
        if self.elements.len() > MOST {
            self.forget(path);
        }
        self.exposed |= trace.exposed;
        if self.exposed {
            self.disable();
        }
        self.symmetric.clear();
        self.symmetric.extend_from_slice(&trace.symmetric);
    }

    /// Forgets all elements: nothing is pruned in the present states of the path.
    fn forget(&mut self, path: &Path) {
        self.disable();
        self.elements = self.elements.only_racing();
        for &at in self.kept.iter().filter(|&&at| (at as usize) < path.len()) {
            let action = Action::of(path, path.events()[at as usize]);
            self.actions[at as usize] = self.elements.actions.number(&action);
        }
    }

    /// The state before `event` is pushed; if it is `partial`, some alternatives of the event's thread are asleep
    /// there.
    ///
    /// Another thread is tried there only if the event races. So nothing is stored of the state if the event is a plain
    /// access without known races; if a race of it is found later, all threads are tried.
    pub(super) fn enter(&mut self, path: &Path, event: &Event, partial: bool) {
        let at = self.actions.len() as u32;
        self.actions.push(NO_ACTION);
        if self.exposed || self.elements.is_race_free_access(&event.operation) {
            return;
        }
        let here = self.symmetric.partition_point(|symmetry| symmetry.at.0 < at);
        let here =
            self.symmetric[here..].iter().take_while(|symmetry| symmetry.at.0 == at).map(|symmetry| symmetry.threads);
        let can_matter = |symmetry: &ThreadSet| {
            let able = symmetry.intersection(event.enabled);
            able.len() > 1 || able != *symmetry || matches!(event.alternatives, Alternatives::Threads(_))
        };
        let classes: Vec<ThreadSet> = here.filter(can_matter).collect();
        if classes.is_empty() {
            return;
        }
        self.close_all();
        let start = self.states.last().map_or(0, |states| states.at);
        let above = self.race_free_accesses(path, start, at);
        self.states.push(SymmetricState { at, classes, above, partial, ..SymmetricState::default() });
    }

    /// The race-free plain accesses in a part of the path, by thread.
    fn race_free_accesses(&mut self, path: &Path, start: u32, end: u32) -> Vec<AccessesAbove> {
        let mut found: Vec<(ThreadId, Accesses, u32)> = Vec::new();
        for at in (start..end).filter(|&at| self.actions[at as usize] == NO_ACTION) {
            let (thread, operation) = (path.node(path.events()[at as usize]).thread, path.events()[at as usize]);
            let entry = match found.iter().position(|(other, ..)| *other == thread) {
                Some(entry) => entry,
                None => {
                    found.push((thread, Accesses::default(), at));
                    found.len() - 1
                }
            };
            found[entry].1.add(path.operation(operation));
            found[entry].2 = at;
        }
        let number = |(thread, mut accesses, last): (ThreadId, Accesses, u32)| {
            accesses.finish();
            AccessesAbove { thread, accesses: self.elements.accesses.number(&accesses), last }
        };
        found.into_iter().map(number).collect()
    }

    /// The last state of the path is left.
    pub(super) fn leave(&mut self) {
        self.actions.pop();
        if self.states.last().is_some_and(|states| states.at as usize == self.actions.len()) {
            self.states.pop();
        }
    }

    /// The last state of the path, if it has symmetric threads.
    fn top(&mut self) -> Option<&mut SymmetricState> {
        let at = self.actions.len().checked_sub(1)?;
        self.states.last_mut().filter(|states| states.at as usize == at)
    }

    /// An alternative of `thread` has been tried in the last state.
    pub(super) fn finish(&mut self, thread: ThreadId, choice: u32) {
        if let Some(states) = self.top() {
            let summary = core::mem::take(&mut states.summary);
            states.tried.push(Tried { thread, choice, summary });
        }
    }

    /// All alternatives of `thread` have been tried in the last state.
    pub(super) fn complete(&mut self, thread: ThreadId) {
        if let Some(states) = self.top()
            && !states.partial
        {
            states.complete.insert(thread);
        }
    }

    /// Another thread is tried in the last state.
    pub(super) fn begin(&mut self, partial: bool) {
        if let Some(states) = self.top() {
            states.partial = partial;
            states.summary.clear();
        }
    }

    /// The counterpart of `thread` in the last state: a symmetric thread that was tried there with all alternatives.
    pub(super) fn counterpart(&mut self, thread: ThreadId) -> Option<ThreadId> {
        let states = self.top()?;
        states.counterpart_among(thread, states.complete)
    }

    /// The counterpart of an alternative of `thread` in the last state, `choice` being the number of a thread: a
    /// symmetric thread whose number was tried as the alternative.
    pub(super) fn counterpart_choice(&mut self, thread: ThreadId, choice: u32) -> Option<ThreadId> {
        let states = self.top()?;
        let tried = states.tried.iter().filter(|tried| tried.thread == thread);
        states.counterpart_among(
            ThreadId::at(choice as usize),
            tried.map(|tried| ThreadId::at(tried.choice as usize)).collect(),
        )
    }

    /// Stores an event that was just appended to the path, or is pending at its end, for the states above it.
    pub(super) fn add_event(&mut self, path: &Path, event: EventId) {
        let node = path.node(event);
        if let Some(child) = node.operation.creates() {
            if self.creators.len() <= child.index() {
                self.creators.resize(child.index() + 1, ThreadId::MAIN);
            }
            self.creators[child.index()] = node.thread;
        }
        let position = node.position as usize;
        let on_path = path.events().get(position) == Some(&event);
        if on_path {
            self.kept.truncate(self.kept.partition_point(|&at| (at as usize) < position));
            self.actions[position] = NO_ACTION;
            // An access that a write has enabled is stored by itself, with what enabled it.
            if self.elements.is_race_free_access(&node.operation) && Action::of(path, event).enabled_by.is_none() {
                return self.open(node.thread, &node.operation, position as u32);
            }
        }
        self.close(node.thread);
        let action = self.elements.actions.number(&Action::of(path, event));
        if on_path {
            self.actions[position] = action;
            self.kept.push(position as u32);
        }
        if self.claims.add(node.thread, &node.operation) {
            // What is stored of the states of the path lacks the joins and detachments.
            self.disable();
        }
        if self.states.is_empty() || path.is_private(event) || self.claims.is_uncontended(&node.operation) {
            return;
        }
        let element = self.elements.alone(action);
        let new = self
            .states
            .last_mut()
            .is_none_or(|states| states.at as usize != position || states.summary.insert(element));
        if new {
            self.keep(element, position);
        }
    }

    /// Adds a race-free plain access to those of its thread.
    fn open(&mut self, thread: ThreadId, operation: &Operation, at: u32) {
        if self.states.is_empty() {
            return;
        }
        if self.open.len() <= thread.index() {
            self.open.resize_with(thread.index() + 1, OpenAccesses::default);
        }
        let open = &mut self.open[thread.index()];
        if !self.opened.contains(thread) {
            self.opened.insert(thread);
            open.at = at;
        }
        open.accesses.add(operation);
    }

    /// Stores the plain accesses that a thread has made since its last operation.
    fn close(&mut self, thread: ThreadId) {
        if !self.opened.contains(thread) {
            return;
        }
        self.opened.remove(thread);
        let OpenAccesses { at, accesses } = &mut self.open[thread.index()];
        let at = *at as usize;
        accesses.finish();
        let number = self.elements.accesses.number(accesses);
        accesses.clear();
        // An operation that depends on nothing.
        let action = Action { thread, operation: Operation::IDLE, enabled_by: None, accesses: Some(number) };
        let action = self.elements.actions.number(&action);
        let element = self.elements.alone(action);
        self.keep(element, at);
    }

    /// Stores the plain accesses that threads have made since their last operations: at the end of a run, and at a
    /// state with symmetric threads.
    pub(super) fn close_all(&mut self) {
        for thread in self.opened.iter() {
            self.close(thread);
        }
    }

    /// Adds an element of the state at `end` to the summaries of the symmetric states above it.
    fn keep(&mut self, mut element: u32, mut end: usize) {
        for states in (0..self.states.len()).rev() {
            let at = self.states[states].at as usize;
            if at >= end {
                continue;
            }
            element = self.descend(element, end, at).0;
            if !self.states[states].summary.insert(element) {
                // Then the states further up have it as well.
                return;
            }
            end = at;
        }
    }

    /// The element of the state at `to` for an element of the state at `from`, and whether an event in between
    /// conflicts with its action.
    fn descend(&mut self, mut element: u32, from: usize, to: usize) -> (u32, bool) {
        let mut conflict = false;
        let mut place = self.kept.partition_point(|&at| (at as usize) < from);
        while place > 0 && self.kept[place - 1] as usize >= to {
            place -= 1;
            let before = self.actions[self.kept[place] as usize];
            let relation = self.elements.extend(element, before);
            conflict |= matches!(relation, Relation::Conflict(_));
            if let Relation::Before(extended) | Relation::Conflict(extended) = relation {
                element = extended;
            }
        }
        (element, conflict)
    }

    /// Two operations race. Plain accesses to bytes that race are stored by themselves from now on; as what was stored
    /// of the states of the path is then not complete, nothing is pruned there.
    pub(super) fn record_race(&mut self, one: &Operation, other: &Operation) {
        for range in [one.plain_bytes(), other.plain_bytes()].into_iter().flatten() {
            if self.elements.add_racing(range) {
                self.disable();
            }
        }
    }

    /// Looks through a whole run for events that show that threads are not symmetric.
    pub(super) fn end_run(&mut self, trace: &Trace) {
        if self.states.is_empty() {
            return;
        }
        let incomplete = matches!(trace.ending, Ending::Limit(_) | Ending::Diverged(_));
        if incomplete || unordered_communication(&trace.events, 0).is_some() {
            return self.disable();
        }
        // A run that is blocked by sleep sets begins like others, which show how it continues.
        let joins = if trace.ending == Ending::Blocked { JoinRows::none() } else { JoinRows::of(trace) };
        let singled_out = trace.events.iter().enumerate().filter_map(|(at, event)| {
            let creator = event.operation.creates().map(|_| event.thread);
            event.operation.detaches().or(creator).map(|thread| (at, thread))
        });
        for (position, thread) in singled_out {
            let above = self.states.iter_mut().take_while(|states| states.at as usize <= position);
            above.for_each(|states| states.asymmetric.insert(thread));
        }
        self.states.iter_mut().for_each(|states| states.compare_waiting(&joins));
    }

    /// Nothing is pruned in the present states of the path.
    pub(super) fn disable(&mut self) {
        self.states.clear();
        for thread in core::mem::take(&mut self.opened).iter() {
            self.open[thread.index()].accesses.clear();
        }
    }
}

impl SymmetricState {
    fn counterpart_among(&self, thread: ThreadId, others: ThreadSet) -> Option<ThreadId> {
        let class = self.classes.iter().find(|class| class.contains(thread))?.minus(self.asymmetric);
        let is_apart = |other: ThreadId| {
            let pair = (thread.min(other), thread.max(other));
            let is_undecided = self.undecided.contains(&pair) && !self.in_one_row.contains(&pair);
            is_undecided || self.joined_apart.contains(&pair)
        };
        let candidates = if class.contains(thread) { others.intersection(class) } else { ThreadSet::EMPTY };
        candidates.iter().find(|&other| other != thread && !is_apart(other))
    }

    /// Compares how the threads of each class are joined in a run through the state.
    fn compare_waiting(&mut self, joins: &JoinRows) {
        for class in &self.classes {
            for a in class.iter() {
                for b in class.iter().filter(|&b| b > a) {
                    if joins.in_one_row(a, b) && self.in_one_row.contains(&(a, b)) {
                        continue;
                    }
                    let kept = match joins.compare(self.at, a, b) {
                        Waiting::Alike => continue,
                        Waiting::InOneRow => &mut self.in_one_row,
                        Waiting::PerhapsInOneRow => &mut self.undecided,
                        Waiting::Apart => &mut self.joined_apart,
                    };
                    if !kept.contains(&(a, b)) {
                        kept.push((a, b));
                    }
                }
            }
        }
    }
}
