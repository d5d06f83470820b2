//! Exact numbers of executions of programs whose number of Mazurkiewicz traces is known. None may be blocked.

mod common;

use common::count;
use inspect_core::explore::Optimal;
use inspect_core::model::{Program, examples};

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
