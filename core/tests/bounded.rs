//! The preemption-bounded search against brute force over all interleavings, counting preemptions in each.

use crate::common::{MAX_STEPS, explore};
use inspect_core::event::{Event, Plan};
use inspect_core::explore::{Bounded, Dfs, Explorer};
use inspect_core::model::{Fingerprint, Machine, Program, Random, Shape, examples, fingerprint, generate};
use std::collections::{BTreeMap, BTreeSet};

fn preemptions(events: &[Event]) -> u32 {
    let preempts = |pair: &&[Event]| {
        let [before, after] = pair else { unreachable!("windows of two") };
        let rests = before.operation.gives_way();
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

#[test]
fn a_bound_covers_the_traces_with_a_linearisation_within_it() {
    let mut checked = 0;
    for seed in 0..600 {
        let mut random = Random(seed);
        let shape = Shape { threads: 2 + random.below(3) as u8, statements: 2 + random.below(4) as u8 };
        let program = generate(&mut random, shape);
        let Some(all) = fewest(&program, 1_500) else { continue };
        checked += 1;
        for bound in 0..4 {
            let mut bounded = Bounded::new(bound);
            let seen = explore(&program, &mut bounded, 10_000);
            assert!(seen.complete);
            let within: BTreeSet<_> = all.iter().filter(|(_, least)| **least <= bound).map(|(key, _)| *key).collect();
            let found: BTreeSet<_> = seen.traces.keys().copied().collect();
            assert_eq!(found, within, "seed {seed}, bound {bound}: {program:?}");
            assert!(bounded.bound_cut() || found.len() == all.len(), "seed {seed}: nothing was cut, so all is covered");
        }
    }
    assert!(checked > 300);
}

/// Six orders of three critical sections; without preemption, the thread that begins first also locks first.
#[test]
fn lockers_need_no_preemption() {
    let mut bounded = Bounded::new(0);
    let seen = explore(&examples::lockers(3, 1), &mut bounded, 10_000);
    assert_eq!(seen.traces.len(), 6);
}
