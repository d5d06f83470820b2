//! A run allocates nothing once the vectors of the scheduler, the detectors and the search have grown.

use inspect_core::detect::{Observer, PagedShadow};
use inspect_core::event::Plan;
use inspect_core::explore::{CbPor, Explorer, Optimal};
use inspect_core::model::{Expression, Machine, Operand, Program, Statement, examples};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count_one() {
    ALLOCATIONS.with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator, which keeps the trait's contract; the counter is a
// thread-local that needs no allocation itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller of `alloc` promises what `System.alloc` asks for; the layout is the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `System`, and the caller of `dealloc` promises that block and layout belong
        // together.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_one();
        // SAFETY: the block came from `System`, and the caller of `realloc` promises block, layout and a valid size.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Makes every run of a search; returns how many there were and how often memory was allocated meanwhile.
fn search(machine: &mut Machine<'_>, observer: &mut Observer<PagedShadow>) -> (u64, u64) {
    let mut explorer = Optimal::new();
    let (mut plan, mut findings) = (Plan::default(), Vec::new());
    let before = ALLOCATIONS.with(Cell::get);
    let mut runs = 0;
    while explorer.next_plan(&mut plan) {
        observer.begin();
        let trace = machine.run(&plan);
        observer.take_in(&trace.events);
        explorer.learn(trace);
        observer.end(machine.record(), &mut findings);
        runs += 1;
    }
    (runs, ALLOCATIONS.with(Cell::get) - before)
}

/// Makes a search twice. The second one allocates only while the explorer's own few vectors grow, each of which doubles
/// not more than some ten times.
fn check(program: &Program, runs: u64) {
    let mut machine = Machine::new(program, 400);
    let mut observer = Observer::new(PagedShadow::new());
    assert_eq!(search(&mut machine, &mut observer).0, runs);
    let (again, allocations) = search(&mut machine, &mut observer);
    assert_eq!(again, runs);
    assert!(allocations < 150, "{allocations} allocations in {runs} runs");
}

#[test]
fn a_run_under_locks_allocates_nothing() {
    // 3 threads locking one mutex 3 times each: 9!/(3!)^3.
    check(&examples::lockers(3, 3), 1680);
}

#[test]
fn a_run_with_accesses_under_locks_allocates_nothing() {
    // As above; each section also reads and writes a variable.
    let body = || {
        let section = [
            Statement::Lock(Operand::at(0)),
            Statement::Read(Operand::at(0), 0),
            Statement::Write(Operand::at(0), Expression::Register(0, 1)),
            Statement::Unlock(Operand::at(0)),
        ];
        section.iter().cloned().cycle().take(12).collect::<Vec<_>>()
    };
    let main = vec![Statement::Create(1), Statement::Create(2), Statement::Create(3)];
    let program = Program { bodies: vec![main, body(), body(), body()], variables: 1, spurious_wakeups: false };
    check(&program, 1680);
}

#[test]
fn a_run_with_races_allocates_nothing_once_they_are_reported() {
    // (N+3)*2^(N-2) for N = 7.
    check(&examples::lastzero(7), 320);
}

/// The states of a context-bounded search need room, which doubles as they grow in number: each of its few vectors and
/// tables is allocated not more than some twenty times.
#[test]
fn a_context_bounded_search_allocates_only_room_for_its_states() {
    let program = examples::lockers(3, 3);
    let mut machine = Machine::new(&program, 400);
    let (mut search, mut plan, mut runs) = (CbPor::new(3), Plan::default(), 0);
    let before = ALLOCATIONS.with(Cell::get);
    while search.next_plan(&mut plan) {
        search.learn(machine.run(&plan));
        runs += 1;
    }
    let allocations = ALLOCATIONS.with(Cell::get) - before;
    println!("{allocations} allocations in {runs} runs");
    assert!(runs > 500 && allocations < 400, "{allocations} allocations in {runs} runs");
}
