//! Exact numbers of executions of programs whose number of Mazurkiewicz traces is known. None may be blocked.

use crate::common::count;
use inspect_core::explore::{Dpor, Explorer, Flip, Optimal, Source};
use inspect_core::model::{Expression, Operand, Program, Statement, examples};

fn expect(program: &Program, executions: u64) {
    assert_eq!(count(program, &mut Optimal::new()), (executions, 0));
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// Every reader sees the variable either before or after the one write: 2^n.
#[test]
fn readers() {
    for n in 0..=10 {
        expect(&examples::readers(n), 1 << n);
    }
}

/// The search reads a[n] down to a[z], the first zero from the end. (n + 3) * 2^(n - 2) traces for n >= 2 (Abdulla et
/// al., POPL 2014, table 1: 3,328 for 10).
#[test]
fn lastzero() {
    for n in 2..=10 {
        expect(&examples::lastzero(n), (n as u64 + 3) << n >> 2);
    }
}

/// Two threads hash words to the same entry only from the twelfth thread on; each further thread multiplies by 8
/// (Inspect paper, table 1).
#[test]
fn indexer() {
    for (n, executions) in [(2, 1), (11, 1), (12, 8), (13, 64), (14, 512)] {
        expect(&examples::indexer(n), executions);
    }
}

/// Thread i first tries block 2i mod 26, so thread 13 is the first that meets another (thread 0); each further one
/// meets exactly one (Inspect paper, table 1).
#[test]
fn fsbench() {
    for (n, executions) in [(2, 1), (13, 1), (14, 2), (16, 8), (18, 32), (20, 128)] {
        expect(&examples::fsbench(n), executions);
    }
}

/// The order of nk critical sections, those of one thread in its order: (nk)! / (k!)^n.
#[test]
fn lockers() {
    for (n, k) in [(2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (3, 2), (4, 2), (2, 4), (3, 3)] {
        let orders = factorial((n * k) as u64) / factorial(k as u64).pow(n as u32);
        expect(&examples::lockers(n, k), orders);
    }
}

/// x = 3 before, between or after x = 1 and x = 2; y = 1 commutes with all: 3 (dissertation 2.3.1).
#[test]
fn figure() {
    expect(&examples::figure(), 3);
}

/// The shares of all executions add up to one, so at its end the search's estimate is the number of executions.
#[test]
fn the_estimate_ends_at_the_number_of_executions() {
    let choices = vec![Statement::Choose(5, 0), Statement::Choose(7, 0)];
    let choosing = Program { bodies: vec![choices], variables: 0, spurious_wakeups: false };
    for (program, executions) in [(examples::readers(6), 64), (examples::lockers(3, 2), 90), (choosing, 35)] {
        let mut optimal = Optimal::new();
        assert_eq!(optimal.estimated_total(), None);
        assert_eq!(count(&program, &mut optimal), (executions, 0));
        let estimate = optimal.estimated_total().expect("something was run");
        assert!((estimate - executions as f64).abs() < 1e-6 * executions as f64, "{estimate} for {executions}");
    }
}

/// The executions and blocked runs of `source` and `dpor`. They make every trace of these programs once; what they do
/// beyond that is blocked. For lastzero(5) the POPL 2014 paper (table 1) has 79 runs with source sets, which are 64 +
/// 15; the 43 of `dpor` are recorded.
#[test]
fn source_sets_and_persistent_sets() {
    let executions = |mut explorer: Box<dyn Explorer>, program: &Program| {
        let (runs, blocked) = count(program, &mut *explorer);
        (runs - blocked, blocked)
    };
    for (program, traces, source, dpor) in [
        (examples::figure(), 3, 0, 0),
        (examples::readers(6), 64, 0, 0),
        (examples::lockers(3, 1), 6, 0, 0),
        (examples::lastzero(5), 64, 15, 43),
    ] {
        assert_eq!(executions(Box::new(Source::new()), &program), (traces, source), "source");
        assert_eq!(executions(Box::new(Dpor::new()), &program), (traces, dpor), "dpor");
    }
}

/// The two examples of Sen's slides. In the first, t1 writes x and y, t2 writes y and x: 3 traces (both writes of
/// either thread first, or each thread's first write before the other thread's second), each visited once with delayed
/// sets; without them 4 executions. In the second, t1 writes x twice, t2 writes y and then x: 3 traces (where t2's x
/// comes among t1's), but 6 executions without delayed sets, which is every interleaving.
#[test]
fn flipping_the_races_of_the_slides() {
    let write = |variable| Statement::Write(Operand::at(variable), Expression::Constant(1));
    let two = |first: Vec<Statement>, second: Vec<Statement>| Program {
        bodies: vec![vec![Statement::Create(1), Statement::Create(2)], first, second],
        variables: 2,
        spurious_wakeups: false,
    };
    let crossed = two(vec![write(0), write(1)], vec![write(1), write(0)]);
    assert_eq!(count(&crossed, &mut Flip::without_delayed_sets()), (4, 0));
    assert_eq!(count(&crossed, &mut Flip::new()), (3, 0));
    let shared = two(vec![write(0), write(0)], vec![write(1), write(0)]);
    assert_eq!(count(&shared, &mut Flip::without_delayed_sets()), (6, 0));
    assert_eq!(count(&shared, &mut Flip::new()), (3, 0));
}
