//! Several stateful searches that share a table of explored states, against one search and brute force: final states,
//! deadlocks, misuses and local states. The searches take turns in a pseudo-random order, and some of them die.

use crate::common::MAX_STEPS;
use crate::common::states::{self, Reached, cyclic, end_of, explore, has_rwlocks, program_of, same};
use crate::small_programs::programs_with_cancellation;
use crate::timers::programs_with_timers;
use inspect_core::event::{Ending, Plan, ThreadOrder};
use inspect_core::explore::{Dfs, Explorer, OperationEncoding, SharedOperation, StateSharing, Stateful};
use inspect_core::model::{Machine, Program, Random, Statement};
use inspect_core::run::{Matching, StateTable, States};
use std::cell::RefCell;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// The operations that this thread has encoded for its present table: each is written as its position here.
fn with_operations<R>(function: impl FnOnce(&mut Vec<SharedOperation>) -> R) -> R {
    thread_local! {
        static OPERATIONS: RefCell<Vec<SharedOperation>> = const { RefCell::new(Vec::new()) };
    }
    OPERATIONS.with_borrow_mut(function)
}

fn encode(operation: &SharedOperation) -> Option<Vec<u64>> {
    with_operations(|all| {
        all.push(operation.clone());
        Some(vec![all.len() as u64 - 1])
    })
}

fn decode(words: &[u64]) -> Option<SharedOperation> {
    with_operations(|all| all.get(*words.first()? as usize).cloned())
}

thread_local! {
    /// The words of this thread's tables, each of which begins when the one before is no longer used.
    static WORDS: &'static [AtomicU64] =
        (0..StateTable::LEAST + ROOMY).map(|_| AtomicU64::new(0)).collect::<Vec<_>>().leak();
}

/// An empty table with this many words beyond the fewest.
fn table(words: usize) -> StateTable {
    with_operations(Vec::clear);
    WORDS.with(|all| {
        all.iter().for_each(|word| word.store(0, Relaxed));
        StateTable::new(&all[..StateTable::LEAST + words]).expect("it has enough words")
    })
}

/// Room for all states of these programs.
const ROOMY: usize = 1 << 15;

/// How several searches share a program.
#[derive(Clone, Copy)]
struct Division {
    searches: usize,
    /// Words of the table beyond the fewest.
    words: usize,
    /// Not all states are compared.
    sparse: bool,
    /// How many times a search dies and another one begins.
    deaths: usize,
    search: fn() -> Stateful,
}

const ALL_STATES: Division = Division { searches: 2, words: ROOMY, sparse: false, deaths: 0, search: Stateful::new };

/// One of the searches.
struct Sharer<'p> {
    machine: Machine<'p>,
    search: Stateful,
    /// The next run, if it was planned and not made yet.
    plan: Option<Plan>,
}

impl<'p> Sharer<'p> {
    fn new(program: &'p Program, table: StateTable, number: usize, division: &Division) -> Self {
        let states = if division.sparse { States::within(1 << 20) } else { States::new(Matching::Cut, usize::MAX) };
        let encoding = OperationEncoding { encode, decode };
        let sharing = StateSharing { table, encoding, order: ThreadOrder(number as u32) };
        Sharer {
            machine: Machine::with_states(program, MAX_STEPS, states.sharing(Some(table))),
            search: (division.search)().sharing(Some(sharing)),
            plan: None,
        }
    }

    /// Plans a run, or makes the one that was planned. Returns false if nothing is left, or if the run was cut.
    fn turn(&mut self, reached: &mut Reached) -> bool {
        let Some(plan) = self.plan.take() else {
            let mut plan = Plan::default();
            reached.complete = !self.search.next_plan(&mut plan);
            self.plan = Some(plan);
            return !reached.complete;
        };
        reached.runs += 1;
        let trace = self.machine.run(&plan).clone();
        self.search.learn(&trace);
        reached.misuses.extend(crate::common::misuses(self.machine.record()));
        if let Some(end) = end_of(&trace) {
            reached.ends.insert((end, self.machine.final_state()));
        }
        !matches!(trace.ending, Ending::Limit(_))
    }
}

/// Has several searches explore `program` until one of them is over.
fn divided(program: &Program, division: &Division, seed: u64, limit: u64) -> Reached {
    let (mut random, mut reached) = (Random(seed), Reached::default());
    let table = table(division.words);
    let new = |number: usize| Sharer::new(program, table, number, division);
    let mut sharers: Vec<Sharer<'_>> = (0..division.searches).map(new).collect();
    // For some time one of them is mostly chosen, so that the others are anywhere when it has explored a part.
    let (mut favourite, mut deaths) = (0, division.deaths);
    while reached.runs < limit {
        if random.once_in(8) {
            favourite = random.below(division.searches as u64) as usize;
        }
        let at = if random.once_in(4) { random.below(division.searches as u64) as usize } else { favourite };
        if deaths > 0 && random.once_in(12) {
            deaths -= 1;
            reached.locals.extend(sharers[at].machine.local_states());
            sharers[at] = new(at);
        }
        if !sharers[at].turn(&mut reached) {
            break;
        }
    }
    reached.endless = sharers.iter().any(|sharer| sharer.search.is_endless());
    sharers.iter().for_each(|sharer| reached.locals.extend(sharer.machine.local_states()));
    reached
}

/// The ways in which each program is divided.
fn divisions() -> Vec<(&'static str, Division)> {
    vec![
        ("two searches", ALL_STATES),
        ("four searches", Division { searches: 4, ..ALL_STATES }),
        ("three searches that compare some states", Division { searches: 3, sparse: true, ..ALL_STATES }),
        ("two searches with a small table", Division { words: 150, ..ALL_STATES }),
        ("three searches that die", Division { searches: 3, deaths: 9, ..ALL_STATES }),
        ("two searches with few summaries", Division { search: || Stateful::within(512), ..ALL_STATES }),
    ]
}

/// Whether the program was small enough, or how the searches differ.
fn compare(program: &Program, seed: u64) -> Result<bool, String> {
    const MOST: u64 = 3_000;
    let dfs = explore(program, &mut Dfs::new(), Matching::Never, MOST);
    if !dfs.complete || has_rwlocks(program) {
        return Ok(false);
    }
    for (name, division) in divisions() {
        same(name, &dfs, &divided(program, &division, seed, 40 * MOST))?;
    }
    Ok(true)
}

/// The same for a program with loops, which depth-first search does not finish.
fn compare_cyclic(program: &Program, seed: u64) -> Result<bool, String> {
    const MOST: u64 = 20_000;
    let all = explore(program, &mut Stateful::exhaustive(), Matching::Cut, MOST);
    if !all.complete || has_rwlocks(program) {
        return Ok(false);
    }
    for (name, division) in divisions() {
        // Where a state is not stored, what follows it is explored again and again.
        let found = divided(program, &division, seed, 20 * MOST);
        if !found.complete && found.runs < 20 * MOST {
            // In another order of threads, a run comes to more new states than a run may have steps.
            return Ok(false);
        }
        same(name, &all, &found)?;
        if found.endless != all.endless {
            return Err(format!("{name}, endless: {}, alone {}", found.endless, all.endless));
        }
    }
    Ok(true)
}

#[test]
fn a_fixed_sample_shared_by_searches_agrees_with_depth_first_search() {
    states::sample(0..200, |seed| compare(&program_of(seed), seed));
}

#[test]
fn a_fixed_sample_with_loops_shared_by_searches_agrees_with_the_exhaustive_search() {
    states::sample(0..200, |seed| compare_cyclic(&cyclic(seed), seed));
}

#[test]
fn small_programs_with_cancellation_and_timers_shared_by_searches_agree_with_depth_first_search() {
    let programs = programs_with_cancellation().into_iter().step_by(7).chain(programs_with_timers(3));
    let compared = programs.enumerate().map(|(seed, program)| compare(&program, seed as u64));
    let small = compared.filter(|result| result.clone().expect("the searches agree")).count();
    assert!(small > 100, "{small} programs are small enough");
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_programs_shared_by_searches_agree_with_depth_first_search() {
    states::sample(5_000_000..5_020_000, |seed| compare(&program_of(seed), seed));
}

#[test]
#[ignore = "long: make test-long runs it"]
fn many_programs_with_loops_shared_by_searches_agree_with_the_exhaustive_search() {
    states::sample(6_000_000..6_006_000, |seed| compare_cyclic(&cyclic(seed), seed));
}

/// The comparison can fail: it finds each seeded bug in some of these programs.
fn is_caught(search: fn() -> Stateful) -> bool {
    let differs = |seed| {
        let program = cyclic(seed);
        let all = explore(&program, &mut Stateful::exhaustive(), Matching::Cut, 2_000);
        let broken = || divided(&program, &Division { search, ..ALL_STATES }, seed, 20_000);
        all.complete && !has_rwlocks(&program) && same("broken", &all, &broken()).is_err()
    };
    (0..200).any(differs)
}

#[test]
fn searches_that_share_no_summaries_are_caught() {
    assert!(is_caught(Stateful::broken_without_summaries));
}

#[test]
fn searches_that_leave_cycles_alone_are_caught() {
    assert!(is_caught(Stateful::broken_without_cycles));
}

#[test]
fn searches_that_promise_what_they_have_not_explored_yet_are_caught() {
    assert!(is_caught(Stateful::broken_promises));
}

/// Main creates a thread, and both create another one: the number of each thread is that of its creation path in both
/// searches, though one lets main go first and the other one the thread.
#[test]
fn searches_that_share_states_number_threads_alike() {
    let create = |bodies: &[u8]| bodies.iter().map(|&body| Statement::Create(body)).collect::<Vec<_>>();
    let bodies = vec![create(&[1, 2]), create(&[3]), vec![], vec![]];
    let program = Program { bodies, variables: 1, spurious_wakeups: false };
    let table = table(ROOMY);
    let mut numbers = Vec::new();
    for order in 0..2 {
        let mut sharer = Sharer::new(&program, table, order, &ALL_STATES);
        let mut reached = Reached::default();
        assert!(sharer.turn(&mut reached) && sharer.turn(&mut reached));
        let paths = sharer.machine.record().paths().to_vec();
        let given: Vec<_> = (1..4).filter_map(|number| table.path(number)).collect();
        assert_eq!(given, paths[1..], "the three threads beside main are in the table");
        numbers.push(given);
    }
    assert_eq!(numbers[0], numbers[1]);
}
