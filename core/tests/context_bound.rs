//! The context-bounded searches against brute force: exactly the partial orders within the bound, each once.

mod common;

use common::{MAX_STEPS, Seen, explore};
use inspect_core::event::{Event, Operation, Plan};
use inspect_core::explore::{Bounded, CbPor, Dfs, Explorer};
use inspect_core::model::{Fingerprint, Machine, Program, Random, Shape, fingerprint, generate};
use std::collections::{BTreeMap, BTreeSet};

fn preemptions(events: &[Event]) -> u32 {
    let preempts = |pair: &&[Event]| {
        let [before, after] = pair else { unreachable!("windows of two") };
        let rests = matches!(before.operation, Operation::WaitRelease { .. } | Operation::Yield);
        before.thread != after.thread && after.enabled.contains(before.thread) && !rests
    };
    events.windows(2).filter(preempts).count() as u32
}

/// Every trace with the fewest preemptions of its linearisations; `None` if there are too many interleavings.
fn fewest(program: &Program, limit: u32) -> Option<BTreeMap<Fingerprint, u32>> {
    let mut machine = Machine::new(program, MAX_STEPS);
    let (mut dfs, mut plan, mut all, mut runs) = (Dfs::new(), Plan::default(), BTreeMap::new(), 0);
    while dfs.next_plan(&mut plan) {
        runs += 1;
        if runs > limit {
            return None;
        }
        let trace = machine.run(&plan);
        dfs.learn(trace);
        let spent = preemptions(&trace.events);
        all.entry(fingerprint(trace)).and_modify(|least: &mut u32| *least = spent.min(*least)).or_insert(spent);
    }
    Some(all)
}

fn small(seed: u64) -> Program {
    let mut random = Random(seed);
    let shape = Shape { threads: 2 + random.below(3) as u8, statements: 2 + random.below(5) as u8 };
    generate(&mut random, shape)
}

/// How a search differs from what is within the bound.
fn differs(all: &BTreeMap<Fingerprint, u32>, bound: u32, seen: &Seen, once: bool) -> Option<String> {
    let within: BTreeSet<_> = all.iter().filter(|(_, least)| **least <= bound).map(|(key, _)| *key).collect();
    let found: BTreeSet<_> = seen.traces.keys().copied().collect();
    let (missed, more) = (within.difference(&found).count(), found.difference(&within).count());
    let again = seen.traces.values().map(|(times, _)| times - 1).sum::<u64>();
    let wrong = !seen.complete || missed + more > 0 || (once && again + seen.blocked > 0);
    wrong.then(|| format!("of {} traces {missed} missed, {more} beyond the bound, {again} again", within.len()))
}

fn compare(program: &Program, all: &BTreeMap<Fingerprint, u32>, bound: u32) -> Result<(), String> {
    let mut por = CbPor::new(bound);
    let seen = explore(program, &mut por, 20_000);
    if let Some(difference) = differs(all, bound, &seen, true) {
        return Err(format!("cb-por: {difference}"));
    }
    Ok(())
}

#[test]
fn a_bound_covers_each_partial_order_within_it_once() {
    let (mut checked, mut failures) = (0, Vec::new());
    let count = std::env::var("CB_COUNT").map_or(1000, |c| c.parse().unwrap());
    for seed in 0..count {
        let program = small(seed);
        let Some(all) = fewest(&program, 2_000) else { continue };
        checked += 1;
        for bound in 0..4 {
            let result = std::panic::catch_unwind(|| compare(&program, &all, bound));
            match result {
                Ok(Ok(())) => {}
                Ok(Err(difference)) => failures.push((seed, bound, program.clone(), difference)),
                Err(_) => failures.push((seed, bound, program.clone(), "panic".into())),
            }
        }
    }
    failures.sort_by_key(|(_, _, program, _)| program.bodies.iter().map(Vec::len).sum::<usize>());
    for (seed, bound, program, difference) in failures.iter().take(3) {
        println!("seed {seed} bound {bound}: {difference}");
        for (number, body) in program.bodies.iter().enumerate() {
            println!("  {number}: {body:?}");
        }
    }
    assert!(failures.is_empty(), "{} of {checked} programs differ", failures.len());
    println!("{checked} programs compared");
    assert!(checked > 300);
}
