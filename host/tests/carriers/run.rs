//! Builds a generated file and checks its programs.

use serde_json::Value;
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
    pub(crate) verdict: String,
    /// Kinds and lines, in order.
    pub(crate) findings: Vec<String>,
    pub(crate) executions: u64,
    /// Why the program was not verified; for people.
    #[expect(dead_code, reason = "shown when a test fails")]
    reason: String,
}

fn inspect() -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    std::env::var_os("INSPECT").map_or(built, PathBuf::from)
}

impl Built {
    pub(crate) fn new(text: &str, flags: &[&str]) -> Built {
        let folder = TempDir::with_prefix("carriers-").expect("a directory");
        let source = folder.path().join("batch.c");
        std::fs::write(&source, text).expect("written");
        let mut command = Command::new(inspect());
        command.args(["cc", "-w", "-pthread"]).args(flags).arg(&source).arg("-o").arg(folder.path().join("batch"));
        let output = command.output().expect("the compiler runs");
        assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
        Built { folder }
    }

    pub(crate) fn check(&self, options: &[&str], arguments: &[&str]) -> Answer {
        let mut command = Command::new(inspect());
        command.args(["check", "--json", "--quiet", "--out"]).arg(self.folder.path().join("out")).args(options);
        command.arg(self.folder.path().join("batch")).arg("--").args(arguments);
        let output = command.output().expect("the checker runs");
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let finding = |finding: &Value| format!("{} {}", finding["kind"].as_str().unwrap_or_default(), finding["line"]);
        let mut findings: Vec<String> = report["findings"].as_array().into_iter().flatten().map(finding).collect();
        findings.sort();
        Answer {
            verdict: report["verdict"].as_str().unwrap_or_default().to_owned(),
            findings,
            executions: report["executions"].as_u64().unwrap_or_default(),
            reason: report["reason"].to_string(),
        }
    }
}
