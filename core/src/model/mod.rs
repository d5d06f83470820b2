//! Tiny programs as data, interpreted through [`Run`](crate::run::Run), so that every algorithm can be compared with
//! brute force without native code. Only tests and benchmarks use this module (feature `model`).
//!
//! A program is a list of thread bodies; body 0 is main. Each statement has a direct counterpart in C, so the same
//! program can be printed as C and run natively.

mod canonical;
pub mod examples;
mod facts;
mod futex_steps;
mod generate;
mod guarded;
mod identities;
mod layout;
mod machine;
mod mix;
mod operation;
mod pipes;
pub mod print;
mod statement;
mod values;
mod writers_first;

pub use crate::random::Random;
pub use canonical::{Fingerprint, fingerprint};
pub use facts::facts;
pub use futex_steps::{lock_of_owner, wait_for_two, with_owned_locks, with_waits_for_two};
pub use generate::{Shape, generate, with_bitsets, with_orders, with_requeues};
pub use guarded::guarded;
pub use identities::Identities;
pub use layout::{CONDITIONS, MUTEXES, SPACING, VARIABLES, objects};
pub use machine::{FinalState, LocalState, Machine, Transition};
pub use pipes::with_pipes;
pub use statement::{FutexResult, FutexStep, Statement};
pub use writers_first::with_writers_first;

use crate::event::MemoryOrder;
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
    /// For an atomic access of a variable: its order.
    pub order: MemoryOrder,
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
    pub const fn at(base: u16) -> Self {
        Operand { base, index: None, part: Part::Whole, order: MemoryOrder::SequentiallyConsistent }
    }

    /// Element `register` of the array that starts at `base`.
    pub fn indexed(base: u16, register: u8) -> Self {
        Operand { index: Some(register), ..Operand::at(base) }
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
