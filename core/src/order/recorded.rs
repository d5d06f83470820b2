//! The events of one run as a partial order, and which threads could go on after each of its prefixes.
//!
//! A prefix is a set of events with everything that happens before them. It is given like a clock: by how many events
//! of each thread are in it. Some order of the run's events begins with the events of the prefix. The run shows what
//! each thread is about to do after the prefix: its next event, or the operation that was pending at the end of the
//! run. Whether the thread can do it follows from the states of the objects after the prefix.

use super::{Conflict, EventId, NO_EVENT, Path};
use crate::event::{
    Alternatives, Awaited, ChoiceKind, Event, Footprint, MAX_THREADS, Object, Operation, PendingStatus, ThreadId,
    ThreadSet, Trace,
};
use alloc::vec::Vec;

/// What is stored of an event besides its node in the path.
#[derive(Clone, Copy, Debug)]
struct Fact {
    choice: u32,
    alternatives: Alternatives,
    enabled_by: EventId,
    /// For the beginning of a wait: it can end without a signal.
    expires: bool,
    /// For the beginning of a wait: the ways in which it can end alone, if there are several.
    ends: Alternatives,
}

/// What a thread was about to do when the run ended.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    operation: Operation,
    enabled_by: EventId,
    parked: bool,
}

/// What a thread does after a prefix.
#[derive(Clone, Copy, Debug)]
struct Next {
    operation: Operation,
    /// The event; [`NO_EVENT`] if the run ended before it.
    event: EventId,
    enabled_by: EventId,
    parked: bool,
}

/// A run's events with what was pending at its end.
#[derive(Debug)]
pub struct Recorded {
    path: Path,
    facts: Vec<Fact>,
    /// By thread: its events.
    threads: Vec<Vec<EventId>>,
    /// By thread: the event that creates it.
    created: [EventId; MAX_THREADS],
    pending: [Option<Wanted>; MAX_THREADS],
    conflicts: Vec<Conflict>,
}

impl Default for Recorded {
    fn default() -> Self {
        Recorded::new()
    }
}

impl Recorded {
    /// Nothing yet.
    pub fn new() -> Self {
        Recorded {
            path: Path::new(),
            facts: Vec::new(),
            threads: Vec::new(),
            created: [NO_EVENT; MAX_THREADS],
            pending: [None; MAX_THREADS],
            conflicts: Vec::new(),
        }
    }

    /// The events in the order of the run.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which alternative an event took.
    pub fn choice(&self, event: EventId) -> u32 {
        self.facts[event as usize].choice
    }

    /// Appends the run's next event.
    pub fn append(&mut self, event: &Event) -> EventId {
        if let Some(&last) = self.path.events().last() {
            self.facts[last as usize].expires = event.enabled.contains(self.path.node(last).thread);
        }
        let enabled_by = event.enabled_by.map_or(NO_EVENT, |at| self.path.events()[at.index()]);
        let id = self.path.draft(event.thread, event.operation, event.enabled_by);
        self.path.conflicts(id, &mut self.conflicts);
        self.path.settle(id, &self.conflicts);
        self.path.push(id);
        self.facts.truncate(id as usize);
        let (choice, alternatives) = (event.choice, event.alternatives);
        self.facts.push(Fact { choice, alternatives, enabled_by, expires: false, ends: Alternatives::None });
        if self.threads.len() < self.path.stride() {
            self.threads.resize_with(self.path.stride(), Vec::new);
        }
        self.threads[event.thread.index()].push(id);
        if let Some(child) = event.operation.creates() {
            self.created[child.index()] = id;
        }
        id
    }

    /// Takes in what the run shows beside its events: the operations that were pending when it ended, and which waits
    /// may end alone in two ways.
    pub fn finish(&mut self, Trace { pending, two_ends, .. }: &Trace) {
        for begins in two_ends {
            self.facts[self.path.events()[begins.index()] as usize].ends = Alternatives::TWO_ENDS;
        }
        self.pending = [None; MAX_THREADS];
        for p in pending {
            let enabled_by = p.enabled_by.map_or(NO_EVENT, |at| self.path.events()[at.index()]);
            let parked = p.status == PendingStatus::Parked;
            self.pending[p.thread.index()] = Some(Wanted { operation: p.operation, enabled_by, parked });
        }
    }

    /// Removes the last event.
    pub fn pop(&mut self) {
        let Some(event) = self.path.pop() else { return };
        let node = self.path.node(event);
        self.threads[node.thread.index()].pop();
        if let Some(child) = node.operation.creates() {
            self.created[child.index()] = NO_EVENT;
        }
        self.path.forget(event);
    }

    /// The last event of `thread` in a prefix.
    #[inline]
    pub fn last(&self, thread: ThreadId, prefix: &[u32]) -> Option<EventId> {
        let count = prefix[thread.index()] as usize;
        count.checked_sub(1).map(|last| self.threads[thread.index()][last])
    }

    /// The first event of `thread` that is not in a prefix.
    #[inline]
    pub fn following(&self, thread: ThreadId, prefix: &[u32]) -> Option<EventId> {
        self.threads.get(thread.index())?.get(prefix[thread.index()] as usize).copied()
    }

    /// Whether an event is the next one of its thread after a prefix, and all that happens before it is in the prefix.
    #[inline]
    pub fn is_ready(&self, event: EventId, prefix: &[u32]) -> bool {
        let node = self.path.node(event);
        let own = node.thread.index();
        let clock = self.path.clock(event);
        prefix[own] + 1 == node.index && clock.iter().zip(prefix).enumerate().all(|(at, (c, p))| c <= p || at == own)
    }

    /// Whether no event of a prefix happens after the last event of `thread` in it, so that some order of the prefix
    /// has that event last.
    #[inline]
    pub fn is_last(&self, thread: ThreadId, prefix: &[u32]) -> bool {
        let own = thread.index();
        let after = |other: usize| {
            let count = prefix[other] as usize;
            other != own && count > 0 && self.path.clock(self.threads[other][count - 1])[own] == prefix[own]
        };
        prefix[own] > 0 && !(0..prefix.len()).any(after)
    }

    /// Whether a switch away from a thread that can go on after a prefix is a preemption. It is none if the thread's
    /// last operation was a wait or a yield.
    #[inline]
    pub fn insists(&self, thread: ThreadId, prefix: &[u32]) -> bool {
        !self.last(thread, prefix).is_some_and(|event| self.path.operation(event).gives_way())
    }

    fn next(&self, thread: ThreadId, prefix: &[u32]) -> Option<Next> {
        if let Some(event) = self.following(thread, prefix) {
            let enabled_by = self.facts[event as usize].enabled_by;
            return Some(Next { operation: *self.path.operation(event), event, enabled_by, parked: false });
        }
        let Wanted { operation, enabled_by, parked } = self.pending[thread.index()]?;
        Some(Next { operation, event: NO_EVENT, enabled_by, parked })
    }

    fn exists(&self, thread: ThreadId, prefix: &[u32]) -> bool {
        thread == ThreadId::MAIN || self.counts(prefix, self.created[thread.index()])
    }

    /// Whether an event is in a prefix.
    #[inline]
    fn counts(&self, prefix: &[u32], event: EventId) -> bool {
        event != NO_EVENT && self.path.counts(prefix, event)
    }

    fn all(&self) -> impl Iterator<Item = ThreadId> {
        (0..self.threads.len()).map(ThreadId::at)
    }

    /// Whether `thread` can go on after a prefix, other than by ending the process.
    fn is_able(&self, thread: ThreadId, prefix: &[u32]) -> bool {
        if !self.exists(thread, prefix) {
            return false;
        }
        let Some(next) = self.next(thread, prefix) else { return false };
        if next.event != NO_EVENT && self.is_ready(next.event, prefix) {
            return next.operation.ends_process().is_none();
        }
        if self.waits(thread, &next, prefix) {
            let began = self.last(thread, prefix).unwrap_or(NO_EVENT);
            return self.facts[began as usize].expires;
        }
        // Parked, or not yet enabled: about to join a thread that has not ended in the prefix.
        if next.parked || next.enabled_by != NO_EVENT && !self.counts(prefix, next.enabled_by) {
            return false;
        }
        self.is_available(thread, &next, prefix)
    }

    /// Whether `thread` is among the waiters of a condition variable after a prefix.
    fn waits(&self, thread: ThreadId, next: &Next, prefix: &[u32]) -> bool {
        let Some(last) = self.last(thread, prefix) else { return false };
        let began = self.path.operation(last).begins_wait().is_some();
        let woken = || next.operation.ends_wait().is_some();
        began && !(woken() && self.counts(prefix, next.enabled_by))
    }

    /// Whether the mutex, once object or end of a thread that the next operation of `thread` needs is available after a
    /// prefix that has the event which enables it.
    fn is_available(&self, thread: ThreadId, next: &Next, prefix: &[u32]) -> bool {
        match next.operation.need().awaited() {
            Awaited::Nothing => true,
            Awaited::Release(mutex) => {
                let Some(last) = self.path.last_touch(mutex, prefix) else { return true };
                // A recursive mutex shows when its holder locks it again.
                let again = || last.holder == Some(thread) && next.event != NO_EVENT && self.path.depth(next.event) > 1;
                last.depth == 0 || again()
            }
            Awaited::ReleaseByAll(rwlock) => {
                let written = self.path.last_touch(rwlock, prefix).is_some_and(|last| last.depth > 0);
                !written && !self.path.is_read_locked(rwlock, prefix)
            }
            Awaited::Change(object, _) => {
                self.path.last_touch(object, prefix).is_none_or(|last| !last.touch.keeps_waiting())
            }
            Awaited::End(_) | Awaited::Enabling(..) => next.enabled_by != NO_EVENT,
            Awaited::Never => false,
        }
    }

    /// The threads that can go on after the empty prefix, which is given.
    pub fn enabled_at_first(&self, prefix: &[u32]) -> ThreadSet {
        let main = ThreadId::MAIN;
        if self.is_able(main, prefix) { ThreadSet::only(main) } else { self.ender(prefix) }
    }

    /// The threads that can go on after a prefix whose last event is `event`, given those that can without that event
    /// (`before`).
    pub fn enabled_after(&self, before: ThreadSet, event: EventId, prefix: &[u32]) -> ThreadSet {
        let node = self.path.node(event);
        if node.operation.ends_process().is_some() {
            return ThreadSet::EMPTY;
        }
        let shared = self.path.may_block_others(event);
        let mut enabled = before;
        for thread in self.all() {
            let own = thread == node.thread;
            let concerned = || {
                let Some(next) = self.next(thread, prefix) else { return false };
                shared || next.enabled_by == event
            };
            if own || concerned() {
                enabled.remove(thread);
                if self.is_able(thread, prefix) {
                    enabled.insert(thread);
                }
            }
        }
        if enabled.is_empty() { self.ender(prefix) } else { enabled }
    }

    /// The thread that ends the process when no other thread can go on.
    fn ender(&self, prefix: &[u32]) -> ThreadSet {
        let ends = |&thread: &ThreadId| {
            let next = self.next(thread, prefix);
            self.exists(thread, prefix) && next.is_some_and(|next| next.operation.ends_process().is_some())
        };
        self.all().find(ends).map_or(ThreadSet::EMPTY, ThreadSet::only)
    }

    /// What `thread`, which can go on, could choose after a prefix.
    pub fn alternatives(&self, thread: ThreadId, prefix: &[u32]) -> Alternatives {
        let Some(next) = self.next(thread, prefix) else { return Alternatives::None };
        if self.waits(thread, &next, prefix) {
            // In the run, another thread may have ended the wait.
            return self.last(thread, prefix).map_or(Alternatives::None, |began| self.facts[began as usize].ends);
        }
        match next.operation.choice_kind() {
            ChoiceKind::Waiter(cond) => {
                let waiters = self.waiters(cond, prefix);
                if waiters.is_empty() { Alternatives::None } else { Alternatives::Threads(waiters) }
            }
            // Of bits nothing is known: the guest reports that (`ChoiceKind::SelectedWaiters`).
            ChoiceKind::Waiters(cond, most) | ChoiceKind::SelectedWaiters(cond, most) => {
                Alternatives::sets_of(self.waiters(cond, prefix), most)
            }
            // The number of values is determined by the thread alone.
            ChoiceKind::Value | ChoiceKind::WaitEnd if next.event != NO_EVENT => {
                self.facts[next.event as usize].alternatives
            }
            // Nor of this (`ChoiceKind::is_foreseen`).
            ChoiceKind::Requeued(_) | ChoiceKind::Owner(_) => Alternatives::None,
            ChoiceKind::Value | ChoiceKind::WaitEnd | ChoiceKind::None => Alternatives::None,
        }
    }

    /// One of `threads` that has executed an event and whose next operation touches nothing, needs nothing and ends no
    /// wait. None that has given way last: right then a switch to another thread is no preemption, and behind the next
    /// operation it may be one.
    pub fn keeps_to_itself(&self, threads: ThreadSet, prefix: &[u32]) -> Option<ThreadId> {
        threads.iter().find(|&thread| {
            let next = if prefix[thread.index()] > 0 { self.next(thread, prefix) } else { None };
            let Some(next) = next.filter(|_| self.insists(thread, prefix)) else { return false };
            let alone = Footprint::of(&next.operation).iter().next().is_none();
            // The end of a wait does not follow the thread's last step at once: another thread makes it possible.
            alone && next.operation.need().awaited() == Awaited::Nothing && next.operation.ends_wait().is_none()
        })
    }

    fn waiters(&self, cond: Object, prefix: &[u32]) -> ThreadSet {
        let waits = |&thread: &ThreadId| {
            let Some(last) = self.last(thread, prefix) else { return false };
            let here = self.path.operation(last).begins_wait().is_some_and(|wait| wait.cond == cond);
            here && self.next(thread, prefix).is_some_and(|next| self.waits(thread, &next, prefix))
        };
        self.all().filter(waits).collect()
    }
}
