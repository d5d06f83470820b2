//! `inspect confirm`: whether a data race that somebody reports is real.

#![allow(missing_docs, reason = "tests have no users")]

mod tool;

use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use tool::{inspect, run};

/// `inspect confirm --json`: status and object.
fn confirm(arguments: &[&str], directory: &Path) -> (i32, Value) {
    let (status, stdout, stderr) = run(&[&["confirm", "--json"], arguments].concat(), directory);
    let json = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"));
    (status, json)
}

fn outcome(json: &Value, number: usize) -> &str {
    json["races"][number]["outcome"].as_str().expect("an outcome")
}

/// What `inspect confirm` writes to standard error in place of an answer.
fn error(arguments: &[&str], directory: &Path) -> String {
    let (status, stdout, stderr) = run(&[&["confirm"], arguments].concat(), directory);
    assert_eq!((status, stdout.as_str()), (2, ""), "{stderr}");
    stderr
}

/// `count` races between lines 7 and 19, `total` is protected by a mutex in lines 9 and 21, and line 15 is for nobody
/// who gives no argument.
const TEST: &str = "
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count, total;
static void *work(void *arg) {
#ifndef FIXED
    count = 1;
#endif
    pthread_mutex_lock(&mutex); total++; pthread_mutex_unlock(&mutex);
    return arg;
}
int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    if (argc > 1) count = 7;
    (void)argv;
    pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex);
#ifndef FIXED
    count = 2;
#endif
    pthread_mutex_lock(&mutex); total = 4; pthread_mutex_unlock(&mutex);
    return pthread_join(thread, 0);
}
";

fn scene(name: &str, text: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join(name), text).expect("written");
    directory
}

fn test() -> tempfile::TempDir {
    scene("test.c", TEST)
}

#[test]
fn a_race_is_confirmed_by_its_places_in_either_order_and_its_schedule_replays() {
    let directory = test();
    for places in [["test.c:7", "test.c:19"], ["test.c:19", "test.c:7"]] {
        let (status, json) = confirm(&["test.c", places[0], places[1]], directory.path());
        assert_eq!((status, outcome(&json, 0)), (1, "confirmed"), "{json}");
        let finding = &json["races"][0]["findings"][0];
        let mut lines = [&finding["threads"][0]["line"], &finding["threads"][1]["line"]].map(|line| line.as_u64());
        lines.sort();
        assert_eq!((finding["kind"].as_str(), lines), (Some("data-race"), [Some(7), Some(19)]), "{json}");
        let schedule = finding["replay"].as_str().expect("a schedule");
        let (status, shown, _) = run(&["replay", schedule], directory.path());
        assert_eq!((status, shown.contains("error: data-race")), (1, true), "{shown}");
    }
}

#[test]
fn a_program_that_was_built_before_is_asked_in_the_same_way() {
    let directory = test();
    let compiled = inspect().args(["cc", "-g", "test.c", "-o", "test"]).current_dir(&directory).status();
    assert!(compiled.expect("inspect starts").success());
    let (status, json) = confirm(&["test", "test.c:7", "./test.c:19"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (1, "confirmed"), "{json}");
    let (status, json) = confirm(&["test", "test.c:9", "test.c:21"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (0, "refuted"), "{json}");
}

#[test]
fn a_race_that_a_lock_rules_out_is_refuted_with_the_assumptions() {
    let directory = test();
    let (status, text, _) = run(&["confirm", "test.c", "test.c:9", "test.c:21", "-D", "FIXED"], directory.path());
    assert_eq!(status, 0, "{text}");
    assert!(
        text.starts_with("refuted: every interleaving was covered: data race of test.c:9 and test.c:21\n"),
        "{text}"
    );
    assert!(text.contains("assuming sequential consistency") && !text.contains("found besides"), "{text}");
}

#[test]
fn a_race_of_other_places_does_not_count_and_is_found_besides() {
    let directory = test();
    let (status, json) = confirm(&["test.c", "test.c:9", "test.c:21"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (0, "refuted"), "{json}");
    assert_eq!(json["besides"][0]["kind"], "data-race", "{json}");
    let (_, text, _) = run(&["confirm", "test.c", "test.c:9", "test.c:21"], directory.path());
    assert!(text.contains("\nfound besides: data-race: ") && text.contains("; inspect replay inspect-out/"), "{text}");
}

/// Line 7 writes by a function of a library, line 13 reads by one; line 12 has no access.
#[test]
fn accesses_of_library_functions_are_at_the_line_of_the_call() {
    let text = "
#include <pthread.h>
#include <string.h>
static char text[20];
static size_t length;
static void *work(void *arg) {
    strcpy(text, \"some\");
    return arg; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_self();
    length = strlen(text);
    return pthread_join(thread, 0);
}
";
    let directory = scene("calls.c", text);
    for (places, expected) in [(["calls.c:7", "calls.c:13"], 1), (["calls.c:7:5", "calls.c:13:14"], 1)] {
        let (status, shown, stderr) = run(&["confirm", "calls.c", places[0], places[1]], directory.path());
        assert_eq!((status, shown.contains("has no access")), (expected, false), "{shown} {stderr}");
    }
    let (_, shown, _) = run(&["confirm", "calls.c", "calls.c:7", "calls.c:12"], directory.path());
    assert!(shown.contains("no access at calls.c:12") && !shown.contains("no access at calls.c:7"), "{shown}");
}

/// Of the accesses of thread 1, the later one is what line 11 is always found to race with: main comes there only once
/// both were made.
#[test]
fn a_race_that_another_one_may_hide_is_not_refuted() {
    let text = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, step;
static int x;
static void *work(void *arg) {
    x = 1; atomic_store_explicit(&step, 1, memory_order_relaxed);
    x = 2;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg; }
static int get(void) { return x; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) get();
    return pthread_join(thread, 0);
}
";
    let directory = scene("hidden.c", text);
    let confirm = |places: [&str; 2]| confirm(&["hidden.c", "--cflag=-O0", places[0], places[1]], directory.path());
    let (status, json) = confirm(["hidden.c:8", "hidden.c:11"]);
    assert_eq!((status, outcome(&json, 0)), (1, "confirmed"), "{json}");
    let (status, json) = confirm(["hidden.c:7", "hidden.c:11"]);
    assert_eq!((status, outcome(&json, 0)), (3, "not confirmed"), "{json}");
    assert!(json["races"][0]["reason"].as_str().is_some_and(|why| why.contains("may hide this one")), "{json}");
}

#[test]
fn a_limit_keeps_a_race_from_being_refuted_and_is_named() {
    let directory = test();
    let arguments =
        ["test.c", "test.c:9", "test.c:21", "-D", "FIXED", "--algorithm", "optimal", "--max-executions", "1"];
    let (status, json) = confirm(&arguments, directory.path());
    assert_eq!((status, outcome(&json, 0)), (3, "not confirmed"), "{json}");
    assert_eq!(json["races"][0]["reason"], "the limit of 1 executions was reached", "{json}");
    assert_eq!((json["searches"].as_array().map(Vec::len), &json["searches"][0]["executions"]), (Some(1), &1.into()));
}

#[test]
fn an_interrupted_search_goes_on_from_its_checkpoint() {
    let directory = test();
    let arguments = ["test.c", "test.c:9", "test.c:21", "-D", "FIXED"];
    let limited = [&arguments[..], &["--checkpoint", "search", "--max-executions", "1"]].concat();
    let (status, json) = confirm(&limited, directory.path());
    assert_eq!((status, outcome(&json, 0)), (3, "not confirmed"), "{json}");
    let (status, json) = confirm(&[&arguments[..], &["--resume", "search"]].concat(), directory.path());
    assert_eq!((status, outcome(&json, 0)), (0, "refuted"), "{json}");
}

#[test]
fn a_search_that_samples_refutes_nothing() {
    let directory = test();
    let (status, json) =
        confirm(&["test.c", "test.c:9", "test.c:21", "-D", "FIXED", "--algorithm", "random"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (3, "not confirmed"), "{json}");
}

/// `stateful` finds a race if there is one, but not each pair of places.
#[test]
fn a_search_that_compares_states_refutes_only_where_it_found_no_race() {
    let directory = test();
    let arguments = ["test.c", "test.c:9", "test.c:21", "--algorithm", "stateful"];
    let (status, json) = confirm(&arguments, directory.path());
    assert_eq!((status, outcome(&json, 0)), (3, "not confirmed"), "{json}");
    assert!(
        json["races"][0]["reason"].as_str().is_some_and(|why| why.contains("does not look for each pair")),
        "{json}"
    );
    let (status, json) = confirm(&[&arguments[..], &["-D", "FIXED"]].concat(), directory.path());
    assert_eq!((status, outcome(&json, 0)), (0, "refuted"), "{json}");
}

#[test]
fn a_place_to_which_no_execution_comes_is_not_refuted() {
    let directory = test();
    let (status, json) = confirm(&["test.c", "test.c:15", "test.c:9"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (3, "not confirmed"), "{json}");
    assert!(json["races"][0]["reason"].as_str().is_some_and(|why| why.ends_with("an access at test.c:15")), "{json}");
    let (status, json) = confirm(&["test.c", "test.c:15", "test.c:7", "--", "argument"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (1, "confirmed"), "{json}");
}

/// Freeing a block is a write of it.
#[test]
fn a_call_of_a_library_function_is_an_access_and_one_of_the_programs_own_function_is_none() {
    let text = "
#include <pthread.h>
#include <stdlib.h>
static char *block;
__attribute__((noinline)) static void write(void) {
    *block = 1;
}
static void *work(void *arg) {
    write();
    return arg;
}
int main(void) {
    pthread_t thread;
    block = malloc(10);
    pthread_create(&thread, 0, work, 0);
    if (JOINS) pthread_join(thread, 0);
    free(block);
    return JOINS ? 0 : pthread_join(thread, 0);
}
";
    let directory = scene("calls.c", text);
    let confirm = |joins, line| confirm(&["calls.c", line, "calls.c:17", "-D", joins], directory.path());
    let (status, json) = confirm("JOINS=0", "calls.c:6");
    assert_eq!((status, outcome(&json, 0)), (1, "confirmed"), "{json}");
    let (status, json) = confirm("JOINS=1", "calls.c:6");
    assert_eq!((status, outcome(&json, 0)), (0, "refuted"), "{json}");
    let (status, json) = confirm("JOINS=1", "calls.c:9");
    assert_eq!((status, outcome(&json, 0)), (3, "not confirmed"), "{json}");
    assert_eq!(json["races"][0]["without_accesses"], Value::from(vec!["calls.c:9"]), "{json}");
    assert!(json["races"][0]["reason"].as_str().is_some_and(|why| why.ends_with("an access at calls.c:9")), "{json}");
}

/// An error that ends executions does not end the search.
#[test]
fn the_search_goes_on_after_other_errors() {
    let text = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int first;
static int x;
static void *work(void *arg) { if (atomic_exchange(&first, 1)) x = 1; return arg; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    x = 2;
    int late = atomic_exchange(&first, 1);
    pthread_join(thread, 0);
    assert(!late);
    return 0;
}
";
    let directory = scene("assert.c", text);
    let (status, json) = confirm(&["assert.c", "assert.c:7", "assert.c:11"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (0, "refuted"), "the exchange orders the two: {json}");
    assert_eq!(json["besides"][0]["kind"], "assertion", "{json}");
}

#[test]
fn places_that_the_program_does_not_have_are_an_error_that_names_what_is_near() {
    let directory = test();
    let said = error(&["test.c", "test.c:7", "test.c:11"], directory.path());
    assert!(said.contains("no code at test.c:11; lines with accesses near it: 7, 9, 14, 15"), "{said}");
    let said = error(&["test.c", "test.c:7", "other.c:19"], directory.path());
    assert!(said.contains("no code of a file other.c; it has accesses in test.c"), "{said}");
    let said = error(&["test.c", "test.c:7:99", "test.c:19"], directory.path());
    assert!(said.contains("test.c:7 has accesses, but none in column 99; they are in column 11"), "{said}");
    let (status, json) = confirm(&["test.c", "test.c:7:11", "test.c:19"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (1, "confirmed"), "{json}");
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    let directory = test();
    for (arguments, part) in [
        (&["test.c", "test.c:7"][..], "places given: 1"),
        (&["test.c:7", "test.c:19"], "needs a program"),
        (&["test.c", "test.c:7", "test.c:19", "--report", "r"], "not both"),
        (&["test.c", "test.c:7", "test.c:19", "--ignore", "data-race"], "a data race is what it looks for"),
        (&["test.c", "test.c:7", "test.c:19", "--races-in", "f"], "--races-in cannot be given"),
        (&["test.c", "test.c:7", "test.c:19", "--junit", "f"], "--json has it"),
        (&["test.c", "--report", "missing.txt"], "missing.txt: No such file"),
        (&["test.c", "--report", "test.c"], "no data race reported by ThreadSanitizer or Helgrind"),
    ] {
        let said = error(arguments, directory.path());
        assert!(said.contains(part), "{said}");
    }
}

/// A report of ThreadSanitizer about two places, as a machine with another checkout has written it.
fn of_tsan(first: u32, second: u32) -> String {
    format!(
        "==================
WARNING: ThreadSanitizer: data race (pid=7)
  Write of size 4 at 0x5581 by main thread:
    #0 main /ci/checkout/test.c:{first}:11 (test+0xd2)

  Previous write of size 4 at 0x5581 by thread T1:
    #0 memset <null> (test+0x1)
    #1 work /ci/checkout/test.c:{second}:11 (test+0xd3)

  Thread T1 (tid=9, finished) created by main thread at:
    #0 pthread_create <null> (test+0x6)
    #1 main /ci/checkout/test.c:14:5 (test+0xd1)

SUMMARY: ThreadSanitizer: data race /ci/checkout/test.c:{first}:11 in main
"
    )
}

#[test]
fn of_a_report_with_two_races_each_has_its_own_answer() {
    let directory = test();
    let deadlock = "WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=7)\n";
    let report = format!("{}{deadlock}{}{}", of_tsan(19, 7), of_tsan(21, 9), of_tsan(7, 19));
    std::fs::write(directory.path().join("tsan.txt"), report).expect("written");
    let (status, json) = confirm(&["test.c", "--report", "tsan.txt"], directory.path());
    assert_eq!(status, 1, "{json}");
    assert_eq!(json["races"].as_array().map(Vec::len), Some(2), "the one that is there twice counts once: {json}");
    assert_eq!((outcome(&json, 0), outcome(&json, 1)), ("confirmed", "refuted"), "{json}");
    assert_eq!(json["besides"], Value::Array(Vec::new()), "{json}");
    assert_eq!(json["unread"][0], "tsan.txt: 1 x lock-order-inversion, which is not read", "{json}");
}

#[test]
fn a_race_of_a_report_that_cannot_be_looked_for_is_not_confirmed_and_others_are_answered() {
    let directory = test();
    let elsewhere = of_tsan(19, 7).replace("/ci/checkout/test.c", "/ci/checkout/other.c");
    std::fs::write(directory.path().join("tsan.txt"), elsewhere.clone() + &of_tsan(21, 9)).expect("written");
    let (status, json) = confirm(&["test.c", "--report", "tsan.txt", "-D", "FIXED"], directory.path());
    assert_eq!((status, outcome(&json, 0), outcome(&json, 1)), (3, "not confirmed", "refuted"), "{json}");
    std::fs::write(directory.path().join("tsan.txt"), elsewhere).expect("written");
    let said = error(&["test.c", "--report", "tsan.txt"], directory.path());
    assert!(said.contains("data race at line 2 of tsan.txt: no call of one of its accesses is in"), "{said}");
}

#[test]
fn a_race_is_confirmed_by_a_report_of_helgrind_on_standard_input() {
    let directory = test();
    let report = "==7== Possible data race during write of size 4 at 0x10C02C by thread #1
==7== Locks held: none
==7==    at 0x109222: main (test.c:19)
==7==
==7== This conflicts with a previous write of size 4 by thread #2
==7== Locks held: none
==7==    at 0x1091A5: work (test.c:7)
==7==    by 0x48B: mythread_wrapper (hg_intercepts.c:406)
==7==  Address 0x10c02c is 0 bytes inside data symbol \"count\"
";
    let mut command = inspect();
    command.args(["confirm", "test.c", "--report", "-"]).current_dir(&directory).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).spawn().expect("inspect starts");
    child.stdin.take().expect("a pipe").write_all(report.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("confirmed: data race of test.c:19 and test.c:7\nerror: data-race: "), "{text}");
    assert!(text.contains("\n  replay: inspect replay inspect-out/test-data-race-1.schedule\n"), "{text}");
}

/// A header in a folder of the C++ library: a function that is called, and one that is inlined.
const BOX: &str = "
struct box { int first, second; };
__attribute__((noinline)) static void put(struct box *box) {
    box->first = 1;
    box->second = 2;
}
__attribute__((always_inline)) static inline int get(struct box *box) { return box->first; }
";

/// The program's own lines are where `put` and `get` are called: 6 and 10.
const OF_BOX: &str = "
#include <pthread.h>
#include \"include/c++/box.h\"
static struct box box;
static void *work(void *arg) {
    put(&box);
    return arg; }
int main(void) {
    pthread_t thread; pthread_create(&thread, 0, work, 0);
    int seen = get(&box);
    return pthread_join(thread, 0) + seen;
}
";

/// A report of ThreadSanitizer or of Helgrind, which names files without their folders, says of an access in a header
/// where that is and which calls have led there. What was not inlined has the header's line in a search.
#[test]
fn a_race_in_a_header_is_the_one_that_a_report_says_the_programs_own_lines_lead_to() {
    let directory = scene("test.c", OF_BOX);
    std::fs::create_dir_all(directory.path().join("include/c++")).expect("created");
    std::fs::write(directory.path().join("include/c++/box.h"), BOX).expect("written");
    let tsan = |line: u32| {
        format!(
            "WARNING: ThreadSanitizer: data race (pid=7)
  Read of size 4 at 0x5581 by main thread:
    #0 get(box*) /ci/lib/../include/c++/box.h:7:81 (test+0xd1)
    #1 main /ci/test.c:10:16 (test+0xd1)
  Previous write of size 4 at 0x5581 by thread T1:
    #0 put(box*) /ci/lib/../include/c++/box.h:{line}:10 (test+0xd3)
    #1 work /ci/test.c:6:5 (test+0xd4)
"
        )
    };
    let helgrind = "==7== Possible data race during read of size 4 at 0x10C02C by thread #1
==7== Locks held: none
==7==    at 0x109222: get (box.h:7)
==7==    by 0x109232: main (test.c:10)
==7==
==7== This conflicts with a previous write of size 4 by thread #2
==7== Locks held: none
==7==    at 0x1091A5: put (box.h:4)
==7==    by 0x1091B5: work (test.c:6)
";
    std::fs::write(directory.path().join("tsan.txt"), tsan(4) + &tsan(5)).expect("written");
    let (status, json) = confirm(&["test.c", "--report", "tsan.txt"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (1, "confirmed"), "{json}");
    assert_eq!(json["races"][0]["race"], "data race of /ci/test.c:10 (box.h:7) and /ci/test.c:6 (box.h:4)");
    // `second` is written by one thread only.
    assert_eq!(outcome(&json, 1), "not confirmed", "the other line of the header is another race: {json}");
    std::fs::write(directory.path().join("helgrind.txt"), helgrind).expect("written");
    let (status, json) = confirm(&["test.c", "--report", "helgrind.txt"], directory.path());
    assert_eq!((status, outcome(&json, 0)), (1, "confirmed"), "{json}");
}

/// As long as the race in question is left to be found, none of the limits of other searches ends the search: but once
/// it is shown, no more is explored than that.
#[test]
fn the_search_stops_once_the_race_is_shown() {
    let text = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static int x;
static void *work(void *arg) {
    x = 1;
    for (int i = 0; i < 12; i++) { atomic_fetch_add(&a, 1); atomic_fetch_add(&b, 1); }
    return arg;
}
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
";
    let directory = scene("large.c", text);
    let arguments =
        ["large.c", "large.c:7", "large.c:7", "--algorithm", "optimal", "--time-limit", "10m", "--no-minimise"];
    let start = std::time::Instant::now();
    let (status, json) = confirm(&arguments, directory.path());
    assert_eq!((status, outcome(&json, 0)), (1, "confirmed"), "{json}");
    assert!(start.elapsed() < std::time::Duration::from_secs(120), "more than 10^20 executions are left");
}
