//! Follows a run with what else could have happened: the locks that each thread certainly holds, the orders that hold in
//! every execution, and everything that may be accessed.

use super::facts::{Facts, Places, Side, What};
use crate::event::{
    ByteRange, Event, MADE_UP, MADE_UP_FOR_ARGUMENTS, Object, Operation, Record, RecordKind, ThreadId, Trace,
};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// The subspace does something that is not understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Opaque;

/// Sets of locks, one for each way in which a thread may have come to where it is; it holds at least one of them.
pub(super) type Held = Vec<Vec<u64>>;

/// More sets than this are replaced by what they have in common.
const MOST_SETS: usize = 8;

/// Something that happened in the run, or that may happen in the subspace.
#[derive(Clone, Copy, Debug)]
pub(super) struct Possible<'f> {
    pub(super) thread: ThreadId,
    pub(super) what: What,
    /// Where, if that is the same in all executions of the subspace.
    pub(super) range: Option<ByteRange>,
    pub(super) places: &'f Places,
    /// The point, if it is something that the run did.
    pub(super) point: Option<u32>,
    /// Number of the locks held.
    pub(super) held: u32,
    /// Number of the clock: what comes before in all executions of the subspace.
    pub(super) clock: u32,
    /// Its own time in clocks.
    epoch: u32,
    /// Whether it comes after the state, so that executions of the subspace may differ in it.
    pub(super) future: bool,
    /// The operation, if the run did it and it was a visible one.
    pub(super) operation: Option<Operation>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    clock: u32,
    epoch: u32,
    point: Option<u32>,
    held: u32,
    /// Where ways that were not taken meet the one that was, and the locks with which they come there.
    open: Vec<(u64, u32, Vec<u64>)>,
}

/// The run being followed.
#[derive(Debug)]
pub(super) struct Walk<'f> {
    facts: &'f Facts,
    tainted: &'f [bool],
    /// The position of the state.
    state: u32,
    threads: Vec<Thread>,
    pub(super) possible: Vec<Possible<'f>>,
    clocks: Vec<Vec<u32>>,
    held: Vec<Held>,
    /// Ways not taken that were looked at, with the locks and the clock.
    sides: BTreeSet<(usize, u32, u32)>,
    /// By mutex: the clock with which it was last given up.
    released: BTreeMap<u64, u32>,
    /// By event of the run before the state: its point.
    pub(super) points: Vec<Option<u32>>,
    /// Points whose value differs between executions for other reasons than what others write.
    pub(super) varying: Vec<u32>,
}

impl<'f> Walk<'f> {
    /// Follows `trace`; the subspace begins in the state before the event at `state`. What `tainted` points do may be
    /// different in other executions.
    pub(super) fn new(
        facts: &'f Facts,
        tainted: &'f [bool],
        trace: &Trace,
        records: &[Record],
        state: u32,
    ) -> Result<Walk<'f>, Opaque> {
        let mut count = 1;
        for event in &trace.events {
            count = count.max(event.thread.index() + 1);
            if let Operation::Create(child) = event.operation {
                count = count.max(child.index() + 1);
            }
        }
        let mut walk = Walk {
            facts,
            tainted,
            state,
            threads: alloc::vec![Thread::default(); count],
            possible: Vec::new(),
            clocks: alloc::vec![alloc::vec![0; count]],
            held: alloc::vec![alloc::vec![Vec::new()]],
            sides: BTreeSet::new(),
            released: BTreeMap::new(),
            points: Vec::new(),
            varying: Vec::new(),
        };
        walk.begin(ThreadId::MAIN, 0);
        let mut records = records.iter().peekable();
        for (at, event) in (0..).zip(&trace.events) {
            while let Some(record) = records.next_if(|record| record.at <= at) {
                walk.record(record)?;
            }
            if at == state {
                walk.forget_past();
            }
            walk.event(trace, event, at >= state)?;
        }
        records.try_for_each(|record| walk.record(record))?;
        // A way that was not taken goes on where the run's way did not come.
        if walk.threads.iter().any(|thread| !thread.open.is_empty()) { Err(Opaque) } else { Ok(walk) }
    }

    /// Forgets what comes before everything that any other thread may still do.
    fn forget_past(&mut self) {
        let (threads, clocks) = (&self.threads, &self.clocks);
        let settled = |one: &Possible<'_>| {
            let mut others = threads.iter().enumerate().filter(|(at, thread)| {
                // A thread that does not exist yet gets the clock of its creator.
                *at != one.thread.index() && thread.epoch > 0
            });
            others.all(|(_, thread)| clocks[thread.clock as usize][one.thread.index()] >= one.epoch)
        };
        self.possible.retain(|one| !settled(one));
    }

    /// Whether `a` comes before `b` in every execution of the subspace.
    pub(super) fn ordered(&self, a: &Possible<'_>, b: &Possible<'_>) -> bool {
        self.clocks[b.clock as usize][a.thread.index()] >= a.epoch
    }

    /// Whether the two may happen with no lock in common.
    pub(super) fn unprotected(&self, a: &Possible<'_>, b: &Possible<'_>) -> bool {
        let common = |a: &[u64], b: &[u64]| a.iter().any(|lock| b.binary_search(lock).is_ok());
        let (a, b) = (&self.held[a.held as usize], &self.held[b.held as usize]);
        a.iter().any(|a| b.iter().any(|b| !common(a, b)))
    }

    fn begin(&mut self, thread: ThreadId, from: u32) {
        let mut clock = self.clocks[from as usize].clone();
        clock[thread.index()] = 1;
        let number = self.new_clock(clock);
        self.threads[thread.index()] = Thread { clock: number, epoch: 1, ..Thread::default() };
    }

    fn new_clock(&mut self, clock: Vec<u32>) -> u32 {
        self.clocks.push(clock);
        self.clocks.len() as u32 - 1
    }

    /// What `thread` does from now on no longer comes before those who have its present clock.
    fn tick(&mut self, thread: ThreadId) {
        let slot = &self.threads[thread.index()];
        let (epoch, mut clock) = (slot.epoch + 1, self.clocks[slot.clock as usize].clone());
        clock[thread.index()] = epoch;
        let number = self.new_clock(clock);
        let slot = &mut self.threads[thread.index()];
        (slot.epoch, slot.clock) = (epoch, number);
    }

    /// What has the clock `other` comes before what `thread` does from now on.
    fn join(&mut self, thread: ThreadId, other: u32) {
        let mut clock = self.clocks[self.threads[thread.index()].clock as usize].clone();
        clock.iter_mut().zip(&self.clocks[other as usize]).for_each(|(own, other)| *own = (*own).max(*other));
        self.threads[thread.index()].clock = self.new_clock(clock);
    }

    fn hold(&mut self, thread: ThreadId, mut sets: Held) {
        sets.sort_unstable();
        sets.dedup();
        if sets.len() > MOST_SETS {
            let mut common = sets.pop().unwrap_or_default();
            common.retain(|lock| sets.iter().all(|set| set.binary_search(lock).is_ok()));
            sets = alloc::vec![common];
        }
        let number = match self.held.iter().rposition(|held| *held == sets) {
            Some(number) => number,
            None => {
                self.held.push(sets);
                self.held.len() - 1
            }
        };
        self.threads[thread.index()].held = number as u32;
    }

    fn sets(&self, thread: ThreadId) -> &Held {
        &self.held[self.threads[thread.index()].held as usize]
    }

    fn is_tainted(&self, point: u32) -> bool {
        self.tainted.get(point as usize).copied().unwrap_or(true)
    }

    fn record(&mut self, record: &Record) -> Result<(), Opaque> {
        let future = record.at > self.state;
        let thread = record.thread;
        match record.kind {
            RecordKind::Point(point) => {
                let facts = self.facts.points.get(point as usize).ok_or(Opaque)?;
                let is_certain = || !self.is_tainted(point) && self.is_on_every_way(thread);
                if future && (facts.opaque || facts.fixed && !is_certain()) {
                    return Err(Opaque);
                }
                if future && facts.varies {
                    self.varying.push(point);
                }
                self.threads[thread.index()].point = Some(point);
            }
            RecordKind::Access { point, range, write } => {
                let what = if write { What::Write } else { What::Read };
                let before = core::mem::replace(&mut self.threads[thread.index()].point, point);
                self.access(thread, what, range, future, None)?;
                self.threads[thread.index()].point = before;
            }
            RecordKind::Branch { point, taken, activation } => {
                if future && self.is_tainted(point) {
                    let facts = self.facts.points.get(point as usize).ok_or(Opaque)?;
                    let side = facts.sides.get(taken as usize).ok_or(Opaque)?;
                    self.side(thread, side, (activation, facts.merge))?;
                }
            }
            RecordKind::Merge { merge, activation } => self.meet(thread, (activation, merge)),
        }
        Ok(())
    }

    /// The ways not taken from a branch.
    fn side(&mut self, thread: ThreadId, side: &'f Side, end: (u64, u32)) -> Result<(), Opaque> {
        let sets = self.sets(thread).clone();
        let held = |lock: &u64| sets.iter().all(|set| set.binary_search(lock).is_ok());
        if side.opaque || !side.given_up.iter().all(held) {
            return Err(Opaque);
        }
        let Thread { held: before, clock, .. } = self.threads[thread.index()];
        let new = self.sides.insert((core::ptr::from_ref(side).addr(), before, clock));
        for step in side.steps.iter().filter(|_| new) {
            self.hold(thread, sets.iter().map(|set| step.locks.applied_to(set)).collect());
            self.push(thread, step.what, step.exact, &step.places, None, true, None);
            self.threads[thread.index()].held = before;
        }
        if let Some(after) = &side.after {
            let slot = &mut self.threads[thread.index()];
            slot.open.extend(sets.iter().map(|set| (end.0, end.1, after.applied_to(set))));
            slot.open.sort_unstable();
            slot.open.dedup();
        }
        Ok(())
    }

    /// The ways from a branch have met.
    fn meet(&mut self, thread: ThreadId, end: (u64, u32)) {
        let slot = &mut self.threads[thread.index()];
        if slot.open.is_empty() {
            return;
        }
        let mut met = Held::new();
        slot.open.retain(|(activation, merge, locks)| {
            let meets = (*activation, *merge) == end;
            if meets {
                met.push(locks.clone());
            }
            !meets
        });
        if !met.is_empty() {
            met.extend_from_slice(self.sets(thread));
            self.hold(thread, met);
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of a possibility")]
    fn push(
        &mut self,
        thread: ThreadId,
        what: What,
        range: Option<ByteRange>,
        places: &'f Places,
        point: Option<u32>,
        future: bool,
        operation: Option<Operation>,
    ) {
        let slot = &self.threads[thread.index()];
        let (held, clock, epoch) = (slot.held, slot.clock, slot.epoch);
        self.possible.push(Possible { thread, what, range, places, point, held, clock, epoch, future, operation });
    }

    /// Something the run did to memory or to a synchronisation object.
    fn access(
        &mut self,
        thread: ThreadId,
        what: What,
        range: ByteRange,
        future: bool,
        operation: Option<Operation>,
    ) -> Result<(), Opaque> {
        let point = self.threads[thread.index()].point;
        let facts = point.and_then(|point| self.facts.points.get(point as usize));
        let places = match facts {
            Some(facts) => &facts.places,
            None if future => return Err(Opaque),
            None => &Places::Anywhere,
        };
        let mut fixed = !future || !point.is_none_or(|point| self.is_tainted(point));
        if !fixed && range.start >= MADE_UP {
            // Something of the C library's own is the same whatever the arguments are; which file it is is not known.
            fixed = range.start < MADE_UP_FOR_ARGUMENTS;
            if !fixed {
                return Err(Opaque);
            }
        }
        self.push(thread, what, fixed.then_some(range), places, point, future, operation);
        Ok(())
    }

    /// Whether what `thread` is about to do is the same in all executions of the subspace.
    fn is_certain(&self, thread: ThreadId, future: bool) -> bool {
        let slot = &self.threads[thread.index()];
        !future || slot.point.is_some_and(|point| !self.is_tainted(point))
    }

    fn lock(&mut self, thread: ThreadId, mutex: Object, future: bool) {
        if !self.is_certain(thread, future) {
            return;
        }
        let mut sets = self.sets(thread).clone();
        for set in &mut sets {
            if let Err(at) = set.binary_search(&mutex.0) {
                set.insert(at, mutex.0);
            }
        }
        self.hold(thread, sets);
        if let (false, Some(&clock)) = (future, self.released.get(&mutex.0)) {
            self.join(thread, clock);
        }
    }

    fn unlock(&mut self, thread: ThreadId, mutex: Object, future: bool) -> Result<(), Opaque> {
        if !self.is_certain(thread, future) {
            return Err(Opaque);
        }
        let mut sets = self.sets(thread).clone();
        for set in &mut sets {
            // A lock of somebody else would be given up.
            let at = set.binary_search(&mutex.0).map_err(|_| Opaque)?;
            set.remove(at);
        }
        self.hold(thread, sets);
        if !future {
            self.released.insert(mutex.0, self.threads[thread.index()].clock);
            self.tick(thread);
        }
        Ok(())
    }

    fn event(&mut self, trace: &Trace, event: &Event, future: bool) -> Result<(), Opaque> {
        let (thread, operation) = (event.thread, event.operation);
        let point = self.threads[thread.index()].point;
        if !future {
            self.points.push(point);
        } else if let Some(point) = point
            && self.facts.points.get(point as usize).is_none_or(|point| point.varies)
        {
            // The thread may have come to the point before the state.
            self.varying.push(point);
        }
        let one = |object: Object| ByteRange { start: object.0, len: 1 };
        let seen = Some(operation);
        // A loop that waited for a write: how often it looks is not known.
        let woken =
            event.enabled_by.and_then(|at| trace.events.get(at.index())).is_some_and(|by| writes(&by.operation));
        if woken {
            return Err(Opaque);
        }
        match operation {
            Operation::Read(range) => self.access(thread, What::Read, range, future, seen)?,
            Operation::Write(range) => self.access(thread, What::Write, range, future, seen)?,
            Operation::AtomicLoad(range, _) => self.access(thread, What::AtomicRead, range, future, seen)?,
            Operation::AtomicStore(range, _) => self.access(thread, What::AtomicWrite, range, future, seen)?,
            Operation::AtomicUpdate { range, order, .. } => {
                let seen = Some(Operation::AtomicUpdate { range, order, wrote: true });
                self.access(thread, What::AtomicWrite, range, future, seen)?;
            }
            Operation::MutexInit(object) | Operation::MutexDestroy(object) => {
                self.access(thread, What::MutexLifecycle, one(object), future, seen)?;
            }
            Operation::CondInit(object) | Operation::CondDestroy(object) => {
                self.access(thread, What::CondLifecycle, one(object), future, seen)?;
            }
            Operation::Lock(mutex) => {
                self.access(thread, What::Lock, one(mutex), future, seen)?;
                self.lock(thread, mutex, future);
            }
            Operation::TryLock { mutex, acquired } => {
                let seen = Some(Operation::TryLock { mutex, acquired: true });
                self.access(thread, What::TryLock, one(mutex), future, seen)?;
                // In other executions it may fail.
                if acquired && !future {
                    self.lock(thread, mutex, future);
                }
            }
            Operation::Unlock(mutex) => {
                self.access(thread, What::Unlock, one(mutex), future, seen)?;
                self.unlock(thread, mutex, future)?;
            }
            Operation::WaitRelease { cond, mutex } => {
                self.access(thread, What::Unlock, one(mutex), future, None)?;
                self.access(thread, What::Wait, one(cond), future, seen)?;
                self.unlock(thread, mutex, future)?;
            }
            Operation::WaitExpire { cond, .. } => self.access(thread, What::Expire, one(cond), future, seen)?,
            Operation::WaitReacquire { cond, mutex } => {
                let lock = Some(Operation::Lock(mutex));
                self.access(thread, What::Lock, one(mutex), future, lock)?;
                // It may also end without the signal that it got.
                let expire = Some(Operation::WaitExpire { cond, mutex });
                self.access(thread, What::Expire, one(cond), future, expire)?;
                self.lock(thread, mutex, future);
            }
            Operation::Signal { cond, .. } | Operation::Broadcast { cond, .. } => {
                let seen = Some(Operation::Signal { cond, woken: Some(ThreadId::MAIN) });
                self.access(thread, What::Wake, one(cond), future, seen)?;
            }
            Operation::OnceEnter { .. } | Operation::OnceLeave(_) if future => return Err(Opaque),
            Operation::Create(child) => {
                let sure = self.is_certain(thread, future) && (!future || self.is_on_every_way(thread));
                if !sure {
                    return Err(Opaque);
                }
                self.begin(child, self.threads[thread.index()].clock);
                self.tick(thread);
            }
            Operation::Join(other) => {
                if self.is_certain(thread, future) && (!future || self.is_on_every_way(thread)) {
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
        self.threads[thread.index()].open.is_empty()
    }
}

fn writes(operation: &Operation) -> bool {
    matches!(operation, Operation::Write(_) | Operation::AtomicStore(..) | Operation::AtomicUpdate { wrote: true, .. })
}
