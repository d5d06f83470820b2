//! The join points: where the sides of a branch meet again.
//!
//! Paths that do not lead to the function's return (a failed assertion, an endless loop) do not count: they do not
//! reach what comes after the join point. In a function that only threads begin with, the end of the thread is a
//! return.

use super::library::{LibraryCall, library};
use crate::ir::{Block, Value};
use llvm_sys::LLVMOpcode;
use std::collections::HashMap;

/// The control-flow graph of a function: its blocks, by number.
#[derive(Debug)]
pub(crate) struct Paths {
    pub(crate) blocks: Vec<Block>,
    pub(crate) successors: Vec<Vec<usize>>,
    /// The blocks that leave the function.
    leaving: Vec<bool>,
    /// By block: the blocks through which every path to the return goes, itself included (its postdominators); `None`
    /// if no path leads to the return.
    passed: Vec<Option<Vec<u64>>>,
}

/// Where the sides of a branch meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum JoinPoint {
    /// At the beginning of this block.
    Block(usize),
    /// When the function returns.
    Return,
    /// Never.
    Nowhere,
}

impl Paths {
    pub(crate) fn new(function: Value) -> Paths {
        let blocks = function.blocks();
        let numbers: HashMap<Block, usize> =
            blocks.iter().enumerate().map(|(number, block)| (*block, number)).collect();
        let successors: Vec<Vec<usize>> =
            blocks.iter().map(|block| block.successors().into_iter().map(|next| numbers[&next]).collect()).collect();
        let ends = |i: &Value| i.opcode() == Some(LLVMOpcode::LLVMRet) || ends_thread(*i) && is_beginning(function);
        let leaving = blocks.iter().map(|block| block.instructions().iter().any(ends)).collect();
        let mut paths = Paths { passed: vec![None; blocks.len()], blocks, successors, leaving };
        paths.solve();
        paths
    }

    /// Whether a block leaves the function.
    pub(crate) fn leaves(&self, block: usize) -> bool {
        self.leaving[block]
    }

    fn solve(&mut self) {
        let words = self.blocks.len().div_ceil(64);
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..self.blocks.len()).rev() {
                let mut met: Option<Vec<u64>> = self.leaves(block).then(|| vec![0; words]);
                for &next in &self.successors[block] {
                    let Some(other) = &self.passed[next] else { continue };
                    met = Some(match met {
                        None => other.clone(),
                        Some(own) => own.iter().zip(other).map(|(own, other)| own & other).collect(),
                    });
                }
                if let Some(met) = &mut met {
                    met[block / 64] |= 1 << (block % 64);
                }
                if met != self.passed[block] {
                    self.passed[block] = met;
                    changed = true;
                }
            }
        }
    }

    /// The join point of the branch at a block's end: its nearest postdominator.
    pub(crate) fn join_point(&self, block: usize) -> JoinPoint {
        let Some(passed) = &self.passed[block] else { return JoinPoint::Nowhere };
        let count = |block: usize| {
            self.passed[block].as_ref().map_or(0, |set| set.iter().map(|word| word.count_ones()).sum::<u32>())
        };
        let is_passed = |other: &usize| *other != block && passed[other / 64] >> (other % 64) & 1 == 1;
        // The nearest one is postdominated by all others, so it has the most postdominators.
        let next = (0..self.blocks.len()).filter(is_passed).max_by_key(|other| count(*other));
        next.map_or(JoinPoint::Return, JoinPoint::Block)
    }

    /// The blocks reached from `from` before the join point.
    pub(crate) fn between(&self, from: &[usize], end: JoinPoint) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut left = from.to_vec();
        let mut reached = Vec::new();
        while let Some(block) = left.pop() {
            if end != JoinPoint::Block(block) && !std::mem::replace(&mut seen[block], true) {
                reached.push(block);
                left.extend(&self.successors[block]);
            }
        }
        reached
    }
}

/// Whether the instruction ends the thread.
pub(crate) fn ends_thread(i: Value) -> bool {
    i.opcode() == Some(LLVMOpcode::LLVMCall)
        && i.callee().is_function()
        && library(&i.callee().name()) == LibraryCall::EndsThread
}

/// Whether threads begin with the function and nothing else calls it. For main, it must not return either: its return
/// ends the process.
fn is_beginning(function: Value) -> bool {
    if function.name() == "main" {
        let returns = |i: Value| i.opcode() == Some(LLVMOpcode::LLVMRet);
        return function.users().is_empty() && !function.instructions().into_iter().any(returns);
    }
    let creates = |user: Value| {
        if user.opcode() != Some(LLVMOpcode::LLVMCall) || !user.callee().is_function() {
            return false;
        }
        let LibraryCall::Create { function: at, .. } = library(&user.callee().name()) else { return false };
        user.arguments().iter().enumerate().all(|(number, argument)| (number == at as usize) == (*argument == function))
    };
    function.users().into_iter().all(creates)
}
