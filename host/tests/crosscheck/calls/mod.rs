//! Generated programs of calls that the model's programs do not have ([`program`]): signals between threads, timers,
//! descriptors, pipes with names and cancellation.
//!
//! What every algorithm finds must be what the search of all interleavings finds: the Mazurkiewicz traces (with
//! `--plain-accesses sync` and `racy` those of synchronisation events), the contents of memory at the end, the
//! findings. Fork mode and other checkpoints must report the same, and findings show again. What runs end with must be
//! all that the program can end with, and nothing else, as a small model of Linux has it ([`oracle`]).

mod cancellation;
mod compare;
mod conditions;
mod errors;
mod handlers;
mod locks;
mod make;
mod oracle;
mod print;
mod program;
mod state;
mod sync;
mod timers;

use crate::batch::{Batch, FIXED};
use compare::{Checked, Checker};
use inspect_core::detect::FindingKind;
use program::{Program, Topic};
use std::collections::BTreeMap;

/// As [`FIXED`], with frame records for searches that compare states.
const FRAMED: [&str; 3] = [FIXED[0], FIXED[1], "-finspect-frames"];
/// Programs in one C file.
const BATCH: u64 = 25;
/// Programs of each topic in `make test`.
const FEW: u64 = 2;
/// Programs of each topic in the long test.
const LONG: u64 = 200;

/// What came out of checking some programs.
#[derive(Default)]
struct Tally {
    compared: u64,
    left_out: u64,
    runs: u64,
    traces: u64,
    complete: u64,
    exact: u64,
    failures: Vec<String>,
    /// Reasons why searches were not complete, with how many programs had them, and the first seed.
    reasons: BTreeMap<String, (u64, u64)>,
    /// The same for kinds of findings.
    kinds: BTreeMap<FindingKind, (u64, u64)>,
}

fn check(topic: Topic, first: u64, count: u64) -> Tally {
    let mut tally = Tally::default();
    let (mut begin, together) = (first, BATCH.min(8 * count));
    while tally.compared < count {
        let programs: Vec<Program> = (begin..begin + together).map(|seed| make::program(topic, seed)).collect();
        let text = print::file(topic, &programs);
        let (batch, framed) = (Batch::of_text(&text, &FIXED), Batch::of_text(&text, &FRAMED));
        for (number, (seed, program)) in (begin..).zip(&programs).enumerate() {
            if tally.compared < count {
                check_one(&mut tally, seed, program, Checker::new([&batch, &framed], number, program));
            }
        }
        begin += together;
    }
    println!(
        "{topic:?}: {} programs with {} traces, {} native runs; {} complete, {} with the outcomes of the strict model; \
         {} are too large or too small; {:?}; {:?}",
        tally.compared,
        tally.traces,
        tally.runs,
        tally.complete,
        tally.exact,
        tally.left_out,
        tally.reasons,
        tally.kinds
    );
    tally
}

fn check_one(tally: &mut Tally, seed: u64, program: &Program, mut checker: Checker) {
    let Some(Checked { traces, complete, exact, reasons, kinds }) = checker.check() else {
        tally.left_out += 1;
        return;
    };
    tally.compared += 1;
    tally.traces += traces;
    tally.complete += u64::from(complete);
    tally.exact += u64::from(exact);
    tally.runs += checker.runs;
    reasons.into_iter().for_each(|reason| tally.reasons.entry(reason).or_insert((0, seed)).0 += 1);
    kinds.into_iter().for_each(|kind| tally.kinds.entry(kind).or_insert((0, seed)).0 += 1);
    if !checker.failures.is_empty() {
        let bodies: Vec<String> = program.threads.iter().map(|body| format!("  {body:?}")).collect();
        tally.failures.push(format!(
            "seed {seed}, {program:?}\n{}\n{}\n{}",
            checker.failures.join("\n"),
            bodies.join("\n"),
            print::source(program, 0)
        ));
    }
}

fn report(tallies: &[Tally]) {
    let failures: Vec<&str> = tallies.iter().flat_map(|tally| &tally.failures).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{} programs differ:\n{}",
        failures.len(),
        failures[..failures.len().min(8)].join("\n")
    );
}

#[test]
fn a_fixed_sample_of_native_programs_of_calls_agrees_with_brute_force() {
    report(&Topic::ALL.map(|topic| check(topic, 0, FEW)));
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_of_calls_agree_with_brute_force() {
    let given = std::env::var("INSPECT_CROSS_CHECK").unwrap_or(format!("100 {LONG}"));
    let mut words = given.split(' ');
    let mut number = || words.next().and_then(|word| word.parse().ok()).expect("INSPECT_CROSS_CHECK has two numbers");
    let (first, count) = (number(), number());
    // A third word names a topic.
    let topic = words.next();
    let is_chosen = |one: &&Topic| topic.is_none_or(|name| format!("{one:?}") == name);
    let tallies: Vec<Tally> = Topic::ALL.iter().filter(is_chosen).map(|topic| check(*topic, first, count)).collect();
    report(&tallies);
}
