//! Synchronisation objects are what their memory says (S10): a table of how an object came to be, what was then done to
//! its memory, and how it is used next. Rules say what is wrong with each combination; none of them looks at what
//! Inspect prints.
//!
//! All rows of a table are one program: main chooses one, each is on a line of its own, and `--keep-going` reports the
//! findings of all.

#![allow(missing_docs, reason = "tests have no users")]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the object lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Static,
    Local,
    Heap,
}

/// How it came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    Initialiser,
    Call,
    /// All bytes 0; for a static variable without a statement.
    Zeros,
}

/// What was done then, before its memory was changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Before {
    Nothing,
    UsedOnce,
    Held,
    Destroyed,
}

/// What was done to its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    None,
    Assigned,
    CompoundLiteral,
    Copied,
    CopiedFromInitialisedByCall,
    Zeroed,
    CopiedFromHeld,
    Freed,
}

/// The next use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Lock,
    TryLock,
    Initialise,
    Destroy,
}

const PLACES: [Place; 3] = [Place::Static, Place::Local, Place::Heap];
const ORIGINS: [Origin; 3] = [Origin::Initialiser, Origin::Call, Origin::Zeros];
const BEFORE: [Before; 4] = [Before::Nothing, Before::UsedOnce, Before::Held, Before::Destroyed];
const CHANGES: [Change; 8] = [
    Change::None,
    Change::Assigned,
    Change::CompoundLiteral,
    Change::Copied,
    Change::CopiedFromInitialisedByCall,
    Change::Zeroed,
    Change::CopiedFromHeld,
    Change::Freed,
];
const USES: [Use; 4] = [Use::Lock, Use::TryLock, Use::Initialise, Use::Destroy];

/// What lies in the memory, by the rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Object {
    /// Nobody has initialised it.
    Raw,
    /// Nobody holds it; `by_call` if a call has initialised this very object.
    Free {
        by_call: bool,
    },
    /// Main holds it.
    Held {
        by_call: bool,
    },
    /// A copy of one that was held.
    CopiedHeld,
    Destroyed,
    Freed,
}

fn origin(place: Place, origin: Origin) -> Object {
    match (origin, place) {
        (Origin::Initialiser, _) | (Origin::Zeros, Place::Static) => Object::Free { by_call: false },
        (Origin::Call, _) => Object::Free { by_call: true },
        (Origin::Zeros, Place::Local | Place::Heap) => Object::Raw,
    }
}

/// The object before and after `before`; None if that would be a misuse already.
fn after(object: Object, before: Before) -> Option<Object> {
    match (object, before) {
        (_, Before::Nothing) => Some(object),
        (Object::Free { .. }, Before::UsedOnce) => Some(object),
        (Object::Free { by_call }, Before::Held) => Some(Object::Held { by_call }),
        (Object::Free { .. }, Before::Destroyed) => Some(Object::Destroyed),
        _ => None,
    }
}

/// None for changes that are not possible there.
fn changed(object: Object, change: Change, place: Place) -> Option<Object> {
    match change {
        Change::None => Some(object),
        Change::Assigned | Change::CompoundLiteral | Change::Copied | Change::CopiedFromInitialisedByCall => {
            Some(Object::Free { by_call: false })
        }
        Change::Zeroed if place == Place::Static => Some(Object::Free { by_call: false }),
        // Zeros do not initialise it.
        Change::Zeroed if object == Object::Destroyed => Some(object),
        Change::Zeroed => Some(Object::Raw),
        Change::CopiedFromHeld => Some(Object::CopiedHeld),
        Change::Freed => (place == Place::Heap).then_some(Object::Freed),
    }
}

/// The kind of error that the use is, if it is one. A local mutex that its holder initialises once more may be a new
/// variable: its unlock is the error then (docs/limits.md).
fn error(place: Place, object: Object, next: Use) -> Option<&'static str> {
    match (object, next) {
        (Object::Freed, _) => Some("heap-use-after-free"),
        (Object::Free { .. }, Use::Lock | Use::TryLock | Use::Destroy) => None,
        (Object::Free { by_call }, Use::Initialise) => by_call.then_some("double-init"),
        (Object::Held { by_call }, Use::Initialise) => (by_call || place != Place::Local).then_some("double-init"),
        (Object::Held { .. }, Use::Lock) => Some("mutex-relock"),
        (Object::CopiedHeld, Use::Lock) => Some("deadlock"),
        (Object::Held { .. } | Object::CopiedHeld, Use::Destroy) => Some("mutex-destroyed-locked"),
        (Object::Held { .. } | Object::CopiedHeld, Use::TryLock) => None,
        (Object::Destroyed, Use::Destroy) => Some("double-destroy"),
        (Object::Raw | Object::Destroyed, Use::Lock | Use::TryLock) | (Object::Raw, Use::Destroy) => {
            Some("mutex-uninitialized")
        }
        (Object::Raw | Object::Destroyed | Object::CopiedHeld, Use::Initialise) => None,
    }
}

/// The statements of a row of the table of mutexes.
fn mutex_row(number: usize, place: Place, from: Origin, before: Before, change: Change, next: Use) -> String {
    let mut text = match place {
        Place::Static => format!("static M s{number}; M *m = &s{number};"),
        Place::Local => "M l; M *m = &l;".to_string(),
        Place::Heap => "M *m = malloc(sizeof *m);".to_string(),
    };
    let zeros = if place == Place::Static { "" } else { "memset(m, 0, sizeof *m);" };
    text += match from {
        Origin::Initialiser => "M i = PTHREAD_MUTEX_INITIALIZER; *m = i;",
        Origin::Call => "pthread_mutex_init(m, 0);",
        Origin::Zeros => zeros,
    };
    text += match before {
        Before::Nothing => "",
        Before::UsedOnce => "lock(m); pthread_mutex_unlock(m);",
        Before::Held => "lock(m);",
        Before::Destroyed => "pthread_mutex_destroy(m);",
    };
    text += match change {
        Change::None => "",
        Change::Assigned => "M n = PTHREAD_MUTEX_INITIALIZER; *m = n;",
        Change::CompoundLiteral => "*m = (M)PTHREAD_MUTEX_INITIALIZER;",
        Change::Copied => "static const M n = PTHREAD_MUTEX_INITIALIZER; memcpy(m, &n, sizeof n);",
        Change::CopiedFromInitialisedByCall => "M n; pthread_mutex_init(&n, 0); *m = n; pthread_mutex_destroy(&n);",
        Change::Zeroed => "memset(m, 0, sizeof *m);",
        Change::CopiedFromHeld => "M n = PTHREAD_MUTEX_INITIALIZER; lock(&n); *m = n;",
        Change::Freed => "free(m);",
    };
    text += match next {
        Use::Lock => "pthread_mutex_lock(m); pthread_mutex_unlock(m);",
        Use::TryLock => "taken = pthread_mutex_trylock(m);",
        Use::Initialise => "pthread_mutex_init(m, 0); lock(m); pthread_mutex_unlock(m);",
        Use::Destroy => "pthread_mutex_destroy(m);",
    };
    text
}

/// What a trylock returns; None where it is not asked.
fn result_of_trylock(object: Object) -> Option<&'static str> {
    match object {
        Object::Free { .. } => Some("0"),
        Object::Held { .. } | Object::CopiedHeld => Some("EBUSY"),
        Object::Raw | Object::Destroyed | Object::Freed => None,
    }
}

struct Row {
    /// A function of the row's own.
    function: String,
    /// Statements of main.
    text: String,
    /// The kind of error to be found.
    error: Option<&'static str>,
}

/// All combinations.
fn combinations() -> impl Iterator<Item = (Place, Origin, Before, Change, Use)> {
    let all = PLACES.into_iter().flat_map(|place| ORIGINS.map(|origin| (place, origin)));
    let all = all.flat_map(|(place, origin)| BEFORE.map(|before| (place, origin, before)));
    let all = all.flat_map(|(place, origin, before)| CHANGES.map(|change| (place, origin, before, change)));
    all.flat_map(|(place, origin, before, change)| USES.map(|next| (place, origin, before, change, next)))
}

fn mutex_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, from, before, change, next) in combinations() {
        let begun = after(origin(place, from), before);
        let Some(object) = begun.and_then(|object| changed(object, change, place)) else { continue };
        let mut text = mutex_row(rows.len(), place, from, before, change, next);
        if let (Use::TryLock, Some(result)) = (next, result_of_trylock(object)) {
            write!(text, " assert(taken == {result});").expect("text");
        }
        rows.push(Row { function: String::new(), text, error: error(place, object, next) });
    }
    rows
}

const HEAD: &str = "#include <assert.h>\n#include <errno.h>\n#include <inspect.h>\n#include <pthread.h>\n\
    #include <stdlib.h>\n#include <string.h>\n#include <threads.h>\n#include <time.h>\n\
    typedef pthread_mutex_t M; typedef pthread_cond_t C;\nstatic int taken, ran;\n\
    static M guard = PTHREAD_MUTEX_INITIALIZER; static const struct timespec past;\n\
    static void lock(M *m) { pthread_mutex_lock(m); }\nstatic void wake(C *c) { pthread_cond_signal(c); }\n\
    static void initialise(void) { ran++; }\n";

/// A program with these rows, and the number of the first of their lines. The functions of rows stand above main, a
/// line for each row.
fn program(rows: &[Row]) -> (String, usize) {
    let mut text = HEAD.to_string();
    let first = text.lines().count() + 1;
    for row in rows {
        writeln!(text, "{}", row.function).expect("text");
    }
    writeln!(text, "int main(void) {{ switch (inspect_choose({})) {{", rows.len().max(2)).expect("text");
    for (at, row) in rows.iter().enumerate() {
        writeln!(text, "case {at}: {{ {} break; }}", row.text).expect("text");
    }
    text += "}\nreturn 0; }\n";
    (text, first)
}

fn inspect() -> Command {
    let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/release/inspect");
    Command::new(std::env::var_os("INSPECT").map_or_else(built, PathBuf::from))
}

/// The errors found in a program, by line.
fn errors(text: &str, options: &[&str]) -> BTreeMap<usize, BTreeSet<String>> {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("rows.c"), text).expect("written");
    let mut command = inspect();
    command.args(["check", "--json", "--quiet", "--keep-going", "rows.c"]).args(options);
    let output = command.current_dir(directory.path()).output().expect("`make build` was run");
    let printed = String::from_utf8_lossy(&output.stdout);
    let answer: Value = serde_json::from_str(&printed)
        .unwrap_or_else(|error| panic!("{error}: {printed} {}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(answer["reason"], Value::Null, "{}", answer["reason"]);
    let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for finding in answer["findings"].as_array().expect("a list") {
        if finding["severity"] == "error" {
            let line = finding["line"].as_u64().expect("a line") as usize;
            found.entry(line).or_default().insert(finding["kind"].as_str().expect("a kind").to_string());
        }
    }
    found
}

/// Compares what was found at each row with what is to be found there. The run goes on after an error, so other kinds
/// may follow it: those in `following`.
fn compare(rows: &[Row], following: &[&str], options: &[&str]) {
    let (text, first) = program(rows);
    let found = errors(&text, options);
    let mut wrong = String::new();
    for (at, row) in rows.iter().enumerate() {
        let lines = [first + at, first + rows.len() + 1 + at];
        let here: BTreeSet<&String> = lines.iter().filter_map(|line| found.get(line)).flatten().collect();
        let right = match row.error {
            None => here.is_empty(),
            Some(kind) => {
                let follows = |other: &&String| other.as_str() == kind || following.contains(&other.as_str());
                here.iter().any(|found| *found == kind) && here.iter().all(follows)
            }
        };
        if !right {
            writeln!(wrong, "expected {:?}, found {here:?}: {} {}", row.error, row.function, row.text).expect("text");
        }
    }
    assert!(wrong.is_empty(), "{} rows, of which are wrong:\n{wrong}", rows.len());
}

#[test]
fn a_mutex_is_what_its_memory_says() {
    compare(&mutex_rows(), &["deadlock"], &[]);
}

/// The statements of a row of the table of condition variables.
fn cond_row(number: usize, place: Place, from: Origin, before: Before, change: Change, next: Use) -> Option<String> {
    let mut text = match place {
        Place::Static => format!("static C s{number}; C *c = &s{number};"),
        Place::Local => "C l; C *c = &l;".to_string(),
        Place::Heap => "C *c = malloc(sizeof *c);".to_string(),
    };
    text += match from {
        Origin::Initialiser => "C i = PTHREAD_COND_INITIALIZER; *c = i;",
        Origin::Call => "pthread_cond_init(c, 0);",
        Origin::Zeros if place == Place::Static => "",
        Origin::Zeros => "memset(c, 0, sizeof *c);",
    };
    text += match before {
        Before::Nothing => "",
        Before::UsedOnce => "wake(c);",
        Before::Held => return None,
        Before::Destroyed => "pthread_cond_destroy(c);",
    };
    text += match change {
        Change::None => "",
        Change::Assigned => "C n = PTHREAD_COND_INITIALIZER; *c = n;",
        Change::CompoundLiteral => "*c = (C)PTHREAD_COND_INITIALIZER;",
        Change::Copied => "static const C n = PTHREAD_COND_INITIALIZER; memcpy(c, &n, sizeof n);",
        Change::CopiedFromInitialisedByCall => "C n; pthread_cond_init(&n, 0); *c = n; pthread_cond_destroy(&n);",
        Change::Zeroed => "memset(c, 0, sizeof *c);",
        Change::CopiedFromHeld => return None,
        Change::Freed => "free(c);",
    };
    text += match next {
        Use::Lock => "pthread_cond_signal(c);",
        Use::TryLock => "pthread_cond_broadcast(c);",
        Use::Initialise => "pthread_cond_init(c, 0); wake(c);",
        Use::Destroy => "pthread_cond_destroy(c);",
    };
    Some(text)
}

fn cond_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (place, from, before, change, next) in combinations() {
        let begun = after(origin(place, from), before);
        let Some(object) = begun.and_then(|object| changed(object, change, place)) else { continue };
        let Some(text) = cond_row(rows.len(), place, from, before, change, next) else { continue };
        let error = match error(place, object, next) {
            Some("mutex-uninitialized") => Some("cond-uninitialized"),
            other => other,
        };
        rows.push(Row { function: String::new(), text, error });
    }
    rows
}

#[test]
fn a_condition_variable_is_what_its_memory_says() {
    compare(&cond_rows(), &[], &[]);
}

/// Whether the initialiser runs at the next call, by what the once object holds then.
fn once_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let places = ["static pthread_once_t s; pthread_once_t *o = &s;", "pthread_once_t *o = malloc(sizeof *o); *o = 0;"];
    for place in places {
        for before in ["", "pthread_once(o, initialise);"] {
            for (change, runs) in [
                ("", usize::from(before.is_empty())),
                ("*o = PTHREAD_ONCE_INIT;", 1),
                ("memset(o, 0, sizeof *o);", 1),
                ("pthread_once_t n = PTHREAD_ONCE_INIT; pthread_once(&n, initialise); *o = n;", 0),
            ] {
                let next = format!("taken = ran; pthread_once(o, initialise); assert(ran - taken == {runs});");
                let text = format!("{place}{before}{change}{next}");
                rows.push(Row { function: String::new(), text, error: None });
            }
        }
    }
    let freed = format!("{} free(o); pthread_once(o, initialise);", places[1]);
    rows.push(Row { function: String::new(), text: freed, error: Some("heap-use-after-free") });
    rows
}

#[test]
fn a_once_object_is_what_its_memory_says() {
    compare(&once_rows(), &[], &[]);
}

/// Calls, the type of their object, and whether they write it: a call races with another thread's plain write of the
/// object, and one that writes it with a plain read as well.
const CALLS: [(&str, &str, &str, bool); 13] = [
    ("M", "pthread_mutex_init(o, 0);", "pthread_mutex_init(o, 0);", true),
    ("M", "pthread_mutex_init(o, 0);", "pthread_mutex_destroy(o);", true),
    ("M", "pthread_mutex_init(o, 0);", "pthread_mutex_lock(o);", false),
    ("M", "pthread_mutex_init(o, 0);", "pthread_mutex_trylock(o);", false),
    ("C", "pthread_cond_init(o, 0);", "pthread_cond_init(o, 0);", true),
    ("C", "pthread_cond_init(o, 0);", "pthread_cond_destroy(o);", true),
    ("C", "pthread_cond_init(o, 0);", "pthread_cond_signal(o);", false),
    ("C", "pthread_cond_init(o, 0);", "pthread_cond_broadcast(o);", false),
    ("C", "pthread_cond_init(o, 0);", "pthread_cond_timedwait(o, &guard, &past);", false),
    ("pthread_once_t", "*o = 0;", "pthread_once(o, initialise);", false),
    ("pthread_key_t", "*o = 0;", "pthread_key_create(o, 0);", true),
    ("mtx_t", "mtx_init(o, mtx_plain);", "mtx_lock(o);", false),
    ("cnd_t", "cnd_init(o);", "cnd_signal(o);", false),
];

fn racing_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (kind, begin, call, writes) in CALLS {
        for (access, is_write) in [
            ("free(o);", true),
            ("memset(o, 0, sizeof *o);", true),
            ("*o = none;", true),
            ("memcpy(o, &none, sizeof none);", true),
            ("copy = *o;", false),
        ] {
            // The call that begins the object's life is the one that races, if it writes.
            let begin = if call == begin { "" } else { begin };
            let number = rows.len();
            let function = format!(
                "static void *f{number}(void *arg) {{ {kind} *o = arg; static const {kind} none; static {kind} copy; \
                 {access} (void)copy; (void)none; return 0; }}"
            );
            let text = format!(
                "{kind} *o = malloc(sizeof *o); {begin} pthread_mutex_lock(&guard); pthread_t t; \
                 pthread_create(&t, 0, f{number}, o); {call} pthread_detach(t);"
            );
            let error = (is_write || writes).then_some("data-race");
            rows.push(Row { function, text, error });
        }
    }
    rows
}

/// What comes of a race, in one order or the other.
const AFTER_RACES: [&str; 7] = [
    "heap-use-after-free",
    "mutex-uninitialized",
    "cond-uninitialized",
    "unlock-not-owner",
    "deadlock",
    "double-init",
    "invalid-free",
];

#[test]
fn calls_race_with_plain_accesses_to_their_object() {
    compare(&racing_rows(), &AFTER_RACES, &[]);
}
