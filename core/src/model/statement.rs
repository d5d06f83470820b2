//! What a thread body consists of.

use super::{Expression, Operand, Test};
use crate::event::{Side, ThreadNumber, WriterFirstStep};
use alloc::vec;
use alloc::vec::Vec;

/// One statement of a thread body.
///
/// One that acts on a new kind of object also needs an array in C (`print.rs`) and its line where the cross-checks
/// translate addresses (`host/tests/crosscheck/translate.rs`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Statement {
    /// Plain, visible read into a register.
    Read(Operand, u8),
    /// Plain, visible write.
    Write(Operand, Expression),
    /// Atomic load into a register.
    Load(Operand, u8),
    /// Atomic store.
    Store(Operand, Expression),
    /// Atomic addition; the old value goes into a register.
    FetchAdd(Operand, u64, u8),
    /// Compare-exchange; the register becomes 1 if it succeeds and 0 otherwise.
    CompareExchange(Operand, Expression, Expression, u8),
    /// Spins, loading atomically, until the variable has this value; parks while it does not change.
    Await(Operand, u64, u8),
    /// Blocking lock.
    Lock(Operand),
    /// Trylock; the register becomes 1 if it takes the mutex and 0 otherwise.
    TryLock(Operand, u8),
    /// Unlock.
    Unlock(Operand),
    /// Wait: condition variable, mutex.
    Wait(Operand, Operand),
    /// Timed wait: condition variable, mutex; the register becomes 1 if it expired and 0 otherwise.
    TimedWait(Operand, Operand, u8),
    /// Signal.
    Signal(Operand),
    /// Broadcast.
    Broadcast(Operand),
    /// Initialises a mutex.
    Initialise(Operand),
    /// Destroys a mutex.
    Destroy(Operand),
    /// Arrives at a once object; the register becomes 1 if the thread is to run the initialiser and 0 otherwise.
    OnceEnter(Operand, u8),
    /// The initialiser has returned.
    OnceLeave(Operand),
    /// Waits for the first four bytes of a variable, while they have this value; may expire if that is given. The
    /// register becomes what came of it ([`FutexResult`]).
    FutexWait {
        /// The variable.
        place: Operand,
        /// The value expected of the word.
        expected: u32,
        /// Whether the wait may expire.
        timed: bool,
        /// The bitset; 0 stands for all bits.
        bits: u32,
        /// The register.
        register: u8,
    },
    /// Wakes some of those who wait for the first four bytes of a variable; how many goes into the register.
    FutexWake {
        /// The variable.
        place: Operand,
        /// How many are woken at most.
        most: u32,
        /// The bitset; 0 stands for all bits.
        bits: u32,
        /// The register.
        register: u8,
    },
    /// Compares the first four bytes of a variable, if there is a value to compare with, wakes some of its waiters and
    /// moves others to those of another variable. How many were woken or moved goes into the register, the greatest
    /// number if the variable had another value.
    FutexRequeue {
        /// The variable.
        from: Operand,
        /// The other variable.
        to: Operand,
        /// How many are woken at most.
        wakes: ThreadNumber,
        /// How many are moved at most.
        moves: ThreadNumber,
        /// The value expected of the word.
        expected: Option<u32>,
        /// The register.
        register: u8,
    },
    /// A step of a wait for several words of four bytes, or at a lock with priority inheritance that is one.
    FutexStep {
        /// The variable.
        place: Operand,
        /// The step.
        step: FutexStep,
        /// The register that says what came of it ([`FutexStep`]).
        register: u8,
    },
    /// Initialises a semaphore with this count.
    SemaphoreInit(Operand, u32),
    /// Waits for a unit of a semaphore.
    SemaphoreWait(Operand),
    /// Takes a unit if there is one; the register becomes 1 if so and 0 otherwise.
    SemaphoreTryWait(Operand, u8),
    /// Adds a unit to a semaphore.
    SemaphorePost(Operand),
    /// The register becomes 1 if the semaphore has a unit and 0 otherwise.
    SemaphoreCount(Operand, u8),
    /// Locks a read-write lock.
    RwlockLock(Operand, Side),
    /// Locks a read-write lock if it is available; the register becomes 1 if so and 0 otherwise.
    RwlockTryLock(Operand, Side, u8),
    /// Unlocks a read-write lock.
    RwlockUnlock(Operand),
    /// A step at a read-write lock that prefers waiting writers. Programs that are printed have none: a call makes
    /// several.
    WriterFirst(Operand, WriterFirstStep),
    /// Tries to lock such a lock; the register becomes 1 if it succeeds and 0 otherwise.
    WriterFirstTryLock(Operand, Side, u8),
    /// Initialises a barrier for rounds of this many threads.
    BarrierInit(Operand, u32),
    /// Arrives at a barrier; the register becomes 1 if the thread completes the round and 0 otherwise.
    BarrierArrive(Operand, u8),
    /// Waits until the round is complete, unless the register is 1.
    BarrierPass(Operand, u8),
    /// Makes a pipe that holds so many values, 1 or 2, with 4 added if no read of it waits, and 8 if no write does.
    PipeInit(Operand, u8),
    /// Puts a value into a pipe, once there is room.
    PipeWrite(Operand, Expression),
    /// Takes the first value out of a pipe, once there is one; the register becomes 1 more than the value.
    PipeRead(Operand, u8),
    /// Puts a value into a pipe if there is room; the register becomes 1 if so and 0 otherwise.
    PipeTryWrite(Operand, Expression, u8),
    /// Takes the first value out of a pipe; the register becomes 1 more than the value, or 0 if there is none.
    PipeTryRead(Operand, u8),
    /// Looks whether the first two pipes have values, and waits until one has if that is given; the register becomes 1
    /// if the first has, with 2 added if the second has.
    PipePoll(bool, u8),
    /// Sends a signal to whom a variable stands for: adds it to those pending there.
    SignalSend(Operand, u8),
    /// Takes the lowest of these signals (a bit each) that is pending in a variable; the register becomes its number,
    /// or 0 if there is none.
    SignalTake(Operand, u64, u8),
    /// The same, and waits until there is one.
    SignalAwait(Operand, u64, u8),
    /// The signals that are pending in a variable, and which timer is set there, go into a register.
    SignalLook(Operand, u8),
    /// Sets a timer at a variable for pending signals: this setting, a number from 1, in place of the one before. With
    /// 0, no timer is set any more.
    TimerSet(Operand, u8),
    /// Starts the thread with this body, which is an expiry. A body is started at most once in a run.
    TimerStart(u8),
    /// The timer at a variable expires, if this setting is the last one: it sends a signal, and is not set any more.
    TimerExpire(Operand, u8, u8),
    /// Requests the cancellation of the thread with this body, which this thread has started.
    Cancel(u8),
    /// A cancellation point that does not wait: if cancellation was requested, continues at the statement with this
    /// number.
    CancelPoint(u16),
    /// Chooses whether the wait two statements further on is to end by what it waits for; if not, the next statement is
    /// executed in its place.
    CancelChoice,
    /// Waits for a request, then continues at the statement with this number.
    CancelAccept(u16),
    /// As the wait for a unit of a semaphore, after a choice.
    CancellableSemaphoreWait(Operand),
    /// As a join, after a choice.
    CancellableJoin(u8),
    /// Wait, timed if so: condition variable, mutex. The next statement, a cancellation point, is executed only if the
    /// wait ends without a signal.
    CancellableWait(Operand, Operand, bool),
    /// Starts the thread with this body. A body is started at most once in a run.
    Create(u8),
    /// Joins the thread with this body, which this thread has started.
    Join(u8),
    /// Detaches the thread with this body, which was started before; the register becomes 1 if that is a misuse, as the
    /// thread was joined or detached already, and 0 otherwise.
    Detach(u8, u8),
    /// A choice below the count, into a register.
    Choose(u32, u8),
    /// Stops this thread unless the test holds.
    Assume(Test),
    /// Ends the process unless the test holds.
    Assert(Test),
    /// Ends the process.
    ExitProcess(i32),
    /// Invisible: computes into a register.
    Set(u8, Expression),
    /// Invisible: continues at the statement with this number unless the test holds.
    JumpUnless(Test, u16),
    /// Invisible: continues at the statement with this number.
    Jump(u16),
}

impl Statement {
    /// The places that it names.
    pub(super) fn places(self) -> Vec<Operand> {
        match self {
            Statement::Read(place, _)
            | Statement::Write(place, _)
            | Statement::Load(place, _)
            | Statement::Store(place, _)
            | Statement::FetchAdd(place, ..)
            | Statement::CompareExchange(place, ..)
            | Statement::Await(place, ..)
            | Statement::Lock(place)
            | Statement::TryLock(place, _)
            | Statement::Unlock(place)
            | Statement::Signal(place)
            | Statement::Broadcast(place)
            | Statement::Initialise(place)
            | Statement::Destroy(place)
            | Statement::OnceEnter(place, _)
            | Statement::OnceLeave(place)
            | Statement::FutexWait { place, .. }
            | Statement::FutexWake { place, .. }
            | Statement::FutexStep { place, .. }
            | Statement::SemaphoreInit(place, _)
            | Statement::SemaphoreWait(place)
            | Statement::CancellableSemaphoreWait(place)
            | Statement::SemaphoreTryWait(place, _)
            | Statement::SemaphorePost(place)
            | Statement::SemaphoreCount(place, _)
            | Statement::RwlockLock(place, _)
            | Statement::RwlockTryLock(place, ..)
            | Statement::RwlockUnlock(place)
            | Statement::WriterFirst(place, _)
            | Statement::WriterFirstTryLock(place, ..)
            | Statement::BarrierInit(place, _)
            | Statement::BarrierArrive(place, _)
            | Statement::BarrierPass(place, _)
            | Statement::PipeInit(place, _)
            | Statement::PipeWrite(place, _)
            | Statement::PipeRead(place, _)
            | Statement::PipeTryWrite(place, ..)
            | Statement::PipeTryRead(place, _)
            | Statement::SignalSend(place, _)
            | Statement::SignalTake(place, ..)
            | Statement::SignalAwait(place, ..)
            | Statement::SignalLook(place, _)
            | Statement::TimerSet(place, _)
            | Statement::TimerExpire(place, ..) => vec![place],
            Statement::Wait(cond, mutex)
            | Statement::TimedWait(cond, mutex, _)
            | Statement::CancellableWait(cond, mutex, ..) => vec![cond, mutex],
            Statement::FutexRequeue { from, to, .. } => vec![from, to],
            Statement::PipePoll(..)
            | Statement::TimerStart(_)
            | Statement::Create(_)
            | Statement::Join(_)
            | Statement::Detach(..)
            | Statement::Cancel(_)
            | Statement::CancelPoint(_)
            | Statement::CancelChoice
            | Statement::CancelAccept(_)
            | Statement::CancellableJoin(_)
            | Statement::Choose(..)
            | Statement::Assume(_)
            | Statement::Assert(_)
            | Statement::ExitProcess(_)
            | Statement::Set(..)
            | Statement::JumpUnless(..)
            | Statement::Jump(_) => Vec::new(),
        }
    }

    /// How it moves values between registers and variables.
    pub(super) fn data_flow(self) -> DataFlow {
        match self {
            Statement::Read(place, register)
            | Statement::Load(place, register)
            | Statement::Await(place, _, register) => DataFlow::Reads(place, register),
            Statement::Write(place, value) | Statement::Store(place, value) => DataFlow::Writes(place, value),
            Statement::FetchAdd(place, _, register) => DataFlow::Adds(place, register),
            Statement::CompareExchange(place, old, new, register) => DataFlow::Exchanges(place, [old, new], register),
            Statement::Set(register, value) => DataFlow::Computes(register, value),
            Statement::TryLock(_, register)
            | Statement::TimedWait(_, _, register)
            | Statement::OnceEnter(_, register)
            | Statement::FutexWait { register, .. }
            | Statement::FutexWake { register, .. }
            | Statement::FutexRequeue { register, .. }
            | Statement::FutexStep { register, .. }
            | Statement::SemaphoreTryWait(_, register)
            | Statement::SemaphoreCount(_, register)
            | Statement::RwlockTryLock(_, _, register)
            | Statement::WriterFirstTryLock(_, _, register)
            | Statement::BarrierArrive(_, register)
            | Statement::PipeRead(_, register)
            | Statement::PipeTryWrite(.., register)
            | Statement::PipeTryRead(_, register)
            | Statement::PipePoll(_, register)
            | Statement::SignalTake(.., register)
            | Statement::SignalAwait(.., register)
            | Statement::SignalLook(_, register)
            | Statement::Choose(_, register) => DataFlow::Outcome(register),
            Statement::Lock(_)
            | Statement::Unlock(_)
            | Statement::Wait(..)
            | Statement::Signal(_)
            | Statement::Broadcast(_)
            | Statement::Initialise(_)
            | Statement::Destroy(_)
            | Statement::OnceLeave(_)
            | Statement::SemaphoreInit(..)
            | Statement::SemaphoreWait(_)
            | Statement::SemaphorePost(_)
            | Statement::RwlockLock(..)
            | Statement::RwlockUnlock(_)
            | Statement::WriterFirst(..)
            | Statement::BarrierInit(..)
            | Statement::BarrierPass(..)
            | Statement::PipeInit(..)
            | Statement::PipeWrite(..)
            | Statement::SignalSend(..)
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
            | Statement::CancellableWait(..)
            | Statement::Assume(_)
            | Statement::Assert(_)
            | Statement::ExitProcess(_)
            | Statement::JumpUnless(..)
            | Statement::Jump(_) => DataFlow::None,
        }
    }

    /// The register that it assigns to.
    pub(super) fn register(self) -> Option<u8> {
        match self.data_flow() {
            DataFlow::Reads(_, register)
            | DataFlow::Adds(_, register)
            | DataFlow::Exchanges(.., register)
            | DataFlow::Computes(register, _)
            | DataFlow::Outcome(register) => Some(register),
            DataFlow::Writes(..) | DataFlow::None => None,
        }
    }
}

/// A step of a wait for several futex words, or at a lock with priority inheritance: what a call does is several of
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FutexStep {
    /// Joins the waiters while the word has this value; the register becomes 1 if so and 0 otherwise.
    Join(u32),
    /// Waits until the thread was woken; the word may be a lock, which it owns then. The register stays as it is.
    Rest {
        /// Whether it is.
        owns: bool,
    },
    /// Leaves the waiters; the register becomes 1 if the thread was woken there, and 0 otherwise.
    Leave {
        /// Whether the word is a lock, which the thread owns if so.
        owns: bool,
    },
    /// Takes a lock, or joins its waiters. The register becomes 0 if the lock was free, 1 if another thread owned it,
    /// and 2 if this one did.
    Lock,
    /// Gives back a lock, or hands it over. The register becomes 1 if the thread owned it, and 0 otherwise.
    Unlock,
}

/// What comes of a wait for a futex word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FutexResult {
    /// The thread was woken, by another or spuriously.
    Woken = 0,
    /// The word did not have the expected value.
    NotAsExpected = 1,
    /// The wait expired.
    Expired = 2,
}

/// How a statement moves values between registers and variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DataFlow {
    /// From a variable into a register.
    Reads(Operand, u8),
    /// From an expression into a variable.
    Writes(Operand, Expression),
    /// From a variable into itself and a register.
    Adds(Operand, u8),
    /// From a variable and two expressions into the variable and a register.
    Exchanges(Operand, [Expression; 2], u8),
    /// From an expression into a register.
    Computes(u8, Expression),
    /// What has come of the operation goes into a register.
    Outcome(u8),
    /// It moves none.
    None,
}
