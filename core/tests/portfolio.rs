//! Searches that take turns against depth-first search: what a turn that ends with an answer has reached, and that no
//! other turn gives one.

use crate::common::MAX_STEPS;
use crate::common::states::{End, end_of, explore, has_rwlocks, program_of};
use inspect_core::event::{Ending, Plan};
use inspect_core::explore::catalogue::SearchSetup;
use inspect_core::explore::{
    Algorithm, BacktrackSets, Counts, Dfs, Effort, Facts, Portfolio, PortfolioPart, SamplingOptions, Share, Shares,
    Turn, TurnEnd,
};
use inspect_core::model::{FinalState, Machine, Program};
use inspect_core::run::{Matching, States};
use std::collections::{BTreeMap, BTreeSet};

/// Interleavings above which a program is too large for depth-first search.
const MOST: u64 = 3_000;
/// Shares so short that most programs need several turns; for most searches, so many operations in the first round.
fn shares(round: u64) -> Shares {
    let share = |runs| Effort { runs, operations: 200 };
    Shares {
        start: Share {
            least: share(2),
            most: share(4),
            near: Effort { runs: 4, operations: u64::MAX },
            ..Share::of_operations(0)
        },
        round,
        states: Share::of_operations(round),
        bounded: round,
        exhaustive: Share::of_operations(5 * round),
        steps: 100,
        ..Shares::default()
    }
}

type Ends = BTreeSet<(End, FinalState)>;

/// What a turn has reached.
struct Made {
    turn: Turn,
    ends: Ends,
    counts: Counts,
    /// Nothing was left, and no bound has left anything out.
    whole: bool,
    end: TurnEnd,
}

fn make(program: &Program, turn: Turn) -> Made {
    let runs = matches!(turn.part, PortfolioPart::Sampled(_)).then_some(u64::MAX);
    let mut explorer = turn.algorithm.explorer(&mut SearchSetup {
        preemptions: turn.preemptions.map(|bound| (bound, bound)),
        symmetry: false,
        state_memory: 1 << 20,
        backtrack_sets: BacktrackSets::Aggressive,
        states: None,
        seed: 0,
        sampling: SamplingOptions { runs, first_run: turn.first_run, ..SamplingOptions::default() },
        facts: &mut Facts::default,
    });
    let matching = if turn.part == PortfolioPart::States { Matching::Cut } else { Matching::Never };
    let mut machine = Machine::with_states(program, MAX_STEPS, States::new(matching, usize::MAX));
    let (mut plan, mut ends, mut counts) = (Plan::default(), Ends::new(), Counts::default());
    let end = loop {
        if turn.share.is_used(&counts, || explorer.estimated_total()) {
            break TurnEnd::Share;
        }
        if !explorer.next_plan(&mut plan) {
            break TurnEnd::Over { cut: false };
        }
        let trace = machine.run(&plan).clone();
        explorer.learn(&trace);
        counts.transitions += trace.events.len() as u64;
        if matches!(trace.ending, Ending::Diverged(_)) {
            assert_eq!(turn.algorithm, Algorithm::Predict, "only a prediction may be wrong");
            continue;
        }
        if trace.ending == Ending::Blocked {
            counts.blocked += 1;
            continue;
        }
        counts.executions += 1;
        assert!(!matches!(trace.ending, Ending::Limit(_)), "programs without loops are short");
        ends.extend(end_of(&trace).map(|end| (end, machine.final_state())));
    };
    let whole = end != TurnEnd::Share && !explorer.bound_cut();
    Made { turn, ends, counts, whole, end }
}

/// All turns up to the first one with an answer. The program of an odd `seed` is one whose states cannot be compared.
fn take_turns(program: &Program, seed: u64, round: u64) -> Vec<Made> {
    let mut portfolio = Portfolio::new(shares(round), MAX_STEPS);
    let mut all = Vec::new();
    while let Some(turn) = portfolio.turn() {
        if turn.part == PortfolioPart::States && seed % 2 == 1 {
            portfolio.took(TurnEnd::Impossible, &Counts::default(), 0);
            continue;
        }
        let made = make(program, turn);
        let (end, counts, whole) = (made.end, made.counts, made.whole);
        all.push(made);
        if whole {
            break;
        }
        portfolio.took(end, &counts, program.bodies.len() as u32);
    }
    all
}

/// The programs that are small enough, each with what depth-first search reaches.
fn programs(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Program, Ends)> {
    let small = |seed: u64| {
        let program = program_of(seed);
        let all = explore(&program, &mut Dfs::new(), Matching::Never, MOST);
        (all.complete && !has_rwlocks(&program)).then_some((seed, program, all.ends))
    };
    seeds.filter_map(small)
}

#[test]
fn an_answer_is_that_of_depth_first_search_whichever_part_gives_it() {
    let mut answers: BTreeMap<String, u32> = BTreeMap::new();
    for (seed, program, all) in programs(0..360) {
        let turns = take_turns(&program, seed, 300);
        for made in &turns {
            assert!(made.ends.is_subset(&all), "program {seed}: {:?} invents an end", made.turn);
        }
        let last = turns.last().expect("there is a first turn");
        assert!(last.whole, "program {seed}: no turn ended with an answer");
        assert_eq!(last.ends, all, "program {seed}: {:?}", last.turn);
        *answers.entry(format!("{:?}", last.turn.part)).or_default() += 1;
    }
    println!("{answers:?}");
    for part in [PortfolioPart::Exhaustive, PortfolioPart::States, PortfolioPart::Bounded] {
        assert!(answers.contains_key(&format!("{part:?}")), "{part:?} never gave the answer: {answers:?}");
    }
    assert_eq!(answers.len(), 3, "a search that samples gives no answer: {answers:?}");
}

/// The comparison can fail: a turn that has used up its share, or has left something out for its bound, is often taken
/// for an answer wrongly.
#[test]
fn turns_without_an_answer_miss_ends() {
    let mut missed: BTreeMap<String, u32> = BTreeMap::new();
    for (seed, program, all) in programs(0..360) {
        for made in take_turns(&program, seed, 60).iter().filter(|made| !made.whole && made.ends != all) {
            *missed.entry(format!("{:?} {:?}", made.turn.part, made.end)).or_default() += 1;
        }
    }
    println!("{missed:?}");
    for what in ["Exhaustive Share", "States Share", "Bounded Share", "Bounded Over { cut: false }"] {
        assert!(missed.get(what).is_some_and(|&times| times > 0), "{what}: {missed:?}");
    }
}

#[test]
fn the_same_program_has_the_same_turns() {
    for (seed, program, _) in programs(0..50) {
        let turns = || take_turns(&program, seed, 60).iter().map(|made| (made.turn, made.counts)).collect::<Vec<_>>();
        assert_eq!(turns(), turns(), "program {seed}");
    }
}
