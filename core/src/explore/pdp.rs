//! Property-driven pruning: parts of the search that cannot lead to a data race are left out.
//!
//! Yu Yang: "Dynamic Verification of Multithreaded Programs", dissertation, University of Utah 2009, chapter 5; Chao
//! Wang, Yu Yang, Aarti Gupta, Ganesh Gopalakrishnan: "Dynamic Model Checking with Property Driven Pruning to Detect
//! Race Conditions", ATVA 2008. Claim: if the locksets of a run, and those on the branch sides that the run did not
//! take (its *untaken paths*), show that no two accesses after a state can race, then no race after that state has to
//! be reversed, and the remaining search still finds a data race if the program has one (figures 5.3, 5.4 and 5.6).
//! Nothing is claimed about other errors.
//!
//! # Departures
//! - A pruned subspace (all executions through a state) still adds backtrack points above the state; in figure 5.6 it
//!   adds none. In the subspace, an untaken path or another order may execute an operation that conflicts with an event
//!   before the state, and only the reversal of that pair may lead to the race. So every operation that may be executed
//!   in the subspace is taken as coming after the state, as in a revisited state of the stateful search. Since the
//!   operations before it are not known, the backtrack point is a thread with which every continuation can begin, or
//!   else every enabled thread.
//! - A race of an access before the state with one after it is found in no run through the state if the subspace is
//!   pruned. Figure 5.3 considers pairs after the state only; here such pairs have to be ordered or protected as well.
//! - In another execution of the subspace, the address of an access, a lock, or the side that a branch takes may be
//!   different. The dissertation takes addresses and locks as in the run, and both sides of every branch as possible.
//!   Here values decide: a read is *unstable* if another thread may write the memory in the subspace and no order of
//!   the two is certain. The static facts say which points an unstable value may influence (*taints*) and what these
//!   may do; everything else happens in every execution of the subspace as in the run. So a worker that has read the
//!   bounds of its part of an array keeps to them, and a branch that depends on stable values has one side.
//! - Accesses that creation or joining orders do not race.
//! - Source sets replace the persistent sets of `dpor`: the proof with sleep sets is for source sets.
//! - Only runs that end are considered: what a blocked thread would execute is not known.
//!
//! [`analysis`] follows a run, with the accesses before the state in [`past`] and the possible ones after it in
//! [`future`]; [`subspace`] decides. [`facts`] are the static facts, [`code`] the same with numbers for what is often
//! compared; [`locksets`] has the sets of locks. Checks of several states, and of runs with the same beginning, share
//! what they compute.

mod analysis;
mod clocks;
mod code;
mod compactor;
mod facts;
mod followed;
mod future;
mod locksets;
mod past;
mod possible;
mod subspace;

pub use compactor::RecordCompactor;
pub use facts::{Facts, LockChange, PathStep, Point, PointsTo, UntakenPath};

use super::Explorer;
use super::backtrack::Backtracking;
use super::source::SourceSets;
use crate::event::{
    AccessMode, ByteRange, CondOperation, EffectKind, EndKind, Ending, Event, EventIndex, HoldChange, MemoryOperation,
    MemoryOrder, MutexOperation, Mutexes, Object, Operation, Plan, ThreadId, Trace,
};
use alloc::vec::Vec;
use code::{NumberedFacts, PointsToId};
use possible::SeededBug;
use subspace::{LaterAccess, LaterTarget, SubspaceCheck};

/// A search with property-driven pruning.
#[derive(Debug, Default)]
pub struct Pdp {
    search: Backtracking<SourceSets>,
    code: NumberedFacts,
    check: SubspaceCheck,
    seeded_bug: SeededBug,
    later: Vec<LaterAccess>,
    positions: Vec<u32>,
    /// The position of the first state of the last run whose subspace is free of races: where the next run is checked
    /// first.
    last: usize,
    checks: u64,
    free: u64,
    /// Checks share nothing.
    #[cfg(feature = "model")]
    forgets: bool,
}

impl Pdp {
    /// A search that has not begun, of a program with these static facts.
    pub fn new(facts: Facts) -> Self {
        Pdp::with(facts, SeededBug::No)
    }

    fn with(facts: Facts, seeded_bug: SeededBug) -> Self {
        Pdp { code: NumberedFacts::new(facts), check: SubspaceCheck::new(seeded_bug), seeded_bug, ..Pdp::default() }
    }

    /// A search with a seeded bug: all values are taken as in the run.
    #[cfg(feature = "model")]
    pub fn broken_about_values(facts: Facts) -> Self {
        Pdp::with(facts, SeededBug::AboutValues)
    }

    /// A search with a seeded bug: accesses before a state do not count (figure 5.3).
    #[cfg(feature = "model")]
    pub fn broken_about_the_past(facts: Facts) -> Self {
        Pdp::with(facts, SeededBug::AboutThePast)
    }

    /// A search with a seeded bug: a pruned subspace adds no backtrack points (figure 5.6).
    #[cfg(feature = "model")]
    pub fn broken_about_the_rest(facts: Facts) -> Self {
        Pdp::with(facts, SeededBug::AboutTheRest)
    }

    /// A search whose checks share nothing from run to run. It makes the same runs as [`new`](Self::new).
    #[cfg(feature = "model")]
    pub fn forgetful(facts: Facts) -> Self {
        Pdp { forgets: true, ..Pdp::with(facts, SeededBug::No) }
    }

    /// How many subspaces were checked, and how many of them were found free of races.
    pub fn checks(&self) -> (u64, u64) {
        (self.checks, self.free)
    }

    fn is_free(&mut self, trace: &Trace, state: usize) -> bool {
        self.checks += 1;
        let free = self.check.is_free(&self.code, trace, state);
        self.free += u64::from(free);
        free
    }

    /// The first state of the run whose subspace is free of races. The later a state, the smaller its subspace, so it
    /// is found by halving. Of the states that the run shares with the one before, the last is checked again, and those
    /// above it only if that one is free now.
    fn first_free(&mut self, trace: &Trace) -> Option<usize> {
        let ended = trace.ending == Ending::Completed && trace.pending.is_empty();
        let well = matches!(trace.process_end(), None | Some((_, EndKind::Exit(_) | EndKind::LastThread)));
        if !ended || !well || self.code.points().is_empty() {
            return None;
        }
        self.check.begin_run(trace);
        let (first, end) = (self.search.path_length(), trace.events.len());
        // The states before `not` are not free, those from `until` on are. From the result of the last run the search
        // goes in growing steps, then it halves the interval.
        let (mut not, mut until, mut found) = (first, end, None);
        let (mut at, mut step) = (self.last.clamp(first, end), 1);
        while not <= at && at < until {
            if self.is_free(trace, at) {
                (until, found) = (at, Some(at));
                if at == first {
                    not = 0;
                }
                at = at.saturating_sub(step).max(not);
            } else {
                not = at + 1;
                at = if found.is_some() { not + (until - not) / 2 } else { at + step };
            }
            step *= 2;
        }
        while not < until {
            let middle = not + (until - not) / 2;
            if self.is_free(trace, middle) {
                (until, found) = (middle, Some(middle));
            } else {
                not = middle + 1;
            }
        }
        self.last = until;
        found
    }

    /// Adds the backtrack points for what may be executed after the state at `end`, the end of the path.
    fn fill(&mut self, trace: &Trace, end: usize) {
        self.check.later(&mut self.later);
        let points = self.check.points(&self.code, trace, end);
        for later in &self.later {
            let origin = origin(trace, end, later.thread);
            let operation = match later.place {
                LaterTarget::Operation(operation) => Some(operation),
                LaterTarget::Exact(range) => Some(operation(later.what, range)),
                LaterTarget::Within(_) => None,
            };
            match operation.map(|operation| adapted(trace, end, later, operation)) {
                Some(Some(operation)) => self.search.race_below(later.thread, operation, origin, &[]),
                Some(None) => {}
                None => {
                    conflicting(&self.code, &trace.events[..end], points, later, &mut self.positions);
                    self.search.race_below(later.thread, Operation::IDLE, origin, &self.positions);
                }
            }
        }
    }
}

/// The positions of the events with which an access whose range is not known may conflict.
fn conflicting(
    code: &NumberedFacts,
    events: &[Event],
    points: &[Option<u32>],
    later: &LaterAccess,
    positions: &mut Vec<u32>,
) {
    positions.clear();
    let LaterTarget::Within(places) = later.place else { return };
    let places: PointsToId = places;
    let at_point = |at: usize| {
        let own = points[at].and_then(|point| code.places_of(point));
        own.is_none_or(|own| code.may_alias(own, places))
    };
    let plain = matches!(later.what, EffectKind::Read | EffectKind::Write);
    let conflicts = |event: &Event| match event.operation.access() {
        Some((_, AccessMode::Read)) => plain && later.what.writes(),
        Some((_, AccessMode::Write)) => plain,
        Some((_, AccessMode::AtomicRead)) => !plain && later.what.writes(),
        Some((_, AccessMode::AtomicCompare | AccessMode::AtomicWrite)) => !plain,
        None => event.operation.objects().iter().flatten().any(|(_, kind)| later.what.family().includes(*kind)),
    };
    let events = events.iter().enumerate();
    let conflicting = events.filter(|(at, event)| event.thread != later.thread && conflicts(event) && at_point(*at));
    positions.extend(conflicting.map(|(at, _)| at as u32));
}

/// An operation with this effect on a range known from the code.
fn operation(what: EffectKind, range: ByteRange) -> Operation {
    let object = Object(range.start);
    let order = MemoryOrder::SequentiallyConsistent;
    match what {
        EffectKind::Read => Operation::Memory(MemoryOperation::Read(range)),
        EffectKind::Write => Operation::Memory(MemoryOperation::Write(range)),
        EffectKind::AtomicRead => Operation::Memory(MemoryOperation::AtomicLoad(range, order)),
        EffectKind::AtomicWrite => Operation::Memory(MemoryOperation::AtomicUpdate { range, order, wrote: true }),
        EffectKind::Lock => Operation::Mutex(MutexOperation::Lock(object)),
        EffectKind::TryLock => Operation::Mutex(MutexOperation::TryLock { mutex: object, acquired: true }),
        EffectKind::Unlock => Operation::Mutex(MutexOperation::Unlock(object)),
        EffectKind::MutexLifecycle => Operation::Mutex(MutexOperation::Destroy(object)),
        // The beginning and the expiry of a wait conflict with the same operations.
        EffectKind::Wait | EffectKind::Expire => {
            Operation::Cond(CondOperation::WaitExpire { cond: object, mutex: Object(0), mutexes: Mutexes::One })
        }
        EffectKind::Wake => Operation::Cond(CondOperation::Signal { cond: object, woken: Some(ThreadId::MAIN) }),
        EffectKind::CondLifecycle => Operation::Cond(CondOperation::Destroy(object)),
    }
}

/// The operation to race with the events before the state at `end`; `None` if it cannot conflict with them.
fn adapted(trace: &Trace, end: usize, later: &LaterAccess, operation: Operation) -> Option<Operation> {
    let before = &trace.events[..end];
    // If the mutex is not held in the state, a lock after the state precedes the unlock and has the same conflicts. Of
    // the beginning of a wait, the part on the condition variable is left.
    if let Some((mutex, HoldChange::Gives)) = operation.hold()
        && !holds(before, later.thread, mutex)
    {
        return operation.expiry();
    }
    // A plain access on an untaken path is visible only if the run has visible accesses to the same bytes.
    if let (Some(range), LaterTarget::Exact(_)) = (operation.plain_bytes(), &later.place) {
        let mut plain = before.iter().filter_map(|event| event.operation.plain_bytes());
        return plain.any(|other| other.overlaps(range)).then_some(operation);
    }
    Some(operation)
}

/// Whether a thread holds a mutex after these events.
fn holds(events: &[Event], thread: ThreadId, mutex: Object) -> bool {
    let mut depth = 0_i32;
    for event in events.iter().filter(|event| event.thread == thread) {
        depth += match event.operation.hold() {
            Some((other, HoldChange::Takes)) if other == mutex => 1,
            Some((other, HoldChange::Gives)) if other == mutex => -1,
            Some((_, HoldChange::Takes | HoldChange::Gives | HoldChange::Clears)) | None => 0,
        };
    }
    depth > 0
}

/// For a thread without events before the state at `end`: the last event there that happens before everything it does.
fn origin(trace: &Trace, end: usize, thread: ThreadId) -> Option<EventIndex> {
    let mut of = thread;
    loop {
        let own = trace.events[..end].iter().rposition(|event| event.thread == of);
        if let Some(at) = own {
            return (of != thread).then_some(EventIndex(at as u32));
        }
        let creation = trace.events.iter().position(|event| event.operation.creates() == Some(of))?;
        if creation < end {
            return Some(EventIndex(creation as u32));
        }
        of = trace.events[creation].thread;
    }
}

impl Explorer for Pdp {
    fn next_plan(&mut self, plan: &mut Plan) -> bool {
        let more = self.search.next_plan(plan);
        if more {
            self.search.forks(&mut plan.forks);
        }
        more
    }

    fn learn(&mut self, trace: &Trace) {
        #[cfg(feature = "model")]
        if self.forgets {
            self.check = SubspaceCheck::new(self.seeded_bug);
        }
        self.check.go_back(self.search.path_length());
        match self.first_free(trace) {
            Some(end) => {
                self.search.learn_until(trace, end);
                if self.seeded_bug != SeededBug::AboutTheRest {
                    self.fill(trace, end);
                }
            }
            None => self.search.learn(trace),
        }
    }

    fn lose(&mut self) {
        self.check.go_back(self.search.path_length());
        self.search.lose();
    }

    fn estimated_total(&self) -> Option<f64> {
        self.search.estimated_total()
    }
}
