//! Builds the test programs of the workspace; which there are is what cargo says.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program of tests that cargo has built.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TestProgram {
    /// As `cargo test` names it: `tests/corpus/main.rs`, `unittests src/lib.rs`.
    pub(super) name: String,
    /// The file to run.
    pub(super) executable: PathBuf,
    /// The folder of its package, in which cargo runs it.
    pub(super) package: PathBuf,
}

/// A call of the cargo that runs this task.
pub(super) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Which packages are built together: for the host, `inspect-core` has room for many threads, its own tests are of the
/// form with room for few, in which the guest explores, and those of its parts of the other form, too. The last take
/// far longer to optimise than to run.
const TOGETHER: [&[&str]; 3] = [
    &["--workspace", "--exclude", "inspect-core"],
    &["--package", "inspect-core"],
    &[
        "--package",
        "inspect-core",
        "--lib",
        "--features",
        "many-threads,serde",
        "--config",
        "profile.dev.package.inspect-core.opt-level=0",
        "--config",
        "profile.dev.package.inspect-core.codegen-units=16",
    ],
];

/// Builds all test programs and hands over each when it is built; the compiler's messages go to standard error.
pub(super) fn build(root: &Path, mut built: impl FnMut(TestProgram)) -> Result<(), String> {
    TOGETHER.iter().try_for_each(|packages| build_together(root, packages, &mut built))
}

fn build_together(root: &Path, packages: &[&str], built: &mut impl FnMut(TestProgram)) -> Result<(), String> {
    let mut command = cargo(root);
    command.arg("test").args(packages).args(["--no-run", "--message-format", "json-render-diagnostics"]);
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| format!("cargo: {error}"))?;
    let mut count = 0;
    for message in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let message = message.map_err(|error| format!("cargo: {error}"))?;
        let message: Value = serde_json::from_str(&message).map_err(|error| format!("cargo's output: {error}"))?;
        if let Some(program) = program(&message) {
            count += 1;
            built(program);
        }
    }
    if !child.wait().map_err(|error| format!("cargo: {error}"))?.success() {
        return Err("the tests do not compile".to_owned());
    }
    if count == 0 { Err("cargo names no test program".to_owned()) } else { Ok(()) }
}

/// The test program that a message of cargo is about, if it is about one.
fn program(message: &Value) -> Option<TestProgram> {
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let package = Path::new(message["manifest_path"].as_str()?).parent()?;
    let source = Path::new(message["target"]["src_path"].as_str()?);
    let source = source.strip_prefix(package).unwrap_or(source).display().to_string();
    let is_test = message["target"]["kind"].as_array()?.iter().any(|kind| kind == "test");
    let name = if is_test { source } else { format!("unittests {source}") };
    Some(TestProgram { name, executable: message["executable"].as_str()?.into(), package: package.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn artifact(kind: &str, source: &str, is_test: bool) -> Value {
        serde_json::json!({
            "reason": "compiler-artifact",
            "manifest_path": "/w/host/Cargo.toml",
            "target": { "kind": [kind], "src_path": source },
            "profile": { "test": is_test },
            "executable": "/w/target/debug/deps/x-1",
        })
    }

    #[test]
    fn programs_have_the_names_that_cargo_prints() {
        let named = |kind, source| program(&artifact(kind, source, true)).map(|program| program.name);
        assert_eq!(named("test", "/w/host/tests/a.rs").as_deref(), Some("tests/a.rs"));
        assert_eq!(named("lib", "/w/host/src/lib.rs").as_deref(), Some("unittests src/lib.rs"));
    }

    #[test]
    fn what_is_no_test_is_not_run() {
        assert_eq!(program(&artifact("bin", "/w/host/src/main.rs", false)), None);
        assert_eq!(program(&serde_json::json!({ "reason": "build-finished", "success": true })), None);
    }
}
