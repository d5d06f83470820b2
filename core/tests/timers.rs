//! Every algorithm against brute force on all small programs with a timer that sends a signal.

use crate::small_programs::sample::sample;
use crate::small_programs::{Block, bodies, body, compare_all, object};
use inspect_core::model::{Program, Statement};

/// The signals 1 and 2, a bit each.
const FIRST: u64 = 1;
const BOTH: u64 = 3;

/// Sets the timer for the second time; its expiry sends another signal.
fn set_again() -> Block {
    vec![Statement::TimerSet(object(), 2), Statement::TimerStart(3)]
}

/// What main does when it has set the timer: sets it again, calls it off, asks, waits for a signal or tries to take
/// one, or sends one.
fn afterwards() -> Vec<Block> {
    vec![
        set_again(),
        vec![Statement::TimerSet(object(), 0)],
        vec![Statement::SignalLook(object(), 3)],
        vec![Statement::SignalAwait(object(), FIRST, 0)],
        vec![Statement::SignalTake(object(), BOTH, 1)],
        vec![Statement::SignalSend(object(), 2)],
    ]
}

/// What another thread does meanwhile.
fn meanwhile() -> Vec<Block> {
    vec![
        vec![Statement::TimerSet(object(), 0)],
        vec![Statement::SignalLook(object(), 3)],
        vec![Statement::SignalAwait(object(), BOTH, 0)],
        vec![Statement::SignalTake(object(), FIRST, 1)],
        vec![Statement::SignalSend(object(), 1)],
    ]
}

/// All programs in which main sets the timer and makes at most two of these blocks, and another thread makes
/// one or two, with at most so many blocks in all.
pub(crate) fn programs_with_timers(total: usize) -> Vec<Program> {
    let set = vec![Statement::Create(1), Statement::TimerSet(object(), 1), Statement::TimerStart(2)];
    let is_startable = |blocks: &Vec<Block>| blocks.iter().filter(|block| **block == set_again()).count() < 2;
    let mut after: Vec<Vec<Block>> = bodies(&afterwards(), 2).into_iter().filter(is_startable).collect();
    after.push(Vec::new());
    let mut all = Vec::new();
    for one in &after {
        for other in bodies(&meanwhile(), 2).into_iter().filter(|other| one.len() + other.len() <= total) {
            all.push(Program {
                bodies: vec![
                    body(&[vec![set.clone()], one.clone()].concat()),
                    body(&other),
                    vec![Statement::TimerExpire(object(), 1, 1)],
                    vec![Statement::TimerExpire(object(), 2, 2)],
                ],
                variables: 1,
                spurious_wakeups: false,
            });
        }
    }
    all
}

#[test]
fn searches_agree_on_small_programs_with_a_timer() {
    let programs = programs_with_timers(3);
    // None, one or two of six blocks, not setting the timer again twice; one or two of five.
    assert_eq!(programs.len(), (1 + 6) * (5 + 25) + (36 - 1) * 5);
    assert_eq!(compare_all(&programs), (sample(programs.len()).count(), 0));
}

#[test]
#[ignore = "long: make test-long runs it"]
fn searches_agree_on_more_small_programs_with_a_timer() {
    let programs = programs_with_timers(4);
    assert_eq!(programs.len(), (1 + 6 + 36 - 1) * (5 + 25));
    assert_eq!(compare_all(&programs), (sample(programs.len()).count(), 0));
}
