//! Build systems find our compilers and the tools beside them, and what they build is instrumented: make, CMake and
//! meson, by `inspect env`, by the toolchain file and by the native file.
//!
//! A build system that this machine lacks is said to be skipped; `scripts/setup.sh` installs them all.

#![allow(missing_docs, reason = "tests have no users")]

mod tool;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use tool::{inspect, run};

/// A copy of the project in `programs/project`, and in the folder `old` the tools of a machine whose LLVM is an older
/// one: archivers that cannot read the objects.
fn project() -> TempDir {
    let folder = TempDir::with_prefix("project-").expect("a temporary directory");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/project");
    for entry in std::fs::read_dir(source).expect("the project is there") {
        let entry = entry.expect("an entry");
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copied");
    }
    let old = folder.path().join("old");
    std::fs::create_dir(&old).expect("a folder");
    for tool in ["ar", "ranlib", "nm", "llvm-ar", "llvm-ranlib", "llvm-nm", "gcc-ar", "gcc-ranlib"] {
        let path = old.join(tool);
        std::fs::write(&path, "#!/bin/sh\necho 'Invalid record' >&2\nexit 1\n").expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("may be run");
    }
    folder
}

/// The folder that has inspect and its kin under their names.
fn tools() -> PathBuf {
    let program = PathBuf::from(inspect().get_program());
    program.canonicalize().expect("`make build` was run").parent().expect("lies in a folder").to_owned()
}

/// Runs commands of a shell in this folder, with `search` and the older tools in front of the search path.
fn shell(commands: &str, folder: &Path, search: &Path) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("/bin/sh")
        .args(["-ec", commands])
        .env("PATH", format!("{}:{}:{path}", search.display(), folder.join("old").display()))
        .env("INSPECT_TOOL", inspect().get_program())
        .env("TOOLCHAIN", Path::new(env!("CARGO_MANIFEST_DIR")).join("../instrument/toolchain"))
        .env_remove("MAKEFLAGS")
        .current_dir(folder)
        .output()
        .expect("there is a shell")
}

/// Builds the project by these commands, with a lock and without; `build/program` is what they leave. The first is
/// verified, so that nothing of it lacks instrumentation, and the other has a race in the archive's member.
fn build_and_check(commands: &str, search: &Path) {
    for (flags, verdict, status) in [("", "verified", 0), ("-DLOST_LOCK", "data-race", 1)] {
        let project = project();
        let commands = format!("export CFLAGS='-O2 {flags}'\n{commands}");
        let output = shell(&commands, project.path(), search);
        assert!(output.status.success(), "{commands}\n{output:?}");
        let (got, report, errors) = run(&["check", "--quiet", "build/program"], project.path());
        assert_eq!(got, status, "{report}{errors}");
        assert!(report.contains(verdict), "{report}{errors}");
        assert!(flags.is_empty() || report.contains("counter.c:"), "{report}");
    }
}

fn has(tool: &str) -> bool {
    let found = Command::new("/bin/sh").args(["-c", &format!("command -v {tool}")]).output().expect("there is a shell");
    if !found.status.success() {
        println!("skipped: {tool} is not installed");
    }
    found.status.success()
}

const NOWHERE: &str = "/nonexistent";

#[test]
fn make_by_the_environment() {
    build_and_check("eval $($INSPECT_TOOL env)\nmake\nmkdir build\ncp program build", Path::new(NOWHERE));
}

#[test]
fn make_by_the_names_of_the_tools() {
    let variables = "CC=inspect-cc AR=inspect-ar RANLIB=inspect-ranlib";
    build_and_check(&format!("make {variables}\nmkdir build\ncp program build"), &tools());
}

#[test]
fn cmake_by_the_toolchain_file() {
    if has("cmake") {
        let commands = "cmake -DCMAKE_TOOLCHAIN_FILE=$TOOLCHAIN/inspect.cmake -B build .\ncmake --build build";
        build_and_check(commands, Path::new(NOWHERE));
        let optimised = "cmake -DCMAKE_TOOLCHAIN_FILE=$TOOLCHAIN/inspect.cmake -DCMAKE_BUILD_TYPE=Release \
                         -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -B build .\ncmake --build build";
        build_and_check(optimised, Path::new(NOWHERE));
    }
}

#[test]
fn cmake_by_the_environment() {
    if has("cmake") {
        build_and_check("eval \"$($INSPECT_TOOL env)\"\ncmake -B build .\ncmake --build build", Path::new(NOWHERE));
    }
}

#[test]
fn meson_by_the_native_file() {
    if has("meson") && has("ninja") {
        let commands = "meson setup --native-file $TOOLCHAIN/inspect.ini build\nmeson compile -C build";
        build_and_check(commands, &tools());
    }
}

#[test]
fn meson_by_the_environment() {
    if has("meson") && has("ninja") {
        let commands = "eval \"$($INSPECT_TOOL env)\"\nmeson setup build\nmeson compile -C build";
        build_and_check(commands, Path::new(NOWHERE));
    }
}

#[test]
fn an_older_archiver_would_fail() {
    let output = shell("make CC=$INSPECT_TOOL-cc AR=ar", project().path(), Path::new(NOWHERE));
    assert!(!output.status.success(), "the other tests rely on it: {output:?}");
}

#[test]
fn the_tools_read_our_objects() {
    let project = project();
    let commands =
        "eval $($INSPECT_TOOL env)\n$CC -c counter.c\n$AR rcS x.a counter.o\n$RANLIB x.a\n$NM --print-armap x.a";
    let output = shell(commands, project.path(), Path::new(NOWHERE));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(text.contains("counter_add in counter.o") && text.contains("T counter_value"), "{text}");
    // By the subcommand too; what a tool says of a wrong command line is its own.
    let (status, listed, _) = run(&["nm", "counter.o"], project.path());
    assert!(status == 0 && listed.contains("T counter_add"), "{listed}");
    let (status, _, errors) = run(&["ar", "x", "missing.a"], project.path());
    assert!(status == 1 && errors.contains("missing.a"), "{errors}");
}
