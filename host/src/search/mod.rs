//! A whole search: explores, repeats everything in fork mode if a guest has died, confirms every finding in a fresh
//! process.

mod balance;
mod checkpoint;
pub mod cluster;
pub mod confirm;
mod first_execution;
mod identity;
mod minimise;
mod outcome;
mod portfolio;
mod reached;
pub mod reasons;
mod session;
mod wanted;

pub use balance::Standing;
pub use checkpoint::{Origin, Progressed, SearchCheckpoint};
pub use identity::{FindingIdentity, SourcePlace};
pub use outcome::{CheckedFinding, Confirmation, Progress, SearchOptions, Searched};
pub use portfolio::{InTurns, ProgramState, Targets, Turned, all_searches, in_turns, sampling_searches};

pub use reached::ReachedPlaces;
pub use wanted::{RacePlaces, WantedRaces, race};

use crate::error::ToolError;
use crate::run::{GuestEnd, Interrupt, RunOutput, Target};
use crate::verdict::Reason;
use confirm::Confirmer;
use inspect_core::explore::SampledRuns;
use inspect_wire::message::{Job, Mode};
use minimise::Minimiser;
use session::{Explored, SearchSession, SuspendedSearch, lost};
use std::collections::BTreeSet;
use std::time::Instant;

/// Searches `target` as `job` says.
pub fn search(
    target: &Target,
    job: &Job,
    options: &SearchOptions,
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Searched, ToolError> {
    turn_of_search(target, job, options, &mut None, interrupt, progress)
}

/// The same, from where its last turn has `suspended` it; leaves it there again if its share is used up.
fn turn_of_search(
    target: &Target,
    job: &Job,
    options: &SearchOptions,
    suspended: &mut Option<SuspendedSearch>,
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Searched, ToolError> {
    let start = Instant::now();
    let mut session = SearchSession::new(job, options, start)?;
    let checked = suspended.take().map_or_else(Vec::new, |suspended| session.go_on(suspended));
    let mut explored = explore(&mut session, target, job, interrupt, progress)?;
    // What the user asks for from now on concerns what comes next.
    interrupt.take();
    let deadline = session.last_moment();
    let minimised = Job { mode: session.job.mode, ..job.clone() };
    let minimiser = (!options.as_found).then(|| Minimiser::new(target, &minimised, deadline, interrupt));
    let confirmer = Confirmer { target, job, deadline, interrupt, minimiser };
    let outputs: Vec<&RunOutput> = session.earlier.iter().chain(&explored.outputs).collect();
    let mut findings = confirmer.all(&outputs, checked, progress)?;
    // What stopped the search may have been an error that no replay shows.
    let stopped = explored.end == GuestEnd::Done && session.stopped_at_an_error(&explored.outputs);
    if stopped && !findings.iter().any(CheckedFinding::is_error) {
        session.go_on_after_errors(std::mem::take(&mut explored.outputs));
        explored = explore(&mut session, target, job, interrupt, progress)?;
        interrupt.take();
        findings = with_other_schedules(&confirmer, findings, &explored.outputs, progress)?;
    }
    *suspended = session.suspended(&explored, &findings);
    let wanted = first_execution::is_wanted(&explored.counts, &explored.end, &explored.outputs);
    let first_execution = if wanted { first_execution::beginning(target, &session.job, interrupt) } else { None };
    let reasons = all_reasons(&session, &explored, job, target);
    Ok(Searched { first_execution, ..searched(explored, findings, reasons) })
}

/// What was `found` first, and what a second search found: its schedules may show what the first ones did not.
fn with_other_schedules(
    confirmer: &Confirmer<'_>,
    found: Vec<CheckedFinding>,
    outputs: &[RunOutput],
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<CheckedFinding>, ToolError> {
    let (shown, unshown): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|checked| checked.confirmation == Confirmation::Confirmed);
    let mut findings = confirmer.all(&outputs.iter().collect::<Vec<_>>(), shown, progress)?;
    let again: BTreeSet<_> = findings.iter().map(|checked| checked.identity.for_user()).collect();
    findings.extend(unshown.into_iter().filter(|old| !again.contains(&old.identity.for_user())));
    Ok(findings)
}

/// The result of a search, with what it found.
fn searched(explored: Explored, findings: Vec<CheckedFinding>, reasons: Vec<Reason>) -> Searched {
    let complete = explored.complete && !lost(&explored.end);
    let modules = explored.outputs.last().map(|output| output.modules.clone()).unwrap_or_default();
    let last = explored.outputs.last();
    let (uncompared, sites) = last.map(|output| (output.uncompared.clone(), output.sites.clone())).unwrap_or_default();
    Searched {
        findings,
        counts: explored.counts,
        before: explored.before,
        threads: explored.threads,
        estimated_total: if complete { Some(explored.counts.executions as f64) } else { explored.estimated_total },
        states: explored.states,
        elapsed: explored.elapsed,
        complete,
        timed_out: explored.timed_out,
        reasons,
        reported: explored.outputs.iter().flat_map(|output| output.reasons.iter().cloned()).collect(),
        end: explored.end,
        modules,
        sampled: explored.outputs.iter().filter_map(|output| output.sampled).reduce(SampledRuns::and),
        harmless_races: explored.outputs.iter().flat_map(|output| output.harmless_races.iter().copied()).collect(),
        uncompared,
        sites,
        first_execution: None,
    }
}

/// Explores; once more in fork mode, if the program destroys its process.
fn explore(
    session: &mut SearchSession<'_>,
    target: &Target,
    job: &Job,
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Explored, ToolError> {
    let mut look = |standing: Standing<'_>| progress(Progress::Exploring(standing));
    let explored = explore_in_room(session, target, interrupt, &mut look)?;
    if let GuestEnd::NotStarted { output, how } = &explored.end {
        return Err(not_started(target, output, how));
    }
    if !lost(&explored.end) || session.job.mode != Mode::Restore || session.stopped_at_an_error(&explored.outputs) {
        return Ok(explored);
    }
    let why = why_repeated(&explored, session.options, job);
    session.repeat_in_fork_mode(&why, explored.outputs);
    explore_in_room(session, target, interrupt, &mut look)
}

/// Explores; once more with room for many threads, if the program creates them.
fn explore_in_room(
    session: &mut SearchSession<'_>,
    target: &Target,
    interrupt: &Interrupt,
    look: &mut dyn FnMut(Standing<'_>),
) -> Result<Explored, ToolError> {
    session.have_room(target)?;
    let explored = session.explore(target, interrupt, look)?;
    if !target.room.is_too_small_for(&explored.outputs) {
        return Ok(explored);
    }
    session.repeat_with_many_threads(target)?;
    session.explore(target, interrupt, look)
}

/// Why a search is repeated in fork mode.
fn why_repeated(explored: &Explored, options: &SearchOptions, job: &Job) -> String {
    let errors: Vec<&str> =
        explored.outputs.iter().flat_map(|output| &output.tool_errors).map(String::as_str).collect();
    match errors.as_slice() {
        [] => reasons::of_end(&explored.end, options.time_limit, job).map(|reason| reason.what).unwrap_or_default(),
        errors => format!("the exploring process gave up: {}", errors.join(", ")),
    }
}

/// What keeps the verdict from being `verified`; what the guests reported comes last, each reason once.
fn all_reasons(session: &SearchSession<'_>, explored: &Explored, job: &Job, target: &Target) -> Vec<Reason> {
    let mut reasons = session.reasons.clone();
    reasons.extend(reasons::of_end(&explored.end, session.options.time_limit, job));
    reasons.extend(explored.reasons.iter().cloned());
    for reason in explored.outputs.iter().flat_map(|output| reasons::of_run(output, job, target)) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
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
