//! The program of one list of calls, built for both ways of running it.

use serde_json::Value;
use std::fmt;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Where the lists are.
pub(crate) const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/pairs");

/// What came of two calls in one order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// What the second thread's call returned, what that of main did, and what was there afterwards.
    Returned([i64; 3]),
    /// The process was ended by this signal.
    Died(i32),
    /// One of the calls waits.
    Waits,
}

/// What `inspect check` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Verified,
    /// With the kinds of the errors found.
    Violated(Vec<String>),
    /// With the reason.
    Inconclusive(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Verified => f.write_str("verified"),
            Answer::Violated(kinds) => write!(f, "violated: {}", kinds.join(", ")),
            Answer::Inconclusive(reason) => write!(f, "inconclusive: {reason}"),
        }
    }
}

/// The program of a list.
pub(crate) struct Program {
    pub(crate) name: String,
    /// The calls, by their numbers.
    pub(crate) calls: Vec<String>,
    plain: PathBuf,
    hooked: PathBuf,
    /// What explored programs find: no run changes it.
    explored: PathBuf,
}

/// Runs a command to its end.
fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Runs a command to its end, which it may not reach: then it is killed.
fn output_in_time(command: &mut Command) -> Option<Output> {
    const PATIENCE: Duration = Duration::from_secs(2);
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = piped.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let begin = Instant::now();
    while running.try_wait().expect("a process of ours").is_none() {
        if begin.elapsed() > PATIENCE {
            running.kill().expect("a process of ours");
            running.wait().expect("a process of ours");
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Some(running.wait_with_output().expect("its output"))
}

fn inspect() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    std::env::var_os("INSPECT").map_or(built, PathBuf::from)
}

/// What every program begins with.
fn fill(folder: &Path) {
    for name in ["d", "e"] {
        fs::create_dir_all(folder.join(name)).expect("a folder");
    }
    for (name, text) in [("a", "contents of a"), ("b", "that of b"), ("d/f", "lies in d")] {
        fs::write(folder.join(name), text).expect("written");
    }
}

impl Program {
    /// Builds the program of this list.
    pub(crate) fn build(name: &str, folder: &Path) -> Program {
        let source = Path::new(SOURCES).join(name).with_extension("c");
        let built = |compiler: &mut Command, how: &str| {
            let program = folder.join(how);
            let compiled = output(compiler.args(["-w", "-g", "-pthread"]).arg(&source).arg("-o").arg(&program));
            assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
            program
        };
        let plain = built(&mut Command::new("clang-22"), "plain");
        let hooked = built(Command::new(inspect()).arg("cc"), "hooked");
        let calls = output(&mut Command::new(&plain)).stdout;
        let calls = String::from_utf8(calls).expect("text").lines().map(String::from).collect();
        let explored = folder.join("explored");
        fill(&explored);
        Program { name: name.to_string(), calls, plain, hooked, explored }
    }

    /// The number of the call with this text.
    pub(crate) fn number(&self, call: &str) -> usize {
        let found = self.calls.iter().position(|known| known == call);
        found.unwrap_or_else(|| panic!("{} has no call {call}", self.name))
    }

    /// Makes the two calls natively, that of the second thread (0) or that of main (1) first.
    pub(crate) fn natively(&self, pair: [usize; 2], first: usize) -> Outcome {
        let folder = TempDir::with_prefix("pairs-native-").expect("a directory");
        fill(folder.path());
        let arguments = [pair[0], pair[1], first].map(|number| number.to_string());
        let mut command = Command::new(&self.plain);
        let Some(made) = output_in_time(command.args(arguments).current_dir(folder.path())) else {
            return Outcome::Waits;
        };
        if let Some(signal) = made.status.signal() {
            return Outcome::Died(signal);
        }
        let text = String::from_utf8_lossy(&made.stdout);
        let numbers = text.lines().last().unwrap_or_default().split(' ').map(str::parse);
        let numbers: Vec<i64> = numbers.collect::<Result<_, _>>().unwrap_or_default();
        Outcome::Returned(numbers.try_into().unwrap_or_else(|_| panic!("{pair:?} of {}: {made:?}", self.name)))
    }

    /// Checks that the two calls never have this outcome.
    pub(crate) fn explored(&self, pair: [usize; 2], outcome: Outcome) -> Answer {
        // An outcome that no order has: what is left to be found is that the process dies.
        const NONE: [i64; 3] = [i64::MIN; 3];
        let refuted = if let Outcome::Returned(numbers) = outcome { numbers } else { NONE };
        let out = TempDir::with_prefix("pairs-out-").expect("a directory");
        let mut command = Command::new(inspect());
        command.args(["check", "--json", "--quiet", "--no-minimise", "--out"]).arg(out.path()).arg(&self.hooked);
        command.arg("--").args(pair.map(|number| number.to_string())).arg("any");
        command.args(refuted.map(|number| number.to_string())).current_dir(&self.explored);
        let found = output(&mut command);
        let answer: Value = serde_json::from_slice(&found.stdout).unwrap_or_else(|error| panic!("{error}: {found:?}"));
        match answer["verdict"].as_str() {
            Some("verified") => Answer::Verified,
            Some("violated") => Answer::Violated(errors(&answer)),
            Some("inconclusive") => Answer::Inconclusive(answer["reason"].to_string()),
            _ => panic!("{command:?}: {answer}"),
        }
    }
}

/// The kinds of the errors that were found.
fn errors(answer: &Value) -> Vec<String> {
    let findings = answer["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_error = |finding: &&Value| finding["severity"] == "error";
    findings.iter().filter(is_error).filter_map(|finding| finding["kind"].as_str()).map(String::from).collect()
}
