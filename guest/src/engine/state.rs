//! The engine's data: what the threads of the program need between two hooks, and what a run leaves to be judged.

use super::attention::{self, Attention};
use super::bits_of_call::BitsOfCall;
use super::call_stacks::CallStackRecorder;
use super::code_facts::PruningLog;
use super::deep_read_holds::DeepReadHolds;
use super::ended_variables::EndedVariables;
use super::frames::{StateRecorder, UncomparedStates};
use super::hash_cache::HashCache;
use super::kept::Kept;
use super::keys::Keys;
use super::memory::Memory;
use super::named_semaphores::NamedSemaphores;
use super::object_names::ObjectNames;
use super::observation::Observation;
use super::owned_locks::OwnedLocks;
use super::pause::ServiceStack;
use super::recent::Recent;
use super::robust_holds::RobustHolds;
use super::run_data::{Lasting, PerRun, RunData, Unreported, run_data};
use super::signal_queue::SignalQueue;
use super::signal_takers::SignalTakers;
use super::spin::Loops;
use super::threads::{Contexts, ThreadState};
use super::timers::Timers;
use super::times::Times;
use super::trace_values::TraceValues;
use super::watch_sets::WatchSets;
use crate::platform::Global;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use inspect_core::detect::{Discipline, Finding, Observer, PagedShadow};
use inspect_core::event::{ByteRange, MAX_THREADS, SiteId, ThreadId};
use inspect_core::run::{Places, Run};
use inspect_wire::message::{InconclusiveReason, Job, Task};

/// Why a run was broken off, where the reason is no ending of the program under the scheduler.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Trouble {
    /// More threads than the platform has prepared; the run is repeated with as many as needed.
    GrowTo(usize),
    /// A call that is not modelled, and where it was made.
    Unmodelled(String, SiteId),
    /// No visible operation for too long: which thread, and where it was.
    Stuck(ThreadId, SiteId),
    /// The process that made the run is gone, and what it found with it.
    RunLost(String),
    /// A defect of the tool.
    Defect(String),
}

/// No checkpoint is due in this run.
pub(crate) const NEVER: u32 = u32::MAX;

run_data! {
    /// Everything of the engine that lasts longer than one hook.
    ///
    /// Data that the fast path uses are in statics; here a type without contents stands for them. Two statics are no
    /// data of a run: that of `visibility.rs`, which changes between two searches, and [`RUNNING`].
    pub(crate) struct Engine, SavedEngine, LeftByRun {
        /// Sets of locations that loops watch together. The first part, as no checkpoint is taken where there are some.
        watch_sets: WatchSets,
        /// What is known of the hash of the state recorded last.
        hash_cache: RefCell<HashCache>,
        /// What the scheduler may read of the program's memory.
        memory: Memory,
        /// The loops of each thread that may have to be parked.
        loops: Loops,
        /// What a thread accesses that makes no progress.
        observation: Observation,
        /// What is known of each thread.
        threads: [ThreadState; MAX_THREADS],
        /// Where each suspended thread goes on.
        contexts: Contexts,
        /// Why the hooks of each thread leave the fast path.
        attention: Attention,
        /// Which bits of a call's arguments depend on uninitialised memory.
        bits_of_call: BitsOfCall,
        /// Where the running thread waits, in a pause.
        service_stack: ServiceStack,
        /// Destructors of thread-specific keys.
        keys: Keys,
        /// Memory that the C library keeps.
        kept: Kept,
        /// The named semaphores.
        named_semaphores: NamedSemaphores,
        /// Which robust mutexes are held.
        robust_holds: RobustHolds,
        /// How the signals were sent that are pending.
        signal_queue: SignalQueue,
        /// Which threads take signals of the process.
        signal_takers: SignalTakers,
        /// Timers, and the threads that are their expiries.
        timers: Timers,
        /// Who waits for futexes that are locks with priority inheritance.
        owned_locks: OwnedLocks,
        /// Read-write locks that are held very often.
        deep_read_holds: DeepReadHolds,
        /// Memory on stacks whose variables have ended.
        ended_variables: EndedVariables,
        /// Virtual time along happens-before.
        times: Times,
        /// Where the program's last plain access was.
        last_site: LastSite,
        /// Accesses that need no further check.
        recent: Recent,
        /// What a search that prunes with facts about the code needs of each thread.
        pruning_log: PruningLog,
        /// Why the run was broken off, if it was.
        trouble: Option<Trouble>,
        /// A synchronisation object was destroyed in this run.
        something_destroyed: PerRun<bool>,
        /// Synchronisation objects on the heap or a stack were used, whose memory may be used for others later. Each
        /// child finds this out for its own run.
        passing_objects: Lasting<bool>,
        /// Synchronisation objects with static storage that were used and that accesses may reach, in ascending order.
        /// Each child finds this out for its own run.
        static_objects: Lasting<Vec<ByteRange>>,
        /// Values shown in reports.
        trace_values: TraceValues,
        /// Call stacks shown in reports.
        call_stacks: CallStackRecorder,
        /// What the detectors have found. Cleared before a run's first attempt, not before the others.
        findings: Unreported<Finding>,
        /// Locations on which races were found.
        racing: Unreported<ByteRange>,
        /// There were more races than can be held.
        overflowed: Overflowed,
        /// Opaque assembly that was run.
        opaque: Unreported<SiteId>,
        /// Calls whose results Inspect does not control, and times that are one of many.
        uncontrolled: Unreported<InconclusiveReason>,
        /// Names of made-up objects.
        object_names: ObjectNames,
        /// For a search that compares states: what is known of the program's frames.
        state_recorder: Lasting<Option<StateRecorder>>,
        /// The place of the run in the search tree, of which fresh identities of local states are made.
        places: Places,
        /// States that could not be compared.
        uncompared: Lasting<RefCell<UncomparedStates>>,
        /// For a search that compares states: which mutexes protect the accesses that are no operations.
        discipline: Option<Box<Discipline>>,
        /// The number of events at which the next checkpoint is due; set where a run is started.
        checkpoint_at: Lasting<u32>,
        /// A debugger is to stop at the end of the run.
        stops_in_debugger: Lasting<bool>,
    }
}

impl Engine {
    /// The run shows something because of which the verdict is inconclusive.
    pub(crate) fn note_reason(&mut self, reason: InconclusiveReason) {
        if !self.uncontrolled.contains(&reason) {
            self.uncontrolled.push(reason);
        }
    }

    /// The engine as it is before the first run.
    pub(crate) fn new(run: Run, job: &Job) -> Box<Engine> {
        Box::new(Engine {
            run,
            observer: Observer::new(PagedShadow::new()),
            watch_sets: WatchSets::new(),
            hash_cache: RefCell::new(HashCache::NOTHING),
            memory: Memory::new(),
            loops: Loops::new(),
            observation: Observation::new(),
            threads: [ThreadState::NEW; MAX_THREADS],
            contexts: Contexts,
            attention: Attention,
            bits_of_call: BitsOfCall,
            service_stack: ServiceStack,
            keys: Keys,
            kept: Kept::default(),
            named_semaphores: NamedSemaphores::default(),
            robust_holds: RobustHolds::default(),
            signal_queue: SignalQueue::default(),
            signal_takers: SignalTakers::new(),
            timers: Timers::default(),
            owned_locks: OwnedLocks::default(),
            deep_read_holds: DeepReadHolds::default(),
            ended_variables: EndedVariables::default(),
            times: Times::default(),
            last_site: LastSite,
            recent: Recent,
            pruning_log: PruningLog,
            trouble: None,
            something_destroyed: PerRun(false),
            passing_objects: Lasting(false),
            static_objects: Lasting(Vec::new()),
            trace_values: TraceValues::new(job.report_traces.clone()),
            call_stacks: CallStackRecorder::new(&job.task),
            findings: Unreported(Vec::new()),
            racing: Unreported(Vec::new()),
            overflowed: Overflowed(false),
            opaque: Unreported(Vec::new()),
            uncontrolled: Unreported(Vec::new()),
            object_names: ObjectNames,
            state_recorder: Lasting(None),
            places: Places::default(),
            uncompared: Lasting::default(),
            discipline: None,
            checkpoint_at: Lasting(NEVER),
            stops_in_debugger: Lasting(false),
        })
    }
}

/// Threads show the values of their accesses where a report has them.
pub(crate) fn watch_values(job: &Job) {
    let shows_values = matches!(job.task, Task::Replay { .. }) || job.report_traces.is_some();
    attention::always(if shows_values { attention::VALUES } else { 0 });
}

impl RunData for Option<Trouble> {
    type Saved = ();
    type Left = Option<Trouble>;

    fn begin(&mut self, _run: &Run) {
        *self = None;
    }

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, run: &Run, (): &()) {
        self.begin(run);
    }

    fn leave(&mut self) -> Option<Trouble> {
        self.take()
    }

    fn adopt(&mut self, left: Option<Trouble>) {
        *self = left;
    }
}

/// There were more races in the run than can be held.
pub(crate) struct Overflowed(pub(crate) bool);

impl RunData for Overflowed {
    type Saved = ();
    type Left = bool;

    /// Set at the end of each run.
    fn begin(&mut self, _run: &Run) {}

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    fn restore(&mut self, _run: &Run, (): &()) {}

    fn leave(&mut self) -> bool {
        self.0
    }

    fn adopt(&mut self, left: bool) {
        self.0 = left;
    }
}

impl RunData for Places {
    type Saved = ();
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        *self = Places::default();
    }

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    /// The events are hashed from the first one again, when a place is asked for.
    fn restore(&mut self, run: &Run, (): &()) {
        self.begin(run);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}

impl RunData for Option<Box<Discipline>> {
    type Saved = ();
    type Left = ();

    fn begin(&mut self, run: &Run) {
        if let Some(discipline) = self {
            discipline.begin(run);
        }
    }

    fn save(&mut self, _run: &Run, (): &mut ()) -> bool {
        true
    }

    /// Who holds which mutex is taken from the scheduler.
    fn restore(&mut self, run: &Run, (): &()) {
        self.begin(run);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}

/// Where the program's last plain access was: a fault inside a hook (a stack that overflows) is reported there.
pub(crate) static LAST_SITE: Global<SiteId> = Global::new(SiteId(0));

/// [`LAST_SITE`], as a part of the engine.
pub(crate) struct LastSite;

impl RunData for LastSite {
    type Saved = u64;
    type Left = ();

    /// Needs no reset: no fault before a run's first access is reported there.
    fn begin(&mut self, _run: &Run) {}

    fn save(&mut self, _run: &Run, saved: &mut u64) -> bool {
        *saved = LAST_SITE.read().0;
        true
    }

    fn restore(&mut self, _run: &Run, saved: &u64) {
        LAST_SITE.write(SiteId(*saved));
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}

/// Whether a run is in progress. Some calls also come from the platform's preparations between runs, and are not part
/// of a run: those of the heap, for instance.
pub(crate) static RUNNING: Global<bool> = Global::new(false);

static ENGINE: Global<*mut Engine> = Global::new(core::ptr::null_mut());

/// Puts the engine in place, for good.
pub(crate) fn install(engine: Box<Engine>) {
    ENGINE.write(Box::leak(engine));
}

/// Runs `function` with the engine's data. It must not switch fibers, call the program or lead to another `with`.
#[inline(always)]
pub(crate) fn with<R>(function: impl FnOnce(&mut Engine) -> R) -> R {
    // SAFETY: the engine is installed before the first run and never freed; there is one OS thread, and `function`
    // keeps the rule above, so this is the only reference.
    function(unsafe { &mut *ENGINE.read() })
}
