//! What is true of an operation whatever the state: the memory it names, what it needs, which threads it concerns.
//!
//! Each property is stated here once and lists every operation. What an operation does to synchronisation objects is told
//! by its [`Footprint`](super::Footprint).

use super::{ByteRange, Object, Operation, ThreadId, ThreadSet};

/// How an operation accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessMode {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic load.
    AtomicRead,
    /// A compare-exchange that fails: it reads, and might have written.
    AtomicCompare,
    /// An atomic store, or an update that writes.
    AtomicWrite,
}

impl AccessMode {
    /// Whether it is not atomic.
    #[inline]
    pub fn is_plain(self) -> bool {
        match self {
            AccessMode::Read | AccessMode::Write => true,
            AccessMode::AtomicRead | AccessMode::AtomicCompare | AccessMode::AtomicWrite => false,
        }
    }

    /// Whether it changes memory.
    #[inline]
    pub fn writes(self) -> bool {
        match self {
            AccessMode::Write | AccessMode::AtomicWrite => true,
            AccessMode::Read | AccessMode::AtomicRead | AccessMode::AtomicCompare => false,
        }
    }

    /// Whether it changes memory, or would have with another value there.
    #[inline]
    fn may_write(self) -> bool {
        match self {
            AccessMode::Write | AccessMode::AtomicWrite | AccessMode::AtomicCompare => true,
            AccessMode::Read | AccessMode::AtomicRead => false,
        }
    }
}

/// What has to be there before an operation can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Nothing: it can always be taken.
    Nothing,
    /// This mutex has to be free, or to be the thread's own if it is recursive.
    Mutex(Object),
    /// Nobody may be running the initialiser of this once object.
    Once(Object),
    /// This thread has to have ended.
    EndOf(ThreadId),
    /// Nobody else may be able to go on.
    OthersStopped,
    /// It is never taken.
    Never,
}

impl Operation {
    /// The memory it accesses, and how.
    #[inline]
    pub fn access(&self) -> Option<(ByteRange, AccessMode)> {
        match *self {
            Operation::Read(range) => Some((range, AccessMode::Read)),
            Operation::Write(range) => Some((range, AccessMode::Write)),
            Operation::AtomicLoad(range, _) => Some((range, AccessMode::AtomicRead)),
            Operation::AtomicUpdate { range, wrote: false, .. } => Some((range, AccessMode::AtomicCompare)),
            Operation::AtomicStore(range, _) | Operation::AtomicUpdate { range, wrote: true, .. } => {
                Some((range, AccessMode::AtomicWrite))
            }
            Operation::MutexInit(_)
            | Operation::MutexDestroy(_)
            | Operation::Lock(_)
            | Operation::TryLock { .. }
            | Operation::Unlock(_)
            | Operation::CondInit(_)
            | Operation::CondDestroy(_)
            | Operation::WaitRelease { .. }
            | Operation::WaitExpire { .. }
            | Operation::WaitReacquire { .. }
            | Operation::Signal { .. }
            | Operation::Broadcast { .. }
            | Operation::OnceEnter { .. }
            | Operation::OnceLeave(_)
            | Operation::Create(_)
            | Operation::Exit
            | Operation::Join(_)
            | Operation::Detach(_)
            | Operation::Choose
            | Operation::Yield
            | Operation::Assume
            | Operation::EndProcess(_) => None,
        }
    }

    /// The bytes of memory it accesses.
    #[inline]
    pub fn bytes(&self) -> Option<ByteRange> {
        self.access().map(|(range, _)| range)
    }

    /// The bytes of a plain access.
    #[inline]
    pub fn plain_bytes(&self) -> Option<ByteRange> {
        self.access().filter(|(_, access)| access.is_plain()).map(|(range, _)| range)
    }

    /// The bytes it changes.
    #[inline]
    pub fn writes(&self) -> Option<ByteRange> {
        self.access().filter(|(_, access)| access.writes()).map(|(range, _)| range)
    }

    /// The bytes it changes, or would have with another value there.
    #[inline]
    pub fn may_write(&self) -> Option<ByteRange> {
        self.access().filter(|(_, access)| access.may_write()).map(|(range, _)| range)
    }

    /// The bytes it accesses, to be exchanged for others.
    pub fn bytes_mut(&mut self) -> Option<&mut ByteRange> {
        match self {
            Operation::Read(range)
            | Operation::Write(range)
            | Operation::AtomicLoad(range, _)
            | Operation::AtomicStore(range, _)
            | Operation::AtomicUpdate { range, .. } => Some(range),
            Operation::MutexInit(_)
            | Operation::MutexDestroy(_)
            | Operation::Lock(_)
            | Operation::TryLock { .. }
            | Operation::Unlock(_)
            | Operation::CondInit(_)
            | Operation::CondDestroy(_)
            | Operation::WaitRelease { .. }
            | Operation::WaitExpire { .. }
            | Operation::WaitReacquire { .. }
            | Operation::Signal { .. }
            | Operation::Broadcast { .. }
            | Operation::OnceEnter { .. }
            | Operation::OnceLeave(_)
            | Operation::Create(_)
            | Operation::Exit
            | Operation::Join(_)
            | Operation::Detach(_)
            | Operation::Choose
            | Operation::Yield
            | Operation::Assume
            | Operation::EndProcess(_) => None,
        }
    }

    /// Whether it is an atomic access that does not acquire what it reads, or does not release what it writes.
    pub fn is_relaxed(&self) -> bool {
        match *self {
            Operation::AtomicLoad(_, order) => !order.acquires(),
            Operation::AtomicStore(_, order) => !order.releases(),
            Operation::AtomicUpdate { order, wrote, .. } => !order.acquires() || wrote && !order.releases(),
            Operation::Read(_)
            | Operation::Write(_)
            | Operation::MutexInit(_)
            | Operation::MutexDestroy(_)
            | Operation::Lock(_)
            | Operation::TryLock { .. }
            | Operation::Unlock(_)
            | Operation::CondInit(_)
            | Operation::CondDestroy(_)
            | Operation::WaitRelease { .. }
            | Operation::WaitExpire { .. }
            | Operation::WaitReacquire { .. }
            | Operation::Signal { .. }
            | Operation::Broadcast { .. }
            | Operation::OnceEnter { .. }
            | Operation::OnceLeave(_)
            | Operation::Create(_)
            | Operation::Exit
            | Operation::Join(_)
            | Operation::Detach(_)
            | Operation::Choose
            | Operation::Yield
            | Operation::Assume
            | Operation::EndProcess(_) => false,
        }
    }

    /// What has to be there before it can be taken. The end of a wait needs its signal before: that is no matter of the
    /// operation alone.
    #[inline]
    pub fn need(&self) -> Need {
        match *self {
            Operation::Lock(mutex) | Operation::WaitReacquire { mutex, .. } => Need::Mutex(mutex),
            Operation::OnceEnter { once, .. } => Need::Once(once),
            Operation::Join(thread) => Need::EndOf(thread),
            Operation::EndProcess(_) => Need::OthersStopped,
            Operation::Assume => Need::Never,
            Operation::Read(_)
            | Operation::Write(_)
            | Operation::AtomicLoad(..)
            | Operation::AtomicStore(..)
            | Operation::AtomicUpdate { .. }
            | Operation::MutexInit(_)
            | Operation::MutexDestroy(_)
            | Operation::TryLock { .. }
            | Operation::Unlock(_)
            | Operation::CondInit(_)
            | Operation::CondDestroy(_)
            | Operation::WaitRelease { .. }
            | Operation::WaitExpire { .. }
            | Operation::Signal { .. }
            | Operation::Broadcast { .. }
            | Operation::OnceLeave(_)
            | Operation::Create(_)
            | Operation::Exit
            | Operation::Detach(_)
            | Operation::Choose
            | Operation::Yield => Need::Nothing,
        }
    }

    /// Whether its thread lets others go on of its own accord: a switch after it is no preemption.
    pub fn gives_way(&self) -> bool {
        matches!(self, Operation::WaitRelease { .. } | Operation::Yield)
    }

    /// The waiters that it woke.
    pub fn woken(&self) -> ThreadSet {
        match *self {
            Operation::Signal { woken, .. } => woken.map_or(ThreadSet::EMPTY, ThreadSet::only),
            Operation::Broadcast { woken, .. } => woken,
            Operation::Read(_)
            | Operation::Write(_)
            | Operation::AtomicLoad(..)
            | Operation::AtomicStore(..)
            | Operation::AtomicUpdate { .. }
            | Operation::MutexInit(_)
            | Operation::MutexDestroy(_)
            | Operation::Lock(_)
            | Operation::TryLock { .. }
            | Operation::Unlock(_)
            | Operation::CondInit(_)
            | Operation::CondDestroy(_)
            | Operation::WaitRelease { .. }
            | Operation::WaitExpire { .. }
            | Operation::WaitReacquire { .. }
            | Operation::OnceEnter { .. }
            | Operation::OnceLeave(_)
            | Operation::Create(_)
            | Operation::Exit
            | Operation::Join(_)
            | Operation::Detach(_)
            | Operation::Choose
            | Operation::Yield
            | Operation::Assume
            | Operation::EndProcess(_) => ThreadSet::EMPTY,
        }
    }
}
