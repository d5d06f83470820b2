//! Builds a generated file and checks its programs.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A built file.
pub(crate) struct Built {
    folder: TempDir,
}

/// What `inspect check` said.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) complete: bool,
    pub(crate) executions: u64,
    /// The statuses that runs ended with.
    pub(crate) results: BTreeSet<u8>,
    /// Whether there is a livelock, a deadlock or a loop without an end.
    pub(crate) sticks: bool,
    /// Kinds of other findings.
    pub(crate) others: BTreeSet<String>,
    /// Why the search was not complete; for people.
    #[expect(dead_code, reason = "shown when a test fails")]
    reason: String,
}

fn inspect() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    std::env::var_os("INSPECT").map_or(built, PathBuf::from)
}

impl Built {
    pub(crate) fn new(text: &str, level: &str) -> Built {
        let folder = TempDir::with_prefix("loops-").expect("a directory");
        let source = folder.path().join("batch.c");
        std::fs::write(&source, text).expect("written");
        for (name, records) in [("batch", None), ("batch-with-records", Some("-finspect-frames"))] {
            let mut command = Command::new(inspect());
            command.args(["cc", "-w", "-g", "-pthread", level]).args(records);
            let output =
                command.arg(&source).arg("-o").arg(folder.path().join(name)).output().expect("the compiler runs");
            assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
        }
        Built { folder }
    }

    pub(crate) fn check(&self, number: usize, algorithm: &str, plain: &str) -> Answer {
        let mut command = Command::new(inspect());
        command.args(["check", "--json", "--quiet", "--keep-going", "--error", "exit-status"]);
        command.args(["--max-steps", "3000", "--max-executions", "5000", "--time-limit", "5s"]);
        command.args(["--max-computation", "200ms"]);
        command
            .args(["--plain-accesses", plain, "--algorithm", algorithm, "--out"])
            .arg(self.folder.path().join("out"));
        let program = if algorithm == "stateful" { "batch-with-records" } else { "batch" };
        command.arg(self.folder.path().join(program)).arg("--").arg(number.to_string());
        let output = command.output().expect("the checker runs");
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let mut answer = Answer {
            complete: report["complete"].as_bool().unwrap_or_default(),
            executions: report["executions"].as_u64().unwrap_or_default(),
            results: BTreeSet::new(),
            // A search of states closes loops that are not parked, and says that there is no way out of them.
            sticks: report["assumptions"].to_string().contains("meant to run for ever"),
            others: BTreeSet::new(),
            reason: report["reason"].to_string(),
        };
        let errors =
            report["findings"].as_array().into_iter().flatten().filter(|finding| finding["severity"] == "error");
        for finding in errors {
            let message = finding["message"].as_str().unwrap_or_default();
            match finding["kind"].as_str().unwrap_or_default() {
                "exit-status" => answer.results.extend(status(message)),
                "livelock" | "deadlock" | "nonterminating" => answer.sticks = true,
                other => {
                    answer.others.insert(format!("{other}: {message}"));
                }
            }
        }
        answer
    }
}

/// The status in `the program ends with status 7`.
fn status(message: &str) -> Option<u8> {
    let digits = message.rsplit("status ").next()?;
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
