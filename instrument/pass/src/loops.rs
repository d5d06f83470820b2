//! Finds loops in which waiting can be recognised: an iteration changes nothing but the phis of the loop's header and
//! memory that is hooked. If at two visits of the head the phis are equal and the hooked memory is unchanged, the next
//! iteration does what the last one did.

use crate::access::{Access, is_silent_intrinsic};
use crate::asm::{self, Effect};
use crate::ir::{Block, Value};
use crate::points_to::{Analysis, ObjectKind};
use crate::sharing::{Reach, Sharing};
use crate::shim::{self, Loop};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use std::collections::{HashMap, HashSet};

/// Library functions that wait a little, or that the guest sees as operations of their own.
const PERMITTED: &[&str] = &[
    "sched_yield",
    "pthread_yield",
    "thrd_yield",
    "usleep",
    "nanosleep",
    "sleep",
    "clock_nanosleep",
    "thrd_sleep",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_unlock",
    "mtx_lock",
    "mtx_trylock",
    "mtx_unlock",
];

/// Of these the result must not be used: it says how long the wait took.
const RESULT_UNUSED: &[&str] = &["usleep", "nanosleep", "sleep", "clock_nanosleep", "thrd_sleep"];

/// More phis than this are not worth storing at every visit.
const MAX_VALUES: usize = 64;

/// A loop whose head gets a hook.
#[derive(Debug)]
pub(crate) struct Parkable {
    pub(crate) function: Value,
    /// The header's phis.
    pub(crate) values: Vec<Value>,
    /// The first instruction of the header after its phis.
    pub(crate) first: Value,
    /// An instruction that stands where the loop does in the source.
    pub(crate) shown: Value,
    /// The last instruction of every block from which the loop is entered.
    pub(crate) entries: Vec<Value>,
}

/// What running a piece of code does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Effects {
    /// It changes nothing but hooked memory.
    quiet: bool,
    /// It reads hooked memory.
    looks: bool,
}

const LOUD: Effects = Effects { quiet: false, looks: false };

/// Looks at the code of a program.
pub(crate) struct Finder<'a> {
    analysis: &'a Analysis,
    accesses: HashMap<Value, Vec<(Access, Reach)>>,
    functions: HashMap<Value, Effects>,
    running: HashSet<Value>,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(analysis: &'a Analysis, sharing: &Sharing<'_>, accesses: &[Access]) -> Finder<'a> {
        let mut by_instruction: HashMap<Value, Vec<(Access, Reach)>> = HashMap::new();
        for access in accesses {
            by_instruction.entry(access.instruction).or_default().push((*access, sharing.reach(access)));
        }
        Finder { analysis, accesses: by_instruction, functions: HashMap::new(), running: HashSet::new() }
    }

    /// The loops of a function that get a hook.
    pub(crate) fn parkable(&mut self, function: Value) -> Vec<Parkable> {
        shim::loops(function).iter().filter_map(|candidate| self.examine(function, candidate)).collect()
    }

    fn examine(&mut self, function: Value, candidate: &Loop) -> Option<Parkable> {
        let in_loop: HashSet<Block> = candidate.blocks.iter().copied().collect();
        let header = candidate.header.instructions();
        let is_phi = |i: &&Value| i.opcode() == Some(LLVMOpcode::LLVMPHI);
        let values: Vec<Value> = header.iter().take_while(is_phi).copied().collect();
        if values.len() > MAX_VALUES || values.iter().any(|phi| !can_be_stored(*phi) || always_changes(*phi, &in_loop))
        {
            return None;
        }
        let first = *header.get(values.len())?;
        if matches!(
            first.opcode(),
            Some(LLVMOpcode::LLVMLandingPad | LLVMOpcode::LLVMCatchPad | LLVMOpcode::LLVMCleanupPad)
        ) {
            return None;
        }
        let instructions: Vec<Value> = candidate.blocks.iter().flat_map(|b| b.instructions()).collect();
        let mut looks = false;
        for instruction in &instructions {
            let effects = self.instruction(*instruction, Some(&instructions));
            if !effects.quiet {
                return None;
            }
            looks |= effects.looks;
        }
        let entries = entries(function, candidate.header, &in_loop)?;
        let shown = header.iter().copied().find(|i| shim::describe(*i, None, 0).line > 0).unwrap_or(first);
        looks.then_some(Parkable { function, values, first, shown, entries })
    }

    /// What an instruction does; `around` is the loop it is part of, if that is what is examined.
    fn instruction(&mut self, i: Value, around: Option<&[Value]>) -> Effects {
        let mut effects = Effects { quiet: true, looks: false };
        for (access, reach) in self.accesses.get(&i).cloned().unwrap_or_default() {
            if access.pointer.is_none() && access.kind == crate::access::Kind::Opaque {
                return LOUD;
            }
            effects.looks |= reach == Reach::Shared && access.kind.reads();
            if access.kind.writes() && reach != Reach::Shared && !self.harmless_write(&access, around) {
                return LOUD;
            }
        }
        match i.opcode() {
            // In a function examined as a whole, the variable is gone when it returns.
            Some(LLVMOpcode::LLVMAlloca) if around.is_some() => LOUD,
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke) => {
                let called = self.call(i);
                Effects { quiet: called.quiet, looks: called.looks || effects.looks }
            }
            Some(LLVMOpcode::LLVMCallBr | LLVMOpcode::LLVMVAArg | LLVMOpcode::LLVMResume) => LOUD,
            _ => effects,
        }
    }

    /// A write to memory that is not hooked and yet makes no difference to the next iteration.
    fn harmless_write(&self, access: &Access, around: Option<&[Value]>) -> bool {
        let Some(objects) = access.pointer.and_then(|pointer| self.analysis.points_to(pointer)) else { return false };
        let Some(around) = around else {
            // A function's own variables are gone when it returns.
            return objects.iter().all(|object| self.analysis.is_local_of(object, access.function));
        };
        // A constant stored into a variable that the loop itself never reads (the argument of a sleep).
        let constant = self.writes_constant(access.instruction);
        let reads = |i: &Value| {
            self.accesses.get(i).into_iter().flatten().any(|(other, _)| {
                let read = other.pointer.filter(|_| other.kind.reads()).and_then(|p| self.analysis.points_to(p));
                read.is_some_and(|read| read.iter().any(|object| objects.contains(object)))
            })
        };
        constant
            && objects.iter().all(|object| self.analysis.kind(object) == ObjectKind::Local)
            && !around.iter().any(reads)
    }

    /// What the instruction writes is the same every time.
    fn writes_constant(&self, i: Value) -> bool {
        match i.opcode() {
            Some(LLVMOpcode::LLVMStore) => i.operand(0).is_constant(),
            Some(LLVMOpcode::LLVMCall) if i.callee().is_function() => {
                let (name, a) = (i.callee().name(), i.arguments());
                let from_constant = |from: Value| {
                    let objects = self.analysis.points_to(from);
                    objects.is_some_and(|o| o.iter().all(|object| self.analysis.kind(object) == ObjectKind::Constant))
                };
                (name.starts_with("llvm.memset.") && a[1].is_constant() && a[2].is_constant())
                    || (name.starts_with("llvm.memcpy.")
                        && a[1].is_constant()
                        && a[2].is_constant()
                        && from_constant(a[1]))
            }
            _ => false,
        }
    }

    fn call(&mut self, call: Value) -> Effects {
        let quiet = Effects { quiet: true, looks: false };
        let callee = call.callee();
        if callee.is_inline_asm() {
            let (template, constraints) = callee.asm_text();
            return match asm::analyse(&template, &constraints).effect {
                Effect::Operands | Effect::Interlocked | Effect::Fence => quiet,
                Effect::Opaque => LOUD,
            };
        }
        if !callee.is_function() {
            return LOUD;
        }
        if !callee.is_declaration() {
            return self.function(callee);
        }
        let name = callee.name();
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            let memory = ["memcpy.", "memmove.", "memset.", "masked.load.", "masked.store."];
            let known = memory.iter().any(|p| intrinsic.starts_with(p))
                || is_silent_intrinsic(intrinsic)
                || !call.arguments().iter().any(|a| a.ty().is_pointer());
            return if known { quiet } else { LOUD };
        }
        let unused = call.users().is_empty();
        let permitted = PERMITTED.contains(&name.as_str()) && (unused || !RESULT_UNUSED.contains(&name.as_str()));
        if permitted || name.starts_with("__atomic_") { quiet } else { LOUD }
    }

    /// What a call of the function does. A function that calls itself is not followed.
    fn function(&mut self, function: Value) -> Effects {
        if let Some(effects) = self.functions.get(&function) {
            return *effects;
        }
        if !self.running.insert(function) {
            return LOUD;
        }
        let mut effects = Effects { quiet: true, looks: false };
        for instruction in function.instructions() {
            let one = self.instruction(instruction, None);
            effects.quiet &= one.quiet;
            effects.looks |= one.looks;
            if !effects.quiet {
                break;
            }
        }
        self.running.remove(&function);
        self.functions.insert(function, effects);
        effects
    }
}

/// The last instructions of the blocks outside of the loop that lead to its header. None if one of them does more than
/// jump: what it calls could pass through the loop between the mark and the entry.
fn entries(function: Value, header: Block, in_loop: &HashSet<Block>) -> Option<Vec<Value>> {
    let mut entries = Vec::new();
    for block in function.blocks().into_iter().filter(|block| !in_loop.contains(block)) {
        if !block.successors().contains(&header) {
            continue;
        }
        let last = *block.instructions().last()?;
        match last.opcode() {
            Some(LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch | LLVMOpcode::LLVMIndirectBr) => entries.push(last),
            _ => return None,
        }
    }
    Some(entries)
}

/// The value fits into a word.
fn can_be_stored(value: Value) -> bool {
    match value.ty().kind() {
        LLVMTypeKind::LLVMPointerTypeKind | LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind => true,
        LLVMTypeKind::LLVMIntegerTypeKind => value.ty().integer_bits().is_some_and(|bits| bits <= 64),
        _ => false,
    }
}

/// A counter: every iteration adds a constant other than 0. No two visits of one passage see the same value.
fn always_changes(phi: Value, in_loop: &HashSet<Block>) -> bool {
    let mut inside = phi.incoming().into_iter().filter(|(_, block)| in_loop.contains(block)).peekable();
    inside.peek().is_some()
        && inside.all(|(value, _)| {
            let step = match value.opcode() {
                Some(LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub) if value.operand(0) == phi => Some(value.operand(1)),
                Some(LLVMOpcode::LLVMGetElementPtr) if value.operand(0) == phi && value.operand_count() == 2 => {
                    Some(value.operand(1))
                }
                _ => None,
            };
            step.and_then(Value::constant_integer).is_some_and(|step| step != 0)
        })
}
