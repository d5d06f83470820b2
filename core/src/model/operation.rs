//! Which operation a statement is.

use super::{Operand, REGISTERS, Statement};
use crate::event::{
    CondOperation, ControlOperation, EndKind, FutexOperation, MemoryOperation, MemoryOrder, MutexOperation, Object,
    ObjectKind, OnceOperation, Operation, ThreadSet,
};

/// The operation of a visible statement that names no thread.
pub(super) fn operation(statement: Statement, registers: &[u64; REGISTERS]) -> Operation {
    match statement {
        Statement::Read(..)
        | Statement::Write(..)
        | Statement::Load(..)
        | Statement::Await(..)
        | Statement::Store(..)
        | Statement::FetchAdd(..)
        | Statement::CompareExchange(..) => access(statement, registers).into(),
        Statement::Choose(..) => ControlOperation::Choose.into(),
        Statement::Assume(_) => ControlOperation::Assume.into(),
        Statement::Assert(_) => ControlOperation::EndProcess(EndKind::AssertionFailed).into(),
        Statement::ExitProcess(status) => ControlOperation::EndProcess(EndKind::Exit(status)).into(),
        Statement::FutexWait { place, .. } => {
            FutexOperation::Wait { word: word(place, registers), queued: true, alias: None }.into()
        }
        Statement::FutexWake { place, all, .. } => wake(Object::futex(word(place, registers).0), all),
        _ => on_object(statement, registers),
    }
}

/// The futex word in a variable.
fn word(place: Operand, registers: &[u64; REGISTERS]) -> Object {
    Object(place.range(registers).start)
}

/// Wakes one of those in a queue, or all.
fn wake(cond: Object, all: bool) -> Operation {
    if all {
        CondOperation::Broadcast { cond, woken: ThreadSet::EMPTY }.into()
    } else {
        CondOperation::Signal { cond, woken: None }.into()
    }
}

/// The access that a statement makes.
fn access(statement: Statement, registers: &[u64; REGISTERS]) -> MemoryOperation {
    let order = MemoryOrder::SequentiallyConsistent;
    match statement {
        Statement::Read(place, _) => MemoryOperation::Read(place.range(registers)),
        Statement::Write(place, _) => MemoryOperation::Write(place.range(registers)),
        Statement::Load(place, _) | Statement::Await(place, ..) => {
            MemoryOperation::AtomicLoad(place.range(registers), order)
        }
        Statement::Store(place, _) => MemoryOperation::AtomicStore(place.range(registers), order),
        Statement::FetchAdd(place, ..) | Statement::CompareExchange(place, ..) => {
            MemoryOperation::AtomicUpdate { range: place.range(registers), order, wrote: true }
        }
        _ => unreachable!("no access"),
    }
}

/// What a statement does to synchronisation objects.
fn on_object(statement: Statement, registers: &[u64; REGISTERS]) -> Operation {
    let mutex = |place: Operand| place.object(ObjectKind::Mutex, registers);
    let cond = |place: Operand| place.object(ObjectKind::Condition, registers);
    let once = |place: Operand| place.object(ObjectKind::Once, registers);
    match statement {
        Statement::Lock(place) => MutexOperation::Lock(mutex(place)).into(),
        Statement::TryLock(place, _) => MutexOperation::TryLock { mutex: mutex(place), acquired: true }.into(),
        Statement::Unlock(place) => MutexOperation::Unlock(mutex(place)).into(),
        Statement::Initialise(place) => MutexOperation::Init(mutex(place)).into(),
        Statement::Destroy(place) => MutexOperation::Destroy(mutex(place)).into(),
        Statement::Wait(c, m) | Statement::TimedWait(c, m, _) => {
            CondOperation::WaitRelease { cond: cond(c), mutex: mutex(m) }.into()
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
        | Statement::Create(_)
        | Statement::Join(_)
        | Statement::Choose(..)
        | Statement::Assume(_)
        | Statement::Assert(_)
        | Statement::ExitProcess(_)
        | Statement::Set(..)
        | Statement::JumpUnless(..)
        | Statement::Jump(_) => unreachable!("on no object"),
    }
}
