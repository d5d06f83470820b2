//! Searches, divided: among workers that come and go, and stopped and resumed. Whatever the moments, the optimal search
//! visits every trace exactly as often as one undisturbed search, which is once; the distributed one visits every
//! trace; one that samples makes the runs that one undisturbed search makes.

use crate::common::{MAX_STEPS, Seen, explore};
use inspect_core::event::{Ending, Plan, Strategy, ThreadId, ThreadSet, Trace};
use inspect_core::explore::{
    BacktrackSets, Ddpor, Divisible, Dpor, DrawnRuns, Explorer, Item, Optimal, Sampling, SamplingOptions,
};
use inspect_core::model::{Fingerprint, Machine, Program, Random, Shape, examples, fingerprint, generate};
use std::collections::BTreeMap;

/// Traces above which a program is too large.
const TRACES: u64 = 2_000;

type Traces = BTreeMap<Fingerprint, u64>;

/// Makes a search that has not begun.
type Make = fn() -> Box<dyn Explorer>;

fn optimal() -> Box<dyn Explorer> {
    Box::new(Optimal::new())
}

fn distributed() -> Box<dyn Explorer> {
    Box::new(Ddpor::new())
}

fn distributed_as_printed_first() -> Box<dyn Explorer> {
    Box::new(Ddpor::with_sets(BacktrackSets::Original))
}

/// A change of an item on its way from one worker to another: none, or a wrong one that the tests must notice.
type Change = fn(Item, &mut Vec<Item>);

fn unchanged(item: Item, pool: &mut Vec<Item>) {
    pool.push(item);
}

/// A worker of a divided search, which explores items one after the other.
struct Worker<'a> {
    machine: Machine<'a>,
    search: Box<dyn Explorer>,
    make: Make,
    busy: bool,
    /// The items that were left to the worker at its last commit.
    ledger: Vec<Item>,
    /// The traces visited since the last commit.
    seen: Vec<Fingerprint>,
    queue: Vec<Item>,
    plan: Plan,
    /// The item whose first run comes next.
    first: Option<Item>,
}

impl<'a> Worker<'a> {
    fn new(program: &'a Program, make: Make) -> Self {
        Worker {
            make,
            machine: Machine::new(program, MAX_STEPS),
            search: make(),
            busy: false,
            ledger: Vec::new(),
            seen: Vec::new(),
            queue: Vec::new(),
            plan: Plan::default(),
            first: None,
        }
    }

    fn search(&mut self) -> &mut dyn Divisible {
        self.search.divisible().expect("the search can be divided")
    }

    fn take(&mut self, items: Vec<Item>) {
        self.ledger = items.clone();
        self.queue = items;
        self.busy = true;
        self.next_item();
    }

    fn next_item(&mut self) -> bool {
        let Some(item) = self.queue.pop() else { return false };
        self.first = Some(item.clone());
        self.search().begin(item);
        true
    }

    /// Makes one run; false if nothing is left.
    fn step(&mut self) -> bool {
        while !self.search.next_plan(&mut self.plan) {
            if !self.next_item() {
                return false;
            }
        }
        let trace: &Trace = self.machine.run(&self.plan);
        if let Some(item) = self.first.take() {
            assert!(item.describes(&trace.events), "the prefix does what it did where the item comes from");
        }
        self.search.learn(trace);
        assert!(!matches!(trace.ending, Ending::Limit(_) | Ending::Diverged(_)), "{:?}", trace.ending);
        if trace.ending != Ending::Blocked && !self.search.made_elsewhere() {
            self.seen.push(fingerprint(trace));
        }
        true
    }

    /// Dies, and is replaced by a new worker. Returns the items of its last commit, which are to be explored again.
    fn die(&mut self, program: &'a Program) -> Vec<Item> {
        let ledger = std::mem::take(&mut self.ledger);
        *self = Worker::new(program, self.make);
        ledger
    }

    /// Gives away up to so many items.
    fn give_some(&mut self, count: u64, change: Change, pool: &mut Vec<Item>) {
        for _ in 0..count {
            if let Some(item) = self.search().give() {
                change(item, pool);
            }
        }
    }

    /// Commits: adds the traces visited since the last commit to `traces`, and records the items that are left.
    fn commit(&mut self, traces: &mut Traces) {
        for print in self.seen.drain(..) {
            *traces.entry(print).or_default() += 1;
        }
        self.ledger.clear();
        if self.busy {
            self.search.divisible().expect("as before").save(&mut |item| self.ledger.push(item));
            self.ledger.extend(self.queue.iter().cloned());
        }
    }
}

/// Takes up to half of the items, at least one, from anywhere in the pool, which is not empty.
fn some_of(pool: &mut Vec<Item>, random: &mut Random) -> Vec<Item> {
    let count = 1 + random.below(pool.len() as u64 + 1) / 2;
    (0..count).map(|_| pool.swap_remove(random.below(pool.len() as u64) as usize)).collect()
}

/// Explores `program` with `workers` workers, which give away items, commit and die at random. Returns no traces if
/// there are too many runs.
fn divided(program: &Program, make: Make, workers: usize, seldom: u64, random: &mut Random, change: Change) -> Traces {
    let mut workers: Vec<Worker<'_>> = (0..workers).map(|_| Worker::new(program, make)).collect();
    let mut pool = vec![Item::everything()];
    let mut traces = Traces::new();
    let mut budget = 20 * TRACES;
    // Some searches are divided all the time, others rarely.
    let odds = seldom + random.below(30);
    loop {
        let at = random.below(workers.len() as u64) as usize;
        let worker = &mut workers[at];
        if !worker.busy {
            if pool.is_empty() {
                if workers.iter().all(|worker| !worker.busy) {
                    return traces;
                }
                continue;
            }
            worker.take(some_of(&mut pool, random));
        }
        if !worker.step() {
            worker.busy = false;
            worker.commit(&mut traces);
            continue;
        }
        budget -= 1;
        if budget == 0 {
            return Traces::new();
        }
        if random.below(odds) == 0 {
            match random.below(4) {
                0 => worker.commit(&mut traces),
                1 => pool.extend(worker.die(program)),
                _ => {
                    worker.give_some(1 + random.below(3), change, &mut pool);
                    worker.commit(&mut traces);
                }
            }
        }
    }
}

/// Explores `program` with one worker, but replaces the search at times by a new one made from the saved items. This
/// happens more and more seldom, as the distributed search repeats some of its work after each restart.
fn resumed(program: &Program, make: Make, random: &mut Random) -> Traces {
    let mut traces = Traces::new();
    let mut saved = vec![Item::everything()];
    let mut patience = 60;
    while !saved.is_empty() {
        let mut worker = Worker::new(program, make);
        worker.take(std::mem::take(&mut saved));
        let runs = random.below(patience);
        patience += 10;
        let over = (0..=runs).any(|_| !worker.step());
        worker.busy = !over;
        worker.commit(&mut traces);
        saved = worker.ledger;
    }
    traces
}

fn generated(seed: u64) -> (Program, Random) {
    let mut random = Random(seed);
    let threads = 2 + random.below(3) as u8;
    let shape = Shape { threads, statements: 2 + random.below(9) as u8 };
    (generate(&mut random, shape), random)
}

fn times(seen: &Seen) -> Traces {
    seen.traces.iter().map(|(print, (times, _))| (*print, *times)).collect()
}

/// Of the programs of these seeds, how many were compared, how many of them have more than one trace, and the seeds of
/// those that differ.
fn sample(seeds: std::ops::Range<u64>, change: Change) -> (u64, u64, Vec<u64>) {
    let (mut compared, mut divisible, mut differ) = (0, 0, Vec::new());
    for seed in seeds {
        let (program, mut random) = generated(seed);
        let alone = explore(&program, &mut Optimal::new(), TRACES);
        if !alone.complete {
            continue;
        }
        let alone = times(&alone);
        compared += 1;
        divisible += u64::from(alone.len() > 1);
        let workers = 1 + random.below(5) as usize;
        // The search checks the annotations of items and panics if they are wrong.
        let same = std::panic::catch_unwind(move || {
            divided(&program, optimal, workers, 2, &mut random, change) == alone
                && resumed(&program, optimal, &mut random) == alone
        });
        if !same.unwrap_or(false) {
            differ.push(seed);
        }
    }
    (compared, divisible, differ)
}

fn assert_sample(seeds: std::ops::Range<u64>) {
    let all = seeds.end - seeds.start;
    let (compared, divisible, differ) = sample(seeds, unchanged);
    println!("{compared} of {all} programs compared, {divisible} with more than one trace");
    assert!(differ.is_empty(), "seeds {differ:?}");
    assert!(divisible * 2 > all, "most programs have something to divide");
}

#[test]
fn divided_searches_visit_what_one_search_visits() {
    assert_sample(5_000_000..5_000_900);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_divided_searches_visit_what_one_search_visits() {
    assert_sample(6_000_000..6_060_000);
}

/// A distributed search that is divided or restarted all the time repeats itself without end.
const SELDOM: u64 = 20;

/// Compares the distributed search with the sequential one on the programs of these seeds; runs made by the two and by
/// the distributed search with the sequential one's sets.
fn compare_distributed(seeds: std::ops::Range<u64>) -> [u64; 3] {
    let (mut compared, mut runs, all) = (0, [0; 3], seeds.end - seeds.start);
    for seed in seeds {
        let (program, mut random) = generated(seed);
        let alone = explore(&program, &mut Dpor::new(), 100);
        if !alone.complete {
            continue;
        }
        compared += 1;
        runs[0] += alone.runs;
        for (at, make) in [distributed as Make, distributed_as_printed_first].into_iter().enumerate() {
            for workers in [1, 2, 4] {
                let found = divided(&program, make, workers, SELDOM, &mut random, unchanged);
                assert!(found.keys().eq(alone.traces.keys()), "seed {seed}, {workers} workers");
                runs[1 + at] += found.values().sum::<u64>();
            }
            let found = resumed(&program, make, &mut random);
            assert!(found.keys().eq(alone.traces.keys()), "seed {seed}, resumed");
        }
    }
    println!("{compared} programs; executions: {runs:?}");
    assert!(compared * 2 > all, "most programs are small enough");
    runs
}

#[test]
fn distributed_searches_visit_every_trace() {
    compare_distributed(7_000_000..7_000_300);
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_distributed_searches_visit_every_trace() {
    compare_distributed(8_000_000..8_025_000);
}

/// Two workers make runs in turn; one that has more than one item gives one to the other if that has none (the bound of
/// figure 6.4 is one).
fn two_in_turn(program: &Program, make: Make) -> u64 {
    let mut workers = [Worker::new(program, make), Worker::new(program, make)];
    workers[0].take(vec![Item::everything()]);
    let mut traces = Traces::new();
    while workers.iter().any(|worker| worker.busy) {
        for at in 0..2 {
            if workers[at].busy && !workers[at].step() {
                workers[at].busy = false;
            }
            if workers[at].busy && !workers[1 - at].busy && workers[at].search().open() > 1 {
                let item = workers[at].search().give();
                workers[1 - at].take(item.into_iter().collect());
            }
        }
    }
    workers.iter_mut().for_each(|worker| worker.commit(&mut traces));
    traces.values().sum()
}

/// Figures 6.5 to 6.8 and 6.10: three threads lock one mutex, 6 traces. With the sets of the sequential search both
/// workers find out that the third thread is to go first; with those of figure 6.9 it is known before anything is given
/// away.
#[test]
fn redundancy_of_the_dissertation() {
    let program = examples::lockers(3, 1);
    assert_eq!(two_in_turn(&program, distributed), 6);
    // The two in which the third thread goes first are visited twice.
    assert_eq!(two_in_turn(&program, distributed_as_printed_first), 8);
    // 9!/(3!)^3 traces.
    let larger = examples::lockers(3, 3);
    assert_eq!(two_in_turn(&larger, distributed), 1680);
    // Measured. Every trace is visited by one worker or by both, so it is between 1,680 and twice that; which ones are
    // visited twice depends on what each worker has learned when the other one gives a part away, for which there is no
    // formula.
    assert_eq!(two_in_turn(&larger, distributed_as_printed_first), 3280, "measured");
}

/// Variants of the distributed search with one thing wrong.
#[test]
fn broken_distributed_searches_are_noticed() {
    let broken: [(&str, Change); 3] = [
        ("a part is lost", |_, _| ()),
        ("nothing is added above a part", |mut item, pool| {
            let everybody = (0..64).fold(ThreadSet::EMPTY, |set, thread| set.union(ThreadSet::only(ThreadId(thread))));
            let own = item.steps.last().map_or(ThreadSet::EMPTY, |step| ThreadSet::only(step.thread));
            let last = item.prefix() as u32;
            item.tried = (0..=last).map(|at| (at, if at == last { everybody.minus(own) } else { everybody })).collect();
            pool.push(item);
        }),
        ("another thread is tried", |mut item, pool| {
            let first = item.steps[0];
            if let Some(step) = item.steps.last_mut() {
                step.thread = first.thread;
            }
            pool.push(item);
        }),
    ];
    for (what, change) in broken {
        let differs = |&seed: &u64| {
            let (program, mut random) = generated(seed);
            let alone = explore(&program, &mut Dpor::new(), 100);
            let traces: Vec<Fingerprint> = alone.traces.keys().copied().collect();
            let same = std::panic::catch_unwind(move || {
                divided(&program, distributed, 2, SELDOM, &mut random, change).into_keys().eq(traces)
            });
            alone.complete && !same.unwrap_or(false)
        };
        let seed = (7_000_000..7_010_000).find(differs);
        println!("{what}: {seed:?} differs");
        assert!(seed.is_some(), "not noticed: {what}");
    }
}

/// Variants with one thing wrong: each must be noticed.
#[test]
fn broken_divisions_are_noticed() {
    let broken: [(&str, Change); 5] = [
        ("a part is given away and kept", |item, pool| pool.extend([item.clone(), item])),
        ("a part is lost", |_, _| ()),
        ("marks are not handed down", |mut item, pool| {
            item.prefix_events.iter_mut().for_each(|prefix_event| prefix_event.marked = false);
            pool.push(item);
        }),
        ("what stands behind a block is not handed down", |mut item, pool| {
            item.prefix_events.iter_mut().for_each(|prefix_event| prefix_event.block_end = None);
            pool.push(item);
        }),
        ("the first event's races are forgotten", |mut item, pool| {
            item.races = false;
            pool.push(item);
        }),
    ];
    for (what, change) in broken {
        // The first programs that differ are enough.
        let mut samples = (0..20).map(|part| 5_000_000 + part * 20).map(|first| sample(first..first + 20, change).2);
        let differ = samples.find(|differ| !differ.is_empty());
        println!("{what}: {differ:?}");
        assert!(differ.is_some(), "not noticed: {what}");
    }
}

/// The number of open items at any moment grows with the length of a run, not with the size of the search.
#[test]
fn what_is_saved_grows_with_the_length_of_a_run_only() {
    let most = |n: usize| {
        let program = examples::lastzero(n);
        let (mut machine, mut search, mut plan) = (Machine::new(&program, 400), Optimal::new(), Plan::default());
        let mut most = 0;
        while search.next_plan(&mut plan) {
            search.learn(machine.run(&plan));
            assert!(search.open() <= 400);
            let mut items = 0;
            search.save(&mut |_| items += 1);
            most = most.max(items);
        }
        most
    };
    // (N+3)*2^(N-2) traces: 22 times as many for 11 as for 7.
    let (small, large) = (most(7), most(11));
    assert!(large < 4 * small, "{small} items for 320 traces, {large} for 7,168");
}

/// A search that samples 300 runs.
fn sampling(strategy: Strategy) -> Box<dyn Explorer> {
    Box::new(Sampling::new(strategy, 7, &SamplingOptions { runs: Some(300), ..SamplingOptions::default() }))
}

/// Those that can be divided, and one that makes as many runs as it finds right.
const SAMPLING: [(&str, Make); 6] = [
    ("random", || sampling(Strategy::Random)),
    ("pct", || sampling(Strategy::Priorities { changes: 2 })),
    ("pos", || sampling(Strategy::PartialOrder)),
    ("surw", || sampling(Strategy::Uniform { selected: None })),
    ("delay", || sampling(Strategy::Delays { number: 2 })),
    ("random without --runs", || Box::new(Sampling::new(Strategy::Random, 7, &SamplingOptions::default()))),
];

/// The runs of a search by their traces.
fn runs_of(program: &Program, make: Make) -> Traces {
    let mut alone = Worker::new(program, make);
    alone.take(vec![Item::everything()]);
    while alone.step() {}
    let mut runs = Traces::new();
    alone.commit(&mut runs);
    runs
}

/// Of the programs of these seeds, those in which divided searches that sample make other runs.
fn other_runs(
    seeds: std::ops::Range<u64>,
    searches: &[(&'static str, Make)],
    change: Change,
) -> Vec<(u64, &'static str)> {
    let mut differ = Vec::new();
    for seed in seeds {
        let (program, mut random) = generated(seed);
        for &(name, make) in searches {
            let alone = runs_of(&program, make);
            let workers = 2 + random.below(4) as usize;
            let shared = divided(&program, make, workers, 2, &mut random, change);
            if shared != alone || resumed(&program, make, &mut random) != alone {
                differ.push((seed, name));
            }
        }
    }
    differ
}

#[test]
fn divided_searches_that_sample_make_the_runs_of_one_search() {
    assert_eq!(runs_of(&examples::lockers(3, 1), SAMPLING[0].1).values().sum::<u64>(), 300);
    assert_eq!(other_runs(5_000_000..5_000_060, &SAMPLING[..5], unchanged), []);
    assert_eq!(other_runs(5_000_000..5_000_003, &SAMPLING[5..], unchanged), []);
}

/// Variants with one thing wrong: each must be noticed.
#[test]
fn broken_divisions_of_runs_are_noticed() {
    let broken: [(&str, Change); 3] = [
        ("a part is given away and kept", |item, pool| pool.extend([item.clone(), item])),
        ("a part is lost", |_, _| ()),
        ("a run is left out", |mut item, pool| {
            item.drawn = item.drawn.map(|runs| DrawnRuns { first: runs.first + 1, ..runs });
            pool.push(item);
        }),
    ];
    for (what, change) in broken {
        assert!(!other_runs(5_000_000..5_000_004, &SAMPLING[..5], change).is_empty(), "not noticed: {what}");
    }
}
