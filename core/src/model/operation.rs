//! Which operation a statement is.

use super::pipes::Pipes;
use super::{FutexStep, Operand, REGISTERS, Statement};
use crate::event::{
    BarrierOperation, CondOperation, ControlOperation, EndKind, Finds, FutexOperation, MAX_THREADS, MemoryOperation,
    MutexOperation, Mutexes, Object, ObjectKind, OnceOperation, Operation, Ownership, Queues, Room, RwlockOperation,
    SemaphoreOperation, SignalOperation, ThreadNumber, ThreadSet, Units, WriterFirstOperation, WriterFirstStep,
};

/// What a search sees of the waiters of a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiters {
    /// The queues of futexes.
    pub(super) queues: Queues,
    /// The mutexes with which threads wait for one condition variable.
    pub(super) mutexes: Mutexes,
}

/// The operation of a visible statement that names no thread, in a program in which a search sees these `waiters` and
/// `pipes`.
pub(super) fn operation(
    statement: Statement,
    registers: &[u64; REGISTERS],
    waiters: Waiters,
    pipes: &Pipes,
) -> Operation {
    let on_pipe = pipes.operation(statement, registers);
    on_pipe.map_or_else(|| on_no_pipe(statement, registers, waiters), Operation::from)
}

/// The same for a statement that names no pipe.
fn on_no_pipe(statement: Statement, registers: &[u64; REGISTERS], waiters: Waiters) -> Operation {
    match statement {
        Statement::Read(..)
        | Statement::Write(..)
        | Statement::Load(..)
        | Statement::Await(..)
        | Statement::Store(..)
        | Statement::FetchAdd(..)
        | Statement::CompareExchange(..) => access(statement, registers).into(),
        Statement::Choose(..) | Statement::CancelChoice => ControlOperation::Choose.into(),
        Statement::SemaphoreInit(..)
        | Statement::SemaphoreWait(_)
        | Statement::CancellableSemaphoreWait(_)
        | Statement::SemaphoreTryWait(..)
        | Statement::SemaphorePost(_)
        | Statement::SemaphoreCount(..) => on_semaphore(statement, registers).into(),
        Statement::RwlockLock(..) | Statement::RwlockTryLock(..) | Statement::RwlockUnlock(_) => {
            on_rwlock(statement, registers).into()
        }
        Statement::WriterFirst(..) | Statement::WriterFirstTryLock(..) => on_writer_first(statement, registers).into(),
        Statement::BarrierInit(..) | Statement::BarrierArrive(..) | Statement::BarrierPass(..) => {
            on_barrier(statement, registers).into()
        }
        Statement::SignalSend(..)
        | Statement::SignalTake(..)
        | Statement::SignalAwait(..)
        | Statement::SignalLook(..)
        | Statement::TimerSet(..)
        | Statement::TimerExpire(..) => on_signals(statement, registers).into(),
        Statement::Assume(_) => ControlOperation::Assume.into(),
        Statement::Assert(_) => ControlOperation::EndProcess(EndKind::AssertionFailed).into(),
        Statement::ExitProcess(status) => ControlOperation::EndProcess(EndKind::Exit(status)).into(),
        Statement::FutexWait { .. }
        | Statement::FutexWake { .. }
        | Statement::FutexRequeue { .. }
        | Statement::FutexStep { .. } => on_futex(statement, registers, waiters.queues),
        _ => on_object(statement, registers, waiters.mutexes),
    }
}

/// What a statement does to a futex.
fn on_futex(statement: Statement, registers: &[u64; REGISTERS], queues: Queues) -> Operation {
    match statement {
        Statement::FutexWait { place, .. } => {
            FutexOperation::Wait { word: word(place, registers), queued: true, alias: None, queues }.into()
        }
        Statement::FutexWake { place, most, bits, .. } => {
            let finds = match (queues, bits) {
                (Queues::Common, _) => Finds::ByWord,
                (Queues::Apart, 0) => Finds::All,
                (Queues::Apart, _) => Finds::ByBits,
            };
            wake(Object::futex(word(place, registers).0), most, finds)
        }
        Statement::FutexRequeue { from, to, expected, .. } => {
            CondOperation::requeue(word(from, registers), word(to, registers), expected.is_some()).into()
        }
        Statement::FutexStep { place, step, .. } => step_at_futex(word(place, registers), step, queues).into(),
        _ => unreachable!("on no futex"),
    }
}

fn step_at_futex(word: Object, step: FutexStep, queues: Queues) -> FutexOperation {
    match step {
        FutexStep::Join(_) => FutexOperation::Join { word, joined: true, alias: None, queues },
        FutexStep::Rest { owns } => FutexOperation::Rest { word, owns },
        FutexStep::Leave { owns } => FutexOperation::Leave { word, woken: false, owns, queues },
        FutexStep::Lock => FutexOperation::Lock { word, found: Ownership::Others, alias: None, queues },
        FutexStep::Unlock => FutexOperation::Unlock { word, woken: None, owned: true, alias: None, queues },
    }
}

/// The futex word, or the pending signals, in a variable.
fn word(place: Operand, registers: &[u64; REGISTERS]) -> Object {
    Object(place.range(registers).start)
}

/// Wakes so many of those in a queue.
fn wake(queue: Object, most: u32, finds: Finds) -> Operation {
    let most = most.min(MAX_THREADS as u32) as ThreadNumber;
    CondOperation::wake(queue, most, finds).into()
}

/// The access that a statement makes.
fn access(statement: Statement, registers: &[u64; REGISTERS]) -> MemoryOperation {
    match statement {
        Statement::Read(place, _) => MemoryOperation::Read(place.range(registers)),
        Statement::Write(place, _) => MemoryOperation::Write(place.range(registers)),
        Statement::Load(place, _) | Statement::Await(place, ..) => {
            MemoryOperation::AtomicLoad(place.range(registers), place.order)
        }
        Statement::Store(place, _) => MemoryOperation::AtomicStore(place.range(registers), place.order),
        Statement::FetchAdd(place, ..) | Statement::CompareExchange(place, ..) => {
            MemoryOperation::AtomicUpdate { range: place.range(registers), order: place.order, wrote: true }
        }
        _ => unreachable!("no access"),
    }
}

/// What a statement does to synchronisation objects.
fn on_object(statement: Statement, registers: &[u64; REGISTERS], mutexes: Mutexes) -> Operation {
    let mutex = |place: Operand| place.object(ObjectKind::Mutex, registers);
    let cond = |place: Operand| place.object(ObjectKind::Condition, registers);
    let once = |place: Operand| place.object(ObjectKind::Once, registers);
    match statement {
        Statement::Lock(place) => MutexOperation::Lock(mutex(place)).into(),
        Statement::TryLock(place, _) => MutexOperation::TryLock { mutex: mutex(place), acquired: true }.into(),
        Statement::Unlock(place) => MutexOperation::Unlock(mutex(place)).into(),
        Statement::Initialise(place) => MutexOperation::Init(mutex(place)).into(),
        Statement::Destroy(place) => MutexOperation::Destroy(mutex(place)).into(),
        Statement::Wait(c, m) | Statement::TimedWait(c, m, _) | Statement::CancellableWait(c, m, ..) => {
            CondOperation::WaitRelease { cond: cond(c), mutex: mutex(m), mutexes }.into()
        }
        Statement::Signal(place) => CondOperation::Signal { cond: cond(place), woken: None }.into(),
        Statement::Broadcast(place) => CondOperation::Broadcast { cond: cond(place), woken: ThreadSet::EMPTY }.into(),
        Statement::OnceEnter(place, _) => OnceOperation::Enter { once: once(place), runs: true }.into(),
        Statement::OnceLeave(place) => OnceOperation::Leave(once(place)).into(),
        Statement::Read(..)
        | Statement::Write(..)
        | Statement::Load(..)
        | Statement::Store(..)
        | Statement::FetchAdd(..)
        | Statement::CompareExchange(..)
        | Statement::Await(..)
        | Statement::FutexWait { .. }
        | Statement::FutexWake { .. }
        | Statement::FutexRequeue { .. }
        | Statement::FutexStep { .. }
        | Statement::SemaphoreInit(..)
        | Statement::SemaphoreWait(_)
        | Statement::SemaphoreTryWait(..)
        | Statement::SemaphorePost(_)
        | Statement::SemaphoreCount(..)
        | Statement::RwlockLock(..)
        | Statement::RwlockTryLock(..)
        | Statement::RwlockUnlock(_)
        | Statement::WriterFirst(..)
        | Statement::WriterFirstTryLock(..)
        | Statement::BarrierInit(..)
        | Statement::BarrierArrive(..)
        | Statement::BarrierPass(..)
        | Statement::PipeInit(..)
        | Statement::PipeWrite(..)
        | Statement::PipeRead(..)
        | Statement::PipeTryWrite(..)
        | Statement::PipeTryRead(..)
        | Statement::PipePoll(..)
        | Statement::SignalSend(..)
        | Statement::SignalTake(..)
        | Statement::SignalAwait(..)
        | Statement::SignalLook(..)
        | Statement::TimerSet(..)
        | Statement::TimerStart(_)
        | Statement::TimerExpire(..)
        | Statement::Create(_)
        | Statement::Join(_)
        | Statement::Detach(..)
        | Statement::Cancel(_)
        | Statement::CancelPoint(_)
        | Statement::CancelChoice
        | Statement::CancelAccept(_)
        | Statement::CancellableJoin(_)
        | Statement::CancellableSemaphoreWait(_)
        | Statement::Choose(..)
        | Statement::Assume(_)
        | Statement::Assert(_)
        | Statement::ExitProcess(_)
        | Statement::Set(..)
        | Statement::JumpUnless(..)
        | Statement::Jump(_) => unreachable!("on no such object"),
    }
}

/// What a statement does to a semaphore.
fn on_semaphore(statement: Statement, registers: &[u64; REGISTERS]) -> SemaphoreOperation {
    let at = |place: Operand| place.object(ObjectKind::Semaphore, registers);
    let units = Units::More;
    match statement {
        Statement::SemaphoreInit(place, count) => SemaphoreOperation::Init(at(place), count),
        Statement::SemaphoreWait(place) | Statement::CancellableSemaphoreWait(place) => {
            SemaphoreOperation::Wait { semaphore: at(place), units }
        }
        Statement::SemaphoreTryWait(place, _) => SemaphoreOperation::TryWait { semaphore: at(place), units },
        Statement::SemaphorePost(place) => SemaphoreOperation::Post { semaphore: at(place), room: Room::Ample },
        Statement::SemaphoreCount(place, _) => SemaphoreOperation::Count { semaphore: at(place), units },
        _ => unreachable!("on no semaphore"),
    }
}

/// What a statement does to a read-write lock.
fn on_rwlock(statement: Statement, registers: &[u64; REGISTERS]) -> RwlockOperation {
    let at = |place: Operand| place.object(ObjectKind::Rwlock, registers);
    match statement {
        Statement::RwlockLock(place, side) => RwlockOperation::Lock { rwlock: at(place), side },
        Statement::RwlockTryLock(place, side, _) => {
            RwlockOperation::TryLock { rwlock: at(place), side, acquired: true }
        }
        Statement::RwlockUnlock(place) => RwlockOperation::Unlock { rwlock: at(place), side: None },
        _ => unreachable!("on no read-write lock"),
    }
}

/// What a statement does to a read-write lock that prefers waiting writers.
fn on_writer_first(statement: Statement, registers: &[u64; REGISTERS]) -> WriterFirstOperation {
    let (place, step) = match statement {
        Statement::WriterFirst(place, step) => (place, step),
        Statement::WriterFirstTryLock(place, side, _) => (place, WriterFirstStep::TryLock(side)),
        _ => unreachable!("on no such lock"),
    };
    WriterFirstOperation::new(place.object(ObjectKind::Rwlock, registers), step)
}

/// What a statement does to pending signals, or to a timer that sends some.
fn on_signals(statement: Statement, registers: &[u64; REGISTERS]) -> SignalOperation {
    match statement {
        Statement::SignalSend(place, signal) => SignalOperation::send(word(place, registers), signal),
        Statement::SignalTake(place, ..) => SignalOperation::take(word(place, registers)),
        Statement::SignalAwait(place, ..) => SignalOperation::wait(word(place, registers)),
        Statement::SignalLook(place, _) => SignalOperation::look(word(place, registers)),
        Statement::TimerSet(place, _) => SignalOperation::set_timer(word(place, registers)),
        Statement::TimerExpire(place, _, signal) => SignalOperation::expire(word(place, registers), signal),
        _ => unreachable!("no signal"),
    }
}

/// What a statement does to a barrier.
fn on_barrier(statement: Statement, registers: &[u64; REGISTERS]) -> BarrierOperation {
    let at = |place: Operand| place.object(ObjectKind::Barrier, registers);
    match statement {
        Statement::BarrierInit(place, count) => BarrierOperation::Init(at(place), count),
        Statement::BarrierArrive(place, _) => BarrierOperation::Arrive { barrier: at(place), last: false },
        Statement::BarrierPass(place, _) => BarrierOperation::Pass(at(place)),
        _ => unreachable!("on no barrier"),
    }
}
