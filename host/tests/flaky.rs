//! `inspect flaky`: draws executions until one fails, and leaves a schedule that fails every time; and the reports for
//! other programs.

#![allow(missing_docs, reason = "tests have no users")]

mod tool;

use serde_json::Value;
use tool::run;

/// Of the ten looks of one thread, the sixth has to be the first that sees the store of the other one.
const TEST: &str = "
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready;
static int first;
static void *set(void *arg) {
    atomic_store(&ready, 1);
    return arg;
}
static void *look(void *arg) {
    for (int i = 1; i <= 10 && !first; i++)
        if (atomic_load(&ready))
            first = i;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, look, 0);
    pthread_create(&b, 0, set, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return first == 6;
}
";

fn scene(text: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("test.c"), text).expect("written");
    directory
}

#[test]
fn a_failing_status_is_found_with_one_preemption_and_replays() {
    let directory = scene(TEST);
    let (status, stdout, stderr) = run(&["flaky", "--json", "test.c", "--time-limit", "60s"], directory.path());
    let json: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout} {stderr}"));
    assert_eq!((status, json["verdict"].as_str()), (1, Some("violated")), "{json}");
    let finding = &json["findings"][0];
    assert_eq!((&finding["kind"], &finding["severity"]), (&"exit-status".into(), &"error".into()));
    // The looking thread is interrupted right before its sixth look; no order of whole threads fails.
    assert_eq!(finding["preemptions"], serde_json::json!({ "most": 1, "least": 1 }), "{json}");
    let schedule = finding["replay"].as_str().expect("a schedule");
    for _ in 0..3 {
        let (status, stdout, stderr) = run(&["replay", schedule], directory.path());
        assert!(status == 1 && stdout.contains("exit-status"), "{stdout} {stderr}");
    }
}

#[test]
fn a_test_that_does_not_fail_is_inconclusive_when_the_time_is_over() {
    let directory = scene("int main(void) { return 0; }\n");
    let begin = std::time::Instant::now();
    let (status, stdout, _) = run(&["flaky", "test.c", "--time-limit", "1s"], directory.path());
    assert_eq!(status, 3, "{stdout}");
    assert!(stdout.contains("algorithm flaky") && stdout.contains("took turns (inspect flaky)"), "{stdout}");
    assert!(begin.elapsed() < std::time::Duration::from_secs(30));
}

/// Turns that are made beside each other count as if each had been made after the one before.
#[test]
fn several_processes_draw_what_one_draws() {
    let directory = scene(TEST);
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/rare/switches/bad.c");
    // The strategy that finds it is not the first, so that there are turns before it.
    let late = ["flaky", "--json", "--quiet", "-DLOOKS=3", "-DWORK=1000", source];
    let answer = |workers: &str| {
        let (status, stdout, stderr) = run(&[&late[..], &["-j", workers]].concat(), directory.path());
        assert_eq!(status, 1, "{stderr}");
        let answer: Value = serde_json::from_str(&stdout).expect("a report");
        ["executions", "transitions", "findings", "reason", "assumptions"].map(|key| answer[key].clone())
    };
    let alone = answer("1");
    // More than the 100,000 operations of the first turn: its runs have some 6,000 each.
    assert!(alone[1].as_u64() > Some(100_000), "{alone:?}");
    for workers in ["2", "3", "8"] {
        assert_eq!(answer(workers), alone, "-j {workers}");
    }
}

#[test]
fn searches_that_do_not_sample_are_refused() {
    let directory = scene(TEST);
    for option in [["--algorithm", "optimal"], ["--preemptions", "1"]] {
        let (status, _, stderr) = run(&[&["flaky", "test.c"], &option[..]].concat(), directory.path());
        assert!(status == 2 && stderr.contains("inspect flaky draws executions"), "{stderr}");
    }
}

#[test]
fn junit_and_sarif_name_each_finding_and_its_place() {
    let directory = scene(TEST);
    let arguments = ["flaky", "test.c", "--time-limit", "60s", "--junit", "junit.xml", "--sarif", "found.sarif"];
    assert_eq!(run(&arguments, directory.path()).0, 1);
    let read = |name| std::fs::read_to_string(directory.path().join(name)).expect("written");
    let junit = read("junit.xml");
    assert!(junit.contains("tests=\"1\" failures=\"1\" errors=\"0\""), "{junit}");
    assert!(junit.contains("<failure type=\"exit-status\" message=\""), "{junit}");
    assert!(junit.contains("replay: inspect replay inspect-out/test-exit-status-1.schedule"), "{junit}");
    let sarif: Value = serde_json::from_str(&read("found.sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!((&sarif["version"], results.len()), (&"2.1.0".into(), 1), "{sarif}");
    assert_eq!((&results[0]["ruleId"], &results[0]["level"]), (&"exit-status".into(), &"error".into()));
    assert_eq!(results[0]["properties"]["replay"], "inspect-out/test-exit-status-1.schedule");
}

#[test]
fn a_check_without_findings_is_a_test_that_passed() {
    let directory = scene("int main(void) { return 0; }\n");
    let arguments = ["check", "test.c", "--junit", "junit.xml", "--sarif", "found.sarif"];
    assert_eq!(run(&arguments, directory.path()).0, 0);
    let junit = std::fs::read_to_string(directory.path().join("junit.xml")).expect("written");
    assert!(junit.contains("tests=\"1\" failures=\"0\" errors=\"0\"") && !junit.contains("<failure"), "{junit}");
    let sarif = std::fs::read_to_string(directory.path().join("found.sarif")).expect("written");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"], serde_json::json!([]));
    let invocations = serde_json::json!([{ "executionSuccessful": true, "toolExecutionNotifications": [] }]);
    assert_eq!(sarif["runs"][0]["invocations"], invocations);
    let (status, stdout, stderr) = run(&["check", "test.c", "--junit", "no/such/folder.xml"], directory.path());
    assert!(
        status == 2 && stderr.contains("no/such/folder.xml") && stdout.is_empty(),
        "a report that cannot be written is an error before anything is searched: {stdout} {stderr}"
    );
}

#[test]
fn a_check_without_an_answer_is_no_clean_report() {
    let directory = scene(TEST);
    let arguments = ["check", "test.c", "--max-executions", "1", "--sarif", "found.sarif", "--junit", "junit.xml"];
    assert_eq!(run(&arguments, directory.path()).0, 3);
    let sarif = std::fs::read_to_string(directory.path().join("found.sarif")).expect("written");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false, "{sarif}");
    let said = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().expect("a text");
    assert!(said.contains("the limit of 1 executions was reached"), "{said}");
}

#[test]
fn findings_of_one_kind_are_cases_with_names_of_their_own() {
    let racy = "
#include <pthread.h>
static int a, b;
static void *touch(void *arg) {
    a++;
    b++;
    return arg;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, 0, touch, 0);
    touch(0);
    pthread_join(other, 0);
}
";
    let directory = scene(racy);
    assert_eq!(run(&["check", "test.c", "--keep-going", "--junit", "junit.xml"], directory.path()).0, 1);
    let junit = std::fs::read_to_string(directory.path().join("junit.xml")).expect("written");
    let cases: Vec<&str> = junit.split("<testcase ").skip(1).filter_map(|case| case.split('"').nth(3)).collect();
    let names: std::collections::BTreeSet<&str> = cases.iter().copied().collect();
    assert!(cases.len() > 1 && names.len() == cases.len(), "{junit}");
    assert!(names.iter().all(|name| name.starts_with("test: data-race at test.c:")), "{junit}");
}
