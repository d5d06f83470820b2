//! Every program of the corpus with and without `--uninitialised`: the same verdict, the same findings and as many
//! executions, so that nothing is called uninitialised that is not, and the code that is added changes nothing else.

use crate::expect::Case;
use crate::run::Scene;
use crate::symmetry::findings;
use std::path::Path;

/// Programs that take more executions are left out.
const MOST: u64 = 3_000;

/// Programs that are about uninitialised memory, or overwrite their own: what these find depends on where it lies.
const OTHERS: [&str; 4] =
    ["uninitialised", "robustness/uninitialised", "robustness/stack_overflow", "robustness/wild_write"];

/// Programs with assembly of which more is seen: an operand that holds the address of a variable is not yet one that
/// is the variable's address.
const MORE_IS_SEEN: [&str; 2] = ["semantics/assembly", "semantics/assembly_choices"];

/// Compares the searches.
pub(crate) fn check(inspect: &Path, directory: &Path, case: &Case) -> Result<(), String> {
    let is_one_of = |list: &[&str]| list.iter().any(|program| directory.ends_with(program));
    let is_about_it = directory.parent().is_some_and(|topic| topic.ends_with("uninitialised"));
    if is_about_it || is_one_of(&OTHERS) || is_one_of(&MORE_IS_SEEN) {
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
    let (without, with) = (checked(None)?, checked(Some("--uninitialised"))?);
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
