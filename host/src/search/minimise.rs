//! Looks for a run with fewer preemptions that shows a finding, before the finding is confirmed and shown.
//!
//! Which runs are tried is decided by [`inspect_core::explore::Minimise`]; here are the process that makes them and the
//! time that it may take.

use super::identity::{FindingIdentity, SourcePlace};
use super::outcome::STANDSTILL;
use crate::error::ToolError;
use crate::run::{Interrupt, Limits, ReportedFinding, RunOutput, Target, Terminal, run};
use inspect_core::detect::Finding;
use inspect_wire::message::{Goal, InconclusiveReason, Job, Task};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The time for one finding.
const PATIENCE: Duration = Duration::from_millis(500);
/// The time for all findings of a search.
const PATIENCE_IN_ALL: Duration = Duration::from_secs(3);

/// How findings are minimised.
pub(super) struct Minimiser<'a> {
    pub(super) target: &'a Target,
    pub(super) job: &'a Job,
    /// When there is no time left for any run.
    pub(super) deadline: Option<Instant>,
    pub(super) interrupt: &'a Interrupt,
    /// The time that is left.
    patience: Cell<Duration>,
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
        Minimiser { target, job, deadline, interrupt, patience: Cell::new(PATIENCE_IN_ALL) }
    }

    /// A run with as few preemptions as can be found in the time that there is. None if no run of the process shows the
    /// finding: then there is a run from before.
    pub(super) fn minimal(
        &self,
        reported: &ReportedFinding,
        found_by: &RunOutput,
    ) -> Result<Option<Minimal>, ToolError> {
        if self.patience.get().is_zero() {
            return Ok(None);
        }
        let start = Instant::now();
        let last = start + self.patience.get().min(PATIENCE);
        let deadline = Some(self.deadline.map_or(last, |deadline| deadline.min(last)));
        let limits = Limits { deadline, standstill: Some(STANDSTILL), lingers: false };
        let job = job(self.job, reported, found_by);
        let mut output = run(self.target, &job, Terminal::Captured, limits, self.interrupt, &mut |_| ())?;
        // Who interrupts this wants to see the findings, which are still to be confirmed.
        let left = if self.interrupt.take() { Duration::ZERO } else { self.patience.get() };
        self.patience.set(left.saturating_sub(start.elapsed()));
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

fn job(job: &Job, reported: &ReportedFinding, found_by: &RunOutput) -> Job {
    let finding = &reported.finding;
    let (steps, paths) = (finding.steps.clone(), finding.paths.clone());
    Job {
        task: Task::Minimise { steps, paths, goal: goal(finding, found_by) },
        promoted: reported.promoted.clone(),
        promoted_in: reported.modules.clone(),
        preemptions: None,
        first_preemptions: None,
        symmetry: None,
        share: None,
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
