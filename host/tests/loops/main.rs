//! Loops that wait, against all that a program can do: generated programs whose threads poll, store now and then, try
//! locks and count, explored natively, where loops are parked, and as a graph of all their states ([`model`]), where
//! nothing is. A search that says it is complete must have found every result that the program can end with, and no
//! other; it must have found a livelock or a deadlock if and only if a state can be reached from which no end can be.
//!
//! `make test` takes a fixed sample; `INSPECT_LOOPS` (first seed and number of programs) with `many --
//! --include-ignored` others.

mod model;
mod print;
mod program;
mod run;

use model::Behaviour;
use program::Program;
use run::{Answer, Built};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Programs in one C file.
const BATCH: u64 = 20;
/// Programs in `make test`.
const SAMPLE: u64 = 40;
/// Programs of the long test.
const LONG: u64 = 2000;
/// The searches that are compared with the model, and when a plain access is an operation.
const SEARCHES: [(&str, &str); 5] =
    [("optimal", "racy"), ("source", "racy"), ("optimal", "all"), ("source", "all"), ("stateful", "racy")];

/// What came out of checking some programs.
#[derive(Default)]
struct Tally {
    searches: u64,
    complete: u64,
    failures: Vec<String>,
    /// Programs of which the searches make different numbers of executions.
    counts_differ: Vec<String>,
    /// Programs with too many states for the model.
    skipped: Vec<u64>,
    /// Searches that did not come to their end.
    incomplete: Vec<String>,
}

fn check(first: u64, count: u64) -> Tally {
    let batches: Vec<u64> = (first..first + count).step_by(BATCH as usize).collect();
    let half = batches.len().div_ceil(2);
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let parts: Vec<_> = batches
            .chunks(half.max(1))
            .map(|part| {
                scope.spawn(move || {
                    let mut tally = Tally::default();
                    for &begin in part {
                        check_batch(begin, (begin + BATCH).min(first + count), &mut tally);
                    }
                    tally
                })
            })
            .collect();
        for part in parts {
            let part = part.join().expect("no panic");
            tally.searches += part.searches;
            tally.complete += part.complete;
            tally.failures.extend(part.failures);
            tally.counts_differ.extend(part.counts_differ);
            tally.skipped.extend(part.skipped);
            tally.incomplete.extend(part.incomplete);
        }
    });
    tally
}

fn check_batch(begin: u64, end: u64, tally: &mut Tally) {
    let programs: Vec<Program> = (begin..end).map(Program::of).collect();
    let level = ["-O0", "-O1", "-O2"][(begin / BATCH % 3) as usize];
    let built = Built::new(&print::file(&programs), level);
    for (number, (seed, program)) in (begin..end).zip(&programs).enumerate() {
        let Some(behaviour) = model::behaviour(program) else {
            tally.skipped.push(seed);
            continue;
        };
        let mut counts = BTreeMap::new();
        for (algorithm, plain) in SEARCHES {
            let answer = built.check(number, algorithm, plain);
            tally.searches += 1;
            tally.complete += u64::from(answer.complete);
            if !answer.complete {
                tally.incomplete.push(format!(
                    "seed {seed} at {level}, {algorithm}, {plain}: {answer:?} {behaviour:?} {:?}",
                    program.threads
                ));
            }
            if let Some(wrong) = wrong(&behaviour, &answer) {
                let source = print::source(program, number);
                let search = format!("{algorithm}, {plain}");
                tally.failures.push(format!("seed {seed} at {level}, {search}: {wrong}\n{answer:?}\n{source}"));
            }
            // A search of states makes as many executions as there are states to go to.
            if algorithm != "stateful" {
                let of_setting: &mut Vec<u64> = counts.entry(plain).or_default();
                of_setting.extend(answer.complete.then_some(answer.executions));
            }
        }
        if counts.values().any(|counts| counts.windows(2).any(|pair| pair[0] != pair[1])) {
            tally.counts_differ.push(format!("seed {seed} at {level}: {counts:?}"));
        }
    }
}

/// What an answer says that the program does not do, or leaves out.
fn wrong(behaviour: &Behaviour, answer: &Answer) -> Option<String> {
    let mut text = String::new();
    if !answer.others.is_empty() {
        let _ = write!(text, "unexpected findings {:?}; ", answer.others);
    }
    if !answer.results.is_subset(&behaviour.results) {
        let _ = write!(text, "results that the program cannot have, of {:?}; ", behaviour.results);
    }
    if answer.sticks && !behaviour.sticks {
        text += "a livelock or deadlock that the program does not have; ";
    }
    if answer.complete {
        let left_out: Vec<_> = behaviour.results.difference(&answer.results).collect();
        if !left_out.is_empty() {
            let _ = write!(text, "complete without the results {left_out:?}; ");
        }
        if behaviour.sticks && !answer.sticks {
            text += "complete without a livelock or deadlock; ";
        }
    }
    (!text.is_empty()).then_some(text)
}

fn report(tally: &Tally) {
    println!(
        "{} searches, {} complete; {} programs have too many states: {:?}",
        tally.searches,
        tally.complete,
        tally.skipped.len(),
        tally.skipped
    );
    println!("incomplete:");
    tally.incomplete.iter().for_each(|line| println!("  {line}"));
    let failures = &tally.failures;
    assert!(
        failures.is_empty(),
        "{} answers are wrong:\n{}",
        failures.len(),
        failures[..failures.len().min(5)].join("\n")
    );
    let differ = &tally.counts_differ;
    assert!(
        differ.is_empty(),
        "of {} programs the searches make different numbers:\n{}",
        differ.len(),
        differ.join("\n")
    );
}

#[test]
fn a_sample_of_loops_does_what_the_programs_can_do() {
    let tally = check(0, SAMPLE);
    report(&tally);
    assert!(2 * tally.complete > tally.searches, "most searches come to their end");
    assert!(10 * tally.skipped.len() as u64 <= SAMPLE, "the model covers nine of ten programs");
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_loops_do_what_the_programs_can_do() {
    let given = std::env::var("INSPECT_LOOPS").unwrap_or(format!("1000 {LONG}"));
    let numbers: Vec<u64> = given.split(' ').map(|number| number.parse().expect("a number")).collect();
    let [first, count] = numbers[..] else { panic!("INSPECT_LOOPS has two numbers") };
    report(&check(first, count));
}
