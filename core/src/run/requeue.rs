//! Waiters that are moved from one futex word to another.

use super::{ObjectState, Request, Run, World};
use crate::event::{Alternatives, Object, Operation, Requeued, ThreadId, ThreadNumber, ThreadSet};

/// How many waiters a requeue is to wake and to move at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Requeue {
    /// How many are to be woken at most; [`ALL_THREADS`](crate::event::ALL_THREADS) for all.
    pub wakes: ThreadNumber,
    /// How many are to be moved at most; [`ALL_THREADS`](crate::event::ALL_THREADS) for all.
    pub moves: ThreadNumber,
}

impl Request {
    /// This request with what a requeue is to wake and to move, and with the value `expected` without which a comparing
    /// requeue does nothing. Both are kept in fields that a requeue does not use otherwise.
    pub fn with_requeue(mut self, Requeue { wakes, moves }: Requeue, expected: u32) -> Self {
        (self.count, self.expected) = (u32::from(moves) << 16 | u32::from(wakes), expected);
        self
    }

    fn requeue(&self) -> Requeue {
        Requeue { wakes: self.count as ThreadNumber, moves: (self.count >> 16) as ThreadNumber }
    }
}

impl Run {
    /// The waiters of `queue`, and how many of them the requeue that `thread` is about to do wakes and moves if the
    /// word has the expected value.
    fn shares(&self, thread: ThreadId, queue: Object) -> (ThreadSet, usize, usize) {
        let waiters = self.objects.peek(queue).waiters;
        let Requeue { wakes, moves } = self.threads[thread.index()].request.requeue();
        let woken = usize::from(wakes).min(waiters.len());
        (waiters, woken, usize::from(moves).min(waiters.len() - woken))
    }

    /// What a requeue could choose: who is woken, and which of the others are moved. It has the same alternatives if
    /// the word has another value than expected, though the choice then has no effect.
    #[inline(never)]
    pub(super) fn ways_to_requeue(&self, thread: ThreadId, queue: Object) -> Alternatives {
        let (waiters, woken, moved) = self.shares(thread, queue);
        let rest = waiters.minus(waiters.subset(woken, 0));
        let ways = waiters.subsets(woken).saturating_mul(rest.subsets(moved));
        if ways > 1 { Alternatives::Count(ways) } else { Alternatives::None }
    }

    /// Who is woken by a requeue and who is moved, by the number of the choice.
    fn chosen(&self, thread: ThreadId, queue: Object, choice: u32) -> (ThreadSet, ThreadSet) {
        let (waiters, woken, moved) = self.shares(thread, queue);
        let sets = waiters.subsets(woken).max(1);
        let woken = waiters.subset(woken, choice % sets);
        (woken, waiters.minus(woken).subset(moved, choice / sets))
    }

    /// The outcome of the requeue that `thread` is about to do, if it chooses the alternative `choice`.
    #[inline(never)]
    pub(super) fn outcome_of_requeue(
        &self,
        thread: ThreadId,
        words: Requeued,
        choice: u32,
        world: &impl World,
    ) -> Requeued {
        if words.compares() && !self.is_as_expected(thread, words.from(), world) {
            return words.differing();
        }
        let (woken, moved) = self.chosen(thread, Object::futex(words.from().0), choice);
        words.done(woken, moved.len())
    }

    /// Wakes and moves waiters of a word, as the event says that was recorded last.
    pub(super) fn requeue(&mut self, thread: ThreadId, words: Requeued, world: &impl World) {
        if !words.is_done() {
            return;
        }
        let choice = self.trace.events.last().map_or(0, |event| event.choice);
        let from = Object::futex(words.from().0);
        let (_, moved) = self.chosen(thread, from, choice);
        self.wake_waiters(words.woken(), from, world);
        self.note_moved(moved);
        let left = self.objects.get(from);
        left.waiters = left.waiters.minus(moved);
        let joined = self.objects.get(Object::futex(words.to().0));
        joined.waiters = joined.waiters.union(moved);
    }

    /// The queue in which `thread` waits. It began to wait in the queue `began`; a requeue may have moved it.
    pub(super) fn queue_of(&self, thread: ThreadId, began: Object) -> Object {
        let waits_at = |&(queue, state): &(Object, &ObjectState)| queue.is_futex() && state.waiters.contains(thread);
        if self.objects.peek(began).waiters.contains(thread) {
            return began;
        }
        self.objects.iter().find(waits_at).map_or(began, |(queue, _)| queue)
    }

    /// The operation that reports show of a thread that still waits when the run ends. If a requeue has moved the
    /// thread, it is a wait for the word to which the thread was moved.
    pub(super) fn left_waiting(&self, thread: ThreadId, operation: Operation) -> Operation {
        match operation.wait() {
            Some(wait) if wait.cond.is_futex() => {
                operation.moved_to(Object(self.queue_of(thread, wait.cond).in_memory()))
            }
            Some(_) | None => operation,
        }
    }
}
