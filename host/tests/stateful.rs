//! What the stateful search saves on programs of the corpus, and when it says that it cannot be used.

#![allow(missing_docs, reason = "tests have no users")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn inspect() -> Command {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    Command::new(std::env::var_os("INSPECT").map_or_else(built, PathBuf::from))
}

/// Runs `inspect` in a directory of its own: status, output, errors.
fn run(arguments: &[&str], directory: &Path) -> (i32, String, String) {
    let output = inspect().args(arguments).current_dir(directory).output().expect("`make build` was run");
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).expect("is UTF-8");
    (status.code().expect("has a status"), text(stdout), text(stderr))
}

fn sources(program: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(program);
    let files = std::fs::read_dir(folder).expect("it is in the corpus");
    let paths = files.map(|file| file.expect("readable").path());
    let mut sources: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    sources.sort();
    sources
}

fn check(program: &str, options: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let sources = sources(program);
    let mut arguments = vec!["check", "--json"];
    arguments.extend(sources.iter().map(String::as_str));
    arguments.extend(options);
    let (_, stdout, stderr) = run(&arguments, directory.path());
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"))
}

/// Executions of the stateful search, if it verifies the program.
fn executions(program: &str, options: &[&str]) -> u64 {
    let stateful = check(program, &[&["--algorithm", "stateful"], options].concat());
    assert_eq!(stateful["verdict"], "verified", "{stateful}");
    assert!(stateful["states"].as_u64().is_some_and(|states| states > 0), "{stateful}");
    stateful["executions"].as_u64().expect("a number")
}

/// The other searches make 33,192 (corpus/papers/boundedbuffer, with its derivation); the dissertation's program had 2.5
/// times fewer.
#[test]
fn the_bounded_buffer_takes_at_least_two_and_a_half_times_fewer_executions() {
    let options = ["-DPRODUCERS=2", "-DCONSUMERS=2", "-DSIZE=2", "-DITEMS=2"];
    assert!(executions("papers/boundedbuffer", &options) * 5 <= 33_192 * 2);
}

/// The other searches make 51,240 with three workers and main (corpus/papers/scanner).
#[test]
fn the_scanner_takes_at_least_four_times_fewer_executions() {
    assert!(executions("papers/scanner", &["-DWORKERS=3", "-DTREE=0"]) * 4 <= 51_240);
}

/// 8! / (3! 3! 2!) = 560 orders of the critical sections (corpus/bench/fifty), of which the sum and how far each thread
/// is make 4 * 4 * 3 states.
#[test]
fn states_that_are_not_kept_cost_executions_and_nothing_else() {
    let all = executions("bench/fifty", &["-DROUNDS=3"]);
    let few = executions("bench/fifty", &["-DROUNDS=3", "--state-memory", "1K"]);
    assert!(all < few && all * 4 < 560, "{all} {few}");
}

#[test]
fn checkpoints_make_no_difference() {
    let options = ["-DWORKERS=2", "-DTREE=0"];
    let counts = ["0", "1", "150"].map(|every| {
        let all = [&options[..], &["--checkpoint-every", every]].concat();
        executions("papers/scanner", &all)
    });
    assert_eq!(counts, [counts[0]; 3]);
}

/// A relaxed flag orders nothing, and no two accesses of its program are ever pending at once: only the history of an
/// execution shows the race.
#[test]
fn races_that_only_history_shows_are_not_claimed_to_be_absent() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int flag; static int data;\n\
        static void *set(void *a) { data = 1; atomic_store_explicit(&flag, 1, memory_order_relaxed); return a; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, set, 0);\n\
        if (atomic_load_explicit(&flag, memory_order_relaxed)) data = 2;\n\
        pthread_join(t, 0); return 0; }\n";
    std::fs::write(directory.path().join("t.c"), program).expect("written");
    let arguments = ["check", "--json", "t.c", "--algorithm", "stateful", "--ignore", "data-race"];
    let (status, stdout, _) = run(&arguments, directory.path());
    let json: Value = serde_json::from_str(&stdout).expect("an object");
    assert_eq!((status, json["verdict"].as_str()), (3, Some("inconclusive")), "{json}");
    assert!(json["reason"].as_str().is_some_and(|reason| reason.contains("missing memory order")), "{json}");
}

#[test]
fn a_program_without_frame_records_is_refused_with_the_command_that_makes_them() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = sources("papers/example1").remove(0);
    let (status, ..) = run(&["cc", "-O1", "-pthread", "-DASSERT=0", &source, "-o", "plain"], directory.path());
    assert_eq!(status, 0);
    let (status, _, stderr) = run(&["check", "plain", "--algorithm", "stateful"], directory.path());
    assert_eq!(status, 2, "{stderr}");
    assert!(stderr.contains("inspect cc -finspect-frames"), "{stderr}");
    let line = ["cc", "-finspect-frames", "-O1", "-pthread", "-DASSERT=0", &source, "-o", "framed"];
    assert_eq!(run(&line, directory.path()).0, 0);
    let (status, stdout, _) = run(&["check", "./framed", "--algorithm", "stateful", "--json"], directory.path());
    let json: Value = serde_json::from_str(&stdout).expect("an object");
    // 4 * 8 states with a choice for N = 16, and the first execution.
    assert_eq!((status, json["executions"].as_u64()), (0, Some(33)), "{json}");
}
