//! The lives of local variables. When a function returns, or a block is left, its variables end, and an access to one
//! of them at the same time or later may hit other variables. The end is an access that writes the whole variable.
//! Where a variable begins, its memory is no longer that of one that has ended.
//!
//! Memory of the stack of which the program computes the size (an array of variable length, `alloca`) ends with the
//! part of the stack that it lies in: that part ends at once, whatever was put there on the way.

mod places;
mod stack;

use crate::access::{Access, Kind, Number};
use crate::ir::{Module, Value};
use crate::sharing::{Reach, Sharing};
use llvm_sys::LLVMOpcode;
use places::{Lives, StackEnd};

/// Where a local variable that other threads may reach begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begin {
    /// The instruction before which it begins.
    pub(crate) before: Value,
    pub(crate) variable: Value,
    pub(crate) size: Number,
}

/// The lives of the variables of a function that other threads may reach.
#[derive(Default, Debug)]
pub(crate) struct Scopes {
    pub(crate) begins: Vec<Begin>,
    pub(crate) ends: Vec<Access>,
}

/// Every variable of a function, its parameters that are copies made by the caller included.
pub(crate) fn variables(module: Module, function: Value) -> Vec<Value> {
    let parameters = (0..).zip(function.parameters());
    let copies = parameters.filter(|(index, _)| function.copied_size(module, *index).is_some());
    let made = function.instructions().into_iter().filter(|i| i.opcode() == Some(LLVMOpcode::LLVMAlloca));
    copies.map(|(_, parameter)| parameter).chain(made).collect()
}

/// The lives of the variables that other threads may reach. Main's variables do not end before the process, but for
/// those of its blocks.
pub(crate) fn scopes(module: Module, function: Value, sharing: &Sharing<'_>) -> Scopes {
    let is_shared = |variable: &Value| {
        sharing.reach(&end(function, *variable, *variable, (*variable, Number::Known(0)))) == Reach::Shared
    };
    let shared: Vec<Value> = variables(module, function).into_iter().filter(is_shared).collect();
    let mut scopes = Scopes::default();
    if shared.is_empty() {
        return scopes;
    }
    let lives = Lives::new(function);
    let (computed, fixed): (Vec<Value>, Vec<Value>) = shared.into_iter().partition(|v| lives.is_computed(*v));
    for variable in fixed {
        let size = size(module, function, variable);
        scopes
            .ends
            .extend(lives.ends(variable).into_iter().map(|place| end(function, place, variable, (variable, size))));
        scopes.begins.extend(lives.begins(variable).into_iter().map(|before| Begin { before, variable, size }));
    }
    for variable in &computed {
        stack::hide_size(module, *variable);
        let size = module.runtime_size(*variable);
        let begin = variable.next();
        let labels = lives.left_by_computed_gotos(*variable);
        let kept = if labels.is_empty() { None } else { stack::Kept::new(module, function, *variable, size) };
        for (restore, kept) in lives.restores_of(*variable).into_iter().zip(kept.iter().cycle()) {
            kept.forgotten(module, restore);
        }
        for (place, kept) in labels.into_iter().zip(kept.iter().cycle()) {
            let (address, size) = kept.taken(module, place);
            scopes.ends.push(end(function, place, *variable, (address, Number::Runtime(size))));
        }
        let size = Number::Runtime(size);
        scopes.begins.extend(begin.map(|before| Begin { before, variable: *variable, size }));
    }
    for StackEnd { place, top, variable } in lives.ends_of_stack(&computed) {
        let (bottom, size) = stack::up_to(module, top, place);
        scopes.ends.push(end(function, place, variable, (bottom, Number::Runtime(size))));
    }
    scopes
}

/// The end of a variable, and of this memory, before an instruction.
fn end(function: Value, place: Value, variable: Value, (start, size): (Value, Number)) -> Access {
    Access { instruction: place, function, pointer: Some(start), size, kind: Kind::End { variable } }
}

/// The bytes of a variable that has the same size in each call.
fn size(module: Module, function: Value, variable: Value) -> Number {
    let index = (0..).zip(function.parameters()).find(|(_, parameter)| *parameter == variable);
    let known = match index {
        Some((index, _)) => function.copied_size(module, index),
        None => module.variable_size(variable),
    };
    Number::Known(known.unwrap_or(0))
}
