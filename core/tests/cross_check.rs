//! Every algorithm against brute force over all interleavings, on generated programs.

use crate::common::{check, compare_with_source, differs};
use inspect_core::explore::{Dpor, Flip, Optimal, Source};
use inspect_core::model::{
    Program, Random, Shape, generate, with_bitsets, with_owned_locks, with_pipes, with_requeues, with_waits_for_two,
    with_writers_first,
};
use std::ops::Range;

/// Interleavings above which a program is too large for brute force.
const INTERLEAVINGS: u64 = 3_000;
/// Traces above which a program is too large for source sets.
const TRACES: u64 = 2_000;

/// How one program compares: its number of traces, `None` if it is too large, or the difference.
type Comparison = fn(&Program) -> Result<Option<usize>, String>;

fn with_brute_force(program: &Program) -> Result<Option<usize>, String> {
    check(program, INTERLEAVINGS)
}

fn with_source_sets(program: &Program) -> Result<Option<usize>, String> {
    compare_with_source(program, TRACES)
}

/// The program of a seed, with up to `statements` statements a thread.
fn program(seed: u64, statements: u64) -> Program {
    let mut random = Random(seed);
    let threads = 2 + random.below(3) as u8;
    let shape = Shape { threads, statements: 2 + random.below(statements - 1) as u8 };
    generate(&mut random, shape)
}

/// Compares the programs of these seeds, with up to `statements` statements.
fn sample(seeds: Range<u64>, statements: u64, compare: Comparison) {
    compare_all(seeds.map(|seed| (seed, program(seed, statements))).collect(), compare);
}

/// Compares programs, each with its seed.
fn compare_all(programs: Vec<(u64, Program)>, compare: Comparison) {
    let (mut checked, mut failures) = (0, Vec::new());
    let only = std::env::var("INSPECT_CROSS_CHECK_ONLY").ok();
    let count = programs.len() as u64;
    for (seed, program) in programs {
        if only.as_ref().is_some_and(|only| !format!("{program:?}").contains(only)) {
            continue;
        }
        match std::panic::catch_unwind(|| compare(&program)) {
            Ok(Ok(compared)) => checked += u64::from(compared.is_some()),
            Ok(Err(difference)) => failures.push((seed, program, difference)),
            Err(_) => failures.push((seed, program, "panic".into())),
        }
    }
    println!("{checked} of {count} programs compared");
    failures.sort_by_key(|(_, program, _)| program.bodies.iter().map(Vec::len).sum::<usize>());
    for (seed, program, difference) in failures.iter().take(3) {
        println!("seed {seed}: {difference}");
        for (number, body) in program.bodies.iter().enumerate() {
            println!("  {number}: {body:?}");
        }
    }
    assert!(failures.is_empty(), "{} of {checked} programs differ", failures.len());
    assert!(only.is_some() || checked * 2 > count, "most programs are small enough to be compared");
}

#[test]
fn a_fixed_sample_agrees_with_brute_force() {
    sample(0..600, 6, with_brute_force);
}

/// Those of the programs that wait for futexes, with bitsets.
fn sample_with_bitsets(seeds: Range<u64>) {
    let with_bits = |seed| Some((seed, with_bitsets(program(seed, 6), &mut Random(!seed))?));
    compare_all(seeds.filter_map(with_bits).collect(), with_brute_force);
}

/// Those of the programs that have read-write locks, which prefer waiting writers.
fn sample_with_writers_first(seeds: Range<u64>) {
    let with_writers = |seed| Some((seed, with_writers_first(&program(seed, 6))?));
    compare_all(seeds.filter_map(with_writers).collect(), with_brute_force);
}

#[test]
fn a_fixed_sample_whose_locks_prefer_writers_agrees_with_brute_force() {
    sample_with_writers_first(0..1_000);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn a_large_sample_whose_locks_prefer_writers_agrees_with_brute_force() {
    sample_with_writers_first(50_000..80_000);
}

#[test]
fn a_fixed_sample_with_bitsets_agrees_with_brute_force() {
    sample_with_bitsets(0..1_000);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn a_large_sample_with_bitsets_agrees_with_brute_force() {
    sample_with_bitsets(50_000..80_000);
}

/// Those of the programs that have semaphores, with pipes in place of these.
fn sample_with_pipes(seeds: Range<u64>) {
    let with_pipes = |seed| Some((seed, with_pipes(program(seed, 6), &mut Random(!seed))?));
    compare_all(seeds.filter_map(with_pipes).collect(), with_brute_force);
}

#[test]
fn a_fixed_sample_with_pipes_agrees_with_brute_force() {
    sample_with_pipes(0..3_000);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn a_large_sample_with_pipes_agrees_with_brute_force() {
    sample_with_pipes(50_000..200_000);
}

/// Those of the programs that wait for futexes, with requeues; every second one with bitsets as well.
fn sample_with_requeues(seeds: Range<u64>) {
    let with_requeues = |seed| {
        let program = with_requeues(program(seed, 6), &mut Random(!seed))?;
        let with_bits = if seed % 2 == 0 { with_bitsets(program.clone(), &mut Random(!seed)) } else { None };
        Some((seed, with_bits.unwrap_or(program)))
    };
    compare_all(seeds.filter_map(with_requeues).collect(), with_brute_force);
}

/// Those of the programs that wait for futexes, with waits for two words.
fn sample_with_waits_for_two(seeds: Range<u64>) {
    let with_waits = |seed| Some((seed, with_waits_for_two(&program(seed, 6), &mut Random(!seed))?));
    compare_all(seeds.filter_map(with_waits).collect(), with_brute_force);
}

#[test]
fn a_fixed_sample_with_waits_for_two_words_agrees_with_brute_force() {
    sample_with_waits_for_two(0..750);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn a_large_sample_with_waits_for_two_words_agrees_with_brute_force() {
    sample_with_waits_for_two(50_000..60_000);
}

/// Those of the programs that lock mutexes, with locks with priority inheritance.
fn sample_with_owned_locks(seeds: Range<u64>) {
    let with_locks = |seed| Some((seed, with_owned_locks(&program(seed, 6), &mut Random(!seed))?));
    compare_all(seeds.filter_map(with_locks).collect(), with_brute_force);
}

#[test]
fn a_fixed_sample_with_owned_locks_agrees_with_brute_force() {
    sample_with_owned_locks(0..450);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn a_large_sample_with_owned_locks_agrees_with_brute_force() {
    sample_with_owned_locks(50_000..80_000);
}

#[test]
fn a_fixed_sample_with_requeues_agrees_with_brute_force() {
    sample_with_requeues(0..1_500);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn a_large_sample_with_requeues_agrees_with_brute_force() {
    sample_with_requeues(50_000..80_000);
}

/// The comparison can fail: it finds each seeded bug.
#[test]
fn broken_searches_are_noticed() {
    type Wrong = fn(&Program) -> bool;
    let broken: [(&str, Wrong); 4] = [
        ("optimal: each race in every run that shows it", |p| differs(p, Optimal::broken(), true, INTERLEAVINGS)),
        ("source: nothing wakes a sleeping thread", |p| differs(p, Source::broken(), false, INTERLEAVINGS)),
        ("dpor: nothing wakes a sleeping thread", |p| differs(p, Dpor::broken(), false, INTERLEAVINGS)),
        ("flip: no second thread is postponed", |p| differs(p, Flip::broken(), false, INTERLEAVINGS)),
    ];
    for (what, wrong) in broken {
        let noticed = (0..300).find(|&seed| wrong(&program(seed, 6)));
        println!("{what}: program {noticed:?} differs");
        assert!(noticed.is_some(), "not noticed: {what}");
    }
}

#[test]
fn on_larger_programs_the_optimal_search_agrees_with_source_sets() {
    sample(0..180, 16, with_source_sets);
}

/// The sample given in the environment variable `INSPECT_CROSS_CHECK` (first seed, number of seeds), or this one.
/// `INSPECT_CROSS_CHECK_ONLY` restricts it to programs with a statement of this name.
fn given(first: u64, count: u64) -> Range<u64> {
    let Ok(given) = std::env::var("INSPECT_CROSS_CHECK") else { return first..first + count };
    let mut numbers = given.split(' ').map(|n| n.parse().expect("two numbers"));
    let first = numbers.next().expect("first seed");
    first..first + numbers.next().expect("number of seeds")
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_programs_agree_with_brute_force() {
    sample(given(1_000_000, 30_000), 6, with_brute_force);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_larger_programs_agree_with_source_sets() {
    sample(given(2_000_000, 10_000), 16, with_source_sets);
}
