//! Property-driven pruning: the same verdict about races as brute force, in fewer runs.

use crate::common::{MAX_STEPS, protect};
use inspect_core::detect::{FindingKind, Observer, PagedShadow};
use inspect_core::event::{Plan, RecordKind, SiteId, Trace};
use inspect_core::explore::{Dfs, Dpor, Explorer, Facts, Pdp, RecordCompactor};
use inspect_core::model::{Machine, Program, Random, Shape, facts, generate, guarded};

/// Whether the program has a race, and the number of runs made: all runs of the search, or those up to the race. `None`
/// if there are more than `limit`.
fn races(program: &Program, explorer: &mut dyn Explorer, hidden: bool, limit: u64) -> Option<(bool, u64)> {
    let mut machine = Machine::with_records(program, MAX_STEPS, hidden);
    let mut observer = Observer::new(PagedShadow::new());
    let (mut plan, mut runs) = (Plan::default(), 0);
    while explorer.next_plan(&mut plan) {
        if runs == limit {
            return None;
        }
        runs += 1;
        machine.run(&plan);
        let run = machine.record();
        observer.begin();
        for record in &run.trace().records {
            if let RecordKind::Access { range, write, .. } = record.kind {
                observer.take_in(&run.events()[..record.at as usize]);
                observer.plain(record.thread, range, write, SiteId(u64::from(record.at)));
            }
        }
        let mut findings = Vec::new();
        observer.end(run, &mut findings);
        if findings.iter().any(|finding| finding.kind == FindingKind::DataRace) {
            return Some((true, runs));
        }
        explorer.learn(&noted(run.trace()));
    }
    Some((false, runs))
}

/// The run with its pruning log as compact as the guest makes it.
fn noted(trace: &Trace) -> Trace {
    let (mut notes, mut short) = (RecordCompactor::new(), trace.clone());
    short.records.clear();
    trace.records.iter().for_each(|record| notes.add(&mut short.records, *record));
    notes.end(&mut short.records);
    short
}

/// The totals of a sample.
#[derive(Default, Debug)]
struct Totals {
    compared: u64,
    racy: u64,
    runs: u64,
    pruned: u64,
    fewer: u64,
}

type Search = fn(Facts) -> Pdp;

/// Compares the verdicts on one program; the error says how they differ.
fn compare(program: &Program, search: Search, totals: &mut Totals) -> Result<(), String> {
    const MOST: u64 = 2_000;
    let Some((racy, all)) = races(program, &mut Dpor::new(), false, MOST) else { return Ok(()) };
    if races(program, &mut Dfs::new(), false, 500).is_some_and(|(brute, _)| brute != racy) {
        return Err(format!("dpor finds a race: {racy}, brute force does not agree"));
    }
    totals.compared += 1;
    totals.racy += u64::from(racy);
    for hidden in [false, true] {
        let found = races(program, &mut search(facts(program)), hidden, MOST);
        let Some((found, runs)) = found else { return Err("gave up".into()) };
        if found != racy {
            return Err(format!("racy: {racy}, found (plain accesses hidden: {hidden}): {found} in {runs} runs"));
        }
        if !racy && !hidden {
            totals.runs += all;
            totals.pruned += runs;
            totals.fewer += u64::from(runs < all);
        }
    }
    Ok(())
}

/// A program of a seed. In some of them locks are chosen by a value.
fn program_of(seed: u64) -> Program {
    let mut random = Random(seed);
    let threads = 2 + random.below(3) as u8;
    let shape = Shape { threads, statements: 2 + random.below(8) as u8 };
    let mut program = generate(&mut random, shape);
    if random.once_in(3) {
        protect(&mut program, &mut random);
    }
    program
}

fn sample(seeds: std::ops::Range<u64>, program_of: fn(u64) -> Program, search: Search) -> (Totals, Vec<String>) {
    let (mut totals, mut failures) = (Totals::default(), Vec::new());
    for seed in seeds {
        let program = program_of(seed);
        if let Err(difference) = compare(&program, search, &mut totals) {
            failures.push(format!("seed {seed}: {difference}\n{:#?}", program.bodies));
        }
    }
    failures.sort_by_key(String::len);
    (totals, failures)
}

fn agrees(seeds: std::ops::Range<u64>, program_of: fn(u64) -> Program) {
    let all = seeds.end - seeds.start;
    let (totals, failures) = sample(seeds, program_of, Pdp::new);
    println!("{totals:?}");
    assert!(failures.is_empty(), "{} of {} differ: {}", failures.len(), totals.compared, failures[0]);
    assert!(totals.compared * 2 > all, "most programs are small enough to be compared: {totals:?}");
    assert!(totals.racy * 10 > all && (totals.compared - totals.racy) * 10 > all, "of both kinds: {totals:?}");
}

#[test]
fn a_fixed_sample_has_the_verdicts_of_brute_force() {
    agrees(0..360, program_of);
    agrees(0..360, guarded);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_programs_have_the_verdicts_of_brute_force() {
    agrees(5_000_000..5_020_000, program_of);
    agrees(6_000_000..6_020_000, guarded);
}

/// What the search keeps of one run for the next equals what it would compute anew.
#[test]
fn a_search_that_keeps_nothing_from_run_to_run_does_the_same() {
    for program_of in [program_of, guarded] {
        for seed in 0..300 {
            let program = program_of(seed);
            for hidden in [false, true] {
                let done = [Pdp::new(facts(&program)), Pdp::forgetful(facts(&program))].map(|mut search| {
                    let found = races(&program, &mut search, hidden, 300);
                    (found, search.checks())
                });
                let [one, other] = done;
                assert_eq!(one, other, "seed {seed}: {:#?}", program.bodies);
            }
        }
    }
}

/// Whether a search misjudges one of some programs.
fn is_misjudged(search: Search) -> bool {
    (0..1_000).step_by(50).any(|first| !sample(first..first + 50, guarded, search).1.is_empty())
}

/// The comparison can fail: it finds each seeded bug.
#[test]
fn a_search_that_takes_values_as_they_were_is_caught() {
    assert!(is_misjudged(Pdp::broken_about_values));
}

#[test]
fn a_search_that_forgets_what_came_before_a_state_is_caught() {
    assert!(is_misjudged(Pdp::broken_about_the_past));
}

#[test]
fn a_search_that_leaves_subspaces_out_without_effect_is_caught() {
    assert!(is_misjudged(Pdp::broken_about_the_rest));
}
