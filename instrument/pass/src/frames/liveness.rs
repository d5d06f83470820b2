//! Which values of a function are used after a call: the textbook analysis, backwards over blocks until nothing
//! changes. A phi is a value of its block and a use at the end of each block that it comes from.

use crate::ir::{Block, Value};
use llvm_sys::{LLVMOpcode, LLVMValueKind};
use std::collections::HashMap;

/// A set of values, a bit each.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Set(Vec<u64>);

impl Set {
    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    fn add(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    fn members(&self) -> impl Iterator<Item = usize> {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(at, word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit))
    }
}

/// The values of a function, and after which calls they live.
#[derive(Debug)]
pub(super) struct Liveness {
    values: Vec<Value>,
    numbers: HashMap<Value, usize>,
    /// What lives after each call.
    after: HashMap<Value, Vec<Value>>,
}

impl Liveness {
    pub(super) fn new(function: Value) -> Liveness {
        let mut values = function.parameters();
        values.extend(function.instructions());
        let numbers = values.iter().enumerate().map(|(number, value)| (*value, number)).collect();
        let mut liveness = Liveness { values, numbers, after: HashMap::new() };
        liveness.analyse(&function.blocks());
        liveness
    }

    /// The values that are used after the call, without the call's own result.
    pub(super) fn beyond(&self, call: Value) -> Vec<Value> {
        self.after.get(&call).cloned().unwrap_or_default()
    }

    /// Whether the value is an argument of the function or made by one of its instructions.
    pub(super) fn is_local(&self, value: Value) -> bool {
        matches!(value.kind(), LLVMValueKind::LLVMInstructionValueKind | LLVMValueKind::LLVMArgumentValueKind)
            && self.numbers.contains_key(&value)
    }

    fn analyse(&mut self, blocks: &[Block]) {
        let none = Set(vec![0; self.values.len().div_ceil(64)]);
        let mut at_start: HashMap<Block, Set> = blocks.iter().map(|block| (*block, none.clone())).collect();
        loop {
            let mut changed = false;
            for block in blocks.iter().rev() {
                let live = self.walk(*block, self.at_end(*block, &at_start, &none), |_, _| {});
                if at_start.get(block) != Some(&live) {
                    at_start.insert(*block, live);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let mut after = HashMap::new();
        for block in blocks {
            self.walk(*block, self.at_end(*block, &at_start, &none), |call, live| {
                after.insert(call, live.members().map(|number| self.values[number]).collect());
            });
        }
        self.after = after;
    }

    /// What lives at the end of a block.
    fn at_end(&self, block: Block, at_start: &HashMap<Block, Set>, none: &Set) -> Set {
        let mut live = none.clone();
        for successor in block.successors() {
            if let Some(start) = at_start.get(&successor) {
                live.add(start);
            }
            let instructions = successor.instructions();
            for phi in instructions.iter().take_while(|i| i.opcode() == Some(LLVMOpcode::LLVMPHI)) {
                for (value, _) in phi.incoming().into_iter().filter(|(_, from)| *from == block) {
                    self.note_use(value, &mut live);
                }
            }
        }
        live
    }

    /// Goes backwards through a block and calls `each` with each call and the values that live after it, without the
    /// call's result. Returns the values that live at the block's start, without its phis.
    fn walk(&self, block: Block, mut live: Set, mut each: impl FnMut(Value, &Set)) -> Set {
        for instruction in block.instructions().into_iter().rev() {
            if let Some(&number) = self.numbers.get(&instruction) {
                live.remove(number);
            }
            match instruction.opcode() {
                Some(LLVMOpcode::LLVMPHI) => continue,
                Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => {
                    each(instruction, &live)
                }
                _ => {}
            }
            for operand in instruction.operands() {
                self.note_use(operand, &mut live);
            }
        }
        live
    }

    fn note_use(&self, value: Value, live: &mut Set) {
        if let Some(&number) = self.numbers.get(&value) {
            live.insert(number);
        }
    }
}
