//! `--algorithm pdp` on native programs: races that only executions unlike the first one have, how many runs it saves,
//! which programs it refuses, what it claims.

#![allow(missing_docs, reason = "tests have no users")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The binary to test: the one that `INSPECT` names, by default `target/release/inspect`, which `make build` makes.
fn inspect() -> Command {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    Command::new(std::env::var_os("INSPECT").map_or_else(built, PathBuf::from))
}

/// Checks source files with an algorithm and returns the JSON.
fn check(files: &[PathBuf], algorithm: &str, flags: &[&str]) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let output = inspect()
        .args(["check", "--json", "--quiet", "--algorithm", algorithm])
        .args(flags)
        .args(files)
        .current_dir(directory.path())
        .output()
        .expect("inspect starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

/// What all programs below begin with: flags `c` and `d` that are set and read under locks, and the data `x`.
const COMMON: &str = r"
#include <pthread.h>
static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER, h = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int c, d, x;
static int get(pthread_mutex_t *lock, int *flag) {
    pthread_mutex_lock(lock);
    int value = *flag;
    pthread_mutex_unlock(lock);
    return value;
}
static void set(pthread_mutex_t *lock, int *flag) {
    pthread_mutex_lock(lock);
    *flag = 1;
    pthread_mutex_unlock(lock);
}
static void locked(pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    x++;
    pthread_mutex_unlock(lock);
}
static void *only_x(void *p) { x++; return p; }
";

const END: &str = r"
int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, a, NULL);
    pthread_create(&threads[1], NULL, b, NULL);
    pthread_create(&threads[2], NULL, e, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
";

/// Programs, and whether they have a race. The first run, in which `a` goes first, does not show it.
const PROGRAMS: &[(&str, bool, &str)] = &[
    (
        "a lock chosen by shared data",
        true,
        "static void *a(void *p) { locked(&m[get(&g, &c)]); return p; }
         static void *b(void *p) { set(&g, &c); locked(&m[0]); return p; }
         static void *e(void *p) { return p; }",
    ),
    (
        "a lock chosen by data that nobody changes",
        false,
        "static void *a(void *p) { locked(&m[get(&g, &c)]); return p; }
         static void *b(void *p) { locked(&m[get(&g, &c)]); return p; }
         static void *e(void *p) { return p; }",
    ),
    (
        "a thread created on the way not taken",
        true,
        "static void *a(void *p) {
             pthread_t other;
             if (get(&g, &c)) { pthread_create(&other, NULL, only_x, NULL); x++; pthread_join(other, NULL); }
             return p;
         }
         static void *b(void *p) { set(&g, &c); return p; }
         static void *e(void *p) { return p; }",
    ),
    (
        "an early exit",
        true,
        "static void *a(void *p) {
             int early = get(&g, &c);
             pthread_mutex_lock(&m[0]);
             if (early) { pthread_mutex_unlock(&m[0]); x++; return p; }
             x++;
             pthread_mutex_unlock(&m[0]);
             return p;
         }
         static void *b(void *p) { set(&g, &c); locked(&m[0]); return p; }
         static void *e(void *p) { return p; }",
    ),
    (
        "a lock given up on the way not taken",
        true,
        "static void *a(void *p) {
             int given = get(&g, &c);
             pthread_mutex_lock(&m[0]);
             if (given) pthread_mutex_unlock(&m[0]);
             x++;
             if (!given) pthread_mutex_unlock(&m[0]);
             return p;
         }
         static void *b(void *p) { set(&g, &c); locked(&m[0]); return p; }
         static void *e(void *p) { return p; }",
    ),
    (
        "a lock given up in a function called on the way not taken",
        true,
        "static void leave(void) { pthread_mutex_unlock(&m[0]); }
         static void *a(void *p) {
             int given = get(&g, &c);
             pthread_mutex_lock(&m[0]);
             if (given) leave();
             x++;
             if (!given) leave();
             return p;
         }
         static void *b(void *p) { set(&g, &c); locked(&m[0]); return p; }
         static void *e(void *p) { return p; }",
    ),
    (
        "a loop that is not entered",
        true,
        "static void *a(void *p) { for (int i = get(&g, &c); i > 0; i--) x++; return p; }
         static void *b(void *p) { set(&g, &c); x++; return p; }
         static void *e(void *p) { return p; }",
    ),
    (
        "an access before everything that can be reversed",
        true,
        "static void *a(void *p) { x++; return p; }
         static void *b(void *p) { if (get(&g, &c)) x++; return p; }
         static void *e(void *p) { set(&g, &c); return p; }",
    ),
    (
        "an operation that only executions left out have",
        true,
        "static void *a(void *p) { if (get(&g, &c)) x++; return p; }
         static void *b(void *p) { if (get(&h, &d)) set(&g, &c); return p; }
         static void *e(void *p) { set(&h, &d); x++; return p; }",
    ),
    (
        "an address that depends on shared data",
        true,
        "static int other;
         static void *a(void *p) { int *at = get(&g, &c) ? &x : &other; *at = 1; return p; }
         static void *b(void *p) { set(&g, &c); x = 2; return p; }
         static void *e(void *p) { return p; }",
    ),
    (
        "every way protected",
        false,
        "static void *a(void *p) { if (get(&g, &c)) locked(&m[0]); else set(&h, &d); return p; }
         static void *b(void *p) { set(&g, &c); locked(&m[0]); return p; }
         static void *e(void *p) { get(&h, &d); return p; }",
    ),
];

#[test]
fn races_that_the_first_run_does_not_show_are_found() {
    let directory = tempfile::tempdir().expect("a directory");
    for (number, (name, racy, text)) in PROGRAMS.iter().enumerate() {
        let file = directory.path().join(format!("p{number}.c"));
        std::fs::write(&file, format!("{COMMON}{text}{END}")).expect("written");
        for algorithm in ["dpor", "pdp"] {
            let report = check(std::slice::from_ref(&file), algorithm, &[]);
            let wanted = if *racy { "violated" } else { "verified" };
            assert_eq!(report["verdict"], wanted, "{algorithm}, {name}: {report}");
            let race = report["findings"].as_array().is_some_and(|all| all.iter().any(|f| f["kind"] == "data-race"));
            assert_eq!(race, *racy, "{algorithm}, {name}: {report}");
        }
    }
}

/// Programs whose first line has the verdict. Their races do not show in the first run; only the facts about other
/// executions lead to them.
#[test]
fn what_only_the_facts_show_is_taken_into_account() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/pdp");
    let files = std::fs::read_dir(folder).expect("the programs are there");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("is readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "h"));
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("is readable");
        let wanted =
            text.strip_prefix("/* ").and_then(|text| text.split_once(':')).expect("a verdict in the first line").0;
        for (algorithm, flags) in [("dpor", &[][..]), ("pdp", &[]), ("pdp", &["--mode", "fork"])] {
            let report = check(std::slice::from_ref(&file), algorithm, flags);
            let shown = format!("{}, {algorithm} {flags:?}: {report}", file.display());
            assert_eq!(report["verdict"], wanted, "{shown}");
            let race = report["findings"].as_array().is_some_and(|all| all.iter().any(|f| f["kind"] == "data-race"));
            assert_eq!(race, wanted == "violated", "{shown}");
        }
    }
}

fn paper(program: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/papers").join(program);
    let files = std::fs::read_dir(folder).expect("the program is there");
    let files = files.map(|file| file.expect("is readable").path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect()
}

/// What issue 3 asks for on table 5.1's programs; the runs of `dpor` are those derived in the corpus.
#[test]
fn at_least_five_times_fewer_runs_than_dpor() {
    let rows: &[(&str, &[&str], u64)] = &[
        ("fdrd", &["--keep-going"], 120),
        ("scanner", &["-D", "WORKERS=3", "-D", "TREE=0"], 51_240),
        ("compressor", &["-D", "WORKERS=3", "-D", "BLOCKS=4"], 3_726),
    ];
    for (program, flags, dpor) in rows {
        let report = check(&paper(program), "pdp", flags);
        let executions = report["executions"].as_u64().expect("a number");
        assert!(executions * 5 <= *dpor, "{program}: {executions} of {dpor}");
        assert_eq!(report["verdict"], if *program == "fdrd" { "violated" } else { "verified" }, "{program}");
    }
}

#[test]
fn a_verdict_says_that_it_is_about_races_only() {
    let report = check(&paper("fdrd"), "pdp", &["-D", "FIXED=1"]);
    assert_eq!(report["verdict"], "verified");
    assert_eq!(report["executions"], 1);
    let assumptions = report["assumptions"].to_string();
    assert!(assumptions.contains("only data races were looked for"), "{assumptions}");
}

/// An object that was compiled without facts gets them at the final link. A part that was linked before (`-r`) has been
/// through the pass and gets none, so what its threads do would not be known.
#[test]
fn parts_built_without_facts() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let common = |locks: &str, data: &str| {
        let own = "static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER, h =";
        let text = COMMON.replace(own, &format!("{locks}\nstatic pthread_mutex_t h ="));
        text.replace("static int c, d, x;", &format!("{data} static int d;"))
    };
    let head = common("pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER;", "int c, x;");
    let main = "void *a(void *p);
        static void *b(void *p) { set(&g, &c); return p; }
        static void *e(void *p) { x++; return p; }";
    std::fs::write(at("main.c"), format!("{head}{main}{END}")).expect("written");
    let head = common("extern pthread_mutex_t g;", "extern int c, x;");
    let part = "void *a(void *p) { if (get(&g, &c)) x++; return p; }";
    std::fs::write(at("part.c"), format!("{head}{part}\n")).expect("written");
    let run = |arguments: &[&str]| {
        let built = inspect().arg("cc").args(arguments).current_dir(directory.path()).output();
        let built = built.expect("the compiler starts");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    };
    run(&["-c", "part.c", "-o", "part.o"]);
    run(&["-r", "part.o", "-o", "whole.o"]);
    for (part, code, said) in [("part.o", 1, "data-race"), ("whole.o", 2, "-r")] {
        run(&["-pthread", "-finspect-facts", "main.c", part, "-o", "program"]);
        let output =
            inspect().args(["check", "--algorithm", "pdp"]).arg(at("program")).current_dir(directory.path()).output();
        let output = output.expect("inspect starts");
        let printed = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{part}: {printed}");
        assert!(printed.contains(said), "{part}: {printed}");
    }
}

#[test]
fn a_program_without_facts_is_refused_with_the_way_to_build_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let program = directory.path().join("fdrd");
    for (flags, refused) in [(&["-pthread"][..], true), (&["-pthread", "-finspect-facts", "-DFIXED=1"], false)] {
        let built = inspect().arg("cc").args(flags).arg("-o").arg(&program).args(paper("fdrd")).status();
        assert!(built.expect("the compiler starts").success());
        let output =
            inspect().args(["check", "--algorithm", "pdp"]).arg(&program).current_dir(directory.path()).output();
        let output = output.expect("inspect starts");
        let printed = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(if refused { 2 } else { 0 }), "{printed}");
        assert_eq!(printed.contains("-finspect-facts"), refused, "{printed}");
    }
}
