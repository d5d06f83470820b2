//! Records which threads are symmetric in a state, for searches with symmetry.
//!
//! Two threads are symmetric if exchanging their names, and the addresses of their own memory (stack, thread-local
//! storage), maps the state to itself. What follows a step of one of them is then what follows the same step of the
//! other, with the names exchanged.
//!
//! The comparison leaves out which thread joins which. The handle by which its creator refers to a thread is not
//! exchanged. A handle serves for a join only, and a join concerns nobody but the thread that has ended and the thread
//! that joins it. So if a thread joins two symmetric threads in a row, exchanging them changes only which of these
//! joins it waits in. Whether the joins are in a row is not known here; `explore::symmetry` finds it out from what
//! follows.
//!
//! To be on the safe side, these threads are never recorded as symmetric: threads that have created others, that hold a
//! mutex or run a once initialiser, or whose next operation names a thread; and no thread at all once the program has
//! looked at something that distinguishes symmetric threads ([`Run::expose`]).

use super::{ObjectState, Run, Status, World};
use crate::event::{EventIndex, Footprint, Object, SymmetricThreads, ThreadId, ThreadSet};

impl Run {
    /// From now on records the symmetric threads of each state beyond the plan's prefix. To be called before the first
    /// run.
    pub fn record_symmetry(&mut self) {
        self.records_symmetry = true;
        self.records_states_or_symmetry = true;
    }

    /// The program has looked at something that distinguishes threads whose states are symmetric (which thread it is,
    /// what time it is, what a thread returned), or a thread has touched another thread's own memory. From now on no
    /// threads are recorded as symmetric.
    pub fn expose(&mut self) {
        self.trace.exposed = self.records_symmetry;
    }

    /// Records the symmetric threads of the present state, if the state lies beyond the plan's prefix and nothing was
    /// exposed.
    pub(super) fn note_symmetric_threads(&mut self, world: &impl World) {
        let at = self.now();
        if self.reaches_elsewhere(world) {
            self.expose();
        }
        if at.index() < self.plan.steps.len() || self.trace.exposed {
            return;
        }
        let waiting = self.live.iter().filter(|thread| self.threads[thread.index()].status == Status::Waiting);
        let mut named = None;
        let mut left = self.enabled.union(waiting.collect());
        while let Some(first) = left.first() {
            left.remove(first);
            let mut threads = ThreadSet::only(first);
            for other in left.iter() {
                if !self.stand_alike(first, other) {
                    continue;
                }
                let named: ThreadSet = *named.get_or_insert_with(|| self.named(world));
                if !named.contains(first) && !named.contains(other) && world.symmetric(first, other) {
                    threads.insert(other);
                }
            }
            if threads.len() > 1 {
                left = left.minus(threads);
                self.trace.symmetric.push(SymmetricThreads { at, threads });
            }
        }
    }

    /// Whether the last event touched another thread's own memory. That thread may access the same bytes invisibly, so
    /// a race may show in the clocks only.
    fn reaches_elsewhere(&self, world: &impl World) -> bool {
        let Some(event) = self.trace.events.last() else { return false };
        let is_other = |address: u64| world.owner(address).is_some_and(|owner| owner != event.thread);
        Footprint::of(&event.operation).iter().any(|(range, _)| is_other(Object(range.start).in_memory()))
    }

    /// The threads whose own memory is referred to: by an address stored elsewhere, by a synchronisation object that
    /// lies in it, or by a pending operation or a watched location that touches it.
    fn named(&self, world: &impl World) -> ThreadSet {
        let mut named = world.named(self.live);
        let mut note = |address: u64| {
            if let Some(owner) = world.owner(Object(address).in_memory()) {
                named.insert(owner);
            }
        };
        self.objects.iter().for_each(|(object, _)| note(object.0));
        for thread in self.live.iter() {
            let slot = &self.threads[thread.index()];
            Footprint::of(&slot.request.operation).iter().for_each(|(range, _)| note(range.start));
        }
        self.watched.iter().for_each(|watched| note(watched.range.start));
        named
    }

    /// Whether the scheduler's part of the state is the same with the two threads exchanged.
    fn stand_alike(&self, a: ThreadId, b: ThreadId) -> bool {
        let (one, other) = (&self.threads[a.index()], &self.threads[b.index()]);
        let (here, there) = (&one.request, &other.request);
        one.status == other.status
            && here.operation == there.operation
            && (here.count, here.failure_order, here.expected) == (there.count, there.failure_order, there.expected)
            && here.bits == there.bits
            && (here.recursive, here.conditional, here.timed) == (there.recursive, there.conditional, there.timed)
            && here.cancellable == there.cancellable
            && one.requested_by == other.requested_by
            && (one.detached, one.joined) == (other.detached, other.joined)
            && one.creations + other.creations == 0
            && here.operation.names_thread().is_none()
            && self.enabled_alike(a, b)
            && !self.concerns_one_of(a, b)
    }

    /// Whether the same event enabled both, or each was enabled by its own creation.
    fn enabled_alike(&self, a: ThreadId, b: ThreadId) -> bool {
        let by = |thread: ThreadId| self.threads[thread.index()].enabled_by;
        let is_new = |thread: ThreadId| {
            let by: Option<EventIndex> = by(thread);
            by.is_some_and(|by| self.trace.events[by.index()].operation.creates() == Some(thread))
        };
        by(a) == by(b) || is_new(a) && is_new(b)
    }

    /// Whether the state of an object, or a pending operation other than a join, distinguishes the two.
    fn concerns_one_of(&self, a: ThreadId, b: ThreadId) -> bool {
        let either = |thread: ThreadId| thread == a || thread == b;
        // Without `..`: a new field of an object's state has to be considered here if it names threads.
        let objects = self.objects.iter().any(|(_, state)| {
            let ObjectState {
                owner,
                once_runner,
                waiters,
                copied_held: _,
                depth: _,
                lifecycle: _,
                once_done: _,
                once_fails: _,
                count: _,
                offer: _,
                arrived,
                readers,
            } = state;
            readers.of(a) != readers.of(b)
                || arrived.contains(a) != arrived.contains(b)
                || owner.is_some_and(either)
                || once_runner.is_some_and(either)
                || waiters.contains(a) != waiters.contains(b)
        });
        let request = |thread: ThreadId| &self.threads[thread.index()].request.operation;
        let detaches = |thread: ThreadId| request(thread).detaches().is_some_and(either);
        objects || self.live.iter().any(detaches)
    }
}
