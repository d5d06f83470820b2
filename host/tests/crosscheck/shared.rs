//! `optimal` and `ddpor` shared by several guests, or by the ranks of a cluster: the traces that one guest visits, with
//! `optimal` each as often.

use crate::batch::Batch;
use crate::division::{divided, visits};
use crate::native::{self, MAX_STEPS, Way};
use crate::ranks::divided_by_ranks;
use inspect_core::event::{Plan, Trace};
use inspect_core::explore::{Algorithm, Explorer, Optimal};
use inspect_core::model::{Fingerprint, Machine, Program, Random, Shape, generate, print};
use inspect_host::run::Target;
use inspect_wire::message::{Job, Mode, PlainAccesses, Task};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

/// Programs in one C file.
const BATCH: usize = 25;
/// Runs of the programs, so that there is something to share.
const RUNS: Range<u64> = 100..2_000;

fn program(seed: u64) -> Program {
    let mut random = Random(seed);
    let threads = 2 + random.below(3) as u8;
    let shape = Shape { threads, statements: 4 + random.below(7) as u8 };
    print::printable(&generate(&mut random, shape))
}

fn runs(program: &Program) -> u64 {
    let (mut machine, mut search, mut plan) = (Machine::new(program, MAX_STEPS), Optimal::new(), Plan::default());
    let mut runs = 0;
    while runs < RUNS.end && search.next_plan(&mut plan) {
        let trace: &Trace = machine.run(&plan);
        search.learn(trace);
        runs += 1;
    }
    runs
}

/// Who shares a search.
#[derive(Clone, Copy, Debug)]
enum Workers {
    Guests(usize),
    /// So many ranks of so many guests.
    Ranks(usize, u32),
}

/// How often each trace is visited by these workers, and how often work was handed from one to another.
fn search(
    batch: &Batch,
    number: usize,
    program: &Program,
    algorithm: Algorithm,
    workers: Workers,
) -> (BTreeMap<Fingerprint, u32>, u32) {
    let way = Way { algorithm, plain: PlainAccesses::All, bound: None, fork: false };
    let job = native::job(batch, way, Mode::Restore, program.spurious_wakeups, program.variables);
    let job = Job { task: Task::Work, ..job };
    let target = Target::new(batch.path.clone(), vec![number.to_string().into()]);
    // Guests that divide `ddpor` all the time repeat each other's work.
    let pause = if algorithm == Algorithm::Ddpor { 1_000 } else { 50 };
    let pause = Duration::from_micros(pause);
    let (outputs, hands) = match workers {
        Workers::Guests(guests) => divided(&target, &job, guests, pause),
        Workers::Ranks(ranks, guests) => divided_by_ranks(&target, &job, (ranks, guests), pause),
    };
    (visits(&outputs), hands - 1)
}

/// Compares `count` programs.
pub(crate) fn check(first: u64, count: usize) {
    use Workers::{Guests, Ranks};
    let chosen: Vec<(u64, Program)> =
        (first..).map(|seed| (seed, program(seed))).filter(|(_, p)| RUNS.contains(&runs(p))).take(count).collect();
    let mut divisions = [0; 2];
    let mut traces = 0;
    for part in chosen.chunks(BATCH) {
        let sources: Vec<Program> = part.iter().map(|(_, program)| program.clone()).collect();
        let batch = Batch::compile(&sources);
        for (number, (seed, program)) in part.iter().enumerate() {
            let (alone, _) = search(&batch, number, program, Algorithm::Optimal, Workers::Guests(1));
            let visited: u64 = alone.values().map(|&times| u64::from(times)).sum();
            assert_eq!(visited, runs(program), "seed {seed}, {} traces: {:?}", alone.len(), program.bodies);
            traces += alone.len();
            for workers in [Guests(2), Guests(4), Ranks(1, 2), Ranks(2, 1), Ranks(3, 2)] {
                let (shared, hands) = search(&batch, number, program, Algorithm::Optimal, workers);
                assert!(shared == alone, "seed {seed}, optimal, {workers:?}: {:?}", program.bodies);
                divisions[0] += hands;
            }
            for workers in [Guests(1), Guests(2), Guests(4), Ranks(2, 2)] {
                let (shared, hands) = search(&batch, number, program, Algorithm::Ddpor, workers);
                assert!(shared.keys().eq(alone.keys()), "seed {seed}, ddpor, {workers:?}: {:?}", program.bodies);
                divisions[1] += hands;
            }
        }
    }
    println!("{count} programs with {traces} traces; work of optimal and ddpor changed hands {divisions:?} times");
    assert!(divisions.iter().all(|&divisions| divisions > 0), "work was never divided: {divisions:?}");
}

#[test]
fn a_fixed_sample_of_native_programs_has_the_same_traces_for_several_workers() {
    check(80_000, 12);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_native_programs_have_the_same_traces_for_several_workers() {
    check(90_000, 300);
}
