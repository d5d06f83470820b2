//! Runs searches that record states, and collects what they reached.

use super::{MAX_STEPS, Misuses, misuses};
use inspect_core::event::{EndKind, Ending, Plan, Side, ThreadId, Trace};
use inspect_core::explore::Explorer;
use inspect_core::model::{
    Expression, FinalState, LocalState, Machine, Operand, Program, Random, Shape, Statement, Test, generate,
};
use inspect_core::run::{Matching, StateKey, States};
use std::collections::BTreeSet;

/// How a run ended, in an order in which ends can be sorted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum End {
    Completed,
    Process(EndKind),
    Deadlocked,
    Livelocked,
    AssumeBlocked,
}

/// What a search reached.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct Reached {
    pub(crate) ends: BTreeSet<(End, FinalState)>,
    pub(crate) locals: BTreeSet<LocalState>,
    pub(crate) misuses: Misuses,
    pub(crate) transitions: BTreeSet<(StateKey, ThreadId, u32)>,
    pub(crate) runs: u64,
    /// Whether the search came to its end.
    pub(crate) complete: bool,
    /// Whether from some state no execution ends.
    pub(crate) endless: bool,
}

/// Whether the program has read-write locks, which a search that compares states does not cover completely.
pub(crate) fn has_rwlocks(program: &Program) -> bool {
    let is_lock = |statement: &Statement| matches!(statement, Statement::RwlockLock(..) | Statement::RwlockTryLock(..));
    program.bodies.iter().flatten().any(is_lock)
}

/// Explores `program` with at most `limit` runs, as far as they come to an end.
pub(crate) fn explore(program: &Program, explorer: &mut dyn Explorer, matching: Matching, limit: u64) -> Reached {
    explore_with(program, explorer, States::new(matching, usize::MAX), limit)
}

pub(crate) fn explore_with(program: &Program, explorer: &mut dyn Explorer, states: States, limit: u64) -> Reached {
    explore_in(&mut Machine::with_states(program, MAX_STEPS, states), explorer, limit)
}

pub(crate) fn explore_in(machine: &mut Machine<'_>, explorer: &mut dyn Explorer, limit: u64) -> Reached {
    let mut plan = Plan::default();
    let mut reached = Reached::default();
    while explorer.next_plan(&mut plan) {
        if reached.runs == limit {
            return reached;
        }
        reached.runs += 1;
        let trace = machine.run(&plan).clone();
        explorer.learn(&trace);
        reached.misuses.extend(misuses(machine.record()));
        let states = machine.record().states().expect("the machine records states");
        for (event, &state) in trace.events.iter().zip(&trace.states) {
            if let Some(key) = states.key(state) {
                reached.transitions.insert((key, event.thread, event.choice));
            }
        }
        match end_of(&trace) {
            Some(end) => reached.ends.insert((end, machine.final_state())),
            None if trace.ending == Ending::Revisited => continue,
            None => return reached,
        };
    }
    reached.locals.clone_from(machine.local_states());
    reached.complete = true;
    reached.endless = explorer.is_endless();
    reached
}

/// How a run ended; None if it was cut.
pub(crate) fn end_of(trace: &Trace) -> Option<End> {
    match trace.ending {
        Ending::Completed => Some(trace.process_end().map_or(End::Completed, |(_, kind)| End::Process(kind))),
        Ending::Deadlocked => Some(End::Deadlocked),
        Ending::Livelocked => Some(End::Livelocked),
        Ending::AssumeBlocked => Some(End::AssumeBlocked),
        // Infinitely many states: a recursive mutex that is locked in every round.
        Ending::Revisited | Ending::Limit(_) => None,
        Ending::Blocked | Ending::Diverged(_) => panic!("{:?}", trace.ending),
    }
}

pub(crate) fn same(name: &str, wanted: &Reached, found: &Reached) -> Result<(), String> {
    if !found.complete {
        return Err(format!("{name} gave up after {} runs", found.runs));
    }
    if wanted.ends != found.ends {
        let missed = wanted.ends.difference(&found.ends).count();
        return Err(format!("{name} misses {missed} of {} ends", wanted.ends.len()));
    }
    if wanted.misuses != found.misuses {
        let missed: Vec<_> = wanted.misuses.difference(&found.misuses).collect();
        return Err(format!("{name} misses misuses: {missed:?}"));
    }
    if wanted.locals != found.locals {
        let missed = wanted.locals.difference(&found.locals).count();
        return Err(format!("{name} misses {missed} of {} local states", wanted.locals.len()));
    }
    Ok(())
}

pub(crate) fn program_of(seed: u64) -> Program {
    let mut random = Random(seed);
    let threads = 2 + random.below(3) as u8;
    let shape = Shape { threads, statements: 2 + random.below(5) as u8 };
    generate(&mut random, shape)
}

/// Lets some bodies begin again at their end. Main does not, as a thread is created once; what counts up is taken
/// modulo a small number, so that there are finitely many states.
pub(crate) fn with_loops(mut program: Program, random: &mut Random) -> Program {
    for body in program.bodies.iter_mut().skip(1) {
        let creates = body.iter().any(|statement| matches!(statement, Statement::Create(_)));
        let visible = |statement: &Statement| {
            !matches!(statement, Statement::Set(..) | Statement::JumpUnless(..) | Statement::Jump(_))
        };
        if creates || !body.iter().any(visible) || random.once_in(3) {
            continue;
        }
        for statement in body.iter_mut() {
            match statement {
                Statement::Write(_, value)
                | Statement::Store(_, value)
                | Statement::CompareExchange(_, _, value, _) => {
                    if let Expression::Register(register, plus) = *value {
                        *value = Expression::Modulo(register, plus, 3);
                    }
                }
                Statement::FetchAdd(place, ..) => *statement = Statement::Store(*place, Expression::Constant(1)),
                Statement::SemaphorePost(place) => *statement = Statement::SemaphoreCount(*place, 2),
                // A writer that does not unlock waits for itself; a reader could lock again and again.
                Statement::RwlockLock(_, side) | Statement::RwlockTryLock(_, side, _) => *side = Side::Writer,
                _ => {}
            }
        }
        // A visible statement in every round, so that no run goes on for ever between two of them.
        body.push(Statement::Load(Operand::at(0), 3));
        body.push(if random.once_in(2) {
            Statement::Jump(0)
        } else {
            Statement::JumpUnless(Test { register: 3, equals: 1 }, 0)
        });
    }
    program
}

pub(crate) fn sample(seeds: std::ops::Range<u64>, mut compared: impl FnMut(u64) -> Result<bool, String>) {
    let (mut checked, all) = (0, seeds.end - seeds.start);
    let mut failures = Vec::new();
    for seed in seeds {
        match compared(seed) {
            Ok(small) => checked += u64::from(small),
            Err(difference) => failures.push(format!("seed {seed}: {difference}")),
        }
    }
    println!("{checked} of {all} programs compared");
    assert!(failures.is_empty(), "{} of {checked} differ: {:#?}", failures.len(), &failures[..failures.len().min(10)]);
    assert!(checked * 2 > all, "most programs are small enough to be compared: {checked} of {all}");
}

pub(crate) fn cyclic(seed: u64) -> Program {
    with_loops(program_of(seed), &mut Random(seed ^ 0x5EED))
}
