//! Tables of virtual functions of C++ classes.

use crate::ir::Value;
use llvm_sys::LLVMOpcode;

/// The address that a store writes, if it is that of a table: one of a class, or one that holds while a base class is
/// constructed (C++ ABI for Itanium, 5.1.4.1).
pub(crate) fn stored_table(instruction: Value) -> Option<Value> {
    let is_store = instruction.opcode() == Some(LLVMOpcode::LLVMStore);
    let address = is_store.then(|| instruction.operand(0))?;
    let base = global_behind(address)?;
    let is_table = ["_ZTV", "_ZTC"].iter().any(|kind| base.name().starts_with(kind));
    is_table.then_some(address)
}

/// The variable that a constant address lies in.
fn global_behind(address: Value) -> Option<Value> {
    if address.is_global_variable() {
        return Some(address);
    }
    // Functions are constants with operands, too: their personalities.
    let is_expression = address.is_constant() && address.opcode().is_some();
    is_expression.then(|| global_behind(address.operand(0)))?
}
