//! Decides who can get at the memory of an access.

use crate::access::Access;
use crate::ir::Value;
use llvm_sys::LLVMOpcode;

/// Who can get at the memory of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Another thread may.
    Shared,
    /// Only this thread, but it may be a heap block.
    Heap,
    /// Only this thread, and it is no heap block.
    Private,
}

/// thin version
pub(crate) fn reach(access: &Access) -> Reach {
    let Some(mut p) = access.pointer else { return Reach::Shared };
    while p.opcode() == Some(LLVMOpcode::LLVMGetElementPtr) {
        p = p.operand(0);
    }
    if p.opcode() == Some(LLVMOpcode::LLVMAlloca) && !captured(p) || p.is_global_variable() && p.is_constant_global() {
        return Reach::Private;
    }
    Reach::Shared
}

fn captured(v: Value) -> bool {
    v.users().into_iter().any(|u| match u.opcode() {
        Some(LLVMOpcode::LLVMLoad) => false,
        Some(LLVMOpcode::LLVMStore) => u.operand(0) == v,
        Some(LLVMOpcode::LLVMGetElementPtr) => captured(u),
        _ => true,
    })
}
