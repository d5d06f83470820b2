//! The main loop: plan, run, judge, learn, until nothing is left or somebody says stop.
//!
//! Everything here runs on the engine's own stack, between runs.

use super::report::{self, Reporter};
use super::state::{self, CONTEXTS, Engine, HOME, RUNNING, Trouble, VISIBILITY, Visibility, with};
use super::{detection, forked, memory, replay};
use crate::model::key;
use crate::platform::{Global, begin_run, dispatch, fiber, link, program, snapshot};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;
use inspect_core::event::{Ending, Event, LimitKind, Plan};
use inspect_core::explore::{Counts, Dfs, Dpor, Explorer, Optimal, Source};
use inspect_core::run::{Options, Run};
use inspect_wire::message::{Algorithm, InconclusiveReason, Job, Mode, PlainAccesses, Task};

/// Does what the host ordered, then ends the process.
pub(crate) fn main_loop(job: Job) -> ! {
    let (steps, paths, live): (&[_], &[_], bool) = match &job.task {
        Task::Explore => (&[], &[], false),
        Task::Replay { steps, paths, live } => (steps, paths, *live),
    };
    let options = Options { max_steps: job.max_steps, spurious_wakeups: job.spurious_wakeups };
    let replaying = matches!(job.task, Task::Replay { .. });
    let values_wanted = replaying || job.tell_traces.is_some();
    state::install(Engine::new(Run::new(options, paths), values_wanted, &job));
    FORKING.write(job.mode == Mode::Fork);
    // SAFETY: no run has begun.
    *unsafe { VISIBILITY.get() } = Visibility { mode: job.plain_accesses, promoted: job.promoted.clone() };
    let mut reporter = Reporter::new(&job.severities);
    reporter.modules();
    key::remember();
    prepare();
    if !dispatch::arm() {
        reporter.inconclusive(InconclusiveReason::Other(String::from(
            "this system offers no way to trap system calls (Syscall User Dispatch, seccomp)",
        )));
    }
    if replaying { replay::replay(&mut reporter, steps, live) } else { Search::new(&job, reporter).explore() }
}

/// Whether each run is made in a forked child.
static FORKING: Global<bool> = Global::new(false);

/// Remembers what runs start from.
fn prepare() {
    if FORKING.read() {
        snapshot::take_for_fork();
    } else if let Err(error) = snapshot::take() {
        report::tool_error(&alloc::format!("cannot take the snapshot that runs start from: {error:?}"));
    }
}

/// Runs the program once along `plan`, and brings its memory back. The engine's state then holds the record.
pub(super) fn run(plan: &Plan) -> Option<Trouble> {
    loop {
        let heartbeat = &link::header().heartbeat;
        heartbeat.store(heartbeat.load(Relaxed) + 1, Relaxed);
        let trouble = if FORKING.read() {
            forked::run(plan)
        } else {
            let trouble = run_here(plan);
            snapshot::restore();
            trouble
        };
        match trouble {
            Some(Trouble::GrowTo(slots)) => {
                fiber::ensure_slots(slots);
                prepare();
            }
            other => return other,
        }
    }
}

/// Runs the program once along `plan` in this process, and leaves its memory as it then is.
pub(super) fn run_here(plan: &Plan) -> Option<Trouble> {
    with(|engine| {
        engine.run.begin(plan);
        engine.reset();
        detection::begin(engine);
    });
    start_and_wait();
    with(|engine| {
        let ranges = engine.tell.as_deref().unwrap_or_default();
        engine.contents.clear();
        engine.contents.extend(ranges.iter().map(|&range| memory::value(range)));
        engine.trouble.take()
    })
}

fn start_and_wait() {
    begin_run();
    key::reset();
    // SAFETY: no fiber runs, so nobody else uses the table.
    let contexts = unsafe { CONTEXTS.get() };
    contexts[0] = fiber::prepare(0, program::run_main);
    HOME.write(fiber::own_context());
    RUNNING.write(true);
    // SAFETY: main's context is fresh; whoever ends the run switches back to `HOME`.
    unsafe { fiber::switch(HOME.as_ptr(), CONTEXTS.as_ptr().cast()) };
    RUNNING.write(false);
    fiber::set_current_slot(0);
}

/// A search in progress.
struct Search<'a> {
    job: &'a Job,
    explorer: Box<dyn Explorer>,
    counts: Counts,
    reporter: Reporter,
    /// The events of the last run: the origin of whatever prefix the next plan shares with it.
    reference: Vec<Event>,
}

impl<'a> Search<'a> {
    fn new(job: &'a Job, reporter: Reporter) -> Self {
        Search { job, explorer: explorer(job), counts: Counts::default(), reporter, reference: Vec::new() }
    }

    fn explore(mut self) -> ! {
        let mut plan = Plan::default();
        let mut complete = false;
        while !self.should_stop() {
            plan.clear();
            if !self.explorer.next_plan(&mut plan) {
                complete = true;
                break;
            }
            let trouble = run(&plan);
            if !self.judge(&plan, trouble) {
                break;
            }
        }
        self.tell_progress(true);
        self.reporter.done(self.counts, complete)
    }

    fn should_stop(&self) -> bool {
        let made = self.counts.executions + self.counts.blocked + self.counts.assume_blocked + self.counts.limited;
        made >= self.job.max_executions
            || link::header().stop.load(Relaxed) != 0
            || self.reporter.full
            || (self.reporter.error_found && !self.job.keep_going)
    }

    /// Takes in the run just made; false if the search cannot go on.
    fn judge(&mut self, plan: &Plan, trouble: Option<Trouble>) -> bool {
        match trouble {
            None => {}
            Some(Trouble::Unmodelled(call, site)) => {
                self.reporter.inconclusive(InconclusiveReason::Unmodelled { call, site });
            }
            Some(Trouble::Defect(message)) => report::tool_error(&message),
            Some(Trouble::GrowTo(_)) => unreachable!("such a run is repeated"),
            Some(Trouble::Lost(message)) => {
                self.reporter.inconclusive(InconclusiveReason::Other(message));
                return false;
            }
        }
        if !self.follows_its_plan(plan) {
            return false;
        }
        with(|engine| detection::judge(engine, &mut self.reporter));
        if self.promote() {
            return true;
        }
        with(|engine| self.explorer.learn(engine.run.trace()));
        self.count();
        true
    }

    /// Compares the run with the run its plan's prefix came from.
    fn follows_its_plan(&mut self, plan: &Plan) -> bool {
        with(|engine| {
            let trace = engine.run.trace();
            let shared = plan.steps.iter().zip(&self.reference);
            let shared = shared.take_while(|(step, event)| step.thread == event.thread && step.choice == event.choice);
            let shared = shared.count();
            let differs = |(expected, found): (&Event, &Event)| {
                expected.site != found.site || expected.operation != found.operation || expected.thread != found.thread
            };
            let first = self.reference[..shared].iter().zip(&trace.events).position(differs);
            let at = match (first, trace.ending) {
                (Some(at), _) => at,
                (None, Ending::Diverged(at)) => at.index(),
                (None, _) => {
                    self.reference.truncate(shared);
                    self.reference.extend_from_slice(trace.events.get(shared..).unwrap_or(&[]));
                    return true;
                }
            };
            let wanted = plan.steps.get(at).map(|step| step.thread);
            let pending = || trace.pending.iter().find(|pending| Some(pending.thread) == wanted).map(report::as_event);
            let expected = self.reference[..shared].get(at).copied();
            let found = trace.events.get(at).copied().or_else(pending);
            self.reporter.divergence(at as u32, expected, found);
            false
        })
    }

    /// Makes locations visible on which a race was found, and one of locations that loops watch together; begins the
    /// search anew if there were any.
    fn promote(&mut self) -> bool {
        let regrouped = with(|engine| engine.groups.merge_found());
        let promoted = self.promote_races();
        if promoted || regrouped {
            // SAFETY: no run is in progress.
            let promoted = unsafe { &(*VISIBILITY.as_ptr()).promoted };
            self.reporter.send(&inspect_wire::message::Message::Promoted(promoted.clone()));
            self.explorer = explorer(self.job);
            self.counts = Counts::default();
            self.reference.clear();
        }
        promoted || regrouped
    }

    fn promote_races(&mut self) -> bool {
        let found = with(detection::racing);
        if found.is_empty() || self.job.plain_accesses == PlainAccesses::All {
            return false;
        }
        if self.job.plain_accesses == PlainAccesses::Sync {
            self.reporter.inconclusive(InconclusiveReason::UnexploredRace);
            return false;
        }
        // SAFETY: no run is in progress.
        let promoted = &mut unsafe { VISIBILITY.get() }.promoted;
        let before = promoted.clone();
        promoted.extend(found);
        promoted.sort();
        merge_overlapping(promoted);
        *promoted != before
    }

    fn count(&mut self) {
        let (ending, events, threads) = with(|engine| {
            let trace = engine.run.trace();
            (trace.ending, trace.events.len() as u64, engine.run.paths().len() as u32)
        });
        self.counts.transitions += events;
        match ending {
            Ending::Completed | Ending::Deadlocked | Ending::Livelocked => self.counts.executions += 1,
            Ending::AssumeBlocked => self.counts.assume_blocked += 1,
            Ending::Blocked => self.counts.blocked += 1,
            Ending::Limit(kind) => {
                self.counts.limited += 1;
                if kind != LimitKind::Unmodelled {
                    self.reporter.inconclusive(InconclusiveReason::Limit(kind));
                }
            }
            Ending::Diverged(_) => unreachable!("a diverged run is not counted"),
        }
        link::header().threads.store(threads, Relaxed);
        self.tell_progress(false);
    }

    fn tell_progress(&mut self, last: bool) {
        const ESTIMATE_EVERY: u64 = 256;
        let header = link::header();
        header.executions.store(self.counts.executions, Relaxed);
        header.blocked.store(self.counts.blocked, Relaxed);
        header.assume_blocked.store(self.counts.assume_blocked, Relaxed);
        header.transitions.store(self.counts.transitions, Relaxed);
        if (last || self.counts.executions % ESTIMATE_EVERY == 0)
            && let Some(estimate) = self.explorer.estimated_total()
        {
            header.estimated_total.store(estimate.to_bits(), Relaxed);
        }
        let opaque = with(|engine| core::mem::take(&mut engine.opaque));
        for site in opaque {
            self.reporter.inconclusive(InconclusiveReason::OpaqueAssembly { site });
        }
    }
}

fn merge_overlapping(ranges: &mut Vec<inspect_core::event::ByteRange>) {
    ranges.dedup_by(|next, kept| {
        let overlap = next.start < kept.end();
        if overlap {
            kept.len = kept.len.max((next.end() - kept.start) as u32);
        }
        overlap
    });
}

fn explorer(job: &Job) -> Box<dyn Explorer> {
    match job.algorithm {
        Algorithm::Dfs => Box::new(Dfs::new()),
        Algorithm::Dpor => Box::new(Dpor::new()),
        Algorithm::Source => Box::new(Source::new()),
        Algorithm::Optimal => Box::new(Optimal::new()),
    }
}
