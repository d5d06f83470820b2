//! Every algorithm against brute force on random programs in which main cancels a thread that waits, at a
//! cancellation point, while others use the same objects in other ways: what [`crate::small_programs`] enumerates for
//! one object at a time, mixed.

use crate::common::compare_seeds;
use crate::small_programs::{Block, CANCEL, END, INTERLEAVINGS, body, cancellable, cancellable_wait, object};
use inspect_core::model::{Expression, Program, Random, Statement};

/// Programs in `make test`.
const SAMPLE: u64 = 40;
/// Programs of the long test.
const LONG: u64 = 4000;

/// What every thread does.
fn anything(random: &mut Random) -> Block {
    let store = Statement::Store(object(), Expression::Constant(1 + random.below(2)));
    match random.below(9) {
        0 => vec![Statement::SemaphorePost(object())],
        1 => vec![Statement::Signal(object())],
        2 => vec![Statement::Broadcast(object())],
        3 => vec![Statement::Lock(object()), store, Statement::Unlock(object())],
        4 => vec![store],
        5 => vec![Statement::Load(object(), 0)],
        6 => vec![Statement::Write(object(), Expression::Constant(1))],
        7 => vec![Statement::SemaphoreTryWait(object(), 0)],
        _ => vec![CANCEL],
    }
}

/// What a thread does that can be cancelled.
fn cancellation_point(random: &mut Random) -> Block {
    match random.below(4) {
        0 => vec![Statement::CancelPoint(END)],
        1 => cancellable(Statement::CancellableSemaphoreWait(object())),
        timed => cancellable_wait(timed == 2),
    }
}

/// The program of a seed: the first thread can be cancelled, and so can the second one, by nobody.
fn program(seed: u64) -> Program {
    let mut random = Random(seed);
    let mut main = vec![Statement::SemaphoreInit(object(), random.below(2) as u32)];
    let mut bodies = vec![Vec::new()];
    for thread in 1..=2 {
        let mut blocks: Vec<Block> = (0..random.below(3)).map(|_| anything(&mut random)).collect();
        if thread == 1 || random.below(3) == 0 {
            let at = random.below(blocks.len() as u64 + 1) as usize;
            blocks.insert(at, cancellation_point(&mut random));
        }
        bodies.push(body(&blocks));
        main.push(Statement::Create(thread));
    }
    main.push(CANCEL);
    if random.below(2) == 0 {
        main.extend(anything(&mut random));
    }
    if random.below(3) == 0 {
        main.push(Statement::Join(1));
    }
    bodies[0] = main;
    Program { bodies, variables: 2, spurious_wakeups: random.below(6) == 0 }
}

#[test]
fn searches_agree_on_a_sample_of_programs_with_cancellation() {
    assert!(compare_seeds(0, SAMPLE, INTERLEAVINGS, program) > SAMPLE * 9 / 10, "most programs are small enough");
}

#[test]
#[ignore = "long: make test-long runs it"]
fn searches_agree_on_many_programs_with_cancellation() {
    assert!(compare_seeds(1000, LONG, INTERLEAVINGS, program) > LONG * 9 / 10, "most programs are small enough");
}
