//! The effects on memory and on synchronisation objects by which a program's static facts describe what its code may
//! do.

/// The kinds of effects on memory and synchronisation objects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum EffectKind {
    /// Plain read.
    Read,
    /// Plain write.
    Write,
    /// Atomic load.
    AtomicRead,
    /// Atomic store or read-modify-write.
    AtomicWrite,
    /// A mutex is locked, also at the end of a wait.
    Lock,
    /// An attempt to lock a mutex.
    TryLock,
    /// A mutex is unlocked, also at the beginning of a wait.
    Unlock,
    /// A mutex is initialised or destroyed.
    MutexLifecycle,
    /// A thread begins to wait for a condition variable.
    Wait,
    /// A wait ends without a signal.
    Expire,
    /// A condition variable is signalled.
    Wake,
    /// A condition variable is initialised or destroyed.
    CondLifecycle,
}
