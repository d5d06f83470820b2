//! Programs with more threads than there is room for at first, from the outside.

mod tool;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn here(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).display().to_string()
}

fn crowd() -> String {
    here("../corpus/semantics/crowd/prog.c")
}

fn directory() -> TempDir {
    TempDir::new().expect("a temporary directory")
}

/// The result of `inspect check --json` with these arguments.
fn check(command: &mut Command, arguments: &[&str], directory: &Path) -> Value {
    let command = command.args(["check", "--json", "--quiet", "--out", "."]).args(arguments).current_dir(directory);
    let output = command.output().expect("inspect starts");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn the_environment_has_what_the_user_preloads_and_nothing_else() {
    let directory = directory();
    let source = here("tests/programs/crowd_environment.c");
    // Main and the 70 threads that it creates.
    let without = check(tool::inspect().env_remove("LD_PRELOAD"), &[&source], directory.path());
    assert_eq!((&without["verdict"], &without["threads"]), (&"verified".into(), &71.into()), "{without}");
    let library = "libm.so.6";
    let define = format!("EXPECTED=\"{library}\"");
    let with = check(tool::inspect().env("LD_PRELOAD", library), &["-D", &define, &source], directory.path());
    assert_eq!(with["verdict"], "verified", "{with}");
}

/// The two threads that share a mutex take it in one order or the other: 2.
#[test]
fn several_workers_and_a_resumed_search_have_the_same_count() {
    let directory = directory();
    let arguments = ["-D", "PAIR=1", "--algorithm", "optimal"];
    let of = |more: &[&str]| {
        let source = crowd();
        let all: Vec<&str> = arguments.iter().chain(more).copied().chain([source.as_str()]).collect();
        check(&mut tool::inspect(), &all, directory.path())
    };
    let two = of(&["-j", "2"]);
    assert_eq!((&two["verdict"], &two["executions"]), (&"verified".into(), &2.into()), "{two}");
    let begun = of(&["--checkpoint", "state", "--max-executions", "1"]);
    assert_eq!((&begun["verdict"], &begun["executions"]), (&"inconclusive".into(), &1.into()), "{begun}");
    let resumed = of(&["--resume", "state"]);
    assert_eq!((&resumed["verdict"], &resumed["executions"]), (&"verified".into(), &2.into()), "{resumed}");
}

#[test]
fn a_finding_replays_also_in_gdb() {
    let directory = directory();
    let source = here("tests/programs/crowd_environment.c");
    let wrong = ["-D", "EXPECTED=\"nothing of this name\"", &source];
    let found = check(tool::inspect().env_remove("LD_PRELOAD"), &wrong, directory.path());
    assert_eq!(found["verdict"], "violated", "{found}");
    let schedules = std::fs::read_dir(directory.path()).expect("the directory");
    let mut paths = schedules.filter_map(|entry| Some(entry.ok()?.path()));
    let schedule: PathBuf =
        paths.find(|path| path.extension().is_some_and(|end| end == "schedule")).expect("a schedule");
    let replayed = tool::run(&["replay", &schedule.to_string_lossy()], directory.path());
    assert_eq!(replayed.0, 1, "{replayed:?}");
    if Command::new("gdb").arg("--version").output().is_err() {
        eprintln!("skipped: gdb is not installed");
        return;
    }
    let mut gdb = tool::inspect();
    gdb.args(["replay", "--gdb"]).arg(&schedule).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = gdb.spawn().expect("inspect starts");
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"backtrace\nkill\nquit\n").expect("gdb listens");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("SIGTRAP") && text.contains("crowd_environment.c:19"), "{text}");
}
