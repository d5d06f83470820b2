//! Local states compared by identities that deltas link (`--local-states delta`), against depth-first search and the
//! stateful search with exact local states: ends, local states, transitions, and in each state whether equal identities
//! mean equal registers (theorem 4.1 of the dissertation).

use crate::common::MAX_STEPS;
use crate::common::states::{Reached, cyclic, explore, explore_in, has_rwlocks, program_of, same, sample};
use inspect_core::explore::{Dfs, Explorer, Stateful};
use inspect_core::model::{Expression, Identities, Machine, Program, Random, Statement, Transition};
use inspect_core::run::{Linking, Matching, States};
use std::collections::BTreeSet;

/// A search by identities: what it reached, the transitions it took, and how often equal identities stood for different
/// registers.
struct Found {
    reached: Reached,
    transitions: BTreeSet<Transition>,
    mistakes: u64,
}

/// Explores a program with identities. Of `how.blind` statements, one has an unknown delta; none has one if it is 0.
fn by_identities(program: &Program, explorer: &mut dyn Explorer, states: States, how: How, limit: u64) -> Found {
    let identities = Identities::new(program, how.linking, how.blind, &mut Random(how.seed));
    let mut machine = Machine::with_identities(program, MAX_STEPS, states, identities);
    let reached = explore_in(&mut machine, explorer, limit);
    let mistakes = machine.identities().map_or(0, Identities::mistakes);
    Found { reached, transitions: machine.transitions().clone(), mistakes }
}

/// How identities are computed.
#[derive(Clone, Copy)]
struct How {
    linking: Linking,
    blind: u64,
    seed: u64,
}

fn cut() -> States {
    States::new(Matching::Cut, usize::MAX)
}

/// For a third of the programs no delta is unknown; for the others those of half or of a fifth of all statements are.
fn how(seed: u64, linking: Linking) -> How {
    How { linking, blind: [0, 2, 5][(seed % 3) as usize], seed }
}

fn faithful(name: &str, found: &Found) -> Result<(), String> {
    if found.mistakes > 0 {
        return Err(format!("{name}: {} times the same identities for different local states", found.mistakes));
    }
    Ok(())
}

/// Whether the program was small enough, or how the searches differ.
fn compare(seed: u64, linking: Linking) -> Result<bool, String> {
    const MOST: u64 = 3_000;
    let (program, how) = (program_of(seed), how(seed, linking));
    let dfs = explore(&program, &mut Dfs::new(), Matching::Never, MOST);
    if !dfs.complete || has_rwlocks(&program) {
        return Ok(false);
    }
    let exhaustive = by_identities(&program, &mut Stateful::exhaustive(), cut(), how, MOST);
    same("exhaustive search by identities", &dfs, &exhaustive.reached)?;
    let never = States::new(Matching::Never, usize::MAX);
    let stateless = by_identities(&program, &mut Stateful::new(), never, how, MOST);
    same("stateless search", &dfs, &stateless.reached)?;
    let stateful = by_identities(&program, &mut Stateful::new(), cut(), how, MOST);
    same("stateful search by identities", &dfs, &stateful.reached)?;
    let missed = stateless.transitions.difference(&stateful.transitions).count();
    if missed > 0 {
        return Err(format!("{missed} of {} transitions missed", stateless.transitions.len()));
    }
    let sparse = by_identities(&program, &mut Stateful::new(), States::within(1 << 20), how, MOST);
    same("stateful search by identities that compares some states only", &dfs, &sparse.reached)?;
    [("exhaustive", &exhaustive), ("stateful", &stateful), ("sparse", &sparse)]
        .into_iter()
        .try_for_each(|(name, found)| faithful(name, found))?;
    Ok(true)
}

/// A program with loops in which each round ends with assignments to all that is used, so that identities come back.
fn with_known_rounds(seed: u64) -> Program {
    let mut program = cyclic(seed);
    for body in program.bodies.iter_mut().skip(1) {
        if let [.., Statement::Load(_, 3), Statement::Jump(0) | Statement::JumpUnless(_, 0)] = body[..] {
            let constants = [0, 1].map(|register| Statement::Set(register, Expression::Constant(seed % 2)));
            body.splice(body.len() - 1..body.len() - 1, constants);
        }
    }
    program
}

/// The same for a program with loops, against the search of all its states.
fn compare_cyclic(seed: u64, linking: Linking) -> Result<bool, String> {
    const MOST: u64 = 20_000;
    let (program, how) = (with_known_rounds(seed), how(seed, linking));
    let all = explore(&program, &mut Stateful::exhaustive(), Matching::Cut, MOST);
    if !all.complete || has_rwlocks(&program) {
        return Ok(false);
    }
    let found = by_identities(&program, &mut Stateful::new(), cut(), how, MOST);
    // An identity depends on past contents while something lives on, so there may be infinitely many identities.
    if !found.reached.complete {
        return Ok(false);
    }
    same("stateful search by identities", &all, &found.reached)?;
    faithful("stateful", &found)?;
    Ok(true)
}

#[test]
fn a_fixed_sample_agrees_with_depth_first_search() {
    sample(0..360, |seed| compare(seed, Linking::Sound));
}

#[test]
fn a_fixed_sample_with_loops_agrees_with_the_exhaustive_search() {
    sample(0..300, |seed| compare_cyclic(seed, Linking::Sound));
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_programs_agree_with_depth_first_search() {
    sample(5_000_000..5_030_000, |seed| compare(seed, Linking::Sound));
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_programs_with_loops_agree_with_the_exhaustive_search() {
    sample(6_000_000..6_010_000, |seed| compare_cyclic(seed, Linking::Sound));
}

/// Programs that show that a wrong way to link identities is wrong: by what searches reach alone, and with loops.
fn caught(linking: Linking) -> (Option<u64>, Option<u64>) {
    let misses = |seed: &u64| {
        let program = program_of(*seed);
        let dfs = explore(&program, &mut Dfs::new(), Matching::Never, 1_000);
        let found = by_identities(&program, &mut Stateful::new(), cut(), how(*seed, linking), 1_000);
        dfs.complete && same("broken", &dfs, &found.reached).is_err()
    };
    let missed = (0..360).find(misses);
    (missed, (0..200).find(|&seed| compare_cyclic(seed, linking).is_err()))
}

#[test]
fn changes_that_are_not_linked_are_caught() {
    let (missed, cyclic) = caught(Linking::BrokenStart);
    assert!(missed.is_some() && cyclic.is_some(), "{missed:?}, {cyclic:?}");
}

#[test]
fn unknown_changes_that_count_as_none_are_caught() {
    let (missed, cyclic) = caught(Linking::BrokenUnknown);
    assert!(missed.is_some() && cyclic.is_some(), "{missed:?}, {cyclic:?}");
}

#[test]
fn unknown_changes_that_are_the_same_everywhere_are_caught() {
    let (missed, cyclic) = caught(Linking::BrokenPlace);
    assert!(missed.is_some() && cyclic.is_some(), "{missed:?}, {cyclic:?}");
}

/// Identities distinguish more states than registers do, and yet there can be fewer runs: where a run ends in a known
/// state, the operations executed below the state count as coming next. They may seem to race with operations before
/// the state although another operation would come in between, which a run that goes on shows. There are programs in
/// which the exact search ends a run after a wait that expires, and tries a signal that was executed below before the
/// wait; with identities that run goes on.
#[test]
fn finer_states_may_take_fewer_runs() {
    let shows = |seed: u64| {
        let program = program_of(seed);
        let exact = explore(&program, &mut Stateful::new(), Matching::Cut, 1_000);
        let found = by_identities(&program, &mut Stateful::new(), cut(), how(seed, Linking::Sound), 1_000);
        let fewer = exact.complete && found.reached.complete && found.reached.runs < exact.runs;
        if fewer {
            assert_eq!(same("identities", &exact, &found.reached), Ok(()));
            assert_eq!(found.mistakes, 0, "each identity stands for the same registers");
        }
        fewer
    };
    assert!((0..20_000).any(shows));
}
