//! What `inspect check` prints for people about real programs: the places it points to, what it leaves out, what it
//! advises.
//!
//! `INSPECT` names the binary to test; by default `target/release/inspect`, which `make build` makes.

use std::path::{Path, PathBuf};
use std::process::Command;

fn inspect() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    let path = std::env::var_os("INSPECT").map_or(built, PathBuf::from);
    assert!(path.is_file(), "{} does not exist: run `make build` first", path.display());
    path
}

/// Standard output of `inspect check` of a program of this folder, and the exit status.
fn check(program: &str, options: &[&str]) -> (String, Option<i32>) {
    let out = tempfile::tempdir().expect("a directory");
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut command = Command::new(inspect());
    command.args(["check", program]).args(options).arg("--out").arg(out.path()).current_dir(programs);
    let output = command.output().expect("inspect starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (text, output.status.code())
}

#[test]
fn a_race_inside_the_cxx_library_is_shown_at_the_programs_own_line() {
    for build in ["-O0", "-O2"] {
        let (report, status) = check("push_back.cc", &["--cflag", build]);
        assert_eq!(status, Some(1), "{report}");
        let first = report.lines().nth(1).expect("a second line");
        assert!(
            report.starts_with("error: data-race") && first.starts_with("  --> push_back.cc:8"),
            "{build}: {report}"
        );
        assert!(report.contains("numbers.push_back(number); // here"), "{build}: the line is quoted: {report}");
        for thread in ["main", "thread 1"] {
            assert!(report.contains(&format!("  {thread} at push_back.cc:8")), "{build}: {thread}: {report}");
        }
        // If the access is in a function that was not inlined, its place follows the program's own line.
        assert!(build == "-O2" || report.contains(", inside /usr/include/"), "{build}: {report}");
    }
}

#[test]
fn a_search_without_a_complete_execution_says_where_the_threads_are() {
    let (report, status) = check("no_end.c", &["--algorithm", "optimal", "--max-steps", "500"]);
    assert_eq!(status, Some(3), "{report}");
    assert!(report.contains("an execution was cut after 500 visible operations (--max-steps)\n    try: "), "{report}");
    // The number of operations is that of the limit.
    assert!(report.contains("no execution came to its end; after 500 operations of the first one\n"), "{report}");
    assert!(report.contains("    main at no_end.c:19:3 waits for the end of thread 1\n"), "{report}");
    assert!(report.contains("    thread 1 at no_end.c:"), "{report}");
}

#[test]
fn a_race_is_not_called_by_the_atomic_variable_between_its_accesses() {
    let (report, status) = check("released_block.c", &[]);
    assert_eq!(status, Some(1), "{report}");
    assert!(
        report.starts_with("error: data-race: two threads access ") && report.contains("atomic update slot"),
        "{report}"
    );
    assert!(!report.starts_with("error: data-race: two threads access `slot`"), "{report}");
}

#[test]
fn a_thread_that_runs_a_library_function_is_shown_where_it_was_created() {
    let (report, status) = check("library_start.c", &[]);
    assert_eq!(status, Some(1), "{report}");
    assert!(report.contains("  thread 1 at library_start.c:9:5 in main, inside the C library: read "), "{report}");
    assert!(!report.contains("thread.rs"), "{report}");
}

#[test]
fn a_wrong_detach_is_called_one() {
    let (report, status) = check("detached_twice.c", &[]);
    assert_eq!(status, Some(1), "{report}");
    assert!(report.contains("main detaches a thread that was joined or detached before\n"), "{report}");
}

#[test]
fn warnings_are_a_line_each_and_whole_on_request() {
    let (short, status) = check("untidy.c", &[]);
    assert_eq!(status, Some(0), "{short}");
    let lines: Vec<&str> = short.lines().take(3).collect();
    assert!(lines[0].starts_with("warning: ") && lines[0].contains("(untidy.c:"), "{short}");
    assert!(lines[1].starts_with("warning: ") && lines[1].contains("(untidy.c:"), "{short}");
    assert!(lines[2].contains("--full"), "{short}");
    assert!(!short.contains("what to do") && !short.contains("step "), "{short}");
    let (full, _) = check("untidy.c", &["--full"]);
    assert_eq!((full.matches("what to do: ").count(), full.matches("replay: ").count()), (2, 2), "{full}");
    let (json, _) = check("untidy.c", &["--json"]);
    assert_eq!(json.matches(r#""severity": "warning""#).count(), 2, "{json}");
}

/// The assertion fails between two stores of thread 1, which takes two preemptions. Where a wake chooses among waiters
/// by bits, the searches within fewer are not known to cover all orders, and nothing is said of fewer.
#[test]
fn no_least_number_of_preemptions_is_claimed_where_orders_may_be_left_out() {
    let (report, status) = check("chosen_wake.c", &[]);
    assert_eq!(status, Some(1), "{report}");
    assert!(report.contains("  preemptions needed: at most 2\n"), "{report}");
    let (report, _) = check("chosen_wake.c", &["--cflag=-DWITHOUT_WAKE"]);
    assert!(report.contains("  preemptions needed: 2, no schedule with fewer shows it\n"), "{report}");
}

/// What a replay of `talks_with_threads.c`, built with these flags, shows.
fn replay_that_talks(flags: &[&str]) -> String {
    let out = tempfile::tempdir().expect("a directory");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/talks_with_threads.c");
    let mut check = Command::new(inspect());
    check.arg("check").arg(program).args(flags).arg("--out").arg(out.path());
    assert_eq!(check.output().expect("inspect starts").status.code(), Some(1));
    let files =
        std::fs::read_dir(out.path()).expect("the folder of schedules").map(|file| file.expect("a file").path());
    let schedule =
        files.into_iter().find(|file| file.extension().is_some_and(|it| it == "schedule")).expect("a schedule");
    let output = Command::new(inspect()).arg("replay").arg(schedule).output().expect("inspect starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn lines_of_talk(shown: &str) -> usize {
    shown.lines().filter(|line| *line == "before the threads").count()
}

/// A run is begun again when it turns out to have more threads than there was room for.
#[test]
fn a_replay_shows_output_once_if_its_run_is_begun_again() {
    let shown = replay_that_talks(&[]);
    assert_eq!(lines_of_talk(&shown), 1, "{shown}");
}

/// Checkpoints are taken in a long run; then what it has written is kept until the next run begins.
#[test]
fn a_replay_shows_output_once_if_its_run_is_long() {
    let shown = replay_that_talks(&["-D", "THREADS=1", "-D", "LOCKS=500"]);
    assert_eq!(lines_of_talk(&shown), 1, "{shown}");
}
