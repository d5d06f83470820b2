//! Where in a function its variables begin and end.

use crate::ir::{Block, Value};
use crate::shim;
use llvm_sys::LLVMOpcode;
use std::collections::HashSet;

/// What the lives of a function's variables depend on.
pub(super) struct Lives {
    function: Value,
    instructions: Vec<Value>,
    in_main: bool,
}

impl Lives {
    pub(super) fn new(function: Value) -> Lives {
        Lives { function, instructions: function.instructions(), in_main: function.name() == "main" }
    }

    /// Whether the program computes, when it makes the variable, how large it is, or makes it each time it comes by.
    pub(super) fn is_computed(&self, variable: Value) -> bool {
        let in_first_block = || self.function.blocks().first().is_some_and(|first| *first == variable.block());
        variable.opcode().is_some() && (variable.operand(0).constant_integer().is_none() || !in_first_block())
    }

    /// The instructions before which a variable of fixed size ends: where its block is left, if the function goes on
    /// there, or where the function is left.
    pub(super) fn ends(&self, variable: Value) -> Vec<Value> {
        let mut ends = self.ends_of_blocks(variable);
        let goes_on = |end: &Value| acts(*end) || goes_on(*end);
        if ends.iter().any(goes_on) {
            ends.retain(|end| !self.in_main || goes_on(end));
            return ends;
        }
        self.exits()
    }

    /// The instructions before which such a variable begins, unless it is the first one in its memory and stays the
    /// only one: it begins with main, before main has called any function, and lasts until the process ends.
    pub(super) fn begins(&self, variable: Value) -> Vec<Value> {
        let mut begins = self.all_begins(variable);
        let is_call = |i: &Value| is_any_call(*i) && intrinsic(*i).is_none();
        let first_call = self.instructions.iter().position(is_call).unwrap_or(self.instructions.len());
        let in_entry = |i: &Value| self.function.blocks().first().is_some_and(|entry| *entry == i.block());
        let comes_first = |place: &Value| in_entry(place) && self.instructions[..first_call].contains(place);
        if self.in_main && self.function.users().is_empty() && self.ends(variable).is_empty() {
            begins.retain(|place| !comes_first(place));
        }
        begins
    }

    fn all_begins(&self, variable: Value) -> Vec<Value> {
        let starts = self.calls_of("lifetime.start", variable);
        if !starts.is_empty() {
            return starts.into_iter().filter_map(Value::next).collect();
        }
        if !self.left_blocks(variable).is_empty() {
            return self.uses(variable);
        }
        let is_made = |i: &Value| i.opcode() == Some(LLVMOpcode::LLVMAlloca);
        let made_later = self.instructions.iter().skip_while(|i| is_made(i)).any(|i| *i == variable);
        let from = if made_later { self.instructions.iter().position(|i| *i == variable) } else { None };
        self.instructions.iter().skip(from.unwrap_or(0)).find(|i| !is_made(i)).copied().into_iter().collect()
    }

    /// The instructions before which a variable is about to be used. One whose end the compiler does not mark begins at
    /// each of them: a block that is entered by a jump may come to any of them first.
    fn uses(&self, variable: Value) -> Vec<Value> {
        let uses = |i: &Value| match i.opcode() {
            Some(LLVMOpcode::LLVMPHI) => {
                let ways = i.incoming().into_iter().filter(|(value, _)| *value == variable);
                ways.filter_map(|(_, from)| from.instructions().last().copied()).collect()
            }
            _ if i.operands().contains(&variable) => vec![*i],
            _ => Vec::new(),
        };
        self.instructions.iter().flat_map(uses).collect()
    }

    /// Where parts of the stack end in which there may be one of these variables.
    pub(super) fn ends_of_stack(&self, computed: &[Value]) -> Vec<StackEnd> {
        let restores: Vec<Value> = self.restores().collect();
        let mut ends = Vec::new();
        for place in restores.iter().copied().filter(|restore| !self.in_main || goes_on(*restore)) {
            let first = computed.iter().copied().find(|variable| ends_with(place, *variable));
            ends.extend(first.map(|variable| StackEnd { place, top: Top::Saved(saved_by(place)), variable }));
        }
        // What no block gives back ends with the function.
        let lasts = |variable: &&Value| !restores.iter().any(|restore| ends_with(*restore, **variable));
        let entry = self.instructions.iter().copied().find(|i| i.opcode() != Some(LLVMOpcode::LLVMAlloca));
        if let (Some(&variable), Some(entry)) = (computed.iter().find(lasts), entry) {
            ends.extend(self.exits().into_iter().map(|place| StackEnd { place, top: Top::At(entry), variable }));
        }
        ends
    }

    /// Where blocks of the source end to which the variable belongs.
    fn ends_of_blocks(&self, variable: Value) -> Vec<Value> {
        let mut ends = self.calls_of("lifetime.end", variable);
        ends.extend(self.restores().filter(|restore| ends_with(*restore, variable)));
        if ends.is_empty() { self.left_blocks(variable) } else { ends }
    }

    /// Where the stack gets back what was put there since a moment.
    fn restores(&self) -> impl Iterator<Item = Value> {
        self.instructions.iter().copied().filter(|i| is_call_of(*i, "stackrestore"))
    }

    /// The same for a variable of which the program computes the size.
    pub(super) fn restores_of(&self, variable: Value) -> Vec<Value> {
        self.restores().filter(|restore| ends_with(*restore, variable)).collect()
    }

    /// Where the block is left in which a variable stands whose end the compiler does not mark.
    fn left_blocks(&self, variable: Value) -> Vec<Value> {
        let is_made = variable.opcode().is_some() && self.calls_of("lifetime.", variable).is_empty();
        if is_made { shim::left_blocks(variable) } else { Vec::new() }
    }

    /// The labels to which a computed goto may jump out of the block of a variable of which the program computes the
    /// size, by their first instructions.
    pub(super) fn left_by_computed_gotos(&self, variable: Value) -> Vec<Value> {
        let labels = shim::left_by_computed_gotos(variable);
        labels.into_iter().filter(|label| !self.in_main || acts(*label) || goes_on(*label)).collect()
    }

    fn calls_of(&self, name: &str, variable: Value) -> Vec<Value> {
        let of_variable = |i: &Value| is_call_of(*i, name) && i.arguments().contains(&variable);
        self.instructions.iter().copied().filter(of_variable).collect()
    }

    /// The instructions at which the function is left, if that ends its variables. After a tail call that takes the
    /// place of its caller, no access can be inserted, so such a place is left out.
    fn exits(&self) -> Vec<Value> {
        let leaves = |i: &Value| matches!(i.opcode(), Some(LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume));
        let exit = |block: Block| {
            let instructions = block.instructions();
            let last = *instructions.last()?;
            let is_replaced = instructions.iter().rev().nth(1).is_some_and(|before| before.must_be_last());
            (leaves(&last) && !is_replaced).then_some(last)
        };
        if self.in_main { Vec::new() } else { self.function.blocks().into_iter().filter_map(exit).collect() }
    }
}

/// The end of a part of the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackEnd {
    /// The instruction before which it ends.
    pub(super) place: Value,
    pub(super) top: Top,
    /// One of the variables in it.
    pub(super) variable: Value,
}

/// The highest address of a part of the stack.
#[derive(Clone, Copy, Debug)]
pub(super) enum Top {
    /// At this address, which was saved.
    Saved(Value),
    /// Where the stack ends before this instruction.
    At(Value),
}

/// Where the stack ended at that moment.
fn saved_by(restore: Value) -> Value {
    restore.arguments()[0]
}

/// Whether the variable was made since the moment to which the stack goes back.
fn ends_with(restore: Value, variable: Value) -> bool {
    let saved = saved_by(restore);
    saved.opcode().is_some() && variable.opcode().is_some() && shim::dominates(saved, variable)
}

fn is_any_call(i: Value) -> bool {
    matches!(i.opcode(), Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr))
}

fn is_call_of(i: Value, name: &str) -> bool {
    intrinsic(i).is_some_and(|intrinsic| intrinsic.starts_with(name))
}

/// The name of the intrinsic that is called.
fn intrinsic(i: Value) -> Option<String> {
    let callee =
        (i.opcode() == Some(LLVMOpcode::LLVMCall)).then(|| i.callee()).filter(|callee| callee.is_function())?;
    Some(callee.name().strip_prefix("llvm.")?.to_owned())
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
        _ if is_any_call(i) => intrinsic(i).is_none_or(|name| name.starts_with("mem")),
        _ => false,
    }
}
