//! A finding is shown only after a fresh process has shown it again (S11).

use super::identity::FindingIdentity;
use super::identity::layouts_differ;
use super::outcome::{CheckedFinding, Confirmation, Progress, STANDSTILL};
use super::reasons;
use crate::error::ToolError;
use crate::run::AddressContext;
use crate::run::{GuestEnd, Interrupt, Limits, ReportedFinding, RunOutput, Target, Terminal, run};
use crate::symbols::Symbols;
use inspect_core::detect::{Finding, Severity, Witness};
use inspect_wire::message::{Job, Task};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long one confirmation may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Confirms the findings of all runs, each once.
pub(super) fn confirm_all(
    target: &Target,
    job: &Job,
    runs: &[RunOutput],
    interrupt: &Interrupt,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Vec<CheckedFinding>, ToolError> {
    /// How many schedules of one finding are tried.
    const TRIES: usize = 3;
    let mut groups: BTreeMap<_, Vec<(&ReportedFinding, &RunOutput)>> = BTreeMap::new();
    let mut order = Vec::new();
    for output in runs {
        for reported in &output.findings {
            if job.severity(reported.finding.kind) == Severity::Ignored {
                continue;
            }
            let key = FindingIdentity::of(&reported.finding, &output.modules).for_user();
            let group = groups.entry(key.clone()).or_default();
            if group.is_empty() {
                order.push(key);
            }
            group.push((reported, output));
        }
    }
    for group in groups.values_mut() {
        // The same race seen again with both accesses about to happen at once is the better evidence.
        group.sort_by_key(|(reported, _)| reported.finding.witness != Some(Witness::CoPending));
    }
    let mut findings = Vec::new();
    for (number, key) in order.iter().enumerate() {
        progress(Progress::Confirming(number + 1, order.len()));
        let mut checked = None;
        for (reported, output) in groups[key].iter().take(TRIES) {
            let tried = confirm(target, job, reported, output, interrupt)?;
            let confirmed = tried.confirmation == Confirmation::Confirmed;
            if checked.is_none() || confirmed {
                checked = Some(tried);
            }
            if confirmed {
                break;
            }
        }
        findings.extend(checked);
    }
    findings.sort_by_key(|checked| std::cmp::Reverse(checked.severity));
    Ok(findings)
}

/// Runs the schedule of `reported`, found by the guest with the output `found_by`, in a fresh process.
fn confirm(
    target: &Target,
    job: &Job,
    reported: &ReportedFinding,
    found_by: &RunOutput,
    interrupt: &Interrupt,
) -> Result<CheckedFinding, ToolError> {
    let severity = job.severity(reported.finding.kind);
    let finding = &reported.finding;
    let (steps, paths) = (finding.steps.clone(), finding.paths.clone());
    let wanted = FindingIdentity::of(&reported.finding, &found_by.modules);
    let task = Task::Replay { steps, paths, places: wanted.places(), wanted: finding.kind, live: false };
    let (promoted, promoted_in) = (reported.promoted.clone(), reported.modules.clone());
    let replay = Job { task, promoted, promoted_in, ..job.clone() };
    let limits = Limits { deadline: Some(Instant::now() + LIMIT), standstill: Some(STANDSTILL), lingers: false };
    let output = run(target, &replay, Terminal::Captured, limits, interrupt, &mut |_| ())?;

    match output.findings.iter().find(|again| FindingIdentity::of(&again.finding, &output.modules) == wanted) {
        Some(again) => Ok(CheckedFinding {
            // The steps stay those of the search: the replay may stop at the finding.
            reported: ReportedFinding {
                finding: Finding { steps: finding.steps.clone(), ..again.finding.clone() },
                ..reported.clone()
            },
            severity,
            confirmation: Confirmation::Confirmed,
            identity: wanted,
            context: AddressContext::of(&output),
        }),
        None => Ok(CheckedFinding {
            reported: reported.clone(),
            severity,
            confirmation: Confirmation::Failed(failure(target, &output, found_by)),
            identity: wanted,
            context: AddressContext::of(found_by),
        }),
    }
}

/// Why the replay did not show the finding, in words.
fn failure(target: &Target, output: &RunOutput, found_by: &RunOutput) -> String {
    let what = what_happened(target, output);
    if layouts_differ(output, found_by) {
        return format!("it depends on the address layout, which this system does not let Inspect fix ({what})");
    }
    what
}

/// What a replay did instead of showing the finding.
pub fn what_happened(target: &Target, output: &RunOutput) -> String {
    if let Some(error) = output.tool_errors.first() {
        return format!("Inspect failed: {error}");
    }
    if let Some(divergence) = output.divergences.first() {
        let symbols = Symbols::new(&target.program, &output.modules, &output.sites).naming(&output.objects);
        return reasons::divergence(divergence, &symbols);
    }
    match &output.end {
        GuestEnd::Done => {}
        GuestEnd::TimeLimit | GuestEnd::Stuck => return "the replay did not come to its end".to_owned(),
        GuestEnd::Interrupted => return "the replay was interrupted".to_owned(),
        GuestEnd::NotStarted { how, .. } | GuestEnd::Died { how, .. } => return format!("the replay died: {how}"),
        GuestEnd::Garbled(what) => return format!("the replay overwrote the shared memory: {what}"),
    }
    match output.findings.first() {
        Some(other) => format!("the replay showed another finding ({})", other.finding.kind.name()),
        None => "the replay went through without it".to_owned(),
    }
}
