//! The searches that try only one of several symmetric threads, against the searches that try all.

use crate::common::MAX_STEPS;
use inspect_core::event::{EndKind, Ending, Operation, Plan, ThreadId, Trace, dependent};
use inspect_core::explore::{Dfs, Dpor, Explorer, Source};
use inspect_core::model::{Expression, Machine, Operand, Program, REGISTERS, Random, Shape, Statement, generate};
use std::collections::BTreeSet;

/// How a run ended, in an order in which ends can be sorted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    Completed,
    Process(EndKind),
    Deadlocked,
    Livelocked,
    AssumeBlocked,
}

/// The operations pending at the end and the variables, then the registers of all threads; without the names of
/// threads.
type Final = (End, Vec<String>, Vec<u64>, Vec<[u64; REGISTERS]>);

/// What a search reached, up to the names of threads.
#[derive(Default, PartialEq, Eq, Debug)]
struct Reached {
    ends: BTreeSet<Final>,
    /// Pairs of conflicting plain accesses that were both pending at some moment of a run.
    races: BTreeSet<(String, String)>,
    runs: u64,
    blocked: u64,
    complete: bool,
}

/// An operation without the names of threads.
fn nameless(operation: &Operation) -> String {
    format!("{:?}", operation.renamed(|_| ThreadId::MAIN))
}

fn is_plain(operation: &Operation) -> bool {
    operation.plain_bytes().is_some()
}

/// Conflicting plain accesses that were both pending at some moment of the run: neither thread did anything between the
/// moment and its access.
fn races(trace: &Trace, races: &mut BTreeSet<(String, String)>) {
    let events = &trace.events;
    for (at, later) in events.iter().enumerate().filter(|(_, event)| is_plain(&event.operation)) {
        let started = events[..at].iter().rposition(|event| event.thread == later.thread || creates(event, later));
        for earlier in &events[started.map_or(0, |at| at + 1)..at] {
            if is_plain(&earlier.operation) && dependent(&earlier.operation, &later.operation) {
                let mut pair = [format!("{:?}", earlier.operation), format!("{:?}", later.operation)];
                pair.sort();
                let [one, other] = pair;
                races.insert((one, other));
            }
        }
    }
}

fn creates(event: &inspect_core::event::Event, later: &inspect_core::event::Event) -> bool {
    event.operation.creates() == Some(later.thread)
}

fn explore(program: &Program, explorer: &mut dyn Explorer, limit: u64) -> Reached {
    let mut machine = Machine::with_symmetry(program, MAX_STEPS);
    let mut plan = Plan::default();
    let mut reached = Reached::default();
    while explorer.next_plan(&mut plan) {
        if reached.runs == limit {
            return reached;
        }
        reached.runs += 1;
        let trace = machine.run(&plan);
        explorer.learn(trace);
        races(trace, &mut reached.races);
        let end = match trace.ending {
            Ending::Completed => trace.process_end().map_or(End::Completed, |(_, kind)| End::Process(kind)),
            Ending::Deadlocked => End::Deadlocked,
            Ending::Livelocked => End::Livelocked,
            Ending::AssumeBlocked => End::AssumeBlocked,
            Ending::Blocked => {
                reached.blocked += 1;
                continue;
            }
            Ending::Revisited | Ending::Limit(_) | Ending::Diverged(_) => panic!("{:?} with {plan:?}", trace.ending),
        };
        let mut pending: Vec<String> = trace.pending.iter().map(|pending| nameless(&pending.operation)).collect();
        pending.sort();
        let state = machine.final_state().0;
        let (variables, registers) = state.split_at(program.variables as usize);
        let mut registers: Vec<_> = registers.chunks(REGISTERS).map(|r| r.try_into().expect("whole threads")).collect();
        registers.sort();
        reached.ends.insert((end, pending, variables.to_vec(), registers));
    }
    reached.complete = true;
    reached
}

/// A program in which some threads have the same body, perhaps but for how it begins.
fn program_of(seed: u64) -> Program {
    let mut random = Random(seed);
    let threads = 3 + random.below(3) as u8;
    let shape = Shape { threads, statements: 3 + random.below(6) as u8 };
    let mut program = generate(&mut random, shape);
    let names_threads =
        |body: &[Statement]| body.iter().any(|s| matches!(s, Statement::Create(_) | Statement::Join(_)));
    let original = 1 + random.below(u64::from(threads) - 1) as usize;
    if names_threads(&program.bodies[original]) {
        return program;
    }
    let body = forgetting(&program.bodies[original], &mut random);
    for number in 1..threads as usize {
        if number == original || !names_threads(&program.bodies[number]) && !random.once_in(4) {
            program.bodies[number] = body.clone();
            let beginning = beginning(&mut random, program.variables);
            prefix(&mut program.bodies[number], &beginning);
        }
    }
    if random.once_in(3) {
        join_in_a_row(&mut program.bodies[0], &mut random);
    }
    program
}

/// A program in which threads that become symmetric join or detach one other thread, and main does as well.
fn claims_of(seed: u64) -> Program {
    const CHILD: u8 = 1;
    let mut random = Random(seed);
    let mut some = |least: u64, most: u64| -> Vec<Statement> {
        let count = least + random.below(most - least);
        let mut one = || match random.below(6) {
            0 | 1 => Statement::Detach(CHILD, 0),
            2 => Statement::Join(CHILD),
            3 => Statement::Store(Operand::at(0), Expression::Register(0, 1)),
            4 => Statement::Read(Operand::at(random.below(2) as u16), 1),
            _ => Statement::Write(Operand::at(random.below(2) as u16), Expression::Constant(1)),
        };
        (0..count).map(|_| one()).collect()
    };
    let child: Vec<Statement> = some(0, 3).into_iter().filter(|&one| one != Statement::Join(CHILD)).collect();
    let (worker, end) = (some(1, 3), some(0, 3));
    let mut other = worker.clone();
    prefix(&mut other, &beginning(&mut random, 2));
    let mut main: Vec<Statement> = (1..=4).map(Statement::Create).collect();
    main.extend(end);
    Program { bodies: vec![main, child, worker.clone(), other, worker], variables: 2, spurious_wakeups: false }
}

/// A body that often overwrites a register right after a read, so that threads which have read different values can be
/// symmetric.
fn forgetting(body: &[Statement], random: &mut Random) -> Vec<Statement> {
    let jumps = body.iter().any(|s| matches!(s, Statement::Jump(_) | Statement::JumpUnless(..)));
    let mut kept = Vec::new();
    for &statement in body {
        kept.push(statement);
        if let Statement::Read(_, register) | Statement::Load(_, register) | Statement::FetchAdd(_, _, register) =
            statement
            && !jumps
            && !random.once_in(3)
        {
            kept.push(Statement::Set(register, Expression::Constant(0)));
        }
    }
    kept
}

/// Two statements after which no register differs: only what they have written is left.
fn beginning(random: &mut Random, variables: u16) -> [Statement; 2] {
    let forgets = Statement::Set(2, Expression::Constant(0));
    let variable = Operand::at(random.below(u64::from(variables)) as u16);
    let first = match random.below(8) {
        0 | 1 => Statement::Write(variable, Expression::Constant(2)),
        2 => Statement::Store(variable, Expression::Constant(1)),
        3 => Statement::Read(variable, 2),
        4 => return [Statement::Set(2, Expression::Constant(1)), Statement::Set(3, Expression::Constant(0))],
        _ => forgets,
    };
    [first, forgets]
}

/// Main joins those it starts, in the order of their numbers, with something in between here and there.
fn join_in_a_row(main: &mut Vec<Statement>, random: &mut Random) {
    let creates = |s: &Statement| if let Statement::Create(child) = *s { Some(child) } else { None };
    let started: Vec<u8> = main.iter().filter_map(creates).collect();
    if main.iter().any(|s| matches!(s, Statement::Jump(_) | Statement::JumpUnless(..))) {
        return;
    }
    main.retain(|s| !matches!(s, Statement::Join(_)));
    for child in started {
        main.push(Statement::Join(child));
        if random.once_in(4) {
            main.push(Statement::Read(Operand::at(0), 0));
        }
    }
    main.push(Statement::Read(Operand::at(0), 1));
}

/// Puts statements before a body.
fn prefix(body: &mut Vec<Statement>, statements: &[Statement]) {
    for statement in body.iter_mut() {
        if let Statement::Jump(target) | Statement::JumpUnless(_, target) = statement {
            *target += statements.len() as u16;
        }
    }
    body.splice(0..0, statements.iter().copied());
}

/// A name, the search without symmetry and the search with it.
type Pair = (&'static str, Box<dyn Explorer>, Box<dyn Explorer>);

fn compare(program: &Program) -> Result<Option<(u64, u64)>, String> {
    const MOST: u64 = 4_000;
    let dfs = explore(program, &mut Dfs::new(), MOST);
    let mut runs = (0, 0);
    let searches: [Pair; 2] = [
        ("dpor", Box::new(Dpor::new()), Box::new(Dpor::with_symmetry())),
        ("source", Box::new(Source::new()), Box::new(Source::with_symmetry())),
    ];
    for (name, mut without, mut with) in searches {
        let all = explore(program, &mut *without, MOST);
        if !all.complete {
            return Ok(None);
        }
        let some = explore(program, &mut *with, 2 * MOST);
        if !some.complete {
            return Err(format!("{name} gave up after {} runs, without symmetry {}", some.runs, all.runs));
        }
        runs = (runs.0 + all.runs, runs.1 + some.runs);
        let wanted = if dfs.complete { &dfs } else { &all };
        if wanted.ends != some.ends {
            let missed: Vec<_> = wanted.ends.difference(&some.ends).collect();
            return Err(format!("{name} misses {} of {} ends: {:?}", missed.len(), wanted.ends.len(), missed.first()));
        }
        if wanted.races != some.races {
            let missed: Vec<_> = wanted.races.difference(&some.races).collect();
            return Err(format!(
                "{name} misses {} of {} races: {:?}",
                missed.len(),
                wanted.races.len(),
                missed.first()
            ));
        }
    }
    Ok(Some(runs))
}

fn sample(seeds: std::ops::Range<u64>, program_of: fn(u64) -> Program) {
    let (mut checked, mut reduced, mut all, mut some, count) = (0, 0, 0, 0, seeds.end - seeds.start);
    let mut failures = Vec::new();
    for seed in seeds {
        let program = program_of(seed);
        match compare(&program) {
            Ok(Some(runs)) => {
                checked += 1;
                reduced += u64::from(runs.1 < runs.0);
                (all, some) = (all + runs.0, some + runs.1);
            }
            Ok(None) => {}
            Err(difference) => failures.push((program.bodies.iter().map(Vec::len).sum::<usize>(), seed, difference)),
        }
    }
    failures.sort();
    println!("{checked} of {count} programs compared, {reduced} reduced, {all} runs without and {some} with symmetry");
    for (_, seed, difference) in failures.iter().take(3) {
        println!("seed {seed}: {difference}");
        program_of(*seed).bodies.iter().enumerate().for_each(|(number, body)| println!("  {number}: {body:?}"));
    }
    assert!(failures.is_empty(), "{} of {checked} differ", failures.len());
    assert!(checked * 2 > count, "most programs are small enough to be compared");
    assert!(reduced * 20 > checked, "the reduction shows in {reduced} of {checked} programs");
}

#[test]
fn a_fixed_sample_agrees_with_the_search_without_symmetry() {
    sample(0..150, program_of);
}

#[test]
fn threads_that_join_or_detach_one_thread_agree_with_the_search_without_symmetry() {
    sample(0..60, claims_of);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_programs_agree_with_the_search_without_symmetry() {
    sample(5_000_000..5_030_000, program_of);
    sample(5_000_000..5_002_000, claims_of);
}

/// The comparison can fail: it finds the error of the algorithm as printed.
#[test]
fn the_algorithm_as_printed_is_caught() {
    let caught = (0..5_000).any(|seed| {
        let program = program_of(seed);
        let all = explore(&program, &mut Source::new(), 2_000);
        let broken = explore(&program, &mut Source::broken_symmetry(), 2_000);
        all.complete && all.ends != broken.ends
    });
    assert!(caught);
}

fn started(threads: Vec<Vec<Statement>>, variables: u16) -> Program {
    let numbers = 1..=threads.len() as u8;
    let main = numbers.clone().map(Statement::Create).chain(numbers.map(Statement::Join)).collect();
    let bodies = std::iter::once(main).chain(threads).collect();
    Program { bodies, variables, spurious_wakeups: false }
}

/// The program in the departures of `core/src/explore/symmetry/mod.rs`: x is variable 0, y is variable 1.
fn trap() -> Program {
    let (x, y) = (Operand::at(0), Operand::at(1));
    let common = [
        Statement::Read(x, 0),
        Statement::Set(0, Expression::Constant(0)),
        Statement::Write(x, Expression::Constant(4)),
    ];
    let mut second = vec![Statement::Write(y, Expression::Constant(2))];
    second.extend(common);
    let first = [vec![Statement::Set(1, Expression::Constant(0))], common.to_vec()].concat();
    started(vec![first, second, vec![Statement::Read(x, 0), Statement::Read(y, 1)]], 2)
}

#[test]
fn races_of_a_thread_passed_over_are_not_lost() {
    let program = trap();
    let sees = |explorer: &mut dyn Explorer| {
        let reached = explore(&program, explorer, 10_000);
        assert!(reached.complete);
        reached.ends.iter().any(|(_, _, _, registers)| registers.contains(&[4, 0, 0, 0]))
    };
    assert!(sees(&mut Source::new()) && sees(&mut Dpor::new()));
    assert!(sees(&mut Source::with_symmetry()) && sees(&mut Dpor::with_symmetry()));
}

/// `n` threads with `k` critical sections each on one lock, in which they count.
fn workers(n: usize, k: usize) -> Program {
    let section = [
        Statement::Lock(Operand::at(0)),
        Statement::Read(Operand::at(0), 0),
        Statement::Write(Operand::at(0), Expression::Register(0, 1)),
        // The value that was read is dead.
        Statement::Set(0, Expression::Constant(0)),
        Statement::Unlock(Operand::at(0)),
    ];
    started((0..n).map(|_| section.repeat(k)).collect(), 1)
}

/// The number of standard Young tableaux with `n` rows of `k` by the hook length formula: (nk)! over the product of the
/// hook lengths, which in row i and column j is (n - i) + (k - j) - 1.
fn tableaux(n: u128, k: u128) -> u64 {
    let hooks: Vec<u128> = (0..n).flat_map(|i| (0..k).map(move |j| n - i + k - j - 1)).collect();
    let (mut count, mut hooks_left) = (1u128, hooks);
    for factor in 1..=n * k {
        count *= factor;
        // Divides as early as possible, so that the product stays small.
        hooks_left.retain(|&hook| {
            let divides = count % hook == 0;
            if divides {
                count /= hook;
            }
            !divides
        });
    }
    assert!(hooks_left.is_empty());
    count as u64
}

fn counted(program: &Program, explorer: &mut dyn Explorer) -> (u64, u64) {
    let mut machine = Machine::with_symmetry(program, MAX_STEPS);
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

/// A run is a path through the states up to exchanging workers: how many sections are left to each, in order. Of the
/// workers with equally many sections left the first goes: a standard Young tableau says at which steps the i-th of the
/// workers, by sections left, goes.
#[test]
fn equal_workers_take_as_many_runs_as_there_are_tableaux() {
    assert_eq!([(4, 3), (5, 3), (6, 3), (4, 4)].map(|(n, k)| tableaux(n, k)), [462, 6_006, 87_516, 24_024]);
    for (n, k) in [(2, 2), (3, 2), (3, 3), (4, 2), (4, 3)] {
        let expected = (tableaux(n as u128, k as u128), 0);
        assert_eq!(counted(&workers(n, k), &mut Dpor::with_symmetry()), expected, "dpor {n} x {k}");
        assert_eq!(counted(&workers(n, k), &mut Source::with_symmetry()), expected, "source {n} x {k}");
    }
}

#[test]
#[ignore = "long: make test-long runs it"]
fn the_larger_tables_of_the_papers_come_out() {
    for (n, k) in [(5, 3), (4, 4), (6, 3)] {
        let expected = (tableaux(n as u128, k as u128), 0);
        assert_eq!(counted(&workers(n, k), &mut Dpor::with_symmetry()), expected, "dpor {n} x {k}");
        assert_eq!(counted(&workers(n, k), &mut Source::with_symmetry()), expected, "source {n} x {k}");
    }
}

/// Workers that differ in a constant are not symmetric as long as they hold it.
#[test]
fn threads_that_differ_in_a_constant_are_distinguished() {
    let body = |id: u64| {
        vec![
            Statement::Set(0, Expression::Constant(id)),
            Statement::Lock(Operand::at(0)),
            Statement::Write(Operand::at(0), Expression::Register(0, 0)),
            Statement::Unlock(Operand::at(0)),
        ]
    };
    let program = started((1..=3).map(body).collect(), 1);
    assert_eq!(counted(&program, &mut Dpor::with_symmetry()), (6, 0));
    // An array with a place for each thread is the same: the place is a number that the thread holds.
    let body =
        |id: u64| vec![Statement::Set(1, Expression::Constant(id)), Statement::FetchAdd(Operand::indexed(0, 1), 1, 0)];
    let mut threads: Vec<_> = (0..2).map(body).collect();
    threads.push(vec![Statement::Load(Operand::at(0), 0)]);
    let program = started(threads, 2);
    assert_eq!(counted(&program, &mut Dpor::with_symmetry()).0, 2);
}

/// Main reads a variable between two joins: which of the two workers has ended by then matters.
#[test]
fn threads_that_main_waits_for_at_different_times_are_distinguished() {
    let add = vec![
        Statement::FetchAdd(Operand::at(0), 1, 0),
        Statement::FetchAdd(Operand::at(0), 1, 0),
        Statement::Set(0, Expression::Constant(0)),
    ];
    let mut program = started(vec![add.clone(), add], 1);
    let look = Statement::Load(Operand::at(0), 1);
    program.bodies[0].insert(3, look);
    let all = explore(&program, &mut Dpor::new(), 10_000);
    let some = explore(&program, &mut Dpor::with_symmetry(), 10_000);
    assert!(all.complete && some.complete);
    assert_eq!(all.ends, some.ends);
}
