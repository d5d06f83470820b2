//! `optimal` and `ddpor` shared by several guests, or by the ranks of a cluster: the traces that one guest visits, with
//! `optimal` each as often.

use crate::batch::Batch;
use crate::brute::waits_for_itself;
use crate::compare::compares_parts;
use crate::division::{divided, visits};
use crate::native::{self, MAX_STEPS, Way};
use crate::ranks::divided_by_ranks;
use crate::waits::{Waits, named};
use inspect_core::event::{Mutexes, Plan};
use inspect_core::explore::{Algorithm, Explorer, Optimal};
use inspect_core::model::{Fingerprint, Machine, Program, Random, Shape, fingerprint, generate, print};
use inspect_host::run::Target;
use inspect_wire::message::{Job, Mode, PlainAccesses, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

/// Programs in one C file.
const BATCH: usize = 25;
/// Traces of the programs, so that there is something to share.
const TRACES: Range<usize> = 100..2_000;

fn program(seed: u64) -> Program {
    let mut random = Random(seed);
    let threads = 2 + random.below(3) as u8;
    let shape = Shape { threads, statements: 4 + random.below(7) as u8 };
    print::printable(&generate(&mut random, shape))
}

/// How many traces there are in the model, by `optimal`. None for a program that is too large, and for one in which a
/// thread waits for a read-write lock that it has locked to write: natively the lock is refused, and the thread
/// continues.
fn traces(program: &Program) -> Option<usize> {
    let (mut machine, mut search, mut plan) = (Machine::new(program, MAX_STEPS), Optimal::new(), Plan::default());
    let (mut traces, mut waits, mut mutexes) = (Vec::new(), Waits::default(), Mutexes::One);
    while search.next_plan(&mut plan) {
        let trace = machine.run(&plan).clone();
        search.learn(&trace);
        if trace.pending.iter().any(|pending| waits_for_itself(machine.record(), pending)) {
            return None;
        }
        if waits.clash_with(program, &trace) {
            mutexes = Mutexes::Several;
        }
        traces.push(trace);
        if traces.len() == TRACES.end {
            return None;
        }
    }
    // As the guest names them, which sees in runs what the model knows from the text.
    let names: BTreeSet<Fingerprint> = traces.iter().map(|trace| fingerprint(&named(trace, mutexes))).collect();
    Some(names.len()).filter(|traces| TRACES.contains(traces))
}

/// Who shares a search.
#[derive(Clone, Copy, Debug)]
enum Workers {
    Guests(usize),
    /// So many ranks of so many guests.
    Ranks(usize, u32),
}

/// A program of a batch, and the job of a guest that works on it.
struct Shared<'a> {
    batch: &'a Batch,
    number: usize,
    job: Job,
}

impl<'a> Shared<'a> {
    /// What makes a search begin anew is known from the start, as `divided` has one pass: a search by one guest finds
    /// it out.
    fn new(batch: &'a Batch, number: usize, program: &Program) -> Self {
        let way = Way { algorithm: Algorithm::Optimal, plain: PlainAccesses::All, bound: None, fork: false };
        let job = native::job(batch, way, Mode::Restore, program.spurious_wakeups, program.variables);
        let alone = native::explore(batch, number, &job);
        let (promoted, promoted_in) = (alone.promoted, alone.modules);
        Shared { batch, number, job: Job { task: Task::Work, promoted, promoted_in, ..job } }
    }

    /// How often each trace is visited by these workers, and how often work was handed from one to another.
    fn search(&self, algorithm: Algorithm, workers: Workers) -> (BTreeMap<Fingerprint, u32>, u32) {
        let job = Job { algorithm, ..self.job.clone() };
        let target = Target::new(self.batch.path.clone(), vec![self.number.to_string().into()]);
        // Guests that divide `ddpor` all the time repeat each other's work.
        let pause = if algorithm == Algorithm::Ddpor { 1_000 } else { 50 };
        let pause = Duration::from_micros(pause);
        let (outputs, hands) = match workers {
            Workers::Guests(guests) => divided(&target, &job, guests, pause),
            Workers::Ranks(ranks, guests) => divided_by_ranks(&target, &job, (ranks, guests), pause),
        };
        (visits(&outputs), hands - 1)
    }
}

/// Compares `count` programs.
pub(crate) fn check(first: u64, count: usize) {
    use Workers::{Guests, Ranks};
    let of_seed = |seed| (seed, program(seed));
    let counted = |(seed, program): (u64, Program)| traces(&program).map(|traces| (seed, program, traces));
    let chosen: Vec<(u64, Program, usize)> = (first..).map(of_seed).filter_map(counted).take(count).collect();
    let mut divisions = [0; 2];
    let mut all = 0;
    for part in chosen.chunks(BATCH) {
        let sources: Vec<Program> = part.iter().map(|(_, program, _)| program.clone()).collect();
        let batch = Batch::compile(&sources);
        for (number, (seed, program, traces)) in part.iter().enumerate() {
            let shared = Shared::new(&batch, number, program);
            let (alone, _) = shared.search(Algorithm::Optimal, Guests(1));
            assert_eq!(alone.len(), *traces, "seed {seed}: {:?}", program.bodies);
            let again = alone.values().any(|&times| times > 1);
            assert!(!again || compares_parts(program), "seed {seed} makes traces again: {:?}", program.bodies);
            all += traces;
            for workers in [Guests(2), Guests(4), Ranks(1, 2), Ranks(2, 1), Ranks(3, 2), Ranks(8, 1)] {
                let (visited, hands) = shared.search(Algorithm::Optimal, workers);
                assert!(visited == alone, "seed {seed}, optimal, {workers:?}: {:?}", program.bodies);
                divisions[0] += hands;
            }
            for workers in [Guests(1), Guests(2), Guests(4), Ranks(2, 2)] {
                let (visited, hands) = shared.search(Algorithm::Ddpor, workers);
                assert!(visited.keys().eq(alone.keys()), "seed {seed}, ddpor, {workers:?}: {:?}", program.bodies);
                divisions[1] += hands;
            }
        }
    }
    println!("{count} programs with {all} traces; work of optimal and ddpor changed hands {divisions:?} times");
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
