//! Going on from the middle of an earlier run, for a driver that can bring back the program's state of that moment.

use super::{ABSENT, ObjectState, Run, Thread, Watched};
use crate::event::{EventIndex, Object, Plan, ThreadId, ThreadSet};
use alloc::vec::Vec;

/// A run at a moment at which its running thread was about to arrive. Of the lists that only grow during a run (events,
/// values, misuses, records) just the lengths are saved: the run from which [`Run::resume`] goes on has the same
/// entries up to there.
#[derive(Clone, Debug, Default)]
pub struct SavedRun {
    threads: Vec<Thread>,
    live: ThreadSet,
    enabled: ThreadSet,
    ending: ThreadSet,
    parked: ThreadSet,
    going_first: ThreadSet,
    watched: Vec<Watched>,
    current: ThreadId,
    starting: Option<(ThreadId, ThreadId)>,
    objects: Vec<(Object, ObjectState)>,
    woken: Vec<(ThreadId, EventIndex)>,
    moved_joined: bool,
    events: usize,
    values: usize,
    misuses: usize,
    records: usize,
}

impl SavedRun {
    /// How many events the run had.
    pub fn events(&self) -> usize {
        self.events
    }
}

impl Run {
    /// Saves the run as it is; its running thread is about to arrive. The memory of `saved` is used again.
    pub fn save(&self, saved: &mut SavedRun) {
        saved.threads.clear();
        saved.threads.extend_from_slice(&self.threads[..self.paths.len()]);
        (saved.live, saved.enabled, saved.ending) = (self.live, self.enabled, self.ending);
        (saved.parked, saved.current, saved.starting) = (self.parked, self.current, self.starting);
        saved.going_first = self.going_first;
        saved.watched.clone_from(&self.watched);
        saved.objects.clear();
        saved.objects.extend(self.objects.iter().map(|(object, state)| (object, *state)));
        saved.woken.clone_from(&self.woken);
        saved.moved_joined = self.moved_joined;
        saved.events = self.trace.events.len();
        saved.values = self.trace.values.len();
        saved.misuses = self.misuses.len();
        saved.records = self.trace.records.len();
    }

    /// Goes on from `saved` along `plan`, instead of [`begin`](Self::begin) and the steps up to there.
    ///
    /// The present run passed through the saved moment, and `plan` prescribes all its steps up to there and at least
    /// one more.
    pub fn resume(&mut self, saved: &SavedRun, plan: &Plan) {
        debug_assert!(saved.events < plan.steps.len() && saved.events <= self.trace.events.len());
        let known = saved.threads.len();
        self.threads[..known].copy_from_slice(&saved.threads);
        self.threads[known..self.paths.len()].fill(ABSENT);
        (self.live, self.enabled, self.ending) = (saved.live, saved.enabled, saved.ending);
        (self.parked, self.current, self.starting) = (saved.parked, saved.current, saved.starting);
        self.going_first = saved.going_first;
        self.watched.clone_from(&saved.watched);
        self.objects.clear();
        for &(object, state) in &saved.objects {
            *self.objects.get(object) = state;
        }
        self.woken.clone_from(&saved.woken);
        self.moved_joined = saved.moved_joined;
        self.keep_states(plan);
        self.follow(plan);
        // Nobody sleeps before the end of a plan's prefix.
        self.sleep.clear();
        self.trace.events.truncate(saved.events);
        self.trace.values.truncate(saved.values);
        // There is one state for each event before; the state of this moment is not recorded yet.
        self.trace.states.truncate(saved.events);
        self.trace.keys.clear();
        // Symmetric threads are recorded beyond the prefix only.
        self.trace.symmetric.clear();
        self.trace.records.truncate(saved.records);
        self.trace.two_ends.retain(|begins| begins.index() < saved.events);
        self.trace.pending.clear();
        self.misuses.truncate(saved.misuses);
    }
}
