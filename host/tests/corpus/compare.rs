//! Compares the tool's answer with the expected one. All differences are reported at once.

use super::expect::{Case, ExpectedFinding, KnownMiss, Verdict};
use super::markers::Marker;
use super::report::{Report, ReportedFinding};
use super::run::Outcome;
use std::fmt::{Debug, Write};

/// Fails with every difference between the case and the outcome.
pub(crate) fn outcome(case: &Case, outcome: &Outcome, markers: &[Marker]) -> Result<(), String> {
    let right = differences(case, outcome, markers);
    let Some(miss) = &case.known_miss else {
        return result(right, outcome);
    };
    if right.is_empty() {
        return Err(format!("the answer is right: the known miss ({}) is history, delete it", miss.why));
    }
    result(differences(&missing(case, miss), outcome, markers), outcome)
}

/// The case with today's wrong answer in place of the right one.
fn missing(case: &Case, miss: &KnownMiss) -> Case {
    let mut today = case.clone();
    today.verdict = miss.verdict;
    today.executions = miss.executions;
    today.findings.clone_from(&miss.findings);
    (today.blocked, today.assume_blocked, today.reason, today.assumption) = (None, None, None, None);
    today
}

fn result(differences: String, outcome: &Outcome) -> Result<(), String> {
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{differences}\n--- command\n{}\n--- output\n{}\n--- errors\n{}",
        outcome.command, outcome.output, outcome.errors
    ))
}

fn differences(case: &Case, outcome: &Outcome, markers: &[Marker]) -> String {
    let report = &outcome.report;
    let mut text = String::new();
    let mut differ = |what: &str, expected: &dyn Debug, found: &dyn Debug| {
        writeln!(text, "{what}: expected {expected:?}, found {found:?}").expect("strings take everything");
    };
    if report.verdict != case.verdict {
        differ("verdict", &case.verdict, &(report.verdict, &report.reason));
    }
    let status = match report.verdict {
        Verdict::Verified => 0,
        Verdict::Violated => 1,
        Verdict::Inconclusive => 3,
    };
    if outcome.status != Some(status) {
        differ("exit status", &Some(status), &outcome.status);
    }
    let counts = [
        ("executions", case.executions, report.executions),
        ("blocked", case.blocked, report.blocked),
        ("assume_blocked", case.assume_blocked, report.assume_blocked),
    ];
    for (name, expected, found) in counts {
        if expected.is_some_and(|expected| expected != found) {
            differ(name, &expected, &found);
        }
    }
    word_differences(case, report, &mut differ);
    text + &finding_differences(case, report, markers)
}

/// Finds where the report's reason and assumptions differ from the expected ones.
fn word_differences(case: &Case, report: &Report, differ: &mut dyn FnMut(&str, &dyn Debug, &dyn Debug)) {
    if let Some(part) = &case.reason
        && !report.reason.as_ref().is_some_and(|reason| reason.contains(part))
    {
        differ("reason", part, &report.reason);
    }
    if let Some(part) = &case.assumption
        && !report.assumptions.iter().any(|assumption| assumption.contains(part))
    {
        differ("assumption", part, &report.assumptions);
    }
    let whole = match report.verdict {
        Verdict::Verified => true,
        Verdict::Violated => report.complete,
        Verdict::Inconclusive => false,
    };
    if whole == report.reason.is_some() || report.verdict == Verdict::Verified && !report.complete {
        let found = (report.complete, &report.reason);
        differ("complete, and a reason where it is not or the verdict is inconclusive", &report.verdict, &found);
    }
}

fn finding_differences(case: &Case, report: &Report, markers: &[Marker]) -> String {
    let mut text = String::new();
    for expected in &case.findings {
        if !expected.nowhere && !markers.iter().any(|marker| meant(marker, expected)) {
            writeln!(text, "no line is marked for {expected:?}").expect("strings take everything");
        }
        let reported = report.findings.iter().any(|finding| matches(finding, expected, markers));
        if !reported && !expected.optional {
            writeln!(text, "not reported: {expected:?}").expect("strings take everything");
        }
    }
    for finding in &report.findings {
        if !case.findings.iter().any(|expected| matches(finding, expected, markers)) {
            let (kind, file, line) = (&finding.kind, &finding.file, finding.line);
            writeln!(text, "not expected: {kind} at {file:?}:{line:?}: {}", finding.message)
                .expect("strings take everything");
        }
    }
    text
}

fn meant(marker: &Marker, expected: &ExpectedFinding) -> bool {
    marker.kind == expected.kind && (expected.label.is_none() || marker.label == expected.label)
}

fn matches(finding: &ReportedFinding, expected: &ExpectedFinding, markers: &[Marker]) -> bool {
    let here = |marker: &Marker| {
        meant(marker, expected)
            && finding.line == Some(marker.line)
            && finding.file.as_ref().is_some_and(|file| file.file_name() == marker.file.file_name())
    };
    finding.kind == expected.kind
        && expected.severity.as_ref().is_none_or(|severity| *severity == finding.severity)
        && (expected.nowhere || markers.iter().any(here))
}
