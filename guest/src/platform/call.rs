//! A system call of the program, and how it was served.

use super::caller;
use super::signals::register;

/// A system call with its arguments and the address after it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Call {
    /// Its number.
    pub number: u32,
    /// Its arguments.
    pub args: [u64; 6],
    /// Return address.
    pub pc: u64,
    /// Stack pointer.
    pub stack: u64,
}

impl Call {
    /// The place in the program's code that made the call, or had a library make it.
    pub fn place(&self) -> u64 {
        caller::in_program(self.pc, self.stack)
    }

    /// The call that was trapped with these registers.
    pub(super) fn of(registers: &[u64; 23]) -> Call {
        use register::*;
        let r = registers;
        Call { number: r[RAX] as u32, args: [r[RDI], r[RSI], r[RDX], r[R10], r[R8], r[R9]], pc: r[RIP], stack: r[RSP] }
    }
}

/// How a call was served.
pub enum Served {
    /// With this result.
    Done(i64),
    /// Not yet: its thread has to serve it on its own stack, as it may switch to another thread.
    OnStack,
}
