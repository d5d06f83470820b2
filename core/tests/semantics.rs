//! Programs that textbook versions of the algorithms explore wrongly, and programs on which the algorithms once
//! differed from brute force. Every program is compared with brute force; the number of its traces is derived beside
//! it.

use crate::common::check;
use inspect_core::model::Statement::*;
use inspect_core::model::{Expression, Operand, Part, Program, RECURSIVE, Statement, Test, examples};

const ONE: Expression = Expression::Constant(1);

fn at(number: u16) -> Operand {
    Operand::at(number)
}

fn is(register: u8, equals: u64) -> Test {
    Test { register, equals }
}

/// Main starts the given bodies in order and ends.
fn started(threads: Vec<Vec<Statement>>) -> Program {
    let main = (1..=threads.len()).map(|body| Create(body as u8)).collect();
    with_main(main, threads)
}

fn with_main(main: Vec<Statement>, threads: Vec<Vec<Statement>>) -> Program {
    Program { bodies: std::iter::once(main).chain(threads).collect(), variables: 4, spurious_wakeups: false }
}

fn expect(program: &Program, traces: usize) {
    assert_eq!(check(program, 2_000_000), Ok(Some(traces)));
}

/// Unlock orders lock, so the two locks are no immediate race; their order is what matters. 2 orders.
#[test]
fn locks_are_reversed_through_the_unlock() {
    expect(&examples::lockers(2, 1), 2);
}

/// Three critical sections in any order: 3! = 6.
#[test]
fn three_threads_on_one_lock() {
    expect(&examples::lockers(3, 1), 6);
}

/// The second thread begins with waiting for the first, which may have ended before the second is created: its join has
/// two enabling events. Its write comes after the other two, which have 2 orders.
#[test]
fn a_thread_may_begin_with_a_join_of_a_thread_that_has_ended() {
    let x = at(0);
    let main = vec![Create(1), Write(x, ONE), Create(2)];
    expect(&with_main(main, vec![vec![Write(x, ONE)], vec![Join(1), Write(x, ONE)]]), 2);
}

/// x = 3 before, between or after x = 1 and x = 2; y = 1 commutes: 3.
#[test]
fn dissertation_figure() {
    expect(&examples::figure(), 3);
}

/// One thread is first on both mutexes (2 ways), or each is first on its own first mutex: deadlock. In the deadlock
/// both second locks are pending and race with the locks that were granted.
#[test]
fn a_lock_that_is_never_granted_races() {
    let body = |first, second| vec![Lock(at(first)), Lock(at(second)), Unlock(at(second)), Unlock(at(first))];
    expect(&started(vec![body(0, 1), body(1, 0)]), 3);
}

/// The first thread keeps the mutex, so the second is never granted it unless it comes first: 2.
#[test]
fn a_lock_that_is_kept_races() {
    let program = started(vec![vec![Lock(at(0))], vec![Lock(at(0)), Unlock(at(0))]]);
    expect(&program, 2);
}

/// A trylock before, during (it fails) or after the other thread's critical section: 3.
#[test]
fn a_trylock_fails_only_while_the_mutex_is_held() {
    let tries = vec![TryLock(at(0), 0), JumpUnless(is(0, 1), 3), Unlock(at(0))];
    expect(&started(vec![vec![Lock(at(0)), Unlock(at(0))], tries]), 3);
}

/// Two failed trylocks commute. Each of the two tries before, during or after the section of the first thread; both
/// before or both after (they exclude each other or one fails meanwhile) is worth 2 orders of sections and 2 failures.
#[test]
fn failed_trylocks_commute() {
    let tries = || vec![TryLock(at(0), 0), JumpUnless(is(0, 1), 3), Unlock(at(0))];
    let program = started(vec![vec![Lock(at(0)), Unlock(at(0))], tries(), tries()]);
    // Tries t and u, section s. Both during s: 1. One during, the other before or after: 2 * 2 = 4.
    // Both outside s, in different places: 2. Both on the same side (2 sides), one after the other or one during the
    // other's hold (2 * 2 ways): 8.
    expect(&program, 1 + 4 + 2 + 8);
}

/// Two waiters, one signal without the mutex. The waiters' sections come in one of 2 orders. Signal before both
/// waits: lost, 2. After the first wait only: it wakes that one, whose end comes before or after the other's wait: 2
/// * 2. After both: it wakes either: 2 * 2. Together 10.
#[test]
fn a_signal_chooses_its_waiter() {
    let wait = || vec![Lock(at(0)), Wait(at(0), at(0)), Unlock(at(0))];
    expect(&started(vec![wait(), wait(), vec![Signal(at(0))]]), 10);
}

/// The first thread succeeds; the failed exchanges are reads and commute: 3 threads, 3 traces.
#[test]
fn failed_exchanges_commute() {
    let exchange = || vec![CompareExchange(at(0), Expression::Constant(0), ONE, 0)];
    expect(&started(vec![exchange(), exchange(), exchange()]), 3);
}

/// The thread with the failed assumption stops; the race of the others is still reversed: 2.
#[test]
fn a_failed_assumption_cuts_nothing_off() {
    let program = started(vec![vec![Assume(is(0, 1))], vec![Write(at(0), ONE)], vec![Write(at(0), ONE)]]);
    expect(&program, 2);
}

/// The exit waits until the others are done: 2 orders of the writes. Two threads that both want to exit add nothing.
#[test]
fn an_exit_cuts_nothing_off() {
    let write = || vec![Write(at(0), ONE)];
    expect(&started(vec![vec![ExitProcess(0)], write(), write(), vec![ExitProcess(1)]]), 2);
}

/// Create and join order the three writes: 1.
#[test]
fn creation_and_join_order() {
    let main = vec![Write(at(0), ONE), Create(1), Join(1), Write(at(0), ONE)];
    expect(&with_main(main, vec![vec![Write(at(0), ONE)]]), 1);
}

/// Two independent choices of 2 and 3: 6.
#[test]
fn choices_multiply() {
    expect(&started(vec![vec![Choose(2, 0)], vec![Choose(3, 0)]]), 6);
}

/// The writer before or after each reader: 4. With `r` and `s` reversed in by two sibling reversals, r s w must not be
/// visited from both.
#[test]
fn readers_before_one_writer_are_visited_once() {
    expect(&examples::readers(2), 4);
    expect(&examples::readers(3), 8);
}

/// As published, persistent sets with sleep sets miss a trace here: the reader behind an operation of its own thread.
/// The writer before or after each of the two readers: 4.
#[test]
fn a_sleeping_thread_in_a_backtrack_set_hides_races() {
    let readers = [vec![Lock(at(0)), Read(at(0), 0)], vec![Read(at(0), 0)]];
    let [first, second] = readers;
    expect(&started(vec![vec![Write(at(0), ONE)], first, second]), 4);
}

/// The exchange fails after the store and succeeds (as a write of the same value) before it: whether it commutes with
/// the load, both before the store, is not known from the run in which it fails. 3 orders of exchange, store and
/// addition (the exchange fails in two of them) times places of the load: counted by brute force, 10.
#[test]
fn an_exchange_may_succeed_only_before_an_earlier_write() {
    let main = vec![Create(1), Store(at(0), ONE), FetchAdd(at(0), 1, 0)];
    let exchange =
        vec![Create(2), CompareExchange(at(0), Expression::Constant(0), Expression::Constant(0), 0), Join(2)];
    expect(&with_main(main, vec![exchange, vec![Load(at(0), 1)]]), 10);
}

/// The main thread's unlock of a free mutex enables nothing, so it is a race with the lock: 2.
#[test]
fn an_unlock_of_a_free_mutex_enables_nothing() {
    let main = vec![Create(1), Unlock(at(0))];
    expect(&with_main(main, vec![vec![Lock(at(0)), ExitProcess(1)]]), 2);
}

/// A waiter woken by a broadcast, instead of leaving by itself, takes the mutex after or before another thread's lock.
/// By brute force: 7.
#[test]
fn a_waiter_is_woken_instead_of_leaving() {
    let wait = vec![Lock(at(0)), TimedWait(at(1), at(0), 0), Unlock(at(0))];
    let program = with_main(
        vec![Create(1), Create(3), Join(1)],
        vec![vec![Create(2), Lock(at(0))], wait, vec![Broadcast(at(1))]],
    );
    expect(&program, 7);
}

/// The second lock by the holder does not wait, so it is no race with the other thread's first: 2 orders.
#[test]
fn a_recursive_lock_does_not_wait() {
    let mutex = at(RECURSIVE);
    let twice = vec![Lock(mutex), Lock(mutex), Unlock(mutex), Unlock(mutex)];
    expect(&started(vec![twice, vec![Lock(mutex), Unlock(mutex)]]), 2);
}

/// The first thread runs the initialiser; the other one waits for it and goes on: 2.
#[test]
fn one_of_two_runs_the_initialiser() {
    let once = || vec![OnceEnter(at(0), 0), JumpUnless(is(0, 1), 4), Write(at(0), ONE), OnceLeave(at(0))];
    expect(&started(vec![once(), once()]), 2);
}

/// The load of 0 before the store, then the load of 1 that the store enables; or the store first: 2.
#[test]
fn a_parked_loop_is_not_reversed_with_the_write_that_wakes_it() {
    expect(&started(vec![vec![Await(at(0), 1, 0)], vec![Store(at(0), ONE)]]), 2);
}

/// No thread writes the value that the loop waits for: a livelock, in both orders of the two stores of another value.
/// The loop sees the first value of 0, 2 and 3 it looks at and those after it, as far as it looks in time: the places
/// of its looks among two ordered stores are 0 alone, 2 alone, 3 alone and every combination, always ending with the
/// last: 4 each.
#[test]
fn a_loop_that_no_write_wakes() {
    let store = |value| vec![Store(at(0), Expression::Constant(value))];
    expect(&started(vec![vec![Await(at(0), 1, 0)], store(2), store(3)]), 2 * 4);
}

/// One read of two variables, of which one has two writers and the other one: 2 orders of the two writes, 3 places of
/// the read among them, 2 beside the third write. A write may come after the end of one block before the read without
/// coming after that of the other.
#[test]
fn a_write_behind_one_of_two_rivals() {
    let both = Read(Operand { part: Part::Two, ..at(0) }, 0);
    let write = |variable| vec![Write(at(variable), ONE)];
    let main = vec![Create(1), Create(2), Create(3), both];
    expect(&with_main(main, vec![write(0), write(1), write(0)]), 2 * 3 * 2);
}

/// The holder's second trylock of a recursive mutex succeeds, also before the destruction that came before it. By brute
/// force: 12.
#[test]
fn a_recursive_trylock_by_the_holder_succeeds() {
    let mutex = at(RECURSIVE);
    let main = vec![Create(1), Create(2), Destroy(mutex)];
    expect(&with_main(main, vec![vec![TryLock(mutex, 0), TryLock(mutex, 0)], vec![TryLock(mutex, 1)]]), 12);
}
