//! Every algorithm against brute force on random programs in which several threads join or detach the same thread:
//! which of them comes first decides whose call is the misuse.

use crate::common::{check, compare_with_source};
use inspect_core::model::{Expression, Operand, Program, Random, Statement};

/// Programs in `make test`.
const SAMPLE: u64 = 100;
/// Programs of the long test.
const LONG: u64 = 4000;
/// Interleavings above which a program is too large for brute force.
const INTERLEAVINGS: u64 = 3_000;

/// The thread that is joined and detached.
const CHILD: u8 = 1;

fn place() -> Operand {
    Operand::at(0)
}

fn anything(random: &mut Random) -> Statement {
    match random.below(7) {
        0 | 1 => Statement::Detach(CHILD, 0),
        2 => Statement::Detach(CHILD, 1),
        3 => Statement::Join(CHILD),
        4 => Statement::Store(place(), Expression::Register(0, 1)),
        5 => Statement::Load(place(), 0),
        _ => Statement::Write(place(), Expression::Constant(1)),
    }
}

/// The program of a seed. The child may detach itself, but does not join itself.
fn program(seed: u64) -> Program {
    let mut random = Random(seed);
    let mut some = |most: u64| -> Vec<Statement> { (0..random.below(most)).map(|_| anything(&mut random)).collect() };
    let child = some(3).into_iter().filter(|&statement| statement != Statement::Join(CHILD)).collect();
    let (other, third, end) = (some(3), some(3), some(3));
    let mut main: Vec<Statement> = (1..=3).map(Statement::Create).collect();
    main.extend(end);
    Program { bodies: vec![main, child, other, third], variables: 1, spurious_wakeups: false }
}

/// Compares the programs of so many seeds. Returns how many were small enough.
fn compare(first: u64, count: u64) -> u64 {
    let (mut compared, mut failures) = (0, Vec::new());
    for seed in first..first + count {
        let program = program(seed);
        let result = match check(&program, INTERLEAVINGS) {
            Ok(None) => compare_with_source(&program, INTERLEAVINGS),
            compared => compared,
        };
        match result {
            Ok(traces) => compared += u64::from(traces.is_some()),
            Err(difference) => failures.push(format!("seed {seed}: {difference}: {:?}", program.bodies)),
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    compared
}

#[test]
fn searches_agree_on_a_sample_of_programs_with_detachment() {
    assert!(compare(0, SAMPLE) > SAMPLE * 9 / 10, "most programs are small enough");
}

#[test]
#[ignore = "long: make test-long runs it"]
fn searches_agree_on_many_programs_with_detachment() {
    assert!(compare(1000, LONG) > LONG * 9 / 10, "most programs are small enough");
}
