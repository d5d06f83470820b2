//! Programs that csmith makes (Yang, Chen, Eide, Regehr: Finding and Understanding Bugs in C Compilers, PLDI 2011):
//! what hooks do to the code around them. Each is built by clang and by `inspect cc`, at the same level of
//! optimisation, and must print the same checksum when nobody explores it; explored, it has one execution and is
//! verified.
//!
//! The programs have one thread, no undefined behaviour and no input. csmith may make one that runs for ever or
//! recurses without end: a program is left out, and counted, if clang's build of it does not come to its end within a
//! second, at `-O0` as well as at the level compared. An optimiser may remove a loop that never ends and has no effect
//! (C11 6.8.5p6: seed 700708, a `uint16_t` that goes from 65532 on in steps of 8 until it is less than 2), or compute
//! what billions of rounds lead to (seed 700580: 2^32 - 0x29FFF797 of them). Where the pass puts a hook into the loop,
//! or a store for the frame records, the loop stays. A program that takes long with hooks is not explored.
//!
//! `make test` takes a fixed sample; `INSPECT_CSMITH` (first seed and number of programs), with
//! `many -- --include-ignored`, takes others. Where csmith is not installed (Debian: csmith, libcsmith-dev), the tests
//! say that they are skipped.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Programs in `make test`.
const SAMPLE: u64 = 6;
/// Programs of the long test.
const LONG: u64 = 1000;
/// Seconds that clang's build of a program may take.
const PLAIN_LIMIT: u32 = 1;
/// Seconds that the build with hooks may take when nobody explores it. Seed 700580 with 2^22 rounds (`l_1164` from
/// 0xFFC00000 on), built with `-O2 -finspect-hooks=all`, takes 9 times as long as clang's build at `-O0`.
const HOOKED_LIMIT: u32 = 20;
/// A program is explored if its build with hooks takes no longer than that when nobody explores it. That build of seed
/// 700580, with 2^19 rounds, takes 0.15 s, and 4 s explored (`inspect check`); after 5 s without a visible operation
/// the guest takes a run for one that may not end.
const EXPLORED_LIMIT: Duration = Duration::from_millis(100);
/// Where Debian's packages put the header of the programs.
const HEADERS: &str = "/usr/include/csmith";
/// Every program has its turn with each.
const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

fn inspect() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    std::env::var_os("INSPECT").map_or(built, PathBuf::from)
}

/// Runs a command to its end.
fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// What the program prints; `None` if it takes longer than so many seconds.
fn in_time(program: &Path, seconds: u32) -> Option<Output> {
    let result = output(Command::new("timeout").arg(seconds.to_string()).arg(program));
    (result.status.code() != Some(124)).then_some(result)
}

fn compile(compiler: &mut Command, source: &Path, level: &str, program: &Path) {
    let compiled = output(compiler.args(["-w", level, "-I", HEADERS]).arg(source).arg("-o").arg(program));
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

/// What clang's build at the level prints; `None` if that build or the one at `-O0` does not end in time.
fn expected(source: &Path, level: &str, plain: &Path) -> Option<Output> {
    let built = |level: &str| {
        compile(&mut Command::new("clang-22"), source, level, plain);
        in_time(plain, PLAIN_LIMIT).filter(|found| found.status.success())
    };
    built("-O0").and_then(|found| if level == "-O0" { Some(found) } else { built(level) })
}

/// How far a program was compared.
enum Compared {
    /// What it prints when nobody explores it.
    Run,
    /// That, and the answer about it.
    Explored,
}

/// How far the program of a seed was compared, or what is wrong; `None` if it is left out.
fn compare(seed: u64, folder: &Path) -> Option<Result<Compared, String>> {
    let level = LEVELS[(seed % LEVELS.len() as u64) as usize];
    let [source, plain, hooked] = ["program.c", "plain", "hooked"].map(|name| folder.join(name));
    // csmith leaves a file about the platform where it runs.
    let mut csmith = Command::new("csmith");
    let made = output(csmith.args(["--seed", &seed.to_string(), "--output"]).arg(&source).current_dir(folder));
    assert!(made.status.success(), "{made:?}");
    let expected = expected(&source, level, &plain)?;
    // As one thread shares nothing, there are hooks at its accesses only if they are asked for.
    let hooks = if (seed / LEVELS.len() as u64).is_multiple_of(2) { "-finspect-hooks=all" } else { "-finspect-frames" };
    compile(Command::new(inspect()).args(["cc", hooks]), &source, level, &hooked);
    let started = Instant::now();
    let Some(found) = in_time(&hooked, HOOKED_LIMIT) else {
        return Some(Err(format!("runs for more than {HOOKED_LIMIT} s")));
    };
    let took = started.elapsed();
    if (found.status.code(), &found.stdout) != (expected.status.code(), &expected.stdout) {
        return Some(Err(format!("prints {found:?}, expected {expected:?}")));
    }
    if took > EXPLORED_LIMIT {
        return Some(Ok(Compared::Run));
    }
    Some(explored(&hooked, folder).map(|()| Compared::Explored))
}

/// What is wrong with the answer about a built program.
fn explored(program: &Path, folder: &Path) -> Result<(), String> {
    let mut command = Command::new(inspect());
    command.args(["check", "--json", "--quiet", "--time-limit", "30s", "--out"]).arg(folder.join("out")).arg(program);
    let found = output(&mut command);
    let answer: Value = serde_json::from_slice(&found.stdout).map_err(|error| format!("{error}: {found:?}"))?;
    let is_expected = answer["verdict"] == "verified" && answer["executions"] == 1;
    if is_expected { Ok(()) } else { Err(answer.to_string()) }
}

fn check(first: u64, count: u64) {
    if !Path::new(HEADERS).is_dir() || Command::new("csmith").arg("--version").output().is_err() {
        println!("skipped: csmith is not installed");
        return;
    }
    let folder = TempDir::with_prefix("csmith-").expect("a directory");
    let (mut compared, mut explored, mut wrong) = (0, 0, Vec::new());
    for seed in first..first + count {
        let Some(result) = compare(seed, folder.path()) else { continue };
        compared += 1;
        match result {
            Ok(Compared::Run) => {}
            Ok(Compared::Explored) => explored += 1,
            Err(message) => {
                println!("seed {seed}: {message}");
                wrong.push(seed);
            }
        }
    }
    let left_out = count - compared;
    println!("{compared} of {count} programs compared, {explored} of them explored; {left_out} do not end in time");
    assert!(wrong.is_empty(), "wrong: seeds {wrong:?}");
    assert!(2 * explored >= count, "most programs of csmith end soon");
}

#[test]
fn a_sample_of_generated_programs_does_what_clang_makes_of_it() {
    check(1, SAMPLE);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_generated_programs_do_what_clang_makes_of_them() {
    let given = std::env::var("INSPECT_CSMITH").unwrap_or(format!("1000 {LONG}"));
    let numbers: Vec<u64> = given.split(' ').map(|number| number.parse().expect("a number")).collect();
    let [first, count] = numbers[..] else { panic!("INSPECT_CSMITH has two numbers") };
    check(first, count);
}
