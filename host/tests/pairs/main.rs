//! Pairs of calls that do not commute: where the order of two calls decides about what they return, both orders are
//! explored.
//!
//! Each list of calls (`programs/pairs/`) is a program that makes two of them, one by each of two threads. Run
//! natively, it makes them in one order and in the other, and prints what came of it. If that differs, it is checked
//! with an assertion that fails for what came of one order, and then for what came of the other: an answer `verified`
//! means that an order was left out, or that the call does something else when it is explored. Calls that wait are left
//! out.
//!
//! `make test` takes a fixed sample of all pairs; `INSPECT_PAIRS`, the name of a list, with `all -- --include-ignored`,
//! takes all of that list.

mod run;

use run::{Answer, Outcome, Program};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// The lists, by the names of their files.
const LISTS: [&str; 20] = [
    "channels",
    "descriptor_flags",
    "descriptors",
    "environment",
    "files",
    "folders",
    "hidden_state",
    "locale_objects",
    "locales",
    "mappings",
    "memory_streams",
    "process",
    "random_numbers",
    "random_states",
    "range_locks",
    "shared_memory",
    "signals",
    "streams",
    "time_zones",
    "timers",
];

/// The lists of the sample, and which of their pairs it takes: one of so many, and those of [`ALWAYS`].
const SAMPLE: [(&str, usize); 6] = [
    ("descriptor_flags", 241),
    ("locales", 241),
    ("mappings", 181),
    ("random_numbers", 61),
    ("range_locks", 11),
    ("shared_memory", 121),
];

/// Pairs of the sample that were once taken for independent: the list and the two calls.
const ALWAYS: [(&str, &str, &str); 9] = [
    ("descriptor_flags", "fcntl(counter, F_GETFD)", "fcntl(counter, F_SETFD, FD_CLOEXEC)"),
    ("descriptor_flags", "fcntl(1, F_GETFL)", "fcntl(2, F_SETFL, O_APPEND)"),
    ("locales", "setlocale(LC_ALL, \"C.UTF-8\") != 0", "MB_CUR_MAX"),
    ("locales", "setlocale(LC_ALL, \"C.UTF-8\") != 0", "codeset(duplocale(LC_GLOBAL_LOCALE))"),
    ("mappings", "munmap(pages, PAGE)", "mprotect(pages, PAGE, BOTH)"),
    ("mappings", "munmap(pages, PAGE)", "mlock(pages, PAGE)"),
    ("random_numbers", "rand()", "random()"),
    ("shared_memory", "shm_open(name, O_RDWR | O_TRUNC, 0600)", "size(object)"),
    ("shared_memory", "shm_open(name, O_RDWR | O_TRUNC, 0600)", "ftruncate(object, 100)"),
];

/// Two calls, by their numbers: that of the second thread, and that of main.
type Pair = [usize; 2];

/// What came of the checks.
#[derive(Default)]
struct Summary {
    /// Pairs that do not commute.
    dependent: usize,
    /// Answers, by what they say.
    answers: BTreeMap<String, usize>,
    /// Pairs of which an order was left out.
    wrong: Vec<String>,
}

/// Checks one pair.
fn check(program: &Program, pair: Pair, summary: &Mutex<Summary>) {
    let outcomes = [0, 1].map(|first| program.natively(pair, first));
    if outcomes[0] == outcomes[1] || outcomes.contains(&Outcome::Waits) {
        return;
    }
    let answers = outcomes.map(|outcome| (outcome, program.explored(pair, outcome)));
    let mut summary = summary.lock().expect("not poisoned");
    summary.dependent += 1;
    for (outcome, answer) in answers {
        if answer == Answer::Verified {
            let [second, main] = pair.map(|number| &program.calls[number]);
            let other = outcomes[usize::from(outcome == outcomes[0])];
            let message = format!("{}: {second} | {main} {pair:?}: not {outcome:?} but {other:?}", program.name);
            println!("{message}");
            summary.wrong.push(message);
        }
        *summary.answers.entry(answer.to_string()).or_default() += 1;
    }
}

/// One of every so many pairs of a list. A list of which not all are taken has those of [`ALWAYS`] as well.
fn chosen(program: &Program, one_of: usize) -> Vec<Pair> {
    let count = program.calls.len();
    let all = (0..count).flat_map(|second| (0..count).map(move |main| [second, main]));
    let mut pairs: Vec<Pair> = all.step_by(one_of).collect();
    let of_list = ALWAYS.iter().filter(|(list, ..)| one_of > 1 && *list == program.name);
    pairs.extend(of_list.map(|(_, second, main)| [second, main].map(|call| program.number(call))));
    pairs
}

/// Checks one of every so many pairs of a list.
fn check_list(name: &str, one_of: usize, summary: &Mutex<Summary>) {
    let folder = TempDir::with_prefix("pairs-").expect("a directory");
    let program = Program::build(name, folder.path());
    let pairs = chosen(&program, one_of);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(&pair) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(&program, pair, summary);
                }
            });
        }
    });
}

fn check_lists(lists: impl IntoIterator<Item = (&'static str, usize)>) {
    let summary = Mutex::default();
    for (name, one_of) in lists {
        check_list(name, one_of, &summary);
    }
    let summary = summary.into_inner().expect("not poisoned");
    println!("{} pairs that do not commute: {:#?}", summary.dependent, summary.answers);
    assert!(summary.dependent > 0, "every list has calls that do not commute");
    assert!(summary.wrong.is_empty(), "{} orders left out: {:#?}", summary.wrong.len(), summary.wrong);
}

#[test]
fn every_list_is_known() {
    let folder = Path::new(run::SOURCES);
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .filter_map(|entry| entry.expect("an entry").file_name().to_str()?.strip_suffix(".c").map(String::from))
        .collect();
    names.sort();
    assert_eq!(names, LISTS);
}

#[test]
fn both_orders_of_a_sample_of_pairs_are_explored() {
    check_lists(SAMPLE);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn both_orders_of_all_pairs_are_explored() {
    let given = std::env::var("INSPECT_PAIRS").ok();
    check_lists(
        LISTS.into_iter().filter(|name| given.as_deref().is_none_or(|given| given == *name)).map(|name| (name, 1)),
    );
}
