//! Runs explorers over model programs and collects the traces that they visited.
#![allow(dead_code, reason = "each test file uses a part of this")]

pub(crate) mod states;

use inspect_core::event::{Ending, FindingKind, Plan, SiteId, ThreadId};
use inspect_core::explore::{Ddpor, Dfs, Dpor, Explorer, Flip, Optimal, Source};
use inspect_core::model::{FinalState, Fingerprint, Machine, Operand, Part, Program, Random, Statement, fingerprint};
use inspect_core::run::Run;
use std::collections::{BTreeMap, BTreeSet};

/// Longest run of a model program.
pub(crate) const MAX_STEPS: u32 = 400;

/// What a run has shown to be misused, each with the places of those who misuse it, in whatever order.
pub(crate) type Misuses = BTreeSet<(FindingKind, BTreeSet<(ThreadId, SiteId)>)>;

/// The misuses that a run has noticed.
pub(crate) fn misuses(run: &Run) -> Misuses {
    let places = |misuse: &inspect_core::run::Misuse| {
        let other = misuse.other.iter().map(|other| (other.thread, other.site));
        other.chain([(misuse.thread, misuse.site)]).collect()
    };
    run.misuses().iter().map(|misuse| (misuse.kind, places(misuse))).collect()
}

/// The traces that a search visited, and its counts.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// How often each maximal trace was visited, with the state it ends in.
    pub(crate) traces: BTreeMap<Fingerprint, (u64, FinalState)>,
    /// What all runs misuse.
    pub(crate) misuses: Misuses,
    /// Runs made.
    pub(crate) runs: u64,
    /// Runs cut because every enabled thread was asleep.
    pub(crate) blocked: u64,
    /// Whether the search came to its end within the limit of runs.
    pub(crate) complete: bool,
    /// Events executed.
    pub(crate) transitions: u64,
}

/// Explores `program` with at most `limit` runs.
pub(crate) fn explore(program: &Program, explorer: &mut dyn Explorer, limit: u64) -> Seen {
    let mut machine = Machine::new(program, MAX_STEPS);
    let mut plan = Plan::default();
    let mut seen = Seen::default();
    while explorer.next_plan(&mut plan) {
        if seen.runs == limit {
            return seen;
        }
        seen.runs += 1;
        let trace = machine.run(&plan).clone();
        explorer.learn(&trace);
        seen.transitions += trace.events.len() as u64;
        seen.misuses.extend(misuses(machine.record()));
        match trace.ending {
            Ending::Blocked => seen.blocked += 1,
            Ending::Completed | Ending::Deadlocked | Ending::AssumeBlocked | Ending::Livelocked => {
                let entry = seen.traces.entry(fingerprint(&trace)).or_insert_with(|| (0, machine.final_state()));
                entry.0 += 1;
                assert_eq!(entry.1, machine.final_state(), "equivalent runs end in the same state");
            }
            Ending::Revisited | Ending::Limit(_) | Ending::Diverged(_) => {
                panic!("run ended {:?} with {plan:?}", trace.ending)
            }
        }
    }
    seen.complete = true;
    seen
}

/// The number of maximal traces and runs, without remembering the traces.
pub(crate) fn count(program: &Program, explorer: &mut dyn Explorer) -> (u64, u64) {
    let mut machine = Machine::new(program, MAX_STEPS);
    let mut plan = Plan::default();
    let (mut runs, mut blocked) = (0, 0);
    while explorer.next_plan(&mut plan) {
        let trace = machine.run(&plan);
        explorer.learn(trace);
        runs += 1;
        blocked += u64::from(trace.ending == Ending::Blocked);
    }
    (runs, blocked)
}

/// How a search differs from brute force, if it does.
fn difference(brute: &Seen, seen: &Seen, once: bool) -> Option<String> {
    if !seen.complete {
        return Some(format!("gave up after {} runs; {} traces in all", seen.runs, brute.traces.len()));
    }
    let missed = brute.traces.keys().filter(|key| !seen.traces.contains_key(key)).count();
    let invented = seen.traces.keys().filter(|key| !brute.traces.contains_key(key)).count();
    let again: u64 = seen.traces.values().map(|(times, _)| times - 1).sum();
    let states = seen.traces.iter().all(|(key, (_, state))| brute.traces.get(key).is_none_or(|b| b.1 == *state));
    if seen.misuses != brute.misuses {
        let missed = brute.misuses.difference(&seen.misuses);
        return Some(format!("misuses missed: {:?}", missed.collect::<Vec<_>>()));
    }
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
        ("ddpor", Box::new(Ddpor::new()), false),
        ("flip", Box::new(Flip::new()), false),
        ("flip without delayed sets", Box::new(Flip::without_delayed_sets()), false),
    ]
}

/// Whether a compare-exchange overlaps with accesses of other sizes. What it would have done before one of them is not
/// known, and the optimal search may then visit a trace again (see `explore::Optimal`).
fn mixes_sizes(program: &Program) -> bool {
    let statements = || program.bodies.iter().flatten();
    let sized = |s: &Statement| match *s {
        Statement::Read(place, _) | Statement::Load(place, _) => place.part != Part::Whole,
        Statement::Write(place, _) | Statement::Store(place, _) => place.part != Part::Whole,
        _ => false,
    };
    statements().any(sized) && statements().any(|s| matches!(s, Statement::CompareExchange(..)))
}

/// Compares every algorithm with brute force; returns the number of traces, or `None` if the program has more
/// interleavings than this.
pub(crate) fn check(program: &Program, interleavings: u64) -> Result<Option<usize>, String> {
    let brute = explore(program, &mut Dfs::new(), interleavings);
    if !brute.complete {
        return Ok(None);
    }
    let decidable = !mixes_sizes(program);
    for (name, mut explorer, once) in algorithms() {
        let seen = explore(program, &mut *explorer, 2 * interleavings);
        if let Some(difference) = difference(&brute, &seen, once && decidable) {
            return Err(format!("{name}: {difference}"));
        }
    }
    Ok(Some(brute.traces.len()))
}

/// Whether a search differs from brute force in a program with no more interleavings than this.
pub(crate) fn differs(program: &Program, mut search: impl Explorer, once: bool, interleavings: u64) -> bool {
    let brute = explore(program, &mut Dfs::new(), interleavings);
    let once = once && !mixes_sizes(program);
    brute.complete && difference(&brute, &explore(program, &mut search, 2 * interleavings), once).is_some()
}

/// Compares the optimal search with source sets, for programs too large for brute force; returns the number of traces,
/// or `None` if there are more than `limit`.
pub(crate) fn compare_with_source(program: &Program, limit: u64) -> Result<Option<usize>, String> {
    let optimal = explore(program, &mut Optimal::new(), limit);
    if !optimal.complete {
        return Ok(None);
    }
    let source = explore(program, &mut Source::new(), 50 * limit);
    if !source.complete {
        return Ok(None);
    }
    match difference(&source, &optimal, !mixes_sizes(program)) {
        Some(difference) => Err(format!("optimal beside source: {difference}")),
        None => Ok(Some(optimal.traces.len())),
    }
}

/// Compares the searches on the programs of so many seeds. Returns how many programs were small enough.
pub(crate) fn compare_seeds(first: u64, count: u64, limit: u64, program: fn(u64) -> Program) -> u64 {
    let (mut compared, mut failures) = (0, Vec::new());
    for seed in first..first + count {
        let program = program(seed);
        let result = match check(&program, limit) {
            Ok(None) => compare_with_source(&program, limit),
            compared => compared,
        };
        match result {
            Ok(traces) => compared += u64::from(traces.is_some()),
            Err(difference) => failures.push(format!("seed {seed}: {difference}: {:?}", program.bodies)),
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    compared
}

/// Puts locks around most plain accesses, the same one for a variable as a rule, so that not every program has a race.
pub(crate) fn protect(program: &mut Program, random: &mut Random) {
    for body in &mut program.bodies {
        let mut at = 0;
        while at < body.len() {
            let (Statement::Read(place, _) | Statement::Write(place, _)) = body[at] else {
                at += 1;
                continue;
            };
            if random.once_in(12) {
                at += 1;
                continue;
            }
            let number = 10 + if random.once_in(12) { place.base + 1 } else { place.base };
            let mutex = Operand::at(number);
            insert(body, at, &[Statement::Lock(mutex)]);
            insert(body, at + 2, &[Statement::Unlock(mutex)]);
            at += 3;
        }
    }
}

/// Inserts statements at `at`; jumps to `at` now lead to the first of them.
fn insert(body: &mut Vec<Statement>, at: usize, new: &[Statement]) {
    for statement in body.iter_mut() {
        if let Statement::JumpUnless(_, target) | Statement::Jump(target) = statement
            && *target as usize > at
        {
            *target += new.len() as u16;
        }
    }
    body.splice(at..at, new.iter().copied());
}
