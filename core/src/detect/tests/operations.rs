//! Operations in short, for programs written as lists of them.

use crate::event::{
    ByteRange, CondOperation, ControlOperation, EndKind, MemoryOperation, MutexOperation, Object, Operation, ThreadId,
    ThreadOperation,
};

pub(super) const YIELD: Operation = Operation::Control(ControlOperation::Yield);

pub(super) const ASSUME: Operation = Operation::Control(ControlOperation::Assume);

pub(super) const fn mutex_init(mutex: Object) -> Operation {
    Operation::Mutex(MutexOperation::Init(mutex))
}

pub(super) const fn mutex_destroy(mutex: Object) -> Operation {
    Operation::Mutex(MutexOperation::Destroy(mutex))
}

pub(super) const fn cond_init(cond: Object) -> Operation {
    Operation::Cond(CondOperation::Init(cond))
}

pub(super) const fn cond_destroy(cond: Object) -> Operation {
    Operation::Cond(CondOperation::Destroy(cond))
}

pub(super) const fn unlock(mutex: Object) -> Operation {
    Operation::Mutex(MutexOperation::Unlock(mutex))
}

pub(super) const fn lock(mutex: Object) -> Operation {
    Operation::Mutex(MutexOperation::Lock(mutex))
}

pub(super) const fn write(range: ByteRange) -> Operation {
    Operation::Memory(MemoryOperation::Write(range))
}

pub(super) const fn create(child: ThreadId) -> Operation {
    Operation::Thread(ThreadOperation::Create(child))
}

pub(super) const fn join(child: ThreadId) -> Operation {
    Operation::Thread(ThreadOperation::Join(child))
}

pub(super) const fn detach(child: ThreadId) -> Operation {
    Operation::Thread(ThreadOperation::Detach(child))
}

pub(super) const fn end_process(kind: EndKind) -> Operation {
    Operation::Control(ControlOperation::EndProcess(kind))
}
