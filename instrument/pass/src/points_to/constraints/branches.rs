//! What a program learns of an address from which way a branch goes: `if (bits >> i & 1) found |= 1 << i`.
//!
//! A pointer that is put together so carries nothing of the address in its data. What it leads to is not known, so it
//! counts as a pointer to anything; but the object has to be known as one that such a pointer may reach. So where a
//! program makes pointers of numbers, or uses some that lead to nothing known, what its branches depend on escapes.
//! Other programs have no use for what their branches say, and nothing is stated for them.

use super::{AbstractObjectKind, Analysis};
use crate::ir::{Module, Value};
use crate::points_to::solver::MADE_OF_NUMBER;
use llvm_sys::LLVMOpcode;

impl Analysis {
    /// Lets escape what branches depend on, if the program may put it together again. `asked` are the addresses that
    /// the program accesses.
    pub(super) fn follow_branches(&mut self, module: Module, asked: &[Value]) {
        let instructions = || module.functions().into_iter().flat_map(Value::instructions);
        let makes_pointers = self.calls_unknown
            || instructions().any(|i| i.opcode() == Some(LLVMOpcode::LLVMIntToPtr))
            || asked.iter().any(|address| !address.is_constant() && self.points_to(*address).is_none());
        if !makes_pointers {
            return;
        }
        let learnt: Vec<Value> = instructions().flat_map(|i| self.learnt_by(i)).collect();
        learnt.into_iter().for_each(|value| self.escape(value));
        self.solve();
    }

    /// The values of which something is learnt by where the program goes on after an instruction.
    fn learnt_by(&self, i: Value) -> Vec<Value> {
        match i.opcode() {
            Some(LLVMOpcode::LLVMBr) if i.operand_count() > 1 => vec![i.operand(0)],
            Some(LLVMOpcode::LLVMSwitch | LLVMOpcode::LLVMSelect | LLVMOpcode::LLVMIndirectBr) => vec![i.operand(0)],
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke) if self.is_chosen(i.callee()) => vec![i.callee()],
            // Two addresses that the program has say nothing of each other, but a guess does.
            Some(LLVMOpcode::LLVMICmp) if i.operand(0).ty().is_pointer() => {
                let sides = [i.operand(0), i.operand(1)];
                let is_guess = sides.iter().any(|side| self.is_made_of_number(*side));
                if is_guess { sides.to_vec() } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    /// Whether an address that is called was chosen by a number that carries an address.
    fn is_chosen(&self, callee: Value) -> bool {
        let is_function = |object| self.kind(object) == AbstractObjectKind::Function;
        !callee.is_constant() && self.points_to(callee).is_some_and(|objects| !objects.iter().all(is_function))
    }

    fn is_made_of_number(&self, address: Value) -> bool {
        let is_null = address.is_constant() && address.is_null_or_undef();
        !is_null && self.points_to(address).is_none_or(|objects| objects.contains(MADE_OF_NUMBER))
    }
}
