//! How often searches that sample show what they should, in programs whose probability is derived by hand.
//!
//! Of N runs in which something has the probability p, the number that shows it is binomial. Each test makes N =
//! 100,000 runs from a fixed seed and allows 5 standard deviations: a correct search stays within them with a
//! probability of more than 0.999999. Each seeded bug has another probability, further away than that.

use crate::common::{self, MAX_STEPS};
use inspect_core::event::{Ending, FreeRun, LimitKind, Plan, ReadsFrom, SampledRun, SiteId, Strategy, ThreadId, Trace};
use inspect_core::explore::{Dfs, Explorer, Sampling, SamplingOptions};
use inspect_core::model::{Expression, Machine, Operand, Program, Shape, Statement, fingerprint, generate};
use inspect_core::random::Random;
use std::collections::BTreeMap;

/// Runs of each measurement, beside those that a search learns from.
const RUNS: u64 = 100_000;

fn store(variable: u16) -> Statement {
    Statement::Store(Operand::at(variable), Expression::Constant(1))
}

/// Main creates thread 1 and stores `stores` times to `variable`; thread 1 stores `others` times to variable 0.
fn two_threads(stores: usize, variable: u16, others: usize) -> Program {
    let mut main = vec![Statement::Create(1)];
    main.extend(vec![store(variable); stores]);
    Program { bodies: vec![main, vec![store(0); others]], variables: 2, spurious_wakeups: false }
}

/// The stores of a run in their order, as numbers of threads.
fn stores(trace: &Trace) -> Vec<u8> {
    let stores = trace.events.iter().filter(|event| event.operation.bytes().is_some());
    stores.map(|event| event.thread.index() as u8).collect()
}

/// Runs of `search` by what they show, without those that it learns from. `alter` changes each plan.
fn shown(program: &Program, mut search: Sampling, alter: fn(&mut Plan)) -> BTreeMap<Vec<u8>, u64> {
    let mut machine = Machine::new(program, MAX_STEPS);
    let (mut plan, mut shown) = (Plan::default(), BTreeMap::new());
    let profiled = |search: &Sampling| search.sampled().expect("it samples").profiled;
    while search.next_plan(&mut plan) {
        alter(&mut plan);
        let trace = machine.run(&plan);
        assert_eq!(trace.ending, Ending::Completed);
        let before = profiled(&search);
        search.learn(trace);
        if profiled(&search) == before {
            *shown.entry(stores(trace)).or_default() += 1;
        }
    }
    shown
}

fn search_of(strategy: Strategy, seed: u64, runs: u64) -> Sampling {
    Sampling::new(strategy, seed, &SamplingOptions { runs: Some(runs), ..SamplingOptions::default() })
}

fn sampling(strategy: Strategy) -> Sampling {
    search_of(strategy, 1, RUNS + if strategy == Strategy::Random { 0 } else { 8 })
}

/// Whether `order` of the stores was shown about as often as something with the probability `expected`.
fn agrees(shown: &BTreeMap<Vec<u8>, u64>, order: &[u8], expected: f64) -> bool {
    let runs = shown.values().sum::<u64>() as f64;
    assert_eq!(runs as u64, RUNS);
    let (mean, times) = (runs * expected, *shown.get(order).unwrap_or(&0) as f64);
    let deviation = (mean * (1.0 - expected)).sqrt();
    println!("{order:?}: {times} times, {mean:.0} expected, {:.1} deviations", (times - mean) / deviation);
    (times - mean).abs() <= 5.0 * deviation
}

/// Asserts a probability, and that another one is noticed if each plan is altered.
fn check(program: &Program, strategy: Strategy, order: &[u8], expected: f64, seeded_bug: fn(&mut Plan)) {
    assert!(agrees(&shown(program, sampling(strategy), |_| ()), order, expected));
    assert!(!agrees(&shown(program, sampling(strategy), seeded_bug), order, expected), "the seeded bug is caught");
}

/// Changes how the runs of a plan are drawn.
fn redrawn(plan: &mut Plan, strategy: impl Fn(Strategy) -> Strategy, longer: u32) {
    if let FreeRun::Sampled(run) = &mut plan.free_run {
        run.strategy = strategy(run.strategy);
        run.expected = run.expected.saturating_add(longer);
    }
}

/// Behind the create both threads can go on. Thread 1 stores last if main is drawn four times: 1/2^4.
#[test]
fn random_draws_each_thread_with_the_same_probability() {
    let bug = |plan: &mut Plan| redrawn(plan, |_| Strategy::PartialOrder, 0);
    check(&two_threads(4, 1, 1), Strategy::Random, &[0, 0, 0, 0, 1], 1.0 / 16.0, bug);
}

/// Of two priorities, main's is the higher one with probability 1/2, however many steps it has.
#[test]
fn pct_of_depth_1_finds_what_one_order_of_two_threads_shows() {
    let bug = |plan: &mut Plan| redrawn(plan, |_| Strategy::Random, 0);
    check(&two_threads(5, 0, 1), Strategy::Priorities { changes: 0 }, &[0, 0, 0, 0, 0, 1], 1.0 / 2.0, bug);
}

/// Thread 2 stores before thread 1 if thread 1 has the lowest of three priorities: with a higher one than main, it is
/// over before main creates thread 2. That is 1/3, the bound for n = 3 and d = 1. In a random walk it is 1/4: main
/// creates thread 2 before thread 1 stores (1/2), and thread 2 is drawn before thread 1 (1/2).
#[test]
fn pct_of_depth_1_meets_its_bound_for_three_threads() {
    let bodies = vec![vec![Statement::Create(1), Statement::Create(2)], vec![store(0)], vec![store(0)]];
    let program = Program { bodies, variables: 1, spurious_wakeups: false };
    let bug = |plan: &mut Plan| redrawn(plan, |_| Strategy::Random, 0);
    check(&program, Strategy::Priorities { changes: 0 }, &[2, 1], 1.0 / 3.0, bug);
    assert!(agrees(&shown(&program, sampling(Strategy::Random), |_| ()), &[2, 1], 1.0 / 4.0));
}

/// Thread 1 stores between the third and the fourth store of main: main has to begin with the higher priority (1/2) and
/// to be lowered before step 4 of the 10 (a create, 6 stores and one, two exits): 1/10. The bound for n = 2, k = 10, d
/// = 2 is 1 / (2 x 10): no strategy can do with less.
#[test]
fn pct_of_depth_2_meets_its_bound() {
    let (program, order) = (two_threads(6, 0, 1), [0, 0, 0, 1, 0, 0, 0]);
    let strategy = Strategy::Priorities { changes: 1 };
    // A length that is too large by one.
    check(&program, strategy, &order, 1.0 / 20.0, |plan| redrawn(plan, |strategy| strategy, 1));
}

/// Thread 1 stores once behind the first store of main and once behind the last one: main is lowered before step 2, and
/// thread 1 below main before step 3, of 8 (a create, 3 stores and two, two exits). Each of the two changes has its own
/// value, so one of them has to come at each place: 1/2 x 1/8 x 1/8, which is the bound for n = 2, k = 8, d = 3.
#[test]
fn pct_of_depth_3_meets_its_bound() {
    let (program, order) = (two_threads(3, 0, 2), [0, 1, 0, 0, 1]);
    let strategy = Strategy::Priorities { changes: 2 };
    let bug = |plan: &mut Plan| redrawn(plan, |_| Strategy::Priorities { changes: 3 }, 0);
    check(&program, strategy, &order, 1.0 / 128.0, bug);
}

/// The store of thread 1 races with none of main's, so it keeps its priority p, and is last if four priorities of
/// main's are higher: the integral of (1 - p)^4 is 1/5.
#[test]
fn pos_lets_an_operation_without_races_fall_behind_many() {
    let bug = |plan: &mut Plan| redrawn(plan, |_| Strategy::Random, 0);
    check(&two_threads(4, 1, 1), Strategy::PartialOrder, &[0, 0, 0, 0, 1], 1.0 / 5.0, bug);
}

/// Here it races with each, and draws a new priority after each: 1/2^4. A priority of the thread would be kept: 1/2.
#[test]
fn pos_draws_anew_after_a_race() {
    let bug = |plan: &mut Plan| redrawn(plan, |_| Strategy::Priorities { changes: 0 }, 0);
    check(&two_threads(4, 0, 1), Strategy::PartialOrder, &[0, 0, 0, 0, 1], 1.0 / 16.0, bug);
}

/// Two stores of one thread and three of another have 5! / (2! 3!) = 10 orders.
#[test]
fn surw_draws_all_orders_of_the_selected_operations_with_the_same_probability() {
    let main = vec![Statement::Create(1), Statement::Create(2)];
    let bodies = vec![main, vec![store(0); 2], vec![store(0); 3]];
    let program = Program { bodies, variables: 1, spurious_wakeups: false };
    let strategy = Strategy::Uniform { selected: None };
    let right = shown(&program, sampling(strategy), |_| ());
    assert_eq!(right.len(), 10);
    assert!(right.keys().all(|order| agrees(&right, order, 0.1)));
    // One operation too many is expected of thread 1, and of main, which creates it.
    let wrong = shown(&program, sampling(strategy), |plan| plan.weights.iter_mut().take(2).for_each(|left| *left += 1));
    assert!(!wrong.keys().all(|order| agrees(&wrong, order, 0.1)), "the seeded bug is caught");
}

/// Without a delay main runs to its end first. The delays have to come before step 2, which passes to thread 1, and
/// before step 3, which passes back to main, of 8 steps; either may be drawn first: 2 x 1/8 x 1/8.
#[test]
fn delay_draws_each_place_with_the_same_probability() {
    let (program, order) = (two_threads(3, 0, 2), [0, 1, 0, 0, 1]);
    let strategy = Strategy::Delays { number: 2 };
    check(&program, strategy, &order, 2.0 / 64.0, |plan| redrawn(plan, |strategy| strategy, 1));
}

/// How many of a hundred runs show that thread 1's store in its place `at` comes right behind main's first one, if
/// `wanted` is asked for (or nothing).
fn runs_with_pair(at: u64, wanted: Option<bool>) -> usize {
    let program = two_threads(8, 0, 8);
    let (writer, reader) = (SiteId(1), SiteId(1 << 16 | at));
    let mut machine = Machine::new(&program, MAX_STEPS);
    let shows = |seed: u64| {
        let run = SampledRun { strategy: Strategy::ReadsFrom, seed, expected: 100 };
        let mut plan = Plan { free_run: FreeRun::Sampled(run), ..Plan::default() };
        let store = machine.run(&Plan::default()).events.iter().find_map(|event| event.operation.bytes());
        let start = store.expect("main stores").start;
        plan.reads_from.extend(wanted.map(|wanted| ReadsFrom { start, reader, writer, wanted }));
        let stores: Vec<SiteId> = machine
            .run(&plan)
            .events
            .iter()
            .filter(|event| event.operation.bytes().is_some())
            .map(|e| e.site)
            .collect();
        stores.windows(2).any(|pair| pair == [writer, reader])
    };
    (0..100).map(shows).filter(|shown| *shown).count()
}

/// Each store finds what the one before it has left. Thread 1's first store finds main's first one in some runs: in all
/// of them if that is asked for, as it waits until then and main's second one for it, and in none if the opposite is.
/// Its fifth store is not there yet when main makes its first one, unless four of its own came before: it may miss what
/// is asked for, and never shows what is to be avoided.
#[test]
fn rff_meets_constraints_that_can_be_met() {
    let some = runs_with_pair(0, None);
    assert!((1..100).contains(&some), "{some}");
    assert_eq!((runs_with_pair(0, Some(true)), runs_with_pair(0, Some(false))), (100, 0));
    assert_eq!(runs_with_pair(4, Some(false)), 0);
}

/// Thread 2's first store is to find another store than thread 1's, which never ends and has made one before: it
/// cannot. The constraint is given up after 2,000 steps, and all of thread 2's operations are executed.
#[test]
fn rff_gives_up_a_constraint_that_no_run_meets() {
    let main = vec![Statement::Create(1), Statement::Create(2)];
    let bodies = vec![main, vec![store(0), Statement::Jump(0)], vec![store(0); 10]];
    let program = Program { bodies, variables: 1, spurious_wakeups: false };
    let of_two = |constrained: bool, steps: u32| {
        let mut machine = Machine::new(&program, steps);
        let run = SampledRun { strategy: Strategy::ReadsFrom, seed: 1, expected: u32::MAX };
        let mut plan = Plan { free_run: FreeRun::Sampled(run), ..Plan::default() };
        let events = machine.run(&plan).events.clone();
        let start = events.iter().find_map(|event| event.operation.bytes()).expect("a store").start;
        let site = |thread: u8| {
            events.iter().find(|e| e.thread.index() == usize::from(thread) && e.operation.bytes().is_some())
        };
        let (writer, reader) = (site(1).expect("it stores").site, site(2).expect("it stores").site);
        for writer in [writer, SiteId(0)] {
            plan.reads_from.push(ReadsFrom { start, reader, writer, wanted: false });
        }
        plan.reads_from.truncate(if constrained { 2 } else { 0 });
        machine.run(&plan).events.iter().filter(|event| event.thread == ThreadId(2)).count()
    };
    assert_eq!((of_two(false, 1_500), of_two(true, 1_500)), (11, 0), "the constraint delays thread 2");
    assert_eq!(of_two(true, 4_000), 11, "ten stores and the exit");
}

/// Two threads store five times each, and one of the 252 orders is looked for: by turns. What earlier runs have shown
/// leads there sooner: with feedback more of 40 searches of 400 runs come to it than without, where the search is told
/// of no run.
#[test]
fn rff_learns_from_what_its_runs_have_shown() {
    let program = two_threads(5, 0, 5);
    let order = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1];
    let searches = |learns: bool| {
        let comes_to_it = |seed: &u64| {
            let (mut machine, mut plan) = (Machine::new(&program, MAX_STEPS), Plan::default());
            let mut search = search_of(Strategy::ReadsFrom, *seed, 400);
            for _ in 0..400 {
                assert!(search.next_plan(&mut plan));
                let trace = machine.run(&plan);
                if stores(trace) == order {
                    return true;
                }
                if learns {
                    search.learn(trace);
                }
            }
            false
        };
        (0..40).filter(comes_to_it).count()
    };
    let (with, without) = (searches(true), searches(false));
    println!("{with} of 40 with feedback, {without} without");
    assert!(with > without + 10, "{with} of 40 with feedback, {without} without");
}

/// One strategy of each sort.
const ALL: [Strategy; 6] = [
    Strategy::Random,
    Strategy::Priorities { changes: 2 },
    Strategy::PartialOrder,
    Strategy::Uniform { selected: None },
    Strategy::ReadsFrom,
    Strategy::Delays { number: 2 },
];

/// Each run is one of those that brute force makes, and they are the same whenever they are made with the same seed,
/// and however many there are.
#[test]
fn runs_are_possible_and_follow_from_the_seed() {
    for seed in 0..25 {
        let program = generate(&mut Random(seed), Shape { threads: 3, statements: 6 });
        let brute = common::explore(&program, &mut Dfs::new(), 20_000);
        if !brute.complete {
            continue;
        }
        for strategy in ALL {
            let runs = |seed: u64, number: u64| {
                let (mut machine, mut traces) = (Machine::new(&program, MAX_STEPS), Vec::new());
                let (mut search, mut plan) = (search_of(strategy, seed, number), Plan::default());
                while search.next_plan(&mut plan) {
                    let trace = machine.run(&plan);
                    traces.push((stores(trace), fingerprint(trace)));
                    search.learn(trace);
                }
                traces
            };
            let made = runs(seed, 30);
            assert!(made.iter().all(|(_, trace)| brute.traces.contains_key(trace)), "{strategy:?} of {program:?}");
            assert_eq!(made, runs(seed, 30));
            assert_eq!(made[..15], runs(seed, 15)[..]);
        }
    }
}

/// Thread 1 never ends, and thread 2 has ten operations. All of these are executed in every run, with every strategy.
#[test]
fn a_thread_without_an_end_keeps_no_other_from_running() {
    let main = vec![Statement::Create(1), Statement::Create(2)];
    let bodies = vec![main, vec![store(0), Statement::Jump(0)], vec![store(1); 10]];
    let program = Program { bodies, variables: 2, spurious_wakeups: false };
    for strategy in ALL {
        let mut machine = Machine::new(&program, 1_000);
        let (mut search, mut plan) = (search_of(strategy, 1, 300), Plan::default());
        while search.next_plan(&mut plan) {
            let trace = machine.run(&plan);
            assert_eq!(trace.ending, Ending::Limit(LimitKind::Steps));
            let of_two = trace.events.iter().filter(|event| event.thread == ThreadId(2)).count();
            assert_eq!(of_two, 11, "{strategy:?}: ten stores and the exit");
            search.learn(trace);
        }
    }
}
