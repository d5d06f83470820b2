//! The compiler pass against itself: generated programs in which a pointer to shared memory goes from one thread to
//! another in every way that C and LLVM's intermediate code have, built as usual and with a hook at every access
//! (`-finspect-hooks=all`), where no analysis is asked. Verdict, findings with their lines and, with `--plain-accesses
//! all`, the number of executions must be the same. Two writes through the pointer race; with a lock around both, the
//! program must be verified.
//!
//! `make test` takes a fixed sample; `INSPECT_LONG=1` some thousands, and `INSPECT_CARRIERS` (first seed and number of
//! programs) others.

mod generate;
mod run;
mod ways;

use run::Built;

/// Programs in one C file.
const BATCH: u64 = 14;
/// Programs in `make test`.
const SAMPLE: u64 = 42;
/// Programs of the long test.
const LONG: u64 = 4200;

/// Checks the programs of so many seeds.
fn check(first: u64, count: u64) {
    let batches: Vec<u64> = (first..first + count).step_by(BATCH as usize).collect();
    let check_batch = |begin: u64| {
        let seeds: Vec<u64> = (begin..(begin + BATCH).min(first + count)).collect();
        let level = ["-O0", "-O1", "-O2"][(begin / BATCH % 3) as usize];
        differences(&seeds, level)
    };
    // Two halves at once: most of the time goes into processes.
    let half = batches.len().div_ceil(2);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = batches
            .chunks(half.max(1))
            .map(|part| scope.spawn(move || part.iter().flat_map(|begin| check_batch(*begin)).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(
        failures.is_empty(),
        "{} programs are wrong:\n{}",
        failures.len(),
        failures[..failures.len().min(5)].join("\n")
    );
}

/// What is wrong with the programs of these seeds.
fn differences(seeds: &[u64], level: &str) -> Vec<String> {
    let text = generate::file(seeds);
    let (usual, all) = (Built::new(&text, &[level]), Built::new(&text, &[level, "-finspect-hooks=all"]));
    let wrong = |(number, seed): (usize, &u64)| {
        let difference = difference(&usual, &all, number)?;
        Some(format!("seed {seed} at {level}: {difference}\n{}", generate::program(*seed, number)))
    };
    seeds.iter().enumerate().filter_map(wrong).collect()
}

/// How the answers about one program differ from each other or from what is expected. Executions are counted with the
/// heap decided: by default the search chooses whether freed blocks are used again in programs with atomic accesses,
/// and there are more of these with all hooks.
fn difference(usual: &Built, all: &Built, number: usize) -> Option<String> {
    let number = number.to_string();
    let ways: [(&[&str], &[&str], &str); 3] = [
        (&[], &[&number], "violated"),
        (&["--plain-accesses", "all", "--heap", "quarantine", "--keep-going"], &[&number], "violated"),
        (&["--plain-accesses", "all", "--heap", "quarantine"], &[&number, "locked"], "verified"),
    ];
    for (options, arguments, verdict) in ways {
        let answers = [usual, all].map(|built| built.check(options, arguments));
        let [mine, oracle] = &answers;
        let raced = verdict != "violated" || mine.findings.iter().any(|finding| finding.starts_with("data-race"));
        let same = mine.findings == oracle.findings && (options.is_empty() || mine.executions == oracle.executions);
        if mine.verdict != verdict || oracle.verdict != verdict || !raced || !same {
            return Some(format!("{options:?} {arguments:?}, expected {verdict}: {mine:?}, with all hooks {oracle:?}"));
        }
    }
    None
}

#[test]
fn a_sample_of_pointers_in_disguise_is_followed() {
    check(0, SAMPLE);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_pointers_in_disguise_are_followed() {
    let given = std::env::var("INSPECT_CARRIERS").unwrap_or(format!("1000 {LONG}"));
    let numbers: Vec<u64> = given.split(' ').map(|number| number.parse().expect("a number")).collect();
    let [first, count] = numbers[..] else { panic!("INSPECT_CARRIERS has two numbers") };
    check(first, count);
}
