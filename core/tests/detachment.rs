//! Every algorithm against brute force on random programs in which several threads join or detach the same thread, or
//! request its cancellation: which of them comes first decides whose call is the misuse.

use crate::common::compare_seeds;
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
    match random.below(9) {
        0 | 1 => Statement::Detach(CHILD, 0),
        2 => Statement::Detach(CHILD, 1),
        3 => Statement::Join(CHILD),
        7 | 8 => Statement::Cancel(CHILD),
        4 => Statement::Store(place(), Expression::Register(0, 1)),
        5 => Statement::Load(place(), 0),
        _ => Statement::Write(place(), Expression::Constant(1)),
    }
}

/// The program of a seed. The child may detach itself, but does not join itself. Half of the children may be cancelled
/// when they begin.
pub(crate) fn program(seed: u64) -> Program {
    let mut random = Random(seed);
    let mut some = |most: u64| -> Vec<Statement> { (0..random.below(most)).map(|_| anything(&mut random)).collect() };
    let child = some(3).into_iter().filter(|&statement| statement != Statement::Join(CHILD));
    let point = seed.is_multiple_of(2).then_some(Statement::CancelPoint(u16::MAX));
    let child = point.into_iter().chain(child).collect();
    let (other, third, end) = (some(3), some(3), some(3));
    let mut main: Vec<Statement> = (1..=3).map(Statement::Create).collect();
    main.extend(end);
    Program { bodies: vec![main, child, other, third], variables: 1, spurious_wakeups: false }
}

#[test]
fn searches_agree_on_a_sample_of_programs_with_detachment() {
    assert!(compare_seeds(0, SAMPLE, INTERLEAVINGS, program) > SAMPLE * 9 / 10, "most programs are small enough");
}

#[test]
#[ignore = "long: make test-long runs it"]
fn searches_agree_on_many_programs_with_detachment() {
    assert!(compare_seeds(1000, LONG, INTERLEAVINGS, program) > LONG * 9 / 10, "most programs are small enough");
}
