//! A whole search: explore, redo in fork mode what a dying guest lost, confirm every finding in a fresh process.

pub mod confirm;
mod identity;
pub mod reasons;

pub use confirm::Confirmation;
pub use identity::{Identity, Spot};

use crate::cli::config::severity;
use crate::error::ToolError;
use crate::run::{Counters, GuestEnd, Interrupt, Limits, ReplayTrace, RunOutput, Target, Terminal, Told, run};
use crate::verdict::{Evidence, Weight};
use inspect_core::detect::{Severity, Witness};
use inspect_core::explore::Counts;
use inspect_wire::message::{Job, Mode, Module, ResolvedSite};
use std::collections::BTreeMap;
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
}

impl Context {
    /// What `output` tells about addresses, and its trace.
    pub fn of(output: &RunOutput) -> Context {
        Context {
            modules: output.modules.clone(),
            sites: output.sites.clone(),
            objects: output.objects.clone(),
            trace: output.trace.clone(),
        }
    }
}

/// A finding with everything the report needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reported {
    /// The finding, from the replay if it was confirmed.
    pub told: Told,
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
    /// What else makes `verified` impossible, in words.
    pub reasons: Vec<String>,
    /// Where code was in the exploring guest.
    pub modules: Vec<Module>,
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

/// Told to whoever shows progress.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Exploring; the counters now.
    Exploring(&'a Counters),
    /// Confirming this finding of so many.
    Confirming(usize, usize),
}

/// Searches `target` as `job` says.
pub fn search(
    target: &Target,
    job: &Job,
    time_limit: Option<Duration>,
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Searched, ToolError> {
    let start = Instant::now();
    let limits =
        Limits { deadline: time_limit.map(|limit| start + limit), standstill: Some(STANDSTILL), lingers: false };
    let mut explore = |job: &Job| {
        let mut look = |counters: &Counters| progress(Progress::Exploring(counters));
        run(target, job, Terminal::Captured, limits, interrupt, &mut look)
    };
    let mut runs = vec![explore(job)?];
    let mut reasons = Vec::new();
    if let GuestEnd::NotStarted { output, how } = &runs[0].end {
        return Err(not_started(target, output, how));
    }
    if lost(&runs[0]) && job.mode == Mode::Restore && !stopped_at_an_error(&runs[0], job) {
        let why = match runs[0].tool_errors.as_slice() {
            [] => reasons::of_end(&runs[0].end, time_limit).join(" "),
            errors => format!("the exploring process gave up: {}", errors.join(", ")),
        };
        reasons.push(format!("{why}; it was repeated in fork mode"));
        runs.push(explore(&Job { mode: Mode::Fork, ..job.clone() })?);
    }
    let elapsed = start.elapsed();
    interrupt.take();

    let last = runs.last().expect("at least one run");
    let counts = counts(last);
    let complete = last.done.is_some_and(|(_, complete)| complete) && !lost(last);
    reasons.extend(reasons::of_run(last, job, time_limit, target));
    let findings = confirm_all(target, job, &runs, interrupt, progress)?;
    Ok(Searched {
        findings,
        counts,
        threads: last.counters.threads,
        estimated_total: if complete { Some(counts.executions as f64) } else { last.counters.estimated_total },
        states: last.counters.states,
        elapsed,
        complete,
        reasons,
        modules: last.modules.clone(),
    })
}

/// Whether what the guest did may be lost or wrong.
fn lost(output: &RunOutput) -> bool {
    match output.end {
        GuestEnd::Died { .. } | GuestEnd::Garbled(_) | GuestEnd::NotStarted { .. } => true,
        GuestEnd::Done | GuestEnd::TimeLimit | GuestEnd::Interrupted | GuestEnd::Stuck => false,
    }
}

fn stopped_at_an_error(output: &RunOutput, job: &Job) -> bool {
    let error = |told: &Told| severity(told.finding.kind, &job.severities) == Severity::Error;
    !job.keep_going && output.findings.iter().any(error)
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
    let mut groups: BTreeMap<_, Vec<(&Told, &RunOutput)>> = BTreeMap::new();
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
