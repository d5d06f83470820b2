//! Programs of which another compiler has made some or all objects: what is not instrumented is named, and the verdict
//! is inconclusive.
//!
//! `INSPECT` names the binary to test; by default `target/release/inspect`, which `make build` makes.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const RACE: &str = "int shared;\nvoid *race(void *p) { shared++; return p; }\n";
const MAIN: &str = "#include <pthread.h>\nvoid *race(void *);\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, race, 0); race(0); return pthread_join(t, 0); }\n";

fn inspect() -> PathBuf {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    let path = std::env::var_os("INSPECT").map_or_else(built, PathBuf::from);
    assert!(path.is_file(), "{} does not exist: run `make build` first", path.display());
    path
}

fn run(folder: &Path, program: &Path, arguments: &str) {
    let mut command = Command::new(program);
    let status = command.args(arguments.split(' ')).current_dir(folder).status();
    assert!(status.expect("it starts").success(), "{command:?}");
}

/// The verdict on a program whose main and whose thread are compiled by these, and the reasons given.
fn verdict(main: &[&str], thread: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().expect("a directory");
    for (name, text, compiler) in [("main", MAIN, main), ("race", RACE, thread)] {
        std::fs::write(folder.path().join(format!("{name}.c")), text).expect("written");
        let [program, arguments @ ..] = compiler else { panic!("no compiler") };
        let arguments = [arguments, &["-g", "-pthread", "-c", &format!("{name}.c")]].concat().join(" ");
        run(folder.path(), Path::new(program), &arguments);
    }
    run(folder.path(), &inspect(), "cc -pthread main.o race.o -o program");
    let mut command = Command::new(inspect());
    command.args(["check", "--json", "--quiet", "--out", "out", "./program"]).current_dir(folder.path());
    let output = command.output().expect("inspect starts");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let verdict = report["verdict"].as_str().expect("a verdict").to_owned();
    (verdict, report["reason"].to_string())
}

#[test]
fn a_program_of_which_nothing_is_instrumented_is_not_verified() {
    let (verdict, reasons) = verdict(&["clang-22"], &["clang-22"]);
    assert_eq!(verdict, "inconclusive", "{reasons}");
    assert!(reasons.contains("nothing of program is instrumented"), "{reasons}");
}

#[test]
fn a_part_that_is_not_instrumented_is_named() {
    let (verdict, reasons) = verdict(&[&inspect().display().to_string(), "cc"], &["clang-22"]);
    assert_eq!(verdict, "inconclusive", "{reasons}");
    assert!(reasons.contains("parts of program are not instrumented: race.o"), "{reasons}");
}

/// Both accesses are in the part that is.
#[test]
fn a_race_in_an_instrumented_part_is_found_beside_others_that_are_not() {
    let (verdict, reasons) = verdict(&["clang-22"], &[&inspect().display().to_string(), "cc"]);
    assert_eq!(verdict, "violated", "{reasons}");
    assert!(reasons.contains("parts of program are not instrumented: main.o"), "{reasons}");
}

#[test]
fn a_race_in_instrumented_parts_is_found() {
    let inspect = inspect().display().to_string();
    let (verdict, reasons) = verdict(&[&inspect, "cc"], &[&inspect, "cc"]);
    assert_eq!(verdict, "violated", "{reasons}");
}

/// Compilers whose `-fsanitize=thread` is tried.
const SANITIZING: [&[&str]; 2] = [&["clang-22", "-fsanitize=thread"], &["gcc", "-fsanitize=thread"]];

#[test]
fn a_race_in_objects_for_thread_sanitizer_is_found() {
    for compiler in SANITIZING {
        let (verdict, reasons) = verdict(compiler, compiler);
        assert_eq!(verdict, "violated", "{compiler:?}: {reasons}");
        assert!(reasons.contains("program is built with -fsanitize=thread"), "{compiler:?}: {reasons}");
    }
}

#[test]
fn a_race_with_a_part_for_thread_sanitizer_is_found() {
    let inspect = inspect().display().to_string();
    for compiler in SANITIZING {
        for (main, thread, part) in
            [(&[&inspect, "cc"][..], compiler, "race.o"), (compiler, &[&inspect, "cc"], "main.o")]
        {
            let (verdict, reasons) = verdict(main, thread);
            assert_eq!(verdict, "violated", "{main:?} {thread:?}: {reasons}");
            let named = format!("parts of program are not instrumented: {part} (built with -fsanitize=thread)");
            assert!(reasons.contains(&named), "{main:?} {thread:?}: {reasons}");
        }
    }
}

/// What each atomic function returns and leaves behind is asserted, in variables of all sizes.
const ATOMICS: &str = include_str!("programs/sanitized_atomics.c");

#[test]
fn atomic_functions_of_thread_sanitizer_do_what_they_say() {
    for compiler in SANITIZING {
        let folder = tempfile::tempdir().expect("a directory");
        std::fs::write(folder.path().join("atomics.c"), ATOMICS).expect("written");
        let [program, flag] = compiler else { panic!("a compiler and a flag") };
        run(folder.path(), Path::new(program), &format!("{flag} -g -O1 -mcx16 -c atomics.c"));
        run(folder.path(), &inspect(), "cc -fsanitize=thread -pthread atomics.o -o atomics");
        run(folder.path(), &folder.path().join("atomics"), "natively");
        let mut command = Command::new(inspect());
        command.args(["check", "--json", "--quiet", "--out", "out", "--algorithm", "optimal", "./atomics"]);
        let output = command.current_dir(folder.path()).output().expect("inspect starts");
        let report: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        // Two threads add to each of five variables: the additions to each come in one of two orders, 2^5.
        assert_eq!((&report["verdict"], &report["executions"]), (&"inconclusive".into(), &32.into()), "{report}");
    }
}

const FILLED: &str = "#include <stdlib.h>\nint *filled(void) { int *p = malloc(4); *p = 5; return p; }\n";
const LOOKS: &str = "int *filled(void);\nint main(void) { return *filled() == 5 ? 0 : 1; }\n";

/// Checks, with `--uninitialised`, a program whose main looks at what another part has written.
fn looked_at(other: &[&str], linked: &str) -> std::process::Output {
    let folder = tempfile::tempdir().expect("a directory");
    for (name, text) in [("filled.c", FILLED), ("looks.c", LOOKS)] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let [compiler, arguments @ ..] = other else { panic!("no compiler") };
    run(folder.path(), Path::new(compiler), &arguments.join(" "));
    run(folder.path(), &inspect(), &format!("cc -finspect-uninitialised looks.c {linked} -o program"));
    let mut command = Command::new(inspect());
    command.args(["check", "--json", "--quiet", "--out", "out", "--uninitialised", "./program"]);
    command.current_dir(folder.path()).output().expect("inspect starts")
}

#[test]
fn what_a_library_writes_that_is_not_built_for_it_is_initialised() {
    let compiler = inspect().display().to_string();
    let output = looked_at(&[&compiler, "cc -shared -fPIC filled.c -o libfilled.so"], "-L. -lfilled -Wl,-rpath,.");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!((&report["verdict"], report["findings"].as_array().map(Vec::len)), (&"verified".into(), Some(0)));
}

#[test]
fn a_program_with_parts_that_are_not_instrumented_is_not_checked_for_uninitialised_memory() {
    let output = looked_at(&["clang-22", "-c", "filled.c", "-o", "filled.o"], "filled.o");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("these parts are not: filled.o"), "{message}");
}
