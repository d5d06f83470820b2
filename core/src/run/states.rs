//! Compares states, for searches that end a run at a state that was visited before.
//!
//! A state is all that can decide about what follows: what the scheduler knows (threads, what each is about to do,
//! synchronisation objects) and the driver's hash of the program's memory ([`World::fingerprint`]). It is stored as a
//! hash of 128 bits: the probability that any two different ones of n states are taken for equal is below n² / 2^128
//! (for ten million states 3 * 10^-25).

use super::objects::ObjectState;
use super::{Run, StateKey, StateTable, Status, Thread, World};
use crate::event::{
    Alternatives, Event, Footprint, HoldChange, LifecycleChange, MAX_THREADS, Object, Plan, StateNumber, ThreadId,
    ThreadSet,
};
use crate::hash::Hasher128;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use hashbrown::HashTable;

/// Whether at most one step is possible: at most one thread is enabled, and it has no alternatives.
fn is_one(enabled: ThreadSet, alternatives: Alternatives) -> bool {
    enabled.len() <= 1 && alternatives == Alternatives::None
}

/// What happens at a state that was visited before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matching {
    /// The run ends there.
    Cut,
    /// The run goes on, and the state gets a new number, as if it were another one. So a search makes the same runs as
    /// if states were not compared, which tests need.
    Never,
}

/// The most bytes that a stored state takes, here and in the search, its summary not counted: the key, two slots of the
/// table while it grows, and what the search stores by state number.
const BYTES: u64 = 16 + 2 * 10 + 8;

/// The states of a search, with numbers in the order of their discovery.
#[derive(Debug)]
pub struct States {
    numbers: HashTable<u32>,
    keys: Vec<StateKey>,
    matching: Matching,
    most: usize,
    /// Not all states are compared, only those that are [worth it](Run::worth_recording).
    sparse: bool,
    /// Of the present run all states with a choice are compared: its plan leaves an earlier run at a state in which a
    /// free run [begins alone](Run::begins_alone).
    every: bool,
    /// The last result of [`Run::stretch`], after the number of events of the present run that it is for (0: none).
    stretch: (usize, u32),
    /// The states that the present run shares with the last one, whose plan begins alike: they need not be hashed
    /// again.
    path: Vec<StateNumber>,
    /// How many states there were before the present run.
    before: usize,
    origins: Origins,
    threads: Threads,
    unkept: u64,
    /// The states that this search and others have explored, if it shares them.
    table: Option<StateTable>,
}

/// The hashes of the threads in the state that was hashed last.
#[derive(Debug, Default)]
struct Threads {
    keys: Vec<StateKey>,
    sum: StateKey,
    /// How many events there were before that state; 0 if no state of this run was hashed.
    events: usize,
    /// The threads that were parked in that state.
    parked: ThreadSet,
}

impl Threads {
    #[inline]
    fn set(&mut self, thread: ThreadId, key: StateKey) {
        let stored = &mut self.keys[thread.index()];
        self.sum = self.sum.wrapping_sub(*stored).wrapping_add(key);
        *stored = key;
    }

    /// The threads whose hash may have changed since that state, given all events of the run: those that executed an
    /// event, that an event woke or named, or that are or were parked.
    fn changed(&self, events: &[Event], parked: ThreadSet) -> ThreadSet {
        events[self.events..].iter().fold(self.parked.union(parked), |set, event| {
            let mut set = set.union(event.operation.woken());
            set.insert(event.thread);
            set.union(event.operation.names_thread().into_iter().collect())
        })
    }
}

/// Where the present run has created threads and initialised objects. These places are part of the state, because the
/// findings at the end of a run (a thread that was not joined, an object that was not destroyed) name them.
#[derive(Debug, Default)]
struct Origins {
    /// The objects that were initialised and not destroyed, each with a hash of its initialisation and the site of
    /// that.
    open: Vec<(Object, StateKey)>,
    /// The sum of such hashes, of operation and site, of all creations of threads.
    threads: StateKey,
    /// How many events are taken into account.
    seen: usize,
    /// How many events there were when one of them last changed anything here.
    changed: usize,
}

impl Origins {
    /// A run begins that has the first `shared` events of the last one.
    fn begin(&mut self, shared: usize) {
        if shared < self.changed {
            self.open.clear();
            (self.threads, self.seen, self.changed) = (0, 0, 0);
        }
        self.seen = self.seen.min(shared);
    }

    fn take_in(&mut self, events: &[Event]) {
        let key = |event: &Event| {
            let mut hasher = Hasher128::default();
            (event.operation, event.site).hash(&mut hasher);
            hasher.key()
        };
        for (at, event) in events.iter().enumerate().skip(self.seen) {
            let creates = event.operation.creates().is_some();
            if creates {
                self.threads = self.threads.wrapping_add(key(event));
            }
            let change = event.operation.lifecycle();
            match change {
                Some(LifecycleChange::Begins(object, _)) => {
                    self.open.retain(|(other, _)| *other != object);
                    self.open.push((object, key(event)));
                }
                Some(LifecycleChange::Ends(object, _)) => self.open.retain(|(other, _)| *other != object),
                None => {}
            }
            if creates || change.is_some() {
                self.changed = at + 1;
            }
        }
        self.seen = events.len();
    }

    /// Whether these are the origins after `events`.
    fn are_of(&self, events: &[Event]) -> bool {
        let mut anew = Origins::default();
        anew.take_in(events);
        (&anew.open, anew.threads) == (&self.open, self.threads)
    }

    fn key(&self) -> StateKey {
        self.open.iter().fold(self.threads, |sum, (_, key)| sum.wrapping_add(*key))
    }
}

impl States {
    /// No states yet; at most `most` of them are stored, and further ones are [`StateNumber::UNKNOWN`].
    pub fn new(matching: Matching, most: usize) -> Self {
        let most = most.min(u32::MAX as usize - 1);
        States {
            numbers: HashTable::new(),
            keys: Vec::new(),
            matching,
            most,
            sparse: false,
            every: false,
            stretch: (0, 0),
            path: Vec::new(),
            before: 0,
            origins: Origins::default(),
            threads: Threads::default(),
            unkept: 0,
            table: None,
        }
    }

    /// No states yet; as many are stored as fit into half of `bytes`, and the other half is left to the summaries.
    ///
    /// A state in which only one thread can go on is not compared: if it was visited before, so was the next state in
    /// which several can, and the run ends there. After many such states in a row some are compared all the same, as a
    /// single thread can go on without an end.
    pub fn within(bytes: u64) -> Self {
        let most = usize::try_from(bytes / 2 / BYTES).unwrap_or(usize::MAX).max(1);
        States { sparse: true, ..States::new(Matching::Cut, most) }
    }

    /// The same states, of a search that shares with others what it has explored: its runs also end at a state that is
    /// in the table.
    pub fn sharing(self, table: Option<StateTable>) -> Self {
        States { table, ..self }
    }

    /// The table that is shared with other searches.
    pub(super) fn table(&self) -> Option<&StateTable> {
        self.table.as_ref()
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether there is no room for further states.
    pub fn is_full(&self) -> bool {
        self.keys.len() >= self.most
    }

    /// How many times there was no room for a state.
    pub fn unkept(&self) -> u64 {
        self.unkept
    }

    /// The hash of a state that was stored.
    pub fn key(&self, number: StateNumber) -> Option<StateKey> {
        self.keys.get(number.0 as usize).copied()
    }

    /// Forgets the states that the present run was the first to reach.
    fn forget_run(&mut self) {
        while self.keys.len() > self.before {
            let number = self.keys.len() as u32 - 1;
            let key = self.keys.pop().unwrap_or_default();
            if let Ok(entry) = self.numbers.find_entry(key as u64, |&other| other == number) {
                entry.remove();
            }
        }
    }

    /// The number of a state, and whether it is new: neither this search nor another one knows it.
    fn number(&mut self, key: StateKey) -> (StateNumber, bool) {
        let (number, new) = self.own_number(key);
        let shared = || self.table.is_some_and(|table| table.find(key).is_some());
        (number, new && (self.matching == Matching::Never || !shared()))
    }

    fn own_number(&mut self, key: StateKey) -> (StateNumber, bool) {
        let keys = &self.keys;
        if self.matching == Matching::Cut
            && let Some(&number) = self.numbers.find(key as u64, |&number| keys[number as usize] == key)
        {
            return (StateNumber(number), false);
        }
        if self.is_full() {
            self.unkept += 1;
            return (StateNumber::UNKNOWN, true);
        }
        let number = self.keys.len() as u32;
        self.keys.push(key);
        if self.matching == Matching::Cut {
            let keys = &self.keys;
            self.numbers.insert_unique(key as u64, number, |&number| keys[number as usize] as u64);
        }
        (StateNumber(number), true)
    }
}

impl Run {
    /// Records and compares states from now on. To be called before the first run of a search. What a run does after
    /// its prefix must not depend on how it got there, so all plans have the free run
    /// [`FreeRun::GoesFirst`](crate::event::FreeRun::GoesFirst).
    pub fn record_states(&mut self, states: States) {
        self.states = Some(states);
        self.records_states_or_symmetry = true;
    }

    /// Forgets the states that the present run was the first to reach, as that run is to be made once more.
    pub fn forget_states(&mut self) {
        self.states.iter_mut().for_each(States::forget_run);
    }

    /// The states of all runs so far, if states are recorded.
    pub fn states(&self) -> Option<&States> {
        self.states.as_ref()
    }

    /// Keeps the states of the last run that a run along `plan` goes through again. To be called before the events of
    /// the last run are removed.
    pub(super) fn keep_states(&mut self, plan: &Plan) {
        let Some(states) = &mut self.states else { return };
        let steps = plan.steps.iter().zip(&self.trace.events);
        let shared =
            steps.take_while(|(step, event)| step.thread == event.thread && step.choice == event.choice).count();
        states.before = states.keys.len();
        states.origins.begin(shared);
        states.threads.events = 0;
        states.stretch = (0, 0);
        states.path.clear();
        states.path.extend(self.trace.states.iter().take(shared + 1));
    }

    /// Records the present state, its symmetric threads or both in the trace. Returns whether the run is to end here,
    /// because the state was visited before.
    #[inline]
    #[cold]
    pub(super) fn note_state(&mut self, world: &impl World) -> bool {
        if self.records_symmetry {
            self.note_symmetric_threads(world);
        }
        self.states.is_some() && self.record_state(world)
    }

    fn record_state(&mut self, world: &impl World) -> bool {
        let at = self.trace.events.len();
        if at + 1 == self.plan.steps.len() {
            let every = self.begins_alone();
            self.states.iter_mut().for_each(|states| states.every = every);
        }
        let known = self.states.as_ref().and_then(|states| states.path.get(at).copied());
        if let Some(number) = known.filter(|_| at < self.plan.steps.len()) {
            self.trace.states.push(number);
            return false;
        }
        let sparse = self.states.as_ref().is_some_and(|states| states.sparse);
        let skipped = sparse && !self.worth_recording();
        if let Some(states) = self.states.as_mut().filter(|_| !skipped) {
            states.origins.take_in(&self.trace.events);
            debug_assert!(states.origins.are_of(&self.trace.events), "origins-of-events");
        }
        let key = if skipped { None } else { self.state_key(world) };
        let Some(states) = &mut self.states else { return false };
        let (number, new) = key.map_or((StateNumber::UNKNOWN, true), |key| states.number(key));
        self.trace.states.push(number);
        if states.table.is_some() {
            self.trace.keys.extend(key.map(|key| (at as u32, key)));
        }
        at >= self.plan.steps.len() && !new
    }

    /// Whether the present state is compared with stored ones. It is not if at most one step is possible, or if the
    /// step that the free run prefers is [independent](Self::begins_alone) of all other enabled ones: the state after
    /// it is compared instead.
    ///
    /// There are two exceptions. If the plan branches off at a state whose preferred step is independent of the others,
    /// all states with several possible steps are compared, since there the search tries more than races require. And a
    /// loop without end may consist of states that are not compared, so states are compared for some time after `LONG`
    /// such steps in a row, and again whenever there are 32 times as many.
    fn worth_recording(&mut self) -> bool {
        const LONG: u32 = 32;
        let one = self.enabled.len() <= 1
            && self.enabled.first().is_none_or(|thread| is_one(self.enabled, self.alternatives(thread)));
        let every = self.states.as_ref().is_some_and(|states| states.every);
        if !one && (every || !self.begins_alone()) {
            return true;
        }
        if self.trace.events.len() < LONG as usize {
            return false;
        }
        let stretch = self.stretch();
        stretch >= LONG && (stretch / LONG).ilog2().is_multiple_of(5)
    }

    /// How many events in a row, up to the present state, either were the only possible step or [go
    /// first](crate::event::Operation::goes_first).
    fn stretch(&mut self) -> u32 {
        let alone = |event: &Event| event.operation.goes_first() || is_one(event.enabled, event.alternatives);
        let events = &self.trace.events;
        let Some(states) = &mut self.states else { return 0 };
        let (at, before) = states.stretch;
        let counted = if at + 1 == events.len() && at > 0 {
            if events.last().is_some_and(alone) { before + 1 } else { 0 }
        } else {
            events.iter().rev().take_while(|event| alone(event)).count() as u32
        };
        states.stretch = (events.len(), counted);
        counted
    }

    /// Whether the operation that a free run prefers here is independent of the pending operations of all other enabled
    /// threads.
    fn begins_alone(&self) -> bool {
        let footprint = |thread: ThreadId| Footprint::of(&self.threads[thread.index()].request.operation);
        let Some(first) = self.preferred(self.enabled) else { return false };
        let others = self.enabled.minus(ThreadSet::only(first));
        let touched = footprint(first);
        others.iter().all(|other| !touched.conflicts(footprint(other)))
    }

    /// The hash of the present state; `None` if the driver cannot hash the program's memory.
    fn state_key(&mut self, world: &impl World) -> Option<StateKey> {
        let memory = world.fingerprint(self.live)?;
        let threads = self.threads_key();
        // A sum, as the objects are in the order of their first use, which is no part of the state.
        let objects = self.objects.iter().filter(|(_, state)| **state != ObjectState::default());
        let objects = objects.fold(0, |all: u128, (object, state)| {
            let mut one = Hasher128::default();
            (object, state).hash(&mut one);
            all.wrapping_add(one.key())
        });
        let mut hasher = Hasher128::default();
        hasher.write_u128(threads);
        hasher.write_u128(objects);
        hasher.write_u128(self.states.as_ref().map_or(0, |states| states.origins.key()));
        hasher.write_u128(memory);
        hasher.write_u128(world.unsettled(self));
        Some(hasher.key())
    }

    /// The sum of the hashes of the threads. Only threads that may have changed are hashed again.
    fn threads_key(&mut self) -> StateKey {
        let all: ThreadSet = (0..self.paths.len()).map(ThreadId::at).collect();
        let Some(States { threads: hashed, .. }) = &mut self.states else { return 0 };
        let changed = if hashed.events == 0 { all } else { hashed.changed(&self.trace.events, self.parked) };
        if hashed.events == 0 {
            hashed.keys.clear();
            hashed.sum = 0;
        }
        hashed.keys.resize(self.paths.len(), 0);
        (hashed.events, hashed.parked) = (self.trace.events.len(), self.parked);
        for thread in changed.iter() {
            let key = self.thread_key(thread);
            self.states.iter_mut().for_each(|states| states.threads.set(thread, key));
        }
        let hashed = self.states.as_ref().map(|states| &states.threads);
        debug_assert!(
            hashed
                .is_some_and(|hashed| all.iter().all(|thread| hashed.keys[thread.index()] == self.thread_key(thread))),
            "thread-hashes"
        );
        hashed.map_or(0, |hashed| hashed.sum)
    }

    /// The hash of a thread; 0 if there is no such thread.
    fn thread_key(&self, thread: ThreadId) -> StateKey {
        let slot = &self.threads[thread.index()];
        if slot.status == Status::Absent {
            return 0;
        }
        let mut one = Hasher128::default();
        slot.hash_into(thread, &mut one);
        if slot.status == Status::Parked {
            slot.watched_mutex.hash(&mut one);
            self.watched.iter().filter(|watched| watched.thread == thread).for_each(|watched| watched.hash(&mut one));
        }
        if slot.request.operation.signals().is_some() {
            self.unlocked_last(thread).hash(&mut one);
        }
        one.key()
    }

    /// The mutex that the thread released by its last operation. Whether a signal counts as unordered communication
    /// depends on it ([`unordered_communication`](crate::detect::unordered_communication)).
    fn unlocked_last(&self, thread: ThreadId) -> Option<Object> {
        let last = self.trace.events.iter().rev().find(|event| event.thread == thread)?;
        match last.operation.hold() {
            Some((mutex, HoldChange::Gives)) => Some(mutex),
            Some((_, HoldChange::Takes | HoldChange::Clears)) | None => None,
        }
    }
}

impl Thread {
    /// Hashes what decides about the thread's future. The event that enabled its operation is not hashed, except
    /// whether the thread has received the signal that it waited for. The threads that it knows to have ended are
    /// hashed: its operations happen after the ends of these whatever path leads here, and the search relies on that.
    fn hash_into(&self, thread: ThreadId, hasher: &mut Hasher128) {
        let request = &self.request;
        let ended = self.status == Status::Ended;
        let signalled = request.operation.ends_wait().is_some() && self.enabled_by.is_some();
        let counts = request.count != 0;
        let asked = [request.recursive, request.conditional, request.timed, signalled, counts, request.cancellable];
        let asked = asked.into_iter().fold(0, |bits, bit| bits << 1 | u64::from(bit && !ended));
        let always = [self.detached, self.joined, !self.over.is_empty(), self.requested_by.is_some()];
        let bits = always.into_iter().fold(asked, |bits, bit| bits << 1 | u64::from(bit));
        // All in one word, which has room for the operation's kind as well.
        let bits = bits | u64::from(self.status as u8) << 10 | (thread.index() as u64) << 14;
        let width = 14 + MAX_THREADS.trailing_zeros();
        hasher.bits(bits | u64::from(self.creations) << width, width + 32);
        if !self.over.is_empty() {
            self.over.hash(hasher);
        }
        if ended {
            return;
        }
        request.operation.hash(hasher);
        hasher.write_u64(request.site.0);
        if request.count != 0 {
            request.count.hash(hasher);
        }
        if (request.expected, request.bits) != (0, 0) {
            (request.expected, request.bits).hash(hasher);
        }
    }
}
