//! Looks for a run with fewer preemptions that shows a finding, before the finding is confirmed and shown.
//!
//! Which runs are tried is decided by [`inspect_core::explore::Minimise`]; here are the process that makes them and how
//! many operations it may take.

use super::identity::{FindingIdentity, SourcePlace};
use crate::error::ToolError;
use crate::run::{Interrupt, Limits, ReportedFinding, RunOutput, STANDSTILL, Target, Terminal, run};
use inspect_core::detect::Finding;
use inspect_core::explore::Share;
use inspect_wire::message::{Goal, InconclusiveReason, Job, Mode, Task};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Operations for one finding: a number and no time, so that a finding is minimised in the same way on every machine.
/// They take some tenths of a second.
const OPERATIONS: u64 = 2_000_000;
/// Operations for all findings of a search.
const OPERATIONS_IN_ALL: u64 = 6 * OPERATIONS;
/// How many times fewer where each run is in a process of its own.
const SLOWER: u64 = 50;
/// The time for one finding, whatever its operations take.
const PATIENCE: Duration = Duration::from_secs(2);

/// How findings are minimised.
pub(super) struct Minimiser<'a> {
    pub(super) target: &'a Target,
    pub(super) job: &'a Job,
    /// When there is no time left for any run.
    pub(super) deadline: Option<Instant>,
    pub(super) interrupt: &'a Interrupt,
    /// The operations that are left.
    operations: Cell<u64>,
}

/// A run with fewer preemptions.
pub(super) struct Minimal {
    pub(super) reported: ReportedFinding,
    /// What the process reported that made it.
    pub(super) output: RunOutput,
    /// Within fewer preemptions than this, no run shows the finding.
    pub(super) none_below: u32,
}

impl<'a> Minimiser<'a> {
    pub(super) fn new(
        target: &'a Target,
        job: &'a Job,
        deadline: Option<Instant>,
        interrupt: &'a Interrupt,
    ) -> Minimiser<'a> {
        Minimiser { target, job, deadline, interrupt, operations: Cell::new(within(job, OPERATIONS_IN_ALL)) }
    }

    /// A run with as few preemptions as can be found with the operations that there are. None if no run of the process
    /// shows the finding: then there is a run from before.
    pub(super) fn minimal(
        &self,
        reported: &ReportedFinding,
        found_by: &RunOutput,
    ) -> Result<Option<Minimal>, ToolError> {
        let operations = self.operations.get().min(within(self.job, OPERATIONS));
        if operations == 0 {
            return Ok(None);
        }
        let last = Instant::now() + PATIENCE;
        let deadline = Some(self.deadline.map_or(last, |deadline| deadline.min(last)));
        let limits = Limits { deadline, standstill: Some(STANDSTILL), lingers: false };
        let job = job(self.job, reported, found_by, operations);
        let mut output = run(self.target, &job, Terminal::Captured, limits, self.interrupt, &mut |_| ())?;
        // Who interrupts this wants to see the findings, which are still to be confirmed.
        let left = if self.interrupt.take() { 0 } else { self.operations.get() };
        self.operations.set(left.saturating_sub(output.counters.transitions));
        // A run is reported only if it has fewer preemptions than those before.
        let Some(mut best) = output.findings.pop() else { return Ok(None) };
        if best.promoted.is_empty() {
            // The process has promoted nothing beyond what it was given.
            (best.promoted, best.modules) = (reported.promoted.clone(), reported.modules.clone());
        }
        let none_below = if is_whole(&output) { output.none_below } else { 0 };
        Ok(Some(Minimal { none_below: none_below.min(best.finding.preemptions), reported: best, output }))
    }
}

/// Whether the process has left nothing out below the bound that it came to.
fn is_whole(output: &RunOutput) -> bool {
    let is_bound = |reason: &InconclusiveReason| matches!(reason, InconclusiveReason::PreemptionBound(_));
    output.done.is_some_and(|(counts, _)| counts.limited == 0)
        && output.divergences.is_empty()
        && output.reasons.iter().all(is_bound)
}

/// So many operations, or fewer where they take longer.
fn within(job: &Job, operations: u64) -> u64 {
    match job.mode {
        Mode::Restore => operations,
        Mode::Fork => operations / SLOWER,
    }
}

fn job(job: &Job, reported: &ReportedFinding, found_by: &RunOutput, operations: u64) -> Job {
    let finding = &reported.finding;
    let (steps, paths) = (finding.steps.clone(), finding.paths.clone());
    Job {
        task: Task::Minimise { steps, paths, goal: goal(finding, found_by) },
        promoted: reported.promoted.clone(),
        promoted_in: reported.modules.clone(),
        preemptions: None,
        first_preemptions: None,
        symmetry: None,
        share: Some(Share::of_operations(operations)),
        max_executions: u64::MAX,
        keep_going: true,
        ..job.clone()
    }
}

fn goal(finding: &Finding, found_by: &RunOutput) -> Goal {
    let (kind, code, places) = FindingIdentity::of(finding, &found_by.modules).for_user();
    let place = |place| match place {
        SourcePlace::InModule(path, address) => (Some(path), address),
        SourcePlace::Absolute(address) => (None, address),
    };
    Goal { kind, code, witness: finding.witness, places: places.into_iter().map(place).collect() }
}
