//! An exploration with what has to outlive a guest: what was done, what is left, and the checkpoint file that holds
//! both.

use super::balance::{Balancer, Shared, Standing};
use super::checkpoint::{self, Progressed, SearchCheckpoint};
use super::outcome::{CheckedFinding, SearchOptions};
use super::reasons;
use crate::error::ToolError;
use crate::run::{GuestEnd, Interrupt, Limits, Local, ReportedFinding, RunOutput, STANDSTILL, Target, Transport};
use crate::verdict::Reason;
use inspect_core::detect::Severity;
use inspect_core::event::FEW_THREADS;
use inspect_core::explore::Counts;
use inspect_core::explore::catalogue::SearchSharing;
use inspect_wire::message::{Job, Mode, Task};
use std::cell::OnceCell;
use std::time::{Duration, Instant};

/// The result of an exploration, by one guest or several.
pub(super) struct Explored {
    pub(super) outputs: Vec<RunOutput>,
    pub(super) counts: Counts,
    pub(super) complete: bool,
    /// The time of its turn was over.
    pub(super) timed_out: bool,
    pub(super) end: GuestEnd,
    pub(super) threads: u32,
    pub(super) estimated_total: Option<f64>,
    pub(super) states: Option<u64>,
    /// Time spent exploring, in all.
    pub(super) elapsed: Duration,
    /// Why the verdict cannot be `verified`, beside the reasons that the guests reported.
    pub(super) reasons: Vec<Reason>,
    /// What was counted by the turns before, if they were turns of this search.
    pub(super) before: Counts,
    /// What was done and what is left, if the search is a turn that can go on later.
    left: Option<Progressed>,
}

/// A search between two of its turns.
#[derive(Clone, Debug)]
pub(super) struct SuspendedSearch {
    pub(super) state: Progressed,
    mode: Mode,
    keep_going: bool,
    /// What guests reported in its turns so far.
    outputs: Vec<RunOutput>,
    /// What was confirmed of it.
    pub(super) checked: Vec<CheckedFinding>,
    elapsed: Duration,
    reasons: Vec<Reason>,
}

/// A search in progress.
pub(super) struct SearchSession<'a> {
    pub(super) job: Job,
    pub(super) options: &'a SearchOptions,
    start: Instant,
    /// Time spent before the search was resumed.
    pub(super) before: Duration,
    /// What guests reported whose work was void.
    pub(super) earlier: Vec<RunOutput>,
    /// What guests reported that made the first part of this search, before it was resumed.
    first_part: Vec<RunOutput>,
    pub(super) reasons: Vec<Reason>,
    state: Progressed,
    /// Files that the checkpoint depends on.
    libraries: OnceCell<Vec<(String, String)>>,
}

impl<'a> SearchSession<'a> {
    pub(super) fn new(job: &Job, options: &'a SearchOptions, start: Instant) -> Result<Self, ToolError> {
        let mut session = SearchSession {
            job: job.clone(),
            options,
            start,
            before: Duration::ZERO,
            earlier: Vec::new(),
            first_part: Vec::new(),
            reasons: Vec::new(),
            state: Progressed::nothing(),
            libraries: OnceCell::new(),
        };
        if let (Some(path), Some(origin)) = (&options.resume, &options.origin) {
            let checkpoint = SearchCheckpoint::read(path, origin)?;
            session.first_part = checkpoint.outputs();
            session.job.mode = checkpoint.mode;
            (session.before, session.reasons) = (checkpoint.elapsed, checkpoint.reasons);
            session.resume(checkpoint.state);
        }
        Ok(session)
    }

    /// The next turn of a search; returns what was confirmed in those before.
    pub(super) fn go_on(&mut self, suspended: SuspendedSearch) -> Vec<CheckedFinding> {
        let SuspendedSearch { state, mode, keep_going, outputs, checked, elapsed, reasons } = suspended;
        (self.job.mode, self.job.keep_going) = (mode, keep_going);
        (self.before, self.reasons, self.first_part) = (elapsed, reasons, outputs);
        self.resume(state);
        checked
    }

    /// Begins with what was done, and with what had been promoted by then.
    fn resume(&mut self, state: Progressed) {
        self.job.promoted = state.promoted.clone();
        self.job.watch_sets = state.watch_sets.clone();
        self.job.promoted_in = state.promoted_in.clone();
        self.state = state;
    }

    /// The search between this turn and the next one; None if there is nothing to go on from.
    pub(super) fn suspended(&self, explored: &Explored, checked: &[CheckedFinding]) -> Option<SuspendedSearch> {
        let state = explored.left.clone()?;
        Some(SuspendedSearch {
            state,
            mode: self.job.mode,
            keep_going: self.job.keep_going,
            outputs: explored.outputs.clone(),
            checked: checked.to_vec(),
            elapsed: explored.elapsed,
            reasons: self.reasons.clone(),
        })
    }

    /// From when on the time limit counts.
    fn counts_from(&self) -> Instant {
        self.options.since.unwrap_or(self.start)
    }

    fn limits(&self) -> Limits {
        let deadline = self.options.time_limit.map(|limit| self.counts_from() + limit);
        Limits { deadline, standstill: Some(STANDSTILL), lingers: false }
    }

    pub(super) fn stopped_at_an_error(&self, outputs: &[RunOutput]) -> bool {
        let error = |reported: &ReportedFinding| self.job.severity(reported.finding.kind) == Severity::Error;
        !self.job.keep_going && outputs.iter().any(|output| output.findings.iter().any(error))
    }

    /// Until when findings may be confirmed: for a tenth of the time limit after it, and for two seconds at least.
    pub(super) fn last_moment(&self) -> Option<Instant> {
        const LEAST: Duration = Duration::from_secs(2);
        self.options.time_limit.map(|limit| self.counts_from() + limit + LEAST.max(limit / 10))
    }

    /// Forgets what was done, and has everything made again without a stop at the first error.
    pub(super) fn go_on_after_errors(&mut self, outputs: Vec<RunOutput>) {
        self.job.keep_going = true;
        self.begin_anew(outputs);
    }

    /// Forgets what was done and what was promoted; only the findings of these `outputs` stay.
    fn begin_anew(&mut self, outputs: Vec<RunOutput>) {
        self.earlier.extend(outputs);
        self.first_part.clear();
        (self.job.promoted, self.job.watch_sets, self.job.promoted_in) = (Vec::new(), Vec::new(), Vec::new());
        self.state = Progressed::nothing();
    }

    /// Forgets what was done, and has everything made again in fork mode.
    pub(super) fn repeat_in_fork_mode(&mut self, why: &str, outputs: Vec<RunOutput>) {
        self.reasons.push(reasons::of_repetition(why));
        self.job.mode = Mode::Fork;
        self.begin_anew(outputs);
    }

    /// Has room for as many threads as the part of the search had that was made before.
    pub(super) fn have_room(&self, target: &Target) -> Result<(), ToolError> {
        if self.state.threads as usize > FEW_THREADS { target.room.widen(&target.program) } else { Ok(()) }
    }

    /// Forgets what was done, and has everything made again with room for many threads.
    pub(super) fn repeat_with_many_threads(&mut self, target: &Target) -> Result<(), ToolError> {
        target.room.widen(&target.program)?;
        self.begin_anew(Vec::new());
        Ok(())
    }

    /// Whether workers that share the search get parts of it; otherwise each has all of it.
    fn can_be_divided(&self) -> bool {
        self.job.algorithm.description().sharing != SearchSharing::States
    }

    /// Explores what is left: with one worker that is given everything at once or, where the search may be divided or
    /// resumed, with workers that report what they have left.
    pub(super) fn explore(
        &mut self,
        target: &Target,
        interrupt: &Interrupt,
        look: &mut dyn FnMut(Standing<'_>),
    ) -> Result<Explored, ToolError> {
        let options = self.options;
        let finished = self.state.work.is_empty() || self.stopped_at_an_error(&self.first_part);
        let shared = if finished {
            let complete = self.state.work.is_empty() && self.state.lost == 0;
            Shared { state: self.state.clone(), complete, threads: self.state.threads, ..Shared::nothing() }
        } else {
            let resumed = self.state != Progressed::nothing();
            let divided = self.can_be_divided() && (resumed || options.may_be_divided());
            let has_shown = |outputs: &[&RunOutput]| {
                let all = self.first_part.iter().chain(outputs.iter().copied());
                target.room.is_too_small_for(outputs.iter().copied()) || options.wanted.are_shown(&target.program, all)
            };
            let balancer = Balancer {
                transport: &mut *transport(options, target)?,
                job: Job { task: if divided { Task::Work } else { Task::Explore }, ..self.job.clone() },
                workers: options.workers.max(1),
                limits: self.limits(),
                keep_every: options.checkpoint.as_ref().map_or(Duration::MAX, |(_, every)| *every),
                has_shown: &has_shown,
                turn: options.turn,
                clock: &Instant::now,
            };
            self.keep(&self.state, &[])?;
            // A checkpoint that cannot be written now can perhaps be written later.
            let mut keep = |state: &Progressed, outputs: &[&RunOutput]| drop(self.keep(state, outputs));
            balancer.run(self.state.clone(), interrupt, look, &mut keep)?
        };
        let kept = self.keep(&shared.state, &shared.outputs.iter().collect::<Vec<_>>());
        let mut explored = self.explored(shared);
        let unwritten = kept.err().filter(|_| !explored.complete && !lost(&explored.end));
        // What was found is reported in any case.
        explored.reasons.extend(unwritten.map(|why| reasons::of_unwritten_checkpoint(&why)));
        Ok(explored)
    }

    fn explored(&self, mut shared: Shared) -> Explored {
        let state = &shared.state;
        let mut counts = state.counts;
        let mut reasons = Vec::new();
        if shared.full {
            reasons.push(reasons::of_full(&self.job));
        }
        if counts == Counts::default() && state.voided != Counts::default() {
            counts = state.voided;
            reasons.push(reasons::of_new_pass());
        }
        // Two passes may have been voided with the same counts; then fewer runs are counted than before.
        let Counts { executions, transitions, .. } = self.state.counts;
        let fewer = counts.executions < executions || counts.transitions < transitions;
        let begun_anew = fewer || state.voided != self.state.voided;
        let can_go_on = self.job.share.is_some() && !shared.complete && shared.is_left_known;
        let share = (state.covered > 0.0).then(|| state.counts.runs() as f64 / state.covered);
        Explored {
            counts,
            complete: shared.complete,
            timed_out: shared.timed_out,
            end: shared.end,
            threads: shared.threads,
            estimated_total: shared.estimated_total.or(share),
            states: shared.states,
            elapsed: self.before + self.start.elapsed(),
            reasons,
            before: if begun_anew { Counts::default() } else { self.state.counts },
            left: can_go_on.then(|| state.clone()),
            outputs: self.first_part.iter().cloned().chain(std::mem::take(&mut shared.outputs)).collect(),
        }
    }

    fn keep(&self, state: &Progressed, outputs: &[&RunOutput]) -> Result<(), ToolError> {
        let (Some((path, _)), Some(origin)) = (&self.options.checkpoint, &self.options.origin) else { return Ok(()) };
        let outputs: Vec<&RunOutput> =
            self.earlier.iter().chain(&self.first_part).chain(outputs.iter().copied()).collect();
        let elapsed = self.before + self.start.elapsed();
        let modules = outputs.iter().find(|output| !output.modules.is_empty()).map(|output| &output.modules);
        let libraries = modules.map(|modules| self.libraries.get_or_init(|| checkpoint::libraries(modules)));
        let libraries = libraries.map_or(&[][..], Vec::as_slice);
        SearchCheckpoint::new(origin, self.job.mode, elapsed, state, &self.reasons, &outputs, libraries).write(path)
    }
}

/// Where the workers of a search of `target` are.
fn transport<'a>(options: &'a SearchOptions, target: &'a Target) -> Result<Box<dyn Transport + 'a>, ToolError> {
    match &options.cluster {
        Some(cluster) => Ok(Box::new(cluster.ranks(target)?)),
        None => Ok(Box::new(Local::new(target))),
    }
}

/// Whether a guest ended such that its results may be lost or wrong.
pub(super) fn lost(end: &GuestEnd) -> bool {
    match end {
        GuestEnd::Died { .. } | GuestEnd::Garbled(_) | GuestEnd::NotStarted { .. } => true,
        GuestEnd::Done | GuestEnd::TimeLimit | GuestEnd::Interrupted | GuestEnd::HasShown | GuestEnd::Stuck => false,
    }
}
