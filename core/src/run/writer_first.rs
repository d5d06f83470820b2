//! What operations do to read-write locks that prefer waiting writers.

use super::effect::After;
use super::{ObjectState, Run};
use crate::event::{Availability, Side, ThreadId, WriterFirstOperation, WriterFirstStep};

impl ObjectState {
    /// To whom this read-write lock, which prefers waiting writers, is available. Its `count` is how many writers wait.
    pub(super) fn availability(&self) -> Availability {
        if self.owner.is_some() || self.copied_held {
            return Availability::Nobody;
        }
        match (self.readers.holders().is_empty(), self.count == 0) {
            (true, true) => Availability::Both,
            (true, false) => Availability::Writers,
            (false, true) => Availability::Readers,
            (false, false) => Availability::Nobody,
        }
    }
}

impl Run {
    /// The operation with its outcome in the present state.
    pub(super) fn outcome_where_writers_first(
        &self,
        thread: ThreadId,
        operation: WriterFirstOperation,
    ) -> WriterFirstOperation {
        let state = self.objects.peek(operation.rwlock);
        let step = match operation.step {
            WriterFirstStep::Unlock(_) => {
                let reads = (state.readers.of(thread) > 0).then_some(Side::Reader);
                WriterFirstStep::Unlock(reads.or((state.owner == Some(thread)).then_some(Side::Writer)))
            }
            step @ (WriterFirstStep::Lock(_)
            | WriterFirstStep::TryLock(_)
            | WriterFirstStep::Announce
            | WriterFirstStep::Withdraw) => step,
        };
        WriterFirstOperation { step, found: state.availability(), ..operation }
    }

    /// Applies the effect of an operation on a read-write lock that prefers waiting writers.
    pub(super) fn apply_where_writers_first(&mut self, thread: ThreadId, operation: WriterFirstOperation) -> After {
        let WriterFirstOperation { rwlock, step, found } = operation;
        let state = self.objects.get(rwlock);
        match step {
            WriterFirstStep::TryLock(side) if !found.includes(side) => {}
            WriterFirstStep::Lock(Side::Reader) | WriterFirstStep::TryLock(Side::Reader) => state.readers.take(thread),
            WriterFirstStep::Lock(Side::Writer) => {
                state.owner = Some(thread);
                state.count = state.count.saturating_sub(1);
            }
            WriterFirstStep::TryLock(Side::Writer) => state.owner = Some(thread),
            WriterFirstStep::Announce => state.count += 1,
            WriterFirstStep::Withdraw => state.count = state.count.saturating_sub(1),
            WriterFirstStep::Unlock(side) => self.unlock_rwlock(thread, rwlock, side),
        }
        self.refresh(rwlock);
        After::RunsOn
    }
}
