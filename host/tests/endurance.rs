//! Many runs in one process: the process must not grow, and what it computes must be the same in every run.
//!
//! The program asks its library for most of what C programs do (`corpus/robustness/everything`) and ends with status 1
//! or 2, a finding, as soon as a run computes anything else than a run outside of Inspect. `INSPECT_LONG=1` makes the
//! number of runs 100,000. `INSPECT` names the binary to test; by default `target/release/inspect`, which `make build`
//! makes.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the host's folder lies in the repository").to_path_buf()
}

fn inspect() -> PathBuf {
    let path = std::env::var_os("INSPECT").map_or_else(|| repository().join("target/release/inspect"), PathBuf::from);
    assert!(path.is_file(), "{} does not exist: run `make build` first", path.display());
    path
}

/// What a process holds of the system's resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Holdings {
    kilobytes: u64,
    descriptors: u64,
    mappings: u64,
}

impl Holdings {
    /// `None` if there is no such process any more.
    fn of(process: u32) -> Option<Holdings> {
        let folder = PathBuf::from(format!("/proc/{process}"));
        let status = std::fs::read_to_string(folder.join("status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes = line.trim().trim_end_matches(" kB").parse().ok()?;
        let descriptors = std::fs::read_dir(folder.join("fd")).ok()?.count() as u64;
        let mappings = std::fs::read_to_string(folder.join("maps")).ok()?.lines().count() as u64;
        Some(Holdings { kilobytes, descriptors, mappings })
    }

    /// The larger of each number. The process is sampled anywhere in a run, so only the most of many samples means
    /// something.
    fn most(self, other: Holdings) -> Holdings {
        Holdings {
            kilobytes: self.kilobytes.max(other.kilobytes),
            descriptors: self.descriptors.max(other.descriptors),
            mappings: self.mappings.max(other.mappings),
        }
    }
}

/// The process that runs the program: the one below the checker that executes it.
fn guest_of(checker: &Child, program: &Path) -> Option<u32> {
    let mut open = vec![checker.id()];
    while let Some(process) = open.pop() {
        if std::fs::read_link(format!("/proc/{process}/exe")).is_ok_and(|exe| exe == program) {
            return Some(process);
        }
        open.extend(children(process));
    }
    None
}

fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>()).collect()
}

/// Compiles the program into a folder.
fn compiled(folder: &Path) -> PathBuf {
    let program = folder.join("program");
    let mut compile = Command::new(inspect());
    compile.args(["cc", "-O1", "-g", "-pthread", "-o"]).arg(&program);
    compile.arg(repository().join("corpus/robustness/everything/prog.c")).arg("-lm");
    let compiled = compile.output().expect("inspect starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    program
}

/// Compares what the process had at most in the first third of the looks with the rest.
fn assert_no_growth(runs: u64, looks: &[Holdings]) {
    // By the end of the first third, every resource that a run uses was in use; the search itself keeps a path of the
    // tree.
    assert!(looks.len() >= 30, "too few looks at the process: {}", looks.len());
    let (early, late) = looks.split_at(looks.len() / 3);
    let most = |looks: &[Holdings]| looks.iter().copied().fold(Holdings::default(), Holdings::most);
    let (early, late) = (most(early), most(late));
    println!("{runs} runs: the most of the first third {early:?}, of the rest {late:?}");
    // A rare moment with a few more descriptors or mappings may fall into the later samples only; one lost in 100 runs
    // would be 26 or more.
    const RARE: u64 = 8;
    assert!(late.descriptors <= early.descriptors + RARE, "{early:?} became {late:?}");
    assert!(late.mappings <= early.mappings + RARE, "{early:?} became {late:?}");
    assert!(late.kilobytes <= early.kilobytes + 4096, "{early:?} became {late:?}");
}

#[test]
fn a_process_does_not_grow_with_its_runs() {
    let runs: u64 = if std::env::var_os("INSPECT_LONG").is_some() { 100_000 } else { 4_000 };
    let folder = TempDir::with_prefix("endurance-").expect("a temporary directory");
    let folder = folder.path().canonicalize().expect("it is there");
    let program = compiled(&folder);
    let mut check = Command::new(inspect());
    // Of `auto` each turn would have a process of its own.
    check.args(["check", "--algorithm", "optimal", "--json", "--quiet", "--out", "out"]);
    check.args(["--max-executions", &runs.to_string()]).arg(&program);
    check.args(["--", "a file"]).env("TZ", "UTC").current_dir(&folder);
    let checker = check.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut checker = checker.expect("inspect starts");

    let mut looks: Vec<Holdings> = Vec::new();
    let mut processes: Vec<u32> = Vec::new();
    while checker.try_wait().expect("it is our child").is_none() {
        if let Some(guest) = guest_of(&checker, &program) {
            if processes.last() != Some(&guest) {
                processes.push(guest);
            }
            looks.extend(Holdings::of(guest));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = checker.wait_with_output().expect("it ended");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));

    assert_eq!(report["findings"].as_array().map(Vec::len), Some(0), "every run computed the same: {report}");
    assert_eq!(report["executions"], runs, "{report}");
    assert_eq!(output.status.code(), Some(3), "the limit of executions was reached: {report}");
    assert_eq!(processes.len(), 1, "all runs were made in one process");
    assert_no_growth(runs, &looks);
}
