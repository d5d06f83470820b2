//! The `inspect` command from outside, with a guest that plays scenarios.

#![allow(missing_docs, reason = "tests have no users")]

mod processes;

use nix::sys::signal::Signal;
use processes::{children, signal};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn inspect() -> Command {
    Command::new(env!("CARGO_BIN_EXE_inspect"))
}

fn guest() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_inspect")).with_file_name("examples").join("fake_guest");
    assert!(path.exists(), "`cargo test -p inspect` builds {}; choosing single tests does not", path.display());
    path
}

fn run(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("inspect starts");
    let text = |bytes| String::from_utf8(bytes).expect("is UTF-8");
    (status.code().expect("has a status"), text(stdout), text(stderr))
}

/// Inspect installed in a directory, with stand-ins for the libraries that only a link needs.
fn installed(directory: &Path) -> PathBuf {
    let (bin, lib) = (directory.join("bin"), directory.join("lib/inspect"));
    std::fs::create_dir_all(&bin).expect("created");
    std::fs::create_dir_all(&lib).expect("created");
    std::fs::copy(env!("CARGO_BIN_EXE_inspect"), bin.join("inspect")).expect("copied");
    for name in ["libinspect_pass.so", "libinspect_guest.so"] {
        std::fs::write(lib.join(name), "").expect("written");
    }
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../instrument/include");
    std::os::unix::fs::symlink(include, lib.join("include")).expect("linked");
    bin.join("inspect")
}

/// Checks a scenario in a directory of its own; gives exit status, JSON and the directory.
fn check(scenario: &str, options: &[&str]) -> (i32, Value, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut command = inspect();
    command.arg("check").arg("--json").args(options).arg(guest()).args(["--", scenario]).current_dir(&directory);
    let (code, stdout, stderr) = run(&mut command);
    assert_eq!(stderr, "", "nothing is shown without a terminal");
    let json = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"));
    (code, json, directory)
}

fn schedules(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory.join("inspect-out")) else { return vec![] };
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn a_complete_search_is_verified_and_the_object_has_exactly_the_keys_of_the_contract() {
    let (code, json, directory) = check("verified", &[]);
    assert_eq!(code, 0);
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    let mut expected = [
        "schema",
        "verdict",
        "complete",
        "reason",
        "algorithm",
        "plain_accesses",
        "executions",
        "blocked",
        "assume_blocked",
        "transitions",
        "threads",
        "states",
        "seconds",
        "executions_per_second",
        "estimated_total",
        "findings",
        "assumptions",
    ];
    expected.sort();
    assert_eq!(keys, expected);
    assert_eq!((&json["verdict"], &json["complete"]), (&"verified".into(), &true.into()));
    assert_eq!((&json["reason"], &json["states"]), (&Value::Null, &Value::Null));
    // The guest says 4 executions of 10 transitions; a complete search needs no estimate.
    assert_eq!((&json["executions"], &json["transitions"], &json["threads"]), (&4.into(), &40.into(), &3.into()));
    assert_eq!(json["estimated_total"], 4);
    assert_eq!(json["assumptions"][0], "sequential consistency");
    assert_eq!(schedules(directory.path()), [""; 0], "nothing is left behind");
}

#[test]
fn a_confirmed_deadlock_is_violated_and_replays_from_its_file() {
    let (code, json, directory) = check("deadlock", &[]);
    assert_eq!(code, 1);
    assert_eq!(json["verdict"], "violated");
    let finding = &json["findings"][0];
    assert_eq!((&finding["kind"], &finding["severity"]), (&"deadlock".into(), &"error".into()));
    assert_eq!((&finding["line"], &finding["column"]), (&11.into(), &3.into()));
    assert!(finding["file"].as_str().expect("a file").ends_with("tests/programs/deadlock.c"));
    assert_eq!(finding["threads"].as_array().expect("a list").len(), 2);
    let schedule = finding["replay"].as_str().expect("a file");
    assert_eq!(schedule, "inspect-out/fake_guest-deadlock-1.schedule");

    let (code, stdout, stderr) = run(inspect().args(["replay", schedule]).current_dir(&directory));
    assert_eq!((code, stderr.as_str()), (1, ""));
    let output = stdout.find("output of the program").expect("the program's output is shown");
    let shown = stdout.find("error: deadlock").expect("the finding is shown");
    assert!(output < shown, "{stdout}");
}

#[test]
fn a_minimised_schedule_takes_the_place_of_the_one_that_was_found_if_it_is_confirmed() {
    let minimised = |scenario| check(scenario, &[]).1["findings"][0]["preemptions"].clone();
    assert_eq!(minimised("minimised"), serde_json::json!({ "most": 1, "least": 1 }));
    assert_eq!(minimised("minimised-in-vain"), Value::Null, "what was found is shown, of which nothing more is known");
    let (_, json, _) = check("minimised", &["--no-minimise"]);
    assert_eq!(json["findings"][0]["severity"], "error");
    assert_eq!(json["verdict"], "inconclusive", "only the minimised schedule shows it here: {json}");
}

#[test]
fn the_text_report_shows_finding_trace_and_replay_command() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut command = inspect();
    command.arg("check").arg(guest()).args(["--", "deadlock"]).current_dir(&directory);
    let (code, stdout, _) = run(&mut command);
    assert_eq!(code, 1);
    for part in [
        "error: deadlock: ",
        "11 | pthread_mutex_lock(&b);",
        "held by thread 2",
        "create thread 1",
        "replay: inspect replay inspect-out/fake_guest-deadlock-1.schedule",
        "violated: 1 error",
        "assuming sequential consistency",
    ] {
        assert!(stdout.contains(part), "{part} is not in:\n{stdout}");
    }
    assert!(!stdout.contains('\x1b'), "no colours without a terminal");
    let quiet = run(inspect().args(["check", "--quiet"]).arg(guest()).args(["--", "deadlock"]).current_dir(&directory));
    assert!(!quiet.1.contains("create thread 1") && quiet.1.contains("error: deadlock"), "{}", quiet.1);
}

#[test]
fn severities_decide_between_verified_and_violated() {
    let (code, json, _directory) = check("warning", &[]);
    assert_eq!((code, &json["findings"][0]["severity"]), (0, &"warning".into()));
    let (code, json, _directory) = check("warning", &["--error", "mutex-not-destroyed"]);
    assert_eq!((code, &json["findings"][0]["severity"]), (1, &"error".into()));
    let (code, json, _directory) = check("warning", &["--ignore", "mutex-not-destroyed"]);
    assert_eq!((code, &json["findings"]), (0, &Value::Array(vec![])));
}

#[test]
fn everything_that_spoils_a_search_makes_it_inconclusive_with_its_reason() {
    for (scenario, part) in [
        ("incomplete", "before everything was explored"),
        ("nothing", "nothing was checked"),
        ("unconfirmed", "did not show again"),
        ("divergence", "at step 8 it was to do `thread 1: lock 0x4000 at "),
        ("divergence", "and had ended"),
        ("divergence", "the call that looks responsible is read"),
        ("unmodelled", "the program calls fork at"),
        ("tool-error", "Inspect failed: a self-check failed"),
        ("dies-once", "killed by SIGABRT; it was repeated in fork mode"),
    ] {
        let (code, json, directory) = check(scenario, &[]);
        assert_eq!((code, &json["verdict"]), (3, &"inconclusive".into()), "{scenario}");
        let reason = json["reason"].as_str().expect("a reason");
        assert!(reason.contains(part), "{scenario}: {reason}");
        assert_eq!(schedules(directory.path()), [""; 0], "{scenario}: nothing to replay");
    }
}

/// The library for many threads lies beside the one that a program is linked with; this program is not.
#[test]
fn more_threads_than_there_is_room_for_need_the_library_for_many() {
    for scenario in ["crowd", "dies-once-crowd"] {
        let directory = tempfile::tempdir().expect("a directory");
        let mut command = inspect();
        command.arg("check").arg(guest()).args(["--", scenario]).current_dir(&directory);
        let (code, stdout, stderr) = run(&mut command);
        assert_eq!((code, stdout.as_str()), (2, ""), "{scenario}: {stderr}");
        assert!(stderr.contains("libinspect_guest_many.so") && stderr.contains("install"), "{scenario}: {stderr}");
    }
}

/// A search that stops at an error that no replay shows has neither found it nor shown that there is none.
#[test]
fn what_a_replay_shows_instead_counts_and_a_search_goes_on_after_an_error_that_no_replay_shows() {
    for scenario in ["shown-instead", "shown-later"] {
        let (code, json, directory) = check(scenario, &[]);
        assert_eq!((code, &json["verdict"]), (1, &"violated".into()), "{scenario}: {json}");
        let findings = json["findings"].as_array().expect("a list");
        let replays: Vec<_> =
            findings.iter().map(|finding| (&finding["kind"], finding["replay"].is_string())).collect();
        assert_eq!(replays, [(&"crash".into(), false), (&"deadlock".into(), true)], "{scenario}");
        assert_eq!(schedules(directory.path()), ["fake_guest-deadlock-1.schedule"]);
    }
}

#[test]
fn what_a_dying_or_garbling_guest_found_before_is_kept_and_confirmed() {
    for scenario in ["dies", "garbled"] {
        let (code, json, directory) = check(scenario, &["--keep-going"]);
        assert_eq!((code, &json["findings"][0]["kind"]), (1, &"deadlock".into()), "{scenario}");
        assert_eq!(schedules(directory.path()), ["fake_guest-deadlock-1.schedule"]);
        // A deadlock that is only a warning does not decide the verdict; the death of the guest does.
        let (code, json, _directory) = check(scenario, &["--warn", "deadlock"]);
        assert_eq!((code, &json["verdict"]), (3, &"inconclusive".into()), "{scenario}");
    }
}

#[test]
fn a_finding_is_replayed_with_the_locations_promoted_when_it_was_found() {
    // The guest of this scenario refuses a replay with other promoted locations.
    let (code, json, _directory) = check("promoted", &["--keep-going"]);
    assert_eq!(code, 1);
    let kinds: Vec<&Value> =
        json["findings"].as_array().expect("a list").iter().map(|finding| &finding["kind"]).collect();
    assert_eq!(kinds, ["data-race", "deadlock"]);
}

#[test]
fn limits_end_a_search_with_a_partial_result() {
    // A guest that ignores the request to stop is killed after a moment.
    for scenario in ["endless", "deaf"] {
        let start = Instant::now();
        let (code, json, _directory) = check(scenario, &["--time-limit", "200ms"]);
        assert_eq!(code, 3, "{scenario}");
        assert!(json["reason"].as_str().expect("a reason").contains("time limit of 200ms"), "{json}");
        assert!(start.elapsed() < Duration::from_secs(120), "{scenario}");
    }
}

/// Returns once the guest has taken its job.
fn wait_until_begun(directory: &Path) {
    let begun = directory.join("begun");
    let seen = (0..12_000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        begun.exists()
    });
    assert!(seen, "no guest began within two minutes");
    std::fs::remove_file(begun).expect("the guest wrote it");
}

#[test]
fn ctrl_c_gives_a_partial_result_and_exit_status_3() {
    let directory = tempfile::tempdir().expect("a directory");
    let interrupted = |after: Duration| -> Value {
        let mut command = inspect();
        command.args(["check", "--json"]).arg(guest()).args(["--", "endless"]).current_dir(&directory);
        let child = command.stdout(std::process::Stdio::piped()).spawn().expect("inspect starts");
        wait_until_begun(directory.path());
        std::thread::sleep(after);
        signal(child.id(), Signal::SIGINT).expect("the checker still runs");
        let output = child.wait_with_output().expect("inspect ends");
        assert_eq!(output.status.code(), Some(3));
        let json: Value = serde_json::from_slice(&output.stdout).expect("an object");
        assert_eq!(json["reason"], "interrupted");
        json
    };
    // How soon the guest has counted an execution depends on the machine.
    let counted = [1, 4, 16, 64]
        .map(|quarters| Duration::from_millis(250 * quarters))
        .into_iter()
        .find(|&after| interrupted(after)["executions"].as_u64().expect("a number") > 0);
    assert!(counted.is_some(), "an interrupted search reports what it has done");
}

/// The report of a search whose guest ignores requests and is killed while it works. `limit` is the search's time
/// limit.
fn killed_from_outside(limit: &str) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let mut command = inspect();
    command.args(["check", "--json", "--time-limit", limit]).arg(guest()).args(["--", "deaf"]).current_dir(&directory);
    let child = command.stdout(std::process::Stdio::piped()).spawn().expect("inspect starts");
    wait_until_begun(directory.path());
    let guest = *children(child.id()).first().expect("a guest is started");
    signal(guest, Signal::SIGKILL).expect("the guest still runs");
    let output = child.wait_with_output().expect("inspect ends");
    assert_eq!(output.status.code(), Some(3));
    serde_json::from_slice(&output.stdout).expect("an object")
}

#[test]
fn a_guest_killed_from_outside_is_repeated_and_never_verified() {
    // On a busy machine the time may be up before the search was repeated.
    let repeated = ["3s", "60s"].into_iter().any(|limit| {
        let json = killed_from_outside(limit);
        let reason = json["reason"].as_str().expect("a reason");
        println!("{limit}: {reason}");
        reason.contains("killed by SIGKILL; it was repeated in fork mode")
    });
    assert!(repeated);
}

#[test]
fn schedules_that_cannot_be_saved_do_not_hide_the_finding() {
    for out in ["/dev/full/x", "/proc/nowhere"] {
        let (code, json, _directory) = check("deadlock", &["--out", out]);
        assert_eq!((code, &json["findings"][0]["replay"]), (1, &Value::Null));
        let (code, stdout, _) = run(inspect().args(["check", "--out", out]).arg(guest()).args(["--", "deadlock"]));
        assert_eq!(code, 1);
        assert!(stdout.contains("the schedule could not be saved: "), "{stdout}");
    }
}

#[test]
fn replay_refuses_other_builds_and_corrupt_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = directory.path().join("prog");
    std::fs::copy(guest(), &program).expect("copied");
    let check = |directory: &Path| run(inspect().args(["check", "./prog", "--", "deadlock"]).current_dir(directory));
    assert_eq!(check(directory.path()).0, 1);
    let replay =
        || run(inspect().args(["replay", "inspect-out/prog-deadlock-1.schedule"]).current_dir(directory.path()));
    assert_eq!(replay().0, 1);

    let mut bytes = std::fs::read(&program).expect("readable");
    bytes.push(0);
    std::fs::write(&program, bytes).expect("written");
    let (code, stdout, stderr) = replay();
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("another build"), "{stderr}");

    std::fs::write(directory.path().join("inspect-out/prog-deadlock-1.schedule"), "{\n  \"x\": 1\n}").expect("written");
    let (code, _, stderr) = replay();
    assert_eq!(code, 2);
    assert!(stderr.starts_with("inspect: inspect-out/prog-deadlock-1.schedule:2: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
}

#[test]
fn a_replay_that_does_not_show_the_finding_fails() {
    let (_, _, directory) = check("deadlock", &[]);
    let path = directory.path().join("inspect-out/fake_guest-deadlock-1.schedule");
    let text = std::fs::read_to_string(&path).expect("readable");
    // The same program with another argument finds nothing.
    std::fs::write(&path, text.replace("\"deadlock\"\n", "\"verified\"\n")).expect("written");
    let (code, _, stderr) = run(inspect().arg("replay").arg(&path));
    assert_eq!(code, 2);
    assert!(stderr.contains("did not show again"), "{stderr}");
}

#[test]
fn bad_input_ends_with_status_2_and_one_clear_message() {
    let directory = tempfile::tempdir().expect("a directory");
    let plain = Path::new("/bin/true");
    let text = directory.path().join("notes.txt");
    std::fs::write(&text, "hello").expect("written");
    for (args, part) in [
        (vec!["check", "/nonexistent.c"], "/nonexistent.c: No such file"),
        (vec!["check", plain.to_str().expect("UTF-8")], "not built with Inspect's compiler"),
        (vec!["check", text.to_str().expect("UTF-8")], "neither a C or C++ file nor a program"),
        (vec!["check", "--wrong", "x.c"], "--wrong"),
        (vec!["check"], "required"),
        (vec!["replay", "/nonexistent.schedule"], "/nonexistent.schedule: No such file"),
        (vec!["frobnicate"], "frobnicate"),
        (vec![], "Usage"),
    ] {
        let (code, stdout, stderr) = run(inspect().args(&args).current_dir(&directory));
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}");
        assert!(stderr.contains(part), "{args:?}: {stderr}");
    }
}

#[test]
fn a_compile_error_is_reported_by_the_compiler_and_leaves_nothing_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let broken = directory.path().join("broken.c");
    std::fs::write(&broken, "int main(void) { return undeclared; }\n").expect("written");
    let mut command = Command::new(installed(directory.path()));
    let (code, stdout, stderr) = run(command.args(["check", "broken.c"]).current_dir(&directory));
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.contains("broken.c:1:") && stderr.contains("undeclared"), "{stderr}");
    assert!(!directory.path().join("inspect-out").exists(), "nothing is left behind");
}

#[test]
fn an_incomplete_installation_names_what_is_missing() {
    let directory = tempfile::tempdir().expect("a directory");
    let inspect = installed(directory.path());
    std::fs::remove_file(directory.path().join("lib/inspect/libinspect_guest.so")).expect("removed");
    let (code, _, stderr) = run(Command::new(inspect).args(["cc", "-c", "x.c"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("libinspect_guest.so is missing"), "{stderr}");
}

#[test]
fn a_program_without_a_checker_runs_as_it_is() {
    let (code, stdout, _) = run(Command::new(guest()).arg("deadlock"));
    assert_eq!((code, stdout.as_str()), (0, "nobody explores\n"));
}

#[test]
fn the_compilers_are_drop_in() {
    let directory = tempfile::tempdir().expect("a directory");
    let inspect = installed(directory.path());
    let (code, stdout, _) = run(Command::new(&inspect).args(["cc", "--version"]));
    assert_eq!(code, 0);
    assert!(stdout.contains("clang"), "{stdout}");
    let alias = inspect.with_file_name("inspect-cc");
    std::os::unix::fs::symlink("inspect", &alias).expect("linked");
    let (code, stdout, _) = run(Command::new(&alias).args(["-E", "-x", "c", "/dev/null"]));
    assert_eq!(code, 0, "{stdout}");
    let (code, _, stderr) = run(Command::new(&alias).arg("/nonexistent.c"));
    assert!(code != 0 && stderr.contains("nonexistent.c"), "{stderr}");
}
