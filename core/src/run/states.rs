//! Telling states apart, for searches that stop where they have been before.
//!
//! A state is what can decide about everything that follows: what the scheduler knows (threads, what each is about to
//! do, synchronisation objects) and what the driver says of the program's memory ([`World::fingerprint`]). It is kept as
//! a hash of 128 bits: among n states two different ones are taken for equal with a probability below n² / 2^128 (for
//! ten million states 3 * 10^-25).

use super::objects::ObjectState;
use super::schedule::goes_first;
use super::{Run, Status, Thread, World};
use crate::event::{Alternatives, Event, Object, Operation, Plan, StateNumber, ThreadId, ThreadSet, dependent};
use crate::hash::Hasher128;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use hashbrown::HashTable;

/// A state, hashed.
pub type StateKey = u128;

/// Whether only one step is possible, if any.
fn is_one(enabled: ThreadSet, alternatives: Alternatives) -> bool {
    enabled.len() <= 1 && alternatives == Alternatives::None
}

/// What becomes of a state that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matching {
    /// The run ends there.
    Cut,
    /// It gets a new number, as if it were another state: the search without states, told state by state.
    Never,
}

/// Bytes that a kept state takes at most, here and in what a search notes of it, its summary apart: the key, two slots of
/// the table while it grows, and a note.
const BYTES: u64 = 16 + 2 * 10 + 8;

/// The states of a search, with numbers in the order of their discovery.
#[derive(Debug)]
pub struct States {
    numbers: HashTable<u32>,
    keys: Vec<StateKey>,
    matching: Matching,
    most: usize,
    /// Not all states are told.
    sparse: bool,
    /// But in the present run, which leaves an earlier one where somebody goes first, all that have a choice are.
    every: bool,
    /// An event count of the present run, or 0, and how many events before it were the only ones to come next.
    stretch: (usize, u32),
    /// The states of the present run as far as its plan shares them with the run before: they need not be told again.
    path: Vec<StateNumber>,
    /// How many there were before the present run.
    before: usize,
    origins: Origins,
    threads: Threads,
    unkept: u64,
}

/// The hashes of the threads in the state told last.
#[derive(Debug, Default)]
struct Threads {
    keys: Vec<StateKey>,
    sum: StateKey,
    /// The events up to that state; 0 if none was told in this run.
    events: usize,
    /// Who was in a loop whose locations were unchanged.
    parked: ThreadSet,
}

impl Threads {
    /// Those that may not be as they were, after all events of a run: who did something, to whom something was done, and who
    /// arrived at a loop or left it.
    fn changed(&self, events: &[Event], parked: ThreadSet) -> ThreadSet {
        events[self.events..].iter().fold(self.parked.union(parked), |set, event| {
            let mut set = set.union(event.operation.woken());
            set.insert(event.thread);
            if let Operation::Create(other) | Operation::Join(other) | Operation::Detach(other) = event.operation {
                set.insert(other);
            }
            set
        })
    }
}

/// Where the present run has created threads and initialised objects: a thread that nobody joins and an object that
/// nobody destroys are told by where they come from, when the run is over.
#[derive(Debug, Default)]
struct Origins {
    /// Each with a hash of its operation and place.
    open: Vec<(Object, StateKey)>,
    /// Sum over the threads.
    threads: StateKey,
    /// Events taken into account.
    seen: usize,
}

impl Origins {
    fn begin(&mut self) {
        self.open.clear();
        (self.threads, self.seen) = (0, 0);
    }

    fn take_in(&mut self, events: &[Event]) {
        let key = |event: &Event| {
            let mut hasher = Hasher128::default();
            (event.operation, event.site).hash(&mut hasher);
            hasher.key()
        };
        for event in &events[self.seen..] {
            if let Operation::Create(_) = event.operation {
                self.threads = self.threads.wrapping_add(key(event));
            } else if let Operation::MutexInit(object) | Operation::CondInit(object) = event.operation {
                self.open.retain(|(other, _)| *other != object);
                self.open.push((object, key(event)));
            } else if let Operation::MutexDestroy(object) | Operation::CondDestroy(object) = event.operation {
                self.open.retain(|(other, _)| *other != object);
            }
        }
        self.seen = events.len();
    }

    fn key(&self) -> StateKey {
        self.open.iter().fold(self.threads, |sum, (_, key)| sum.wrapping_add(*key))
    }
}

impl States {
    /// No states yet; at most so many are kept, after which further ones are [`StateNumber::UNKNOWN`].
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
        }
    }

    /// As many as fit into so many bytes; half of them are left to the summaries.
    ///
    /// Where only one thread can go on a state is not told: the next one with a choice ends the run as well. After many of
    /// them it is, as a single thread can go on without an end.
    pub fn within(bytes: u64) -> Self {
        let most = usize::try_from(bytes / 2 / BYTES).unwrap_or(usize::MAX).max(1);
        States { sparse: true, ..States::new(Matching::Cut, most) }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether no further states are kept.
    pub fn is_full(&self) -> bool {
        self.keys.len() >= self.most
    }

    /// How many times there was no room for a state.
    pub fn unkept(&self) -> u64 {
        self.unkept
    }

    /// The hash of a state that was kept.
    pub fn key(&self, number: StateNumber) -> Option<StateKey> {
        self.keys.get(number.0 as usize).copied()
    }

    /// Forgets the states that only the present run has seen.
    fn forget_run(&mut self) {
        while self.keys.len() > self.before {
            let number = self.keys.len() as u32 - 1;
            let key = self.keys.pop().unwrap_or_default();
            if let Ok(entry) = self.numbers.find_entry(key as u64, |&other| other == number) {
                entry.remove();
            }
        }
    }

    /// The number of a state, and whether it is new.
    fn number(&mut self, key: StateKey) -> (StateNumber, bool) {
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
    /// Tells states from now on; what a free run does then does not depend on how it came to where it is. Before the first
    /// run.
    pub fn record_states(&mut self, states: States) {
        self.states = Some(states);
        self.records_states_or_symmetry = true;
    }

    /// The present run is to be made once more: its states do not count as visited.
    pub fn forget_states(&mut self) {
        self.states.iter_mut().for_each(States::forget_run);
    }

    /// The states told apart so far.
    pub fn states(&self) -> Option<&States> {
        self.states.as_ref()
    }

    /// Remembers the states of the run before that a run along `plan` goes through. Before its events are forgotten.
    pub(super) fn keep_states(&mut self, plan: &Plan) {
        let Some(states) = &mut self.states else { return };
        let steps = plan.steps.iter().zip(&self.trace.events);
        let shared =
            steps.take_while(|(step, event)| step.thread == event.thread && step.choice == event.choice).count();
        states.before = states.keys.len();
        states.origins.begin();
        states.threads.events = 0;
        states.stretch = (0, 0);
        states.path.clear();
        states.path.extend(self.trace.states.iter().take(shared + 1));
    }

    /// Notes the present state, and who is alike in it, in the trace. True if the run is to end here.
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
        }
        let key = if skipped { None } else { self.state_key(world) };
        let Some(states) = &mut self.states else { return false };
        let (number, new) = key.map_or((StateNumber::UNKNOWN, true), |key| states.number(key));
        self.trace.states.push(number);
        at >= self.plan.steps.len() && !new
    }

    /// Whether the state is compared with others. It is not where all that comes next is one step: at most one thread can go
    /// on, or one goes first ([`to_go_on`](Self::to_go_on)) whom nobody else is about to meet. The state after that serves as
    /// well. In a run that leaves an earlier one at such a step it is, as there the search finds more to try than races; and
    /// so it is for some time after many of them, and again after a multiple: such steps can go on without an end.
    fn worth_recording(&mut self) -> bool {
        const LONG: u32 = 32;
        let stretch = self.stretch();
        let one = self.enabled.first().is_none_or(|thread| is_one(self.enabled, self.alternatives(thread)));
        let every = self.states.as_ref().is_some_and(|states| states.every);
        !one && (every || !self.begins_alone()) || stretch >= LONG && (stretch / LONG).ilog2().is_multiple_of(5)
    }

    /// How many steps before this state were the only ones to come next, or nearly.
    fn stretch(&mut self) -> u32 {
        let alone = |event: &Event| goes_first(&event.operation) || is_one(event.enabled, event.alternatives);
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

    /// Whether a free run goes on with what goes first and depends on nothing that others are about to do.
    fn begins_alone(&self) -> bool {
        let operation = |thread: ThreadId| &self.threads[thread.index()].request.operation;
        let Some(first) = self.to_go_on(self.enabled) else { return false };
        let others = self.enabled.minus(ThreadSet::only(first));
        others.iter().all(|other| !dependent(operation(first), operation(other)))
    }

    /// None if it cannot be told from others.
    fn state_key(&mut self, world: &impl World) -> Option<StateKey> {
        let memory = world.fingerprint(self.live)?;
        let threads = self.threads_key();
        // They are in the order of their first use, which is history.
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
        Some(hasher.key())
    }

    /// A sum over the threads, of which only those that may have changed are hashed again.
    fn threads_key(&mut self) -> StateKey {
        let Some(states) = &mut self.states else { return 0 };
        let mut told = core::mem::take(&mut states.threads);
        let all = (0..self.paths.len() as u8).map(ThreadId).collect();
        let changed = if told.events == 0 { all } else { told.changed(&self.trace.events, self.parked) };
        if told.events == 0 {
            told.keys.clear();
            told.sum = 0;
        }
        told.keys.resize(self.paths.len(), 0);
        for thread in changed.iter() {
            let key = self.thread_key(thread);
            told.sum = told.sum.wrapping_sub(told.keys[thread.index()]).wrapping_add(key);
            told.keys[thread.index()] = key;
        }
        debug_assert!(all.iter().all(|thread| told.keys[thread.index()] == self.thread_key(thread)), "threads-told");
        (told.events, told.parked) = (self.trace.events.len(), self.parked);
        let sum = told.sum;
        self.states.iter_mut().for_each(|states| states.threads = core::mem::take(&mut told));
        sum
    }

    /// 0 if there is no such thread.
    fn thread_key(&self, thread: ThreadId) -> StateKey {
        let slot = &self.threads[thread.index()];
        if slot.status == Status::Absent {
            return 0;
        }
        let mut one = Hasher128::default();
        slot.hash_into(thread.0, &mut one);
        if matches!(slot.request.operation, Operation::Signal { .. } | Operation::Broadcast { .. }) {
            self.unlocked_last(thread).hash(&mut one);
        }
        one.key()
    }

    /// The mutex that the thread has given back in its last operation. What a signal orders depends on it
    /// ([`unordered_communication`](crate::detect::unordered_communication)).
    fn unlocked_last(&self, thread: ThreadId) -> Option<Object> {
        let last = self.trace.events.iter().rev().find(|event| event.thread == thread)?;
        if let Operation::Unlock(mutex) = last.operation { Some(mutex) } else { None }
    }
}

impl Thread {
    /// What of a thread decides about what follows. When its operation became possible is history; whether it was given
    /// the signal it waited for is not. Nor is what it knows to be over, as what it does comes after that whatever path
    /// leads here, and the search counts on it.
    fn hash_into(&self, number: u8, hasher: &mut Hasher128) {
        let request = &self.request;
        let ended = self.status == Status::Ended;
        let signalled = matches!(request.operation, Operation::WaitReacquire { .. }) && self.enabled_by.is_some();
        let asked = [request.recursive, request.conditional, request.timed, signalled, request.count != 0];
        let asked = asked.into_iter().fold(0, |bits, bit| bits << 1 | u64::from(bit && !ended));
        let always = [self.detached, self.joined, !self.over.is_empty()];
        let bits = always.into_iter().fold(asked, |bits, bit| bits << 1 | u64::from(bit));
        // All in one word, with the operation's kind behind it.
        hasher.bits(
            bits | u64::from(self.status as u8) << 8 | u64::from(number) << 12 | u64::from(self.creations) << 20,
            52,
        );
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
        if self.status == Status::Parked {
            self.watch[..self.watch_count as usize].hash(hasher);
        }
    }
}
