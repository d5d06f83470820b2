//! Property-driven pruning: what cannot lead to a data race is not searched.
//!
//! Yu Yang: "Dynamic Verification of Multithreaded Programs", dissertation, University of Utah 2009, chapter 5; Chao Wang,
//! Yu Yang, Aarti Gupta, Ganesh Gopalakrishnan: "Dynamic Model Checking with Property Driven Pruning to Detect Race
//! Conditions", ATVA 2008. Claim: if the locks held in a run, and those held on the ways that the run did not take from its
//! branches, show that no two accesses after a state can race, then nothing has to be reversed after that state, and what
//! is left still finds a race if the program has one (figures 5.3, 5.4 and 5.6). About anything but data races nothing is
//! claimed.
//!
//! # Departures
//! - A subspace that is left out still has effects above it (figure 5.6 has none). A way not taken, or another order, may
//!   do something there that conflicts with an event before the state, and only the reversal of that leads to the race.
//!   So everything that may be done in the subspace is taken as coming after the state, and fills the backtrack sets above
//!   as in a revisited state of the stateful search. As the operations before it are not known, a thread is added with which
//!   every continuation can begin, or else everybody who is enabled.
//! - A race between something before the state and something after it is seen in no run that goes through the state and
//!   is left out (figure 5.3 looks at what comes after the state only). So such pairs have to be ordered or protected too.
//! - What an address, a lock or a way depends on may be different in another execution of the subspace. The dissertation
//!   takes addresses and locks as the run had them, and every branch as undecided. Here both are decided by the values: one
//!   read from memory that another thread may write in the subspace, in no order that is certain, can differ, and what it
//!   influences is known from the code. What such values influence is not taken from the run but from the code;
//!   everything else happens in every execution as in this one. So a worker that has read what makes its part its own is
//!   known to keep to it, and a branch decided by then has one way.
//! - Accesses that creation and joining put in order do not race.
//! - Source sets in place of the persistent sets of `dpor`: it is for them that a proof includes sleep sets.
//! - Only runs that come to their end are looked at: what a stuck thread would do is not known.
//!
//! [`walk`] follows a run, with what it did before the state in [`past`] and what may be done after it in [`ahead`];
//! [`subspace`] decides; [`facts`] has what is known from the code, [`code`] the same with numbers in place of what is
//! compared often, [`held`] the sets of locks, [`locations`] the ranges of bytes. Nothing is computed twice that two
//! looks, or two runs with the same beginning, have in common.

mod ahead;
mod clocks;
mod code;
mod digest;
mod facts;
mod held;
mod past;
mod subspace;
mod untaken;
mod walk;

pub use digest::Notes;
pub use facts::{Facts, Locks, PathStep, Places, Point, UntakenPath, What};

use super::Explorer;
use super::backtrack::Backtracking;
use super::source::SourceSets;
use crate::event::{
    ByteRange, EndKind, Ending, Event, EventIndex, Footprint, MemoryOrder, Object, Operation, Plan, ThreadId, Touch,
    Trace,
};
use alloc::vec::Vec;
use code::{Code, PlacesId};
use facts::Family;
use subspace::{Later, LaterPlace, Look, SeededBug};

/// The search.
#[derive(Debug, Default)]
pub struct Pdp {
    search: Backtracking<SourceSets>,
    code: Code,
    look: Look,
    seeded_bug: SeededBug,
    later: Vec<Later>,
    positions: Vec<u32>,
    /// Where the last subspace began that was left out: the next one is not far.
    last: usize,
    checks: u64,
    free: u64,
    /// Nothing is kept of what was looked at.
    #[cfg(feature = "model")]
    forgets: bool,
}

impl Pdp {
    /// A search that has not begun, of a program of whose code this is known.
    pub fn new(facts: Facts) -> Self {
        Pdp::with(facts, SeededBug::No)
    }

    fn with(facts: Facts, seeded_bug: SeededBug) -> Self {
        Pdp { code: Code::new(facts), look: Look::new(seeded_bug), seeded_bug, ..Pdp::default() }
    }

    /// A wrong search, which the tests have to catch: values are taken to be those of the run.
    #[cfg(feature = "model")]
    pub fn broken_about_values(facts: Facts) -> Self {
        Pdp::with(facts, SeededBug::AboutValues)
    }

    /// A wrong search, which the tests have to catch: what came before a state races with nothing (figure 5.3).
    #[cfg(feature = "model")]
    pub fn broken_about_the_past(facts: Facts) -> Self {
        Pdp::with(facts, SeededBug::AboutThePast)
    }

    /// A wrong search, which the tests have to catch: what is left out has no effect above (figure 5.6).
    #[cfg(feature = "model")]
    pub fn broken_about_the_rest(facts: Facts) -> Self {
        Pdp::with(facts, SeededBug::AboutTheRest)
    }

    /// A search that keeps nothing from run to run of what it looked at: it must do the same.
    #[cfg(feature = "model")]
    pub fn forgetful(facts: Facts) -> Self {
        Pdp { forgets: true, ..Pdp::with(facts, SeededBug::No) }
    }

    /// How many subspaces were looked at, and how many of them were free of races.
    pub fn checks(&self) -> (u64, u64) {
        (self.checks, self.free)
    }

    fn is_free(&mut self, trace: &Trace, state: usize) -> bool {
        self.checks += 1;
        let free = self.look.is_free(&self.code, trace, state);
        self.free += u64::from(free);
        free
    }

    /// The first state of the run whose subspace is free of races, if there is one that has something after it. The later a
    /// state is, the less can happen after it. Of the
    /// states that were on the path before only the last is looked at again, and those above if it is free now.
    fn first_free(&mut self, trace: &Trace) -> Option<usize> {
        let ended = trace.ending == Ending::Completed && trace.pending.is_empty();
        let well = matches!(trace.process_end(), None | Some((_, EndKind::Exit(_))));
        if !ended || !well || self.code.points().is_empty() {
            return None;
        }
        self.look.turn_to(trace);
        let (first, end) = (self.search.known(), trace.events.len());
        // Not free below `not`, free from `until` on: in growing steps from where it was last, then by halves.
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

    /// Lets what may be done after the state at `end` take effect above it.
    fn fill(&mut self, trace: &Trace, end: usize) {
        self.look.later(&mut self.later);
        let points = self.look.points(&self.code, trace, end);
        for later in &self.later {
            let origin = origin(trace, end, later.thread);
            let operation = match later.place {
                LaterPlace::Operation(operation) => Some(operation),
                LaterPlace::Exact(range) => Some(operation(later.what, range)),
                LaterPlace::Within(_) => None,
            };
            match operation.map(|operation| adapted(trace, end, later, operation)) {
                Some(Some(operation)) => self.search.beyond(later.thread, operation, origin, &[]),
                Some(None) => {}
                None => {
                    conflicting(&self.code, &trace.events[..end], points, later, &mut self.positions);
                    self.search.beyond(later.thread, Operation::Yield, origin, &self.positions);
                }
            }
        }
    }
}

/// The positions of the events that something not known exactly may be in conflict with.
fn conflicting(code: &Code, events: &[Event], points: &[Option<u32>], later: &Later, positions: &mut Vec<u32>) {
    positions.clear();
    let LaterPlace::Within(places) = later.place else { return };
    let places: PlacesId = places;
    let at_point = |at: usize| {
        let own = points[at].and_then(|point| code.places_of(point));
        own.is_none_or(|own| code.meet(own, places))
    };
    let plain = matches!(later.what, What::Read | What::Write);
    let conflicts = |event: &Event| match event.operation {
        Operation::Read(_) => plain && later.what.writes(),
        Operation::Write(_) => plain,
        Operation::AtomicLoad(..) => !plain && later.what.writes(),
        Operation::AtomicStore(..) | Operation::AtomicUpdate { .. } => !plain,
        Operation::MutexInit(_)
        | Operation::MutexDestroy(_)
        | Operation::Lock(_)
        | Operation::TryLock { .. }
        | Operation::Unlock(_) => later.what.family() == Family::Mutex,
        Operation::WaitRelease { .. } | Operation::WaitExpire { .. } | Operation::WaitReacquire { .. } => {
            later.what.family() != Family::Memory
        }
        Operation::CondInit(_) | Operation::CondDestroy(_) | Operation::Signal { .. } | Operation::Broadcast { .. } => {
            later.what.family() == Family::Condition
        }
        Operation::OnceEnter { .. }
        | Operation::OnceLeave(_)
        | Operation::Create(_)
        | Operation::Exit
        | Operation::Join(_)
        | Operation::Detach(_)
        | Operation::Choose
        | Operation::Yield
        | Operation::Assume
        | Operation::EndProcess(_) => false,
    };
    let events = events.iter().enumerate();
    let conflicting = events.filter(|(at, event)| event.thread != later.thread && conflicts(event) && at_point(*at));
    positions.extend(conflicting.map(|(at, _)| at as u32));
}

/// An operation that does this at a place known from the code.
fn operation(what: What, range: ByteRange) -> Operation {
    let object = Object(range.start);
    let order = MemoryOrder::SequentiallyConsistent;
    match what {
        What::Read => Operation::Read(range),
        What::Write => Operation::Write(range),
        What::AtomicRead => Operation::AtomicLoad(range, order),
        What::AtomicWrite => Operation::AtomicUpdate { range, order, wrote: true },
        What::Lock => Operation::Lock(object),
        What::TryLock => Operation::TryLock { mutex: object, acquired: true },
        What::Unlock => Operation::Unlock(object),
        What::MutexLifecycle => Operation::MutexDestroy(object),
        // Beginning to wait and leaving are in conflict with the same operations.
        What::Wait | What::Expire => Operation::WaitExpire { cond: object, mutex: Object(0) },
        What::Wake => Operation::Signal { cond: object, woken: Some(ThreadId::MAIN) },
        What::CondLifecycle => Operation::CondDestroy(object),
    }
}

/// The operation as far as it can be in conflict with events before the state at `end`.
fn adapted(trace: &Trace, end: usize, later: &Later, operation: Operation) -> Option<Operation> {
    let before = &trace.events[..end];
    match operation {
        // A mutex that is given up is held now, or taken in between, which is in conflict with whatever this would be.
        Operation::Unlock(mutex) => holds(before, later.thread, mutex).then_some(operation),
        Operation::WaitRelease { cond, mutex } if !holds(before, later.thread, mutex) => {
            Some(Operation::WaitExpire { cond, mutex })
        }
        // A plain access on a way not taken: visible only where others to the same bytes are.
        Operation::Read(range) | Operation::Write(range) if matches!(later.place, LaterPlace::Exact(_)) => {
            let is_plain = |event: &&Event| matches!(event.operation, Operation::Read(_) | Operation::Write(_));
            let overlaps =
                |event: &Event| Footprint::of(&event.operation).iter().any(|(other, _)| other.overlaps(range));
            before.iter().filter(is_plain).any(overlaps).then_some(operation)
        }
        other => Some(other),
    }
}

/// Whether a thread holds a mutex after these events.
fn holds(events: &[Event], thread: ThreadId, mutex: Object) -> bool {
    let mut depth = 0_i32;
    for event in events.iter().filter(|event| event.thread == thread) {
        for (range, touch) in Footprint::of(&event.operation).iter().filter(|(range, _)| range.start == mutex.0) {
            let releases = touch == Touch::Release && range.len == 1;
            depth += i32::from(touch.acquires()) - i32::from(releases);
        }
    }
    depth > 0
}

/// For a thread that has done nothing before the state at `end`: an event there that comes before all that it does.
fn origin(trace: &Trace, end: usize, thread: ThreadId) -> Option<EventIndex> {
    let mut of = thread;
    loop {
        let own = trace.events[..end].iter().rposition(|event| event.thread == of);
        if let Some(at) = own {
            return (of != thread).then_some(EventIndex(at as u32));
        }
        let creation = trace.events.iter().position(|event| event.operation == Operation::Create(of))?;
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
            self.look = Look::new(self.seeded_bug);
        }
        self.look.go_back(self.search.known());
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
        self.look.go_back(self.search.known());
        self.search.lose();
    }

    fn estimated_total(&self) -> Option<f64> {
        self.search.estimated_total()
    }
}
