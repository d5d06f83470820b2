//! Functions that Inspect does not know, in every position: a program that may call one is never verified, and the
//! report names the function and the place.
//!
//! `INSPECT` names the binary to test; by default `target/release/inspect`, which `make build` makes.

use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A program, by what is put into [`source`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Position {
    name: String,
    function: String,
    #[serde(default)]
    declarations: String,
    #[serde(default)]
    thread: String,
    #[serde(default)]
    before: String,
    #[serde(default)]
    after: String,
}

#[derive(Deserialize)]
struct Positions {
    program: Vec<Position>,
}

/// What all programs begin with.
const HEAD: &str = "#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
struct pair { long a, b, c, d; };
int foreign(void);
int foreign_with(void *);
int foreign_varied(const char *, ...);
struct pair foreign_pair(void);
void *foreign_start(void *);
void foreign_void(void);
void foreign_key(void *);
void foreign_signal(int);
int foreign_order(const void *, const void *);
int foreign_thrd(void *);
int *foreign_pointer(void);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static int next(void) {
    pthread_mutex_lock(&mutex);
    int number = ++shared;
    pthread_mutex_unlock(&mutex);
    return number;
}
";

impl Position {
    fn source(&self) -> String {
        let Position { declarations, thread, before, after, .. } = self;
        format!(
            "{HEAD}{declarations}\nstatic void *thread(void *a) {{\n    int n = next();\n    {thread}\n    (void)n;\n    return a;\n}}\n\
             int main(void) {{\n    {before}\n    pthread_t other;\n    pthread_create(&other, 0, thread, 0);\n    \
             thread(&shared);\n    pthread_join(other, 0);\n    {after}\n    return 0;\n}}\n"
        )
    }

    /// What is wrong with the report, if it is.
    fn judged(&self, report: &Value) -> Option<String> {
        let reason = report["reason"].as_str().unwrap_or_default();
        let source = self.source();
        let lines = source.lines().enumerate().filter(|(_, line)| line.contains("HERE"));
        let places: Vec<String> = lines.map(|(line, _)| format!("program.c:{}", line + 1)).collect();
        let is_named = reason.split("; ").any(|clause| {
            let words: Vec<&str> = clause.split([' ', ',']).collect();
            words.contains(&self.function.as_str()) && places.iter().any(|place| is_at(clause, place))
        });
        let is_right = report["verdict"] == "inconclusive" && is_named;
        (!is_right).then(|| format!("{}: {} at {places:?}: {report}", self.name, self.function))
    }
}

/// Whether a clause names a line, and not another one whose number begins with the same digits.
fn is_at(clause: &str, place: &str) -> bool {
    clause.split(place).skip(1).any(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
}

fn inspect() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the host's folder lies in the repository");
    let path = std::env::var_os("INSPECT").map_or_else(|| repository.join("target/release/inspect"), PathBuf::from);
    assert!(path.is_file(), "{} does not exist: run `make build` first", path.display());
    path
}

fn run(command: &mut Command, folder: &Path) -> String {
    let output = command.current_dir(folder).output().expect("it runs");
    assert!(output.stdout.starts_with(b"{") || output.status.success(), "{command:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn no_program_that_may_call_an_unknown_function_is_verified() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/unknown");
    let text = std::fs::read_to_string(own.join("programs.toml")).expect("readable");
    let Positions { program: positions } = toml::from_str(&text).expect("a list of programs");
    assert!(positions.len() >= 50, "{} programs", positions.len());
    let home = TempDir::new().expect("a folder");
    let mut library = Command::new("cc");
    library.args(["-shared", "-fPIC", "-o", "libforeign.so"]).arg(own.join("library.c"));
    run(&mut library, home.path());
    let mut wrong = Vec::new();
    for position in &positions {
        std::fs::write(home.path().join("program.c"), position.source()).expect("written");
        let mut build = Command::new(inspect());
        build.args(["cc", "-w", "-g", "-O1", "-pthread", "program.c", "-L.", "-lforeign", "-Wl,-rpath,$ORIGIN"]);
        run(build.args(["-o", "program"]), home.path());
        let mut check = Command::new(inspect());
        let report = run(check.args(["check", "--json", "--quiet", "./program"]), home.path());
        wrong.extend(position.judged(&serde_json::from_str(&report).expect("a report")));
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), positions.len(), wrong.join("\n"));
}

#[test]
fn a_line_is_named_by_its_whole_number() {
    assert!(is_at("the program calls f at program.c:12:3, and", "program.c:12"));
    assert!(is_at("the program uses f at program.c:12", "program.c:12"));
    assert!(!is_at("the program calls f at program.c:123:3", "program.c:12"));
}
