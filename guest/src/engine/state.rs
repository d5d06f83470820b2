//! The engine's state: one run after another, and what the fibers need between two hooks.

use super::memory::Memory;
use super::spin::Loops;
use super::watch_sets::WatchSets;
use crate::platform::Global;
use crate::platform::fiber::Context;
use alloc::boxed::Box;
use alloc::string::String;
use inspect_core::detect::{Discipline, Finding, Observer, PagedShadow};
use inspect_core::event::{ByteRange, MAX_THREADS, SiteId, ThreadId};
use inspect_core::run::{Places, Run};
use inspect_wire::message::{Job, PlainAccesses, Task, Values};

/// What belongs to a thread of the program for the length of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadState {
    /// Its start routine.
    pub(crate) start: u64,
    /// The argument of that routine.
    pub(crate) argument: u64,
    /// What it returned or passed to its exit.
    pub(crate) result: u64,
    /// Where it called `exit` or returned from main.
    pub(crate) exit: SiteId,
    /// Innermost cleanup buffer (`pthread_cleanup_push`), or 0.
    pub(crate) cleanup: u64,
    /// The operation that a parked loop was woken with: its event is recorded, the thread is on its way to perform it.
    pub(crate) granted: Option<Granted>,
    /// Where it has arrived, for a search that compares states.
    pub(crate) program_point: super::states::ProgramPoint,
    /// Calls of the program that the engine makes for it and that are not over: handlers, destructors.
    pub(crate) callbacks: u32,
    /// The event whose value after the operation is still to be noted, in a replay.
    pub(crate) unsettled: Option<(u32, ByteRange)>,
}

/// An operation that is in the trace before its thread has reached it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Granted {
    /// The bytes it touches.
    pub(crate) range: ByteRange,
    /// Where it stands.
    pub(crate) site: SiteId,
}

impl ThreadState {
    const NEW: ThreadState = ThreadState {
        start: 0,
        argument: 0,
        result: 0,
        exit: SiteId(0),
        cleanup: 0,
        granted: None,
        program_point: super::states::ProgramPoint::NOWHERE,
        callbacks: 0,
        unsettled: None,
    };
}

/// Why a run cannot go on that is no property of the program's execution.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Trouble {
    /// More threads than the platform has prepared; the run is repeated with as many as needed.
    GrowTo(usize),
    /// A call that is not modelled, and where it was made.
    Unmodelled(String, SiteId),
    /// No visible operation for too long: which thread, and where it was.
    Stuck(ThreadId, SiteId),
    /// The process that made the run is gone, and the record with it.
    RunLost(String),
    /// A defect of the tool.
    Defect(String),
}

/// Everything of the engine that lasts longer than one hook.
pub(crate) struct Engine {
    /// The scheduler.
    pub(crate) run: Run,
    /// What the scheduler may know of the program's memory.
    pub(crate) memory: Memory,
    /// Loops that may have to be parked.
    pub(crate) loops: Loops,
    /// Locations that loops watch together.
    pub(crate) watch_sets: WatchSets,
    /// By thread.
    pub(crate) threads: [ThreadState; MAX_THREADS],
    /// Why the run was broken off, if it was.
    pub(crate) trouble: Option<Trouble>,
    /// The detectors.
    pub(crate) observer: Observer<PagedShadow>,
    /// Findings of a run; its memory is kept.
    pub(crate) findings: alloc::vec::Vec<Finding>,
    /// Locations on which races were found in a run.
    pub(crate) racing: alloc::vec::Vec<ByteRange>,
    /// There were more races than could be kept.
    pub(crate) overflowed: bool,
    /// Ranges whose contents at the end of each run are told, if the traces of all runs are.
    pub(crate) report_traces: Option<alloc::vec::Vec<ByteRange>>,
    /// What they held at the end of the last run.
    pub(crate) contents: alloc::vec::Vec<u64>,
    /// Values by event, if they are wanted.
    pub(crate) values: alloc::vec::Vec<Values>,
    /// Whether values are recorded: in a replay, or if the traces of all runs are told.
    pub(crate) values_wanted: bool,
    /// A debugger is to stop at the end of the run.
    pub(crate) stops_in_debugger: bool,
    /// Opaque assembly that was run, not reported yet.
    pub(crate) opaque: alloc::vec::Vec<SiteId>,
    /// Calls whose results nobody controls, not reported yet.
    pub(crate) uncontrolled: alloc::vec::Vec<(String, SiteId)>,
    /// Synchronisation objects were used that lie on the heap or a stack, where others may follow.
    pub(crate) passing_objects: bool,
    /// A synchronisation object was destroyed in this run.
    pub(crate) something_destroyed: bool,
    /// What passes virtual time on.
    pub(crate) times: super::time::Times,
    /// What a search that compares states knows of the program's frames.
    pub(crate) state_recorder: Option<super::states::StateRecorder>,
    /// What fresh identities of local states are made of.
    pub(crate) places: Places,
    /// States that could not be compared.
    pub(crate) uncompared: core::cell::RefCell<super::states::UncomparedStates>,
    /// For a search that compares states: how the accesses that are no operations keep apart.
    pub(crate) discipline: Option<Box<Discipline>>,
    /// What is kept of the hash of the state told last.
    pub(crate) hash_cache: core::cell::RefCell<super::hash_cache::HashCache>,
    /// The number of events at which the next checkpoint is due.
    pub(crate) checkpoint_at: u32,
}

impl Engine {
    pub(crate) fn new(run: Run, job: &Job) -> Box<Engine> {
        Box::new(Engine {
            run,
            memory: Memory::new(),
            loops: Loops::new(),
            watch_sets: WatchSets::new(),
            threads: [ThreadState::NEW; MAX_THREADS],
            trouble: None,
            observer: Observer::new(PagedShadow::new()),
            findings: alloc::vec::Vec::new(),
            racing: alloc::vec::Vec::new(),
            overflowed: false,
            values: alloc::vec::Vec::new(),
            report_traces: job.report_traces.clone(),
            contents: alloc::vec::Vec::new(),
            values_wanted: matches!(job.task, Task::Replay { .. }) || job.report_traces.is_some(),
            stops_in_debugger: false,
            opaque: alloc::vec::Vec::new(),
            uncontrolled: alloc::vec::Vec::new(),
            passing_objects: false,
            something_destroyed: false,
            times: super::time::Times::default(),
            state_recorder: None,
            places: Places::default(),
            uncompared: core::cell::RefCell::default(),
            discipline: None,
            hash_cache: core::cell::RefCell::new(super::hash_cache::HashCache::NOTHING),
            checkpoint_at: super::checkpoints::NEVER,
        })
    }

    /// Forgets the last run.
    pub(crate) fn reset(&mut self) {
        let used = self.run.paths().len();
        self.threads[..used].fill(ThreadState::NEW);
        self.loops.reset(used);
        self.watch_sets.begin();
        self.trouble = None;
        self.values.clear();
        super::call_stacks::begin();
        self.something_destroyed = false;
        self.times.reset();
        let recorded = super::pruning_log::are_wanted();
        let values = if self.values_wanted { attention::VALUES } else { 0 };
        let resting = values | if recorded { attention::RECORDS } else { 0 };
        // SAFETY: between two runs nobody reads the table.
        let attention = unsafe { ATTENTION.get() };
        // A thread that no run before had is among the others.
        let known = if self.values_wanted || recorded { MAX_THREADS } else { used };
        attention[..known].fill(resting);
    }
}

static ENGINE: Global<*mut Engine> = Global::new(core::ptr::null_mut());

/// Puts the engine in place, for good.
pub(crate) fn install(engine: Box<Engine>) {
    ENGINE.write(Box::leak(engine));
}

/// Runs `function` with the engine's state. It must not switch fibers, call the program or lead to another `with`.
#[inline(always)]
pub(crate) fn with<R>(function: impl FnOnce(&mut Engine) -> R) -> R {
    // SAFETY: the engine is installed before the first run and never freed; there is one OS thread, and `function`
    // keeps the rule above, so this is the only reference.
    function(unsafe { &mut *ENGINE.read() })
}

/// Where the program's last plain access was: a fault inside a hook (a stack that overflows) is told there.
pub(crate) static LAST_SITE: Global<SiteId> = Global::new(SiteId(0));

/// Whether a run is in progress: the heap also serves the platform's preparations between runs.
pub(crate) static RUNNING: Global<bool> = Global::new(false);

/// Where each fiber goes on, and where the engine does.
pub(crate) static CONTEXTS: Global<[Context; MAX_THREADS]> = Global::new([Context::EMPTY; MAX_THREADS]);
pub(crate) static HOME: Global<Context> = Global::new(Context::EMPTY);

/// Reasons for which a thread's accesses need more than the fast path.
pub(crate) mod attention {
    /// A loop that may have to be parked is being watched.
    pub(crate) const LOOP: u8 = 1;
    /// The next operation is in the trace already.
    pub(crate) const GRANTED: u8 = 2;
    /// Values are recorded for the report.
    pub(crate) const VALUES: u8 = 4;
    /// Every access is recorded for the search.
    pub(crate) const RECORDS: u8 = 8;
}

static ATTENTION: Global<[u8; MAX_THREADS]> = Global::new([0; MAX_THREADS]);

/// The thread's reasons.
#[inline(always)]
pub(crate) fn attention(thread: ThreadId) -> u8 {
    // SAFETY: a plain read.
    unsafe { (*ATTENTION.as_ptr())[thread.index()] }
}

/// The reasons of the first `count` threads.
pub(crate) fn all_attention(count: usize) -> &'static [u8] {
    // SAFETY: between two steps of the program nobody writes to the table.
    let attention = unsafe { ATTENTION.get() };
    &attention[..count]
}

/// Brings back the reasons of the first threads.
pub(crate) fn set_all_attention(reasons: &[u8]) {
    // SAFETY: one OS thread; no other reference is in use.
    let attention = unsafe { ATTENTION.get() };
    attention[..reasons.len()].copy_from_slice(reasons);
}

pub(crate) fn set_attention(thread: ThreadId, reasons: u8, on: bool) {
    // SAFETY: one OS thread; no other reference is in use.
    let slot = &mut unsafe { ATTENTION.get() }[thread.index()];
    *slot = if on { *slot | reasons } else { *slot & !reasons };
}

/// Which plain accesses are visible operations.
pub(crate) struct Visibility {
    /// `--plain-accesses`.
    pub(crate) mode: PlainAccesses,
    /// Promoted locations, disjoint and in ascending order.
    pub(crate) promoted: alloc::vec::Vec<ByteRange>,
    /// Accesses of library functions to the caller's stack count as shared.
    pub(crate) own_stack: bool,
}

pub(crate) static VISIBILITY: Global<Visibility> =
    Global::new(Visibility { mode: PlainAccesses::Racy, promoted: alloc::vec::Vec::new(), own_stack: false });

/// Whether accesses of library functions to the caller's stack count as shared.
pub(crate) fn own_stack_is_visible() -> bool {
    // SAFETY: changed between runs only.
    unsafe { (*VISIBILITY.as_ptr()).own_stack }
}

/// Whether any plain access is.
pub(crate) fn some_plain_are_visible() -> bool {
    // SAFETY: changed between runs only.
    let visibility = unsafe { &*VISIBILITY.as_ptr() };
    visibility.mode == PlainAccesses::All || !visibility.promoted.is_empty()
}

/// Whether a plain access is a visible operation.
#[inline(always)]
pub(crate) fn plain_is_visible(range: ByteRange) -> bool {
    // SAFETY: changed between runs only.
    let visibility = unsafe { &*VISIBILITY.as_ptr() };
    match visibility.mode {
        PlainAccesses::All => true,
        PlainAccesses::Sync => false,
        PlainAccesses::Racy => !visibility.promoted.is_empty() && promoted(&visibility.promoted, range),
    }
}

fn promoted(ranges: &[ByteRange], range: ByteRange) -> bool {
    let first = ranges.partition_point(|promoted| promoted.end() <= range.start);
    ranges.get(first).is_some_and(|promoted| promoted.overlaps(range))
}
