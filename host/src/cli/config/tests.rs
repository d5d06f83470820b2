//! What flags resolve to, and which are refused.

use super::*;
use crate::cli::flags::{Command, Flags};
use clap::Parser;
use inspect_core::detect::{FindingKind, Severity};
use inspect_core::explore::Algorithm;

fn resolve(args: &[&str]) -> Result<Config, String> {
    let all = ["inspect", "check"].iter().chain(args);
    let flags = Flags::try_parse_from(all).map_err(|error| error.to_string())?;
    let Command::Check(flags) = flags.command else { panic!("not a check") };
    Config::resolve(*flags, Surroundings { colour: false, progress: ProgressKind::Hidden })
        .map_err(|error| error.to_string())
}

/// A file that exists and is no source file by its name.
const PROGRAM: &str = "/proc/self/exe";
/// A file that exists and is a source file by its name.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/deadlock.c");

#[test]
fn defaults_are_those_of_the_contract() {
    let config = resolve(&[SOURCE]).expect("resolves");
    assert_eq!(config.job.algorithm, Algorithm::Optimal);
    assert_eq!(config.job.plain_accesses, PlainAccesses::Racy);
    assert_eq!(config.job.mode, Mode::Restore);
    assert_eq!(config.job.max_executions, u64::MAX);
    assert_eq!(config.job.preemptions, None);
    assert!(!config.job.keep_going);
    assert_eq!(config.out, PathBuf::from("inspect-out"));
}

#[test]
fn searches_that_count_on_it_make_every_access_visible() {
    let visible = |options: &[&str]| {
        let config = resolve(&[&[SOURCE, "--algorithm"], options].concat()).expect("resolves");
        config.job.plain_accesses
    };
    assert_eq!(visible(&["stateful"]), PlainAccesses::Racy);
    assert_eq!(visible(&["stateful", "--local-states", "delta"]), PlainAccesses::All);
    assert_eq!(visible(&["stateful", "-j", "2"]), PlainAccesses::All);
    assert_eq!(visible(&["dpor", "--symmetry"]), PlainAccesses::All);
}

#[test]
fn the_memory_for_states_is_bounded() {
    let config = resolve(&[SOURCE, "--algorithm", "stateful", "--state-memory", "2M"]).expect("resolves");
    assert_eq!(config.job.state_memory, 2 << 20);
}

#[test]
fn program_arguments_follow_two_dashes() {
    let config = resolve(&[PROGRAM, "--", "--quiet", "x"]).expect("resolves");
    assert_eq!(config.args, ["--quiet", "x"]);
    assert!(!config.display.quiet);
    assert_eq!(config.input, Input::Program(PROGRAM.into()));
}

#[test]
fn macros_and_flags_reach_the_compiler_in_order() {
    let config = resolve(&[SOURCE, "-DN=3", "-D", "M", "--cflag=-O2", "--cflag", "-std=c11"]).expect("resolves");
    let expected = ["-DN=3", "-DM", "-O2", "-std=c11"].map(String::from).to_vec();
    assert_eq!(
        config.input,
        Input::Sources(SourceFiles { files: vec![SOURCE.into()], cflags: expected, clients: vec![] })
    );
}

#[test]
fn clients_are_sources_beside_sources() {
    let config = resolve(&[SOURCE, "--client", SOURCE, "--client", SOURCE]).expect("resolves");
    let Input::Sources(sources) = config.input else { panic!("sources") };
    assert_eq!(sources.clients, [SOURCE, SOURCE].map(std::path::PathBuf::from));
    refused(&[
        (&[PROGRAM, "--client", SOURCE], "--client is for source files"),
        (&[SOURCE, "--client", PROGRAM], "a client is a C or C++ file"),
        (&[SOURCE, "--client", "/no/such/client.c"], "/no/such/client.c: "),
    ]);
}

/// Each of the command lines is refused with a message that contains the text beside it.
fn refused(cases: &[(&[&str], &str)]) {
    for (args, part) in cases {
        let error = resolve(args).expect_err("refused");
        assert!(error.contains(part), "{args:?}: {error}");
    }
}

#[test]
fn wrong_values_are_refused() {
    refused(&[
        (&["/nonexistent/x.c"], "No such file"),
        (&["/proc"], "not a file"),
        (&[SOURCE, "--warn", "leek"], "no such kind"),
        (&[SOURCE, "--state-memory", "0"], "--state-memory 0: write a size"),
        (&[SOURCE, "--time-limit", "soon"], "write a time"),
        (&[SOURCE, "--time-limit", "0"], "write a time"),
        (&[SOURCE, "--memory-limit", "0"], "write a size"),
        (&[SOURCE, "--memory-limit", "99999999999G"], "write a size"),
        (&[SOURCE, "--max-executions", "0"], "nothing to run"),
        (&[SOURCE, "--algorithm", "pct", "--runs", "0"], "nothing to run"),
        (&[SOURCE, "--algorithm", "pct", "--pct-depth", "0"], "write a number from 1"),
        (&[SOURCE, "--algorithm", "delay", "--delays", "9999"], "write a number up to"),
        (&[SOURCE, "--preemptions", "few"], "write a number"),
        (&[SOURCE, "--preemptions", "3..2"], "write a number"),
        (&[SOURCE, "--preemptions", "70000"], "write a number"),
        (&[SOURCE, "--wrong"], "--wrong"),
        (&[], "required"),
    ]);
}

#[test]
fn contradictions_are_refused() {
    refused(&[
        (&[PROGRAM, "-DN=3"], "already compiled"),
        (&[PROGRAM, SOURCE], "checked alone"),
        (&[SOURCE, "--warn", "leak", "--error", "leak"], "two severities"),
        (&[SOURCE, "-j", "2", "--algorithm", "dpor"], "goes with: optimal, ddpor"),
        (&[SOURCE, "-j", "2", "--preemptions", "2"], "a bounded search is not divided"),
        (&[SOURCE, "--resume", "c", "--algorithm", "cb-por", "--preemptions", "2"], "not for --algorithm cb-por"),
        (&[SOURCE, "--symmetry"], "--symmetry is not for --algorithm auto"),
        (&[SOURCE, "--preemptions", "2", "--algorithm", "dpor"], "has no form with a bound"),
        (&[SOURCE, "--preemptions", "2", "--algorithm", "dfs"], "has no form with a bound"),
        (&[SOURCE, "--preemptions", "2", "--algorithm", "pdp"], "not counted in preemptions"),
        (
            &[SOURCE, "--symmetry", "--algorithm", "dpor", "--plain-accesses", "racy"],
            "--symmetry needs --plain-accesses all",
        ),
        (&[SOURCE, "--checkpoint", "c", "--algorithm", "stateful"], "the processes of one search only"),
        (
            &[SOURCE, "-j", "2", "--algorithm", "stateful", "--plain-accesses", "racy"],
            "-j with --algorithm stateful needs --plain-accesses all",
        ),
        (&[SOURCE, "--preemptions", "2", "--algorithm", "stateful"], "how many preemptions are left"),
        (&[SOURCE, "--mode", "fork", "--algorithm", "stateful"], "more than one execution"),
        (&[SOURCE, "--plain-accesses", "sync", "--algorithm", "stateful"], "--plain-accesses all or racy"),
        (
            &[SOURCE, "--plain-accesses", "racy", "--algorithm", "stateful", "--local-states", "delta"],
            "--local-states delta needs --plain-accesses all",
        ),
        (&[SOURCE, "--algorithm", "cb-por"], "needs a bound"),
        (&[SOURCE, "--runs", "5"], "it is for random, pct, pos, surw, rff, delay, predict"),
        (&[SOURCE, "--algorithm", "pos", "--pct-depth", "2"], "it is for pct"),
        (&[SOURCE, "--algorithm", "pct", "--delays", "2"], "it is for delay"),
        (&[SOURCE, "--backtrack-sets", "original"], "it is for ddpor"),
        (&[SOURCE, "--algorithm", "rff", "-j", "2"], "not handed on to other processes"),
        (&[SOURCE, "--algorithm", "random", "--preemptions", "2"], "draws its executions by chance"),
        (&[SOURCE, "--algorithm", "random", "--symmetry"], "draws its executions by chance"),
    ]);
}

#[test]
fn preemption_bounds() {
    let bounds = |text: &str| {
        let config = resolve(&[SOURCE, "--algorithm", "cb-por", "--preemptions", text]).expect("resolves");
        (config.job.first_preemptions, config.job.preemptions)
    };
    assert_eq!(bounds("2"), (None, Some(2)));
    assert_eq!(bounds("0..2"), (Some(0), Some(2)));
    assert_eq!(bounds("1..1"), (Some(1), Some(1)));
}

#[test]
fn severities_of_a_kind_can_be_changed() {
    let config = resolve(&[SOURCE, "--error", "leak", "--ignore", "exit-status"]).expect("resolves");
    let of = |kind| config.job.severity(kind);
    assert_eq!(of(FindingKind::Leak), Severity::Error);
    assert_eq!(of(FindingKind::ExitStatus), Severity::Ignored);
    assert_eq!(of(FindingKind::DataRace), Severity::Error);
}

#[test]
fn main_of_a_rust_program_need_not_wait_for_threads() {
    let of = |arguments: &[&str]| resolve(arguments).expect("resolves").job.severity(FindingKind::MissingPthreadExit);
    const RUST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs");
    assert_eq!(of(&[SOURCE]), Severity::Warning);
    assert_eq!(of(&[RUST]), Severity::Ignored);
    assert_eq!(of(&[RUST, "--warn", "missing-pthread-exit"]), Severity::Warning);
}
