//! Every error of the corpus that was minimised against searches with a bound on preemptions: the bounded search that
//! ends with one preemption fewer does not show it, and the one with as many does.

use crate::expect::Case;
use crate::report::{Report, ReportedFinding};
use crate::run::Scene;
use std::path::Path;

/// Bounded searches that take longer say nothing: a bound is compared where its search ends.
const PATIENCE: &str = "10s";

/// The places of a finding, whichever thread is there.
fn places(finding: &ReportedFinding) -> Vec<String> {
    // After the two accesses of a race come operations too weak to order them, if the race was shown in that way.
    let relevant = if finding.kind == "data-race" { 2 } else { usize::MAX };
    let place = |thread: &serde_json::Value| format!("{} {} {}", thread["file"], thread["line"], thread["column"]);
    let mut places: Vec<String> = finding.threads.iter().take(relevant).map(place).collect();
    places.sort();
    places
}

fn shows(report: &Report, wanted: &ReportedFinding) -> bool {
    report.findings.iter().any(|other| other.kind == wanted.kind && places(other) == places(wanted))
}

/// Whether a bounded search came to its end; what it left out is beyond its bound.
fn has_ended(report: &Report) -> bool {
    let bound = |reason: &String| reason.starts_with("preemption bound");
    report.complete || report.reason.as_ref().is_some_and(bound)
}

/// Compares the numbers in the report of a case with bounded searches.
pub(crate) fn check(inspect: &Path, directory: &Path, case: &Case) -> Result<(), String> {
    // A bounded search has its own conditions; the case's flags are for another one.
    if case.algorithm.is_some() || case.preemptions.is_some() || !case.flags.is_empty() {
        return Ok(());
    }
    let found = Scene::set(directory, case)?.check(inspect, case, false)?;
    for finding in found.report.findings.iter().filter(|finding| finding.severity == "error") {
        let Some(needed) = &finding.preemptions else {
            return Err(format!("{} at {:?} was not minimised", finding.kind, finding.line));
        };
        println!(
            "{}: {} needs {} to {} preemptions",
            case.name.as_deref().unwrap_or(""),
            finding.kind,
            needed.least,
            needed.most
        );
        for (bound, is_enough) in [(needed.least.checked_sub(1), false), (Some(needed.most), true)] {
            let Some(bound) = bound else { continue };
            let bounded = Case {
                algorithm: Some("cb-por".into()),
                preemptions: Some(bound),
                keep_going: true,
                flags: vec!["--time-limit".into(), PATIENCE.into()],
                ..case.clone()
            };
            let report = Scene::set(directory, &bounded)?.check(inspect, &bounded, false)?.report;
            let shown = shows(&report, finding);
            if shown != is_enough && (shown || has_ended(&report)) {
                return Err(format!(
                    "{} at line {:?} needs {} to {} preemptions, and with at most {bound} of them it shows: {shown}",
                    finding.kind, finding.line, needed.least, needed.most
                ));
            }
        }
    }
    Ok(())
}
