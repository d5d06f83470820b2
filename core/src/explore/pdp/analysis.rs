//! A must/may analysis along a run, for all executions of a state's subspace: the locks that each thread must hold, the
//! orders that must hold, and everything that may be accessed.
//!
//! Up to the state, every execution of the subspace is the run itself. The analysis of that part is shared by the
//! checks of a run, and by runs with the same beginning: savepoints allow for going back. The part after the state is
//! analysed anew in each check.

use super::clocks::ClockTable;
use super::code::{ANYWHERE, NumberedFacts, PointsToId};
use super::facts::Family;
use super::followed::FollowedPaths;
use super::future::{Comparison, FutureAccesses};
use super::locksets::{LocksetTable, LocksetsId};
use super::past::{AccessGroup, PastAccesses};
use super::possible::{NotFree, PossibleAccess, SeededBug};
use crate::event::{
    ByteRange, ChoiceKind, CondOperation, EffectKind, Event, HoldChange, MADE_UP, MADE_UP_FOR_ARGUMENTS, Object,
    Operation, Record, RecordKind, ThreadId, Touch, Trace, Wait, WaitStep,
};
use crate::ranges::{NO_RANGE, Ranges};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use savepoints::{Savepoint, Undo};

mod savepoints;

/// A thread at the place that the analysis has reached.
#[derive(Clone, Copy, Debug, Default)]
struct AnalysedThread {
    /// The number of its clock.
    clock: u32,
    epoch: u32,
    /// The point that it passed last.
    point: Option<u32>,
    held: LocksetsId,
    /// The number of untaken paths whose join point the thread has not reached.
    open: u32,
}

/// An untaken path that has not reached its join point, with the locksets that it has there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct OpenPath {
    thread: ThreadId,
    end: (u64, u32),
    held: LocksetsId,
}

/// The analysis of the present run.
#[derive(Debug, Default)]
pub(super) struct RunAnalysis {
    threads: Vec<AnalysedThread>,
    pub(super) clocks: ClockTable,
    held: LocksetTable,
    pub(super) ranges: Ranges,
    past: PastAccesses,
    pub(super) future_accesses: FutureAccesses,
    /// By mutex: the clock with which it was last unlocked.
    released: BTreeMap<u64, u32>,
    /// By event of the run before the state: its point.
    pub(super) points: Vec<Option<u32>>,
    undo: Vec<Undo>,
    /// By state of the part that was analysed.
    savepoints: Vec<Savepoint>,
    /// The number of records analysed.
    records: usize,
    /// By point: whether its effect depends on unstable values, so that it may differ in other executions.
    pub(super) tainted: Vec<bool>,
    /// Whether the analysis has passed the state.
    after_state: bool,
    open: Vec<OpenPath>,
    untaken_paths: FollowedPaths,
    /// Points whose value may differ between executions although no other thread writes it.
    pub(super) varying: Vec<u32>,
    /// The threads as they are in the state.
    at_state: Vec<AnalysedThread>,
    pub(super) seeded_bug: SeededBug,
}

/// With more numbers than this, the tables are emptied before the next run.
const MOST_NUMBERS: usize = 1 << 16;

impl RunAnalysis {
    /// Begins a run; the part that is still analysed is its beginning.
    pub(super) fn begin_run(&mut self, trace: &Trace) {
        let threads = trace.events.iter().map(|event| {
            let child = event.operation.creates();
            child.map_or(0, ThreadId::index).max(event.thread.index())
        });
        let count = threads.max().unwrap_or(0) + 1;
        if self.ranges.len() > MOST_NUMBERS || self.held.len() > MOST_NUMBERS {
            *self = RunAnalysis { seeded_bug: self.seeded_bug, ..RunAnalysis::default() };
        }
        if count > self.clocks.stride() {
            self.begin_anew(count.next_power_of_two());
        }
    }

    /// Analyses the event that leads to a state, and the records up to the next event.
    fn pass(&mut self, code: &NumberedFacts, trace: &Trace, state: usize) -> Result<(), NotFree> {
        match state {
            0 => self.begin(ThreadId::MAIN, 0),
            _ => self.event(code, trace, &trace.events[state - 1])?,
        }
        while let Some(record) = trace.records.get(self.records).filter(|record| record.at as usize <= state) {
            self.records += 1;
            self.record(code, record)?;
        }
        Ok(())
    }

    /// Analyses the run after the present state. The effects of `tainted` points may differ in other executions.
    /// The threads remain as they are at the end, until [`return_to_state`](Self::return_to_state).
    pub(super) fn follow_rest(&mut self, code: &NumberedFacts, trace: &Trace) -> Result<(), NotFree> {
        let state = self.savepoints.len() - 1;
        self.at_state.clone_from(&self.threads);
        self.after_state = true;
        self.future_accesses.clear();
        self.open.clear();
        self.varying.clear();
        self.untaken_paths.clear();
        for passed in state + 1..=trace.events.len() {
            self.pass(code, trace, passed)?;
        }
        // Otherwise an untaken path has a join point that the run has not passed.
        if self.open.is_empty() { Ok(()) } else { Err(NotFree::Opaque) }
    }

    /// The thread, to be changed.
    fn thread(&mut self, thread: ThreadId) -> &mut AnalysedThread {
        let slot = &mut self.threads[thread.index()];
        if !self.after_state {
            self.undo.push(Undo::Thread(thread, *slot));
        }
        slot
    }

    fn begin(&mut self, thread: ThreadId, from: u32) {
        let clock = self.clocks.copy(from);
        self.clocks.set(clock, thread, 1);
        *self.thread(thread) = AnalysedThread { clock, epoch: 1, ..AnalysedThread::default() };
    }

    /// A new epoch of `thread`: its operations from now on do not happen before what has joined its present clock.
    fn tick(&mut self, thread: ThreadId) {
        let AnalysedThread { clock, epoch, .. } = self.threads[thread.index()];
        let clock = self.clocks.copy(clock);
        self.clocks.set(clock, thread, epoch + 1);
        let slot = self.thread(thread);
        (slot.epoch, slot.clock) = (epoch + 1, clock);
    }

    /// What has the clock `other` happens before what `thread` executes from now on.
    fn join(&mut self, thread: ThreadId, other: u32) {
        let clock = self.clocks.copy(self.threads[thread.index()].clock);
        self.clocks.join(clock, other);
        self.thread(thread).clock = clock;
    }

    fn is_tainted(&self, point: u32) -> bool {
        self.tainted.get(point as usize).copied().unwrap_or(true)
    }

    fn record(&mut self, code: &NumberedFacts, record: &Record) -> Result<(), NotFree> {
        let thread = record.thread;
        match record.kind {
            RecordKind::Point(point) => {
                let facts = code.point(point).ok_or(NotFree::Opaque)?;
                if self.after_state {
                    // The records do not show where since the thread's last event the point was passed.
                    let certain = !self.is_tainted(point) && self.is_on_every_path(thread);
                    if facts.opaque || facts.fixed && !certain {
                        return Err(NotFree::Opaque);
                    }
                    if facts.varies {
                        self.varying.push(point);
                    }
                }
                if self.threads[thread.index()].point != Some(point) {
                    self.thread(thread).point = Some(point);
                }
            }
            RecordKind::Access { point, range, write } => {
                let what = if write { EffectKind::Write } else { EffectKind::Read };
                self.access(code, thread, point, what, range, None)?;
            }
            RecordKind::Branch { point, taken, activation } => {
                if self.after_state && self.is_tainted(point) {
                    self.untaken(code, thread, point, taken, activation)?;
                }
            }
            RecordKind::Merge { merge, activation } => self.join_paths(thread, (activation, merge)),
        }
        Ok(())
    }

    /// Adds what may happen on the untaken sides of a branch.
    fn untaken(
        &mut self,
        code: &NumberedFacts,
        thread: ThreadId,
        point: u32,
        taken: u32,
        activation: u64,
    ) -> Result<(), NotFree> {
        let facts = code.point(point).ok_or(NotFree::Opaque)?;
        let untaken = facts.untaken_paths.get(taken as usize).ok_or(NotFree::Opaque)?;
        let AnalysedThread { clock, epoch, held, .. } = self.threads[thread.index()];
        if untaken.opaque || !untaken.given_up.iter().all(|&lock| self.held.holds(held, lock)) {
            return Err(NotFree::Opaque);
        }
        let (number, steps) = code.untaken(point, taken);
        if self.untaken_paths.insert((number, held, clock)) {
            let numbers = steps.places.iter().zip(&steps.locks);
            for (step, (&places, &locks)) in untaken.steps.iter().zip(numbers) {
                let held = self.held.step(held, locks, code.locks(locks));
                let location = step.exact.map_or(NO_RANGE, |range| self.ranges.number(range));
                let (what, point, operation) = (step.what, None, None);
                self.possible(
                    code,
                    PossibleAccess { thread, what, location, places, point, held, clock, epoch, operation },
                )?;
            }
        }
        if let Some(after) = steps.after {
            let held = self.held.step(held, after, code.locks(after));
            let open = OpenPath { thread, end: (activation, facts.merge), held };
            if !self.open.contains(&open) {
                self.threads[thread.index()].open += 1;
                self.open.push(open);
            }
        }
        Ok(())
    }

    /// A join point: the locksets of the untaken paths that end here are merged with the thread's.
    fn join_paths(&mut self, thread: ThreadId, end: (u64, u32)) {
        let slot = &mut self.threads[thread.index()];
        if slot.open == 0 {
            return;
        }
        let sets = &mut self.held;
        self.open.retain(|open| {
            let meets = (open.thread, open.end) == (thread, end);
            if meets {
                slot.open -= 1;
                slot.held = sets.either(slot.held, open.held);
            }
            !meets
        });
    }

    fn possible(&mut self, code: &NumberedFacts, possible: PossibleAccess) -> Result<(), NotFree> {
        let mut context = Comparison {
            code,
            ranges: &self.ranges,
            past: &self.past,
            held: &mut self.held,
            clocks: &self.clocks,
            seeded_bug: self.seeded_bug,
        };
        self.future_accesses.add(possible, &mut context)
    }

    /// An effect of the run on memory or on a synchronisation object.
    fn access(
        &mut self,
        code: &NumberedFacts,
        thread: ThreadId,
        point: Option<u32>,
        what: EffectKind,
        range: ByteRange,
        operation: Option<Operation>,
    ) -> Result<(), NotFree> {
        let places = point.and_then(|point| code.places_of(point));
        let AnalysedThread { clock, epoch, held, .. } = self.threads[thread.index()];
        if !self.after_state {
            if what.family() != Family::Condition {
                let location = self.ranges.number(range);
                let places = places.unwrap_or(ANYWHERE);
                self.past.add(location, AccessGroup { thread, what, held, places }, epoch);
            }
            return Ok(());
        }
        let places: PointsToId = places.ok_or(NotFree::Opaque)?;
        let mut fixed = !point.is_none_or(|point| self.is_tainted(point));
        if !fixed && range.start >= MADE_UP {
            // An object inside the C library is fixed; which file a call uses depends on its arguments.
            fixed = range.start < MADE_UP_FOR_ARGUMENTS;
            if !fixed {
                return Err(NotFree::Opaque);
            }
        }
        let location = if fixed { self.ranges.number(range) } else { NO_RANGE };
        self.possible(code, PossibleAccess { thread, what, location, places, point, held, clock, epoch, operation })
    }

    /// Whether the next operation of `thread` is the same in all executions of the subspace.
    fn is_certain(&self, thread: ThreadId) -> bool {
        let slot = &self.threads[thread.index()];
        !self.after_state || slot.point.is_some_and(|point| !self.is_tainted(point))
    }

    fn lock(&mut self, thread: ThreadId, mutex: Object) {
        if !self.is_certain(thread) {
            return;
        }
        let held = self.held.lock(self.threads[thread.index()].held, mutex.0);
        self.thread(thread).held = held;
        if let (false, Some(&clock)) = (self.after_state, self.released.get(&{ mutex.0 })) {
            self.join(thread, clock);
        }
    }

    fn unlock(&mut self, thread: ThreadId, mutex: Object) -> Result<(), NotFree> {
        if !self.is_certain(thread) {
            return Err(NotFree::Opaque);
        }
        // Otherwise the mutex of another thread would be unlocked.
        let held = self.held.unlock(self.threads[thread.index()].held, mutex.0).ok_or(NotFree::Opaque)?;
        self.thread(thread).held = held;
        if !self.after_state {
            let old = self.released.insert(mutex.0, self.threads[thread.index()].clock);
            self.undo.push(Undo::Released(mutex.0, old));
            self.tick(thread);
        }
        Ok(())
    }

    fn event(&mut self, code: &NumberedFacts, trace: &Trace, event: &Event) -> Result<(), NotFree> {
        let (thread, operation, after_state) = (event.thread, event.operation, self.after_state);
        let point = self.threads[thread.index()].point;
        if !after_state {
            self.points.push(point);
        } else if let Some(point) = point
            && code.point(point).is_none_or(|point| point.varies)
        {
            // The thread may have passed the point before the state.
            self.varying.push(point);
        }
        // A parked loop that a write has ended: how often it reads in other executions is not known.
        let woken = event
            .enabled_by
            .and_then(|at| trace.events.get(at.index()))
            .is_some_and(|by| by.operation.writes().is_some());
        if woken {
            return Err(NotFree::Opaque);
        }
        // What such operations do in other executions is not known.
        if after_state && operation.objects().iter().flatten().any(|(_, kind)| !kind.is_described()) {
            return Err(NotFree::Opaque);
        }
        for (what, range, seen) in effects(&operation).into_iter().flatten() {
            self.access(code, thread, point, what, range, seen)?;
        }
        match operation.hold() {
            // After the state, a trylock may fail in other executions.
            Some((mutex, HoldChange::Takes)) if !(after_state && operation.succeeded().is_some()) => {
                self.lock(thread, mutex);
            }
            Some((mutex, HoldChange::Gives)) => self.unlock(thread, mutex)?,
            Some((_, HoldChange::Takes | HoldChange::Clears)) | None => {}
        }
        if let Some(child) = operation.creates() {
            if after_state && !(self.is_certain(thread) && self.is_on_every_path(thread)) {
                return Err(NotFree::Opaque);
            }
            self.begin(child, self.threads[thread.index()].clock);
            self.tick(thread);
        }
        if let Some(other) = operation.joins()
            && (!after_state || self.is_certain(thread) && self.is_on_every_path(thread))
        {
            self.join(thread, self.threads[other.index()].clock);
        }
        if after_state && matches!(operation.choice_kind(), ChoiceKind::Value | ChoiceKind::WaitEnd) {
            self.varying.extend(point);
        }
        Ok(())
    }

    /// Whether every path of `thread` leads to where it is now: no untaken path is open.
    fn is_on_every_path(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].open == 0
    }
}

/// The effects of an operation on memory and on synchronisation objects, as they may be in other executions; a wait has
/// two, the one on its mutex first. Each comes with the operation whose races stand for the effect, unless the
/// operation of the other effect stands for both.
fn effects(operation: &Operation) -> [Option<(EffectKind, ByteRange, Option<Operation>)>; 2] {
    let one = |object: Object| ByteRange { start: object.0, len: 1 };
    let full = operation.with_full_effect();
    let [first, second] = operation.footprint().parts();
    let effect = |part: Option<(ByteRange, Touch)>, seen: Option<Operation>| {
        part.and_then(|(range, touch)| Some((EffectKind::of(operation, touch)?, range, seen)))
    };
    match operation.wait() {
        Some(Wait { step: WaitStep::Begin, mutex: Some(_), .. }) => [effect(second, None), effect(first, Some(full))],
        // In other executions the wait may also end without a signal.
        Some(Wait { step: WaitStep::End, cond, mutex: Some(mutex), mutexes }) => {
            let expiry = Operation::Cond(CondOperation::WaitExpire { cond, mutex, mutexes });
            [effect(first, Some(full)), Some((EffectKind::Expire, one(cond), Some(expiry)))]
        }
        Some(Wait { step: WaitStep::Expire, .. } | Wait { mutex: None, .. }) | None => {
            [effect(first, Some(full)), effect(second, Some(full))]
        }
    }
}
