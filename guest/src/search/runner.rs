//! Makes one run: in this process, whose memory is brought back afterwards, or in a forked child.

use super::checkpoints::Checkpoints;
use super::findings;
use super::report::Reporter;
use crate::engine::defect::tool_error;
use crate::engine::state::{RUNNING, Trouble, with};
use crate::engine::threads::{CONTEXTS, HOME};
use crate::engine::{heap_choice, keys, leaks, memory, pause, pruning_log};
use crate::platform::float_control::FloatControl;
use crate::platform::{begin_run, dispatch, fiber, fork, link, program, snapshot, watchdog};
use alloc::string::String;
use core::sync::atomic::Ordering::Relaxed;
use inspect_core::event::{FindingKind, MAX_THREADS, Plan, Severity, SiteId, ThreadId};
use inspect_wire::message::{InconclusiveReason, Job, Mode};

/// Milliseconds of processor time without a visible operation after which a run is suspected not to end, unless
/// `--max-computation` is shorter: the next attempt, which counts, has all of that.
const SUSPICIOUS: u64 = 1_000;

/// Makes runs.
pub(super) struct Runner {
    mode: Mode,
    runs: u64,
    checkpoints: Checkpoints,
    /// The program's memory is as the last run left it.
    used: bool,
    /// How many events of the last run were executed in an earlier one: it was resumed from the checkpoint after them.
    resumed_at: usize,
    /// The kind of finding that a replay is to show.
    wanted: Option<FindingKind>,
    /// A run was cut because a thread polled memory whose accesses are no operations.
    polls: bool,
    /// Milliseconds of processor time without a visible operation that end the first attempt at a run.
    first_patience: u64,
    /// And those that end the last attempt: the run counts as one without an end.
    last_patience: u64,
}

impl Runner {
    /// Remembers the state that runs start from. A replay is to show a finding of the kind `wanted`.
    pub(super) fn new(job: &Job, wanted: Option<FindingKind>, reporter: &mut Reporter) -> Self {
        let mode = job.mode;
        // No run of a search that samples goes through a checkpoint of another.
        let resumes = mode == Mode::Restore && !job.samples();
        let every = if resumes { job.checkpoint_every } else { 0 };
        let checkpoints = Checkpoints::new(every);
        let last_patience = job.max_computation;
        let first_patience = SUSPICIOUS.min(last_patience);
        let runner = Runner {
            mode,
            runs: 0,
            wanted,
            checkpoints,
            used: false,
            resumed_at: 0,
            polls: false,
            first_patience,
            last_patience,
        };
        keys::remember();
        want_leaks(job, wanted);
        runner.take_snapshot();
        if mode == Mode::Restore {
            arm(reporter);
            watchdog::start(first_patience);
        }
        runner
    }

    fn take_snapshot(&self) {
        match self.mode {
            Mode::Fork => snapshot::take_for_fork(),
            Mode::Restore => {
                if let Err(error) = snapshot::take() {
                    tool_error(&alloc::format!("cannot take the snapshot that runs start from: {error:?}"));
                }
            }
        }
    }

    /// How many events of the last run were executed in an earlier one: it was resumed from the checkpoint after them.
    pub(super) fn resumed_at(&self) -> usize {
        self.resumed_at
    }

    /// How many runs were made.
    pub(super) fn runs(&self) -> u64 {
        self.runs
    }

    /// The next run has nothing to do with the last one: other operations are visible than before.
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
    pub(super) fn verify(&mut self) -> Result<(), snapshot::SnapshotDamage> {
        match self.mode {
            Mode::Restore => {
                // Bringing memory back drops the output, of which a checkpoint holds no copy.
                self.checkpoints.forget();
                self.clean();
                snapshot::verify()
            }
            Mode::Fork => Ok(()),
        }
    }

    /// Runs the program once along `plan` and looks for findings. The engine then holds what is known of the run.
    pub(super) fn run(&mut self, plan: &Plan) -> Option<Trouble> {
        self.runs += 1;
        with(|engine| {
            engine.findings.clear();
            engine.racing.clear();
            engine.observation.take_found();
        });
        let mut patience = self.first_patience;
        loop {
            let heartbeat = &link::header().heartbeat;
            heartbeat.store(heartbeat.load(Relaxed) + 1, Relaxed);
            match self.run_once(plan, patience) {
                Some(Trouble::GrowTo(slots)) => self.grow_to(slots),
                Some(Trouble::Stuck(..))
                    if patience < self.last_patience && !self.has_shown_enough() && !self.is_polling() =>
                {
                    with(|engine| engine.run.forget_states());
                    self.checkpoints.forget();
                    patience = self.last_patience;
                    self.set_patience(patience);
                }
                other => {
                    if patience != self.first_patience {
                        self.set_patience(self.first_patience);
                    }
                    if let Some(Trouble::Stuck(thread, site)) = other {
                        self.conclude(thread, site);
                    }
                    return other;
                }
            }
        }
    }

    /// Whether the run just made was cut because a thread polls, as one did before in this search: then that needs no
    /// longer attempt.
    fn is_polling(&self) -> bool {
        self.polls && with(|engine| engine.observation.has_found())
    }

    /// The run just made does not end. A thread that polls may be waiting for another thread, and so may one that runs
    /// opaque assembly.
    fn conclude(&mut self, thread: ThreadId, site: SiteId) {
        with(|engine| {
            if engine.observation.has_found() {
                self.polls = true;
            } else if engine.opaque.is_empty() {
                findings::nonterminating(engine, thread, site);
            }
        });
    }

    /// Prepares for more threads.
    fn grow_to(&mut self, slots: usize) {
        with(|engine| engine.run.forget_states());
        self.checkpoints.forget();
        self.clean();
        // Each growth costs a snapshot and a fault for every page, so the number of slots doubles.
        fiber::ensure_slots(slots.next_power_of_two().min(MAX_THREADS));
        self.take_snapshot();
    }

    /// One attempt at the run.
    fn run_once(&mut self, plan: &Plan, patience: u64) -> Option<Trouble> {
        match self.mode {
            Mode::Restore => self.run_here(plan),
            Mode::Fork => {
                if let Err(died) = run_in_child(plan, patience) {
                    let how = alloc::format!("a run was lost with the process that made it: {died}");
                    return Some(Trouble::RunLost(how));
                }
            }
        }
        with(|engine| engine.trouble.take())
    }

    /// Makes the run in this process, from a checkpoint if there is one.
    fn run_here(&mut self, plan: &Plan) {
        let resumed = self.checkpoints.resume(plan);
        if !resumed {
            self.clean();
        }
        self.resumed_at = self.checkpoints.resumed_at() as usize;
        self.checkpoints.schedule();
        self.used = true;
        run_here(plan, resumed, &mut self.checkpoints);
        if self.checkpoints.is_empty() {
            self.clean();
        }
    }

    /// Whether the run just made is a replay that shows the finding wanted. That a run does not end needs no longer
    /// attempt in a replay: the search has made one.
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

/// Lost blocks are looked for if somebody asks for them.
fn want_leaks(job: &Job, wanted: Option<FindingKind>) {
    if job.severity(FindingKind::Leak) != Severity::Ignored || wanted == Some(FindingKind::Leak) {
        leaks::want();
    }
}

fn arm(reporter: &mut Reporter) {
    if !dispatch::arm() {
        reporter.inconclusive(InconclusiveReason::Other(String::from(
            "this system offers no way to trap system calls (Syscall User Dispatch, seccomp)",
        )));
    }
}

/// Makes the run in this process and collects what is found in it. Where it was `resumed`, the engine is at the
/// checkpoint.
fn run_here(plan: &Plan, resumed: bool, checkpoints: &mut Checkpoints) {
    if resumed {
        go_on_from(pause::waiting(), checkpoints);
    } else {
        with(|engine| engine.begin(plan));
        start_and_wait(checkpoints);
    }
    pruning_log::end();
    with(|engine| {
        findings::collect(engine);
        let values = &mut engine.trace_values;
        values.contents.clear();
        values.contents.extend(values.ranges.iter().flatten().map(|&range| memory::value(range)));
    });
}

/// Makes the run in a child and takes over what it leaves behind.
fn run_in_child(plan: &Plan, patience: u64) -> Result<(), fork::Died> {
    let left = fork::run(|| {
        watchdog::start(patience);
        run_here(plan, false, &mut Checkpoints::new(0));
        with(|engine| engine.leave())
    })?;
    with(|engine| {
        engine.adopt(left);
        engine.findings.iter().for_each(|finding| engine.observer.adopt(finding));
    });
    Ok(())
}

fn start_and_wait(checkpoints: &mut Checkpoints) {
    begin_run();
    watchdog::note_progress();
    // SAFETY: no fiber runs, and only running fibers use the table.
    let contexts = unsafe { CONTEXTS.get() };
    contexts[0] = fiber::prepare(0, fiber::LARGEST_STACK, run_main, FloatControl::INITIAL);
    go_on_from(CONTEXTS.as_ptr().cast(), checkpoints);
}

extern "C" fn run_main() -> ! {
    heap_choice::decide();
    program::run_main()
}

/// Lets the program run from `context` on, to the end of the run.
fn go_on_from(context: *const fiber::FiberContext, checkpoints: &mut Checkpoints) {
    HOME.write(fiber::own_context());
    RUNNING.write(true);
    // SAFETY: the context is main's fresh one, or that of a checkpoint just brought back; the thread that ends or
    // interrupts the run switches back to `HOME`.
    unsafe { fiber::switch(HOME.as_ptr(), context) };
    while pause::paused() {
        checkpoints.take();
        // SAFETY: the thread that came to the pause waits there.
        unsafe { fiber::switch(HOME.as_ptr(), pause::waiting()) };
    }
    RUNNING.write(false);
    fiber::set_current_slot(0);
}
