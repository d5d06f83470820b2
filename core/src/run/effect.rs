//! When an operation can be taken, and what it does to threads and objects.
//!
//! The set of enabled threads is updated with each effect: an effect that makes something available that other threads
//! need adds these threads to the set, and one that makes it unavailable removes them.

use super::{Lifecycle, ObjectState, Run, Status, Thread, World};
use crate::event::{
    Alternatives, ChoiceKind, CondOperation, ControlOperation, Event, EventIndex, FindingKind, MutexOperation, Need,
    Object, OnceOperation, Operation, Side, SiteId, ThreadId, ThreadOperation, ThreadSet, Values,
};

/// What a thread does after its operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    /// It runs on to its next operation.
    RunsOn,
    /// It has nothing to run: its next operation is known already, or it has ended.
    Rests,
    /// The process has ended.
    ProcessOver,
}

/// An event whose fields are not written yet.
const UNWRITTEN: Event = Event {
    thread: ThreadId::MAIN,
    operation: Operation::IDLE,
    choice: 0,
    alternatives: Alternatives::None,
    enabled: ThreadSet::EMPTY,
    enabled_by: None,
    site: SiteId(0),
};

impl Run {
    /// Whether `thread`, which has arrived, can take its operation in the present state, as far as objects and threads
    /// decide. That an end of the process waits for all other threads is decided by [`next`](Self::next).
    #[inline(always)]
    pub(super) fn can_take(&self, thread: ThreadId) -> bool {
        let slot = &self.threads[thread.index()];
        match slot.need() {
            Need::Nothing | Need::OthersStopped => true,
            Need::Mutex(mutex) => {
                let &ObjectState { owner, copied_held, .. } = self.objects.peek(mutex);
                !copied_held && (owner.is_none() || (slot.request.recursive && owner == Some(thread)))
            }
            Need::Once(_)
            | Need::Unit(_)
            | Need::Rwlock(..)
            | Need::WriterFirst(..)
            | Need::Round(_)
            | Need::EndOf(_)
            | Need::RequestTo(_)
            | Need::Wake(_)
            | Need::Channel(..)
            | Need::Never => self.is_met(thread),
        }
    }

    /// [`can_take`](Self::can_take) for an operation whose need is not a mutex.
    #[inline(never)]
    fn is_met(&self, thread: ThreadId) -> bool {
        match self.threads[thread.index()].need() {
            Need::Nothing | Need::OthersStopped => true,
            Need::Mutex(_) => unreachable!("whether a mutex is free depends on the request as well"),
            Need::Once(once) => {
                let &ObjectState { once_runner, copied_held, .. } = self.objects.peek(once);
                once_runner.is_none() && !copied_held
            }
            // What is no semaphore (yet) makes no thread wait: the use is a misuse, and may come before the init.
            Need::Unit(semaphore) => {
                let &ObjectState { count, lifecycle, .. } = self.objects.peek(semaphore);
                count > 0 || lifecycle != Lifecycle::Initialised
            }
            Need::Rwlock(rwlock, side) => self.objects.peek(rwlock).admits(side),
            Need::WriterFirst(rwlock, side) => self.objects.peek(rwlock).availability().includes(side),
            Need::Round(barrier) => !self.objects.peek(barrier).arrived.contains(thread),
            Need::EndOf(child) => self.threads[child.index()].status == Status::Ended,
            Need::RequestTo(thread) => self.is_cancelled(thread),
            Need::Wake(_) => self.woken_by(thread).is_some(),
            Need::Channel(..) => self.is_offered(thread),
            Need::Never => false,
        }
    }

    /// A thread that has to act before this need, which is not met, can be met: the holder of the object (one of them,
    /// if several read), or the thread whose end is awaited. `None` if any thread may meet the need, as by a post.
    pub fn awaited_thread(&self, need: Need) -> Option<ThreadId> {
        match need {
            Need::Mutex(mutex) => self.objects.peek(mutex).owner,
            Need::Once(once) => self.objects.peek(once).once_runner,
            Need::Rwlock(rwlock, _) | Need::WriterFirst(rwlock, Side::Writer) => {
                let state = self.objects.peek(rwlock);
                state.owner.or(state.readers.holders().first())
            }
            Need::EndOf(child) => Some(child),
            Need::Nothing
            | Need::Unit(_)
            | Need::WriterFirst(_, Side::Reader)
            | Need::Round(_)
            | Need::RequestTo(_)
            | Need::Wake(_)
            | Need::Channel(..)
            | Need::OthersStopped
            | Need::Never => None,
        }
    }

    /// What the thread's operation could choose now.
    #[inline(always)]
    pub(super) fn alternatives(&self, thread: ThreadId) -> Alternatives {
        if self.threads[thread.index()].chooses() { self.choices(thread) } else { Alternatives::None }
    }

    /// What the operation of `thread`, which chooses something, could choose now.
    #[inline(never)]
    fn choices(&self, thread: ThreadId) -> Alternatives {
        let request = &self.threads[thread.index()].request;
        match request.operation.choice_kind() {
            ChoiceKind::None => Alternatives::None,
            ChoiceKind::Waiter(cond) | ChoiceKind::Owner(cond) => self.waiters_to_wake(cond),
            ChoiceKind::Waiters(queue, most) | ChoiceKind::SelectedWaiters(queue, most) => {
                self.sets_to_wake(thread, queue, most)
            }
            ChoiceKind::Requeued(queue) => self.ways_to_requeue(thread, queue),
            ChoiceKind::WaitEnd if self.has_two_ends(request) => Alternatives::TWO_ENDS,
            ChoiceKind::WaitEnd => Alternatives::None,
            ChoiceKind::Value => Alternatives::Count(request.count),
        }
    }

    fn waiters_to_wake(&self, cond: Object) -> Alternatives {
        let waiters = self.objects.peek(cond).waiters;
        if waiters.is_empty() { Alternatives::None } else { Alternatives::Threads(waiters) }
    }

    /// Takes the thread's operation: records the event and applies its effect.
    #[inline]
    pub(super) fn execute(&mut self, thread: ThreadId, choice: u32, takers: ThreadSet, world: &impl World) -> After {
        let operation = self.outcome(thread, choice, world);
        self.note_values(thread, &operation, world);
        let slot = &mut self.threads[thread.index()];
        let enabled_by = slot.enabled_by.take();
        let site = slot.request.site;
        slot.status = Status::Running;
        self.enabled.remove(thread);
        // Written in place, and the alternatives only if there are any: copying an event, or a field of several parts,
        // right after it was written would stall the processor.
        self.trace.events.push(UNWRITTEN);
        if let Some(event) = self.trace.events.last_mut() {
            (event.thread, event.choice, event.enabled) = (thread, choice, takers);
            (event.enabled_by, event.site) = (enabled_by, site);
            event.operation = operation;
        }
        if self.threads[thread.index()].chooses() {
            let alternatives = self.choices(thread);
            if let Some(event) = self.trace.events.last_mut() {
                event.alternatives = alternatives;
            }
        }
        self.current = thread;
        self.wake_sleepers();
        self.apply(thread, &operation, world)
    }

    #[inline]
    fn note_values(&mut self, thread: ThreadId, operation: &Operation, world: &impl World) {
        let Thread { request, demands, .. } = &self.threads[thread.index()];
        debug_assert!(demands.may_write || operation.may_write().is_none(), "outcomes-write-what-requests-may");
        if !demands.may_write {
            return;
        }
        let Some(range) = operation.may_write() else { return };
        let conditional = request.conditional;
        let compared = if conditional { world.compared(thread) } else { self.compared_with_pending(thread, operation) };
        let before = world.value_before(range);
        if before.is_some() || compared.is_some() {
            self.trace.values.push(Values { event: self.now(), before, compared });
        }
    }

    #[inline]
    fn apply(&mut self, thread: ThreadId, operation: &Operation, world: &impl World) -> After {
        match *operation {
            // The program itself performs the access, the C library the call, and the driver what concerns signals and
            // channels.
            Operation::Memory(_) | Operation::Descriptor(_) | Operation::Channel(_) => After::RunsOn,
            Operation::Signal(_) => {
                operation.handle().into_iter().for_each(|handle| self.note_use_of_handle(thread, handle));
                After::RunsOn
            }
            Operation::Mutex(operation) => self.apply_to_mutex(thread, operation),
            Operation::Cond(operation) => self.apply_to_cond(thread, operation, world),
            Operation::Once(operation) => self.apply_to_once(thread, operation),
            Operation::Futex(operation) => self.apply_to_futex(thread, operation, world),
            Operation::Semaphore(operation) => self.apply_to_semaphore(operation),
            Operation::Rwlock(operation) => self.apply_to_rwlock(thread, operation),
            Operation::WriterFirst(operation) => self.apply_where_writers_first(thread, operation),
            Operation::Barrier(operation) => self.apply_to_barrier(thread, operation),
            Operation::Cancel(operation) => self.apply_to_cancellation(thread, operation),
            Operation::Thread(operation) => self.apply_to_thread(thread, operation),
            Operation::Control(operation) => match operation {
                ControlOperation::Choose | ControlOperation::Yield | ControlOperation::Assume => After::RunsOn,
                ControlOperation::EndProcess(_) => {
                    self.live.remove(thread);
                    After::ProcessOver
                }
            },
        }
    }

    #[inline]
    fn apply_to_mutex(&mut self, thread: ThreadId, operation: MutexOperation) -> After {
        match operation {
            MutexOperation::Init(mutex) => self.initialise(mutex),
            MutexOperation::Destroy(mutex) => self.destroy(mutex),
            MutexOperation::Lock(mutex) | MutexOperation::TryLock { mutex, acquired: true } => {
                self.acquire(thread, mutex);
            }
            MutexOperation::TryLock { acquired: false, .. } => {}
            MutexOperation::Unlock(mutex) => self.release(thread, mutex, FindingKind::UnlockNotOwner),
        }
        After::RunsOn
    }

    #[inline]
    fn apply_to_cond(&mut self, thread: ThreadId, operation: CondOperation, world: &impl World) -> After {
        match operation {
            CondOperation::Init(cond) => self.initialise(cond),
            CondOperation::Destroy(cond) => self.destroy(cond),
            CondOperation::WaitRelease { cond, mutex, mutexes } => {
                return self.wait(thread, (cond, mutex, mutexes), world);
            }
            CondOperation::WaitExpire { cond, mutex, mutexes } => {
                self.end_wait_alone(thread);
                let after = self.leave_wait(ThreadSet::only(thread), (cond, mutex, mutexes));
                world.note_waiters(cond, !self.objects.peek(cond).waiters.is_empty());
                return after;
            }
            CondOperation::WaitReacquire { mutex, .. } => self.acquire(thread, mutex),
            CondOperation::Signal { cond, woken } => self.wake_waiters(woken.into_iter().collect(), cond, world),
            CondOperation::Broadcast { cond, woken } => self.wake_waiters(woken, cond, world),
            CondOperation::WakeSome { queue, woken, .. } => self.wake_waiters(woken, queue, world),
            CondOperation::Requeue { words, .. } => self.requeue(thread, words, world),
        }
        After::RunsOn
    }

    #[inline]
    fn apply_to_once(&mut self, thread: ThreadId, operation: OnceOperation) -> After {
        match operation {
            OnceOperation::Enter { once, runs: true } => {
                self.objects.get(once).once_runner = Some(thread);
                self.refresh_once(once);
            }
            OnceOperation::Enter { runs: false, .. } => {}
            OnceOperation::Leave(once) => {
                let state = self.objects.get(once);
                state.once_runner = None;
                state.once_done = !state.once_fails;
                state.once_fails = false;
                self.refresh_once(once);
            }
        }
        After::RunsOn
    }

    #[inline]
    fn apply_to_thread(&mut self, thread: ThreadId, operation: ThreadOperation) -> After {
        match operation {
            ThreadOperation::Create(child) | ThreadOperation::StartTimer(child) => self.create(thread, child),
            ThreadOperation::Exit(_) => return self.exit(thread),
            ThreadOperation::Join(child) => {
                self.claim(thread, child);
                let known = self.threads[child.index()].over.union(ThreadSet::only(child));
                self.threads[child.index()].joined = true;
                let slot = &mut self.threads[thread.index()];
                slot.over = slot.over.union(known);
            }
            ThreadOperation::Detach(child) => {
                self.claim(thread, child);
                self.threads[child.index()].detached = true;
            }
        }
        After::RunsOn
    }

    /// A thread joins or detaches a thread: a misuse if that was done before.
    fn claim(&mut self, thread: ThreadId, child: ThreadId) {
        let slot = &self.threads[child.index()];
        let refused = slot.joined || slot.detached;
        self.threads[thread.index()].refused = refused;
        if refused {
            self.misuse(FindingKind::JoinInvalid, thread, Object(child.0.into()));
        }
    }

    fn acquire(&mut self, thread: ThreadId, mutex: Object) {
        let state = self.objects.get(mutex);
        state.owner = Some(thread);
        state.depth += 1;
        // Threads that are about to take the mutex have to wait now.
        for other in self.enabled.iter() {
            if self.wants(other, mutex) {
                self.enabled.remove(other);
            }
        }
    }

    /// Whether `thread` has arrived at an operation that takes this mutex once it is free.
    fn wants(&self, thread: ThreadId, mutex: Object) -> bool {
        let slot = &self.threads[thread.index()];
        slot.status == Status::Arrived && slot.need().mutex() == Some(mutex)
    }

    /// Gives a mutex back once; if no thread holds it then, the threads that wait for it are enabled. A misuse of kind
    /// `not_owner` is noted if `thread` did not hold it.
    pub(super) fn release(&mut self, thread: ThreadId, mutex: Object, not_owner: FindingKind) {
        let state = self.objects.get(mutex);
        let owns = state.owner == Some(thread);
        let seized = !owns && state.owner.is_some();
        state.depth = state.depth.saturating_sub(1);
        let free = state.depth == 0;
        if free {
            state.owner = None;
            state.copied_held = false;
        }
        if !owns {
            self.misuse(not_owner, thread, mutex);
        }
        if seized {
            self.note_seized(mutex);
        }
        if free {
            self.admit_waiting(mutex);
        }
    }

    /// Determines again which of the threads that have arrived at a once object are enabled.
    fn refresh_once(&mut self, once: Object) {
        for thread in self.live.iter() {
            let slot = &self.threads[thread.index()];
            if slot.status != Status::Arrived || slot.need() != Need::Once(once) {
                continue;
            }
            if self.can_take(thread) {
                self.enabled.insert(thread);
            } else {
                self.enabled.remove(thread);
            }
        }
    }

    fn initialise(&mut self, object: Object) {
        let before = *self.objects.get(object);
        // What was destroyed while it was in use was reported then.
        let in_use = before.lifecycle == Lifecycle::Unseen && (before.owner.is_some() || !before.waiters.is_empty());
        if before.lifecycle == Lifecycle::Initialised || in_use {
            self.misuse(FindingKind::DoubleInit, self.current, object);
        }
        let state = self.objects.get(object);
        state.lifecycle = Lifecycle::Initialised;
        let seized = state.owner.take().is_some();
        state.depth = 0;
        state.copied_held = false;
        if seized {
            self.note_seized(object);
        }
        self.admit_waiting(object);
    }

    #[cold]
    fn note_seized(&mut self, mutex: Object) {
        if !self.seized.contains(&mutex) {
            self.seized.push(mutex);
        }
    }

    /// Enables the threads that wait for this mutex, which is free now.
    fn admit_waiting(&mut self, mutex: Object) {
        for other in self.live.minus(self.enabled).iter() {
            if self.wants(other, mutex) {
                self.enabled.insert(other);
            }
        }
    }

    fn destroy(&mut self, object: Object) {
        let state = *self.objects.get(object);
        if state.lifecycle == Lifecycle::Destroyed {
            self.misuse(FindingKind::DoubleDestroy, self.current, object);
        }
        let may_be_held = || {
            let waits = |thread| self.wants(thread, object);
            self.threads[self.current.index()].request.may_be_held && !self.live.iter().any(waits)
        };
        if (state.owner.is_some() || state.copied_held) && !may_be_held() {
            self.misuse(FindingKind::MutexDestroyedLocked, self.current, object);
        }
        self.objects.get(object).lifecycle = Lifecycle::Destroyed;
    }

    fn create(&mut self, creator: ThreadId, child: ThreadId) {
        let by = self.trace.events.len() as u32 - 1;
        self.threads[creator.index()].creations += 1;
        let over = self.threads[creator.index()].over;
        let slot = &mut self.threads[child.index()];
        slot.reset();
        slot.over = over;
        slot.status = Status::Running;
        slot.enabled_by = Some(EventIndex(by));
        self.live.insert(child);
        self.starting = Some((child, creator));
    }

    fn exit(&mut self, thread: ThreadId) -> After {
        let by = self.trace.events.len() as u32 - 1;
        let slot = &mut self.threads[thread.index()];
        slot.status = Status::Ended;
        slot.exit = Some(EventIndex(by));
        self.live.remove(thread);
        for other in self.live.minus(self.enabled).iter() {
            let slot = &mut self.threads[other.index()];
            if slot.status == Status::Arrived && slot.need() == Need::EndOf(thread) {
                slot.enabled_by = Some(EventIndex(by));
                self.enabled.insert(other);
            }
        }
        After::Rests
    }
}
