//! Runs the tool: what `INSPECT` names, by default what `make build` has left in target/release.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) fn inspect() -> Command {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    Command::new(std::env::var_os("INSPECT").map_or_else(built, PathBuf::from))
}

/// Runs `inspect` in this directory: status, output, errors.
pub(crate) fn run(arguments: &[&str], directory: &Path) -> (i32, String, String) {
    let output = inspect().args(arguments).current_dir(directory).output().expect("`make build` was run");
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).expect("is UTF-8");
    (status.code().expect("has a status"), text(stdout), text(stderr))
}
