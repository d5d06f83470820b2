//! The native cross-check: generated programs, printed as C, compiled and run by the guest, must give what brute force
//! over the pure model gives.
//!
//! For each program and each algorithm: the set of maximal Mazurkiewicz traces (with `--plain-accesses sync` and `racy`
//! that of their synchronisation events), the contents of memory at the end, and the findings with kind, places and
//! object. `optimal` makes each trace once and none in vain, as does `cb-por`. With a preemption bound, the set of
//! traces that have a linearisation within it. `stateful`, with either kind of local states, reaches the same ends with
//! the same contents of memory, and reports the same findings.
//! Every native run with `--plain-accesses all` is made again in the model, step by step, and must have the same
//! events. Fork mode must report the same as restore mode: every event of every run with its addresses, values and
//! places.
//!
//! `--symmetry` is compared with the search without it ([`symmetry`]), and searches shared by guests with those of one
//! ([`shared`]).
//!
//! `make test` takes fixed samples; the tests named `many` take more, or the programs that `INSPECT_CROSS_CHECK` (first
//! seed and number) names.

mod batch;
mod brute;
mod calls;
mod compare;
#[path = "../division/mod.rs"]
mod division;
mod native;
mod pruning;
mod ranks;
mod shared;
mod states;
mod symmetry;
mod translate;
mod waits;

use batch::Batch;
use inspect_core::event::Step;
use inspect_core::explore::Algorithm;
use inspect_core::model::{
    FutexStep, Program, Random, Shape, Statement, generate, print, with_bitsets, with_orders, with_owned_locks,
    with_pipes, with_requeues, with_waits_for_two, with_writers_first,
};
use inspect_host::search::FindingIdentity;
use inspect_wire::message::{Job, LocalStates, Mode, PlainAccesses};
use native::Way;
use states::Guests;
use std::collections::BTreeSet;

/// Programs in one C file.
const BATCH: usize = 25;
/// Programs in `make test`.
const SAMPLE: usize = 30;
/// Of those that one kind of operation was put into.
const FEW: usize = 8;
/// Traces that a program must have to be compared.
const TRACES: usize = 3;
/// Programs of the long test.
const LONG: usize = 400;

/// The program of a seed, as it is printed.
fn program(seed: u64) -> Program {
    let mut random = Random(seed);
    let threads = 2 + random.below(3) as u8;
    let shape = Shape { threads, statements: 3 + random.below(6) as u8 };
    print::printable(&generate(&mut random, shape))
}

/// Seeds from `first` on whose programs are small enough for brute force and have something to explore, with what
/// brute force says.
fn programs(first: u64) -> impl Iterator<Item = (u64, Program, brute::Expected)> {
    compared(first, |seed| Some(program(seed)))
}

/// The programs that a generator makes of the seeds from `first` on.
fn compared(
    first: u64,
    generated: fn(u64) -> Option<Program>,
) -> impl Iterator<Item = (u64, Program, brute::Expected)> {
    (first..).filter_map(move |seed| {
        let program = generated(seed)?;
        let expected = brute::expected(&program)?;
        (expected.traces.len() >= TRACES).then_some((seed, program, expected))
    })
}

/// Those with read-write locks, which prefer waiting writers.
fn with_writers(seed: u64) -> Option<Program> {
    with_writers_first(&program(seed))
}

/// Those with semaphores, with pipes in place of them.
fn with_channels(seed: u64) -> Option<Program> {
    with_pipes(program(seed), &mut Random(!seed))
}

/// Those that wait for futexes, with bitsets.
fn with_bits(seed: u64) -> Option<Program> {
    with_bitsets(program(seed), &mut Random(!seed))
}

fn check(first: u64, count: usize) {
    check_all(programs(first).take(count).collect(), |_| true);
}

/// Those with atomic accesses, in all orders.
fn with_weak_orders(seed: u64) -> Option<Program> {
    with_orders(program(seed), &mut Random(!seed))
}

/// Those that wait for futexes, with requeues; every second one with bitsets as well.
fn with_moves(seed: u64) -> Option<Program> {
    let program = with_requeues(program(seed), &mut Random(!seed))?;
    if seed.is_multiple_of(2) { with_bitsets(program, &mut Random(!seed)) } else { Some(program) }
}

/// Those that wait for futexes, two at once.
fn with_two(seed: u64) -> Option<Program> {
    with_waits_for_two(&program(seed), &mut Random(!seed))
}

/// Those that lock mutexes, with locks with priority inheritance. Those with read-write locks are left out: a writer
/// that locks again is refused in native runs, and waits for itself in the model.
fn with_owners(seed: u64) -> Option<Program> {
    let program = program(seed);
    let is_rwlock = |statement: &Statement| matches!(statement, Statement::RwlockLock(..));
    let has_rwlocks = program.bodies.iter().flatten().any(is_rwlock);
    if has_rwlocks {
        return None;
    }
    with_owned_locks(&program, &mut Random(!seed)).filter(|program| !locks_in_both_orders(program))
}

/// Whether two threads may each wait for a lock with priority inheritance that the other one has. The kernel refuses
/// the lock that would close the circle, also one that waits for some time only; the model has it wait.
fn locks_in_both_orders(program: &Program) -> bool {
    let orders = |body: &Vec<Statement>| -> BTreeSet<(u16, u16)> {
        let place = |statement: &Statement| match *statement {
            Statement::FutexStep { place, step: FutexStep::Lock, .. } => Some(place.base),
            _ => None,
        };
        let places: Vec<u16> = body.iter().filter_map(place).collect();
        let after = |at: usize| places[at + 1..].iter().map(move |later| (at, *later));
        (0..places.len()).flat_map(after).map(|(at, later)| (places[at], later)).collect()
    };
    let orders: Vec<BTreeSet<_>> = program.bodies.iter().map(orders).collect();
    let opposes = |one: usize, other: usize| {
        orders[one].iter().any(|&(first, second)| first != second && orders[other].contains(&(second, first)))
    };
    (0..orders.len()).any(|one| (0..one).any(|other| opposes(one, other)))
}

/// With bitsets, with requeues and waits for two words, with locks that prefer writers or have owners, and with pipes,
/// searches with a bound say that they leave something out.
fn is_unbounded(way: &Way) -> bool {
    way.bound.is_none()
}

/// Every call on a pipe uses a descriptor first, an operation that the model does not have: there are many times as
/// many interleavings as in the model.
fn is_short(way: &Way) -> bool {
    is_unbounded(way) && way.algorithm != Algorithm::Dfs
}

/// How several guests explore each program with `stateful`.
const SHARED: [Guests; 3] = [Guests::AtOnce(2), Guests::AtOnce(4), Guests::InTurn(4)];

fn check_all(chosen: Vec<(u64, Program, brute::Expected)>, is_compared: fn(&Way) -> bool) {
    let mut failures = Vec::new();
    let mut runs = 0;
    for part in chosen.chunks(BATCH) {
        let sources: Vec<Program> = part.iter().map(|(_, program, _)| program.clone()).collect();
        let batch = Batch::compile(&sources);
        let framed = [LocalStates::Exact, LocalStates::Delta].map(|kind| Batch::compile_with_frames(&sources, kind));
        for (number, (seed, program, expected)) in part.iter().enumerate() {
            for framed in &framed {
                let mut stateful = compare::Checker::new(framed, number, program, expected);
                native::stateful(framed.local_states).into_iter().for_each(|way| stateful.check(way));
                SHARED.into_iter().for_each(|guests| stateful.check_states(guests));
                runs += stateful.runs;
                if !stateful.failures.is_empty() {
                    let difference = format!("local states: {:?}", framed.local_states);
                    failures.push((*seed, program, [vec![difference], stateful.failures].concat()));
                }
            }
            let mut checker = compare::Checker::new(&batch, number, program, expected);
            Way::all(expected).into_iter().filter(is_compared).for_each(|way| checker.check(way));
            runs += checker.runs;
            if !checker.failures.is_empty() {
                failures.push((*seed, program, checker.failures));
            }
        }
    }
    let traces: usize = chosen.iter().map(|(.., expected)| expected.traces.len()).sum();
    println!("{} programs with {traces} traces, {runs} native runs", chosen.len());
    report(&mut failures);
}

/// Each program begins by unmapping memory: what the scheduler does for threads that wait must not depend on that. The
/// objects' addresses are known elsewhere, so that the objects say in their memory whether they are in use.
fn unmaps_first(text: &str) -> String {
    const MAIN: &str = "int main(int argc, char **argv) {\n    ";
    const DECLARED: &str = "void *mmap(void *, size_t, int, int, int, long); int munmap(void *, size_t); \
        __attribute__((used)) void *kept[] = {mutexes, recursive_mutexes, conditions, onces, semaphores, rwlocks, writers_first, barriers}; ";
    let (before, main) = text.split_once(MAIN).expect("it has a main function");
    format!("{before}{DECLARED}{MAIN}munmap(mmap(0, 4096, 1, 34, -1, 0), 4096); {main}")
}

/// Those that wait for condition variables.
fn with_conditions(seed: u64) -> Option<Program> {
    let waits = |statement: &Statement| matches!(statement, Statement::Wait(..) | Statement::TimedWait(..));
    Some(program(seed)).filter(|program| program.bodies.iter().flatten().any(waits))
}

fn check_after_unmapping(first: u64, count: usize) {
    let chosen: Vec<_> = compared(first, with_conditions).take(count).collect();
    let mut failures = Vec::new();
    for part in chosen.chunks(BATCH) {
        let sources: Vec<Program> = part.iter().map(|(_, program, _)| program.clone()).collect();
        let batch = Batch::compile_changed(&sources, &unmaps_first);
        for (number, (seed, program, expected)) in part.iter().enumerate() {
            let mut checker = compare::Checker::new(&batch, number, program, expected);
            Way::all(expected).into_iter().for_each(|way| checker.check(way));
            if !checker.failures.is_empty() {
                failures.push((*seed, program, checker.failures));
            }
        }
    }
    report(&mut failures);
}

#[test]
fn a_fixed_sample_of_native_programs_that_unmap_memory_agrees_with_brute_force() {
    check_after_unmapping(0, FEW);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_that_unmap_memory_agree_with_brute_force() {
    check_after_unmapping(200_000, LONG);
}

/// The long form of a test: programs from a seed on, or those that `INSPECT_CROSS_CHECK` names.
fn check_many(first: u64, generated: fn(u64) -> Option<Program>, is_compared: fn(&Way) -> bool) {
    let given = std::env::var("INSPECT_CROSS_CHECK").unwrap_or(format!("{first} {LONG}"));
    let numbers: Vec<u64> = given.split(' ').map(|number| number.parse().expect("a number")).collect();
    let [first, count] = numbers[..] else { panic!("INSPECT_CROSS_CHECK has two numbers") };
    check_all(compared(first, generated).take(count as usize).collect(), is_compared);
}

fn report(failures: &mut [(u64, &Program, Vec<String>)]) {
    if failures.is_empty() {
        return;
    }
    failures.sort_by_key(|(_, program, _)| program.bodies.iter().map(Vec::len).sum::<usize>());
    for (seed, program, differences) in failures.iter().take(5) {
        println!("--- seed {seed}");
        println!("{} ways differ, the first and the last:", differences.len());
        for difference in differences.first().into_iter().chain(differences.last()) {
            println!("{difference}");
        }
        for (number, body) in program.bodies.iter().enumerate() {
            println!("  {number}: {body:?}");
        }
    }
    let seeds: Vec<u64> = failures.iter().map(|(seed, ..)| *seed).collect();
    panic!("{} programs differ: {seeds:?}", failures.len());
}

#[test]
fn a_fixed_sample_of_native_programs_agrees_with_brute_force() {
    check(0, SAMPLE);
}

#[test]
fn a_fixed_sample_of_native_programs_with_bitsets_agrees_with_brute_force() {
    check_all(compared(0, with_bits).take(FEW).collect(), is_unbounded);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_with_bitsets_agree_with_brute_force() {
    check_many(100_000, with_bits, is_unbounded);
}

#[test]
fn a_fixed_sample_of_native_programs_with_weak_orders_agrees_with_brute_force() {
    // Without what C11 orders in its states, `stateful` misses a race of seed 101,093.
    check_all(compared(101_091, with_weak_orders).take(FEW).collect(), is_unbounded);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_with_weak_orders_agree_with_brute_force() {
    check_many(100_000, with_weak_orders, is_unbounded);
}

#[test]
fn a_fixed_sample_of_native_programs_with_requeues_agrees_with_brute_force() {
    check_all(compared(0, with_moves).take(FEW).collect(), is_unbounded);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_with_requeues_agree_with_brute_force() {
    check_many(100_000, with_moves, is_unbounded);
}

#[test]
fn a_fixed_sample_of_native_programs_with_waits_for_two_words_agrees_with_brute_force() {
    check_all(compared(0, with_two).take(FEW).collect(), is_unbounded);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_with_waits_for_two_words_agree_with_brute_force() {
    check_many(100_000, with_two, is_unbounded);
}

#[test]
fn a_fixed_sample_of_native_programs_with_owned_locks_agrees_with_brute_force() {
    check_all(compared(0, with_owners).take(FEW).collect(), is_unbounded);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_with_owned_locks_agree_with_brute_force() {
    check_many(100_000, with_owners, is_unbounded);
}

#[test]
fn a_fixed_sample_of_native_programs_whose_locks_prefer_writers_agrees_with_brute_force() {
    check_all(compared(0, with_writers).take(FEW).collect(), is_unbounded);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_whose_locks_prefer_writers_agree_with_brute_force() {
    check_many(100_000, with_writers, is_unbounded);
}

#[test]
fn a_fixed_sample_of_native_programs_with_pipes_agrees_with_brute_force() {
    check_all(compared(0, with_channels).take(FEW).collect(), is_short);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_with_pipes_agree_with_brute_force() {
    check_many(100_000, with_channels, is_short);
}

/// Every process has the program, its libraries and the kernel's stack at other addresses; locations that were promoted
/// in one process are the same variables in another.
#[test]
fn findings_replay_wherever_the_program_is_loaded() {
    let chosen: Vec<_> = programs(0).filter(|(.., expected)| expected.races()).take(FEW).collect();
    let sources: Vec<Program> = chosen.iter().map(|(_, program, _)| program.clone()).collect();
    let batch = Batch::compile_movable(&sources);
    let (algorithm, plain) = (Algorithm::Optimal, PlainAccesses::Racy);
    let mut bases = BTreeSet::new();
    for (number, (seed, program, expected)) in chosen.iter().enumerate() {
        let way = Way { algorithm, plain, bound: None, fork: false };
        let job = Job {
            report_traces: None,
            ..native::job(&batch, way, Mode::Restore, program.spurious_wakeups, program.variables)
        };
        let found = native::explore_elsewhere(&batch, number, &job);
        assert!(found.findings.len() >= expected.findings.len(), "seed {seed}: {found:?}");
        for reported in &found.findings {
            let again = native::explore_elsewhere(&batch, number, &native::replay(&job, reported));
            let wanted = FindingIdentity::of(&reported.finding, &found.modules);
            let shows =
                again.findings.iter().any(|reported| FindingIdentity::of(&reported.finding, &again.modules) == wanted);
            assert!(shows, "seed {seed}: {reported:?} does not show again: {again:?}");
            let trace = again.trace.expect("a replay reports its trace");
            let taken = trace.events.iter().map(|event| Step { thread: event.thread, choice: event.choice });
            let steps = &reported.finding.steps;
            assert!(taken.take(steps.len()).eq(steps.iter().copied()), "seed {seed}: {reported:?} is another run");
            bases.extend(again.modules.iter().find(|module| module.path.is_empty()).map(|module| module.bias));
        }
    }
    println!("{} places of the program", bases.len());
    let random = std::fs::read_to_string("/proc/sys/kernel/randomize_va_space").is_ok_and(|text| text.trim() == "2");
    assert!(!random || bases.len() > BATCH, "the program was loaded at {} places only", bases.len());
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_agree_with_brute_force() {
    check_many(10_000, |seed| Some(program(seed)), |_| true);
}

#[test]
fn a_fixed_sample_of_native_programs_is_the_same_with_symmetry() {
    symmetry::check(0, BATCH, BATCH, TRACES);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_are_the_same_with_symmetry() {
    symmetry::check(50_000, LONG, BATCH, TRACES);
}
