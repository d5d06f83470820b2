//! The ends of local variables: when a function returns, or a block is left, its variables end, and an access to one of
//! them at the same time or later may hit other variables. The end is an access that writes the whole variable.

use crate::access::{Access, Kind, Number};
use crate::ir::{Block, Module, Value};
use crate::sharing::{Reach, Sharing};
use crate::shim;
use llvm_sys::LLVMOpcode;
use std::collections::HashSet;

/// Every variable of a function, its parameters that are copies made by the caller included.
pub(crate) fn variables(module: Module, function: Value) -> Vec<Value> {
    let parameters = (0..).zip(function.parameters());
    let copies = parameters.filter(|(index, _)| function.copied_size(module, *index).is_some());
    let made = function.instructions().into_iter().filter(|i| i.opcode() == Some(LLVMOpcode::LLVMAlloca));
    copies.map(|(_, parameter)| parameter).chain(made).collect()
}

/// The ends of the variables that other threads may reach. Main's variables do not end before the process, but for
/// those of its blocks.
pub(crate) fn ends(module: Module, function: Value, sharing: &Sharing<'_>) -> Vec<Access> {
    let access = |instruction, variable, size| {
        let pointer = Some(variable);
        Access { instruction, function, pointer, size: Number::Known(size), kind: Kind::Write }
    };
    let is_shared = |variable: &Value| sharing.reach(&access(*variable, *variable, 0)) == Reach::Shared;
    let mut ends = Vec::new();
    for variable in variables(module, function).into_iter().filter(is_shared) {
        let places = places(function, variable);
        let Some(size) = (!places.is_empty()).then(|| size(module, function, variable)) else { continue };
        ends.extend(places.into_iter().map(|place| Access { size, ..access(place, variable, 0) }));
    }
    ends
}

/// The bytes of a variable.
fn size(module: Module, function: Value, variable: Value) -> Number {
    let index = (0..).zip(function.parameters()).find(|(_, parameter)| *parameter == variable);
    let known = match index {
        Some((index, _)) => function.copied_size(module, index),
        None => module.variable_size(variable),
    };
    known.map_or_else(|| Number::Runtime(module.runtime_size(variable)), Number::Known)
}

/// The instructions before which a variable ends: where its block is left, if the function goes on there, or where the
/// function is left.
fn places(function: Value, variable: Value) -> Vec<Value> {
    let mut places = ends_of_blocks(function, variable);
    let in_main = function.name() == "main";
    if places.iter().any(|end| goes_on(*end)) {
        places.retain(|end| !in_main || goes_on(*end));
        return places;
    }
    let leaves = |i: &Value| matches!(i.opcode(), Some(LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume));
    let is_there = |exit: &Value| is_static(function, variable) || shim::dominates(variable, *exit);
    if in_main { Vec::new() } else { exits(function, leaves).filter(is_there).collect() }
}

/// Whether the variable is there from the beginning of the function to its end.
fn is_static(function: Value, variable: Value) -> bool {
    let first = function.blocks().into_iter().next();
    let is_parameter = variable.opcode().is_none();
    let has_count = !is_parameter && variable.operand(0).constant_integer().is_none();
    is_parameter || !has_count && first.is_some_and(|block| block.instructions().contains(&variable))
}

/// Where blocks of the source end to which the variable belongs.
fn ends_of_blocks(function: Value, variable: Value) -> Vec<Value> {
    let ends = |i: &Value| match intrinsic(*i) {
        Some((name, arguments)) if name.starts_with("lifetime.end") => arguments.contains(&variable),
        // What was made on the stack since it was saved ends.
        Some((name, arguments)) if name.starts_with("stackrestore") => arguments.first().is_some_and(|saved| {
            is_save(*saved)
                && variable.opcode().is_some()
                && shim::dominates(*saved, variable)
                && shim::dominates(variable, *i)
        }),
        _ => false,
    };
    function.instructions().into_iter().filter(ends).collect()
}

fn is_save(value: Value) -> bool {
    intrinsic(value).is_some_and(|(name, _)| name.starts_with("stacksave"))
}

/// Name and arguments of a call of an intrinsic.
fn intrinsic(i: Value) -> Option<(String, Vec<Value>)> {
    let callee =
        (i.opcode() == Some(LLVMOpcode::LLVMCall)).then(|| i.callee()).filter(|callee| callee.is_function())?;
    Some((callee.name().strip_prefix("llvm.")?.to_owned(), i.arguments()))
}

/// Whether the function may write memory or call another function after this instruction.
fn goes_on(after: Value) -> bool {
    let mut seen: HashSet<Block> = HashSet::new();
    let home = after.block();
    let rest = home.instructions().into_iter().skip_while(|i| *i != after).skip(1);
    let mut instructions: Vec<Value> = rest.collect();
    let mut left = home.successors();
    loop {
        if instructions.iter().any(|i| acts(*i)) {
            return true;
        }
        let Some(next) = left.pop() else { return false };
        instructions.clear();
        if seen.insert(next) {
            instructions = next.instructions();
            left.extend(next.successors());
        }
    }
}

fn acts(i: Value) -> bool {
    match i.opcode() {
        Some(LLVMOpcode::LLVMStore | LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => true,
        Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => {
            intrinsic(i).is_none_or(|(name, _)| name.starts_with("mem"))
        }
        _ => false,
    }
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
        match self.instruction.opcode() {
            Some(LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume) => true,
            _ => intrinsic(self.instruction)
                .is_some_and(|(name, _)| name.starts_with("lifetime.end") || name.starts_with("stackrestore")),
        }
    }
}
