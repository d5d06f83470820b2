//! Every algorithm against brute force on all small programs that wait for two futex words at once, or that lock a word
//! with priority inheritance.

use crate::small_programs::{Block, compare_woken, number, object};
use inspect_core::model::{Expression, FutexStep, Operand, Statement, lock_of_owner, wait_for_two};

/// Waits for two words of which nobody changes the first, wakes of each, and a change of the second one.
fn uses_of_two_words(timed: bool) -> [Block; 4] {
    let (one, other) = (object(), Operand::at(1));
    let wake = |place, most| vec![Statement::FutexWake { place, most, bits: 0, register: 0 }];
    let store = vec![Statement::Store(other, Expression::Constant(1))];
    [wait_for_two([one, other], [0, 0], timed, 0), wake(one, 1), wake(other, 2), store]
}

fn step(step: FutexStep) -> Statement {
    Statement::FutexStep { place: object(), step, register: 2 }
}

/// Sections under a lock, the second one with a lock that may give up and an unlock in any case, a lock that is not
/// given back, and an unlock.
fn uses_of_a_lock() -> [Block; 4] {
    let section = |timed| [lock_of_owner(object(), timed, 0), vec![step(FutexStep::Unlock)]].concat();
    [section(false), section(true), lock_of_owner(object(), false, 0), vec![step(FutexStep::Unlock)]]
}

#[test]
fn searches_agree_on_small_programs_that_wait_for_two_words() {
    let wake = Statement::FutexWake { place: object(), most: 1, bits: 0, register: 3 };
    for timed in [false, true] {
        assert_eq!(compare_woken((&[], &[wake]), &uses_of_two_words(timed), (2, 1, 2), false), (number(4, 2, 0), 0));
    }
    assert_eq!(compare_woken((&[], &[]), &uses_of_two_words(true), (3, 1, 3), false), (number(4, 3, 0), 0));
}

#[test]
fn searches_agree_on_small_programs_with_a_lock_that_has_an_owner() {
    let load = Statement::Load(object(), 3);
    assert_eq!(compare_woken((&[], &[load]), &uses_of_a_lock(), (3, 1, 3), false), (number(4, 3, 0), 0));
}

#[test]
#[ignore = "long: make test-long runs it"]
fn searches_agree_on_more_small_programs_with_steps_at_futexes() {
    assert_eq!(compare_woken((&[], &[]), &uses_of_two_words(false), (3, 1, 3), false), (number(4, 3, 0), 0));
    assert_eq!(compare_woken((&[], &[]), &uses_of_two_words(false), (3, 2, 4), false), (number(4, 3, 1), 0));
    assert_eq!(compare_woken((&[], &[]), &uses_of_a_lock(), (2, 2, 4), false), (number(4, 2, 2), 0));
    assert_eq!(compare_woken((&[], &[]), &uses_of_a_lock(), (3, 2, 4), false), (number(4, 3, 1), 0));
    assert_eq!(compare_woken((&[], &[]), &uses_of_a_lock(), (4, 1, 4), false), (number(4, 4, 0), 0));
}
