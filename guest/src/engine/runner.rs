//! Makes one run: in this process, whose memory is brought back afterwards, or in a forked child.

use super::checkpoints::{self, Checkpoints};
use super::report::{self, Reporter};
use super::state::{CONTEXTS, Engine, HOME, RUNNING, Trouble, with};
use super::watch_sets::RunOfGroups;
use super::{detection, memory, states};
use crate::model::{key, library_state};
use crate::platform::{begin_run, dispatch, fiber, fork, link, program, snapshot, watchdog};
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;
use inspect_core::detect::{Finding, FindingKind};
use inspect_core::event::{ByteRange, MAX_THREADS, Plan, SiteId, ThreadId, Trace};
use inspect_core::run::Places;
use inspect_wire::message::{InconclusiveReason, Job, Mode, Values};
use serde::{Deserialize, Serialize};

/// Processor time without a visible operation after which a run is suspected not to end.
const SUSPICIOUS: u64 = 1_000;
/// The same when a suspicion is to be confirmed.
const CONVINCING: u64 = 5_000;

/// Makes runs.
pub(super) struct Runner {
    mode: Mode,
    runs: u64,
    checkpoints: Checkpoints,
    /// The program's memory is as the last run left it.
    used: bool,
    resumed_at: usize,
    wanted: Option<FindingKind>,
}

/// What a run leaves behind, as a child process hands it to its parent.
#[derive(Serialize, Deserialize)]
struct Record {
    trace: Trace,
    paths: Vec<(ThreadId, u32)>,
    findings: Vec<Finding>,
    racing: Vec<ByteRange>,
    overflowed: bool,
    watch_sets: RunOfGroups,
    values: Vec<Values>,
    contents: Vec<u64>,
    opaque: Vec<SiteId>,
    uncontrolled: Vec<(String, SiteId)>,
    names: Vec<(u64, String)>,
    trouble: Option<Trouble>,
}

impl Runner {
    /// Remembers the state that runs start from.
    /// A replay is to show a finding of the kind `wanted`.
    pub(super) fn new(job: &Job, wanted: Option<FindingKind>, reporter: &mut Reporter) -> Self {
        let mode = job.mode;
        let every = if mode == Mode::Restore { job.checkpoint_every } else { 0 };
        let checkpoints = Checkpoints::new(every);
        let runner = Runner { mode, runs: 0, wanted, checkpoints, used: false, resumed_at: 0 };
        key::remember();
        runner.take_snapshot();
        if mode == Mode::Restore {
            arm(reporter);
            watchdog::start(SUSPICIOUS);
        }
        runner
    }

    fn take_snapshot(&self) {
        match self.mode {
            Mode::Fork => snapshot::take_for_fork(),
            Mode::Restore => {
                if let Err(error) = snapshot::take() {
                    report::tool_error(&alloc::format!("cannot take the snapshot that runs start from: {error:?}"));
                }
            }
        }
    }

    /// How many events of the last run are those of the run before, as it was resumed after them.
    pub(super) fn resumed_at(&self) -> usize {
        self.resumed_at
    }

    /// How many runs were made.
    pub(super) fn runs(&self) -> u64 {
        self.runs
    }

    /// The next run has nothing to do with the last one: operations are visible that were not, or the other way round.
    pub(super) fn begin_anew(&mut self) {
        self.checkpoints.forget();
    }

    /// Brings the program's memory back, if that was put off.
    fn clean(&mut self) {
        if self.used {
            self.used = false;
            snapshot::restore();
        }
    }

    /// Checks that the last run was undone completely.
    pub(super) fn verify(&mut self) -> Result<(), snapshot::Damage> {
        match self.mode {
            Mode::Restore => {
                // A checkpoint needs what the last run has written to its output.
                self.checkpoints.forget();
                self.clean();
                snapshot::verify()
            }
            Mode::Fork => Ok(()),
        }
    }

    /// Runs the program once along `plan` and looks for findings. The engine's state then holds the record.
    pub(super) fn run(&mut self, plan: &Plan) -> Option<Trouble> {
        self.runs += 1;
        with(|engine| {
            engine.findings.clear();
            engine.racing.clear();
        });
        let mut patience = SUSPICIOUS;
        loop {
            let heartbeat = &link::header().heartbeat;
            heartbeat.store(heartbeat.load(Relaxed) + 1, Relaxed);
            let trouble = match self.mode {
                Mode::Restore => self.run_here(plan),
                Mode::Fork => run_in_child(plan, patience),
            };
            match trouble {
                Some(Trouble::GrowTo(slots)) => {
                    with(|engine| engine.run.forget_states());
                    self.checkpoints.forget();
                    self.clean();
                    // Each time costs a snapshot and a fault for every page, so there are not many times.
                    fiber::ensure_slots(slots.next_power_of_two().min(MAX_THREADS));
                    self.take_snapshot();
                }
                Some(Trouble::Stuck(..)) if patience == SUSPICIOUS && !self.has_shown_enough() => {
                    with(|engine| engine.run.forget_states());
                    self.checkpoints.forget();
                    patience = CONVINCING;
                    self.set_patience(patience);
                }
                other => {
                    if patience != SUSPICIOUS {
                        self.set_patience(SUSPICIOUS);
                    }
                    if let Some(Trouble::Stuck(thread, site)) = other {
                        // What goes on in assembly that nobody can see through may well be a wait for another thread.
                        with(|engine| {
                            if engine.opaque.is_empty() {
                                detection::nonterminating(engine, thread, site);
                            }
                        });
                    }
                    return other;
                }
            }
        }
    }

    /// Makes the run in this process, from a checkpoint if there is one.
    fn run_here(&mut self, plan: &Plan) -> Option<Trouble> {
        let resumed = self.checkpoints.resume(plan);
        if !resumed {
            self.clean();
        }
        self.resumed_at = self.checkpoints.resumed_at() as usize;
        self.checkpoints.schedule();
        self.used = true;
        let trouble = run_here(plan, resumed, &mut self.checkpoints);
        if self.checkpoints.is_empty() {
            self.clean();
        }
        trouble
    }

    /// Whether the run just made, a replay, shows what it is to show. That it does not end was made sure of in the search.
    fn has_shown_enough(&self) -> bool {
        self.wanted.is_some_and(|wanted| {
            wanted == FindingKind::Nonterminating
                || with(|engine| engine.findings.iter().any(|finding| finding.kind == wanted))
        })
    }

    fn set_patience(&self, milliseconds: u64) {
        if self.mode == Mode::Restore {
            watchdog::start(milliseconds);
        }
    }
}

fn arm(reporter: &mut Reporter) {
    if !dispatch::arm() {
        reporter.inconclusive(InconclusiveReason::Other(String::from(
            "this system offers no way to trap system calls (Syscall User Dispatch, seccomp)",
        )));
    }
}

/// Makes the run in this process and collects what is found in it.
fn run_here(plan: &Plan, resumed: bool, checkpoints: &mut Checkpoints) -> Option<Trouble> {
    with(|engine| engine.places = Places::default());
    if resumed {
        super::pruning_log::resumed();
        go_on_from(checkpoints::waiting(), checkpoints);
    } else {
        with(|engine| {
            engine.run.begin(plan);
            engine.reset();
            detection::begin(engine);
            states::begun(engine);
        });
        super::pruning_log::begin();
        start_and_wait(checkpoints);
    }
    super::pruning_log::end();
    with(|engine| {
        detection::collect(engine);
        let told = engine.report_traces.as_deref().unwrap_or_default();
        engine.contents.clear();
        engine.contents.extend(told.iter().map(|&range| memory::value(range)));
        engine.trouble.take()
    })
}

fn run_in_child(plan: &Plan, patience: u64) -> Option<Trouble> {
    let ended = fork::run(|| {
        watchdog::start(patience);
        let trouble = run_here(plan, false, &mut Checkpoints::new(0));
        with(|engine| Record::of(engine, trouble))
    });
    match ended {
        Ok(record) => with(|engine| record.adopt(engine)),
        Err(died) => Some(Trouble::RunLost(alloc::format!("a run was lost with the process that made it: {died}"))),
    }
}

impl Record {
    fn of(engine: &mut Engine, trouble: Option<Trouble>) -> Record {
        Record {
            trace: core::mem::take(engine.run.trace_mut()),
            paths: engine.run.paths().to_vec(),
            findings: core::mem::take(&mut engine.findings),
            racing: core::mem::take(&mut engine.racing),
            overflowed: engine.overflowed,
            watch_sets: engine.watch_sets.take_run(),
            values: core::mem::take(&mut engine.values),
            contents: core::mem::take(&mut engine.contents),
            opaque: core::mem::take(&mut engine.opaque),
            uncontrolled: core::mem::take(&mut engine.uncontrolled),
            names: library_state::names(),
            trouble,
        }
    }

    fn adopt(self, engine: &mut Engine) -> Option<Trouble> {
        engine.run.adopt(self.trace, self.paths);
        self.findings.iter().for_each(|finding| engine.observer.adopt(finding));
        engine.findings.extend(self.findings);
        engine.racing.extend(self.racing);
        engine.overflowed = self.overflowed;
        engine.watch_sets.put_run(self.watch_sets);
        engine.values = self.values;
        engine.contents = self.contents;
        engine.opaque.extend(self.opaque);
        engine.uncontrolled.extend(self.uncontrolled);
        library_state::adopt(self.names);
        self.trouble
    }
}

fn start_and_wait(checkpoints: &mut Checkpoints) {
    begin_run();
    key::reset();
    watchdog::note_progress();
    // SAFETY: no fiber runs, so nobody else uses the table.
    let contexts = unsafe { CONTEXTS.get() };
    contexts[0] = fiber::prepare(0, program::run_main);
    go_on_from(CONTEXTS.as_ptr().cast(), checkpoints);
}

/// Lets the program run from `context` on, to the end of the run.
fn go_on_from(context: *const fiber::Context, checkpoints: &mut Checkpoints) {
    HOME.write(fiber::own_context());
    RUNNING.write(true);
    // SAFETY: the context is main's fresh one, or that of a checkpoint just brought back; whoever ends or interrupts the
    // run switches back to `HOME`.
    unsafe { fiber::switch(HOME.as_ptr(), context) };
    while checkpoints::paused() {
        checkpoints.take();
        // SAFETY: the thread that came to the pause waits there.
        unsafe { fiber::switch(HOME.as_ptr(), checkpoints::waiting()) };
    }
    RUNNING.write(false);
    fiber::set_current_slot(0);
}
