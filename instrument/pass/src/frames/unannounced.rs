//! Which instructions may write to memory that no hook names.
//!
//! The guest updates its hash of a state from one state to the next. It hashes again the memory that a hook announces,
//! and the variables of the functions that a thread is in whenever the thread has run. Before every other write the
//! program sets a flag ([`inspect_wire::hooks`], `__inspect_frames`), and the guest then hashes all memory again. The
//! flag may be set without need, never left out where it is needed: no flag is set only for a write that a hook has
//! just announced, for a write to a variable of the function itself, and for calls known to write to none of the
//! program's memory.

use crate::access::{Access, Kind};
use crate::ir::{Module, Value, llvm};
use crate::sharing::{Reach, Sharing};
use inspect_wire::hooks::{AfterHook, hook};
use inspect_wire::library::{Completion, row};
use llvm_sys::LLVMOpcode;
use llvm_sys::core::*;
use std::collections::{HashMap, HashSet};

/// The instructions whose accesses are not all announced just before the only write among them. For calls of functions
/// without a body, [`is_quiet`] decides.
pub(crate) fn writers(module: Module, accesses: &[Access], sharing: &Sharing<'_>) -> HashSet<Value> {
    let mut writes: HashMap<Value, u32> = HashMap::new();
    let mut found = HashSet::new();
    for access in accesses {
        let Some(pointer) = access.pointer else {
            if access.kind == Kind::Opaque {
                found.insert(access.instruction);
            }
            continue;
        };
        if !access.kind.writes() {
            continue;
        }
        let count = writes.entry(access.instruction).or_default();
        *count += 1;
        let elsewhere = llvm!(LLVMGetPointerAddressSpace(LLVMTypeOf(pointer.0))) != 0;
        let announced = sharing.reach(access) == Reach::Shared;
        if *count > 1 || elsewhere || !(announced || is_own(module, pointer)) {
            found.insert(access.instruction);
        }
    }
    found
}

/// Whether the address lies in a variable of the function itself: one of fixed size, at a fixed offset.
fn is_own(module: Module, mut pointer: Value) -> bool {
    while pointer.opcode() == Some(LLVMOpcode::LLVMGetElementPtr) {
        let constant = pointer.operands().iter().skip(1).all(|index| index.is_constant());
        if !constant || llvm!(LLVMIsInBounds(pointer.0)) == 0 {
            return false;
        }
        pointer = pointer.operand(0);
    }
    pointer.opcode() == Some(LLVMOpcode::LLVMAlloca) && module.variable_size(pointer).is_some()
}

/// Whether a call, once its last visible operation was granted, writes to none of the program's memory but what that
/// operation names. Code of the program that it runs may write, as that code sets the flag itself.
pub(crate) fn is_quiet(call: Value) -> bool {
    let callee = call.callee();
    if !callee.is_function() || !callee.is_declaration() {
        return false;
    }
    let name = callee.name();
    if hook(&name).is_some_and(|hook| hook.next == AfterHook::Access) {
        return true;
    }
    let is_null = |argument: u8| call.arguments().get(usize::from(argument)).is_some_and(|a| a.is_null_or_undef());
    match row(&name).map_or(Completion::Writes, |row| row.completion) {
        Completion::Writes => false,
        Completion::WritesNothing => true,
        Completion::WritesUnlessNull(argument) => is_null(argument),
    }
}

/// Whether an instruction is to set the flag first, given the [`writers`].
pub(crate) fn sets_flag(instruction: Value, writers: &HashSet<Value>) -> bool {
    if writers.contains(&instruction) {
        return true;
    }
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => {
            let callee = instruction.callee();
            if callee.is_inline_asm() {
                return !callee.asm_text().0.trim().is_empty();
            }
            // An intrinsic that writes is an access, and so among the writers; an instrumented function sets the flag
            // itself.
            let intrinsic = callee.is_function() && callee.name().starts_with("llvm.");
            let ours = callee.is_instrumented();
            !(intrinsic || ours || is_quiet(instruction))
        }
        _ => false,
    }
}
