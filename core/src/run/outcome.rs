//! The outcomes of operations: what a pending operation would find and do if it were taken in the present state.
//!
//! Nothing is changed here; `effect` applies an outcome once the operation is taken.

use super::{ObjectState, Run, Thread, World};
use crate::event::{
    CondOperation, FutexOperation, MemoryOperation, MutexOperation, Object, OnceOperation, Operation, Ownership,
    ThreadId,
};

impl Run {
    /// The thread's operation with the outcome it would have if taken now with this choice.
    #[inline]
    pub(super) fn outcome(&self, thread: ThreadId, choice: u32, world: &impl World) -> Operation {
        let Thread { request, demands, .. } = &self.threads[thread.index()];
        if !demands.has_outcome {
            debug_assert_eq!(self.filled_in(thread, choice, world), request.operation, "outcome-of-request");
            return request.operation;
        }
        self.filled_in(thread, choice, world)
    }

    /// [`outcome`](Self::outcome) without the short way for operations that have only one.
    #[inline(never)]
    fn filled_in(&self, thread: ThreadId, choice: u32, world: &impl World) -> Operation {
        let operation = self.threads[thread.index()].request.operation;
        let outcome = match operation {
            Operation::Memory(operation) => self.outcome_of_access(thread, operation, world).map(Operation::from),
            Operation::Mutex(operation) => self.outcome_at_mutex(thread, operation).map(Operation::from),
            Operation::Cond(operation) => self.outcome_at_cond(thread, operation, choice, world).map(Operation::from),
            Operation::Once(operation) => self.outcome_at_once(operation).map(Operation::from),
            Operation::Futex(operation) => self.outcome_at_futex(thread, operation, choice, world).map(Operation::from),
            Operation::Semaphore(operation) => self.outcome_at_semaphore(operation).map(Operation::from),
            Operation::Rwlock(operation) => self.outcome_at_rwlock(thread, operation).map(Operation::from),
            Operation::WriterFirst(operation) => Some(self.outcome_where_writers_first(thread, operation).into()),
            Operation::Barrier(operation) => self.outcome_at_barrier(operation).map(Operation::from),
            Operation::Cancel(operation) => self.outcome_at_cancellation(operation).map(Operation::from),
            Operation::Signal(operation) => self.outcome_of_signal(thread, operation, world).map(Operation::from),
            Operation::Channel(operation) => Some(self.outcome_at_channel(operation).into()),
            Operation::Descriptor(_) | Operation::Thread(_) | Operation::Control(_) => None,
        };
        outcome.unwrap_or(operation)
    }

    /// The outcome of an access; `None` if there is only one. The functions for the other groups return the same kind
    /// of result.
    #[inline]
    fn outcome_of_access(
        &self,
        thread: ThreadId,
        operation: MemoryOperation,
        world: &impl World,
    ) -> Option<MemoryOperation> {
        let request = &self.threads[thread.index()].request;
        match operation {
            MemoryOperation::AtomicUpdate { range, order, .. } => {
                let wrote = !request.conditional || world.exchange_succeeds(thread);
                let order = if wrote { order } else { request.failure_order };
                Some(MemoryOperation::AtomicUpdate { range, order, wrote })
            }
            MemoryOperation::Read(_)
            | MemoryOperation::Write(_)
            | MemoryOperation::AtomicLoad(..)
            | MemoryOperation::AtomicStore(..) => None,
        }
    }

    #[inline]
    fn outcome_at_mutex(&self, thread: ThreadId, operation: MutexOperation) -> Option<MutexOperation> {
        match operation {
            MutexOperation::TryLock { mutex, .. } => {
                let &ObjectState { owner, copied_held, .. } = self.objects.peek(mutex);
                let recursive = self.threads[thread.index()].request.recursive;
                let acquired = !copied_held && (owner.is_none() || (recursive && owner == Some(thread)));
                Some(MutexOperation::TryLock { mutex, acquired })
            }
            MutexOperation::Init(_)
            | MutexOperation::Destroy(_)
            | MutexOperation::Lock(_)
            | MutexOperation::Unlock(_) => None,
        }
    }

    #[inline]
    fn outcome_at_cond(
        &self,
        thread: ThreadId,
        operation: CondOperation,
        choice: u32,
        world: &impl World,
    ) -> Option<CondOperation> {
        match operation {
            CondOperation::Signal { cond, .. } => {
                let some = !self.objects.peek(cond).waiters.is_empty();
                Some(CondOperation::Signal { cond, woken: some.then_some(ThreadId::at(choice as usize)) })
            }
            CondOperation::Broadcast { cond, .. } => {
                Some(CondOperation::Broadcast { cond, woken: self.objects.peek(cond).waiters })
            }
            CondOperation::WakeSome { queue, most, finds, .. } => {
                let woken = self.set_to_wake(thread, queue, most, choice);
                Some(CondOperation::WakeSome { queue, woken, most, finds })
            }
            CondOperation::Requeue { words, alias } => {
                let words = self.outcome_of_requeue(thread, words, choice, world);
                Some(CondOperation::Requeue { words, alias })
            }
            CondOperation::Init(_)
            | CondOperation::Destroy(_)
            | CondOperation::WaitRelease { .. }
            | CondOperation::WaitExpire { .. }
            | CondOperation::WaitReacquire { .. } => None,
        }
    }

    #[inline]
    fn outcome_at_once(&self, operation: OnceOperation) -> Option<OnceOperation> {
        match operation {
            OnceOperation::Enter { once, .. } => {
                Some(OnceOperation::Enter { once, runs: !self.objects.peek(once).once_done })
            }
            OnceOperation::Leave(_) => None,
        }
    }

    #[inline(never)]
    fn outcome_at_futex(
        &self,
        thread: ThreadId,
        operation: FutexOperation,
        choice: u32,
        world: &impl World,
    ) -> Option<FutexOperation> {
        match operation {
            FutexOperation::Wait { word, alias, queues, .. } => {
                let queued = self.is_as_expected(thread, word, world);
                Some(FutexOperation::Wait { word, queued, alias, queues })
            }
            FutexOperation::Join { word, alias, queues, .. } => {
                let joined = self.is_as_expected(thread, word, world);
                Some(FutexOperation::Join { word, joined, alias, queues })
            }
            FutexOperation::Leave { word, owns, queues, .. } => {
                Some(FutexOperation::Leave { word, woken: self.has_left(thread, word), owns, queues })
            }
            FutexOperation::Lock { word, alias, queues, .. } => {
                Some(FutexOperation::Lock { word, found: self.ownership(thread, word, world), alias, queues })
            }
            FutexOperation::Unlock { word, alias, queues, .. } => {
                let owned = self.ownership(thread, word, world) == Ownership::Own;
                let some = owned && !self.objects.peek(Object::futex(word.0)).waiters.is_empty();
                let woken = some.then_some(ThreadId::at(choice as usize));
                Some(FutexOperation::Unlock { word, woken, owned, alias, queues })
            }
            FutexOperation::Expire { .. } | FutexOperation::Resume { .. } | FutexOperation::Rest { .. } => None,
        }
    }
}
