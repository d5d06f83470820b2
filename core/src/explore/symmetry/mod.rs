//! Automatic symmetry discovery: of several threads that are alike in a state only one is tried there.
//!
//! Yu Yang, Xiaofang Chen, Ganesh Gopalakrishnan, Chao Wang: "Automatic Discovery of Transition Symmetry in Multithreaded
//! Programs Using Dynamic Analysis", SPIN 2009; Yu Yang: "Dynamic Verification of Multithreaded Programs", dissertation,
//! University of Utah 2009, chapter 7 (figures 7.5 and 7.6). Claim: if the residual code of two enabled threads is the
//! same under a bijection of their local variables and labels, and so are their local states, then what follows the
//! transition of the one follows that of the other with the threads exchanged, and only one of them has to be tried.
//!
//! # Departures
//! - Figure 7.6 passes over a thread whose counterpart was tried, and with it over the races that its operations have with what
//!   came before the state: backtrack points below get lost. (T1: `r = x; x = 4`. T2: `y = 2; r = x; x = 4`. T3:
//!   `a = x; b = y`. After `y = 2` T1 and T2 are alike; that the `x = 4` of T1 can come before `y = 2` shows only where T2
//!   is passed over.) Here everything executed after the counterpart's step is kept, and takes effect with the threads exchanged.
//!   So the search is one with backtrack sets in which a part of the tree was not run but known.
//! - Of an operation is kept who executed it, whose operations and which of them come before it below the state, and with
//!   which of them that begins. So it is known of the events above the state which come before it and which race with it,
//!   and somebody who can begin the reversed continuation, which source sets and sleep sets ask for (`add_for_symmetric`).
//! - A counterpart passed over sleeps like a thread that was tried: all traces that begin with it are covered. That sleep sets do
//!   not get in the way: the thread tried slept on nothing that its counterpart would not sleep on, with the threads exchanged,
//!   as it is itself asleep when the counterpart's turn comes. (A thread some of whose alternatives were asleep is no counterpart.)
//! - Who joins whom is left out of the comparison of states ([`run::symmetry`](crate::run::Run::tell_twins)). Exchanging two
//!   threads that are joined by one thread one after the other, with nothing but joins in between, changes in which of
//!   these joins it stands, and nothing else before both have ended. That it is so is seen in all runs below the state:
//!   what a thread does depends on what it reads, not on the order in which these threads end. A run that ends in the row
//!   of joins, before it has come to both, says nothing unless the row began before the state: then another run tells how
//!   it goes on. Where it is not so, the two are no symmetry; nor are threads that create or detach others, or are detached.
//! - Happens-before is history and not state, so races that show in the clocks only need not survive the exchange.
//!   With every access visible, two accesses that can be pending at once come up so in some run: it is never the access
//!   that is pending already that has to go first. And if there is a race at all, there are two such accesses, unless
//!   something happens without a lasting edge of its own: a relaxed atomic operation, a failed trylock, a signal by a thread
//!   that does not hold the waiter's mutex. Where such an operation was executed, nobody is passed over.

mod accesses;
mod effect;
mod elements;
mod joins;
mod renaming;
mod unordered;

pub(super) use renaming::renamed;

use self::accesses::Accesses;
use self::elements::{Action, Elements, Relation, Summary};
use self::joins::{Joins, Waiting};
use self::unordered::may_be_unordered;
use crate::event::{self, Alternatives, Ending, Event, Operation, ThreadId, ThreadSet, Trace};
use crate::order::{Conflict, EventId, Path};
use alloc::vec::Vec;

/// A state of the path in which somebody is alike, with what is known of it.
#[derive(Clone, Debug, Default)]
struct Told {
    /// Its position in the path.
    at: u32,
    /// Who is alike.
    symmetry: Vec<ThreadSet>,
    /// The plain accesses that do not race, by thread, between the state told before it and this one.
    above: Vec<Above>,
    /// Who cannot be exchanged with anybody after all.
    unlike: ThreadSet,
    /// Who cannot be exchanged with whom, as they are waited for differently.
    apart: Vec<(ThreadId, ThreadId)>,
    /// Of whom that is not known from all runs.
    doubtful: Vec<(ThreadId, ThreadId)>,
    /// Who is joined in one row in which whoever waits for them stands already.
    in_one_row: Vec<(ThreadId, ThreadId)>,
    /// What was executed below, beginning with the thread tried at present.
    summary: Summary,
    /// Some alternatives of that thread were asleep from the start.
    partial: bool,
    /// What was executed below each thread and alternative tried completely, or passed over.
    tried: Vec<Tried>,
    /// The threads tried with all alternatives.
    complete: ThreadSet,
}

/// Plain accesses of a thread in a part of the path.
#[derive(Clone, Copy, Debug)]
struct Above {
    thread: ThreadId,
    accesses: u32,
    /// Where the last one is.
    last: u32,
}

/// A thread and the alternative it took, with what was executed then.
#[derive(Clone, Debug)]
struct Tried {
    thread: ThreadId,
    choice: u32,
    summary: Summary,
}

/// Plain accesses of a thread since its last operation that is kept by itself.
#[derive(Debug, Default)]
struct Open {
    /// Where the first one is.
    at: u32,
    accesses: Accesses,
}

/// As the action of an event: a plain access that does not race.
const NO_ACTION: u32 = u32::MAX;

/// Who is alike in the states of the path, and what was executed below them.
#[derive(Debug, Default)]
pub(super) struct Symmetry {
    /// By position in the path: the number of the event's action.
    actions: Vec<u32>,
    /// Positions of the events that are kept by themselves, in ascending order; what lies beyond the path is out of date.
    kept: Vec<u32>,
    /// By thread: what is to be kept of it.
    open: Vec<Open>,
    /// For whom there is something.
    opened: ThreadSet,
    /// States in which somebody is alike, in ascending order.
    told: Vec<Told>,
    /// Who is alike in the states of the run that is taken in.
    noted: Vec<event::SymmetricThreads>,
    elements: Elements,
    /// By thread: who creates it.
    creators: Vec<ThreadId>,
    /// Wrong: what was executed below a thread's counterpart takes no effect.
    as_printed: bool,
    /// Nobody is passed over any more.
    exposed: bool,
    conflicts: Vec<Conflict>,
    past: Vec<u32>,
}

impl Symmetry {
    /// Nothing is known yet.
    pub(super) fn new(as_printed: bool) -> Self {
        Symmetry { as_printed, ..Symmetry::default() }
    }

    /// A run is about to be taken in.
    pub(super) fn hear(&mut self, path: &Path, trace: &Trace) {
        /// What is known of that many elements takes some hundred megabytes.
        const MOST: usize = 1 << 22;
        if self.elements.len() > MOST {
            self.forget(path);
        }
        self.exposed |= trace.exposed;
        if self.exposed {
            self.lose();
        }
        self.noted.clear();
        self.noted.extend_from_slice(&trace.symmetric);
    }

    /// Begins anew: nobody is passed over in the states of the path.
    fn forget(&mut self, path: &Path) {
        self.lose();
        self.elements = self.elements.only_racing();
        for &at in self.kept.iter().filter(|&&at| (at as usize) < path.len()) {
            let action = Action::of(path, path.events()[at as usize]);
            self.actions[at as usize] = self.elements.actions.number(&action);
        }
    }

    /// The state before `event` comes on top of the path; some alternatives of its thread are asleep if it is `partial`.
    ///
    /// Only if that event is in a race another thread is tried, so where it is a plain access that is in none, nobody
    /// will be passed over; should it be in a race that is not known yet, everybody is tried.
    pub(super) fn enter(&mut self, path: &Path, event: &Event, partial: bool) {
        let at = self.actions.len() as u32;
        self.actions.push(NO_ACTION);
        if self.exposed || self.elements.is_quiet(&event.operation) {
            return;
        }
        let here = self.noted.partition_point(|symmetry| symmetry.at.0 < at);
        let here =
            self.noted[here..].iter().take_while(|symmetry| symmetry.at.0 == at).map(|symmetry| symmetry.threads);
        let can_matter = |symmetry: &ThreadSet| {
            let able = symmetry.intersection(event.enabled);
            able.len() > 1 || able != *symmetry || matches!(event.alternatives, Alternatives::Threads(_))
        };
        let symmetry: Vec<ThreadSet> = here.filter(can_matter).collect();
        if symmetry.is_empty() {
            return;
        }
        self.close_all();
        let start = self.told.last().map_or(0, |told| told.at);
        let above = self.quiet_between(path, start, at);
        self.told.push(Told { at, symmetry, above, partial, ..Told::default() });
    }

    /// The plain accesses that do not race in a part of the path, by thread.
    fn quiet_between(&mut self, path: &Path, start: u32, end: u32) -> Vec<Above> {
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
            Above { thread, accesses: self.elements.accesses.number(&accesses), last }
        };
        found.into_iter().map(number).collect()
    }

    /// The top state is left.
    pub(super) fn leave(&mut self) {
        self.actions.pop();
        if self.told.last().is_some_and(|told| told.at as usize == self.actions.len()) {
            self.told.pop();
        }
    }

    /// What is known of the top state, if somebody is alike there.
    fn top(&mut self) -> Option<&mut Told> {
        let at = self.actions.len().checked_sub(1)?;
        self.told.last_mut().filter(|told| told.at as usize == at)
    }

    /// An alternative of `thread` has been tried in the top state.
    pub(super) fn finish(&mut self, thread: ThreadId, choice: u32) {
        if let Some(told) = self.top() {
            let summary = core::mem::take(&mut told.summary);
            told.tried.push(Tried { thread, choice, summary });
        }
    }

    /// All alternatives of `thread` have been tried in the top state.
    pub(super) fn complete(&mut self, thread: ThreadId) {
        if let Some(told) = self.top()
            && !told.partial
        {
            told.complete.insert(thread);
        }
    }

    /// Another thread is tried in the top state.
    pub(super) fn begin(&mut self, partial: bool) {
        if let Some(told) = self.top() {
            told.partial = partial;
            told.summary.clear();
        }
    }

    /// A thread tried completely in the top state that `thread` can be exchanged with.
    pub(super) fn counterpart(&mut self, thread: ThreadId) -> Option<ThreadId> {
        let told = self.top()?;
        told.twin_among(thread, told.complete)
    }

    /// An alternative of `thread` tried in the top state that differs from `choice`, the number of a thread, in a thread
    /// that that one can be exchanged with.
    pub(super) fn counterpart_choice(&mut self, thread: ThreadId, choice: u32) -> Option<ThreadId> {
        let told = self.top()?;
        let tried = told.tried.iter().filter(|tried| tried.thread == thread);
        told.twin_among(ThreadId(choice as u8), tried.map(|tried| ThreadId(tried.choice as u8)).collect())
    }

    /// Keeps an event just appended to the path, or pending at its end, for the states above it.
    pub(super) fn take_in(&mut self, path: &Path, event: EventId) {
        let node = path.node(event);
        if let Operation::Create(child) = node.operation {
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
            // What a write has made possible that it waited for stands for itself.
            if self.elements.is_quiet(&node.operation) && Action::of(path, event).enabled_by.is_none() {
                return self.open(node.thread, &node.operation, position as u32);
            }
        }
        self.close(node.thread);
        let action = self.elements.actions.number(&Action::of(path, event));
        if on_path {
            self.actions[position] = action;
            self.kept.push(position as u32);
        }
        if self.told.is_empty() || path.is_private(event) {
            return;
        }
        let element = self.elements.alone(action);
        let news = self.told.last_mut().is_none_or(|told| told.at as usize != position || told.summary.insert(element));
        if news {
            self.keep(element, position);
        }
    }

    /// Adds a plain access to those of its thread.
    fn open(&mut self, thread: ThreadId, operation: &Operation, at: u32) {
        if self.told.is_empty() {
            return;
        }
        if self.open.len() <= thread.index() {
            self.open.resize_with(thread.index() + 1, Open::default);
        }
        let open = &mut self.open[thread.index()];
        if !self.opened.contains(thread) {
            self.opened.insert(thread);
            open.at = at;
        }
        open.accesses.add(operation);
    }

    /// Keeps the plain accesses of a thread so far, which the next ones do not belong to.
    fn close(&mut self, thread: ThreadId) {
        if !self.opened.contains(thread) {
            return;
        }
        self.opened.remove(thread);
        let Open { at, accesses } = &mut self.open[thread.index()];
        let at = *at as usize;
        accesses.finish();
        let number = self.elements.accesses.number(accesses);
        accesses.clear();
        // An operation that depends on nothing.
        let action = Action { thread, operation: Operation::Yield, enabled_by: None, accesses: Some(number) };
        let action = self.elements.actions.number(&action);
        let element = self.elements.alone(action);
        self.keep(element, at);
    }

    /// The same for all threads: at the end of a run, and where a state begins of which more is kept.
    pub(super) fn close_all(&mut self) {
        for thread in self.opened.iter() {
            self.close(thread);
        }
    }

    /// Puts an element of the state at `end` into the summaries of the states told before it.
    fn keep(&mut self, mut element: u32, mut end: usize) {
        for told in (0..self.told.len()).rev() {
            let at = self.told[told].at as usize;
            if at >= end {
                continue;
            }
            element = self.descend(element, end, at).0;
            if !self.told[told].summary.insert(element) {
                // It was there before, and so further down.
                return;
            }
            end = at;
        }
    }

    /// The element of the state at `to` that an element of the state at `from` is, and whether an event in between
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

    /// Two accesses race, one of them plain: from now on they are kept like synchronisation. What was kept of the states of
    /// the path is not complete.
    pub(super) fn note_race(&mut self, one: &Operation, other: &Operation) {
        for range in [one.plain_bytes(), other.plain_bytes()].into_iter().flatten() {
            if self.elements.note_racing(range) {
                self.lose();
            }
        }
    }

    /// Looks for what shows, in a whole run, that threads are no symmetry.
    pub(super) fn judge(&mut self, trace: &Trace) {
        if self.told.is_empty() {
            return;
        }
        let incomplete = matches!(trace.ending, Ending::Limit(_) | Ending::Diverged(_));
        if incomplete
            || trace.events.iter().enumerate().any(|(at, event)| may_be_unordered(trace, at, &event.operation))
        {
            return self.lose();
        }
        // A run that is cut as everybody sleeps is the beginning of others, which show how it goes on.
        let joins = if trace.ending == Ending::Blocked { Joins::none() } else { Joins::of(trace) };
        let singled_out = trace.events.iter().enumerate().filter_map(|(at, event)| {
            if let Operation::Detach(thread) = event.operation {
                return Some((at, thread));
            }
            matches!(event.operation, Operation::Create(_)).then_some((at, event.thread))
        });
        for (position, thread) in singled_out {
            let above = self.told.iter_mut().take_while(|told| told.at as usize <= position);
            above.for_each(|told| told.unlike.insert(thread));
        }
        self.told.iter_mut().for_each(|told| told.compare_waiting(&joins));
    }

    /// Nobody is passed over in the states of the path.
    pub(super) fn lose(&mut self) {
        self.told.clear();
        for thread in core::mem::take(&mut self.opened).iter() {
            self.open[thread.index()].accesses.clear();
        }
    }
}

impl Told {
    fn twin_among(&self, thread: ThreadId, others: ThreadSet) -> Option<ThreadId> {
        let symmetry = self.symmetry.iter().find(|symmetry| symmetry.contains(thread))?.minus(self.unlike);
        let apart = |other: ThreadId| {
            let pair = (thread.min(other), thread.max(other));
            let doubtful = self.doubtful.contains(&pair) && !self.in_one_row.contains(&pair);
            doubtful || self.apart.contains(&pair)
        };
        let candidates = if symmetry.contains(thread) { others.intersection(symmetry) } else { ThreadSet::EMPTY };
        candidates.iter().find(|&other| other != thread && !apart(other))
    }

    /// Looks at who waits for whom in a run through the state.
    fn compare_waiting(&mut self, joins: &Joins) {
        for symmetry in &self.symmetry {
            for a in symmetry.iter() {
                for b in symmetry.iter().filter(|&b| b > a) {
                    if joins.in_one_row(a, b) && self.in_one_row.contains(&(a, b)) {
                        continue;
                    }
                    let kept = match joins.compare(self.at, a, b) {
                        Waiting::Alike => continue,
                        Waiting::InOneRow => &mut self.in_one_row,
                        Waiting::PerhapsInOneRow => &mut self.doubtful,
                        Waiting::Apart => &mut self.apart,
                    };
                    if !kept.contains(&(a, b)) {
                        kept.push((a, b));
                    }
                }
            }
        }
    }
}
