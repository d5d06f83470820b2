//! Finds loops in which the guest can recognise that a thread waits: an iteration changes nothing but the phis of the
//! loop's header and memory that is hooked. If at two visits of the head the phis are equal and the hooked memory is
//! unchanged, the next iteration does what the last one did. What nobody uses ([`crate::unread`]) makes no difference:
//! its phis are left out, and the guest knows accesses to it by their sites.
//!
//! Variables of the loop's function that stay in memory because their address is given away (`while (!pop(&q, &v));`)
//! count like phis: their contents are handed to the hook.

use crate::access::{Access, is_silent_intrinsic};
use crate::ir::{Block, Module, Value};
use crate::points_to::{AbstractObject, AbstractObjectKind, Analysis};
use crate::sharing::{Reach, Sharing};
use crate::shim::{self, Loop};
use crate::unread::Unread;
use inspect_wire::hooks::FRAMES_VARIABLE;
use inspect_wire::library::{InLoops, row};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use std::collections::{HashMap, HashSet};

/// More phis than this are not worth storing at every visit.
const MAX_VALUES: usize = 64;

/// Bytes of variables beyond which a loop is not examined: the guest compares a few words only.
const MAX_BYTES: u64 = 64;

/// A loop whose head gets a hook.
#[derive(Debug)]
pub(crate) struct Parkable {
    pub(crate) function: Value,
    /// The header's phis that are used.
    pub(crate) values: Vec<Value>,
    /// If the loop goes round a ring: the index, one of the phis. The hook is called only when the index comes back to
    /// where it began, as most such loops look for something and leave the ring before.
    pub(crate) ring: Option<Value>,
    /// Variables in memory that iterations may change, with their sizes.
    pub(crate) variables: Vec<(Value, u64)>,
    /// The first instruction of the header after its phis.
    pub(crate) first: Value,
    /// An instruction whose place in the source is the loop's.
    pub(crate) shown: Value,
    /// The last instruction of every block from which the loop is entered.
    pub(crate) entries: Vec<Value>,
}

/// What running a piece of code does.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Effects {
    /// Whether it changes nothing but hooked memory and the variables in `changes`.
    quiet: bool,
    /// Whether it accesses hooked memory, or makes another operation.
    acts: bool,
    /// Whether it sleeps or yields.
    sleeps: bool,
    /// The local variables, of the function itself or of others, that it may change.
    changes: Vec<AbstractObject>,
}

impl Effects {
    const LOUD: Effects = Effects { quiet: false, acts: false, sleeps: false, changes: Vec::new() };
    const NONE: Effects = Effects { quiet: true, acts: false, sleeps: false, changes: Vec::new() };

    /// Adds the effects of another piece of code.
    fn and(&mut self, other: Effects) {
        self.quiet &= other.quiet;
        self.acts |= other.acts;
        self.sleeps |= other.sleeps;
        for object in other.changes {
            if !self.changes.contains(&object) {
                self.changes.push(object);
            }
        }
    }
}

/// Finds the waiting loops of a program.
pub(crate) struct Finder<'a> {
    module: Module,
    analysis: &'a Analysis,
    unread: &'a Unread<'a>,
    accesses: HashMap<Value, Vec<(Access, Reach)>>,
    functions: HashMap<Value, Effects>,
    running: HashSet<Value>,
    /// Whether the guest compares the local states of threads. Then no loop gets registers of ours, in which two of
    /// them could differ.
    records_states: bool,
}

impl<'a> Finder<'a> {
    pub(crate) fn new(
        module: Module,
        analysis: &'a Analysis,
        sharing: &Sharing<'_>,
        unread: &'a Unread<'a>,
        accesses: &[Access],
    ) -> Finder<'a> {
        let mut by_instruction: HashMap<Value, Vec<(Access, Reach)>> = HashMap::new();
        for access in accesses {
            by_instruction.entry(access.instruction).or_default().push((*access, sharing.reach(access)));
        }
        Finder {
            module,
            analysis,
            unread,
            accesses: by_instruction,
            functions: HashMap::new(),
            running: HashSet::new(),
            records_states: std::env::var_os(FRAMES_VARIABLE).is_some(),
        }
    }

    /// The loops of a function that get a hook.
    pub(crate) fn parkable(&mut self, function: Value) -> Vec<Parkable> {
        shim::loops(function).iter().filter_map(|candidate| self.examine(function, candidate)).collect()
    }

    fn examine(&mut self, function: Value, candidate: &Loop) -> Option<Parkable> {
        let in_loop: HashSet<Block> = candidate.blocks.iter().copied().collect();
        let header = candidate.header.instructions();
        let is_phi = |i: &&Value| i.opcode() == Some(LLVMOpcode::LLVMPHI);
        let phis: Vec<Value> = header.iter().take_while(is_phi).copied().collect();
        let first = *header.get(phis.len())?;
        let values: Vec<Value> = phis.into_iter().filter(|phi| self.unread.is_used(*phi)).collect();
        if values.len() > MAX_VALUES || values.iter().any(|phi| !can_be_stored(*phi) || is_counter(*phi, &in_loop)) {
            return None;
        }
        let ring = values.iter().copied().find(|phi| is_ring(*phi, &in_loop));
        if ring.is_some() && self.records_states || begins_handler(first) {
            return None;
        }
        let instructions: Vec<Value> = candidate.blocks.iter().flat_map(|b| b.instructions()).collect();
        let mut effects = Effects::NONE;
        for instruction in &instructions {
            effects.and(self.instruction(*instruction, Some(&instructions)));
            if !effects.quiet {
                return None;
            }
        }
        let variables = self.variables(function, &effects.changes, &instructions)?;
        let entries = entries(function, candidate.header, &in_loop)?;
        let shown = header.iter().copied().find(|i| shim::describe(*i, None, 0).line > 0).unwrap_or(first);
        // A loop that neither accesses hooked memory nor sleeps gets no hook: the guest's watchdog ends it if it is
        // endless.
        (effects.acts || effects.sleeps).then_some(Parkable {
            function,
            values,
            ring,
            variables,
            first,
            shown,
            entries,
        })
    }

    /// The variables of `function` that the changed objects are, with their sizes; `None` if one of the objects is no
    /// such variable or they are too large. A variable whose life begins in the loop hands nothing to the next
    /// iteration.
    fn variables(&self, function: Value, changed: &[AbstractObject], around: &[Value]) -> Option<Vec<(Value, u64)>> {
        // A variable of a recursive function stands for one in each of its active calls.
        if !changed.is_empty() && self.analysis.is_recursive(function) {
            return None;
        }
        let mut variables = Vec::new();
        for object in changed {
            let variable = self.analysis.variable(*object)?;
            if !self.analysis.is_local_of(*object, function) {
                return None;
            }
            if !around.iter().any(|i| begins_life(*i, variable)) {
                variables.push((variable, self.module.variable_size(variable)?));
            }
        }
        let bytes: u64 = variables.iter().map(|(_, size)| size).sum();
        (bytes <= MAX_BYTES).then_some(variables)
    }

    /// The effects of an instruction; `around` is the loop that is examined, or `None` if it is a function.
    fn instruction(&mut self, i: Value, around: Option<&[Value]>) -> Effects {
        let mut effects = Effects::NONE;
        for (access, reach) in self.accesses.get(&i).cloned().unwrap_or_default() {
            if access.pointer.is_none() && access.kind == crate::access::Kind::Opaque {
                return Effects::LOUD;
            }
            effects.acts |= reach == Reach::Shared;
            if access.pointer.is_some_and(|pointer| self.unread.contains(pointer)) {
                continue;
            }
            if access.kind.writes() && reach != Reach::Shared && !self.harmless_write(&access, around) {
                let Some(objects) = access.pointer.and_then(|pointer| self.analysis.points_to(pointer)) else {
                    return Effects::LOUD;
                };
                let own =
                    |object: &AbstractObject| around.is_none() && self.analysis.is_local_of(*object, access.function);
                effects.changes.extend(objects.iter().filter(|object| !own(object)));
            }
        }
        match i.opcode() {
            // In a function examined as a whole, the variable is gone when it returns.
            Some(LLVMOpcode::LLVMAlloca) if around.is_some() => Effects::LOUD,
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke) => {
                let mut called = self.call(i);
                called.and(effects);
                called
            }
            Some(LLVMOpcode::LLVMCallBr | LLVMOpcode::LLVMVAArg | LLVMOpcode::LLVMResume) => Effects::LOUD,
            _ => effects,
        }
    }

    /// Whether a write to memory that is not hooked makes no difference to the next iteration.
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
            && objects.iter().all(|object| self.analysis.kind(object) == AbstractObjectKind::Local)
            && !around.iter().any(reads)
    }

    /// Whether the instruction writes the same each time.
    fn writes_constant(&self, i: Value) -> bool {
        match i.opcode() {
            Some(LLVMOpcode::LLVMStore) => i.operand(0).is_constant(),
            Some(LLVMOpcode::LLVMCall) if i.callee().is_function() => {
                let (name, a) = (i.callee().name(), i.arguments());
                let from_constant = |from: Value| {
                    let objects = self.analysis.points_to(from);
                    objects.is_some_and(|o| {
                        o.iter().all(|object| self.analysis.kind(object) == AbstractObjectKind::Constant)
                    })
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
        let callee = call.callee();
        if callee.is_inline_asm() {
            // What it does is among the accesses.
            return Effects::NONE;
        }
        if callee.is_function() {
            return self.called(call, callee);
        }
        let Some(callees) = self.analysis.functions(callee) else { return Effects::LOUD };
        let mut effects = Effects::NONE;
        for callee in callees {
            effects.and(self.called(call, callee));
        }
        effects
    }

    /// The effects of a call that calls this function, or may call it.
    fn called(&mut self, call: Value, callee: Value) -> Effects {
        if !callee.is_declaration() {
            return self.function(callee);
        }
        let name = callee.name();
        if let Some(intrinsic) = name.strip_prefix("llvm.") {
            let memory = ["memcpy.", "memmove.", "memset.", "masked.load.", "masked.store.", "va_start", "va_copy"];
            let known = memory.iter().any(|p| intrinsic.starts_with(p))
                || is_silent_intrinsic(intrinsic)
                || !call.arguments().iter().any(|a| a.ty().is_pointer());
            return if known { Effects::NONE } else { Effects::LOUD };
        }
        match row(&name).map_or(InLoops::Changes, |row| row.in_loops) {
            InLoops::Changes => Effects::LOUD,
            InLoops::Operation => Effects { acts: true, ..Effects::NONE },
            InLoops::Yields => Effects { sleeps: true, ..Effects::NONE },
            // The result says how long the wait took.
            InLoops::Sleeps if call.users().is_empty() => Effects { sleeps: true, ..Effects::NONE },
            InLoops::Sleeps => Effects::LOUD,
        }
    }

    /// The effects of a call of the function. A recursive function is not followed.
    fn function(&mut self, function: Value) -> Effects {
        if let Some(effects) = self.functions.get(&function) {
            return effects.clone();
        }
        if !self.running.insert(function) {
            return Effects::LOUD;
        }
        let mut effects = Effects::NONE;
        for instruction in function.instructions() {
            effects.and(self.instruction(instruction, None));
            if !effects.quiet {
                break;
            }
        }
        self.running.remove(&function);
        // A function's own variables are gone when it returns.
        effects.changes.retain(|object| !self.analysis.is_local_of(*object, function));
        self.functions.insert(function, effects.clone());
        effects
    }
}

/// Whether the instruction has to be the first one of its block, as a handler of exceptions begins with it.
fn begins_handler(i: Value) -> bool {
    matches!(i.opcode(), Some(LLVMOpcode::LLVMLandingPad | LLVMOpcode::LLVMCatchPad | LLVMOpcode::LLVMCleanupPad))
}

/// Whether the instruction marks the beginning of the variable's life.
fn begins_life(i: Value, variable: Value) -> bool {
    i.opcode() == Some(LLVMOpcode::LLVMCall)
        && i.callee().is_function()
        && i.callee().name().starts_with("llvm.lifetime.start")
        && i.arguments().contains(&variable)
}

/// The last instructions of the blocks outside of the loop that lead to its header. `None` if one of them does more
/// than jump: a function that it calls could pass through the loop between the hook of the entry and the entry itself.
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

/// Whether the value fits into a word.
fn can_be_stored(value: Value) -> bool {
    match value.ty().kind() {
        LLVMTypeKind::LLVMPointerTypeKind | LLVMTypeKind::LLVMFloatTypeKind | LLVMTypeKind::LLVMDoubleTypeKind => true,
        LLVMTypeKind::LLVMIntegerTypeKind => value.ty().integer_bits().is_some_and(|bits| bits <= 64),
        _ => false,
    }
}

/// Whether the phi is a counter, so that no two visits of the loop's head see the same value: every iteration adds a
/// constant.
fn is_counter(phi: Value, in_loop: &HashSet<Block>) -> bool {
    changes_by(phi, in_loop, |value| step(phi, value).is_some_and(|step| step != 0))
}

/// Whether the phi is the index of a ring: every iteration adds a constant and takes the remainder of the sum, and no
/// two successive visits of the loop's head see the same value.
fn is_ring(phi: Value, in_loop: &HashSet<Block>) -> bool {
    changes_by(phi, in_loop, |value| is_next_in_ring(phi, value))
}

/// Whether the phi has such a value after every iteration.
fn changes_by(phi: Value, in_loop: &HashSet<Block>, is_change: impl Fn(Value) -> bool) -> bool {
    let mut inside = phi.incoming().into_iter().filter(|(_, block)| in_loop.contains(block)).peekable();
    inside.peek().is_some() && inside.all(|(value, _)| is_change(value))
}

/// The constant by which the value is larger than the phi.
fn step(phi: Value, value: Value) -> Option<u64> {
    let step = match value.opcode() {
        Some(LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub) if value.operand(0) == phi => value.operand(1),
        Some(LLVMOpcode::LLVMGetElementPtr) if value.operand(0) == phi && value.operand_count() == 2 => {
            value.operand(1)
        }
        _ => return None,
    };
    step.constant_integer()
}

/// Whether the value is the remainder of the phi and a constant added to it, and differs from the phi. If both were the
/// same, the phi would be less than the divisor, so that the sum does not overflow, and the constant a multiple of the
/// divisor.
fn is_next_in_ring(phi: Value, value: Value) -> bool {
    /// Sums of numbers below do not overflow.
    const SMALL: u64 = 1 << 30;
    let divisor = match value.opcode() {
        Some(LLVMOpcode::LLVMURem | LLVMOpcode::LLVMSRem) => value.operand(1).constant_integer(),
        Some(LLVMOpcode::LLVMAnd) => {
            value.operand(1).constant_integer().and_then(|mask| mask.checked_add(1)).filter(|n| n.is_power_of_two())
        }
        _ => return false,
    };
    let is_wide = value.ty().integer_bits().is_some_and(|bits| bits >= 32);
    let sum = value.operand(0);
    let step = step(phi, sum).filter(|_| sum.opcode() == Some(LLVMOpcode::LLVMAdd));
    let both = divisor.zip(step).filter(|&(divisor, step)| divisor < SMALL && step < SMALL);
    is_wide && both.is_some_and(|(divisor, step)| divisor != 0 && step % divisor != 0)
}
