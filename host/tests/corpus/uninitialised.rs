//! Every program of the corpus in which no error is found, with and without `--uninitialised`: the same verdict, the
//! same warnings and as many executions, so that nothing is called uninitialised that is not, and the code that is
//! added changes nothing else. A program with an error may well decide by memory that is uninitialised, or not its own.

use crate::expect::{Case, Verdict};
use crate::run::Scene;
use crate::symmetry::findings;
use std::path::Path;

/// Programs that take more executions are left out.
const MOST: u64 = 3_000;

/// Programs that are about uninitialised memory.
const ABOUT_IT: [&str; 1] = ["robustness/uninitialised"];

/// What is said of programs that `--uninitialised` refuses, as documented.
const REFUSED: &str = "--uninitialised needs a program that is instrumented as a whole";

/// Compares the searches.
pub(crate) fn check(inspect: &Path, directory: &Path, case: &Case) -> Result<(), String> {
    let is_about_it = directory.parent().is_some_and(|topic| topic.ends_with("uninitialised"));
    if is_about_it || ABOUT_IT.iter().any(|program| directory.ends_with(program)) {
        return Ok(());
    }
    let most = MOST.to_string();
    let with = |option: Option<&str>| Case {
        algorithm: Some("optimal".into()),
        keep_going: true,
        flags: ["--max-executions", &most].into_iter().chain(option).map(str::to_string).collect(),
        ..case.clone()
    };
    let checked = |option| {
        let case = with(option);
        Scene::set(directory, &case)?.check(inspect, &case, false)
    };
    let without = checked(None)?;
    if without.report.verdict == Verdict::Violated {
        return Ok(());
    }
    let with = match checked(Some("--uninitialised")) {
        Err(error) if without.report.verdict == Verdict::Inconclusive && error.contains(REFUSED) => return Ok(()),
        outcome => outcome?,
    };
    let [one, two] = [&without, &with].map(|outcome| {
        let report = &outcome.report;
        (&report.verdict, report.executions, findings(report))
    });
    println!("{} executions, {} with --uninitialised", one.1, two.1);
    if one == two {
        return Ok(());
    }
    Err(format!("without and with --uninitialised: {one:?} {two:?} {:?}\n{}", with.report.reason, with.command))
}
