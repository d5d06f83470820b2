//! Every algorithm against brute force over all interleavings, on generated programs.

mod common;

use common::{Seen, explore};
use inspect_core::explore::{Dfs, Dpor, Explorer, Optimal, Source};
use inspect_core::model::{Program, Random, Shape, generate};

/// Interleavings above which a program is too large for brute force.
const INTERLEAVINGS: u64 = 3_000;

/// How a search differs from brute force, if it does.
fn difference(brute: &Seen, seen: &Seen, once: bool) -> Option<String> {
    if !seen.complete {
        return Some(format!("gave up after {} runs; {} traces in all", seen.runs, brute.traces.len()));
    }
    let missed = brute.traces.keys().filter(|key| !seen.traces.contains_key(key)).count();
    let invented = seen.traces.keys().filter(|key| !brute.traces.contains_key(key)).count();
    let again: u64 = seen.traces.values().map(|(times, _)| times - 1).sum();
    let states = seen.traces.iter().all(|(key, (_, state))| brute.traces.get(key).is_none_or(|b| b.1 == *state));
    if missed + invented > 0 || !states || (once && (again > 0 || seen.blocked > 0)) {
        let all = brute.traces.len();
        return Some(format!(
            "of {all} traces {missed} missed, {invented} invented, {again} again, {} blocked, states {states}",
            seen.blocked
        ));
    }
    None
}

fn algorithms() -> Vec<(&'static str, Box<dyn Explorer>, bool)> {
    vec![
        ("optimal", Box::new(Optimal::new()), true),
        ("source", Box::new(Source::new()), false),
        ("dpor", Box::new(Dpor::new()), false),
    ]
}

fn check(program: &Program) -> Result<bool, String> {
    let brute = explore(program, &mut Dfs::new(), INTERLEAVINGS);
    if !brute.complete {
        return Ok(false);
    }
    for (name, mut explorer, once) in algorithms() {
        let seen = explore(program, &mut *explorer, 2 * INTERLEAVINGS);
        if let Some(difference) = difference(&brute, &seen, once) {
            return Err(format!("{name}: {difference}"));
        }
    }
    Ok(true)
}

fn sample(seeds: std::ops::Range<u64>) {
    let (mut checked, mut failures) = (0, Vec::new());
    for seed in seeds.clone() {
        let mut random = Random(seed);
        let threads = 2 + random.below(3) as u8;
        let shape = Shape { threads, statements: 2 + random.below(5) as u8 };
        let program = generate(&mut random, shape);
        match std::panic::catch_unwind(|| check(&program)) {
            Ok(Ok(compared)) => checked += u64::from(compared),
            Ok(Err(difference)) => failures.push((seed, program, difference)),
            Err(_) => failures.push((seed, program, "panic".into())),
        }
    }
    println!("{checked} of {} programs compared", seeds.end - seeds.start);
    if !failures.is_empty() {
        failures.sort_by_key(|(_, program, _)| program.bodies.iter().map(Vec::len).sum::<usize>());
        for (seed, program, difference) in failures.iter().take(3) {
            println!("seed {seed}: {difference}");
            for (number, body) in program.bodies.iter().enumerate() {
                println!("  {number}: {body:?}");
            }
        }
        panic!("{} of {checked} programs differ", failures.len());
    }
    assert!(checked * 2 > seeds.end - seeds.start, "most programs are small enough to be compared");
}

#[test]
fn a_fixed_sample_agrees_with_brute_force() {
    sample(0..1_000);
}

/// The whole cross-check: `cargo test --release -p inspect-core --test cross_check -- --ignored`. The environment
/// variable `INSPECT_CROSS_CHECK` (first seed, number of seeds) changes the sample.
#[test]
#[ignore = "long: make test-long runs it"]
fn many_programs_agree_with_brute_force() {
    let given = std::env::var("INSPECT_CROSS_CHECK").unwrap_or("1000000 30000".into());
    let mut numbers = given.split(' ').map(|n| n.parse().expect("two numbers"));
    let (first, count) = (numbers.next().expect("first seed"), numbers.next().expect("number of seeds"));
    sample(first..first + count);
}
