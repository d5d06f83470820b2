//! Stateful dynamic partial-order reduction (SDPOR).
//!
//! Yu Yang, Xiaofang Chen, Ganesh Gopalakrishnan, Robert M. Kirby: "Efficient Stateful Dynamic Partial Order
//! Reduction", SPIN 2008; Yu Yang: "Dynamic Verification of Multithreaded Programs", dissertation, University of Utah
//! 2009, chapter 4 (figures 4.5 to 4.8). Claim: a run may end at a state that was visited before, if every operation
//! that was executed below that state (the *summary* of the state) is taken as coming next and its races with the
//! present path fill the backtrack sets. Every deadlock and every local state is reached, in a number of runs that
//! grows with the number of states and not with that of the paths between them.
//!
//! # Departures
//! - The dissertation takes the summary from the visible operation dependency graph: the operations reachable there
//!   from those enabled in the revisited state. The graph merges states that share an operation. Here each state has
//!   its own summary, which holds nothing but what was executed below it; equal summaries are stored once.
//! - Figures 4.5 and 4.8 return from a revisited state without an edge from the last operation to those enabled there,
//!   so lemma 4.2 does not hold for what lies above; here the summary of the revisited state goes into those of all
//!   states on the path.
//! - The dissertation assumes state spaces without cycles. A state that is still on the path, or from which one on the
//!   path can be reached (Tarjan 1972: its strongly connected component is not complete), has no complete summary:
//!   every state of the cycle is expanded in full, and when the component is complete its operations race with the path
//!   before it, since along another path through the cycle they follow other operations. So the search of an endless
//!   server loop ends.
//! - Of the set E of threads that may lead to the later operation of a race (figure 4.6, line 5), the thread of that
//!   operation is taken if it is enabled, otherwise all enabled threads. A choice within E would depend on the path,
//!   and theorem 4.2 (what the search without states explores, this one explores) would hold only up to that choice.
//! - An operation of a summary is taken as coming next although other operations precede it, so it would race with all
//!   that conflicts with it on the path. Two things that precede it on every path are taken into account: the mutexes
//!   that its thread took (the dissertation's locksets, there for all races) and the threads that its thread joined.
//! - A free run prefers a thread that is about to make a plain access, or another operation that no thread can disable.
//!   Otherwise, as there are no sleep sets, each such operation before a thread's next lock would cost a run of its
//!   own, which ends in a visited state.
//! - Operations that are blocked at the end of a run race like events (`unexecuted`).
//! - No sleep sets: what sleeps at the first visit of a state need not sleep at the next.
//!
//! [`States`](crate::run::States) decides which states are equal, by hashes; its documentation has the probability of
//! an error. A state that could not be stored is explored again whenever it is reached.
//!
//! A strongly connected component from which no execution comes to an end is noted ([`Explorer::is_endless`]): a
//! server without an end, or threads that wait for what never happens. Every state of a cycle is expanded in full, so
//! an end that can be reached from one of them is found.
//!
//! Invariant (low-is-on-path): `low` of a state of the path is the position of a state at or before it. So the states
//! of a strongly connected component are closed together, when the search leaves the first of them.

use super::depth_first::{self, DepthFirst, Stack};
use super::unexecuted::Unexecuted;
use super::{Estimate, Explorer};
use crate::event::{Ending, Event, FreeRun, Object, Operation, Plan, StateNumber, Step, ThreadId, ThreadSet, Trace};
use crate::order::{Conflict, Path};
use crate::run::StateKey;
use alloc::vec::Vec;
use joins::JoinTables;
use locks::{LocksetId, Locksets, NO_LOCKS};
use races::NOTHING_MORE;
use sharing::SharedRecords;
use summaries::{Standing, Summaries, Summary, SummaryOperation};

pub use sharing::{OperationEncoding, SharedOperation, StateSharing};

mod joins;
mod locks;
mod races;
mod sharing;
mod summaries;

/// The hash of the state before a position of a run, if the run has computed it for a search that shares states.
fn key_at(trace: &Trace, position: usize) -> Option<StateKey> {
    let at = trace.keys.binary_search_by_key(&(position as u32), |(at, _)| *at).ok()?;
    Some(trace.keys[at].1)
}

/// How far a state has been explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    /// Not yet visited.
    Unvisited,
    /// At this position of the path.
    OnPath(u32),
    /// Left, but the state at this position of the path can be reached from it.
    Open(u32),
    /// Everything below it is explored; the number of its summary.
    Expanded(u32),
}

/// Which search it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Variant {
    /// The search described in the module's documentation.
    #[default]
    Reduced,
    /// Every enabled thread is tried in every state: figure 4.3.
    Exhaustive,
    /// Seeded bug: what was executed below a revisited state does not fill the backtrack sets.
    WithoutSummaries,
    /// Seeded bug: a state from which one on the path can be reached is taken for an expanded one.
    WithoutCycles,
    /// Seeded bug: a state is shared as explored as soon as the search comes there.
    PromisesEarly,
}

/// One state of the present path.
#[derive(Clone, Debug)]
pub(super) struct Level {
    number: StateNumber,
    /// Its hash, if the search shares explored states.
    key: Option<StateKey>,
    enabled: ThreadSet,
    backtrack: ThreadSet,
    done: ThreadSet,
    /// The mutexes that the thread tried at present holds here.
    held: LocksetId,
    /// The mutexes held and the threads joined after its step.
    after: Standing,
    /// The first position of the path that is known to be reachable from here.
    low: u32,
    /// A cycle goes through here.
    cyclic: bool,
    /// Some execution through this state has ended, by itself or at a limit.
    ends: bool,
    /// How many open states there were when the search came here.
    open: u32,
    /// What was executed below so far.
    summary: Summary,
}

/// A stateful search.
#[derive(Debug, Default)]
pub struct Stateful {
    path: Path,
    stack: Stack<Level>,
    /// By number of state.
    progress: Vec<Progress>,
    /// How many states were visited.
    visited: u64,
    /// States left whose strongly connected component is not complete.
    open: Vec<(StateNumber, Option<StateKey>)>,
    summaries: Summaries,
    locks: Locksets,
    joins: JoinTables,
    /// Mutexes that were seized on the path ([`Locksets::seized_by`]), and at which positions.
    seized: Vec<(Object, u32)>,
    /// By thread: who creates it.
    creators: Vec<ThreadId>,
    variant: Variant,
    /// From some state no execution comes to an end.
    endless: bool,
    /// What it shares with other searches.
    shared: Option<SharedRecords>,
    estimate: Estimate,
    conflicts: Vec<Conflict>,
    past: Vec<u32>,
    mutexes: Vec<Object>,
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

    /// A search whose summaries are to fit into half of `bytes`. Beyond that, further states share one summary, which
    /// holds what was executed below any of them; that costs runs and nothing else.
    pub fn within(bytes: u64) -> Self {
        Stateful { summaries: Summaries::within(bytes / 2), ..Stateful::default() }
    }

    /// The same search, which shares with others what it has explored. Its runs record states that [share the same
    /// table](crate::run::States::sharing).
    pub fn sharing(self, sharing: Option<StateSharing>) -> Self {
        Stateful { shared: sharing.map(SharedRecords::new), ..self }
    }

    /// A search with a seeded bug: revisited states have no summary.
    #[cfg(feature = "model")]
    pub fn broken_without_summaries() -> Self {
        Stateful { variant: Variant::WithoutSummaries, ..Stateful::default() }
    }

    /// A search with a seeded bug: a cycle is left as if it were complete.
    #[cfg(feature = "model")]
    pub fn broken_without_cycles() -> Self {
        Stateful { variant: Variant::WithoutCycles, ..Stateful::default() }
    }

    /// A search with a seeded bug: it shares states as explored as soon as it comes there.
    #[cfg(feature = "model")]
    pub fn broken_promises() -> Self {
        Stateful { variant: Variant::PromisesEarly, ..Stateful::default() }
    }

    /// What a summary is to hold of an operation that is executed where `standing` holds and seizes `seized`.
    #[inline(always)]
    fn summarised(
        &mut self,
        standing: Standing,
        thread: ThreadId,
        operation: Operation,
        seized: Option<Object>,
    ) -> SummaryOperation {
        let held = self.locks.held_by(standing.holders, thread);
        let joined = self.joins.joined_by(standing.joins, thread);
        SummaryOperation { thread, operation, held, joined, seized }
    }

    /// The mutexes held and the threads joined before the event at a position of the path.
    fn standing(&self, position: usize) -> Standing {
        position.checked_sub(1).map_or(Standing::INITIAL, |before| self.stack.states()[before].after)
    }

    /// Notes who creates a thread.
    fn note_creator(&mut self, thread: ThreadId, creator: ThreadId) {
        self.creators.resize(self.creators.len().max(thread.index() + 1), ThreadId::MAIN);
        self.creators[thread.index()] = creator;
    }

    fn progress(&mut self, number: StateNumber) -> Option<&mut Progress> {
        if number == StateNumber::UNKNOWN {
            return None;
        }
        let at = number.0 as usize;
        if self.progress.len() <= at {
            self.progress.resize(at + 1, Progress::Unvisited);
        }
        Some(&mut self.progress[at])
    }

    /// The run has ended in a state that was visited before, by this search or another one.
    fn revisit(&mut self, number: StateNumber, key: Option<StateKey>) {
        let own = self.progress(number).copied().filter(|own| *own != Progress::Unvisited);
        if !matches!(own, Some(Progress::Expanded(_)))
            && self.variant != Variant::WithoutSummaries
            && let Some(summary) = self.summary_of_others(key)
        {
            if own.is_none()
                && let Some(progress) = self.progress(number)
            {
                *progress = Progress::Expanded(summary);
            }
            return self.take_over(summary);
        }
        match own {
            _ if self.variant == Variant::WithoutSummaries => {}
            Some(Progress::OnPath(_) | Progress::Open(_)) if self.variant == Variant::WithoutCycles => {}
            Some(Progress::OnPath(low) | Progress::Open(low)) => {
                for level in &mut self.stack.states_mut()[low as usize..] {
                    level.backtrack = level.enabled;
                }
                if let Some(level) = self.stack.last_mut() {
                    level.low = level.low.min(low);
                    level.cyclic = true;
                }
            }
            Some(Progress::Expanded(number)) => self.take_over(number),
            Some(Progress::Unvisited) | None => panic!("a run ends early only in a state whose summary is known"),
        }
    }

    /// Everything below the end of the path is explored, with the operations of this summary.
    fn take_over(&mut self, number: u32) {
        let summary = self.summaries.take(number);
        self.race_all(&summary);
        if let Some(level) = self.stack.last_mut() {
            level.summary.unite(&summary);
            // If none comes to an end from there, that is noted already.
            level.ends = true;
        }
        self.summaries.give_back(number, summary);
    }

    /// The run has not ended in a state that was visited before.
    fn came_to_an_end(&mut self) {
        if let Some(level) = self.stack.last_mut() {
            level.ends = true;
        }
    }

    /// The state before `event`, with its number.
    fn enter(&mut self, event: &Event, number: StateNumber, key: Option<StateKey>) {
        let position = self.stack.states().len() as u32;
        if let Some(progress) = self.progress(number) {
            let before = core::mem::replace(progress, Progress::OnPath(position));
            self.visited += u64::from(before == Progress::Unvisited);
        }
        if self.variant == Variant::PromisesEarly {
            self.promise(key);
        }
        let exhaustive = self.variant == Variant::Exhaustive;
        let level = Level {
            number,
            key,
            enabled: event.enabled,
            backtrack: if exhaustive { event.enabled } else { ThreadSet::only(event.thread) },
            done: ThreadSet::EMPTY,
            held: NO_LOCKS,
            after: Standing::INITIAL,
            low: position,
            cyclic: false,
            ends: false,
            open: self.open.len() as u32,
            summary: self.summaries.empty(),
        };
        self.stack.push(level, event);
    }

    /// Sets the progress of `level`, which the search leaves, and of the states left since it came there: expanded if
    /// their strongly connected component is complete, otherwise open.
    fn close(&mut self, level: &Level, is_complete: bool) {
        if self.open.len() <= level.open as usize {
            return;
        }
        let progress = if is_complete {
            let summary = self.summaries.keep(&level.summary);
            self.store_explored(level.open as usize, summary);
            Progress::Expanded(summary)
        } else {
            Progress::Open(level.low)
        };
        for at in level.open as usize..self.open.len() {
            let (number, _) = self.open[at];
            if let Some(known) = self.progress(number) {
                *known = progress;
            }
        }
        if is_complete {
            self.open.truncate(level.open as usize);
        }
    }

    /// The last run's share of the whole search, for the estimate; backtrack sets may still grow.
    fn share(&self) -> f64 {
        let levels = self.stack.states().iter().zip(self.stack.steps());
        let alone = |level: &Level, step: &Step| level.backtrack == ThreadSet::only(step.thread);
        let choices = levels.filter(|(level, step)| !alone(level, step));
        // One division takes as long as many products do.
        1.0 / choices.map(|(level, _)| level.backtrack.len() as f64).product::<f64>()
    }

    /// Writes where later plans are known to leave the path.
    fn write_forks(&self, forks: &mut Vec<u32>) {
        const MOST: usize = 8;
        let left = |position: usize| {
            let (level, step) = (&self.stack.states()[position], self.stack.steps()[position]);
            let more = self.stack.alternatives(position).after(step.choice).is_some();
            more || !level.backtrack.minus(level.done).minus(ThreadSet::only(step.thread)).is_empty()
        };
        let positions = (0..self.stack.states().len()).rev().filter(|&position| left(position));
        forks.extend(positions.map(|position| position as u32).take(MOST));
    }
}

impl DepthFirst for Stateful {
    type State = Level;

    fn stack(&mut self) -> &mut Stack<Level> {
        &mut self.stack
    }

    fn next_step(&mut self) -> Option<Step> {
        self.path.truncate(self.stack.states().len() - 1);
        let order = self.order();
        let next = self.stack.next_choice().or_else(|| {
            let (step, _) = self.stack.last_step()?;
            let level = self.stack.last_mut()?;
            level.done.insert(step.thread);
            let thread = order.first(level.backtrack.minus(level.done))?;
            Some(Step { thread, choice: Step::FIRST })
        })?;
        (!self.is_explored_by_others()).then_some(next)
    }

    fn leave(&mut self) {
        let Some(level) = self.stack.pop() else { return };
        let position = self.stack.states().len() as u32;
        if level.number != StateNumber::UNKNOWN {
            self.open.push((level.number, level.key));
        }
        debug_assert!(level.low <= position, "low-is-on-path");
        if level.low == position && !level.ends {
            self.endless = true;
            self.shared.iter().for_each(|shared| shared.with.table.note_endless());
        }
        self.close(&level, level.low == position);
        if let Some(above) = self.stack.last_mut() {
            above.ends |= level.ends;
            above.low = above.low.min(level.low);
            above.cyclic |= level.cyclic && level.low < position;
            above.summary.unite(&level.summary);
        }
        if level.cyclic && level.low == position {
            // Several paths through the cycle lead to an operation, so what happens before it is not known.
            self.race_all(&level.summary);
        }
        self.summaries.recycle(level.summary);
    }

    fn extend(&mut self, trace: &Trace, position: usize) -> bool {
        let event = &trace.events[position];
        if position == self.stack.states().len() {
            let number = trace.states.get(position).copied().unwrap_or(StateNumber::UNKNOWN);
            self.enter(event, number, key_at(trace, position));
        }
        let created = event.operation.creates();
        if let Some(child) = created {
            self.note_creator(child, event.thread);
        }
        let standing @ Standing { holders, joins } = self.standing(position);
        let id = self.path.draft(event.thread, event.operation, event.enabled_by);
        let change = self.path.hold_change(id);
        let seized = self.locks.seized_by(holders, event.thread, change);
        let summarised = self.summarised(standing, event.thread, event.operation, seized);
        let number = self.summaries.number(&summarised, event.site);
        self.seized.retain(|&(_, at)| at < position as u32);
        self.seized.extend(seized.map(|mutex| (mutex, position as u32)));
        let holders = self.locks.after(holders, event.thread, change);
        let joins = self.joins.after(joins, event.thread, (created, event.operation.joins()));
        if let Some(level) = self.stack.last_mut() {
            (level.held, level.after) = (summarised.held, Standing { holders, joins });
            level.summary.insert(number);
        }
        self.update_backtrack_sets(id, None, NOTHING_MORE);
        self.path.push(id);
        self.race_expiries(id, event);
        true
    }
}

impl Explorer for Stateful {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        let more = depth_first::next_plan(self, plan);
        plan.free_run = FreeRun::GoesFirst(self.order());
        if more {
            self.write_forks(&mut plan.forks);
        }
        more
    }

    fn learn(&mut self, trace: &Trace) {
        depth_first::learn(self, trace);
        if !matches!(trace.ending, Ending::Limit(_) | Ending::Diverged(_)) {
            trace.pending.iter().for_each(|pending| self.summarise_pending(pending));
        }
        self.race_pending(trace);
        if trace.ending == Ending::Revisited
            && let Some(&last) = trace.states.last()
        {
            self.revisit(last, key_at(trace, trace.events.len()));
        } else {
            self.came_to_an_end();
        }
        self.estimate.reached_with(self.share());
    }

    fn lose(&mut self) {
        depth_first::lose(&mut self.stack);
        self.came_to_an_end();
        self.estimate.reached_with(self.share());
    }

    fn states(&self) -> Option<u64> {
        Some(self.visited)
    }

    fn is_endless(&self) -> bool {
        self.endless || self.shared.as_ref().is_some_and(|shared| shared.with.table.is_endless())
    }

    fn estimated_total(&self) -> Option<f64> {
        self.estimate.total()
    }
}
