//! What programs do with futexes.

use crate::event::{Operation, Queues, WaitStep};
use crate::model::{FutexResult, Program, Statement};
use crate::run::{Request, Requeue};

/// What came of a wait for a futex word whose last step was this one.
pub(super) fn futex_result(last: Operation, timed: bool) -> FutexResult {
    match last.wait().map(|wait| wait.step) {
        None => FutexResult::NotAsExpected,
        Some(WaitStep::Expire) if timed => FutexResult::Expired,
        Some(WaitStep::Begin | WaitStep::Expire | WaitStep::End) => FutexResult::Woken,
    }
}

/// What the system call returns for a requeue.
pub(super) fn found(requeue: &Operation) -> u64 {
    let requeued = requeue.requeued().expect("a requeue");
    requeued.found().map_or(u64::MAX, u64::from)
}

/// What a search sees of the queues of futexes in a program.
pub(super) fn queues(program: &Program) -> Queues {
    let moves = |statement: &Statement| matches!(statement, Statement::FutexRequeue { .. });
    if program.bodies.iter().flatten().any(moves) { Queues::Common } else { Queues::Apart }
}

/// What a request for a wait, a wake or a requeue has beside its operation.
pub(super) fn ask(request: &mut Request, statement: Statement) {
    match statement {
        Statement::FutexWait { expected, timed, bits, .. } => {
            (request.expected, request.timed, request.bits) = (expected, timed, bits);
        }
        Statement::FutexWake { bits, .. } => request.bits = bits,
        Statement::FutexRequeue { wakes, moves, expected, .. } => {
            *request = request.with_requeue(Requeue { wakes, moves }, expected.unwrap_or(0));
        }
        _ => unreachable!("no futex"),
    }
}
