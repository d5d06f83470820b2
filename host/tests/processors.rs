//! What a program is told of its processors, compared with the same program without Inspect. The check starts with one
//! of those that there are.

mod tool;

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Runs a command on the first processor only.
fn on_one(command: &Command) -> Output {
    let mut taskset = Command::new("taskset");
    taskset.args(["--cpu-list", "0"]).arg(command.get_program()).args(command.get_args());
    taskset.output().expect("taskset starts")
}

#[test]
fn a_program_may_have_more_processors_than_the_check_starts_with() {
    let directory = TempDir::new().expect("a temporary directory");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/processors.c");
    let program = directory.path().join("program");
    let built = tool::run(&["cc", "-pthread", "-o", "program", &source.to_string_lossy()], directory.path());
    assert_eq!(built.0, 0, "{built:?}");
    let count = on_one(&Command::new(&program)).status.code().expect("an end by itself");

    let verdict = |expected: i32| {
        let mut check = tool::inspect();
        check.args(["check", "--quiet", "--out"]).arg(directory.path());
        check.args(["-D", &format!("EXPECTED={expected}")]).arg(&source);
        on_one(&check).status.code().expect("an end by itself")
    };
    const VERIFIED: i32 = 0;
    const VIOLATED: i32 = 1;
    assert_eq!((verdict(count), verdict(count + 1)), (VERIFIED, VIOLATED));
}
