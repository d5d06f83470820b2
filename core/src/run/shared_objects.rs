//! What operations on semaphores, read-write locks and barriers do.

use super::effect::After;
use super::{Lifecycle, ObjectState, ReadHolds, Run, Status};
use crate::event::{
    BarrierOperation, EventIndex, FindingKind, Need, Object, Room, RwlockOperation, SemaphoreOperation, Side, ThreadId,
    ThreadSet, Units,
};

/// The largest count of a semaphore: `SEM_VALUE_MAX` of the C library.
const MOST_UNITS: u32 = i32::MAX as u32;
/// Posts to a semaphore are dependent if it has room for fewer units than this. More posts than there are threads
/// cannot be pending at a time.
const SCARCE: u32 = 1 << 10;

fn units(count: u32) -> Units {
    match count {
        0 => Units::None,
        1 => Units::One,
        _ => Units::More,
    }
}

impl ObjectState {
    /// Whether this read-write lock can be taken now for reading or for writing, as `side` says.
    pub(super) fn admits(&self, side: Side) -> bool {
        let free_of_writers = self.owner.is_none() && !self.copied_held;
        match side {
            Side::Reader => free_of_writers,
            Side::Writer => free_of_writers && self.readers.holders().is_empty(),
        }
    }
}

impl Run {
    /// The outcome of an operation on a semaphore in the present state; `None` if it has only one.
    pub(super) fn outcome_at_semaphore(&self, operation: SemaphoreOperation) -> Option<SemaphoreOperation> {
        let count = |semaphore: Object| self.objects.peek(semaphore).count;
        match operation {
            SemaphoreOperation::Wait { semaphore, .. } => {
                Some(SemaphoreOperation::Wait { semaphore, units: units(count(semaphore)) })
            }
            SemaphoreOperation::TryWait { semaphore, .. } => {
                Some(SemaphoreOperation::TryWait { semaphore, units: units(count(semaphore)) })
            }
            SemaphoreOperation::Count { semaphore, .. } => {
                Some(SemaphoreOperation::Count { semaphore, units: units(count(semaphore)) })
            }
            SemaphoreOperation::Post { semaphore, .. } => {
                let room = match MOST_UNITS - count(semaphore) {
                    0 => Room::None,
                    1..SCARCE => Room::Scarce,
                    SCARCE.. => Room::Ample,
                };
                Some(SemaphoreOperation::Post { semaphore, room })
            }
            SemaphoreOperation::Init(..) | SemaphoreOperation::Destroy(_) => None,
        }
    }

    /// Applies the effect of an operation on a semaphore.
    pub(super) fn apply_to_semaphore(&mut self, operation: SemaphoreOperation) -> After {
        match operation {
            SemaphoreOperation::Init(semaphore, count) => {
                self.note_waited_on(semaphore, FindingKind::SemaphoreMisuse);
                self.begin_life(semaphore);
                self.objects.get(semaphore).count = count;
                self.refresh(semaphore);
            }
            SemaphoreOperation::Destroy(semaphore) => {
                self.note_waited_on(semaphore, FindingKind::SemaphoreMisuse);
                self.end_life(semaphore);
            }
            SemaphoreOperation::Wait { semaphore, units: Units::One | Units::More }
            | SemaphoreOperation::TryWait { semaphore, units: Units::One | Units::More } => {
                let count = &mut self.objects.get(semaphore).count;
                *count -= 1;
                if *count == 0 {
                    self.refresh(semaphore);
                }
            }
            SemaphoreOperation::Post { semaphore, room: Room::Ample | Room::Scarce } => {
                let count = &mut self.objects.get(semaphore).count;
                *count += 1;
                if *count == 1 {
                    self.refresh(semaphore);
                }
            }
            SemaphoreOperation::Wait { units: Units::None, .. }
            | SemaphoreOperation::TryWait { units: Units::None, .. }
            | SemaphoreOperation::Post { room: Room::None, .. }
            | SemaphoreOperation::Count { .. } => {}
        }
        After::RunsOn
    }

    /// The outcome of an operation on a read-write lock in the present state; `None` if it has only one.
    pub(super) fn outcome_at_rwlock(&self, thread: ThreadId, operation: RwlockOperation) -> Option<RwlockOperation> {
        match operation {
            RwlockOperation::TryLock { rwlock, side, .. } => {
                let acquired = self.objects.peek(rwlock).admits(side);
                Some(RwlockOperation::TryLock { rwlock, side, acquired })
            }
            RwlockOperation::Unlock { rwlock, .. } => {
                let state = self.objects.peek(rwlock);
                let reads = (state.readers.of(thread) > 0).then_some(Side::Reader);
                let writes = (state.owner == Some(thread)).then_some(Side::Writer);
                Some(RwlockOperation::Unlock { rwlock, side: reads.or(writes) })
            }
            RwlockOperation::Init(_) | RwlockOperation::Destroy(_) | RwlockOperation::Lock { .. } => None,
        }
    }

    /// Applies the effect of an operation on a read-write lock.
    pub(super) fn apply_to_rwlock(&mut self, thread: ThreadId, operation: RwlockOperation) -> After {
        match operation {
            RwlockOperation::Init(rwlock) => {
                self.note_held(rwlock);
                self.begin_life(rwlock);
                let state = self.objects.get(rwlock);
                (state.owner, state.copied_held, state.readers, state.count) = (None, false, ReadHolds::NONE, 0);
                self.refresh(rwlock);
            }
            RwlockOperation::Destroy(rwlock) => {
                self.note_held(rwlock);
                self.note_waited_on(rwlock, FindingKind::RwlockMisuse);
                self.end_life(rwlock);
            }
            RwlockOperation::Lock { rwlock, side } | RwlockOperation::TryLock { rwlock, side, acquired: true } => {
                let state = self.objects.get(rwlock);
                match side {
                    Side::Reader => state.readers.take(thread),
                    Side::Writer => state.owner = Some(thread),
                }
                self.refresh(rwlock);
            }
            RwlockOperation::TryLock { acquired: false, .. } => {}
            RwlockOperation::Unlock { rwlock, side } => self.unlock_rwlock(thread, rwlock, side),
        }
        After::RunsOn
    }

    /// Gives a read-write lock back once, which `thread` holds on this side; `None` stands for a thread that does not
    /// hold it, which is noted as a misuse.
    pub(super) fn unlock_rwlock(&mut self, thread: ThreadId, rwlock: Object, side: Option<Side>) {
        let state = self.objects.get(rwlock);
        match side {
            Some(Side::Reader) => state.readers.give(thread),
            Some(Side::Writer) => state.owner = None,
            None => return self.misuse(FindingKind::RwlockMisuse, thread, rwlock),
        }
        self.refresh(rwlock);
    }

    /// The outcome of an operation on a barrier in the present state; `None` if it has only one.
    pub(super) fn outcome_at_barrier(&self, operation: BarrierOperation) -> Option<BarrierOperation> {
        match operation {
            BarrierOperation::Arrive { barrier, .. } => {
                let &ObjectState { count, arrived, .. } = self.objects.peek(barrier);
                Some(BarrierOperation::Arrive { barrier, last: arrived.len() as u32 + 1 == count })
            }
            BarrierOperation::Init(..) | BarrierOperation::Destroy(_) | BarrierOperation::Pass(_) => None,
        }
    }

    /// Applies the effect of an operation on a barrier.
    pub(super) fn apply_to_barrier(&mut self, thread: ThreadId, operation: BarrierOperation) -> After {
        match operation {
            BarrierOperation::Init(barrier, count) => {
                self.note_waited_on(barrier, FindingKind::BarrierMisuse);
                self.begin_life(barrier);
                self.objects.get(barrier).count = count;
            }
            BarrierOperation::Destroy(barrier) => {
                self.note_waited_on(barrier, FindingKind::BarrierMisuse);
                self.end_life(barrier);
            }
            BarrierOperation::Arrive { barrier, last: false } => self.objects.get(barrier).arrived.insert(thread),
            BarrierOperation::Arrive { barrier, last: true } => self.complete_round(barrier),
            BarrierOperation::Pass(_) => {}
        }
        After::RunsOn
    }

    /// The event that was recorded last enables the threads of the round to pass. Where more threads use the barrier
    /// than a round takes, some of an earlier round may not have passed yet: what enabled them stays.
    fn complete_round(&mut self, barrier: Object) {
        let by = EventIndex(self.trace.events.len() as u32 - 1);
        for thread in core::mem::take(&mut self.objects.get(barrier).arrived).iter() {
            let slot = &mut self.threads[thread.index()];
            debug_assert_eq!(slot.need(), Need::Round(barrier), "arrived-then-passes");
            slot.enabled_by = Some(by);
            self.enabled.insert(thread);
        }
    }

    /// The threads that have arrived at an operation that needs something of this object.
    fn waiting_for(&self, object: Object) -> ThreadSet {
        let waits = |&thread: &ThreadId| {
            let slot = &self.threads[thread.index()];
            slot.status == Status::Arrived && slot.need().awaited().object() == Some(object)
        };
        self.live.iter().filter(waits).collect()
    }

    /// Determines again which of the threads that need something of this object are enabled.
    pub(super) fn refresh(&mut self, object: Object) {
        for thread in self.waiting_for(object).iter() {
            if self.can_take(thread) {
                self.enabled.insert(thread);
            } else {
                self.enabled.remove(thread);
            }
        }
    }

    fn begin_life(&mut self, object: Object) {
        if self.objects.get(object).lifecycle == Lifecycle::Initialised {
            self.misuse(FindingKind::DoubleInit, self.current, object);
        }
        self.objects.get(object).lifecycle = Lifecycle::Initialised;
    }

    fn end_life(&mut self, object: Object) {
        if self.objects.get(object).lifecycle == Lifecycle::Destroyed {
            self.misuse(FindingKind::DoubleDestroy, self.current, object);
        }
        self.objects.get(object).lifecycle = Lifecycle::Destroyed;
    }

    /// Notes a misuse if some thread is blocked at the object.
    fn note_waited_on(&mut self, object: Object, kind: FindingKind) {
        if !self.waiting_for(object).minus(self.enabled).is_empty() {
            self.misuse(kind, self.current, object);
        }
    }

    /// Notes a misuse if some thread holds the read-write lock.
    fn note_held(&mut self, rwlock: Object) {
        let state = self.objects.peek(rwlock);
        if state.owner.is_some() || !state.readers.holders().is_empty() {
            self.misuse(FindingKind::RwlockMisuse, self.current, rwlock);
        }
    }

    /// A semaphore or a barrier that was initialised before the run began has this count. The driver calls this when
    /// the object is used first.
    pub fn note_count(&mut self, semaphore: Object, count: u32) {
        let state = self.objects.get(semaphore);
        (state.lifecycle, state.count) = (Lifecycle::Initialised, count);
    }
}
