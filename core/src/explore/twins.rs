//! Automatic symmetry discovery: of several threads that are alike in a state only one is tried there.
//!
//! Yu Yang, Xiaofang Chen, Ganesh Gopalakrishnan, Chao Wang: "Automatic Discovery of Transition Symmetry in Multithreaded
//! Programs Using Dynamic Analysis", SPIN 2009; Yu Yang: "Dynamic Verification of Multithreaded Programs", dissertation,
//! University of Utah 2009, chapter 7 (figures 7.5 and 7.6). Claim: if the residual code of two enabled threads is the
//! same under a bijection of their local variables and labels, and so are their local states, then what follows the
//! transition of the one follows that of the other with the threads exchanged, and only one of them has to be tried.
//!
//! # Departures
//! - Figure 7.6 passes over a thread whose twin was tried, and with it over the races that its operations have with what
//!   came before the state: backtrack points below get lost. (T1: `r = x; x = 4`. T2: `y = 2; r = x; x = 4`. T3:
//!   `a = x; b = y`. After `y = 2` T1 and T2 are alike; that the `x = 4` of T1 can come before `y = 2` shows only where T2
//!   is passed over.) Here everything executed after the twin's step is kept, and takes effect with the threads exchanged.
//!   So the search is one with backtrack sets in which a part of the tree was not run but known.
//! - Of an operation is kept who executed it, whose operations and which of them come before it below the state, and with
//!   which of them that begins. So it is known of the events above the state which come before it and which race with it,
//!   and somebody who can begin the reversed continuation, which source sets and sleep sets ask for (`react_to_twin`).
//! - A twin passed over sleeps like a thread that was tried: all traces that begin with it are covered. That sleep sets do
//!   not get in the way: the thread tried slept on nothing that its twin would not sleep on, with the threads exchanged,
//!   as it is itself asleep when the twin's turn comes. (A thread some of whose alternatives were asleep is no twin.)
//! - Who joins whom is left out of the comparison of states ([`run::twins`](crate::run::Run::tell_twins)). Exchanging two
//!   threads that are joined by one thread one after the other, with nothing but joins in between, changes in which of
//!   these joins it stands, and nothing else before both have ended. That it is so is seen in all runs below the state:
//!   what a thread does depends on what it reads, not on the order in which these threads end. A run that ends in the row
//!   of joins, before it has come to both, says nothing unless the row began before the state: then another run tells how
//!   it goes on. Where it is not so, the two are no twins; nor are threads that create or detach others, or are detached.
//! - Happens-before is history and not state, so races that show in the clocks only need not survive the exchange.
//!   With every access visible, two accesses that can be pending at once come up so in some run: it is never the access
//!   that is pending already that has to go first. And if there is a race at all, there are two such accesses, unless
//!   something happens without a lasting edge of its own: a relaxed atomic operation, a failed trylock, a signal by a thread
//!   that does not hold the waiter's mutex. Where such an operation was executed, nobody is passed over.

use super::backtrack::{Reaction, State};
use crate::event::{
    self, ByteRange, Ending, Event, EventIndex, Footprint, MAX_THREADS, MemoryOrder, Operation, Pending, ThreadId, ThreadSet,
    Touch, Trace, dependent,
};
use crate::order::{Conflict, EventId, NO_EVENT, Path, join};
use crate::run::StateHasher;
use alloc::vec::Vec;
use core::hash::{BuildHasherDefault, Hash};
use hashbrown::HashMap;

type Map<K, V> = HashMap<K, V, BuildHasherDefault<StateHasher>>;

/// Something executed somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Action {
    thread: ThreadId,
    operation: Operation,
    /// What made it possible, other than the creation of its thread.
    enabled_by: Option<EventIndex>,
}

/// An action below a state, with what is known of those executed below the state that come before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Element {
    action: u32,
    /// One of them that comes after none of them; or [`ALONE`].
    first: u32,
    /// The others, by their number.
    past: u32,
}

/// As the first of those that come before an action: there are none.
const ALONE: u32 = u32::MAX;

/// What is known of the actions between a state and one below it that come before that one.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Past {
    /// Who executes them, the last one included.
    threads: ThreadSet,
    /// The operations, by their numbers, in ascending order; of plain accesses those that race. What comes before another
    /// one comes before the synchronisation that orders the two as well.
    operations: Vec<u32>,
}

/// How an event just above a state belongs to an element of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    /// It has nothing to do with it.
    None,
    /// It comes before what comes before the action; with the number of the element of the state above.
    Before(u32),
    /// It and the action depend on each other directly, and in no other way; with the same.
    Conflict(u32),
}

/// A set of elements, by their numbers.
type Summary = Vec<u64>;

/// What is known of a state of the path.
#[derive(Clone, Debug, Default)]
struct Level {
    /// The event of the path that comes next in the state.
    action: u32,
    /// It is a plain access that does not race.
    is_plain: bool,
    /// Who is alike.
    twins: Vec<ThreadSet>,
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

/// A thread and the alternative it took, with what was executed then.
#[derive(Clone, Debug)]
struct Tried {
    thread: ThreadId,
    choice: u32,
    summary: Summary,
}

/// Values with numbers in the order of their first use.
#[derive(Debug)]
struct Numbered<T> {
    values: Vec<T>,
    numbers: Map<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { values: Vec::new(), numbers: Map::default() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn number(&mut self, value: &T) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }
}

/// Who is alike in the states of the path, and what was executed below them.
#[derive(Debug, Default)]
pub(super) struct Twins {
    levels: Vec<Level>,
    /// Who is alike in the states of the run that is taken in.
    noted: Vec<event::Twins>,
    /// Levels with twins, in ascending order.
    told: Vec<u32>,
    actions: Numbered<Action>,
    operations: Numbered<Operation>,
    pasts: Numbered<Past>,
    elements: Numbered<Element>,
    /// What elements are with an event before them.
    extended: Map<(u32, u32), Relation>,
    /// What elements are with two threads exchanged.
    exchanged: Map<(u32, ThreadId, ThreadId), u32>,
    /// Locations of plain accesses that race.
    racing: Vec<ByteRange>,
    /// By thread: who creates it.
    creators: Vec<ThreadId>,
    /// Wrong: what was executed below a thread's twin takes no effect.
    as_printed: bool,
    /// Nobody is passed over any more.
    exposed: bool,
    conflicts: Vec<Conflict>,
    past: Vec<u32>,
}

impl Twins {
    /// Nothing is known yet.
    pub(super) fn new(as_printed: bool) -> Self {
        Twins { as_printed, ..Twins::default() }
    }

    /// A run is about to be taken in.
    pub(super) fn hear(&mut self, trace: &Trace) {
        self.noted.clear();
        self.noted.extend_from_slice(&trace.twins);
    }

    /// A state comes on top of the path, in which the thread tried first is `partial`ly asleep.
    pub(super) fn enter(&mut self, partial: bool) {
        let at = self.levels.len() as u32;
        let here = self.noted.partition_point(|twins| twins.at.0 < at);
        let here = self.noted[here..].iter().take_while(|twins| twins.at.0 == at);
        let level = Level { twins: here.map(|twins| twins.threads).collect(), partial, ..Level::default() };
        if !level.twins.is_empty() {
            self.told.push(at);
        }
        self.levels.push(level);
    }

    /// The top state is left.
    pub(super) fn leave(&mut self) {
        self.levels.pop();
        if self.told.last().is_some_and(|&at| at as usize == self.levels.len()) {
            self.told.pop();
        }
    }

    /// An alternative of `thread` has been tried in the top state.
    pub(super) fn finish(&mut self, thread: ThreadId, choice: u32) {
        let Some(level) = self.levels.last_mut() else { return };
        let summary = core::mem::take(&mut level.summary);
        if !level.twins.is_empty() {
            level.tried.push(Tried { thread, choice, summary });
        }
    }

    /// All alternatives of `thread` have been tried in the top state.
    pub(super) fn complete(&mut self, thread: ThreadId) {
        if let Some(level) = self.levels.last_mut()
            && !level.partial
        {
            level.complete.insert(thread);
        }
    }

    /// Another thread is tried in the top state.
    pub(super) fn begin(&mut self, partial: bool) {
        if let Some(level) = self.levels.last_mut() {
            level.partial = partial;
            level.summary.clear();
        }
    }

    /// A thread tried completely in the top state that `thread` can be exchanged with.
    pub(super) fn twin(&self, thread: ThreadId) -> Option<ThreadId> {
        self.twin_among(thread, self.levels.last()?.complete)
    }

    /// An alternative of `thread` tried in the top state that differs from `choice`, the number of a thread, in a thread
    /// that that one can be exchanged with.
    pub(super) fn twin_choice(&self, thread: ThreadId, choice: u32) -> Option<ThreadId> {
        let tried = self.levels.last()?.tried.iter().filter(|tried| tried.thread == thread);
        self.twin_among(ThreadId(choice as u8), tried.map(|tried| ThreadId(tried.choice as u8)).collect())
    }

    fn twin_among(&self, thread: ThreadId, others: ThreadSet) -> Option<ThreadId> {
        let level = self.levels.last()?;
        let twins = level.twins.iter().find(|twins| twins.contains(thread)).filter(|_| !self.exposed)?;
        let twins = twins.minus(level.unlike);
        let apart = |other: ThreadId| {
            let pair = (thread.min(other), thread.max(other));
            let doubtful = level.doubtful.contains(&pair) && !level.in_one_row.contains(&pair);
            doubtful || level.apart.contains(&pair)
        };
        let candidates = if twins.contains(thread) { others.intersection(twins) } else { ThreadSet::EMPTY };
        candidates.iter().find(|&other| other != thread && !apart(other))
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
        if self.told.is_empty() {
            return;
        }
        let (number, position) = (self.actions.number(&action_of(path, event)), node.position as usize);
        let action = self.actions.values[number as usize];
        if path.events().get(position) == Some(&event) {
            let is_plain = plain_range(&action.operation).is_some() && self.kept(&action.operation).is_none();
            let level = &mut self.levels[position];
            (level.action, level.is_plain) = (number, is_plain);
        }
        if path.is_private(event) {
            return;
        }
        let past = self.pasts.number(&Past { threads: ThreadSet::only(action.thread), operations: Vec::new() });
        let element = self.elements.number(&Element { action: number, first: ALONE, past });
        let top = self.told.last().is_some_and(|&told| told as usize == position);
        if !top || insert(&mut self.levels[position].summary, element) {
            self.keep(element, position);
        }
    }

    /// Puts an element of the state at `end` into the summaries of the states before it that have twins.
    fn keep(&mut self, mut element: u32, mut end: usize) {
        for told in (0..self.told.len()).rev() {
            let at = self.told[told] as usize;
            if at >= end {
                continue;
            }
            element = self.descend(element, end, at).0;
            if !insert(&mut self.levels[at].summary, element) {
                // It was there before, and so further down.
                return;
            }
            end = at;
        }
    }

    /// The element of the state at `to` that an element of the state at `from` is, and whether an event in between
    /// conflicts with its action.
    fn descend(&mut self, number: u32, from: usize, to: usize) -> (u32, bool) {
        let mut conflict = false;
        let mut element = self.elements.values[number as usize];
        let mut number = Some(number);
        for at in (to..from).rev() {
            let level = &self.levels[at];
            let before = &self.actions.values[level.action as usize];
            if level.is_plain {
                if self.pasts.values[element.past as usize].threads.contains(before.thread) {
                    // Nothing but the beginning changes, and that is put together below.
                    element.first = level.action;
                    number = None;
                    continue;
                }
                if !dependent(&before.operation, &self.actions.values[element.action as usize].operation) {
                    continue;
                }
            }
            let present = number.unwrap_or_else(|| self.number(element));
            number = Some(present);
            let relation = self.extend(present, at);
            conflict |= matches!(relation, Relation::Conflict(_));
            if let Relation::Before(extended) | Relation::Conflict(extended) = relation {
                number = Some(extended);
                element = self.elements.values[extended as usize];
            }
        }
        (number.unwrap_or_else(|| self.number(element)), conflict)
    }

    /// The number of an element whose beginning has changed: what made its action possible comes before it now.
    fn number(&mut self, element: Element) -> u32 {
        let action = self.actions.values[element.action as usize];
        let action = self.actions.number(&Action { enabled_by: None, ..action });
        self.elements.number(&Element { action, ..element })
    }

    /// What has to be kept of an operation to know what comes before it: nothing of plain accesses that do not race, and not
    /// whom it woke.
    fn kept(&self, operation: &Operation) -> Option<Operation> {
        let woken = ThreadSet::only(ThreadId::MAIN);
        match *operation {
            Operation::Signal { cond, woken: Some(_) } => Some(Operation::Signal { cond, woken: woken.first() }),
            Operation::Broadcast { cond, woken: some } if !some.is_empty() => {
                Some(Operation::Broadcast { cond, woken })
            }
            Operation::Join(_) => Some(*operation),
            other if Footprint::of(&other).iter().next().is_none() => None,
            other => plain_range(&other).is_none_or(|range| is_among(&self.racing, range)).then_some(other),
        }
    }

    /// Two accesses race, one of them plain: from now on they are kept like synchronisation. What was kept of the states of
    /// the path is not complete.
    pub(super) fn note_race(&mut self, one: &Operation, other: &Operation) {
        for range in [plain_range(one), plain_range(other)].into_iter().flatten() {
            if !is_among(&self.racing, range) {
                self.racing.push(range);
                self.extended.clear();
                self.lose();
            }
        }
    }

    /// Relates the event at position `at` of the path to an element of the state after it.
    fn extend(&mut self, number: u32, at: usize) -> Relation {
        let before = self.levels[at].action;
        let element = self.elements.values[number as usize];
        let key = (number, before);
        if let Some(&relation) = self.extended.get(&key) {
            return relation;
        }
        let (action, later) = (self.actions.values[before as usize], self.actions.values[element.action as usize]);
        let past = &self.pasts.values[element.past as usize];
        let creates = matches!(action.operation, Operation::Create(child) if past.threads.contains(child));
        let wakes = !action.operation.woken().intersection(past.threads).is_empty();
        let ends = |other: &Operation| action.operation == Operation::Exit && *other == Operation::Join(action.thread);
        let mut operations = past.operations.iter().map(|&number| &self.operations.values[number as usize]);
        let comes_before = creates
            || wakes
            || past.threads.contains(action.thread)
            || operations.any(|operation| dependent(&action.operation, operation) || ends(operation));
        let relation = if comes_before || dependent(&action.operation, &later.operation) {
            let mut past = past.clone();
            past.threads.insert(action.thread);
            if let Some(operation) = self.kept(&action.operation) {
                let operation = self.operations.number(&operation);
                if let Err(place) = past.operations.binary_search(&operation) {
                    past.operations.insert(place, operation);
                }
            }
            let action = self.actions.number(&Action { enabled_by: None, ..later });
            let extended = Element { action, first: before, past: self.pasts.number(&past) };
            let extended = self.elements.number(&extended);
            if comes_before { Relation::Before(extended) } else { Relation::Conflict(extended) }
        } else {
            Relation::None
        };
        self.extended.insert(key, relation);
        relation
    }

    /// Lets what was executed below `twin` in the top state take effect as if `thread` had been tried. The path ends in
    /// that state. False if there is a race that was not known, so that it has to be tried.
    pub(super) fn pass_over<R: Reaction>(
        &mut self,
        path: &mut Path,
        states: &mut [State],
        (thread, twin): (ThreadId, ThreadId),
    ) -> bool {
        let Some(level) = self.levels.last() else { return false };
        let below = level.tried.iter().filter(|tried| tried.thread == twin);
        let below: Vec<Summary> = below.map(|tried| tried.summary.clone()).collect();
        let exchanged: Vec<Summary> = below.iter().map(|below| self.exchanged(below, thread, twin)).collect();
        exchanged.iter().all(|exchanged| self.is_known(path, exchanged))
            && exchanged.iter().all(|exchanged| self.add::<R>(path, states, exchanged))
    }

    /// The same for an alternative of `thread` that is the number of another thread.
    pub(super) fn pass_over_choice<R: Reaction>(
        &mut self,
        path: &mut Path,
        states: &mut [State],
        thread: ThreadId,
        (choice, twin): (ThreadId, ThreadId),
    ) -> bool {
        let Some(level) = self.levels.last() else { return false };
        let is_twin = |tried: &&Tried| tried.thread == thread && tried.choice == u32::from(twin.0);
        let Some(summary) = level.tried.iter().find(is_twin).map(|tried| tried.summary.clone()) else { return false };
        let summary = self.exchanged(&summary, choice, twin);
        if !self.is_known(path, &summary) {
            return false;
        }
        self.add::<R>(path, states, &summary);
        if let Some(level) = self.levels.last_mut() {
            level.tried.push(Tried { thread, choice: u32::from(choice.0), summary });
        }
        true
    }

    /// A summary with two threads exchanged.
    fn exchanged(&mut self, summary: &Summary, a: ThreadId, b: ThreadId) -> Summary {
        let mut exchanged = Summary::new();
        for element in members(summary) {
            let element = self.exchanged_element(element, a, b);
            insert(&mut exchanged, element);
        }
        exchanged
    }

    /// Whether no plain access of the summary of the state in which the path ends is in a race that was not known.
    fn is_known(&mut self, path: &mut Path, summary: &Summary) -> bool {
        if self.as_printed {
            return true;
        }
        let top = path.len();
        let mut clocks = Map::default();
        let known = self.racing.len();
        for element in members(summary) {
            let action = self.actions.values[self.elements.values[element as usize].action as usize];
            if plain_range(&action.operation).is_none_or(|range| is_among(&self.racing, range))
                || !self.is_news(element, top)
            {
                continue;
            }
            let (event, beginning) = self.draft(path, element, &mut clocks);
            let races = |conflict: &&Conflict| conflict.reversible && !path.counts(&self.past, conflict.event);
            if let Some(race) = self.conflicts.iter().find(races) {
                let (one, other) = (*path.operation(race.event), *path.operation(event));
                self.note_race(&one, &other);
            }
            path.forget(event.min(beginning));
        }
        self.racing.len() == known
    }

    /// Lets a summary of the state in which the path ends take effect.
    fn add<R: Reaction>(&mut self, path: &mut Path, states: &mut [State], summary: &Summary) -> bool {
        if self.as_printed {
            return true;
        }
        let top = path.len();
        let mut clocks = Map::default();
        for element in members(summary) {
            if self.is_news(element, top) {
                self.take_effect::<R>(path, states, element, &mut clocks);
            }
            self.keep(element, top);
        }
        true
    }

    /// Whether the races of an element of the state at `top` have not been looked at yet, as far as that can be told.
    fn is_news(&mut self, element: u32, top: usize) -> bool {
        let Some(&at) = self.told.iter().rev().find(|&&at| (at as usize) < top) else { return true };
        let (before, conflict) = self.descend(element, top, at as usize);
        conflict || !contains(&self.levels[at as usize].summary, before)
    }

    fn exchanged_element(&mut self, number: u32, a: ThreadId, b: ThreadId) -> u32 {
        if let Some(&exchanged) = self.exchanged.get(&(number, a, b)) {
            return exchanged;
        }
        let Element { action, first, past } = self.elements.values[number as usize];
        let mut past = self.pasts.values[past as usize].clone();
        past.threads = past.threads.iter().map(|thread| exchange(thread, a, b)).collect();
        for operation in &mut past.operations {
            *operation = self.operations.number(&renamed(&self.operations.values[*operation as usize], a, b));
        }
        past.operations.sort_unstable();
        let mut exchanged = |action: u32| {
            let Action { thread, operation, enabled_by } = self.actions.values[action as usize];
            let (thread, operation) = (exchange(thread, a, b), renamed(&operation, a, b));
            self.actions.number(&Action { thread, operation, enabled_by })
        };
        let (action, first) = (exchanged(action), if first == ALONE { ALONE } else { exchanged(first) });
        let exchanged = self.elements.number(&Element { action, first, past: self.pasts.number(&past) });
        self.exchanged.insert((number, a, b), exchanged);
        exchanged
    }

    /// Lets the races of an element of the state in which the path ends take effect.
    fn take_effect<R: Reaction>(
        &mut self,
        path: &mut Path,
        states: &mut [State],
        element: u32,
        clocks: &mut Map<u32, Vec<u32>>,
    ) {
        let (event, beginning) = self.draft(path, element, clocks);
        for conflict in self.conflicts.iter().filter(|conflict| conflict.reversible) {
            if !path.counts(&self.past, conflict.event) {
                R::react_to_twin(path, states, conflict.position, event, &self.past, beginning);
            }
            join(&mut self.past, path.clock(conflict.event));
        }
        path.forget(event.min(beginning));
    }

    /// Drafts the action of an element of the state in which the path ends, and the first of those that come before it, with
    /// its clock. `self.past` is then what is known to come before the action, `self.conflicts` what it conflicts with.
    fn draft(&mut self, path: &mut Path, element: u32, clocks: &mut Map<u32, Vec<u32>>) -> (EventId, EventId) {
        let Element { action, first, past } = self.elements.values[element as usize];
        let later = self.actions.values[action as usize];
        let alone = first == ALONE;
        let first = if alone { later } else { self.actions.values[first as usize] };
        let enabled_by = self.enabling(path, &first);
        let beginning = path.draft(first.thread, first.operation, enabled_by);
        let event = if alone {
            self.past.clear();
            self.past.extend_from_slice(path.clock(beginning));
            beginning
        } else {
            path.conflicts(beginning, &mut self.conflicts);
            path.settle(beginning, &self.conflicts);
            if !clocks.contains_key(&past) {
                let clock = self.clock_of(path, past, first.thread);
                clocks.insert(past, clock);
            }
            let event = path.draft(later.thread, later.operation, self.origin(path, later.thread));
            self.past.clear();
            self.past.extend_from_slice(path.clock(event));
            join(&mut self.past, path.clock(beginning));
            join(&mut self.past, &clocks[&past]);
            event
        };
        path.conflicts_beyond(event, &self.past, &mut self.conflicts);
        (event, beginning)
    }

    /// What of the path comes before actions beyond its end.
    fn clock_of(&self, path: &mut Path, past: u32, thread: ThreadId) -> Vec<u32> {
        let past = &self.pasts.values[past as usize];
        let mut clock = alloc::vec![0; path.stride()];
        for thread in past.threads.iter() {
            let last = match path.last_of(thread) {
                NO_EVENT => self.origin(path, thread).map_or(NO_EVENT, |at| path.events()[at.index()]),
                last => last,
            };
            if last != NO_EVENT {
                join(&mut clock, path.clock(last));
            }
        }
        let mut conflicts = Vec::new();
        for &operation in &past.operations {
            let drafted = path.draft(thread, self.operations.values[operation as usize], None);
            path.conflicts_beyond(drafted, &clock, &mut conflicts);
            for conflict in &conflicts {
                join(&mut clock, path.clock(conflict.event));
            }
            path.forget(drafted);
        }
        clock
    }

    /// What made the first action of a part possible: nothing of that part.
    fn enabling(&self, path: &Path, first: &Action) -> Option<EventIndex> {
        if path.last_of(first.thread) == NO_EVENT { self.origin(path, first.thread) } else { first.enabled_by }
    }

    /// For a thread that has done nothing yet: the last event of the path known to come before all that it does.
    fn origin(&self, path: &Path, thread: ThreadId) -> Option<EventIndex> {
        let mut creator = thread;
        while path.last_of(creator) == NO_EVENT && creator != ThreadId::MAIN {
            let Some(&parent) = self.creators.get(creator.index()) else { break };
            let creates = |&&event: &&EventId| *path.operation(event) == Operation::Create(creator);
            if let Some(&event) = path.events().iter().rev().find(creates) {
                return Some(EventIndex(path.node(event).position));
            }
            creator = parent;
        }
        let last = path.last_of(creator);
        (creator != thread && last != NO_EVENT).then(|| EventIndex(path.node(last).position))
    }

    /// Looks for what shows, in a whole run, that threads are no twins.
    pub(super) fn judge(&mut self, trace: &Trace) {
        self.exposed |= trace.exposed;
        if self.told.is_empty() {
            return;
        }
        let incomplete = matches!(trace.ending, Ending::Limit(_) | Ending::Diverged(_));
        if incomplete || trace.events.iter().enumerate().any(|(at, event)| is_loose(trace, at, &event.operation)) {
            return self.lose();
        }
        // A run that is cut as everybody sleeps is the beginning of others, which show how it goes on.
        let joins = if trace.ending == Ending::Blocked { Joins::none() } else { Joins::of(trace) };
        let singled_out = trace.events.iter().enumerate().filter_map(|(at, event)| match event.operation {
            Operation::Detach(thread) => Some((at, thread)),
            operation => matches!(operation, Operation::Create(_)).then_some((at, event.thread)),
        });
        for (position, thread) in singled_out {
            let above = self.told.iter().take_while(|&&at| at as usize <= position);
            above.for_each(|&at| self.levels[at as usize].unlike.insert(thread));
        }
        for &at in &self.told {
            let level = &mut self.levels[at as usize];
            for twins in &level.twins {
                for a in twins.iter() {
                    for b in twins.iter().filter(|&b| b > a) {
                        if joins.in_one_row(a, b) && level.in_one_row.contains(&(a, b)) {
                            continue;
                        }
                        let kept = match joins.compare(trace, at, a, b) {
                            Waiting::Alike => continue,
                            Waiting::InOneRow => &mut level.in_one_row,
                            Waiting::PerhapsInOneRow => &mut level.doubtful,
                            Waiting::Apart => &mut level.apart,
                        };
                        if !kept.contains(&(a, b)) {
                            kept.push((a, b));
                        }
                    }
                }
            }
        }
    }

    /// Nobody is passed over in the states of the path.
    pub(super) fn lose(&mut self) {
        for &at in &self.told {
            self.levels[at as usize].unlike = ThreadSet(u64::MAX);
        }
    }
}

/// Where threads are joined in a run: by whom, and in which row of joins without anything in between.
struct Joins {
    rows: [Option<(ThreadId, u32)>; MAX_THREADS],
    /// By thread that joins: the row that may go on beyond the end of the run.
    open: [Option<u32>; MAX_THREADS],
}

impl Joins {
    fn none() -> Self {
        Joins { rows: [None; MAX_THREADS], open: [None; MAX_THREADS] }
    }

    fn of(trace: &Trace) -> Self {
        let mut joins = Joins::none();
        let mut row = [0u32; MAX_THREADS];
        for event in &trace.events {
            if let Operation::Join(thread) = event.operation {
                joins.rows[thread.index()] = Some((event.thread, row[event.thread.index()]));
            } else {
                row[event.thread.index()] += 1;
            }
        }
        for Pending { thread, operation, .. } in &trace.pending {
            if let Operation::Join(joined) = *operation {
                joins.rows[joined.index()] = Some((*thread, row[thread.index()]));
                joins.open[thread.index()] = Some(row[thread.index()]);
            }
        }
        joins
    }

    fn in_one_row(&self, a: ThreadId, b: ThreadId) -> bool {
        let (one, other) = (self.rows[a.index()], self.rows[b.index()]);
        one.is_some() && one == other
    }

    /// Compares how two threads are waited for, from event `at` on.
    fn compare(&self, trace: &Trace, at: u32, a: ThreadId, b: ThreadId) -> Waiting {
        let only = match (self.rows[a.index()], self.rows[b.index()]) {
            (None, None) => return Waiting::Alike,
            (Some(one), Some(other)) if one != other => return Waiting::Apart,
            (Some(one), Some(_)) => return if stands_in(trace, at, one) { Waiting::InOneRow } else { Waiting::Alike },
            (Some(one), None) | (None, Some(one)) => one,
        };
        let may_go_on = self.open[only.0.index()] == Some(only.1);
        if may_go_on && stands_in(trace, at, only) { Waiting::PerhapsInOneRow } else { Waiting::Apart }
    }
}

/// How two threads are waited for in a run.
enum Waiting {
    /// In the same way.
    Alike,
    /// In one row of joins, in which their maker stands already: so in every run through that state.
    InOneRow,
    /// The run is over before that is known of one of them, but their maker stands in the row of joins already.
    PerhapsInOneRow,
    /// Differently.
    Apart,
}

/// Whether the maker of a row of joins does nothing between event `at` and the row.
fn stands_in(trace: &Trace, at: u32, (by, row): (ThreadId, u32)) -> bool {
    let others = |event: &&Event| event.thread == by && !matches!(event.operation, Operation::Join(_));
    trace.events[..at as usize].iter().filter(others).count() as u32 == row
}

/// Whether a race could come about by an operation without the two accesses ever being pending at once.
fn is_loose(trace: &Trace, at: usize, operation: &Operation) -> bool {
    use MemoryOrder::{AcquireRelease, SequentiallyConsistent};
    match *operation {
        Operation::AtomicLoad(_, order) => !order.acquires(),
        Operation::AtomicStore(_, order) => !order.releases(),
        Operation::AtomicUpdate { order, wrote: true, .. } => !matches!(order, AcquireRelease | SequentiallyConsistent),
        Operation::AtomicUpdate { order, wrote: false, .. } => !order.acquires(),
        Operation::TryLock { acquired, .. } => !acquired,
        Operation::Signal { .. } | Operation::Broadcast { .. } => {
            let waker = trace.events[at].thread;
            operation.woken().iter().any(|waiter| !holds_mutex_of(trace, at, waker, waiter))
        }
        Operation::Read(_)
        | Operation::Write(_)
        | Operation::MutexInit(_)
        | Operation::MutexDestroy(_)
        | Operation::Lock(_)
        | Operation::Unlock(_)
        | Operation::CondInit(_)
        | Operation::CondDestroy(_)
        | Operation::WaitRelease { .. }
        | Operation::WaitExpire { .. }
        | Operation::WaitReacquire { .. }
        | Operation::OnceEnter { .. }
        | Operation::OnceLeave(_)
        | Operation::Create(_)
        | Operation::Exit
        | Operation::Join(_)
        | Operation::Detach(_)
        | Operation::Choose
        | Operation::Yield
        | Operation::Assume
        | Operation::EndProcess(_) => false,
    }
}

/// Whether `waker` holds, at event `at`, the mutex that `waiter` gave up for its wait.
fn holds_mutex_of(trace: &Trace, at: usize, waker: ThreadId, waiter: ThreadId) -> bool {
    let before = || trace.events[..at].iter().rev();
    let wait = before().find(|event| event.thread == waiter).map(|event| event.operation);
    let Some(Operation::WaitRelease { mutex: wanted, .. }) = wait else { return false };
    let range = ByteRange { start: wanted.0, len: 1 };
    let touch = |event: &Event| {
        let parts = Footprint::of(&event.operation).parts();
        parts.into_iter().flatten().find(|&(touched, _)| touched == range).map(|(_, touch)| touch)
    };
    let last = before().filter(|event| event.thread == waker).filter_map(touch).find(|&t| t != Touch::Probe);
    last.is_some_and(Touch::acquires)
}

/// Whether the element was not in the summary before.
fn insert(summary: &mut Summary, number: u32) -> bool {
    let word = number as usize / 64;
    if summary.len() <= word {
        summary.resize(word + 1, 0);
    }
    let before = summary[word];
    summary[word] |= 1 << (number % 64);
    summary[word] != before
}

fn members(summary: &Summary) -> impl Iterator<Item = u32> + '_ {
    summary.iter().enumerate().flat_map(|(word, &bits)| {
        (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u32 * 64 + bit)
    })
}

/// The bytes of a plain access.
fn plain_range(operation: &Operation) -> Option<ByteRange> {
    match *operation {
        Operation::Read(range) | Operation::Write(range) => Some(range),
        Operation::AtomicLoad(..)
        | Operation::AtomicStore(..)
        | Operation::AtomicUpdate { .. }
        | Operation::MutexInit(_)
        | Operation::MutexDestroy(_)
        | Operation::Lock(_)
        | Operation::TryLock { .. }
        | Operation::Unlock(_)
        | Operation::CondInit(_)
        | Operation::CondDestroy(_)
        | Operation::WaitRelease { .. }
        | Operation::WaitExpire { .. }
        | Operation::WaitReacquire { .. }
        | Operation::Signal { .. }
        | Operation::Broadcast { .. }
        | Operation::OnceEnter { .. }
        | Operation::OnceLeave(_)
        | Operation::Create(_)
        | Operation::Exit
        | Operation::Join(_)
        | Operation::Detach(_)
        | Operation::Choose
        | Operation::Yield
        | Operation::Assume
        | Operation::EndProcess(_) => None,
    }
}

fn is_among(ranges: &[ByteRange], range: ByteRange) -> bool {
    ranges.iter().any(|other| other.overlaps(range))
}

fn contains(summary: &Summary, number: u32) -> bool {
    summary.get(number as usize / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
}

fn action_of(path: &Path, event: EventId) -> Action {
    let node = path.node(event);
    let creates = |by: &EventIndex| *path.operation(path.events()[by.index()]) == Operation::Create(node.thread);
    let enabled_by = path.enabling(event).filter(|by| !creates(by));
    Action { thread: node.thread, operation: node.operation, enabled_by }
}

/// The thread whose place `thread` takes when `a` and `b` are exchanged.
pub(super) fn exchange(thread: ThreadId, a: ThreadId, b: ThreadId) -> ThreadId {
    match thread {
        _ if thread == a => b,
        _ if thread == b => a,
        other => other,
    }
}

/// The operation with two threads exchanged.
pub(super) fn renamed(operation: &Operation, a: ThreadId, b: ThreadId) -> Operation {
    match *operation {
        Operation::Create(thread) => Operation::Create(exchange(thread, a, b)),
        Operation::Join(thread) => Operation::Join(exchange(thread, a, b)),
        Operation::Detach(thread) => Operation::Detach(exchange(thread, a, b)),
        Operation::Signal { cond, woken } => {
            Operation::Signal { cond, woken: woken.map(|thread| exchange(thread, a, b)) }
        }
        Operation::Broadcast { cond, woken } => {
            Operation::Broadcast { cond, woken: woken.iter().map(|thread| exchange(thread, a, b)).collect() }
        }
        Operation::Read(_)
        | Operation::Write(_)
        | Operation::AtomicLoad(..)
        | Operation::AtomicStore(..)
        | Operation::AtomicUpdate { .. }
        | Operation::MutexInit(_)
        | Operation::MutexDestroy(_)
        | Operation::Lock(_)
        | Operation::TryLock { .. }
        | Operation::Unlock(_)
        | Operation::CondInit(_)
        | Operation::CondDestroy(_)
        | Operation::WaitRelease { .. }
        | Operation::WaitExpire { .. }
        | Operation::WaitReacquire { .. }
        | Operation::OnceEnter { .. }
        | Operation::OnceLeave(_)
        | Operation::Exit
        | Operation::Choose
        | Operation::Yield
        | Operation::Assume
        | Operation::EndProcess(_) => *operation,
    }
}
