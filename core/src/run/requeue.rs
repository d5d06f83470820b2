//! Waiters that are moved from one futex word to another.

use super::{ObjectState, Request, Run, World};
use crate::event::{Alternatives, MAX_THREADS, Object, Operation, Requeued, ThreadId, ThreadSet};

/// How many waiters a requeue is to wake and to move at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Requeue {
    /// Whether one is to be woken.
    pub wakes: bool,
    /// How many are to be moved at most; [`MAX_THREADS`] for all.
    pub moves: u8,
}

impl Request {
    /// This request with what a requeue is to wake and to move, and with the value `expected` without which a comparing
    /// requeue does nothing. Both are kept in fields that a requeue does not use otherwise.
    pub fn with_requeue(mut self, Requeue { wakes, moves }: Requeue, expected: u32) -> Self {
        (self.count, self.expected) = (u32::from(moves) << 1 | u32::from(wakes), expected);
        self
    }

    fn requeue(&self) -> Requeue {
        Requeue { wakes: self.count & 1 == 1, moves: (self.count >> 1).min(MAX_THREADS as u32) as u8 }
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

    /// Who is woken by a requeue, and who is moved, if it chooses the alternative `choice`.
    fn chosen(&self, thread: ThreadId, queue: Object, choice: u32) -> (Option<ThreadId>, ThreadSet) {
        let (waiters, woken, moved) = self.shares(thread, queue);
        let sets = waiters.subsets(woken).max(1);
        let woken = waiters.subset(woken, choice % sets);
        (woken.first(), waiters.minus(woken).subset(moved, choice / sets))
    }

    /// The outcome of the requeue that `thread` is about to do, if it chooses the alternative `choice`.
    #[inline(never)]
    pub(super) fn outcome_of_requeue(
        &self,
        thread: ThreadId,
        (word, to): (Object, Requeued),
        compares: bool,
        choice: u32,
        world: &impl World,
    ) -> Requeued {
        if compares && !self.is_as_expected(thread, word, world) {
            return to.differing();
        }
        let (woken, moved) = self.chosen(thread, Object::futex(word.0), choice);
        to.done(woken, moved.len())
    }

    /// Wakes and moves waiters of a word, as the last recorded event says.
    pub(super) fn requeue(&mut self, thread: ThreadId, word: Object, to: Requeued, world: &impl World) {
        if to.found().is_none() {
            return;
        }
        let choice = self.trace.events.last().map_or(0, |event| event.choice);
        let from = Object::futex(word.0);
        let (_, moved) = self.chosen(thread, from, choice);
        self.wake_waiters(to.woken().into_iter().collect(), from, world);
        let left = self.objects.get(from);
        left.waiters = left.waiters.minus(moved);
        let joined = self.objects.get(Object::futex(to.word().0));
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
