//! Every program of the corpus that `--symmetry` can be used on, with it and without: the same verdict and the same
//! findings up to the names of threads, in no more executions.

use crate::expect::Case;
use crate::report::Report;
use crate::run::Scene;
use std::collections::BTreeSet;
use std::path::Path;

/// Programs that take more executions without symmetry, blocked ones included, are left out.
const MOST: u64 = 20_000;
/// The most seconds that a search may take.
const PATIENCE: u64 = 1_800;

/// The parts of a case that decide which executions it has.
pub(crate) fn subject(case: &Case) -> String {
    let Case { sources, defines, cflags, args, stdin, files, spurious_wakeups, .. } = case;
    format!("{:?}", (sources, defines, cflags, args, stdin, files, spurious_wakeups))
}

/// Kinds and places.
pub(crate) fn findings(report: &Report) -> BTreeSet<(String, String, Option<u32>)> {
    let place = |file: &Option<std::path::PathBuf>| file.as_ref().map_or(String::new(), |f| f.display().to_string());
    report.findings.iter().map(|finding| (finding.kind.clone(), place(&finding.file), finding.line)).collect()
}

/// Compares the two searches.
pub(crate) fn check(inspect: &Path, directory: &Path, case: &Case) -> Result<(), String> {
    for algorithm in ["dpor", "source"] {
        let with = |flags: &[&str]| Case {
            algorithm: Some(algorithm.into()),
            plain_accesses: Some("all".into()),
            preemptions: None,
            mode: None,
            keep_going: true,
            patience: PATIENCE,
            flags: flags.iter().map(|flag| (*flag).to_string()).collect(),
            ..case.clone()
        };
        let most = MOST.to_string();
        let (all, some) = (with(&["--max-executions", &most]), with(&["--symmetry"]));
        let all = Scene::set(directory, &all)?.check(inspect, &all, false)?;
        // A search that found an error may have been cut by the limit as well, and its verdict does not say so.
        if all.report.executions + all.report.blocked >= MOST || all.status == Some(2) {
            println!("{algorithm}: left out, {} executions, status {:?}", all.report.executions, all.status);
            return Ok(());
        }
        let some = Scene::set(directory, &some)?.check(inspect, &some, false)?;
        let (one, other) = (&all.report, &some.report);
        println!("{algorithm}: {} executions without, {} with symmetry", one.executions, other.executions);
        if one.verdict != other.verdict || findings(one) != findings(other) {
            return Err(format!(
                "{algorithm}: {:?} {:?} without, {:?} {:?} {:?} with symmetry\n{}",
                one.verdict,
                findings(one),
                other.verdict,
                other.reason,
                findings(other),
                some.command
            ));
        }
        if other.executions > one.executions {
            return Err(format!("{algorithm}: {} executions became {}", one.executions, other.executions));
        }
    }
    Ok(())
}
