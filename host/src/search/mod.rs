//! A whole search: explores, repeats everything in fork mode if a guest has died, confirms every finding in a fresh
//! process.

mod balance;
mod checkpoint;
pub mod confirm;
mod first_execution;
mod identity;
mod outcome;
pub mod reasons;
mod session;

pub use checkpoint::{Origin, Progressed, SearchCheckpoint};
pub use identity::{FindingIdentity, SourcePlace};
pub use outcome::{CheckedFinding, Confirmation, Progress, SearchOptions, Searched};

use crate::error::ToolError;
use crate::run::{Counters, GuestEnd, Interrupt, RunOutput, Target};
use inspect_wire::message::{Job, Mode};
use session::{SearchSession, lost};
use std::time::Instant;

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
    let first_execution = if wanted { first_execution::beginning(target, &session.job, interrupt) } else { None };
    let all: Vec<RunOutput> = session.earlier.drain(..).chain(explored.outputs).collect();
    let findings = confirm::confirm_all(target, job, &all, interrupt, progress)?;
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
