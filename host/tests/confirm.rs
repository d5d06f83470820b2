//! `inspect confirm`: places of the command line and of reports of other tools, each confirmed by a schedule, refuted
//! by a search that covered everything, or neither.
//!
//! The reports in `programs/confirm` were written by ThreadSanitizer (clang 22) and Helgrind (Valgrind 3.19) about the
//! programs beside them, compiled with `-g -O0`, `locks.c` with `-DTOGETHER`. Folders are left out of their paths.

#![allow(missing_docs, reason = "tests have no users")]

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn inspect() -> Command {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    Command::new(std::env::var_os("INSPECT").map_or_else(built, PathBuf::from))
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/confirm")
}

/// Runs `inspect` beside the programs, its schedules in `out`: status, output, errors.
fn run_in(arguments: &[&str], folder: &Path, out: &Path) -> (i32, String, String) {
    // Behind the command: after `--` are the program's arguments.
    let (command, rest) = arguments.split_first().expect("a command");
    let output = inspect()
        .arg(command)
        .arg("--out")
        .arg(out)
        .args(rest)
        .current_dir(folder)
        .output()
        .expect("`make build` was run");
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).expect("is UTF-8");
    (status.code().expect("has a status"), text(stdout), text(stderr))
}

/// `inspect confirm`: status, and the answers with their places.
fn confirm(arguments: &[&str]) -> (i32, Vec<(String, Vec<String>)>) {
    let out = tempfile::tempdir().expect("a directory");
    let (status, json) = confirm_into(arguments, out.path());
    (status, answers(&json))
}

fn confirm_into(arguments: &[&str], out: &Path) -> (i32, Value) {
    let (status, stdout, stderr) = run_in(&[&["confirm", "--json"], arguments].concat(), &programs(), out);
    (status, serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}")))
}

fn answers(json: &Value) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let places = |suspect: &Value| suspect["places"].as_array().expect("a list").iter().map(text).collect();
    let suspects = json["suspects"].as_array().unwrap_or_else(|| panic!("{json}"));
    suspects.iter().map(|suspect| (text(&suspect["answer"]), places(suspect))).collect()
}

fn one(answer: &str, places: [&str; 2]) -> Vec<(String, Vec<String>)> {
    vec![(answer.to_owned(), places.map(str::to_owned).to_vec())]
}

#[test]
fn a_race_is_confirmed_by_a_schedule_that_replays() {
    let out = tempfile::tempdir().expect("a directory");
    let (status, json) = confirm_into(&["race.c:7", "race.c:7:9"], out.path());
    assert_eq!((status, answers(&json)), (1, one("confirmed", ["race.c:7", "race.c:7"])), "{json}");
    assert_eq!(json["verdict"], "violated");
    let schedule = json["suspects"][0]["because"].as_str().expect("a schedule");
    let output = inspect().args(["replay", schedule]).current_dir(programs()).output().expect("runs");
    let replayed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && replayed.contains("data-race"), "{replayed}");
}

/// Of the lines 7, 11 and 18, only line 7 races, with itself: `limit` is set before the threads begin.
#[test]
fn accesses_that_are_ordered_are_refuted_beside_a_race() {
    for places in [["race.c:11", "race.c:18"], ["race.c:7", "race.c:11"], ["race.c:18", "race.c:18"]] {
        let out = tempfile::tempdir().expect("a directory");
        let (status, json) = confirm_into(&places, out.path());
        assert_eq!((status, answers(&json)), (0, one("refuted", places)), "{json}");
        // The race of line 7, which nobody asked for, is counted: read with write, and write with write.
        assert_eq!((&json["verdict"], &json["other_errors"]), (&"verified".into(), &2.into()), "{json}");
        assert_eq!(json["findings"], serde_json::json!([]));
    }
}

#[test]
fn locks_in_two_orders_are_confirmed_where_they_can_meet_and_refuted_where_not() {
    let places = ["locks.c:23", "locks.c:33"];
    let ask = |defines: &[&str]| confirm(&[&places[..], defines].concat());
    assert_eq!(ask(&["-D", "TOGETHER"]), (1, one("confirmed", places)));
    // One thread has ended when the other one begins.
    assert_eq!(ask(&[]), (0, one("refuted", places)));
    assert_eq!(ask(&["-D", "TOGETHER", "-D", "GATE"]), (0, one("refuted", places)));
}

#[test]
fn reports_of_thread_sanitizer_and_helgrind_are_tried() {
    let race = || one("confirmed", ["race.c:7", "race.c:7"]);
    for (report, program, expected) in [
        ("tsan-race.txt", &["race.c"][..], (1, race())),
        // Two reports about the same lines are one suspect.
        ("helgrind-race.txt", &["race.c"], (1, race())),
        ("tsan-locks.txt", &["locks.c", "-DTOGETHER"], (1, one("confirmed", ["locks.c:23", "locks.c:33"]))),
        ("helgrind-locks.txt", &["locks.c", "-DTOGETHER"], (1, one("confirmed", ["locks.c:23", "locks.c:33"]))),
        ("helgrind-locks.txt", &["locks.c"], (0, one("refuted", ["locks.c:23", "locks.c:33"]))),
        // ThreadSanitizer does not know fences.
        ("tsan-published.txt", &["published.c"], (0, one("refuted", ["published.c:10", "published.c:19"]))),
    ] {
        let arguments = [&["--report", report][..], program].concat();
        assert_eq!(confirm(&arguments), expected, "{arguments:?}");
    }
}

#[test]
fn a_report_is_read_from_standard_input() {
    let out = tempfile::tempdir().expect("a directory");
    let mut child = inspect()
        .args(["confirm", "--quiet", "--report", "-", "race.c", "--out"])
        .arg(out.path())
        .current_dir(programs())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`make build` was run");
    let report = std::fs::read(programs().join("tsan-race.txt")).expect("is there");
    child.stdin.take().expect("a pipe").write_all(&report).expect("written");
    let output = child.wait_with_output().expect("ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && text.contains("confirmed: race.c:7 and race.c:7: "), "{text}");
}

/// A program that takes longer than the time there is, whose accesses of `x` are ordered by a mutex.
const LONG: &str = "
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *arg) {
    for (int i = 0; i < 40; i++) {
        pthread_mutex_lock(&mutex);
        x += (int)(long)arg + x * i;
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}
int main(void) {
    pthread_t t[6];
    for (long i = 0; i < 6; i++)
        pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], 0);
    return 0;
}
";

#[test]
fn nothing_is_refuted_by_a_search_that_did_not_end() {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("long.c"), LONG).expect("written");
    let begin = std::time::Instant::now();
    let arguments = ["confirm", "--json", "--time-limit", "2s", "long.c:8", "long.c:8"];
    let (status, stdout, stderr) = run_in(&arguments, folder.path(), folder.path());
    let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"));
    assert_eq!((status, answers(&json)), (3, one("open", ["long.c:8", "long.c:8"])), "{json}");
    assert!(begin.elapsed() < std::time::Duration::from_secs(40));
}

#[test]
fn what_is_no_place_of_the_program_is_named_with_the_nearest_lines() {
    let out = tempfile::tempdir().expect("a directory");
    for (arguments, part) in [
        (&["race.c:8", "race.c:11"][..], "race.c:8: the program has no access there"),
        (&["race.c:8", "race.c:11"], "the nearest lines that have one, or call a library: 7, 11"),
        (&["other.c:7", "race.c:7", "race.c"], "other.c:7: the program has no such source file"),
        (&["race.c:7"], "two places are needed, and there are 1"),
        (&["race.c:7", "race.c:7", "race.c:7"], "two places are needed, and there are 3"),
        (&["race.c"], "two places are needed, and there are 0"),
        (&["none.c:1", "none.c:2"], "none.c: No such file"),
        (&["--report", "none.txt", "race.c"], "none.txt: No such file"),
        (&["--report", "race.c", "race.c"], "race.c: no data race and no lock order in it"),
        (&["--report", "tsan-race.txt"], "required arguments were not provided"),
        (&["--report", "tsan-published.txt", "race.c"], "published.c:19: the program has no such source file"),
        (&["--report", "tsan-race.txt", "race.c:7", "race.c"], "--report has the places"),
        (&["race.c:7", "race.c:7", "--algorithm", "pct"], "for inspect check, not for inspect confirm"),
        (&["race.c:7", "race.c:7", "-j", "2"], "for inspect check, not for inspect confirm"),
        (&["race.c:7", "race.c:7", "--ignore", "data-race"], "for inspect check, not for inspect confirm"),
        (&["race.c:7", "race.c:7", "--races-in", "race.c"], "would seem refuted"),
        (&["race.c:7", "race.c:7", "--plain-accesses", "sync"], "for inspect check, not for inspect confirm"),
    ] {
        let (status, stdout, stderr) = run_in(&[&["confirm"], arguments].concat(), &programs(), out.path());
        assert!(status == 2 && stderr.contains(part), "{arguments:?}: {status} {stdout} {stderr}");
    }
}

/// A report that is partly about another program leaves the answer open, unless something is confirmed.
#[test]
fn what_cannot_be_tried_is_named_and_is_not_refuted() {
    let folder = tempfile::tempdir().expect("a directory");
    let read = |name| std::fs::read_to_string(programs().join(name)).expect("is there");
    let report = read("tsan-locks.txt") + &read("tsan-published.txt");
    std::fs::write(folder.path().join("both.txt"), report).expect("written");
    std::fs::copy(programs().join("locks.c"), folder.path().join("locks.c")).expect("copied");
    let arguments = ["confirm", "--json", "--report", "both.txt", "locks.c"];
    let (status, stdout, stderr) = run_in(&arguments, folder.path(), folder.path());
    let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"));
    let expected = [one("refuted", ["locks.c:23", "locks.c:33"]), vec![("not tried".to_owned(), vec![])]].concat();
    assert_eq!((status, answers(&json)), (3, expected), "{json}");
}

/// Ten thousand reports of one race, and ten thousand of lines that are not there, are read and tried at once.
#[test]
fn large_reports_are_no_trouble() {
    let folder = tempfile::tempdir().expect("a directory");
    let race = std::fs::read_to_string(programs().join("tsan-race.txt")).expect("is there");
    let elsewhere = |line: usize| race.replace("race.c:7", &format!("race.c:{}", 1000 + line));
    let report: String = (0..10_000).map(|line| race.clone() + &elsewhere(line)).collect();
    std::fs::write(folder.path().join("report.txt"), report).expect("written");
    std::fs::copy(programs().join("race.c"), folder.path().join("race.c")).expect("copied");
    let begin = std::time::Instant::now();
    let arguments = ["confirm", "--json", "--report", "report.txt", "race.c"];
    let (status, stdout, stderr) = run_in(&arguments, folder.path(), folder.path());
    let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"));
    let all = answers(&json);
    let confirmed = all.iter().filter(|(answer, _)| answer == "confirmed").count();
    assert_eq!((status, confirmed, all.len()), (1, 1, 10_001));
    assert!(begin.elapsed() < std::time::Duration::from_secs(60), "{:?}", begin.elapsed());
}

/// A program whose second thread touches `x` without the mutex only if it has an argument.
const CARELESS: &str = "
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x, careless;
static void *one(void *arg) {
    pthread_mutex_lock(&mutex);
    x = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}
static void *other(void *arg) {
    if (!careless)
        pthread_mutex_lock(&mutex);
    x = 2;
    if (!careless)
        pthread_mutex_unlock(&mutex);
    return arg;
}
int main(int argc, char **argv) {
    pthread_t a, b;
    (void)argv;
    careless = argc > 1;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
";

/// Built with inspect-cc, in another folder than where its sources are.
#[test]
fn programs_and_their_arguments_are_taken_as_by_check() {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(folder.path().join("src")).expect("made");
    std::fs::write(folder.path().join("src/x.c"), CARELESS).expect("written");
    let built = inspect().args(["cc", "-g", "src/x.c", "-o", "x"]).current_dir(folder.path()).status().expect("runs");
    assert!(built.success());
    for (arguments, status, answer) in [(&[][..], 0, "refuted"), (&["--", "careless"], 1, "confirmed")] {
        let arguments = [&["confirm", "--json", "src/x.c:7", "x.c:14", "./x"][..], arguments].concat();
        let (found, stdout, stderr) = run_in(&arguments, folder.path(), folder.path());
        let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"));
        assert_eq!((found, answers(&json)), (status, one(answer, ["src/x.c:7", "src/x.c:14"])), "{json}");
    }
}

/// Thread 1 uses a block after it was freed, in an order of the two that a flag makes: no race. Nobody says of a line
/// at which an error shows that nothing happens there.
#[test]
fn a_place_with_an_error_of_another_kind_is_not_refuted() {
    let folder = tempfile::tempdir().expect("a directory");
    let text = "
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int *block;
static atomic_int freed;
static int seen;
static void *use(void *arg) {
    if (atomic_load(&freed))
        seen = *block;
    return arg;
}
int main(void) {
    pthread_t a;
    block = malloc(sizeof *block);
    *block = 1;
    pthread_create(&a, 0, use, 0);
    free(block);
    atomic_store(&freed, 1);
    pthread_join(a, 0);
    return 0;
}
";
    std::fs::write(folder.path().join("used.c"), text).expect("written");
    let arguments = ["confirm", "--json", "used.c:10", "used.c:16"];
    let (status, stdout, stderr) = run_in(&arguments, folder.path(), folder.path());
    let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"));
    assert_eq!((status, answers(&json)), (3, one("open", ["used.c:10", "used.c:16"])), "{json}");
}

/// Line 8 unlocks one mutex, which is seen, and locks another one by a jump, which is seen at line 12.
const JUMP: &str = "
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static __attribute__((noinline)) int lock_b(void) {
    return pthread_mutex_lock(&b);
}
static __attribute__((noinline)) int lock_a(void) {
    pthread_mutex_unlock(&c); return pthread_mutex_lock(&a);
}
static void *one(void *arg) {
    pthread_mutex_lock(&a);
    lock_b();
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}
static void *other(void *arg) {
    lock_b();
    pthread_mutex_lock(&c);
    lock_a();
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, other, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
";

#[test]
fn a_line_that_jumps_to_a_library_is_not_refuted() {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("jump.c"), JUMP).expect("written");
    let ask = |flag: &str| {
        run_in(&["confirm", "--quiet", "jump.c:5", "jump.c:8", "--cflag", flag], folder.path(), folder.path())
    };
    let (status, stdout, stderr) = ask("-O2");
    assert!(
        status == 2 && stderr.contains("jump.c:8: a library is called there as the last thing"),
        "{stdout} {stderr}"
    );
    let (status, stdout, stderr) = ask("-O0");
    assert!(status == 1 && stdout.contains("confirmed: jump.c:5 and jump.c:8"), "{stdout} {stderr}");
}
