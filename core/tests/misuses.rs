//! Every algorithm against brute force on small programs in which the order of operations decides whether something is
//! misused: waits for one condition variable with several mutexes, which must not be there at once. All comparisons are
//! of misuses as well ([`crate::common::misuses`]); here there are some to be found.

use crate::small_programs::{Block, Compared, Sizes, cancellable_wait, compare_woken, number, object, programs};
use inspect_core::model::{Operand, Program, Statement};

/// A mutex that [`cancellable_wait`] does not use.
const OTHER: u16 = 1;

/// A wait with one of two mutexes.
fn wait(mutex: u16, timed: bool) -> Block {
    let mutex = Operand::at(mutex);
    let wait = if timed { Statement::TimedWait(object(), mutex, 0) } else { Statement::Wait(object(), mutex) };
    vec![Statement::Lock(mutex), wait, Statement::Unlock(mutex)]
}

/// Timed waits with two mutexes, one without a time, and a broadcast.
fn waits_with_two_mutexes() -> [Block; 4] {
    [wait(0, true), wait(OTHER, true), wait(OTHER, false), vec![Statement::Broadcast(object())]]
}

/// The same with a wait that cancellation may end, and requests.
fn cancelled_waits_with_two_mutexes() -> [Block; 3] {
    [cancellable_wait(false), wait(OTHER, false), vec![Statement::Cancel(1)]]
}

fn compared(blocks: &[Block], sizes: Sizes, spurious_wakeups: bool) -> Compared {
    compare_woken((&[], &[]), blocks, sizes, spurious_wakeups)
}

/// Programs with two threads.
pub(crate) fn programs_with_two_mutexes() -> Vec<Program> {
    let of = |blocks: &[Block]| programs((&[], &[]), blocks, (2, 2, 3), false);
    [of(&waits_with_two_mutexes()), of(&cancelled_waits_with_two_mutexes())].concat()
}

#[test]
fn searches_agree_on_small_programs_that_wait_with_two_mutexes() {
    assert_eq!(compared(&waits_with_two_mutexes(), (2, 2, 3), false), (number(4, 2, 1), 0));
    assert_eq!(compared(&waits_with_two_mutexes(), (2, 1, 2), true), (number(4, 2, 0), 0));
    assert_eq!(compared(&cancelled_waits_with_two_mutexes(), (2, 2, 3), false), (number(3, 2, 1), 0));
}

#[test]
#[ignore = "long: make test-long runs it"]
fn searches_agree_on_more_small_programs_that_wait_with_two_mutexes() {
    assert_eq!(compared(&waits_with_two_mutexes(), (3, 1, 3), false), (number(4, 3, 0), 0));
    assert_eq!(compared(&waits_with_two_mutexes(), (2, 2, 4), false), (number(4, 2, 2), 0));
    assert_eq!(compared(&cancelled_waits_with_two_mutexes(), (3, 1, 3), false), (number(3, 3, 0), 0));
}
