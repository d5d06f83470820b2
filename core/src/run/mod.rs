//! One run in progress: which threads there are, what each is about to do, who may go next, and the trace so far.
//!
//! This is the scheduler of the program under test, as pure data. In this folder the *driver* is whoever calls it: the
//! guest with real fibers, or a test with a model program (not the user's test program). The driver's part is small:
//!
//! 1. [`Run::begin`] with a plan; main is running.
//! 2. Whenever the running thread reaches a visible operation, [`Run::arrive`] (or [`Run::park`] for a waiting loop),
//!    then [`Run::next`] and do what it says.
//! 3. [`Next::Execute`]: let that thread perform its operation and run on until it arrives again. The event, with its
//!    outcome, is [`Run::last_event`]. After a `Create` the *child* runs first, up to its first visible operation
//!    (its invisible beginning belongs to the create's transition); then `next` says [`Next::Resume`] the creator.
//! 4. [`Next::End`]: the run is over; the trace is complete.
//!
//! Invariant (pending-known): whenever a scheduling decision is made, every live thread's next operation is known.
//! Checked by `debug_assert` in [`Run::next`].

mod arrival;
mod cancellation;
mod channels;
mod effect;
mod identity;
mod joined;
mod misuses;
mod objects;
mod outcome;
mod read_holds;
mod requeue;
mod resume;
mod schedule;
mod shared_objects;
mod signals;
mod state_table;
mod states;
mod symmetry;
mod thread;
mod waits;
mod world;
mod writer_first;

pub use identity::{Covers, Identity, Linking, Places};
pub use objects::{Lifecycle, ObjectState};
pub use read_holds::ReadHolds;
pub use requeue::Requeue;
pub use resume::SavedRun;
pub use state_table::{RecordPlace, StateTable};
pub use states::{Matching, States};
pub use thread::{MutexWatch, Request};
pub use world::{StateKey, World};

use crate::event::{
    ByteRange, Ending, Event, EventIndex, FreeRun, LimitKind, MAX_THREADS, Object, Operation, Pending, Plan, SiteId,
    Sleeper, ThreadId, ThreadSet, Trace,
};
use crate::event::{FindingKind, Place};
use crate::sample::Sampler;
use alloc::vec::Vec;
use objects::Objects;
use thread::{ABSENT, Status, Thread, Watched};
use world::Unknown;

/// What is fixed for all runs of a search.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Visible operations after which a run is cut.
    pub max_steps: u32,
    /// Whether a wait may end without a signal.
    pub spurious_wakeups: bool,
}

/// What the driver has to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// This thread performs its operation, already recorded as [`Run::last_event`], and runs on until it arrives again.
    /// Operations after which a thread has nothing to run (the first half of a wait, its expiry, a thread's exit) are
    /// executed by the run itself and never show here.
    Execute(ThreadId),
    /// This thread runs on; nothing was executed (a create whose child has reached its first operation).
    Resume(ThreadId),
    /// The run is over.
    End,
}

/// A misuse of the threads API, noticed while it was executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Misuse {
    /// What kind of misuse it is.
    pub kind: FindingKind,
    /// The thread that makes it.
    pub thread: ThreadId,
    /// Where in the source.
    pub site: SiteId,
    /// The operation that is the misuse; none if it is no operation.
    pub operation: Option<Operation>,
    /// The object that is misused.
    pub object: Object,
    /// How many events the trace had when the misuse was noticed.
    pub at: EventIndex,
    /// If it takes two places (two waits with different mutexes): the other one.
    pub other: Option<Place>,
}

/// One run in progress. Reused from run to run so that a run allocates nothing once its vectors have grown.
#[derive(Debug)]
pub struct Run {
    options: Options,
    threads: [Thread; MAX_THREADS],
    live: ThreadSet,
    /// Threads whose pending operation, the expiry of a wait included, can be taken now; ends of the process excluded.
    enabled: ThreadSet,
    /// Threads that have arrived at a [`ControlOperation::EndProcess`](crate::event::ControlOperation::EndProcess).
    ending: ThreadSet,
    parked: ThreadSet,
    /// Threads that are about to make an operation that [goes first](crate::event::Operation::goes_first).
    going_first: ThreadSet,
    /// What the parked threads watch.
    watched: Vec<Watched>,
    current: ThreadId,
    /// A child that has not arrived yet and the creator to resume when it has.
    starting: Option<(ThreadId, ThreadId)>,
    objects: Objects,
    /// Threads that were woken at futex words whose waiters they have joined, each with the first event that did it.
    woken: Vec<(ThreadId, EventIndex)>,
    /// A requeue has moved a thread that has joined waiters.
    moved_joined: bool,
    plan: Plan,
    sleep: Vec<Sleeper>,
    trace: Trace,
    misuses: Vec<Misuse>,
    /// Creation paths by thread number: `(creator, how many it had created before)`. Kept from run to run, so that a
    /// thread has the same number in every run however the creations interleave. Entry 0 is main's and unused.
    paths: Vec<(ThreadId, u32)>,
    /// Mutexes that in some run were taken from their holders, see [`Run::seized`].
    seized: Vec<Object>,
    /// Draws the order of sampled runs.
    sampler: Sampler,
    /// If the search compares states: the states of all runs so far.
    states: Option<States>,
    /// Whether the symmetric threads of each state are recorded.
    records_symmetry: bool,
    /// States or symmetric threads are recorded.
    records_states_or_symmetry: bool,
}

impl Run {
    /// A run that has not begun. `paths` are the creation paths known from earlier runs (a replay's schedule), or
    /// empty.
    pub fn new(options: Options, paths: &[(ThreadId, u32)]) -> Self {
        let mut known = paths.to_vec();
        if known.is_empty() {
            known.push((ThreadId::MAIN, u32::MAX));
        }
        Run {
            options,
            threads: [ABSENT; MAX_THREADS],
            live: ThreadSet::EMPTY,
            enabled: ThreadSet::EMPTY,
            ending: ThreadSet::EMPTY,
            parked: ThreadSet::EMPTY,
            going_first: ThreadSet::EMPTY,
            watched: Vec::new(),
            current: ThreadId::MAIN,
            starting: None,
            objects: Objects::new(),
            woken: Vec::new(),
            moved_joined: false,
            plan: Plan::default(),
            sleep: Vec::new(),
            trace: Trace::new(),
            misuses: Vec::new(),
            paths: known,
            seized: Vec::new(),
            sampler: Sampler::new(),
            states: None,
            records_symmetry: false,
            records_states_or_symmetry: false,
        }
    }

    /// Starts a run along `plan`; main is running.
    pub fn begin(&mut self, plan: &Plan) {
        for thread in self.live.iter() {
            self.threads[thread.index()].reset();
        }
        self.threads[..self.paths.len().min(MAX_THREADS)].iter_mut().for_each(Thread::reset);
        self.keep_states(plan);
        self.follow(plan);
        if let FreeRun::Sampled(sampled) = plan.free_run {
            self.sampler.begin(sampled, plan);
        }
        self.sleep.clear();
        self.live = ThreadSet::only(ThreadId::MAIN);
        self.enabled = ThreadSet::EMPTY;
        self.ending = ThreadSet::EMPTY;
        self.parked = ThreadSet::EMPTY;
        self.going_first = ThreadSet::EMPTY;
        self.watched.clear();
        self.current = ThreadId::MAIN;
        self.starting = None;
        self.objects.clear();
        self.woken.clear();
        self.moved_joined = false;
        self.trace.clear();
        self.misuses.clear();
        self.threads[0].status = Status::Running;
    }

    fn follow(&mut self, plan: &Plan) {
        // Field by field: a derived `clone_from` would allocate.
        self.plan.steps.clone_from(&plan.steps);
        (self.plan.then, self.plan.free_run) = (plan.then, plan.free_run);
        self.plan.sleep.clone_from(&plan.sleep);
    }

    /// The running thread is at the head of a waiting loop after an iteration that changed nothing: it stays there
    /// until a location in `watch` has another value than the one given with it, or until the change of a mutex that
    /// `mutex` describes. `request` is the first operation of its next iteration.
    ///
    /// When [`Next::Execute`] names the thread, its event for that operation is recorded already: the driver lets it
    /// run on to that operation and perform it without arriving again.
    pub fn park(&mut self, thread: ThreadId, request: Request, watch: &[(ByteRange, u64)], mutex: Option<MutexWatch>) {
        assert!(!watch.is_empty() || mutex.is_some(), "something to watch");
        let slot = &mut self.threads[thread.index()];
        slot.status = Status::Parked;
        slot.set_request(request);
        slot.watched_mutex = mutex;
        let goes_first = slot.demands.goes_first;
        self.note_going_first(thread, goes_first);
        self.watched.extend(watch.iter().map(|&(range, value)| Watched {
            thread,
            range,
            value,
            wakes: true,
            stored: false,
        }));
        self.parked.insert(thread);
    }

    /// Each iteration of the loop in which `thread` is parked makes atomic stores: to the entries of its watch list
    /// whose bits are set in `locations`, which keep their values, and to the locations in `unread`, whose values
    /// nobody uses.
    pub fn note_stores(&mut self, thread: ThreadId, locations: u64, unread: &[(ByteRange, u64)]) {
        let watched = self.watched.iter_mut().filter(|watched| watched.thread == thread).enumerate();
        watched.for_each(|(number, watched)| watched.stored = locations >> number & 1 != 0);
        let unread = unread.iter().map(|&(range, value)| Watched { thread, range, value, wakes: false, stored: true });
        self.watched.extend(unread);
    }

    /// Whether `writer` has just stored to a location to which a parked thread stores in each iteration, and the store
    /// does not unpark that thread. In the program, one more iteration of the thread could end the release sequence of
    /// the store, after which a reader there would not synchronise with `writer` (C11 5.1.2.4p10).
    pub fn is_stored_again(&self, writer: ThreadId, range: ByteRange, world: &impl World) -> bool {
        let meets = |watched: &Watched| watched.stored && watched.thread != writer && watched.range.overlaps(range);
        let wakes = |watched: &Watched| watched.wakes && world.value(watched.range) != watched.value;
        self.watched.iter().any(|watched| meets(watched) && !wakes(watched))
    }

    /// Whether some thread is parked.
    #[inline(always)]
    pub fn is_any_parked(&self) -> bool {
        !self.parked.is_empty()
    }

    /// The event executed last, with its outcome.
    ///
    /// Panics before the first event.
    pub fn last_event(&self) -> &Event {
        self.trace.events.last().expect("an event was executed")
    }

    /// The events so far.
    pub fn events(&self) -> &[Event] {
        &self.trace.events
    }

    /// The trace; complete after [`Next::End`].
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The trace, for a driver that adds records to it, or that replaces aliases of locations in it by real addresses.
    pub fn trace_mut(&mut self) -> &mut Trace {
        &mut self.trace
    }

    /// Replaces the trace and the creation paths by those of the same run as another process made it (fork mode).
    pub fn adopt(&mut self, trace: Trace, paths: Vec<(ThreadId, u32)>) {
        self.trace = trace;
        self.paths = paths;
    }

    /// The misuses noticed so far.
    pub fn misuses(&self) -> &[Misuse] {
        &self.misuses
    }

    /// Creation paths by thread number, to be kept with a schedule.
    pub fn paths(&self) -> &[(ThreadId, u32)] {
        &self.paths
    }

    /// The running thread, or the one that ran last.
    pub fn current(&self) -> ThreadId {
        self.current
    }

    /// The number the next thread created by `creator` has in every run, or `None` if there are too many threads.
    pub fn child_of(&mut self, creator: ThreadId) -> Option<ThreadId> {
        let path = (creator, self.threads[creator.index()].creations);
        // A guess that is right where main creates all the other threads.
        let likely = path.1.wrapping_add(1) as usize;
        let known = if self.paths.get(likely) == Some(&path) {
            Some(likely)
        } else {
            self.paths.iter().position(|&p| p == path)
        };
        if let Some(known) = known {
            return Some(ThreadId::at(known));
        }
        let table = self.states.as_ref().and_then(States::table).copied();
        // Other searches may have given the next numbers to other threads.
        while self.paths.len() < MAX_THREADS {
            let next = self.paths.len();
            let given = table.map_or(path, |table| table.give_number(next, path));
            self.paths.push(given);
            if given == path {
                return Some(ThreadId::at(next));
            }
        }
        None
    }

    /// Whether `thread` was created and has ended in this run, and whether it was joined or detached.
    pub fn thread_info(&self, thread: ThreadId) -> ThreadInfo {
        let slot = &self.threads[thread.index()];
        ThreadInfo {
            exists: slot.status != Status::Absent,
            ended: slot.status == Status::Ended,
            detached: slot.detached,
            joined: slot.joined,
            refused: slot.refused,
        }
    }

    /// The threads that this event has enabled and that have not executed their operation yet.
    pub fn enabled_by(&self, event: EventIndex) -> ThreadSet {
        self.live.iter().filter(|thread| self.threads[thread.index()].enabled_by == Some(event)).collect()
    }

    /// How many threads `thread` has created, and the threads that it knows to have ended: those that it has joined,
    /// those that they knew to have ended, and those that its creator knew to have ended when it created `thread`.
    pub fn knowledge(&self, thread: ThreadId) -> (u32, ThreadSet) {
        let slot = &self.threads[thread.index()];
        (slot.creations, slot.over)
    }

    /// Mutexes that in some run so far were unlocked by another thread than their holder, or were initialised or had
    /// their memory reused while held: holding such a mutex protects nothing.
    pub fn seized(&self) -> &[Object] {
        &self.seized
    }

    /// What the run knows of a synchronisation object.
    #[inline]
    pub fn object(&self, object: Object) -> ObjectState {
        *self.objects.peek(object)
    }

    /// The initialiser of a once object is about to be left by an exception or a cancellation.
    pub fn once_fails(&mut self, once: Object) {
        self.objects.get(once).once_fails = true;
    }

    /// The memory of a synchronisation object holds a copy of one that was held: whoever needs the object waits until
    /// it is initialised anew.
    pub fn note_copied_held(&mut self, object: Object) {
        self.objects.get(object).copied_held = true;
        for thread in self.enabled.iter() {
            if self.threads[thread.index()].need().awaited().object() == Some(object) {
                self.enabled.remove(thread);
            }
        }
    }

    /// The memory at these addresses is reused: forgets the synchronisation objects there. Threads that wait for one of
    /// them go on waiting.
    pub fn forget_objects(&mut self, range: ByteRange) {
        self.objects.forget(range, &mut self.seized);
    }

    /// This memory is freed, or the lifetime of the variable there ends. A parked thread that watches a mutex, and
    /// whose next iteration would touch the memory, is unparked, so that a detector sees the use. (A loop that watches
    /// no mutex has touched the memory without a lock, so its last iteration already races with the end of the memory.)
    pub fn memory_ends(&mut self, range: ByteRange) {
        for thread in self.parked.iter() {
            let slot = &mut self.threads[thread.index()];
            let Some(watch) = slot.watched_mutex else { continue };
            let watched = self.watched.iter().filter(|watched| watched.thread == thread).map(|watched| watched.range);
            let mutex = watch.mutex().map(|mutex| ByteRange { start: mutex.0, len: 1 });
            if watched.chain(mutex).any(|watched| watched.overlaps(range)) {
                slot.watched_mutex = Some(MutexWatch::Gone);
            }
        }
    }

    /// Every synchronisation object seen in this run.
    pub fn objects(&self) -> impl Iterator<Item = (Object, &ObjectState)> {
        self.objects.iter()
    }

    /// Ends the run because of a limit.
    pub fn cut(&mut self, limit: LimitKind) -> Next {
        self.finish(Ending::Limit(limit), &Unknown)
    }

    /// Position the next event will have.
    fn now(&self) -> EventIndex {
        EventIndex(self.trace.events.len() as u32)
    }

    fn finish(&mut self, ending: Ending, world: &impl World) -> Next {
        self.trace.ending = ending;
        for thread in self.live.iter() {
            let slot = &self.threads[thread.index()];
            if slot.status == Status::Running {
                // The run was cut while this thread ran: what it would do next is not known.
                continue;
            }
            let status = self.pending_status(thread, world);
            let enabled_by = slot.enabled_by;
            let site = slot.request.site;
            let mut operation = self.outcome(thread, self.alternatives(thread).default_choice(), world);
            if slot.status == Status::Waiting {
                operation = self.left_waiting(thread, operation);
            }
            self.trace.pending.push(Pending { thread, operation, status, enabled_by, site });
            self.note_misuse_at_end(thread);
        }
        Next::End
    }
}

/// What a run knows of a thread, for join and detach.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadInfo {
    /// It was created in this run.
    pub exists: bool,
    /// It has ended.
    pub ended: bool,
    /// It was detached.
    pub detached: bool,
    /// It was joined.
    pub joined: bool,
    /// The thread that it has joined or detached last was joined or detached before.
    pub refused: bool,
}
