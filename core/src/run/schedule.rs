//! Which thread goes next: first the steps of the plan, then a free run of the threads that are not asleep.

use super::effect::After;
use super::{MutexWatch, Next, Run, Status, World};
use crate::event::{
    Alternatives, Ending, EventIndex, FreeRun, LimitKind, MAX_THREADS, Need, PendingStatus, Step, ThreadId, ThreadSet,
    dependent,
};
use crate::sample::Moment;

/// In a [fair](FreeRun::Fair) run a thread that has taken the last `TURN` steps gives way; this is checked whenever the
/// number of events is a multiple of `TURN`. A prime number, so that a loop is interrupted at each of its operations in
/// turn.
const TURN: usize = 1021;

impl Run {
    /// Decides who goes next and, unless the run is over or a creator is merely resumed, executes its operation.
    #[inline]
    pub fn next(&mut self, world: &impl World) -> Next {
        if let Some((child, creator)) = self.starting.take() {
            debug_assert!(self.threads[child.index()].status != Status::Running, "the child has arrived or parked");
            self.current = creator;
            return Next::Resume(creator);
        }
        loop {
            if !self.parked.is_empty() {
                self.unpark_changed(world);
            }
            debug_assert!(self.live.iter().all(|t| self.threads[t.index()].status != Status::Running), "pending-known");
            let revisited = self.records_states_or_symmetry && self.note_state(world);
            let takers = if self.enabled.is_empty() { self.process_ender() } else { self.enabled };
            if takers.is_empty() {
                return self.finish(self.ending_without_takers(world), world);
            }
            if revisited {
                return self.finish(Ending::Revisited, world);
            }
            if self.trace.events.len() as u32 >= self.options.max_steps {
                return self.finish(Ending::Limit(LimitKind::Steps), world);
            }
            let (thread, choice) = match self.choose(takers) {
                Ok(taken) => taken,
                Err(ending) => return self.finish(ending, world),
            };
            match self.execute(thread, choice, takers, world) {
                After::RunsOn => return Next::Execute(thread),
                After::Rests => {}
                After::ProcessOver => return self.finish(Ending::Completed, world),
            }
        }
    }

    /// The thread that ends the process once no other thread can go on. Ends of the process depend on nothing, so if
    /// several threads are about to end it, the one with the lowest number does in every equivalent run; the others
    /// stay pending.
    fn process_ender(&self) -> ThreadSet {
        self.ending.first().map_or(ThreadSet::EMPTY, ThreadSet::only)
    }

    /// The thread and the alternative to take, or how the run ends instead.
    #[inline]
    fn choose(&mut self, takers: ThreadSet) -> Result<(ThreadId, u32), Ending> {
        let at = self.trace.events.len();
        if let Some(&step) = self.plan.steps.get(at) {
            let first = step.choice == Step::FIRST;
            let choice = if first { self.alternatives(step.thread).default_choice() } else { step.choice };
            let possible = takers.contains(step.thread) && self.is_alternative(step.thread, choice);
            if at + 1 == self.plan.steps.len() {
                self.sleep.clone_from(&self.plan.sleep);
            }
            return if possible { Ok((step.thread, choice)) } else { Err(Ending::Diverged(self.now())) };
        }
        if let FreeRun::Sampled(_) = self.plan.free_run {
            return Ok(self.sampled(takers));
        }
        if at == 0 && self.plan.steps.is_empty() {
            self.sleep.clone_from(&self.plan.sleep);
        }
        let then = if at == self.plan.steps.len() { self.plan.then } else { None };
        let otherwise = || if let FreeRun::GoesFirst(order) = self.plan.free_run { order.first(takers) } else { None };
        let awake =
            |thread: Option<ThreadId>| self.awake_alternative(thread.filter(|&thread| takers.contains(thread))?);
        let taken = awake(then)
            .or_else(|| awake(self.preferred(takers)))
            .or_else(|| awake(otherwise()))
            .or_else(|| takers.iter().find_map(|thread| self.awake_alternative(thread)));
        taken.ok_or(Ending::Blocked)
    }

    /// The thread and the alternative that are drawn in a sampled run.
    fn sampled(&mut self, takers: ThreadSet) -> (ThreadId, u32) {
        let threads = &self.threads;
        let moment = Moment {
            takers,
            live: self.live,
            current: self.current,
            events: &self.trace.events,
            operation: |thread: ThreadId| &threads[thread.index()].request.operation,
            site: &|thread: ThreadId| threads[thread.index()].request.site,
        };
        let thread = self.sampler.thread(&moment);
        (thread, self.sampler.alternative(self.alternatives(thread)))
    }

    /// The thread that the plan prefers where it prescribes no step, see [`FreeRun`].
    #[inline]
    pub(super) fn preferred(&self, takers: ThreadSet) -> Option<ThreadId> {
        match self.plan.free_run {
            FreeRun::SameThread => Some(self.current),
            FreeRun::Fair => self.fairly_next(takers),
            FreeRun::GoesFirst(order) => {
                let goes_first = |thread: ThreadId| self.threads[thread.index()].demands.goes_first;
                debug_assert!(takers.iter().all(|thread| goes_first(thread) == self.going_first.contains(thread)));
                order.first(takers.intersection(self.going_first))
            }
            FreeRun::Sampled(_) => None,
        }
    }

    /// The thread that took the last step, or, if it took the last [`TURN`] of them, the next enabled one. The events
    /// so far alone decide, so that all runs that begin with them go on in the same way.
    #[inline]
    fn fairly_next(&self, takers: ThreadSet) -> Option<ThreadId> {
        let events = &self.trace.events;
        let turn_may_end = !events.is_empty() && events.len().is_multiple_of(TURN);
        if !turn_may_end || events[events.len() - TURN..].iter().any(|event| event.thread != self.current) {
            return Some(self.current);
        }
        takers.iter().find(|thread| thread.0 > self.current.0).or(takers.first())
    }

    /// The thread with the first alternative of its operation that is not asleep. A thread has one pending operation,
    /// and a sleeper leaves the set when its thread takes a step, so thread and choice identify the sleeping operation.
    #[inline]
    fn awake_alternative(&self, thread: ThreadId) -> Option<(ThreadId, u32)> {
        let alternatives = self.alternatives(thread);
        let mut choice = alternatives.default_choice();
        while self.sleep.iter().any(|s| s.thread == thread && s.choice == choice) {
            choice = alternatives.after(choice)?;
        }
        Some((thread, choice))
    }

    fn is_alternative(&self, thread: ThreadId, choice: u32) -> bool {
        match self.alternatives(thread) {
            Alternatives::None => choice == 0,
            Alternatives::Threads(threads) => {
                (choice as usize) < MAX_THREADS && threads.contains(ThreadId::at(choice as usize))
            }
            Alternatives::Count(count) => choice < count,
        }
    }

    /// Wakes the sleepers that depend on the event just recorded.
    #[inline]
    pub(super) fn wake_sleepers(&mut self) {
        if self.sleep.is_empty() {
            return;
        }
        let event = *self.last_event();
        if self.trace.events.len() <= self.plan.steps.len() {
            // The plan's sleep set holds after its prefix, so the prefix's last step wakes nobody.
            return;
        }
        self.sleep.retain(|s| s.thread != event.thread && !dependent(&s.operation, &event.operation));
    }

    fn unpark_changed(&mut self, world: &impl World) {
        for thread in self.parked.iter() {
            let mut watched = self.watched.iter().filter(|watched| watched.thread == thread && watched.wakes);
            let changed = watched.any(|watched| world.value(watched.range) != watched.value);
            if changed || self.watched_mutex_changed(thread, world) || self.is_woken_by_plan(thread) {
                self.watched.retain(|watched| watched.thread != thread);
                let slot = &mut self.threads[thread.index()];
                slot.status = Status::Arrived;
                slot.enabled_by = self.trace.events.len().checked_sub(1).map(|i| EventIndex(i as u32));
                self.parked.remove(thread);
                if self.can_take(thread) {
                    self.enabled.insert(thread);
                }
            }
        }
    }

    /// Whether the next step of the plan is by `thread`, which is parked in a loop that polls under a mutex. A replay
    /// does not know, as the search did, that other threads try to lock the mutex: the steps decide how many iterations
    /// it makes.
    fn is_woken_by_plan(&self, thread: ThreadId) -> bool {
        let next = self.plan.steps.get(self.trace.events.len());
        next.is_some_and(|step| step.thread == thread)
            && matches!(self.threads[thread.index()].watched_mutex, Some(MutexWatch::Alive(_)))
    }

    /// Whether the last event has changed the mutex that a parked thread watches.
    fn watched_mutex_changed(&self, thread: ThreadId, world: &impl World) -> bool {
        let Some(watch) = self.threads[thread.index()].watched_mutex else { return false };
        let Some(last) = self.trace.events.last().filter(|last| last.thread != thread) else { return false };
        let names = |mutex| last.operation.objects().into_iter().flatten().any(|(object, _)| object == mutex);
        match watch {
            MutexWatch::Used(mutex) => names(mutex) && !last.operation.is_failed_lock(),
            MutexWatch::Alive(mutex) => names(mutex) && last.operation.lifecycle().is_some(),
            MutexWatch::Free(mutex) => {
                let free = || {
                    // Where others may hold it as well, or its units matter: as the thread's next operation would find
                    // it.
                    let next = self.outcome(thread, Step::FIRST, world);
                    self.objects.peek(mutex).owner.is_none() && !next.is_failed_lock()
                };
                names(mutex) && (last.operation.lifecycle().is_some() || free())
            }
            MutexWatch::Gone => true,
        }
    }

    fn ending_without_takers(&self, world: &impl World) -> Ending {
        if self.live.is_empty() {
            return Ending::Completed;
        }
        let counts_for_nothing = |thread| {
            self.failed_assumption(thread) || self.has_chosen_otherwise(thread) || world.is_interrupted(thread)
        };
        if self.live.iter().any(counts_for_nothing) {
            Ending::AssumeBlocked
        } else if self.some_spin() {
            Ending::Livelocked
        } else {
            Ending::Deadlocked
        }
    }

    fn failed_assumption(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].need() == Need::Never || self.waits_for_request(thread)
    }

    /// What a trace records of a thread that is not running when the run ends: whether it can go on, and if not, why.
    pub(super) fn pending_status(&self, thread: ThreadId, world: &impl World) -> PendingStatus {
        if self.threads[thread.index()].status == Status::Parked {
            PendingStatus::Parked
        } else if self.failed_assumption(thread) {
            PendingStatus::AssumeFailed
        } else if self.enabled.contains(thread) || self.ending.contains(thread) {
            PendingStatus::Enabled
        } else if self.has_chosen_otherwise(thread) || world.is_interrupted(thread) {
            PendingStatus::ChosenOtherwise
        } else {
            PendingStatus::Blocked
        }
    }
}
