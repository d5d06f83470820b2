//! The report in the README is the one that `make demo` prints.
//!
//! `INSPECT` names the binary to test; by default `target/release/inspect`, which `make build` makes. With
//! `INSPECT_BLESS=1` the report in the README is replaced by today's.

use std::path::{Path, PathBuf};
use std::process::Command;

const BEGIN: &str = "what the command of `make demo` prints -->\n```\n";
const END: &str = "```\n<!-- end of demo -->";
/// What `make demo` checks, and where it puts schedules.
const PROGRAM: &str = "corpus/papers/database/bad.c";
const OUT: &str = "target/demo";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the host's folder lies in the repository").to_path_buf()
}

/// The report of the demo, as if its schedules were in [`OUT`].
fn report() -> String {
    let root = repository();
    let inspect = std::env::var_os("INSPECT").map_or_else(|| root.join("target/release/inspect"), PathBuf::from);
    assert!(inspect.is_file(), "{} does not exist: run `make build` first", inspect.display());
    let out = tempfile::tempdir().expect("a temporary directory");
    let mut command = Command::new(inspect);
    command.args(["check", PROGRAM, "--out"]).arg(out.path()).current_dir(&root);
    let output = command.output().expect("inspect starts");
    assert_eq!(output.status.code(), Some(1), "the demo has a bug: {output:?}");
    let text = String::from_utf8(output.stdout).expect("the report is text");
    text.replace(&out.path().display().to_string(), OUT)
}

/// The report without what differs from run to run: how long the search took, and its rate.
fn normalised(report: &str) -> String {
    let line = |line: &str| match line.split_once(" in ").zip(line.split_once("/s), ")) {
        Some(((executions, _), (_, rest))) if executions.ends_with("executions") => {
            format!("{executions} in 0.004 s (500/s), {rest}\n")
        }
        _ => format!("{line}\n"),
    };
    report.lines().map(line).collect()
}

#[test]
fn the_report_in_the_readme_is_the_one_that_make_demo_prints() {
    let path = repository().join("README.md");
    let readme = std::fs::read_to_string(&path).expect("readable");
    let (before, rest) = readme.split_once(BEGIN).expect("the mark where the report begins");
    let (shown, after) = rest.split_once(END).expect("the mark where it ends");
    let report = normalised(&report());
    if std::env::var_os("INSPECT_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{report}{END}{after}")).expect("writable");
    } else {
        assert_eq!(shown, report, "the report in README.md is not today's; INSPECT_BLESS=1 replaces it");
    }
}

#[test]
fn make_demo_checks_that_program() {
    let makefile = std::fs::read_to_string(repository().join("Makefile")).expect("readable");
    let command = format!("$(INSPECT) check {PROGRAM} --out {OUT};");
    assert!(makefile.contains(&command), "the demo of the Makefile is `{command}`");
}

#[test]
fn only_the_time_is_left_out() {
    let text = "violated: 1 error\n  2 executions in 0.012 s (163/s), 0 blocked, 25 transitions, 3 threads\n";
    let expected = "violated: 1 error\n  2 executions in 0.004 s (500/s), 0 blocked, 25 transitions, 3 threads\n";
    assert_eq!(normalised(text), expected);
    assert_eq!(normalised("waits in 3/s), here\n"), "waits in 3/s), here\n");
}
