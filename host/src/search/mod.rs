//! A whole search: explore, redo in fork mode what a dying guest lost, confirm every finding in a fresh process.

mod balance;
mod checkpoint;
pub mod confirm;
mod first_execution;
mod identity;
pub mod reasons;

pub use checkpoint::{Checkpoint, Origin, Progressed};
pub use confirm::Confirmation;
pub use identity::{Identity, SourcePlace};

use crate::cli::config::severity;
use crate::error::ToolError;
use crate::run::{
    Counters, GuestEnd, Interrupt, Limits, Local, ReplayTrace, ReportedFinding, RunOutput, Target, Terminal, run,
};
use crate::verdict::{Evidence, Reason, Weight};
use balance::{Balancer, Shared};
use inspect_core::detect::{Severity, Witness};
use inspect_core::event::SiteId;
use inspect_core::explore::Counts;
use inspect_wire::message::{CallStacks, Job, Mode, Module, ResolvedSite, Uncompared};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a run may show no sign of life before it is given up. The guest has its own, shorter watch over endless
/// loops; this one is for a guest that has lost control.
const STANDSTILL: Duration = Duration::from_secs(60);

/// What the addresses in a finding mean.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Context {
    /// Where code is.
    pub modules: Vec<Module>,
    /// Source locations.
    pub sites: Vec<ResolvedSite>,
    /// Names of made-up objects.
    pub objects: BTreeMap<u64, String>,
    /// The run that shows the finding.
    pub trace: Option<ReplayTrace>,
    /// Which calls led to what it shows.
    pub call_stacks: CallStacks,
}

impl Context {
    /// What `output` tells about addresses, and its trace.
    pub fn of(output: &RunOutput) -> Context {
        Context {
            modules: output.modules.clone(),
            sites: output.sites.clone(),
            objects: output.objects.clone(),
            trace: output.trace.clone(),
            call_stacks: output.call_stacks.clone(),
        }
    }
}

/// A finding with everything the report needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reported {
    /// The finding, from the replay if it was confirmed.
    pub told: ReportedFinding,
    /// Its severity in this search.
    pub severity: Severity,
    /// Whether a fresh process showed it again.
    pub confirmation: Confirmation,
    /// What tells it from others, in any process.
    pub identity: Identity,
    /// What its addresses mean.
    pub context: Context,
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Searched {
    /// Findings, errors first.
    pub findings: Vec<Reported>,
    /// Executions and transitions.
    pub counts: Counts,
    /// The largest number of threads of a run.
    pub threads: u32,
    /// Estimate of the executions of the whole search.
    pub estimated_total: Option<f64>,
    /// How many states the search remembered.
    pub states: Option<u64>,
    /// Time spent exploring.
    pub elapsed: Duration,
    /// Whether nothing was left to explore.
    pub complete: bool,
    /// What else makes `verified` impossible.
    pub reasons: Vec<Reason>,
    /// Where code was in the exploring guest.
    pub modules: Vec<Module>,
    /// States that could not be compared: why, how many, and where a thread stood in the first of them.
    pub uncompared: Vec<(Uncompared, u64, SiteId)>,
    /// What the exploring guest told of places.
    pub sites: Vec<ResolvedSite>,
    /// The beginning of the first execution, if no execution came to its end.
    pub first_execution: Option<Context>,
}

impl Searched {
    /// What the verdict rests on.
    pub fn evidence(&self, job: &Job) -> Evidence {
        let weight = |reported: &Reported| Weight {
            kind: reported.told.finding.kind,
            severity: reported.severity,
            confirmed: reported.confirmation == Confirmation::Confirmed,
        };
        Evidence {
            complete: self.complete,
            executions: self.counts.executions,
            limited: self.counts.limited,
            plain_accesses: job.plain_accesses,
            findings: self.findings.iter().map(weight).collect(),
            reasons: self.reasons.clone(),
        }
    }
}

/// ReportedFinding to whoever shows progress.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Exploring; the counters now.
    Exploring(&'a Counters),
    /// Confirming this finding of so many.
    Confirming(usize, usize),
}

/// How a search is to be made, beside the job of its guests.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// `--time-limit`
    pub time_limit: Option<Duration>,
    /// How many guests share the search.
    pub workers: usize,
    /// Where checkpoints are written to, and how often.
    pub checkpoint: Option<(PathBuf, Duration)>,
    /// The checkpoint to go on from.
    pub resume: Option<PathBuf>,
    /// What checkpoints belong to.
    pub origin: Option<Origin>,
}

/// What came of exploring, by one guest or several.
struct Explored {
    outputs: Vec<RunOutput>,
    counts: Counts,
    complete: bool,
    end: GuestEnd,
    threads: u32,
    estimated_total: Option<f64>,
    states: Option<u64>,
    /// Beside what the guests gave.
    reasons: Vec<Reason>,
}

/// Searches `target` as `job` says.
pub fn search(
    target: &Target,
    job: &Job,
    options: &SearchOptions,
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Searched, ToolError> {
    let start = Instant::now();
    let mut look = |counters: &Counters| progress(Progress::Exploring(counters));
    let mut session = SearchSession::new(job, options, start)?;
    let mut explored = session.explore(target, interrupt, &mut look)?;
    if let GuestEnd::NotStarted { output, how } = &explored.end {
        return Err(not_started(target, output, how));
    }
    if lost(&explored.end) && session.job.mode == Mode::Restore && !session.stopped_at_an_error(&explored.outputs) {
        let errors: Vec<&str> =
            explored.outputs.iter().flat_map(|output| &output.tool_errors).map(String::as_str).collect();
        let why = match errors.as_slice() {
            [] => reasons::of_end(&explored.end, options.time_limit, job).map(|reason| reason.what).unwrap_or_default(),
            errors => format!("the exploring process gave up: {}", errors.join(", ")),
        };
        session.repeat_in_fork_mode(&why, explored.outputs);
        explored = session.explore(target, interrupt, &mut look)?;
    }
    let elapsed = session.before + start.elapsed();
    interrupt.take();

    let mut reasons = session.reasons.clone();
    reasons.extend(reasons::of_end(&explored.end, options.time_limit, job));
    reasons.extend(explored.reasons);
    for output in &explored.outputs {
        for reason in reasons::of_run(output, job, target) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    let complete = explored.complete && !lost(&explored.end);
    let modules = explored.outputs.last().map(|output| output.modules.clone()).unwrap_or_default();
    let last = explored.outputs.last();
    let (uncompared, sites) = last.map(|output| (output.uncompared.clone(), output.sites.clone())).unwrap_or_default();
    let wanted = first_execution::is_wanted(&explored.counts, &explored.end, &explored.outputs);
    let first_execution = if wanted { first_execution::beginning(target, &session.job, interrupt)? } else { None };
    let all: Vec<RunOutput> = session.earlier.drain(..).chain(explored.outputs).collect();
    let findings = confirm_all(target, job, &all, interrupt, progress)?;
    Ok(Searched {
        findings,
        counts: explored.counts,
        threads: explored.threads,
        estimated_total: if complete { Some(explored.counts.executions as f64) } else { explored.estimated_total },
        states: explored.states,
        elapsed,
        complete,
        reasons,
        modules,
        uncompared,
        sites,
        first_execution,
    })
}

/// A search on its way.
struct SearchSession<'a> {
    job: Job,
    options: &'a SearchOptions,
    start: Instant,
    /// Time spent before this start of Inspect.
    before: Duration,
    /// What guests told whose work was void, or who were there before this start of Inspect.
    earlier: Vec<RunOutput>,
    reasons: Vec<Reason>,
    state: Progressed,
    /// Files that the checkpoint depends on.
    libraries: OnceCell<Vec<(String, String)>>,
}

impl<'a> SearchSession<'a> {
    fn new(job: &Job, options: &'a SearchOptions, start: Instant) -> Result<Self, ToolError> {
        let mut session = SearchSession {
            job: job.clone(),
            options,
            start,
            before: Duration::ZERO,
            earlier: Vec::new(),
            reasons: Vec::new(),
            state: Progressed::nothing(),
            libraries: OnceCell::new(),
        };
        if let (Some(path), Some(origin)) = (&options.resume, &options.origin) {
            let checkpoint = Checkpoint::read(path, origin)?;
            session.earlier = checkpoint.outputs();
            session.job.mode = checkpoint.mode;
            session.job.promoted = checkpoint.state.promoted.clone();
            session.job.watch_sets = checkpoint.state.watch_sets.clone();
            session.job.promoted_in = checkpoint.state.promoted_in.clone();
            (session.before, session.reasons, session.state) =
                (checkpoint.elapsed, checkpoint.reasons, checkpoint.state);
        }
        Ok(session)
    }

    fn limits(&self) -> Limits {
        let deadline = self.options.time_limit.map(|limit| self.start + limit);
        Limits { deadline, standstill: Some(STANDSTILL), lingers: false }
    }

    fn stopped_at_an_error(&self, outputs: &[RunOutput]) -> bool {
        let error = |told: &ReportedFinding| severity(told.finding.kind, &self.job.severities) == Severity::Error;
        !self.job.keep_going && outputs.iter().any(|output| output.findings.iter().any(error))
    }

    /// What was done is void.
    fn repeat_in_fork_mode(&mut self, why: &str, outputs: Vec<RunOutput>) {
        self.reasons.push(reasons::of_repetition(why));
        self.earlier.extend(outputs);
        self.job.mode = Mode::Fork;
        (self.job.promoted, self.job.watch_sets, self.job.promoted_in) = (Vec::new(), Vec::new(), Vec::new());
        self.state = Progressed::nothing();
    }

    fn explore(
        &mut self,
        target: &Target,
        interrupt: &Interrupt,
        look: &mut dyn FnMut(&Counters),
    ) -> Result<Explored, ToolError> {
        if self.options.workers > 1 || self.options.checkpoint.is_some() || self.options.resume.is_some() {
            return self.share(target, interrupt, look);
        }
        let output = run(target, &self.job, Terminal::Captured, self.limits(), interrupt, look)?;
        let full = output.done.is_some_and(|(counts, complete)| !complete && counts.runs() >= self.job.max_executions);
        Ok(Explored {
            counts: counts(&output),
            complete: output.done.is_some_and(|(_, complete)| complete),
            end: output.end.clone(),
            threads: output.counters.threads,
            estimated_total: output.counters.estimated_total,
            states: output.counters.states,
            reasons: if full { vec![reasons::of_full(&self.job)] } else { Vec::new() },
            outputs: vec![output],
        })
    }

    /// The same, shared among workers.
    fn share(
        &mut self,
        target: &Target,
        interrupt: &Interrupt,
        look: &mut dyn FnMut(&Counters),
    ) -> Result<Explored, ToolError> {
        let options = self.options;
        let finished = self.state.work.is_empty() || self.stopped_at_an_error(&self.earlier);
        let shared = if finished {
            let (state, threads) = (self.state.clone(), self.state.threads);
            let complete = state.work.is_empty() && state.lost == 0;
            Shared { outputs: Vec::new(), state, end: GuestEnd::Done, full: false, complete, threads }
        } else {
            let balancer = Balancer {
                transport: &mut Local::new(target),
                job: self.job.clone(),
                workers: options.workers.max(1),
                limits: self.limits(),
                keep_every: options.checkpoint.as_ref().map_or(Duration::MAX, |(_, every)| *every),
            };
            self.keep(&self.state, &[])?;
            // What cannot be written now can perhaps be written later.
            let mut keep = |state: &Progressed, outputs: &[&RunOutput]| {
                let _ = self.keep(state, outputs);
            };
            balancer.run(self.state.clone(), interrupt, look, &mut keep)?
        };
        let kept = self.keep(&shared.state, &shared.outputs.iter().collect::<Vec<_>>());
        if !shared.complete && !lost(&shared.end) {
            kept?;
        }
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
        Ok(Explored {
            counts,
            complete: shared.complete,
            end: shared.end,
            threads: shared.threads,
            estimated_total: (state.covered > 0.0).then(|| state.counts.runs() as f64 / state.covered),
            states: None,
            reasons,
            outputs: shared.outputs,
        })
    }

    fn keep(&self, state: &Progressed, outputs: &[&RunOutput]) -> Result<(), ToolError> {
        let (Some((path, _)), Some(origin)) = (&self.options.checkpoint, &self.options.origin) else { return Ok(()) };
        let outputs: Vec<&RunOutput> = self.earlier.iter().chain(outputs.iter().copied()).collect();
        let elapsed = self.before + self.start.elapsed();
        let modules = outputs.iter().find(|output| !output.modules.is_empty()).map(|output| &output.modules);
        let libraries = modules.map(|modules| self.libraries.get_or_init(|| checkpoint::libraries(modules)));
        let libraries = libraries.map_or(&[][..], Vec::as_slice);
        Checkpoint::new(origin, self.job.mode, elapsed, state, &self.reasons, &outputs, libraries).write(path)
    }
}

/// Whether what the guest did may be lost or wrong.
fn lost(end: &GuestEnd) -> bool {
    match end {
        GuestEnd::Died { .. } | GuestEnd::Garbled(_) | GuestEnd::NotStarted { .. } => true,
        GuestEnd::Done | GuestEnd::TimeLimit | GuestEnd::Interrupted | GuestEnd::Stuck => false,
    }
}

/// The guest's own counts, or the last ones seen if it did not come to its end.
fn counts(output: &RunOutput) -> Counts {
    output.done.map_or(
        Counts {
            executions: output.counters.executions,
            blocked: output.counters.blocked,
            assume_blocked: output.counters.assume_blocked,
            limited: 0,
            transitions: output.counters.transitions,
        },
        |(counts, _)| counts,
    )
}

/// Confirms the findings of all runs, each once.
fn confirm_all(
    target: &Target,
    job: &Job,
    runs: &[RunOutput],
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<Reported>, ToolError> {
    /// How many schedules of one finding are tried.
    const TRIES: usize = 3;
    let mut groups: BTreeMap<_, Vec<(&ReportedFinding, &RunOutput)>> = BTreeMap::new();
    let mut order = Vec::new();
    for output in runs {
        for told in &output.findings {
            if severity(told.finding.kind, &job.severities) == Severity::Ignored {
                continue;
            }
            let key = Identity::of(&told.finding, &output.modules).for_user();
            let group = groups.entry(key.clone()).or_default();
            if group.is_empty() {
                order.push(key);
            }
            group.push((told, output));
        }
    }
    for group in groups.values_mut() {
        // The same race seen again with both accesses about to happen at once is the better evidence.
        group.sort_by_key(|(told, _)| told.finding.witness != Some(Witness::CoPending));
    }
    let mut findings = Vec::new();
    for (number, key) in order.iter().enumerate() {
        progress(Progress::Confirming(number + 1, order.len()));
        let mut reported = None;
        for (told, output) in groups[key].iter().take(TRIES) {
            let tried = confirm::confirm(target, job, told, output, interrupt)?;
            let confirmed = tried.confirmation == Confirmation::Confirmed;
            if reported.is_none() || confirmed {
                reported = Some(tried);
            }
            if confirmed {
                break;
            }
        }
        findings.extend(reported);
    }
    findings.sort_by_key(|reported| std::cmp::Reverse(reported.severity));
    Ok(findings)
}

/// The error for a program that ends before the guest has taken the job.
pub fn not_started(target: &Target, output: &str, how: &str) -> ToolError {
    let shown = target.program.display();
    let mut text = format!("{shown}: ended before Inspect could take over: {how}");
    if !output.is_empty() {
        text.push_str("\n  it wrote:");
        for line in output.lines() {
            text.push_str("\n    ");
            text.push_str(line);
        }
    }
    ToolError::new(text)
}
