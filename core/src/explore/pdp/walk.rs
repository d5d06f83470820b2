//! Follows a run with what else could have happened: the locks that each thread certainly holds, the orders that hold in
//! every execution, and everything that may be accessed.
//!
//! Up to the state that is looked at, a run is what it was. That part is kept from look to look and from run to run, and
//! taken back as far as another state or run is not behind it. What comes after the state is followed anew each time.

use super::ahead::{Ahead, Context, Possible};
use super::clocks::Clocks;
use super::code::{ANYWHERE, Code, PlacesId};
use super::facts::{Family, What};
use super::held::{HeldId, HeldSets};
use super::past::{Kind, Mark as PastMark, Past};
use super::subspace::SeededBug;
use super::untaken::UntakenPaths;
use crate::event::{
    ByteRange, Event, MADE_UP, MADE_UP_FOR_ARGUMENTS, Object, Operation, Record, RecordKind, ThreadId, Trace,
};
use crate::ranges::{NO_RANGE, Ranges};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Why a subspace is not known to be free of races.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// It does something that is not understood.
    Opaque,
    /// Two accesses may race.
    Race,
}

#[derive(Clone, Copy, Debug, Default)]
struct Thread {
    clock: u32,
    epoch: u32,
    point: Option<u32>,
    held: HeldId,
    /// How many ways that were not taken have not met the one that was.
    open: u32,
}

/// Where ways that were not taken meet the one that was, and the locks with which they come there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Open {
    thread: ThreadId,
    end: (u64, u32),
    held: HeldId,
}

/// How much there was in a state.
#[derive(Clone, Copy, Debug)]
struct Mark {
    past: PastMark,
    clocks: u32,
    undo: usize,
    records: usize,
}

/// What a thread was, or with which clock a mutex was last given up.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Thread(ThreadId, Thread),
    Released(u64, Option<u32>),
}

/// The run being followed.
#[derive(Debug, Default)]
pub(super) struct Walk {
    threads: Vec<Thread>,
    pub(super) clocks: Clocks,
    held: HeldSets,
    pub(super) ranges: Ranges,
    past: Past,
    pub(super) ahead: Ahead,
    /// By mutex: the clock with which it was last given up.
    released: BTreeMap<u64, u32>,
    /// By event of the run before the state: its point.
    pub(super) points: Vec<Option<u32>>,
    undo: Vec<Undo>,
    /// By state that was passed.
    marks: Vec<Mark>,
    /// How many records were taken in.
    records: usize,
    /// Points that may do something else in other executions.
    pub(super) tainted: Vec<bool>,
    /// Whether the state is behind.
    future: bool,
    open: Vec<Open>,
    untaken_paths: UntakenPaths,
    /// Points whose value differs between executions for other reasons than what others write.
    pub(super) varying: Vec<u32>,
    /// The threads in the state.
    before: Vec<Thread>,
    pub(super) seeded_bug: SeededBug,
}

/// More numbers than this are given anew.
const MOST_NUMBERS: usize = 1 << 16;

impl Walk {
    /// Turns to a run that begins like what was followed.
    pub(super) fn turn_to(&mut self, trace: &Trace) {
        let threads = trace.events.iter().map(|event| match event.operation {
            Operation::Create(child) => child.index().max(event.thread.index()),
            _ => event.thread.index(),
        });
        let count = threads.max().unwrap_or(0) + 1;
        if self.ranges.len() > MOST_NUMBERS || self.held.len() > MOST_NUMBERS {
            *self = Walk { seeded_bug: self.seeded_bug, ..Walk::default() };
        }
        if count > self.clocks.stride() {
            self.begin_anew(count.next_power_of_two());
        }
    }

    /// Forgets what comes after the first `known` events.
    pub(super) fn rewind(&mut self, known: usize) {
        let Some(&mark) = self.marks.get(known) else { return };
        while self.undo.len() > mark.undo {
            match self.undo.pop() {
                Some(Undo::Thread(thread, old)) => self.threads[thread.index()] = old,
                Some(Undo::Released(mutex, Some(clock))) => _ = self.released.insert(mutex, clock),
                Some(Undo::Released(mutex, None)) => _ = self.released.remove(&mutex),
                None => {}
            }
        }
        self.past.rewind(mark.past);
        self.clocks.truncate(mark.clocks);
        self.records = mark.records;
        self.points.truncate(known);
        self.marks.truncate(known + 1);
    }

    fn begin_anew(&mut self, stride: usize) {
        self.past.rewind(PastMark::default());
        self.marks.clear();
        self.points.clear();
        self.undo.clear();
        self.released.clear();
        self.records = 0;
        self.clocks.begin_anew(stride);
        self.threads.clear();
        self.threads.resize(stride, Thread::default());
    }

    /// Goes to the state before the event at `state`.
    pub(super) fn go_to(&mut self, code: &Code, trace: &Trace, state: usize) -> Result<(), Stop> {
        self.rewind(state);
        self.future = false;
        while self.marks.len() <= state {
            let passed = self.marks.len();
            let went = self.pass(code, trace, passed);
            let mark = Mark {
                past: self.past.mark(),
                clocks: self.clocks.len(),
                undo: self.undo.len(),
                records: self.records,
            };
            self.marks.push(mark);
            if went.is_err() {
                match passed {
                    0 => self.begin_anew(self.clocks.stride()),
                    _ => self.rewind(passed - 1),
                }
                return went;
            }
        }
        Ok(())
    }

    /// Takes in the event that leads to a state, and what is recorded up to the next one.
    fn pass(&mut self, code: &Code, trace: &Trace, state: usize) -> Result<(), Stop> {
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

    /// Follows the run from the state on where it is now. What `tainted` points do may be different in other executions.
    /// The threads are left at the end, until [`come_back`](Self::come_back).
    pub(super) fn look_ahead(&mut self, code: &Code, trace: &Trace) -> Result<(), Stop> {
        let state = self.marks.len() - 1;
        self.before.clone_from(&self.threads);
        self.future = true;
        self.ahead.clear();
        self.open.clear();
        self.varying.clear();
        self.untaken_paths.clear();
        for passed in state + 1..=trace.events.len() {
            self.pass(code, trace, passed)?;
        }
        // A way that was not taken goes on where the run's way did not come.
        if self.open.is_empty() { Ok(()) } else { Err(Stop::Opaque) }
    }

    /// Comes back to the state.
    pub(super) fn come_back(&mut self) {
        let Some(mark) = self.marks.last() else { return };
        self.clocks.truncate(mark.clocks);
        self.records = mark.records;
        self.threads.clone_from(&self.before);
        self.future = false;
    }

    /// The thread, to be changed.
    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        let slot = &mut self.threads[thread.index()];
        if !self.future {
            self.undo.push(Undo::Thread(thread, *slot));
        }
        slot
    }

    fn begin(&mut self, thread: ThreadId, from: u32) {
        let clock = self.clocks.copy(from);
        self.clocks.set(clock, thread, 1);
        *self.thread(thread) = Thread { clock, epoch: 1, ..Thread::default() };
    }

    /// What `thread` does from now on no longer comes before those who have its present clock.
    fn tick(&mut self, thread: ThreadId) {
        let Thread { clock, epoch, .. } = self.threads[thread.index()];
        let clock = self.clocks.copy(clock);
        self.clocks.set(clock, thread, epoch + 1);
        let slot = self.thread(thread);
        (slot.epoch, slot.clock) = (epoch + 1, clock);
    }

    /// What has the clock `other` comes before what `thread` does from now on.
    fn join(&mut self, thread: ThreadId, other: u32) {
        let clock = self.clocks.copy(self.threads[thread.index()].clock);
        self.clocks.join(clock, other);
        self.thread(thread).clock = clock;
    }

    fn is_tainted(&self, point: u32) -> bool {
        self.tainted.get(point as usize).copied().unwrap_or(true)
    }

    fn record(&mut self, code: &Code, record: &Record) -> Result<(), Stop> {
        let thread = record.thread;
        match record.kind {
            RecordKind::Point(point) => {
                let facts = code.point(point).ok_or(Stop::Opaque)?;
                if self.future {
                    // Where on its way since its last event the thread came to the point is not recorded.
                    let certain = !self.is_tainted(point) && self.is_on_every_way(thread);
                    if facts.opaque || facts.fixed && !certain {
                        return Err(Stop::Opaque);
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
                let what = if write { What::Write } else { What::Read };
                self.access(code, thread, point, what, range, None)?;
            }
            RecordKind::Branch { point, taken, activation } => {
                if self.future && self.is_tainted(point) {
                    self.untaken(code, thread, point, taken, activation)?;
                }
            }
            RecordKind::Merge { merge, activation } => self.meet(thread, (activation, merge)),
        }
        Ok(())
    }

    /// The ways not taken from a branch.
    fn untaken(&mut self, code: &Code, thread: ThreadId, point: u32, taken: u32, activation: u64) -> Result<(), Stop> {
        let facts = code.point(point).ok_or(Stop::Opaque)?;
        let untaken = facts.untaken_paths.get(taken as usize).ok_or(Stop::Opaque)?;
        let Thread { clock, epoch, held, .. } = self.threads[thread.index()];
        if untaken.opaque || !untaken.given_up.iter().all(|&lock| self.held.holds(held, lock)) {
            return Err(Stop::Opaque);
        }
        let (number, steps) = code.untaken(point, taken);
        if self.untaken_paths.insert((number, held, clock)) {
            let numbers = steps.places.iter().zip(&steps.locks);
            for (step, (&places, &locks)) in untaken.steps.iter().zip(numbers) {
                let held = self.held.step(held, locks, code.locks(locks));
                let location = step.exact.map_or(NO_RANGE, |range| self.ranges.number(range));
                let (what, point, operation) = (step.what, None, None);
                self.possible(code, Possible { thread, what, location, places, point, held, clock, epoch, operation })?;
            }
        }
        if let Some(after) = steps.after {
            let held = self.held.step(held, after, code.locks(after));
            let open = Open { thread, end: (activation, facts.merge), held };
            if !self.open.contains(&open) {
                self.threads[thread.index()].open += 1;
                self.open.push(open);
            }
        }
        Ok(())
    }

    /// The ways from a branch have met.
    fn meet(&mut self, thread: ThreadId, end: (u64, u32)) {
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

    fn possible(&mut self, code: &Code, possible: Possible) -> Result<(), Stop> {
        let mut context = Context {
            code,
            ranges: &self.ranges,
            past: &self.past,
            held: &mut self.held,
            clocks: &self.clocks,
            seeded_bug: self.seeded_bug,
        };
        self.ahead.add(possible, &mut context)
    }

    /// Something the run did to memory or to a synchronisation object.
    fn access(
        &mut self,
        code: &Code,
        thread: ThreadId,
        point: Option<u32>,
        what: What,
        range: ByteRange,
        operation: Option<Operation>,
    ) -> Result<(), Stop> {
        let places = point.and_then(|point| code.places_of(point));
        let Thread { clock, epoch, held, .. } = self.threads[thread.index()];
        if !self.future {
            if what.family() != Family::Condition {
                let location = self.ranges.number(range);
                let places = places.unwrap_or(ANYWHERE);
                self.past.add(location, Kind { thread, what, held, places }, epoch);
            }
            return Ok(());
        }
        let places: PlacesId = places.ok_or(Stop::Opaque)?;
        let mut fixed = !point.is_none_or(|point| self.is_tainted(point));
        if !fixed && range.start >= MADE_UP {
            // Something of the C library's own is the same whatever the arguments are; which file it is is not known.
            fixed = range.start < MADE_UP_FOR_ARGUMENTS;
            if !fixed {
                return Err(Stop::Opaque);
            }
        }
        let location = if fixed { self.ranges.number(range) } else { NO_RANGE };
        self.possible(code, Possible { thread, what, location, places, point, held, clock, epoch, operation })
    }

    /// Whether what `thread` is about to do is the same in all executions of the subspace.
    fn is_certain(&self, thread: ThreadId) -> bool {
        let slot = &self.threads[thread.index()];
        !self.future || slot.point.is_some_and(|point| !self.is_tainted(point))
    }

    fn lock(&mut self, thread: ThreadId, mutex: Object) {
        if !self.is_certain(thread) {
            return;
        }
        let held = self.held.lock(self.threads[thread.index()].held, mutex.0);
        self.thread(thread).held = held;
        if let (false, Some(&clock)) = (self.future, self.released.get(&mutex.0)) {
            self.join(thread, clock);
        }
    }

    fn unlock(&mut self, thread: ThreadId, mutex: Object) -> Result<(), Stop> {
        if !self.is_certain(thread) {
            return Err(Stop::Opaque);
        }
        // A lock of somebody else would be given up.
        let held = self.held.unlock(self.threads[thread.index()].held, mutex.0).ok_or(Stop::Opaque)?;
        self.thread(thread).held = held;
        if !self.future {
            let old = self.released.insert(mutex.0, self.threads[thread.index()].clock);
            self.undo.push(Undo::Released(mutex.0, old));
            self.tick(thread);
        }
        Ok(())
    }

    fn event(&mut self, code: &Code, trace: &Trace, event: &Event) -> Result<(), Stop> {
        let (thread, operation, future) = (event.thread, event.operation, self.future);
        let point = self.threads[thread.index()].point;
        if !future {
            self.points.push(point);
        } else if let Some(point) = point
            && code.point(point).is_none_or(|point| point.varies)
        {
            // The thread may have come to the point before the state.
            self.varying.push(point);
        }
        // A loop that waited for a write: how often it looks is not known.
        let woken = event
            .enabled_by
            .and_then(|at| trace.events.get(at.index()))
            .is_some_and(|by| by.operation.writes().is_some());
        if woken {
            return Err(Stop::Opaque);
        }
        let seen = Some(operation);
        let one = |object: Object| ByteRange { start: object.0, len: 1 };
        let mut access = |what, range, seen| self.access(code, thread, point, what, range, seen);
        match operation {
            Operation::Read(range) => access(What::Read, range, seen)?,
            Operation::Write(range) => access(What::Write, range, seen)?,
            Operation::AtomicLoad(range, _) => access(What::AtomicRead, range, seen)?,
            Operation::AtomicStore(range, _) => access(What::AtomicWrite, range, seen)?,
            Operation::AtomicUpdate { range, order, .. } => {
                access(What::AtomicWrite, range, Some(Operation::AtomicUpdate { range, order, wrote: true }))?;
            }
            Operation::MutexInit(object) | Operation::MutexDestroy(object) => {
                access(What::MutexLifecycle, one(object), seen)?;
            }
            Operation::CondInit(object) | Operation::CondDestroy(object) => {
                access(What::CondLifecycle, one(object), seen)?;
            }
            Operation::Lock(mutex) => {
                access(What::Lock, one(mutex), seen)?;
                self.lock(thread, mutex);
            }
            Operation::TryLock { mutex, acquired } => {
                access(What::TryLock, one(mutex), Some(Operation::TryLock { mutex, acquired: true }))?;
                // In other executions it may fail.
                if acquired && !future {
                    self.lock(thread, mutex);
                }
            }
            Operation::Unlock(mutex) => {
                access(What::Unlock, one(mutex), seen)?;
                self.unlock(thread, mutex)?;
            }
            Operation::WaitRelease { cond, mutex } => {
                access(What::Unlock, one(mutex), None)?;
                access(What::Wait, one(cond), seen)?;
                self.unlock(thread, mutex)?;
            }
            Operation::WaitExpire { cond, .. } => access(What::Expire, one(cond), seen)?,
            Operation::WaitReacquire { cond, mutex } => {
                access(What::Lock, one(mutex), Some(Operation::Lock(mutex)))?;
                // It may also end without the signal that it got.
                access(What::Expire, one(cond), Some(Operation::WaitExpire { cond, mutex }))?;
                self.lock(thread, mutex);
            }
            Operation::Signal { cond, .. } | Operation::Broadcast { cond, .. } => {
                access(What::Wake, one(cond), Some(Operation::Signal { cond, woken: Some(ThreadId::MAIN) }))?;
            }
            Operation::OnceEnter { .. } | Operation::OnceLeave(_) if future => return Err(Stop::Opaque),
            Operation::Create(child) => {
                if future && !(self.is_certain(thread) && self.is_on_every_way(thread)) {
                    return Err(Stop::Opaque);
                }
                self.begin(child, self.threads[thread.index()].clock);
                self.tick(thread);
            }
            Operation::Join(other) => {
                if !future || self.is_certain(thread) && self.is_on_every_way(thread) {
                    self.join(thread, self.threads[other.index()].clock);
                }
            }
            Operation::Choose if future => self.varying.extend(point),
            Operation::OnceEnter { .. }
            | Operation::OnceLeave(_)
            | Operation::Exit
            | Operation::Detach(_)
            | Operation::Choose
            | Operation::Yield
            | Operation::Assume
            | Operation::EndProcess(_) => {}
        }
        Ok(())
    }

    /// Whether `thread` comes where it is now on every way it may take.
    fn is_on_every_way(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].open == 0
    }
}
