//! Waits for condition variables and futex words: their beginning, and how they come to their end.

use super::effect::After;
use super::{Misuse, Request, Run, Status, World};
use crate::event::{
    Alternatives, CondOperation, Event, EventIndex, FindingKind, FutexOperation, Mutexes, Object, Operation, Place,
    ThreadId, ThreadNumber, ThreadSet, Wait,
};

impl Run {
    /// Begins a wait: gives the mutex back and adds the thread to the waiters.
    pub(super) fn wait(
        &mut self,
        thread: ThreadId,
        (cond, mutex, mutexes): (Object, Object, Mutexes),
        world: &impl World,
    ) -> After {
        self.release(thread, mutex, FindingKind::CondWaitUnlocked);
        if self.objects.peek(mutex).owner.is_none() {
            world.note_release(mutex);
        }
        self.note_other_mutexes(thread, cond, mutex, mutexes);
        self.objects.get(cond).waiters.insert(thread);
        world.note_waiters(cond, true);
        let may_expire = self.may_expire(thread);
        let slot = &mut self.threads[thread.index()];
        slot.status = Status::Waiting;
        slot.set_operation(Operation::Cond(if may_expire {
            self.enabled.insert(thread);
            CondOperation::WaitExpire { cond, mutex, mutexes }
        } else {
            CondOperation::WaitReacquire { cond, mutex, mutexes }
        }));
        self.end_cancelled_wait(thread);
        After::Rests
    }

    /// Whether the wait of `thread`, which the last event begins, may end alone. Notes whether in two ways.
    fn may_expire(&mut self, thread: ThreadId) -> bool {
        let request = &self.threads[thread.index()].request;
        let may_expire = request.timed || self.options.spurious_wakeups;
        if self.has_two_ends(request) {
            self.trace.two_ends.push(EventIndex(self.trace.events.len() as u32 - 1));
        }
        may_expire
    }

    /// Whether a wait with this request may end alone in two ways: in its time, or spuriously before that.
    pub(super) fn has_two_ends(&self, request: &Request) -> bool {
        request.timed && self.options.spurious_wakeups
    }

    /// Whether a wait with this request may end without a signal.
    pub fn may_end_alone(&self, request: &Request) -> bool {
        request.timed || request.cancellable || self.options.spurious_wakeups
    }

    /// Whether the wait that `thread` has just come out of, and that nobody has ended, has expired. A wait that has
    /// ended spuriously is from then on one without a time limit.
    pub fn has_expired(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].request.timed
    }

    /// The last event ends a wait of `thread` that nobody has ended.
    pub(super) fn end_wait_alone(&mut self, thread: ThreadId) {
        let event = self.trace.events.last();
        if event.is_some_and(Event::is_spurious) {
            self.threads[thread.index()].request.timed = false;
        }
    }

    /// Notes a misuse for each wait in progress at `cond` with another mutex than `mutex`. The two waits may begin in
    /// either order, so the misuse names both.
    fn note_other_mutexes(&mut self, thread: ThreadId, cond: Object, mutex: Object, mutexes: Mutexes) {
        for waiter in self.objects.peek(cond).waiters.iter() {
            let other = self.threads[waiter.index()].request;
            let Some(Wait { mutex: theirs, .. }) = other.operation.wait() else { unreachable!("a waiter waits") };
            if let Some(theirs) = theirs
                && theirs != mutex
            {
                let operation = Operation::Cond(CondOperation::WaitRelease { cond, mutex: theirs, mutexes });
                let other = Place { thread: waiter, site: other.site, operation: Some(operation) };
                let (site, at) = (self.threads[thread.index()].request.site, self.now());
                let operation = Operation::Cond(CondOperation::WaitRelease { cond, mutex, mutexes });
                let kind = FindingKind::CondTwoMutexes;
                self.note(Misuse {
                    kind,
                    thread,
                    site,
                    operation: Some(operation),
                    object: cond,
                    at,
                    other: Some(other),
                });
            }
        }
    }

    /// Wakes these waiters: the event that was recorded last enables the ends of their waits.
    pub(super) fn wake_waiters(&mut self, woken: ThreadSet, cond: Object, world: &impl World) {
        let by = self.trace.events.len() as u32 - 1;
        for thread in woken.iter() {
            let slot = &mut self.threads[thread.index()];
            if slot.status != Status::Waiting {
                self.wake_joined(thread, cond, EventIndex(by));
                continue;
            }
            let Some(Wait { mutex, mutexes, .. }) = slot.request.operation.wait() else {
                unreachable!("a waiter waits")
            };
            slot.enabled_by = Some(EventIndex(by));
            match mutex {
                Some(mutex) => {
                    let _rests = self.leave_wait(ThreadSet::only(thread), (cond, mutex, mutexes));
                }
                None => self.leave_futex(thread, cond),
            }
        }
        if !woken.is_empty() && !cond.is_futex() {
            world.note_waiters(cond, !self.objects.peek(cond).waiters.is_empty());
        }
    }

    /// Takes a step of a wait for a futex word. A wait that is not woken goes on with its expiry.
    pub(super) fn apply_to_futex(&mut self, thread: ThreadId, operation: FutexOperation, world: &impl World) -> After {
        match operation {
            FutexOperation::Join { .. }
            | FutexOperation::Rest { .. }
            | FutexOperation::Leave { .. }
            | FutexOperation::Lock { .. }
            | FutexOperation::Unlock { .. } => self.apply_to_joined(thread, operation, world),
            FutexOperation::Wait { queued: false, .. } | FutexOperation::Resume { .. } => After::RunsOn,
            FutexOperation::Wait { word, queued: true, queues, .. } => {
                self.objects.get(Object::futex(word.0)).waiters.insert(thread);
                let may_expire = self.may_expire(thread);
                let slot = &mut self.threads[thread.index()];
                slot.status = Status::Waiting;
                slot.set_operation(Operation::Futex(if may_expire {
                    self.enabled.insert(thread);
                    FutexOperation::Expire { word, queues }
                } else {
                    FutexOperation::Resume { word }
                }));
                After::Rests
            }
            FutexOperation::Expire { word, .. } => {
                let queue = self.queue_of(thread, Object::futex(word.0));
                self.objects.get(queue).waiters.remove(thread);
                self.end_wait_alone(thread);
                After::RunsOn
            }
        }
    }

    /// The waiters in `queue` that a wake by `thread` can wake: those whose bitset has a bit in common with the wake's.
    fn selected(&self, thread: ThreadId, queue: Object) -> ThreadSet {
        let bits = |thread: ThreadId| match self.threads[thread.index()].request.bits {
            0 => u32::MAX,
            bits => bits,
        };
        let has_common = |waiter: &ThreadId| bits(*waiter) & bits(thread) != 0;
        self.objects.peek(queue).waiters.iter().filter(has_common).collect()
    }

    /// The sets of waiters among which a wake of at most `most` waiters chooses.
    #[inline(never)]
    pub(super) fn sets_to_wake(&self, thread: ThreadId, queue: Object, most: ThreadNumber) -> Alternatives {
        Alternatives::sets_of(self.selected(thread, queue), most)
    }

    /// The waiters that a wake of at most `most` waiters wakes if it chooses the alternative `choice`.
    #[inline(never)]
    pub(super) fn set_to_wake(&self, thread: ThreadId, queue: Object, most: ThreadNumber, choice: u32) -> ThreadSet {
        let found = self.selected(thread, queue);
        if found.len() > most.into() { found.subset(most.into(), choice) } else { found }
    }

    /// Whether the word has the value that the request of `thread` expects.
    pub(super) fn is_as_expected(&self, thread: ThreadId, word: Object, world: &impl World) -> bool {
        let expected = u64::from(self.threads[thread.index()].request.expected);
        world.value(FutexOperation::bytes_of(word)) == expected
    }

    /// A thread that was woken leaves the waiters of a futex word, and can go on.
    fn leave_futex(&mut self, thread: ThreadId, queue: Object) {
        self.objects.get(queue).waiters.remove(thread);
        let slot = &mut self.threads[thread.index()];
        slot.status = Status::Arrived;
        slot.set_operation(Operation::Futex(FutexOperation::Resume { word: Object(queue.in_memory()) }));
        self.enabled.insert(thread);
    }

    /// Removes threads from the waiters of `cond`; the next operation of each is to take the mutex again.
    pub(super) fn leave_wait(
        &mut self,
        threads: ThreadSet,
        (cond, mutex, mutexes): (Object, Object, Mutexes),
    ) -> After {
        let state = self.objects.get(cond);
        state.waiters = state.waiters.minus(threads);
        for thread in threads.iter() {
            let slot = &mut self.threads[thread.index()];
            slot.status = Status::Arrived;
            slot.set_operation(Operation::Cond(CondOperation::WaitReacquire { cond, mutex, mutexes }));
            self.enabled.remove(thread);
            if self.can_take(thread) {
                self.enabled.insert(thread);
            }
        }
        After::Rests
    }
}
