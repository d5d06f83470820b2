//! Tables of virtual functions of C++ classes.

use crate::ir::Value;
use llvm_sys::LLVMOpcode;

/// The address that a store writes, if it is that of a table: one of a class, or one that holds while a base class is
/// constructed (C++ ABI for Itanium, 5.1.4.1).
pub(crate) fn stored_table(instruction: Value) -> Option<Value> {
    let is_store = instruction.opcode() == Some(LLVMOpcode::LLVMStore);
    let address = is_store.then(|| instruction.operand(0))?;
    let mut base = address;
    while base.is_constant() && !base.is_global_variable() && base.operand_count() > 0 {
        base = base.operand(0);
    }
    let is_table = base.is_global_variable() && ["_ZTV", "_ZTC"].iter().any(|kind| base.name().starts_with(kind));
    is_table.then_some(address)
}
