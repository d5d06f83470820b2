//! The report for programs: one JSON object whose form is a contract (version 1).

use super::Summary;
use super::message::describe;
use super::text::Replay;
use super::turns::TurnFigures;
use crate::search::CheckedFinding;
use crate::symbols::Symbols;
use crate::words;
use inspect_core::detect::Severity;
use inspect_core::event::ThreadNumber;
use serde::Serialize;

/// The whole object.
#[derive(Serialize, Debug)]
pub struct JsonReport {
    schema: u32,
    verdict: &'static str,
    complete: bool,
    reason: Option<String>,
    algorithm: &'static str,
    plain_accesses: &'static str,
    executions: u64,
    blocked: u64,
    assume_blocked: u64,
    transitions: u64,
    threads: u32,
    /// Number of states, by algorithms that store them.
    states: Option<u64>,
    /// By algorithms that compare states: those that they could not compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    uncompared: Option<Vec<JsonNotCompared>>,
    seconds: f64,
    executions_per_second: f64,
    estimated_total: Option<u64>,
    findings: Vec<JsonFinding>,
    /// By algorithms that sample: what they guarantee.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    guarantee: Vec<String>,
    /// Of a portfolio that needed more than one turn: what its searches covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<TurnFigures>,
    assumptions: Vec<String>,
}

/// States that could not be compared.
#[derive(Serialize, Debug)]
pub struct JsonNotCompared {
    reason: &'static str,
    states: u64,
    file: Option<String>,
    line: u32,
}

impl JsonNotCompared {
    fn new(one: &super::NotCompared) -> JsonNotCompared {
        JsonNotCompared { reason: one.reason, states: one.states, file: one.at.file.clone(), line: one.at.line }
    }
}

/// One finding.
#[derive(Serialize, Debug)]
pub struct JsonFinding {
    pub(super) kind: &'static str,
    pub(super) severity: &'static str,
    pub(super) message: String,
    pub(super) file: Option<String>,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) threads: Vec<JsonPlace>,
    /// How many preemptions the run has that shows it, and below which number none shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    preemptions: Option<JsonPreemptions>,
    pub(super) replay: Option<String>,
}

/// How many preemptions a finding needs.
#[derive(Serialize, Debug)]
pub struct JsonPreemptions {
    most: u32,
    least: u32,
}

/// A place of a finding.
#[derive(Serialize, Debug)]
pub struct JsonPlace {
    pub(super) thread: ThreadNumber,
    pub(super) operation: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: u32,
    pub(super) column: u32,
    function: Option<String>,
    /// The program's own line that led there, where the place is inside a library: file and line.
    #[serde(skip_serializing_if = "Option::is_none")]
    called_at: Option<(String, u32)>,
}

impl JsonFinding {
    /// A finding with the schedule file that shows it.
    pub fn new(checked: &CheckedFinding, symbols: &Symbols, replay: &Replay) -> JsonFinding {
        let finding = &checked.reported.finding;
        let thread = |place: &inspect_core::detect::Place| {
            let position = symbols.locate_place(place.thread, place.site);
            let called_at = position.inner.as_ref().and(position.own.file).map(|file| (file, position.own.line));
            let location = symbols.locate(place.site);
            JsonPlace {
                thread: place.thread.0,
                operation: place.operation.map(|operation| words::operation(&operation, place.site, symbols, None)),
                file: location.file,
                line: location.line,
                column: location.column,
                function: location.function,
                called_at,
            }
        };
        let own = |place: &inspect_core::detect::Place| symbols.locate_place(place.thread, place.site).own;
        let first = finding.places.first().map(own).unwrap_or_default();
        JsonFinding {
            kind: finding.kind.name(),
            severity: match checked.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Ignored => "ignored",
            },
            message: describe(checked, symbols).headline,
            file: first.file,
            line: first.line,
            column: first.column,
            threads: finding.places.iter().map(thread).collect(),
            preemptions: checked.none_below.map(|least| JsonPreemptions { most: finding.preemptions, least }),
            replay: match replay {
                Replay::Saved(path) => Some(path.clone()),
                Replay::NotSaved(_) | Replay::None => None,
            },
        }
    }
}

/// The object as text.
pub fn report(summary: &Summary, findings: Vec<JsonFinding>) -> String {
    text(&object(summary, findings))
}

/// An object as text.
pub(super) fn text(object: &impl Serialize) -> String {
    serde_json::to_string_pretty(object).expect("strings and numbers can be written as JSON")
}

/// The object of a search.
pub(super) fn object(summary: &Summary, findings: Vec<JsonFinding>) -> JsonReport {
    JsonReport {
        schema: 1,
        verdict: summary.verdict.name(),
        complete: summary.whole,
        reason: summary.reason.clone(),
        algorithm: summary.algorithm,
        plain_accesses: summary.plain_accesses,
        executions: summary.counts.executions,
        blocked: summary.counts.blocked,
        assume_blocked: summary.counts.assume_blocked,
        transitions: summary.counts.transitions,
        threads: summary.threads,
        states: summary.states,
        uncompared: summary.uncompared.as_ref().map(|all| all.iter().map(JsonNotCompared::new).collect()),
        seconds: rounded(summary.seconds),
        executions_per_second: rounded(summary.rate()),
        // An estimate beyond what fits is given as the largest number that does.
        estimated_total: summary.estimated_total.map(|total| total.round() as u64),
        findings,
        guarantee: summary.guarantee.clone(),
        turns: summary.turns.clone(),
        assumptions: summary.assumptions.clone(),
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
