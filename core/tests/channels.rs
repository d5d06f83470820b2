//! Every algorithm against brute force on all small programs that hand over values through pipes.

use crate::small_programs::{Block, Compared, Sizes, compare_woken, number, object};
use inspect_core::model::{Expression, Operand, Statement};

const VALUE: Expression = Expression::Constant(1);

/// Writes and reads that wait, and attempts.
fn uses_of_a_pipe() -> [Block; 4] {
    [
        Statement::PipeWrite(object(), VALUE),
        Statement::PipeRead(object(), 0),
        Statement::PipeTryWrite(object(), VALUE, 1),
        Statement::PipeTryRead(object(), 1),
    ]
    .map(|statement| vec![statement])
}

/// Writes to two pipes, a read that waits for one of them, and looks at both, one of which waits.
fn uses_of_two_pipes() -> [Block; 5] {
    [
        Statement::PipeWrite(object(), VALUE),
        Statement::PipeWrite(Operand::at(1), VALUE),
        Statement::PipeRead(object(), 0),
        Statement::PipePoll(true, 1),
        Statement::PipePoll(false, 1),
    ]
    .map(|statement| vec![statement])
}

fn on_a_pipe(sizes: Sizes, capacity: u8) -> Compared {
    compare_woken((&[Statement::PipeInit(object(), capacity)], &[]), &uses_of_a_pipe(), sizes, false)
}

fn on_two_pipes(sizes: Sizes) -> Compared {
    let made = [Statement::PipeInit(object(), 1), Statement::PipeInit(Operand::at(1), 1)];
    compare_woken((&made, &[Statement::PipePoll(false, 2)]), &uses_of_two_pipes(), sizes, false)
}

#[test]
fn searches_agree_on_small_programs_with_a_pipe() {
    assert_eq!(on_a_pipe((2, 2, 4), 1), (number(4, 2, 2), 0));
    assert_eq!(on_a_pipe((3, 1, 3), 1), (number(4, 3, 0), 0));
    assert_eq!(on_a_pipe((2, 2, 4), 2), (number(4, 2, 2), 0));
}

#[test]
fn searches_agree_on_small_programs_with_two_pipes_that_are_polled() {
    assert_eq!(on_two_pipes((2, 2, 3)), (number(5, 2, 1), 0));
    assert_eq!(on_two_pipes((3, 1, 3)), (number(5, 3, 0), 0));
}

#[test]
#[ignore = "long: make test-long runs it"]
fn searches_agree_on_more_small_programs_with_pipes() {
    assert_eq!(on_a_pipe((3, 2, 5), 1), (number(4, 3, 2), 0));
    assert_eq!(on_two_pipes((3, 2, 4)), (number(5, 3, 1), 0));
}
