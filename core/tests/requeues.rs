//! Every algorithm against brute force on all small programs that move waiters from one futex word to another.

use crate::small_programs::{Block, Compared, Sizes, compare_woken, number, object, programs};
use inspect_core::model::{Expression, Operand, Program, Statement};

/// Waits for two words of which nobody changes the first, wakes of each, a requeue that wakes one and moves all others,
/// one that wakes two and moves one, one that moves one after a comparison, and a change of the second word.
fn uses_of_two_futexes(timed: bool) -> [Block; 8] {
    let (one, other) = (object(), Operand::at(1));
    let wait = |place, timed| Statement::FutexWait { place, expected: 0, timed, bits: 0, register: 1 };
    let wake = |place, most| Statement::FutexWake { place, most, bits: 0, register: 0 };
    let requeue =
        |from, to, wakes, moves, expected| Statement::FutexRequeue { from, to, wakes, moves, expected, register: 0 };
    [
        wait(one, timed),
        wait(other, false),
        wake(one, 1),
        wake(other, 1),
        requeue(one, other, 1, 64, None),
        requeue(one, other, 2, 1, None),
        requeue(other, one, 0, 1, Some(0)),
        Statement::Store(other, Expression::Constant(1)),
    ]
    .map(|statement| vec![statement])
}

fn compared(sizes: Sizes, timed: bool, spurious_wakeups: bool) -> Compared {
    let last = Statement::FutexRequeue {
        from: object(),
        to: Operand::at(1),
        wakes: 1,
        moves: 1,
        expected: Some(0),
        register: 2,
    };
    let wake = Statement::FutexWake { place: Operand::at(1), most: 1, bits: 0, register: 3 };
    compare_woken((&[], &[last, wake]), &uses_of_two_futexes(timed), sizes, spurious_wakeups)
}

/// Programs with three threads of one statement each, without and with timed waits.
pub(crate) fn programs_with_requeues() -> Vec<Program> {
    let with_requeues = |timed| programs((&[], &[]), &uses_of_two_futexes(timed), (3, 1, 3), false);
    [false, true].into_iter().flat_map(with_requeues).collect()
}

#[test]
fn searches_agree_on_small_programs_with_requeues() {
    assert_eq!(compared((2, 1, 2), false, false), (number(8, 2, 0), 0));
    assert_eq!(compared((2, 1, 2), true, false), (number(8, 2, 0), 0));
}

#[test]
#[ignore = "long: make test-long runs it"]
fn searches_agree_on_more_small_programs_with_requeues() {
    assert_eq!(compared((2, 2, 3), true, false), (number(8, 2, 1), 0));
    assert_eq!(compared((3, 1, 3), false, false), (number(8, 3, 0), 0));
    assert_eq!(compared((3, 1, 3), false, true), (number(8, 3, 0), 0));
    assert_eq!(compared((3, 2, 4), true, false), (number(8, 3, 1), 0));
}
