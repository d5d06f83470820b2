//! What a program learns of an address by other ways than its data: from which way a branch goes, as in
//! `if (bits >> i & 1) found |= 1 << i`, from which element of an array another pointer leads to, from how large a
//! local array is, and from what a library function did with a piece of it (opened that descriptor, slept that long).
//!
//! A pointer that is put together so carries nothing of the address in its data. What it leads to is not known, so it
//! counts as a pointer to anything; but the object has to be known as one that such a pointer may reach. So where a
//! program uses pointers that are made of numbers, or that lead to nothing known, what its branches, elements and calls
//! depend on escapes. Other programs have no use for it, and nothing is stated for them: a number that a thread is
//! started with, as a pointer, is a number again where the thread looks at it.

use super::{AbstractObjectKind, Analysis, MADE_OF_NUMBER, Set, UNKNOWN};
use crate::ir::{Module, Value};
use crate::points_to::solver::WORLD;
use inspect_wire::library::{CallEffect, Outcome, row};
use llvm_sys::LLVMOpcode;

impl Analysis {
    /// Lets escape what branches depend on, if the program may put it together again. `asked` are the addresses that
    /// the program accesses.
    pub(super) fn follow_branches(&mut self, module: Module, asked: &[Value]) {
        let instructions = || module.functions().into_iter().flat_map(Value::instructions);
        let puts_together = self.calls_unknown
            || asked.iter().any(|address| self.is_put_together(*address))
            || instructions().any(|i| self.hands_over(i));
        if !puts_together {
            return;
        }
        let learnt: Vec<Value> = instructions().flat_map(|i| self.learnt_by(i)).collect();
        learnt.into_iter().for_each(|value| self.escape(value));
        let used: Vec<Value> = instructions().flat_map(used_by_library).collect();
        for argument in used {
            let node = self.node(argument);
            self.solver.load(node, WORLD);
        }
        self.solve();
    }

    /// Whether an address that the program uses may be made of a number, or leads to nothing known.
    fn is_put_together(&self, address: Value) -> bool {
        !address.is_constant() && self.is_made_of_number(address)
    }

    /// Whether such an address is called, or handed to code that is not analysed, in memory or not. What a thread
    /// starts or ends with is not used there.
    fn hands_over(&self, i: Value) -> bool {
        if !matches!(i.opcode(), Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr)) {
            return false;
        }
        let callee = i.callee();
        if !callee.is_function() && !callee.is_inline_asm() {
            return self.is_put_together(callee);
        }
        let name = if callee.is_function() { callee.name() } else { String::new() };
        let analysed = callee.is_function() && (!callee.is_declaration() || name.starts_with("llvm."));
        let is_kept = |index: usize| (name.as_str(), index) == ("pthread_create", 3) || name == "pthread_exit";
        let holds_one = |argument: Value| {
            let objects = self.points_to(argument).into_iter().flat_map(Set::iter);
            objects
                .filter(|object| !matches!(*object, UNKNOWN | MADE_OF_NUMBER))
                .any(|object| self.content(object).contains(MADE_OF_NUMBER))
        };
        let arguments = i.arguments().into_iter().enumerate();
        !analysed
            && arguments
                .filter(|(index, argument)| argument.ty().is_pointer() && !is_kept(*index))
                .any(|(_, argument)| self.is_put_together(argument) || holds_one(argument))
    }

    /// The values of which something is learnt by what an instruction does.
    fn learnt_by(&self, i: Value) -> Vec<Value> {
        match i.opcode() {
            Some(LLVMOpcode::LLVMBr) if i.operand_count() > 1 => vec![i.operand(0)],
            Some(LLVMOpcode::LLVMSwitch | LLVMOpcode::LLVMSelect | LLVMOpcode::LLVMIndirectBr) => vec![i.operand(0)],
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke) if self.is_chosen(i.callee()) => vec![i.callee()],
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke) => numbers_for_library(i),
            Some(LLVMOpcode::LLVMAlloca) => variable(i.operand(0)).into_iter().collect(),
            Some(LLVMOpcode::LLVMGetElementPtr) if !is_only_accessed(i) => {
                i.operands().into_iter().skip(1).filter_map(variable).collect()
            }
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

fn variable(value: Value) -> Option<Value> {
    (!value.is_constant()).then_some(value)
}

/// Whether an address is only used to load and store: then the number that chose it goes with the data.
fn is_only_accessed(address: Value) -> bool {
    address.users().into_iter().all(|user| match user.opcode() {
        Some(LLVMOpcode::LLVMLoad) => true,
        Some(LLVMOpcode::LLVMStore) => user.operand(1) == address && user.operand(0) != address,
        _ => false,
    })
}

/// The name of the function without a body that an instruction calls; no name if it calls an address, which may be one
/// of such a function.
fn library_function(i: Value) -> Option<String> {
    if !matches!(i.opcode(), Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke)) {
        return None;
    }
    let callee = i.callee();
    if !callee.is_function() {
        return Some(String::new());
    }
    Some(callee).filter(|callee| callee.is_declaration()).map(Value::name).filter(|name| !name.starts_with("llvm."))
}

/// The numbers that a call passes to a function without a body, which may do something by them that the program sees
/// later.
fn numbers_for_library(call: Value) -> Vec<Value> {
    let numbers = || call.arguments().into_iter().filter(|argument| !argument.ty().is_pointer()).filter_map(variable);
    library_function(call).map(|_| numbers().collect()).unwrap_or_default()
}

/// The addresses that a call passes to such a function, which may do something by what it reads there. Where a
/// function's outcome is determined, the data that it is given are followed.
fn used_by_library(call: Value) -> Vec<Value> {
    let Some(name) = library_function(call) else { return Vec::new() };
    let row = row(&name);
    if row.is_some_and(|row| matches!(row.outcome, Outcome::Determined | Outcome::Heap)) {
        return Vec::new();
    }
    let is_object = |number: usize| row.is_some_and(|row| row.effects.contains(&CallEffect::Operates(number as u8)));
    let arguments = call.arguments().into_iter().enumerate();
    let used = arguments.filter(|(number, argument)| argument.ty().is_pointer() && !is_object(*number));
    used.map(|(_, argument)| argument)
        .filter(|argument| !argument.is_constant() || !argument.is_null_or_undef())
        .collect()
}
