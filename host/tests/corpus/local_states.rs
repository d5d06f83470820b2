//! Every program of the corpus under `--algorithm stateful` with both kinds of local states, and with accesses hidden
//! that the locking discipline keeps apart: the same verdict and the same findings. Nothing is expected of the numbers
//! of executions: with deltas fewer states match, but where a run ends in a known state, the operations executed below
//! it count as coming next, which costs executions elsewhere (`finer_states_may_take_fewer_runs` in
//! `core/tests/identities.rs`).

use crate::expect::Case;
use crate::report::Report;
use crate::run::Scene;
use crate::symmetry::findings;
use std::collections::BTreeSet;
use std::path::Path;

/// Programs that take more executions are left out.
const MOST: u64 = 3_000;

/// Programs that overwrite their own memory: their findings depend on where in it the frame records lie.
const DESTRUCTIVE: [&str; 2] = ["robustness/stack_overflow", "robustness/wild_write"];

/// Compares the searches.
pub(crate) fn check(inspect: &Path, directory: &Path, case: &Case) -> Result<(), String> {
    if DESTRUCTIVE.iter().any(|program| directory.ends_with(program)) {
        return Ok(());
    }
    let most = MOST.to_string();
    let with = |local_states: &str, plain_accesses: &str| Case {
        algorithm: Some("stateful".into()),
        plain_accesses: Some(plain_accesses.into()),
        preemptions: None,
        mode: None,
        keep_going: true,
        flags: ["--local-states", local_states, "--max-executions", &most].map(str::to_string).to_vec(),
        ..case.clone()
    };
    let checked = |(local_states, plain_accesses)| {
        let case = with(local_states, plain_accesses);
        Scene::set(directory, &case)?.check(inspect, &case, false)
    };
    let exact = checked(("exact", "all"))?;
    for other in [("delta", "all"), ("exact", "racy")] {
        let found = checked(other)?;
        let reports = [&exact.report, &found.report];
        let executions = reports.map(|report| report.executions);
        println!("{} executions, {} with {other:?}", executions[0], executions[1]);
        // A search that found an error may have been cut by the limit as well, and its verdict does not say so.
        if executions.iter().any(|&executions| executions >= MOST) {
            continue;
        }
        let [one, two] = reports.map(|report| (&report.verdict, required(case, report)));
        if one != two {
            let reasons = reports.map(|report| &report.reason);
            return Err(format!("exact and {other:?}: {one:?} {two:?} {reasons:?}\n{}", found.command));
        }
    }
    Ok(())
}

/// The findings without those that may be missing.
fn required(case: &Case, report: &Report) -> BTreeSet<(String, String, Option<u32>)> {
    let optional = |kind: &str| case.findings.iter().any(|finding| finding.optional && finding.kind == kind);
    findings(report).into_iter().filter(|(kind, ..)| !optional(kind)).collect()
}
