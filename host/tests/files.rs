//! Calls on files, descriptors and memory: what Inspect answers to a program, with its private overlay of the file
//! system, must be what Linux answers.
//!
//! One program (`programs/file_calls.c`) makes calls that it draws from a seed, on a handful of names in a fresh
//! folder, and writes down what each returns; another one (`programs/memory_calls.c`) does so with calls on memory. It
//! is run natively, and explored in a folder with the same contents; there it compares, and aborts at the first
//! difference. A program that makes a call which Inspect does not model is skipped. Nothing in the folder of the
//! explored program may change.
//!
//! `make test` takes a fixed sample; `INSPECT_FILES` (first seed and number of programs), with
//! `many -- --include-ignored`, takes others.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Programs in `make test`.
const SAMPLE: u64 = 120;
/// The same of calls on memory, of each build of the program.
const SAMPLE_ON_MEMORY: u64 = 40;
/// Programs of the long test.
const LONG: u64 = 3000;
/// The builds of the programs: source and definitions.
const FILES: (&str, &[&str]) = ("file_calls.c", &[]);
const MEMORY: (&str, &[&str]) = ("memory_calls.c", &[]);
const LOCKED_MEMORY: (&str, &[&str]) = ("memory_calls.c", &["-DLOCKS"]);
/// Calls of a program.
const CALLS: [u64; 4] = [15, 40, 80, 160];

fn inspect() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    std::env::var_os("INSPECT").map_or(built, PathBuf::from)
}

/// Runs a command to its end.
fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The two builds of the program.
struct Programs {
    plain: PathBuf,
    hooked: PathBuf,
}

fn build(folder: &Path, (source, definitions): (&str, &[&str])) -> Programs {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
    let built = |compiler: &mut Command, name: &str| {
        let program = folder.join(name);
        let compiled = output(compiler.args(["-w", "-g"]).args(definitions).arg(&source).arg("-o").arg(&program));
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        program
    };
    let plain = built(&mut Command::new("clang-22"), "plain");
    Programs { plain, hooked: built(Command::new(inspect()).arg("cc"), "hooked") }
}

/// Fills a folder with what every program begins with.
fn fill(folder: &Path) {
    fs::create_dir_all(folder.join("d")).expect("a folder");
    fs::create_dir(folder.join("e")).expect("a folder");
    for (name, text, mode) in [("a", "contents of a\n", 0o644), ("b", "that of b", 0o600), ("d/f", "lies in d", 0o755)]
    {
        fs::write(folder.join(name), text).expect("written");
        fs::set_permissions(folder.join(name), Permissions::from_mode(mode)).expect("changed");
    }
    fs::hard_link(folder.join("a"), folder.join("h")).expect("a second name");
    for (target, link) in [("b", "l"), ("new", "x"), ("d", "dl"), ("loop", "loop"), ("h", "s")] {
        symlink(target, folder.join(link)).expect("a symbolic link");
    }
}

/// Names, types, sizes and times of all that is in a folder.
fn state(folder: &Path) -> BTreeMap<PathBuf, (u32, u64, i64, i64)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let about = fs::symlink_metadata(&path).expect("metadata");
        if about.is_dir() {
            found.extend(state(&path));
        }
        found.insert(path, (about.mode(), about.size(), about.mtime_nsec(), about.ctime_nsec()));
    }
    found
}

/// What is wrong with the answer about the program of a seed; `None` if it is skipped, for this reason.
fn compare(programs: &Programs, seed: u64, folder: &Path) -> Result<(), Result<String, String>> {
    let calls = CALLS[(seed % CALLS.len() as u64) as usize].to_string();
    // What a program makes in the folder around its own goes with it.
    let around = ["natively", "explored"].map(|name| folder.join(name).join(seed.to_string()));
    let [natively, explored] = around.each_ref().map(|around| around.join("own"));
    fill(&natively);
    fill(&explored);
    let record = folder.join("record");
    let run = output(Command::new(&programs.plain).args([&seed.to_string(), &calls]).current_dir(&natively));
    assert!(run.status.success(), "{run:?}");
    fs::write(&record, run.stdout).expect("written");
    let before = state(&explored);
    let mut command = Command::new(inspect());
    command
        .args(["check", "--json", "--quiet", "--no-minimise", "--out"])
        .arg(folder.join("out"))
        .arg(&programs.hooked);
    command.args(["--", &seed.to_string(), &calls]).arg(&record).current_dir(&explored);
    let found = output(&mut command);
    let answer: Value = serde_json::from_slice(&found.stdout).unwrap_or_else(|error| panic!("{error}: {found:?}"));
    if state(&explored) != before {
        return Err(Err("the folder has changed".into()));
    }
    for folder in around {
        fs::remove_dir_all(folder).expect("removed");
    }
    match answer["verdict"].as_str() {
        Some("verified") if answer["executions"] == 1 => Ok(()),
        Some("inconclusive") => Err(Ok(answer["reason"].to_string())),
        _ => Err(Err(answer.to_string())),
    }
}

fn check(program: (&str, &[&str]), first: u64, count: u64) {
    let folder = TempDir::with_prefix("files-").expect("a directory");
    let programs = build(folder.path(), program);
    let (mut wrong, mut skipped) = (Vec::new(), BTreeMap::<String, u64>::new());
    for seed in first..first + count {
        match compare(&programs, seed, folder.path()) {
            Ok(()) => {}
            Err(Ok(reason)) => *skipped.entry(reason).or_default() += 1,
            Err(Err(message)) => {
                println!("seed {seed}: {message}");
                wrong.push(seed);
            }
        }
    }
    let left_out: u64 = skipped.values().sum();
    println!("{} of {count} programs compared; skipped: {skipped:#?}", count - left_out);
    assert!(wrong.is_empty(), "wrong: seeds {wrong:?}");
    assert!(10 * left_out <= count, "few programs make calls that are not modelled");
}

#[test]
fn a_sample_of_calls_is_answered_as_by_linux() {
    check(FILES, 1, SAMPLE);
}

#[test]
fn a_sample_of_calls_on_memory_is_answered_as_by_linux() {
    check(MEMORY, 1, SAMPLE_ON_MEMORY);
    check(LOCKED_MEMORY, 1, SAMPLE_ON_MEMORY);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_calls_are_answered_as_by_linux() {
    let given = std::env::var("INSPECT_FILES").unwrap_or(format!("1000 {LONG}"));
    let numbers: Vec<u64> = given.split(' ').map(|number| number.parse().expect("a number")).collect();
    let [first, count] = numbers[..] else { panic!("INSPECT_FILES has two numbers") };
    for program in [FILES, MEMORY, LOCKED_MEMORY] {
        check(program, first, count);
    }
}
