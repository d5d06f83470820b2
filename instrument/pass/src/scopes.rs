//! The ends of local variables: when a function returns, its variables end, and an access to one of them at the same
//! time or later may hit other variables. The end is an access that writes the whole variable.

use crate::access::{Access, Kind, Number};
use crate::ir::{Module, Value};
use crate::sharing::{Reach, Sharing};
use llvm_sys::LLVMOpcode;

/// The local variables of a function that are there from its beginning to its end.
pub(crate) fn variables(module: Module, function: Value) -> impl Iterator<Item = (Value, u64)> {
    let first = function.blocks().into_iter().next();
    let instructions = first.into_iter().flat_map(|block| block.instructions());
    let variables = instructions.filter(|i| i.opcode() == Some(LLVMOpcode::LLVMAlloca));
    variables.filter_map(move |variable| Some((variable, module.variable_size(variable)?)))
}

/// The ends of the variables that other threads may reach. Main's variables do not end before the process.
pub(crate) fn ends(module: Module, function: Value, sharing: &Sharing<'_>) -> Vec<Access> {
    if function.name() == "main" {
        return Vec::new();
    }
    let leaves = |i: &Value| matches!(i.opcode(), Some(LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume));
    let shared = variables(module, function).map(|(variable, size)| (variable, Number::Known(size)));
    let end = |instruction, (variable, size)| Access {
        instruction,
        function,
        pointer: Some(variable),
        size,
        kind: Kind::Write,
    };
    let ends = shared.flat_map(|variable| exits(function, leaves).map(move |at| end(at, variable)).collect::<Vec<_>>());
    ends.filter(|access| sharing.reach(access) == Reach::Shared).collect()
}

/// The instructions at which a function is left. After a tail call that takes the place of its caller, no access can be
/// inserted, so such a place is left out.
fn exits(function: Value, leaves: impl Fn(&Value) -> bool) -> impl Iterator<Item = Value> {
    function.blocks().into_iter().filter_map(move |block| {
        let instructions = block.instructions();
        let last = *instructions.last()?;
        let is_replaced = instructions.iter().rev().nth(1).is_some_and(|before| before.must_be_last());
        (leaves(&last) && !is_replaced).then_some(last)
    })
}

impl Access {
    /// Whether the access stands for the end of a variable.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self.instruction.opcode(), Some(LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume))
    }
}
