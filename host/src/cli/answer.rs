//! What `inspect check` answers: the search that the verdict rests on, and the findings of all searches that were made.

use super::build::{Build, Builds};
use super::config::{Config, Searches};
use super::flags::SearchName;
use crate::error::ToolError;
use crate::report::Summary;
use crate::report::turns::TurnFigures;
use crate::search::{CheckedFinding, Confirmation, FindingIdentity, InTurns, Searched, Turned};
use crate::symbols::Symbols;
use crate::verdict::decide;
use inspect_core::detect::{FindingKind, Severity};
use inspect_core::explore::catalogue::Requirement;
use inspect_wire::message::Job;

/// A finding, with the build and the job of the search that found it.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) checked: CheckedFinding,
    pub(super) build: usize,
    pub(super) job: Job,
}

/// The answer.
pub(super) struct Answer {
    /// What the verdict rests on.
    pub(super) searched: Searched,
    /// Its job, and the number of its build.
    pub(super) job: Job,
    pub(super) build: usize,
    /// The value of `--algorithm` for it.
    pub(super) name: &'static str,
    /// All findings, errors first.
    pub(super) findings: Vec<Found>,
    /// The turns of a portfolio of which more than one was needed.
    pub(super) turns: Option<TurnFigures>,
}

impl Answer {
    /// The figures and the verdict.
    pub(super) fn summary(&self, builds: &[Build]) -> Summary {
        let verdict = decide(&self.searched.evidence(&self.job));
        let summary = Summary::new(&self.searched, verdict, &self.job, &builds[self.build].target.program);
        Summary { algorithm: self.name, turns: self.turns.clone(), ..summary }
    }

    /// The answer of one search.
    pub(super) fn of_one(searched: Searched, job: Job, build: usize) -> Answer {
        let found = |checked: &CheckedFinding| Found { checked: checked.clone(), build, job: job.clone() };
        let findings = searched.findings.iter().map(found).collect();
        Answer { name: job.algorithm.name(), findings, searched, job, build, turns: None }
    }

    /// The answer of searches that took turns.
    pub(super) fn of_turns(mut made: InTurns, config: &Config, builds: &mut Builds<'_>) -> Result<Answer, ToolError> {
        if let [only] = made.turns.as_slice() {
            let number = number(only, builds)?;
            return Ok(Answer::of_one(only.searched.clone(), only.job.clone(), number));
        }
        let mut numbers = Vec::new();
        for turned in &made.turns {
            numbers.push(number(turned, builds)?);
        }
        let findings = all_findings(&made.turns, &numbers, &builds.all);
        let (own_name, asked_by) = match config.searches {
            Searches::One | Searches::InTurns => (SearchName::Auto.name(), "--algorithm auto"),
            Searches::Sampling => ("flaky", "inspect flaky"),
        };
        let turns = Some(TurnFigures::of(&made, asked_by));
        let (name, searched, job, build) = if made.decided {
            let last = made.turns.pop().ok_or_else(no_turn)?;
            (last.job.algorithm.name(), last.searched, last.job, numbers[numbers.len() - 1])
        } else {
            (own_name, undecided(&made, config)?, config.job.clone(), 0)
        };
        let checked = findings.iter().map(|found| found.checked.clone()).collect();
        Ok(Answer { searched: Searched { findings: checked, ..searched }, job, build, name, findings, turns })
    }
}

fn no_turn() -> ToolError {
    ToolError::new("no search was made")
}

/// The number of the build of a turn that was made.
fn number(turned: &Turned, builds: &mut Builds<'_>) -> Result<usize, ToolError> {
    let requirement: Requirement = turned.job.algorithm.description().requires;
    builds.number(requirement)?.map_err(ToolError::new)
}

/// What is known if no turn settled the matter: the counts of all, and the rest from the first search.
fn undecided(made: &InTurns, config: &Config) -> Result<Searched, ToolError> {
    let first = made.turns.first().ok_or_else(no_turn)?;
    let last = made.turns.last().ok_or_else(no_turn)?;
    let threads = made.turns.iter().map(|turned| turned.searched.threads).max();
    Ok(Searched {
        counts: made.counts(),
        threads: threads.unwrap_or(0),
        estimated_total: None,
        states: None,
        elapsed: made.elapsed,
        complete: false,
        end: last.searched.end.clone(),
        reasons: made.reasons(&config.job, config.options.time_limit),
        ..first.searched.clone()
    })
}

/// The findings of all turns.
fn all_findings(turns: &[Turned], numbers: &[usize], builds: &[Build]) -> Vec<Found> {
    let of_turn = |(turned, &build): (&Turned, &usize)| {
        let found = |checked: &CheckedFinding| Found { checked: checked.clone(), build, job: turned.job.clone() };
        turned.searched.findings.iter().map(found).collect::<Vec<_>>()
    };
    each_once(turns.iter().zip(numbers).flat_map(of_turn), builds)
}

/// Findings of several searches, each once and errors first; one that was confirmed stands for one that was not.
pub(super) fn each_once(findings: impl IntoIterator<Item = Found>, builds: &[Build]) -> Vec<Found> {
    let mut all: Vec<(Key, Found)> = Vec::new();
    for found in findings {
        let key = key(&found.checked, &builds[found.build]);
        match all.iter_mut().find(|(other, _)| *other == key) {
            Some((_, known)) => {
                if known.checked.confirmation != Confirmation::Confirmed {
                    *known = found;
                }
            }
            None => all.push((key, found)),
        }
    }
    let mut all: Vec<Found> = all.into_iter().map(|(_, found)| found).collect();
    all.sort_by_key(|found| std::cmp::Reverse::<Severity>(found.checked.severity));
    all
}

/// What makes a finding the same one in another build of the program: its kind and its places in the source; where a
/// place has no line, the whole identity, which no other build shares.
type Key = (FindingKind, i32, Vec<(Option<String>, u32, u32)>, Option<FindingIdentity>);

fn key(checked: &CheckedFinding, build: &Build) -> Key {
    let symbols = Symbols::of(&build.target.program, &checked.context);
    let finding = &checked.reported.finding;
    // As between findings of one search: the two accesses of a race, and not by which thread.
    let relevant = if finding.kind == FindingKind::DataRace { 2 } else { usize::MAX };
    let mut places: Vec<_> = finding
        .places
        .iter()
        .take(relevant)
        .map(|place| symbols.locate(place.site))
        .map(|location| (location.file, location.line, location.column))
        .collect();
    places.sort();
    let is_known = places.iter().all(|(_, line, _)| *line > 0);
    (finding.kind, finding.code, places, (!is_known).then(|| checked.identity.clone()))
}
