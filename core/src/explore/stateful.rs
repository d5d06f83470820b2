//! Stateful dynamic partial-order reduction (SDPOR).
//!
//! Yu Yang, Xiaofang Chen, Ganesh Gopalakrishnan, Robert M. Kirby: "Efficient Stateful Dynamic Partial Order Reduction",
//! SPIN 2008; Yu Yang: "Dynamic Verification of Multithreaded Programs", dissertation, University of Utah 2009, chapter 4
//! (figures 4.5 to 4.8). Claim: a run may end at a state that was visited before, if every operation that was executed
//! below that state is taken as coming next and its races with the present path fill the backtrack sets (the *summary* of
//! the state). Every deadlock and every local state is reached, in a number of runs that follows the states and not the
//! paths between them.
//!
//! # Departures
//! - The dissertation takes the summary from the visible operation dependency graph: what can be reached there from the
//!   operations enabled in the revisited state. The graph joins states that share an operation. Here each state has its
//!   own summary, so that it holds nothing that was not executed below it; equal summaries are kept once.
//! - Figures 4.5 and 4.8 return from a revisited state without an edge from the last operation to those enabled there, so
//!   lemma 4.2 does not hold for what lies above; here the summary of the revisited state goes into those of all states
//!   on the path.
//! - The dissertation assumes state spaces without cycles. A state that is still on the path, or from which one on the
//!   path can be reached (Tarjan 1972: its strongly connected component is not complete), has no complete summary: every
//!   state of the cycle is expanded in full, and when the component is complete its operations race with what comes before
//!   it, as by another way through the cycle they come behind other ones. So a server loop without an end is searched to the end.
//! - Of the threads of set E (figure 4.6, line 5) the one of the later operation is taken if it is enabled, otherwise
//!   everybody. A choice within E would depend on the path, and theorem 4.2 (what the search without states explores, this
//!   one explores) would hold only up to that choice.
//! - An operation of a summary is taken as coming next, which is earlier than it comes: it would race with all that
//!   conflicts with it on the path. What is known to lie in between in any case is taken into account: the mutexes that its
//!   thread held (the dissertation's locksets, there for all races) and the threads that its thread had joined.
//! - A free run goes on with a thread that is about to make a plain access or something else that nobody else hinders, if
//!   there is one: without sleep sets every operation that a thread has before it comes to a lock would otherwise be the
//!   end of a run of its own.
//! - Operations pending at the end of a run race like events.
//! - No sleep sets: what sleeps at the first visit of a state need not at the next.
//!
//! What tells states apart, and how sure that is, is the business of [`States`](crate::run::States). A state that is no
//! longer kept is explored again whenever it is reached.

use super::unexecuted::Unexecuted;
use super::{Estimate, Explorer};
use crate::event::{
    Alternatives, Ending, Event, EventIndex, FreeRun, Object, Operation, Pending, PendingStatus, Plan, StateNumber,
    Step, ThreadId, ThreadSet, Trace,
};
use crate::order::{Conflict, EventId, NO_EVENT, Path, join};
use alloc::vec::Vec;
use core::hash::BuildHasherDefault;
use hashbrown::HashMap;
use joins::{JoinNumber, Joins};
use locks::{Locks, NONE, SetNumber};
use quick::Quick;

mod joins;
mod locks;
mod quick;

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// A set of operations by their numbers.
type Summary = Vec<u64>;

/// An operation by a thread, the mutexes that the thread held before, the threads that it knew to be over, and the mutex
/// that was taken from its holder.
type Numbered = (ThreadId, Operation, SetNumber, ThreadSet, Option<Object>);

/// What comes before an operation wherever it comes: nothing known.
const UNKNOWN: (&[Object], ThreadSet) = (&[], ThreadSet::EMPTY);

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Known {
    /// Not yet visited.
    New,
    /// At this position of the path.
    OnPath(u32),
    /// Left, but the state at this position of the path can be reached from it.
    Open(u32),
    /// Everything below it is explored; its summary.
    Done(u32),
}

/// Which search it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Variant {
    /// The one described above.
    #[default]
    Reduced,
    /// Everybody is tried everywhere: figure 4.3.
    Exhaustive,
    /// Wrong: what was executed below a revisited state does not fill the backtrack sets.
    WithoutSummaries,
    /// Wrong: cycles are taken for complete states.
    WithoutCycles,
}

/// One state of the present path.
#[derive(Clone, Debug)]
struct Level {
    number: StateNumber,
    enabled: ThreadSet,
    backtrack: ThreadSet,
    done: ThreadSet,
    /// The alternatives of the thread tried at present.
    alternatives: Alternatives,
    /// What the thread holds here, and who holds what after it.
    held: SetNumber,
    holders: SetNumber,
    /// What is known after it of threads that are over.
    joins: JoinNumber,
    /// The first position of the path that can be reached from here.
    low: u32,
    /// A cycle goes through here.
    cyclic: bool,
    /// How many open states there were when the search came here.
    open: u32,
    /// What was executed below so far.
    summary: Summary,
}

/// The search.
#[derive(Debug, Default)]
pub struct Stateful {
    path: Path,
    levels: Vec<Level>,
    /// By level: the step tried at present.
    steps: Vec<Step>,
    /// By number of state.
    known: Vec<Known>,
    /// How many of them were visited.
    visited: u64,
    /// States left whose component is not complete, those told only.
    open: Vec<StateNumber>,
    operations: Vec<Numbered>,
    numbers: Map<Numbered, u32>,
    locks: Locks,
    joins: Joins,
    /// Mutexes that were taken from their holders on the path, and where.
    broken: Vec<(Object, u32)>,
    summaries: Vec<Summary>,
    /// Memory of levels that are gone.
    spare: Vec<Summary>,
    summary_numbers: Map<Summary, u32>,
    /// By thread: who creates it.
    creators: Vec<ThreadId>,
    variant: Variant,
    started: bool,
    estimate: Estimate,
    conflicts: Vec<Conflict>,
    past: Vec<u32>,
    mutexes: Vec<Object>,
    /// Words that summaries may take, if there is a bound, and that they take.
    summary_words: Option<u64>,
    words: u64,
}

fn insert(summary: &mut Summary, number: u32) {
    let word = number as usize / 64;
    if summary.len() <= word {
        summary.resize(word + 1, 0);
    }
    summary[word] |= 1 << (number % 64);
}

fn members(summary: &Summary) -> impl Iterator<Item = u32> {
    let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
    summary.iter().enumerate().flat_map(move |(at, &word)| bits(word).map(move |bit| at as u32 * 64 + bit))
}

fn unite(summary: &mut Summary, other: &Summary) {
    if summary.len() < other.len() {
        summary.resize(other.len(), 0);
    }
    summary.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
}

impl Stateful {
    /// A search that has not begun.
    pub fn new() -> Self {
        Stateful::default()
    }

    /// Depth-first search over the states without any reduction (figure 4.3): the oracle for cyclic programs.
    pub fn exhaustive() -> Self {
        Stateful { variant: Variant::Exhaustive, ..Stateful::default() }
    }

    /// A search whose summaries are to fit into half of so many bytes; beyond that, states share one that holds what was
    /// executed below any of them, which costs runs and nothing else.
    pub fn within(bytes: u64) -> Self {
        Stateful { summary_words: Some(bytes / 2 / 8), ..Stateful::default() }
    }

    /// A wrong search, which the tests have to catch: revisited states have no summary.
    #[cfg(feature = "model")]
    pub fn broken_without_summaries() -> Self {
        Stateful { variant: Variant::WithoutSummaries, ..Stateful::default() }
    }

    /// A wrong search, which the tests have to catch: a cycle is left as if it were complete.
    #[cfg(feature = "model")]
    pub fn broken_without_cycles() -> Self {
        Stateful { variant: Variant::WithoutCycles, ..Stateful::default() }
    }

    /// Number of an operation in summaries.
    fn number(&mut self, operation: Numbered) -> u32 {
        let operations = &mut self.operations;
        *self.numbers.entry(operation).or_insert_with(|| {
            operations.push(operation);
            operations.len() as u32 - 1
        })
    }

    /// The operation, if it came at a position of the path.
    fn numbered(&mut self, thread: ThreadId, operation: Operation, position: usize) -> Numbered {
        let (holders, joins) = self.standing(position);
        let broken = self.locks.breaks(holders, thread, &operation);
        (thread, operation, self.locks.held(holders, thread), self.joins.known(joins, thread), broken)
    }

    /// Who holds what before the event at a position of the path, and what is known of threads that are over.
    fn standing(&self, position: usize) -> (SetNumber, JoinNumber) {
        position.checked_sub(1).map_or((NONE, 0), |before| (self.levels[before].holders, self.levels[before].joins))
    }

    /// Whether the operation at a position of the path was under one of these mutexes, and who has the mutex after that
    /// had to take it later.
    fn guarded(&self, position: u32, mutexes: &[Object]) -> bool {
        let held = self.locks.members(self.levels[position as usize].held);
        let whole = |mutex: &Object| !self.broken.iter().any(|&(other, at)| other == *mutex && at >= position);
        held.iter().any(|mutex| mutexes.contains(mutex) && whole(mutex))
    }

    fn known(&mut self, number: StateNumber) -> Option<&mut Known> {
        if number == StateNumber::UNKNOWN {
            return None;
        }
        let at = number.0 as usize;
        if self.known.len() <= at {
            self.known.resize(at + 1, Known::New);
        }
        Some(&mut self.known[at])
    }

    /// Figure 4.6: lets the races of a drafted event, as if it came next, fill the backtrack sets. Before it comes, its
    /// thread will have taken these mutexes, and will know these threads to be over.
    fn update_backtrack_sets(&mut self, event: EventId, only: Option<u32>, (mutexes, over): (&[Object], ThreadSet)) {
        self.past.clear();
        self.past.extend_from_slice(self.path.clock(event));
        self.path.conflicts(event, &mut self.conflicts);
        let own = self.path.node(event).thread;
        for conflict in self.conflicts.iter().filter(|conflict| conflict.reversible) {
            if self.path.counts(&self.past, conflict.event) {
                continue;
            }
            let guarded = over.contains(self.steps[conflict.position as usize].thread)
                || !mutexes.is_empty() && self.guarded(conflict.position, mutexes);
            if only.is_none_or(|only| only == conflict.position) && !guarded {
                let level = &mut self.levels[conflict.position as usize];
                if level.enabled.contains(own) {
                    level.backtrack.insert(own);
                } else {
                    level.backtrack = level.backtrack.union(level.enabled);
                }
            }
            join(&mut self.past, self.path.clock(conflict.event));
        }
        self.path.settle(event, &self.conflicts);
    }

    /// Notes an operation in the summary that could have been taken before the end of the path.
    fn summarise_pending(&mut self, pending: &Pending) {
        if pending.status == PendingStatus::Blocked && !self.path.waits_for_signal(pending) {
            let (thread, operation, held, over, _) =
                self.numbered(pending.thread, pending.operation, self.levels.len());
            let number = self.number((thread, operation, held, over, None));
            if let Some(level) = self.levels.last_mut() {
                insert(&mut level.summary, number);
            }
        }
    }

    /// Lets an operation that comes somewhere below take effect (figure 4.5, line 6).
    fn look_at_summarised(&mut self, number: u32, broken: &[Object]) {
        let (thread, operation, held, over, _) = self.operations[number as usize];
        let mut mutexes = core::mem::take(&mut self.mutexes);
        mutexes.clear();
        mutexes.extend(self.locks.members(held).iter().filter(|mutex| !broken.contains(mutex)));
        let event = self.path.draft(thread, operation, self.origin(thread));
        self.update_backtrack_sets(event, None, (&mutexes, over));
        self.mutexes = mutexes;
        self.path.forget(event);
    }

    /// For a thread that has done nothing yet: the last event of the path known to come before all that it does.
    fn origin(&self, thread: ThreadId) -> Option<EventIndex> {
        let mut creator = thread;
        while self.path.last_of(creator) == NO_EVENT && creator != ThreadId::MAIN {
            let Some(&parent) = self.creators.get(creator.index()) else { break };
            let creates = |&&event: &&EventId| self.path.operation(event).creates() == Some(creator);
            if let Some(&event) = self.path.events().iter().rev().find(creates) {
                return Some(EventIndex(self.path.node(event).position));
            }
            creator = parent;
        }
        let last = self.path.last_of(creator);
        (creator != thread && last != NO_EVENT).then(|| EventIndex(self.path.node(last).position))
    }

    /// The same for all operations of a summary.
    fn look_at_all(&mut self, summary: &Summary) {
        let broken: Vec<Object> = members(summary).filter_map(|number| self.operations[number as usize].4).collect();
        members(summary).for_each(|number| self.look_at_summarised(number, &broken));
    }

    /// The run has ended in a state that was known.
    fn revisit(&mut self, number: StateNumber) {
        match self.known(number).copied() {
            Some(_) if self.variant == Variant::WithoutSummaries => {}
            Some(Known::OnPath(_) | Known::Open(_)) if self.variant == Variant::WithoutCycles => {}
            Some(Known::OnPath(low) | Known::Open(low)) => {
                for level in &mut self.levels[low as usize..] {
                    level.backtrack = level.enabled;
                }
                if let Some(level) = self.levels.last_mut() {
                    level.low = level.low.min(low);
                    level.cyclic = true;
                }
            }
            Some(Known::Done(summary)) => {
                let summary = core::mem::take(&mut self.summaries[summary as usize]);
                self.look_at_all(&summary);
                if let Some(level) = self.levels.last_mut() {
                    unite(&mut level.summary, &summary);
                }
                let Some(&Known::Done(at)) = self.known.get(number.0 as usize) else { return };
                self.summaries[at as usize] = summary;
            }
            Some(Known::New) | None => debug_assert!(false, "a run ends early only in a state that is known"),
        }
    }

    fn enter(&mut self, event: &Event, number: StateNumber) {
        let position = self.levels.len() as u32;
        if let Some(known) = self.known(number) {
            let before = core::mem::replace(known, Known::OnPath(position));
            self.visited += u64::from(before == Known::New);
        }
        self.steps.push(Step { thread: event.thread, choice: event.choice });
        self.levels.push(Level {
            number,
            enabled: event.enabled,
            backtrack: if self.variant == Variant::Exhaustive { event.enabled } else { ThreadSet::only(event.thread) },
            done: ThreadSet::EMPTY,
            alternatives: event.alternatives,
            held: NONE,
            holders: NONE,
            joins: 0,
            low: position,
            cyclic: false,
            open: self.open.len() as u32,
            summary: self.spare.pop().unwrap_or_default(),
        });
    }

    /// Leaves the last state of the path: all that is to be tried there has been.
    fn leave(&mut self) {
        let event = self.path.pop();
        self.path.forget(event.unwrap_or(0));
        let Some(mut level) = self.levels.pop() else { return };
        self.steps.pop();
        let position = self.levels.len() as u32;
        if level.number != StateNumber::UNKNOWN {
            self.open.push(level.number);
        }
        if self.open.len() > level.open as usize {
            let done = level.low == position;
            let state = if done { Known::Done(self.summary_number(&level.summary)) } else { Known::Open(level.low) };
            for at in level.open as usize..self.open.len() {
                let number = self.open[at];
                if let Some(known) = self.known(number) {
                    *known = state;
                }
            }
        }
        if level.low == position {
            self.open.truncate(level.open as usize);
        }
        if let Some(above) = self.levels.last_mut() {
            above.low = above.low.min(level.low);
            above.cyclic |= level.cyclic && level.low < position;
            unite(&mut above.summary, &level.summary);
        }
        if level.cyclic && level.low == position {
            // By which way through the cycle an operation comes is open, so what it happens after is not known.
            self.look_at_all(&level.summary);
        }
        level.summary.clear();
        self.spare.push(level.summary);
    }

    fn summary_number(&mut self, summary: &Summary) -> u32 {
        if let Some(&number) = self.summary_numbers.get(summary) {
            return number;
        }
        // Each is kept twice, in the list and in the table.
        let words = 2 * (summary.len() as u64 + 4);
        if self.summary_words.is_some_and(|most| self.words + words > most)
            && let Some(number) = self.summaries.len().checked_sub(1)
        {
            self.summary_numbers.clear();
            unite(&mut self.summaries[number], summary);
            return number as u32;
        }
        self.words += words;
        let number = self.summaries.len() as u32;
        self.summaries.push(summary.clone());
        self.summary_numbers.insert(summary.clone(), number);
        number
    }

    /// The next step to be tried in the last state of the path.
    fn next_step(&mut self) -> Option<Step> {
        let (level, step) = (self.levels.last_mut()?, self.steps.last_mut()?);
        if let Some(choice) = level.alternatives.after(step.choice) {
            return Some(Step { choice, ..*step });
        }
        level.done.insert(step.thread);
        step.thread = level.backtrack.minus(level.done).first()?;
        Some(Step { thread: step.thread, choice: Step::FIRST })
    }

    /// The part of the search that the last run stands for, as far as is known.
    fn share(&self) -> f64 {
        let levels = self.levels.iter().zip(&self.steps);
        let alone = |level: &Level, step: &Step| level.backtrack == ThreadSet::only(step.thread);
        let choices = levels.filter(|(level, step)| !alone(level, step));
        choices.map(|(level, _)| 1.0 / level.backtrack.len() as f64).product()
    }

    /// Writes where later plans are known to leave the path.
    fn write_forks(&self, forks: &mut Vec<u32>) {
        const MOST: usize = 8;
        let left = |level: &Level, step: &Step| {
            let more = level.alternatives.after(step.choice).is_some();
            more || !level.backtrack.minus(level.done).minus(ThreadSet::only(step.thread)).is_empty()
        };
        let levels = self.levels.iter().zip(&self.steps).enumerate().rev();
        let places = levels.filter(|(_, (level, step))| left(level, step));
        forks.extend(places.map(|(at, _)| at as u32).take(MOST));
    }

    fn take_in(&mut self, event: &Event) {
        if let Some(child) = event.operation.creates() {
            if self.creators.len() <= child.index() {
                self.creators.resize(child.index() + 1, ThreadId::MAIN);
            }
            self.creators[child.index()] = event.thread;
        }
        let position = self.path.len();
        let (holders, joins) = self.standing(position);
        let numbered = self.numbered(event.thread, event.operation, position);
        let number = self.number(numbered);
        self.broken.retain(|&(_, at)| at < position as u32);
        self.broken.extend(numbered.4.map(|mutex| (mutex, position as u32)));
        let holders = self.locks.after(holders, event.thread, &event.operation);
        let joins = self.joins.after(joins, event.thread, &event.operation);
        if let Some(level) = self.levels.last_mut() {
            (level.held, level.holders, level.joins) = (numbered.2, holders, joins);
            insert(&mut level.summary, number);
        }
        let id = self.path.draft(event.thread, event.operation, event.enabled_by);
        self.update_backtrack_sets(id, None, UNKNOWN);
        self.path.push(id);
        self.look_at_expiries(id, event.operation.woken(), event.enabled);
    }
}

impl Unexecuted for Stateful {
    fn path(&self) -> &Path {
        &self.path
    }

    fn look_at_unexecuted(
        &mut self,
        thread: ThreadId,
        operation: Operation,
        enabled_by: Option<EventIndex>,
        only: Option<u32>,
    ) {
        let event = self.path.draft(thread, operation, enabled_by);
        if !self.path.waits_for_itself(event) {
            self.update_backtrack_sets(event, only, UNKNOWN);
        }
        self.path.forget(event);
    }
}

impl Explorer for Stateful {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        plan.clear();
        plan.free_run = FreeRun::GoesFirst;
        if !self.started {
            self.started = true;
            return true;
        }
        while !self.levels.is_empty() {
            if let Some(step) = self.next_step() {
                let event = self.path.pop();
                self.path.forget(event.unwrap_or(0));
                plan.steps.extend_from_slice(&self.steps[..self.path.len()]);
                plan.steps.push(step);
                self.write_forks(&mut plan.forks);
                return true;
            }
            self.leave();
        }
        false
    }

    fn learn(&mut self, trace: &Trace) {
        for (at, event) in trace.events.iter().enumerate().skip(self.path.len()) {
            if at < self.levels.len() {
                self.levels[at].alternatives = event.alternatives;
                self.steps[at].choice = event.choice;
            } else {
                self.enter(event, trace.states.get(at).copied().unwrap_or(StateNumber::UNKNOWN));
            }
            self.take_in(event);
        }
        if !matches!(trace.ending, Ending::Limit(_) | Ending::Diverged(_)) {
            trace.pending.iter().for_each(|pending| self.summarise_pending(pending));
            self.look_at_pending(&trace.pending);
        }
        if trace.ending == Ending::Revisited
            && let Some(&last) = trace.states.last()
        {
            self.revisit(last);
        }
        self.estimate.reached_with(self.share());
    }

    fn lose(&mut self) {
        // What the thread did is not known: an operation that depends on nothing stands for it.
        if let (Some(level), Some(step)) = (self.levels.last_mut(), self.steps.last_mut()) {
            (level.alternatives, step.choice) = (Alternatives::None, 0);
            let event = self.path.draft(step.thread, Operation::IDLE, None);
            self.update_backtrack_sets(event, None, UNKNOWN);
            self.path.push(event);
        }
        self.estimate.reached_with(self.share());
    }

    fn states(&self) -> Option<u64> {
        Some(self.visited)
    }

    fn estimated_total(&self) -> Option<f64> {
        self.estimate.total()
    }
}
