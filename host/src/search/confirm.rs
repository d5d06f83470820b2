//! A finding is shown only after a fresh process has shown it again (S11).

use super::identity::{FindingIdentity, SourcePlace, layouts_differ};
use super::minimise::Minimiser;
use super::outcome::{CheckedFinding, Confirmation, Progress};
use super::reasons;
use crate::error::ToolError;
use crate::run::AddressContext;
use crate::run::{GuestEnd, Interrupt, Limits, ReportedFinding, RunOutput, STANDSTILL, Target, Terminal, run};
use crate::symbols::Symbols;
use inspect_core::detect::{Finding, FindingKind, Severity, Witness};
use inspect_wire::message::{Job, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How long one confirmation may take.
const LIMIT: Duration = Duration::from_secs(120);

/// How findings are confirmed.
pub(super) struct Confirmer<'a> {
    pub(super) target: &'a Target,
    pub(super) job: &'a Job,
    /// When there is no time left for any replay.
    pub(super) deadline: Option<Instant>,
    pub(super) interrupt: &'a Interrupt,
    /// Looks for runs with fewer preemptions first.
    pub(super) minimiser: Option<Minimiser<'a>>,
}

/// A finding as it was reported, each time with the output of the guest that found it.
type Reports<'a> = Vec<(&'a ReportedFinding, &'a RunOutput)>;

impl Confirmer<'_> {
    /// Confirms the findings of all runs, each once and errors first, and those that a replay shows in place of what it
    /// was to show. What is `checked` already stays as it is.
    pub(super) fn all(
        &self,
        runs: &[&RunOutput],
        checked: Vec<CheckedFinding>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Vec<CheckedFinding>, ToolError> {
        let mut findings = checked;
        let mut instead = self.each(runs, &mut findings, progress)?;
        while !instead.is_empty() {
            instead = self.each(&instead.iter().collect::<Vec<_>>(), &mut findings, progress)?;
        }
        findings.sort_by_key(|checked| std::cmp::Reverse(checked.severity));
        Ok(findings)
    }

    /// Adds the findings of these runs that are not among the `checked` ones. Returns the replays that showed something
    /// else.
    fn each(
        &self,
        runs: &[&RunOutput],
        checked: &mut Vec<CheckedFinding>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Vec<RunOutput>, ToolError> {
        let known = checked.iter().map(|one| one.identity.for_user()).collect();
        let groups = groups(self.job, runs, known);
        let mut instead = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            progress(Progress::Confirming(number + 1, groups.len()));
            checked.extend(self.one(group, &mut instead)?);
        }
        Ok(instead)
    }

    /// Confirms one finding, with a schedule of few preemptions if one is found.
    fn one(&self, group: &Reports<'_>, instead: &mut Vec<RunOutput>) -> Result<Option<CheckedFinding>, ToolError> {
        let (Some(minimiser), Some((reported, found_by))) = (&self.minimiser, group.first()) else {
            return self.first_shown(group, instead);
        };
        // Warnings are shown in one line.
        if self.job.severity(reported.finding.kind) != Severity::Error {
            return self.first_shown(group, instead);
        }
        if reported.finding.preemptions == 0 {
            let checked = self.first_shown(group, instead)?;
            return Ok(checked.map(|checked| CheckedFinding { none_below: Some(0), ..checked }));
        }
        if let Some(minimal) = minimiser.minimal(reported, found_by)? {
            let (checked, _) = self.replay(&minimal.reported, &minimal.output)?;
            if checked.confirmation == Confirmation::Confirmed {
                return Ok(Some(CheckedFinding { none_below: Some(minimal.none_below), ..checked }));
            }
        }
        self.first_shown(group, instead)
    }

    /// Confirms one finding with the first of its schedules that does; otherwise says why the first one does not.
    fn first_shown(
        &self,
        group: &Reports<'_>,
        instead: &mut Vec<RunOutput>,
    ) -> Result<Option<CheckedFinding>, ToolError> {
        /// How many schedules of one finding are tried.
        const TRIES: usize = 3;
        let mut first = None;
        for (reported, output) in group.iter().take(TRIES) {
            let (tried, replay) = self.replay(reported, output)?;
            if tried.confirmation == Confirmation::Confirmed {
                return Ok(Some(tried));
            }
            first.get_or_insert(tried);
            instead.extend((!replay.findings.is_empty()).then_some(replay));
        }
        Ok(first)
    }

    /// Runs the schedule of `reported`, found by the guest with the output `found_by`, in a fresh process.
    fn replay(
        &self,
        reported: &ReportedFinding,
        found_by: &RunOutput,
    ) -> Result<(CheckedFinding, RunOutput), ToolError> {
        let Confirmer { target, job, .. } = *self;
        let severity = job.severity(reported.finding.kind);
        let finding = &reported.finding;
        let (steps, paths) = (finding.steps.clone(), finding.paths.clone());
        let wanted = FindingIdentity::of(&reported.finding, &found_by.modules);
        let task = Task::Replay { steps, paths, places: wanted.places(), wanted: finding.kind, live: false };
        let (promoted, promoted_in) = (reported.promoted.clone(), reported.modules.clone());
        // The run may have another error before the one that is to be shown.
        let replay = Job { task, promoted, promoted_in, keep_going: true, ..job.clone() };
        let own = Instant::now() + LIMIT;
        let deadline = Some(self.deadline.map_or(own, |deadline| deadline.min(own)));
        let limits = Limits { deadline, standstill: Some(STANDSTILL), lingers: false };
        let mut output = run(target, &replay, Terminal::Captured, limits, self.interrupt, &mut |_| ())?;
        // What it found is found with the same locations promoted.
        for other in &mut output.findings {
            (other.promoted, other.modules) = (reported.promoted.clone(), reported.modules.clone());
        }

        Ok((judged(target, severity, reported, wanted, found_by, &output), output))
    }
}

/// What the replay of a finding shows of it.
fn judged(
    target: &Target,
    severity: Severity,
    reported: &ReportedFinding,
    wanted: FindingIdentity,
    found_by: &RunOutput,
    replay: &RunOutput,
) -> CheckedFinding {
    let again = replay.findings.iter().find(|again| FindingIdentity::of(&again.finding, &replay.modules) == wanted);
    let Some(again) = again else {
        return CheckedFinding {
            reported: reported.clone(),
            severity,
            confirmation: Confirmation::Failed(failure(target, replay, found_by)),
            identity: wanted,
            context: AddressContext::of(found_by),
            none_below: None,
        };
    };
    // The steps stay those of the search: the replay may stop at the finding.
    let Finding { steps, preemptions, .. } = reported.finding.clone();
    let finding = Finding { steps, preemptions, ..again.finding.clone() };
    CheckedFinding {
        reported: ReportedFinding { finding, ..reported.clone() },
        severity,
        confirmation: Confirmation::Confirmed,
        identity: wanted,
        context: AddressContext::of(replay),
        none_below: None,
    }
}

/// The findings of all runs that are neither ignored nor `known`, those that are one for the user together; in the
/// order in which they were reported first, and in each group the best evidence first.
fn groups<'a>(
    job: &Job,
    runs: &[&'a RunOutput],
    known: BTreeSet<(FindingKind, i32, Vec<SourcePlace>)>,
) -> Vec<Reports<'a>> {
    let mut numbers = BTreeMap::new();
    let mut groups: Vec<Reports<'a>> = Vec::new();
    for &output in runs {
        for reported in &output.findings {
            let key = FindingIdentity::of(&reported.finding, &output.modules).for_user();
            if job.severity(reported.finding.kind) == Severity::Ignored || known.contains(&key) {
                continue;
            }
            let number = *numbers.entry(key).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Vec::new());
            }
            groups[number].push((reported, output));
        }
    }
    for group in &mut groups {
        // The same race seen again with both accesses about to happen at once is the better evidence.
        group.sort_by_key(|(reported, _)| reported.finding.witness != Some(Witness::CoPending));
    }
    groups
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
        GuestEnd::Interrupted | GuestEnd::HasShown => return "the replay was interrupted".to_owned(),
        GuestEnd::NotStarted { how, .. } | GuestEnd::Died { how, .. } => return format!("the replay died: {how}"),
        GuestEnd::Garbled(what) => return format!("the replay overwrote the shared memory: {what}"),
    }
    match output.findings.first() {
        Some(other) => format!("the replay showed another finding ({})", other.finding.kind.name()),
        None => "the replay went through without it".to_owned(),
    }
}
