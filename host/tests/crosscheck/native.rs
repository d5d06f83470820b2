//! Runs one program of a batch natively.

use crate::batch::Batch;
use crate::brute::Expected;
use inspect_core::event::ByteRange;
use inspect_core::explore::{Algorithm, BacktrackSets, SamplingOptions};
use inspect_host::run::{Interrupt, Limits, ReportedFinding, RunOutput, Target, Terminal, run};
use inspect_wire::message::{
    CHECKPOINT_EVERY, Heap, Job, LocalStates, MAX_COMPUTATION, Mode, PlainAccesses, Task, VolatileAccesses,
};
use std::time::{Duration, Instant};

/// Longest run.
pub(crate) const MAX_STEPS: u32 = 400;
/// Programs with more interleavings are not run with every combination.
const FEW: u64 = 300;
/// Preemptions that no run of these programs can have more of.
pub(crate) const ENOUGH: u32 = MAX_STEPS;

/// How to explore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    /// The algorithm.
    pub(crate) algorithm: Algorithm,
    /// Visibility of plain accesses.
    pub(crate) plain: PlainAccesses,
    /// Preemptions: no algorithm without a bound has one here.
    pub(crate) bound: Option<u32>,
    /// Whether to explore in fork mode as well, which must report the same.
    pub(crate) fork: bool,
}

impl Way {
    /// The ways in which a program is explored.
    pub(crate) fn all(expected: &Expected) -> Vec<Way> {
        use Algorithm::{Bpor, CbDfs, CbPor, CbPorBasic, Ddpor, Dfs, Dpor, Flip, Optimal, Source};
        use PlainAccesses::{All, Racy, Sync};
        let few = expected.interleavings <= FEW;
        let mut ways = Vec::new();
        for plain in [All, Racy, Sync] {
            for algorithm in [Dfs, Dpor, Source, Flip, Ddpor, Optimal] {
                if algorithm != Dfs || few {
                    let fork = few && (algorithm == Optimal || (plain == All && algorithm == Dpor));
                    ways.push(Way { algorithm, plain, bound: None, fork });
                }
            }
            // With a bound that cuts nothing, everything has to be there.
            ways.push(Way { algorithm: Bpor, plain, bound: Some(ENOUGH), fork: false });
            ways.push(Way { algorithm: CbPor, plain, bound: Some(ENOUGH), fork: few && plain == All });
            if plain == All {
                ways.push(Way { algorithm: CbPorBasic, plain, bound: Some(ENOUGH), fork: false });
                ways.extend((0..2).map(|bound| Way { algorithm: CbPor, plain, bound: Some(bound), fork: false }));
                ways.push(Way { algorithm: CbPorBasic, plain, bound: Some(1), fork: false });
                ways.push(Way { algorithm: CbDfs, plain, bound: Some(1), fork: false });
                ways.extend((0..2).map(|bound| Way { algorithm: Bpor, plain, bound: Some(bound), fork: false }));
            }
        }
        ways
    }
}

/// The ways in which a program with frame records is explored.
pub(crate) fn stateful(local_states: LocalStates) -> Vec<Way> {
    let way = |plain| Way { algorithm: Algorithm::Stateful, plain, bound: None, fork: false };
    match local_states {
        LocalStates::Exact => vec![way(PlainAccesses::All), way(PlainAccesses::Racy)],
        LocalStates::Delta => vec![way(PlainAccesses::All)],
    }
}

/// After how many operations there may be a checkpoint. The programs are short; so that runs are resumed nevertheless,
/// some searches take checkpoints all the time.
fn checkpoint_every(algorithm: Algorithm) -> u32 {
    match algorithm {
        Algorithm::Optimal => 2,
        Algorithm::Dfs => 3,
        Algorithm::CbPor => 5,
        Algorithm::Stateful => 4,
        Algorithm::Dpor
        | Algorithm::Source
        | Algorithm::Flip
        | Algorithm::Pdp
        | Algorithm::Ddpor
        | Algorithm::CbDfs
        | Algorithm::Bpor
        | Algorithm::CbPorBasic
        | Algorithm::Random
        | Algorithm::Pct
        | Algorithm::Pos
        | Algorithm::Surw
        | Algorithm::Rff
        | Algorithm::Predict
        | Algorithm::Delay => CHECKPOINT_EVERY,
    }
}

/// What a guest is asked to do.
pub(crate) fn job(batch: &Batch, way: Way, mode: Mode, spurious_wakeups: bool, variables: u16) -> Job {
    let (start, _) = batch.array("variables");
    let range = |number: u16| ByteRange { start: start + 8 * u64::from(number), len: 8 };
    Job {
        task: Task::Explore,
        algorithm: way.algorithm,
        plain_accesses: way.plain,
        volatile: VolatileAccesses::Plain,
        harmless_races: Vec::new(),
        promoted: Vec::new(),
        promoted_in: Vec::new(),
        watch_sets: Vec::new(),
        mode,
        preemptions: way.bound,
        first_preemptions: None,
        symmetry: None,
        spurious_wakeups,
        max_executions: u64::MAX,
        share: None,
        max_steps: MAX_STEPS,
        max_computation: MAX_COMPUTATION,
        checkpoint_every: checkpoint_every(way.algorithm),
        state_memory: 1 << 30,
        state_table: None,
        backtrack_sets: BacktrackSets::Aggressive,
        local_states: batch.local_states,
        heap: Heap::Both,
        memory_limit: 1 << 30,
        seed: 0,
        sampling: SamplingOptions::default(),
        keep_going: true,
        severities: Vec::new(),
        report_traces: Some((0..variables).map(range).collect()),
    }
}

/// The same job for one run.
pub(crate) fn replay(job: &Job, reported: &ReportedFinding) -> Job {
    let finding = &reported.finding;
    let (steps, paths) = (finding.steps.clone(), finding.paths.clone());
    let task = Task::Replay { steps, paths, places: Vec::new(), wanted: finding.kind, live: false };
    Job { task, promoted: reported.promoted.clone(), promoted_in: reported.modules.clone(), ..job.clone() }
}

/// Runs the program with this number.
pub(crate) fn explore(batch: &Batch, number: usize, job: &Job) -> RunOutput {
    start(Target::new(batch.path.clone(), vec![number.to_string().into()]), job)
}

/// The same, with the addresses of libraries, stacks and mappings placed at random where the kernel does that.
pub(crate) fn explore_elsewhere(batch: &Batch, number: usize, job: &Job) -> RunOutput {
    let args = ["x86_64".into(), batch.path.clone().into(), number.to_string().into()];
    // `setarch` without options sets a personality in which addresses are not fixed.
    start(Target::new("/usr/bin/setarch".into(), args.to_vec()), job)
}

fn start(target: Target, job: &Job) -> RunOutput {
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(120)), ..Limits::default() };
    run(&target, job, Terminal::Captured, limits, &Interrupt::default(), &mut |_| ()).expect("the guest starts")
}
