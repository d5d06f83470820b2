//! `--algorithm auto`: which search settles the matter, what is said where none does, and that nothing else is called
//! verified.

#![allow(missing_docs, reason = "tests have no users")]

mod tool;

use serde_json::Value;
use std::path::Path;
use tool::run;

/// A file of the corpus.
fn corpus(file: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(file).to_string_lossy().into_owned()
}

fn check_in(directory: &Path, program: &str, options: &[&str]) -> Value {
    let arguments = [&["check", "--json", "--algorithm", "auto", program], options].concat();
    let (_, stdout, stderr) = run(&arguments, directory);
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"))
}

fn check(program: &str, options: &[&str]) -> Value {
    check_in(tempfile::tempdir().expect("a directory").path(), program, options)
}

/// The names of the searches that had a turn, each with whether its last one came to its end.
fn parts(json: &Value) -> Vec<(&str, bool)> {
    let parts = json["turns"]["parts"].as_array().unwrap_or_else(|| panic!("no turns in {json}"));
    parts.iter().map(|part| (part["algorithm"].as_str().expect("a name"), part["over"] == true)).collect()
}

/// The buffer of the corpus with two producers, two consumers and three items each: `optimal` is not at its end after a
/// million executions.
const BUFFER: [&str; 4] = ["-DPRODUCERS=2", "-DCONSUMERS=2", "-DSIZE=2", "-DITEMS=3"];

fn buffer() -> String {
    corpus("papers/boundedbuffer/prog.c")
}

#[test]
fn a_search_that_is_soon_over_is_that_of_optimal_alone() {
    let program = corpus("papers/database/good.c");
    let auto = check(&program, &[]);
    let (_, stdout, _) = run(&["check", "--json", "--algorithm", "optimal", &program], Path::new("/tmp"));
    let mut optimal: Value = serde_json::from_str(&stdout).expect("JSON");
    for key in ["seconds", "executions_per_second"] {
        optimal[key] = auto[key].clone();
    }
    assert_eq!(auto, optimal);
    assert_eq!(auto["verdict"], "verified");
}

#[test]
fn a_buffer_that_is_too_large_for_optimal_is_verified_by_the_stateful_search() {
    let json = check(&buffer(), &BUFFER);
    assert_eq!((&json["verdict"], &json["algorithm"]), (&"verified".into(), &"stateful".into()), "{json}");
    assert_eq!(parts(&json), [("optimal", false), ("stateful", true)]);
    // The verdict makes the assumptions of the search that it rests on.
    let assumptions = json["assumptions"].to_string();
    assert!(assumptions.contains("hold zeros") && assumptions.contains("hash of 128 bits"), "{assumptions}");
}

#[test]
fn a_program_compiled_before_has_a_stateful_turn_if_it_has_the_records() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, flags) in [("plain", &[][..]), ("framed", &["-finspect-frames"][..])] {
        let source = buffer();
        let arguments = [&["cc", "-o", name, source.as_str()], &BUFFER[..], flags].concat();
        assert_eq!(run(&arguments, directory.path()).0, 0);
    }
    let framed = check_in(directory.path(), "./framed", &[]);
    assert_eq!((&framed["verdict"], &framed["algorithm"]), (&"verified".into(), &"stateful".into()), "{framed}");
    let plain = check_in(directory.path(), "./plain", &["--time-limit", "3s"]);
    assert_eq!(plain["verdict"], "inconclusive", "{plain}");
    assert!(plain["turns"]["without_states"].as_str().is_some_and(|why| why.contains("records")), "{plain}");
    assert!(parts(&plain).iter().all(|(name, _)| *name != "stateful"), "{plain}");
}

#[test]
fn an_option_that_the_stateful_search_does_not_have_leaves_it_out() {
    let json = check(&buffer(), &[&BUFFER[..], &["--plain-accesses", "sync", "--max-executions", "60000"]].concat());
    let why = json["turns"]["without_states"].as_str().unwrap_or_else(|| panic!("{json}"));
    assert!(why.starts_with("--plain-accesses sync: "), "{why}");
    assert_eq!(json["verdict"], "inconclusive", "{json}");
    let reason = json["reason"].as_str().expect("a reason");
    assert!(reason.contains("the limit of 60000 executions was reached"), "{reason}");
}

/// A compiler of Rust in front of the real one that never ends where frame records are asked for.
fn slow_compiler(directory: &Path) {
    let real = std::env::var_os("PATH").expect("a search path");
    let real = std::env::split_paths(&real).map(|folder| folder.join("rustc")).find(|file| file.is_file());
    let real = real.expect("rustc is in the search path");
    let script = format!(
        "#!/bin/sh\nfor word; do case $word in *-finspect-frames*) echo $$ >{}/slow; sleep 1000; exit 1;; esac; done\n\
         exec {} \"$@\"\n",
        directory.display(),
        real.display()
    );
    let file = directory.join("rustc");
    std::fs::write(&file, script).expect("written");
    std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("permitted");
}

#[test]
fn other_searches_go_on_while_a_program_is_built_and_the_build_ends_with_them() {
    let directory = tempfile::tempdir().expect("a directory");
    slow_compiler(directory.path());
    let path = format!("{}:{}", directory.path().display(), std::env::var("PATH").expect("a search path"));
    // Each order of 80 additions is another interleaving.
    let program = "use std::sync::atomic::{AtomicU32, Ordering::SeqCst};\nstatic N: AtomicU32 = AtomicU32::new(0);\n\
        fn add() {\n    for _ in 0..40 {\n        N.fetch_add(1, SeqCst);\n    }\n}\n\
        fn main() {\n    let other = std::thread::spawn(add);\n    add();\n    other.join().unwrap();\n}\n";
    std::fs::write(directory.path().join("main.rs"), program).expect("written");
    let check = |limit: [&str; 2]| {
        tool::inspect()
            .args(["check", "--json", "main.rs"])
            .args(limit)
            .env("PATH", &path)
            .env("INSPECT_CACHE", directory.path().join("cache"))
            // That of the tests, not of what they run.
            .env_remove("RUST_MIN_STACK")
            .current_dir(directory.path())
            .output()
            .expect("`make build` was run")
    };
    // The first build is in the cache, so that the time is left to the searches.
    check(["--max-executions", "1"]);
    let output = check(["--time-limit", "15s"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(json["turns"]["without_states"], "its program was still being built", "{json}");
    assert!(parts(&json).iter().any(|part| part.0 != "optimal"), "{json}");
    let slow = std::fs::read_to_string(directory.path().join("slow")).expect("the build was begun");
    assert!(!Path::new("/proc").join(slow.trim()).exists(), "the compiler still runs");
    let left = std::fs::read_dir(directory.path().join("inspect-out")).into_iter().flatten().flatten();
    assert_eq!(left.map(|entry| entry.file_name()).collect::<Vec<_>>(), [""; 0], "{json}");
}

#[test]
fn in_fork_mode_a_small_search_is_over_as_usual() {
    let json = check(&corpus("papers/database/good.c"), &["--mode", "fork"]);
    assert_eq!((&json["verdict"], &json["algorithm"]), (&"verified".into(), &"optimal".into()), "{json}");
}

#[test]
fn the_budget_ends_it_and_the_answer_says_what_was_covered() {
    // Twenty threads: no complete search can end, and only one bound on preemptions is small enough.
    let json = check(&corpus("rare/one_order/good.c"), &["-DTHREADS=20", "--time-limit", "3s"]);
    assert_eq!((&json["verdict"], &json["algorithm"]), (&"inconclusive".into(), &"auto".into()), "{json}");
    assert_eq!(json["complete"], false);
    let reason = json["reason"].as_str().expect("a reason");
    assert!(reason.contains("the time limit of 3s was reached"), "{reason}");
    assert!(json["turns"]["partial_orders"].as_u64().is_some_and(|seen| seen >= 20_000), "{json}");
    let parts = parts(&json);
    assert!(
        parts.contains(&("optimal", false)) && parts.iter().all(|(name, over)| *name == "cb-por" || !over),
        "{json}"
    );
}

#[test]
fn a_thread_that_never_ends_keeps_no_search_from_its_turn() {
    let json = check(&corpus("rare/behind_endless/good.c"), &[]);
    assert_eq!(json["verdict"], "inconclusive", "{json}");
    assert!(json["reason"].as_str().is_some_and(|reason| reason.contains("cut after 100000 visible")), "{json}");
    let parts = parts(&json);
    let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["optimal", "stateful", "pos", "surw", "pct", "random", "optimal"], "{json}");
    assert_eq!(json["turns"]["covered_preemptions"], Value::Null, "what was cut is not covered");
}

/// The finding of a kind, with its schedule replayed.
fn found_and_replayed(program: &str, options: &[&str], kind: &str) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let json = check_in(directory.path(), program, options);
    assert_eq!(json["verdict"], "violated", "{json}");
    let findings = json["findings"].as_array().expect("an array");
    let found = findings.iter().find(|finding| finding["kind"] == kind).unwrap_or_else(|| panic!("{json}"));
    let replay = found["replay"].as_str().unwrap_or_else(|| panic!("no schedule: {json}"));
    let (status, stdout, stderr) = run(&["replay", replay], directory.path());
    assert_eq!(status, 1, "{stdout} {stderr}");
    json
}

#[test]
fn a_deadlock_behind_a_thread_that_never_ends_is_found() {
    found_and_replayed(&corpus("rare/behind_endless/bad.c"), &[], "lost-thread");
}

#[test]
fn a_bug_between_two_steps_with_twenty_threads_is_found_by_sampling() {
    // The thread that minds is the first one created, so that a depth-first search reorders all others first.
    let source = std::fs::read_to_string(corpus("rare/between/bad.c")).expect("readable");
    assert!(source.contains("i == THREADS - 1"));
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("t.c");
    let source = source.replace("i == THREADS - 1", "i == 0").replace("../noise.h", &corpus("rare/noise.h"));
    std::fs::write(&file, source).expect("written");
    let json = found_and_replayed(&file.to_string_lossy(), &["-DTHREADS=20"], "assertion");
    assert_eq!((&json["algorithm"], parts(&json).len()), (&"pos".into(), 3), "{json}");
    assert!(parts(&json).iter().take(2).all(|(_, over)| !over), "{json}");
}

/// A fault that the exhaustive search comes to late, in executions that take long: its first turn ends by time.
#[test]
fn a_bug_between_two_writes_to_a_pipe_is_found_by_sampling() {
    for seed in ["0", "1"] {
        let options = ["-DWRITERS=2", "-DTIMES=10", "--seed", seed, "--time-limit", "30s"];
        let json = found_and_replayed(&corpus("rare/split_frames/program.c"), &options, "assertion");
        // The estimate of `optimal` says for seconds that its end is near; a few executions drawn by chance are enough.
        assert_eq!(parts(&json), [("optimal", false), ("pos", false)], "{json}");
    }
}

/// The buffer with changes, as `t.c` in a directory of its own.
fn changed_buffer(changes: &[(&str, &str)]) -> tempfile::TempDir {
    let mut source = std::fs::read_to_string(buffer()).expect("readable");
    for (from, to) in changes {
        assert!(source.contains(from), "{from}");
        source = source.replacen(from, to, 1);
    }
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("t.c"), source).expect("written");
    directory
}

#[test]
fn what_the_stateful_search_finds_is_replayed_in_its_own_build() {
    // Only if the second producer is the first to put something, which a depth-first search tries last.
    let first = ("    buffer[in] = item;", "    if (first == 0)\n        first = item;\n    buffer[in] = item;");
    let changes = [
        ("static int count,", "static int first, count,"),
        first,
        ("assert(total ==", "assert(first == 1 && total =="),
    ];
    let directory = changed_buffer(&changes);
    let json = check_in(directory.path(), "t.c", &BUFFER);
    assert_eq!((&json["verdict"], &json["algorithm"]), (&"violated".into(), &"stateful".into()), "{json}");
    let replay = json["findings"][0]["replay"].as_str().unwrap_or_else(|| panic!("no schedule: {json}"));
    let (status, stdout, stderr) = run(&["replay", replay], directory.path());
    assert_eq!(status, 1, "{stdout} {stderr}");
    assert!(stdout.contains("assertion"), "{stdout}");
}

#[test]
fn what_several_searches_find_is_reported_once() {
    // The producers race on a variable of which nothing depends, in every execution.
    let changes = [
        ("static int count,", "static int raced, count,"),
        ("    int id = (int)", "    raced = 1;\n    int id = (int)"),
    ];
    let directory = changed_buffer(&changes);
    let json = check_in(directory.path(), "t.c", &[&BUFFER[..], &["--keep-going"]].concat());
    assert_eq!((&json["verdict"], &json["complete"]), (&"violated".into(), &true.into()), "{json}");
    assert_eq!(parts(&json).last(), Some(&("stateful", true)), "{json}");
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(1), "{json}");
}

/// More than the start and less than its share after that: (N + 3) x 2^(N - 2) executions for N = 15 (the count of
/// `corpus/counts/lastzero`), each made once in all turns together. There are two, and a third one where the second
/// came early and made as many as an estimate had left that was too low: with two processes that depends on which of
/// them made what.
#[test]
fn the_exhaustive_search_goes_on_from_where_its_last_turn_has_ended() {
    for processes in ["1", "2"] {
        let json = check(&corpus("counts/lastzero/prog.c"), &["-DN=15", "-j", processes]);
        assert_eq!((&json["verdict"], &json["algorithm"]), (&"verified".into(), &"optimal".into()), "{json}");
        assert_eq!((&json["executions"], &json["blocked"]), (&(18 * (1 << 13)).into(), &0.into()), "{json}");
        let first = &json["turns"]["parts"][0];
        assert_eq!(&first["executions"], &json["executions"], "{json}");
        let most = if processes == "1" { 2 } else { 3 };
        assert!(first["turns"].as_u64().is_some_and(|turns| (2..=most).contains(&turns)), "{json}");
    }
}

#[test]
fn several_processes_share_the_exhaustive_turns() {
    let json = check(&buffer(), &[&BUFFER[..], &["-j", "2"]].concat());
    assert_eq!((&json["verdict"], &json["algorithm"]), (&"verified".into(), &"stateful".into()), "{json}");
}

#[test]
fn a_bounded_search_and_one_that_is_kept_in_a_file_are_optimal_alone() {
    let program = corpus("papers/database/good.c");
    for options in [["--preemptions", "1"], ["--checkpoint", "c"]] {
        let json = check(&program, &options);
        assert_eq!((&json["algorithm"], json.get("turns")), (&"optimal".into(), None), "{json}");
    }
}
