//! What programs do with futexes, and what a search sees of waiters.

use crate::event::{Event, Mutexes, Operation, Ownership, Queues, ThreadId, WaitStep};
use crate::model::operation::Waiters;
use crate::model::{FutexResult, FutexStep, Operand, Program, Statement};
use crate::run::{Request, Requeue};
use alloc::vec::Vec;

/// What came of a wait for a futex word whose last step was this one.
pub(super) fn futex_result(last: &Event, timed: bool) -> FutexResult {
    match last.operation.wait().map(|wait| wait.step) {
        None => FutexResult::NotAsExpected,
        Some(WaitStep::Expire) if timed && !last.is_spurious() => FutexResult::Expired,
        Some(WaitStep::Begin | WaitStep::Expire | WaitStep::End) => FutexResult::Woken,
    }
}

/// What the system call returns for a requeue.
pub(super) fn found(requeue: &Operation) -> u64 {
    let requeued = requeue.requeued().expect("a requeue");
    requeued.found().map_or(u64::MAX, |(_, found)| found.into())
}

/// What a search sees of the waiters of a program.
pub(super) fn waiters(program: &Program) -> Waiters {
    let mutexes = if waits_with_several_mutexes(program) { Mutexes::Several } else { Mutexes::One };
    Waiters { queues: queues(program), mutexes }
}

/// Whether two threads may wait for one condition variable with different mutexes, at least one of them in a wait that
/// may end without a signal.
pub(crate) fn waits_with_several_mutexes(program: &Program) -> bool {
    let wait = |statement: &Statement| match *statement {
        Statement::Wait(cond, mutex) => Some((cond, mutex, program.spurious_wakeups)),
        Statement::TimedWait(cond, mutex, _) | Statement::CancellableWait(cond, mutex, _) => Some((cond, mutex, true)),
        _ => None,
    };
    let waits = |body: &[Statement]| body.iter().filter_map(wait).collect::<Vec<_>>();
    let waits: Vec<_> = program.bodies.iter().map(|body| waits(body)).collect();
    let may_be_one = |a: Operand, b: Operand| a == b || a.index.is_some() || b.index.is_some();
    let differ = |a: Operand, b: Operand| a != b || a.index.is_some();
    let clash = |&(cond, mutex, ends): &(Operand, Operand, bool), &(other, theirs, also): &(Operand, Operand, bool)| {
        may_be_one(cond, other) && differ(mutex, theirs) && (ends || also)
    };
    let beside = |at: usize| waits.iter().skip(at + 1).flatten();
    waits.iter().enumerate().any(|(at, own)| own.iter().any(|own| beside(at).any(|other| clash(own, other))))
}

/// What a search sees of the queues of futexes in a program.
fn queues(program: &Program) -> Queues {
    let needs_order = |statement: &Statement| {
        let joins = |step: &FutexStep| matches!(step, FutexStep::Join(_));
        match statement {
            Statement::FutexRequeue { .. } => true,
            Statement::FutexStep { step, .. } => joins(step),
            _ => false,
        }
    };
    if program.bodies.iter().flatten().any(needs_order) { Queues::Common } else { Queues::Apart }
}

/// What a request for a wait, a wake or a requeue has beside its operation.
pub(super) fn ask(thread: ThreadId, request: &mut Request, statement: Statement) {
    match statement {
        Statement::FutexWait { expected, timed, bits, .. } => {
            (request.expected, request.timed, request.bits) = (expected, timed, bits);
        }
        Statement::FutexWake { bits, .. } => request.bits = bits,
        Statement::FutexRequeue { wakes, moves, expected, .. } => {
            *request = request.with_requeue(Requeue { wakes, moves }, expected.unwrap_or(0));
        }
        Statement::FutexStep { step, .. } => match step {
            FutexStep::Join(expected) => request.expected = expected,
            FutexStep::Lock | FutexStep::Unlock => *request = request.by_owner(number(thread)),
            FutexStep::Rest { .. } | FutexStep::Leave { .. } => {}
        },
        _ => unreachable!("no futex"),
    }
}

/// The number of a thread in the word of a lock: what `gettid` yields in a native run.
fn number(thread: ThreadId) -> u32 {
    1000 + u32::from(thread.0)
}

/// `FUTEX_WAITERS`: the bit of a lock's word that says that threads wait for it.
const WAITERS: u32 = 1 << 31;

/// What came of a step at a futex word, and what the word holds then, which held `word`.
pub(super) fn after_step(thread: ThreadId, operation: &Operation, word: u32) -> (Option<u64>, u32) {
    if let Some(found) = operation.found_lock() {
        return match found {
            Ownership::Free => (Some(0), number(thread)),
            Ownership::Others => (Some(1), word | WAITERS),
            Ownership::Own => (Some(2), word),
        };
    }
    match operation.gave_lock() {
        Some((false, _)) => (Some(0), word),
        Some((true, woken)) => (Some(1), woken.map_or(0, |woken| number(woken) | WAITERS)),
        None => (operation.joined().or(operation.was_woken()).map(u64::from), word),
    }
}
