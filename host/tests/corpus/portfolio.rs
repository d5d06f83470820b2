//! `--algorithm auto` against each search alone: it gives an answer wherever one of them does, in at most a fifth more
//! time than the fastest and a second. What `optimal` alone is over with in less than a second has its counts, unless
//! `auto` was over sooner. Times are wall times: the comparison means something where nothing else runs.

use crate::expect::{Case, Verdict};
use crate::run::{Outcome, Scene};
use std::path::Path;
use std::time::Instant;

/// What a program may take whatever the fastest search takes.
const SECONDS: f64 = 1.0;
/// How many times as long as the fastest search it may take beyond that.
const FACTOR: f64 = 1.2;
/// The searches, with the bound on preemptions of those that need one.
const ALONE: [(&str, Option<u32>); 10] = [
    ("optimal", None),
    ("stateful", None),
    ("pos", None),
    ("surw", None),
    ("pct", None),
    ("random", None),
    ("cb-por", Some(0)),
    ("cb-por", Some(1)),
    ("cb-por", Some(2)),
    ("optimal", Some(2)),
];

/// A check with this search, and its time; what is not yet compiled is compiled first.
fn timed(inspect: &Path, directory: &Path, case: &Case) -> Result<(f64, Outcome), String> {
    let scene = Scene::set(directory, case)?;
    let flags = [case.flags.clone(), vec!["--max-executions".into(), "1".into()]].concat();
    // A search that is refused has no time.
    let _ = scene.check(inspect, &Case { flags, ..case.clone() }, false);
    let start = Instant::now();
    let outcome = scene.check(inspect, case, false)?;
    Ok((start.elapsed().as_secs_f64(), outcome))
}

/// Whether a search was over with its first turn, and is then that of `optimal` alone.
fn has_one_turn(outcome: &Outcome) -> bool {
    let report: serde_json::Value = serde_json::from_str(&outcome.output).expect("JSON, as it was read before");
    report["turns"].is_null()
}

/// Fails if `optimal` alone gives an answer in less than a second and sooner, and other counts.
fn keeps_counts(inspect: &Path, directory: &Path, case: &Case, ours: (f64, &Outcome)) -> Result<(), String> {
    let (took, outcome) = ours;
    if has_one_turn(outcome) {
        return Ok(());
    }
    let flags = vec!["--time-limit".into(), format!("{SECONDS}s")];
    let alone = Case { algorithm: Some("optimal".into()), flags, ..case.clone() };
    let (seconds, other) = timed(inspect, directory, &alone)?;
    let [counts, others] = [outcome, &other].map(|Outcome { report, .. }| (report.executions, report.transitions));
    let answers = other.report.verdict != Verdict::Inconclusive;
    if answers && seconds < SECONDS.min(took) && counts != others {
        return Err(format!(
            "{seconds:.2} s by optimal with {others:?} executions and operations, {took:.2} s by auto with {counts:?}"
        ));
    }
    Ok(())
}

/// Whether the case is checked by `auto`, without options.
pub(crate) fn is_compared(case: &Case) -> bool {
    case.algorithm.is_none() && case.preemptions.is_none() && case.flags.is_empty()
}

/// Compares the times of a case.
pub(crate) fn check(inspect: &Path, directory: &Path, case: &Case) -> Result<(), String> {
    let (seconds, outcome) = timed(inspect, directory, case)?;
    keeps_counts(inspect, directory, case, (seconds, &outcome))?;
    if seconds <= SECONDS && outcome.report.verdict != Verdict::Inconclusive {
        return Ok(());
    }
    let limit = format!("{:.1}s", seconds.max(1.0));
    for (algorithm, preemptions) in ALONE {
        let flags = vec!["--time-limit".into(), limit.clone()];
        let alone = Case { algorithm: Some(algorithm.into()), preemptions, flags, ..case.clone() };
        let Ok((fastest, other)) = timed(inspect, directory, &alone) else { continue };
        println!("{seconds:.2} s by auto, {fastest:.2} s by {algorithm} {preemptions:?}: {:?}", other.report.verdict);
        let answers = other.report.verdict != Verdict::Inconclusive;
        if answers && outcome.report.verdict == Verdict::Inconclusive {
            return Err(format!("{algorithm} gives an answer, auto gives none"));
        }
        if answers && seconds > FACTOR * fastest + SECONDS {
            return Err(format!("{seconds:.2} s by auto, {fastest:.2} s by {algorithm}"));
        }
    }
    Ok(())
}
