//! What functions without a body mean for the facts, by their rows ([`inspect_wire::library`]): which are operations of
//! threads, whose results are functions of their arguments, and whose are not. A function without a row is not
//! understood.

use crate::ir::Value;
use inspect_wire::library::{LibraryRow, Outcome, PointerFlow, Role, row};
use llvm_sys::LLVMOpcode;

/// What a call of a function without a body means for the facts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LibraryCall {
    Lock,
    TryLock,
    Unlock,
    /// Initialises or destroys a synchronisation object.
    Lifecycle,
    /// Waits for the condition variable at the first position with the mutex at the second.
    Wait {
        timed: bool,
    },
    Wake,
    /// Starts a thread with the function and the argument at these positions.
    Create {
        function: u32,
        argument: u32,
    },
    /// Waits for a thread.
    Join,
    /// What it returns and writes depends on its arguments and on the memory they lead to; it may look at the locale.
    Plain,
    /// What it returns and writes depends also on when it is called.
    Varies,
    /// As `Varies`, and it uses something outside of the program's memory that other threads or processes may use: a
    /// file, the state of a library.
    Outside,
    /// Writes to the stream at this position: `Plain` if that is an output of the process, else `Outside`.
    Stream {
        stream: u32,
    },
    /// Makes or frees a block of the heap: where the next one is depends on it.
    Heap,
    /// Ends the process.
    Ends,
    /// Ends the thread.
    EndsThread,
    /// Not understood.
    Unknown,
}

/// What a call of the function with this name means.
pub(crate) fn library(name: &str) -> LibraryCall {
    let Some(row) = row(name) else { return LibraryCall::Unknown };
    match row.role {
        Some(Role::Lock) => LibraryCall::Lock,
        Some(Role::TryLock) => LibraryCall::TryLock,
        Some(Role::Unlock) => LibraryCall::Unlock,
        Some(Role::Lifecycle) => LibraryCall::Lifecycle,
        Some(Role::Wait) => LibraryCall::Wait { timed: false },
        Some(Role::TimedWait) => LibraryCall::Wait { timed: true },
        Some(Role::Wake) => LibraryCall::Wake,
        Some(Role::Create) => created(row),
        Some(Role::Join) => LibraryCall::Join,
        Some(Role::EndsThread) => LibraryCall::EndsThread,
        Some(Role::EndsProcess) => LibraryCall::Ends,
        None => match row.outcome {
            Outcome::Unknown => LibraryCall::Unknown,
            Outcome::Determined => LibraryCall::Plain,
            Outcome::Varies => LibraryCall::Varies,
            Outcome::Outside => LibraryCall::Outside,
            Outcome::Stream(stream) => LibraryCall::Stream { stream: stream.into() },
            Outcome::Heap => LibraryCall::Heap,
        },
    }
}

/// A function that starts a thread is not understood unless its row says which of its arguments are what.
fn created(row: &LibraryRow) -> LibraryCall {
    let starts = |flow: &PointerFlow| match *flow {
        PointerFlow::Starts { function, argument } => {
            Some(LibraryCall::Create { function: function.into(), argument: argument.into() })
        }
        _ => None,
    };
    row.flows.into_iter().flatten().find_map(starts).unwrap_or(LibraryCall::Unknown)
}

/// What a call of a function without a body means.
pub(crate) fn library_call(call: Value) -> LibraryCall {
    match library(&call.callee().name()) {
        LibraryCall::Stream { stream } if call.arguments().get(stream as usize).copied().is_some_and(is_output) => {
            LibraryCall::Plain
        }
        LibraryCall::Stream { .. } => LibraryCall::Outside,
        other => other,
    }
}

/// The arguments of a call through which a library function may reach the program's memory.
pub(crate) fn pointers(call: Value) -> impl Iterator<Item = Value> {
    call.arguments().into_iter().filter(|argument| argument.ty().is_pointer() && !is_output(*argument))
}

/// Whether the value is the C library's `stdout` or `stderr`. Calls of several threads on these count as independent.
fn is_output(stream: Value) -> bool {
    if stream.opcode() != Some(LLVMOpcode::LLVMLoad) || !stream.operand(0).is_global_variable() {
        return false;
    }
    let variable = stream.operand(0);
    let loads = |user: Value| user.opcode() == Some(LLVMOpcode::LLVMLoad);
    matches!(variable.name().as_str(), "stdout" | "stderr") && variable.users().into_iter().all(loads)
}
