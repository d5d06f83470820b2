//! Telling which threads are alike in a state, for searches that exchange them.
//!
//! Two threads are alike if exchanging their names, and the addresses of what is their own, maps the state to itself.
//! What follows the step of one of them is then what follows the step of the other with the names exchanged.
//!
//! One thing is left out: who waits for the end of which of them. The handle of a thread that its creator keeps names the
//! thread, and is not exchanged. It is good for a join only; a join concerns nobody but the thread it ends and the one that
//! makes it, so what can differ is which of several joins in a row its maker stands in. That they are in a row is not known
//! here but seen in what follows (`explore::symmetry`).
//!
//! Kept out as well, to stay on the safe side: threads that have created others, that hold a mutex or run a once
//! initialiser, or whose next operation concerns a thread; and once the program has looked at what tells threads apart
//! ([`Run::expose`]), all.

use super::{Run, Status, World};
use crate::event::{EventIndex, Footprint, SymmetricThreads, ThreadId, ThreadSet};

impl Run {
    /// Tells from now on who is alike, in each state beyond the plan's prefix. Before the first run.
    pub fn record_symmetry(&mut self) {
        self.records_symmetry = true;
        self.records_states_or_symmetry = true;
    }

    /// The program has looked at something that can tell threads apart which are alike by their state: who a thread is,
    /// what time it is, what a thread returned. From now on, nobody is told to be alike.
    pub fn expose(&mut self) {
        self.trace.exposed = self.records_symmetry;
    }

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

    /// Whether the last event touched what is another thread's own. What that thread does with it is not always an
    /// operation, so a race may show in the clocks only.
    fn reaches_elsewhere(&self, world: &impl World) -> bool {
        let Some(event) = self.trace.events.last() else { return false };
        let is_other = |address: u64| world.owner(address).is_some_and(|owner| owner != event.thread);
        Footprint::of(&event.operation).iter().any(|(range, _)| is_other(range.start))
    }

    /// The threads that are named somewhere: in the program's memory, or by an object or an operation in what is their own.
    fn named(&self, world: &impl World) -> ThreadSet {
        let mut named = world.named(self.live);
        let mut note = |address: u64| {
            if let Some(owner) = world.owner(address) {
                named.insert(owner);
            }
        };
        self.objects.iter().for_each(|(object, _)| note(object.0));
        for thread in self.live.iter() {
            let slot = &self.threads[thread.index()];
            Footprint::of(&slot.request.operation).iter().for_each(|(range, _)| note(range.start));
            slot.watch[..slot.watch_count as usize].iter().for_each(|(range, _)| note(range.start));
        }
        named
    }

    /// Whether the scheduler's part of the state is the same with the two threads exchanged.
    fn stand_alike(&self, a: ThreadId, b: ThreadId) -> bool {
        let (one, other) = (&self.threads[a.index()], &self.threads[b.index()]);
        let (here, there) = (&one.request, &other.request);
        one.status == other.status
            && here.operation == there.operation
            && (here.count, here.failure_order) == (there.count, there.failure_order)
            && (here.recursive, here.conditional, here.timed) == (there.recursive, there.conditional, there.timed)
            && (one.detached, one.joined) == (other.detached, other.joined)
            && one.creations + other.creations == 0
            && here.operation.names_thread().is_none()
            && self.enabled_alike(a, b)
            && !self.concerns_one_of(a, b)
    }

    /// Whether both became able to go on by the same event, or each by its creation.
    fn enabled_alike(&self, a: ThreadId, b: ThreadId) -> bool {
        let by = |thread: ThreadId| self.threads[thread.index()].enabled_by;
        let is_new = |thread: ThreadId| {
            let by: Option<EventIndex> = by(thread);
            by.is_some_and(|by| self.trace.events[by.index()].operation.creates() == Some(thread))
        };
        by(a) == by(b) || is_new(a) && is_new(b)
    }

    /// Whether an object or a thread's next operation tells the two apart, other than by a join.
    fn concerns_one_of(&self, a: ThreadId, b: ThreadId) -> bool {
        let either = |thread: ThreadId| thread == a || thread == b;
        let objects = self.objects.iter().any(|(_, state)| {
            state.owner.is_some_and(either)
                || state.once_runner.is_some_and(either)
                || state.waiters.contains(a) != state.waiters.contains(b)
        });
        let request = |thread: ThreadId| &self.threads[thread.index()].request.operation;
        let detaches = |thread: ThreadId| request(thread).detaches().is_some_and(either);
        objects || self.live.iter().any(detaches)
    }
}
