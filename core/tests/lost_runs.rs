//! Searches that lose runs: they go on, and visit no trace that brute force does not visit.

use crate::common::{MAX_STEPS, explore};
use inspect_core::event::{Ending, Plan};
use inspect_core::explore::{Bounded, CbPor, Ddpor, Dfs, Dpor, Explorer, Optimal, Source};
use inspect_core::model::{Machine, Program, Random, Shape, examples, fingerprint, generate};
use std::collections::BTreeSet;

/// Interleavings above which a program is too large for brute force.
const INTERLEAVINGS: u64 = 2_000;

/// The traces visited if each run but the first is lost with a chance of one in `odds`, and the number of lost runs.
fn with_losses(
    program: &Program,
    explorer: &mut dyn Explorer,
    random: &mut Random,
    odds: u64,
) -> (BTreeSet<String>, u64, u64) {
    let mut machine = Machine::new(program, MAX_STEPS);
    let mut plan = Plan::default();
    let (mut seen, mut runs, mut lost) = (BTreeSet::new(), 0, 0);
    while explorer.next_plan(&mut plan) {
        runs += 1;
        assert!(runs < 4 * INTERLEAVINGS, "the search does not end");
        if runs > 1 && random.below(odds) == 0 {
            lost += 1;
            explorer.lose();
            continue;
        }
        let trace = machine.run(&plan).clone();
        explorer.learn(&trace);
        match trace.ending {
            Ending::Blocked => {}
            Ending::Completed | Ending::Deadlocked | Ending::AssumeBlocked | Ending::Livelocked => {
                seen.insert(format!("{:?}", fingerprint(&trace)));
            }
            Ending::Revisited | Ending::Limit(_) | Ending::Diverged(_) => {
                panic!("run ended {:?} with {plan:?}", trace.ending)
            }
        }
    }
    (seen, runs, lost)
}

#[test]
fn searches_end_and_invent_nothing_when_runs_are_lost() {
    let (mut lost_in_all, mut kept) = (0, 0);
    for seed in 0..300 {
        let mut random = Random(seed);
        let shape = Shape { threads: 2 + random.below(2) as u8, statements: 2 + random.below(4) as u8 };
        let program = generate(&mut random, shape);
        let brute = explore(&program, &mut Dfs::new(), INTERLEAVINGS);
        if !brute.complete {
            continue;
        }
        let all: BTreeSet<String> = brute.traces.keys().map(|key| format!("{key:?}")).collect();
        let explorers: [Box<dyn Explorer>; 7] = [
            Box::new(Optimal::new()),
            Box::new(Source::new()),
            Box::new(Dpor::new()),
            Box::new(Dfs::new()),
            Box::new(Bounded::new(2)),
            Box::new(CbPor::new(2)),
            Box::new(CbPor::basic(2)),
        ];
        for mut explorer in explorers {
            let (seen, _, lost) = with_losses(&program, &mut *explorer, &mut random, 5);
            assert!(seen.is_subset(&all), "seed {seed}: a trace that brute force does not know");
            lost_in_all += lost;
            kept += seen.len();
        }
    }
    assert!(lost_in_all > 500 && kept > 500, "{lost_in_all} runs lost, {kept} traces seen");
}

/// The searches that conclude something from each pair of events ask at every event whether to give up: however long a
/// run is, they are over one event later.
#[test]
fn a_search_gives_up_a_run_at_the_next_event() {
    let searches: [fn() -> Box<dyn Explorer>; 3] =
        [|| Box::new(Ddpor::new()), || Box::new(Source::with_symmetry()), || Box::new(Dpor::with_symmetry())];
    let program = examples::lastzero(5);
    for make in searches {
        let (mut machine, mut plan) = (Machine::new(&program, MAX_STEPS), Plan::default());
        assert!(make().next_plan(&mut plan));
        let trace = machine.run(&plan).clone();
        for last in 0..=trace.events.len() {
            let (mut search, mut asked) = (make(), 0);
            search.next_plan(&mut plan);
            let learned = search.learn_unless(&trace, &mut || {
                asked += 1;
                asked > last
            });
            assert_eq!((learned, asked), (last == trace.events.len(), trace.events.len().min(last + 1)));
        }
    }
}
