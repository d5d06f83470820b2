//! Tiny programs as data, interpreted through [`Run`](crate::run::Run), so that every algorithm can be compared with
//! brute force without native code. Only tests and benchmarks use this module (feature `model`).
//!
//! A program is a list of thread bodies; body 0 is main. Each statement has a direct counterpart in C, so the same
//! program can be printed as C and run natively.

mod canonical;
pub mod examples;
mod facts;
mod generate;
mod guarded;
mod identities;
mod layout;
mod machine;
pub mod print;
mod values;

pub use canonical::{Fingerprint, fingerprint};
pub use facts::facts;
pub use generate::{Random, Shape, generate};
pub use guarded::guarded;
pub use identities::Identities;
pub use layout::{CONDITIONS, MUTEXES, ONCES, SPACING, VARIABLES};
pub use machine::{FinalState, LocalState, Machine, Transition};

use alloc::vec::Vec;

/// Mutexes with this number or a greater one are recursive.
pub const RECURSIVE: u16 = 100;

/// How many registers a thread has.
pub const REGISTERS: usize = 4;

/// What a statement works on: a variable, mutex or condition variable by number, or one of an array chosen by a
/// register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Number of the object, or of the first of the array.
    pub base: u16,
    /// The register added to `base`.
    pub index: Option<u8>,
    /// For a variable: which bytes.
    pub part: Part,
}

/// Which bytes of a variable, or of two neighbours, an access touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The eight bytes of the variable.
    Whole,
    /// Its first four bytes.
    Low,
    /// Its last four bytes.
    High,
    /// The variable and the next one: read as their sum, both written.
    Two,
}

impl Operand {
    /// The object with this number.
    pub fn at(base: u16) -> Self {
        Operand { base, index: None, part: Part::Whole }
    }

    /// Element `register` of the array that starts at `base`.
    pub fn indexed(base: u16, register: u8) -> Self {
        Operand { base, index: Some(register), part: Part::Whole }
    }
}

/// A value computed from at most one register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expression {
    /// A constant.
    Constant(u64),
    /// A register plus a constant, wrapping.
    Register(u8, u64),
    /// `(register + plus) % modulo`.
    Modulo(u8, u64, u64),
}

/// Whether a register equals a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Test {
    /// The register.
    pub register: u8,
    /// The constant.
    pub equals: u64,
}

/// One statement of a thread body.
///
/// One that acts on a new kind of object also needs addresses (`layout.rs`), an array in C (`print.rs`) and its line
/// where the cross-checks translate addresses (`host/tests/crosscheck/translate.rs`).
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
    /// Starts the thread with this body. A body is started at most once in a run.
    Create(u8),
    /// Joins the thread with this body, which this thread has started.
    Join(u8),
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

/// A program: thread bodies (main first) and the number of variables that they share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Thread bodies; 0 is main.
    pub bodies: Vec<Vec<Statement>>,
    /// Number of variables, all 0 at the start.
    pub variables: u16,
    /// Whether a wait may end without a signal.
    pub spurious_wakeups: bool,
}
