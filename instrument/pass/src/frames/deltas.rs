//! What may have changed of a function's locals between two of its calls, for `--local-states delta`.
//!
//! Yu Yang: "Dynamic Verification of Multithreaded Programs", dissertation, University of Utah 2009, sections 4.1 and
//! 4.3. There, a forward analysis inside of each procedure finds the *delta* of its locals from one visible operation
//! to the next: the variables assigned, with what they hold then. Local states are identities: the one after a delta
//! belongs to the pair of the identity before and the delta (figure 4.4); after an unknown delta it is a fresh one.
//!
//! # The paper's
//! The forward analysis; that an empty delta keeps the identity; that deltas link identities; that a change which the
//! procedure itself does not make is unknown.
//!
//! # Ours
//! - The table of figure 4.4 is a hash of the pair, and a fresh identity is a hash of the choices that led there (the
//!   place in the search tree), so that a run made again finds both without a table.
//! - Each function's frame has an identity of its own, and a thread's is made of all of them. The paper's deltas end at
//!   calls; here a call adds a frame that begins with its arguments, and a return takes it away, so the first operation
//!   of a procedure is not unknown.
//! - Calls and pointers make unknown what they may reach (points-to), not everything: a call's result is a value like
//!   others; what is written through a pointer that leads to the function's own variables only is assigned. Where it
//!   may lead to those of other functions, a hook announces the address, and the guest finds out where it leads: in
//!   most cases to the heap; if it leads to a variable of a function further out, that function's identity is linked
//!   with what was written. The same goes for libraries that write only at addresses that they are given. Where the
//!   address is not known beforehand, the frames on the stack that have such variables get fresh identities.
//! - A delta that covers all that lives but the function's arguments is not linked with the identity before it: a
//!   function whose identity was fresh gets a known one again, and a loop without an end comes back to an identity that
//!   it had.
//! - Variables that other threads may reach are global state: the hash of a state has their contents.
//! - A delta ends at each call, whether the call comes to a visible operation or not.

use super::Variable;
use crate::access::{Access, Kind, Number};
use crate::ir::{Block, Value};
use crate::points_to::{AbstractObject, Analysis, Set, writes_directly};
use crate::sharing::Sharing;
use inspect_wire::hooks::site;
use llvm_sys::LLVMOpcode;
use std::collections::{HashMap, HashSet};

/// Which local variables each instruction of the program may change.
pub(crate) struct Effects<'a> {
    analysis: &'a Analysis,
    sharing: &'a Sharing<'a>,
    /// Where each instruction writes, and how many bytes; `None` for one that may write anywhere.
    writes: HashMap<Value, Vec<Option<Written>>>,
    functions: HashSet<Value>,
}

/// The variables of one function.
pub(super) struct Locals<'a> {
    effects: &'a Effects<'a>,
    function: Value,
    numbers: HashMap<Value, usize>,
    /// By variable: whether other threads may reach it, or the analysis does not know.
    shared: Vec<bool>,
    recursive: bool,
}

/// An address, and how many bytes are written there; 0 for a library, which may write to the whole variable.
pub(super) type Written = (Value, Number);

/// Which variables an instruction may change.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct Effect {
    own: Vec<usize>,
    /// Variables of other functions, or of another call of this function.
    others: bool,
    /// The addresses at which it writes, each of which may be in such a variable.
    through: Vec<Written>,
}

/// What may have changed when a call, or the end of the function, is reached.
#[derive(Clone, Default, Debug)]
pub(super) struct Delta {
    pub(super) values: HashSet<Value>,
    pub(super) variables: HashSet<usize>,
    /// Variables of other functions may have been written since the last call.
    pub(super) unknown: bool,
    /// The last call was of a library that may have written to variables of other functions, at addresses it was given.
    pub(super) through: bool,
}

impl<'a> Effects<'a> {
    pub(crate) fn new(
        analysis: &'a Analysis,
        sharing: &'a Sharing<'a>,
        accesses: &[Access],
        functions: &[Value],
    ) -> Effects<'a> {
        let mut writes: HashMap<Value, Vec<Option<Written>>> = HashMap::new();
        for access in accesses.iter().filter(|access| access.kind.writes() || access.kind == Kind::Opaque) {
            let written = access.pointer.map(|pointer| (pointer, access.size));
            writes.entry(access.instruction).or_default().push(written);
        }
        Effects { analysis, sharing, writes, functions: functions.iter().copied().collect() }
    }

    /// The local variables among the objects that no other thread may reach, and if `deep` those that the objects lead
    /// to; `None` if they are not known.
    fn private(&self, objects: Option<&Set>, deep: bool) -> Option<Vec<AbstractObject>> {
        let mut left: Vec<AbstractObject> = objects?.iter().collect();
        let (mut seen, mut found) = (Set::default(), Vec::new());
        while let Some(object) = left.pop() {
            if !seen.insert(object) {
                continue;
            }
            if self.analysis.is_local(object) && !self.sharing.is_reachable(object) {
                found.push(object);
            }
            if deep {
                left.extend(self.analysis.content(object).iter());
            }
        }
        Some(found)
    }
}

impl<'a> Locals<'a> {
    pub(super) fn new(effects: &'a Effects<'a>, function: Value, variables: &[Variable]) -> Locals<'a> {
        let numbers: HashMap<Value, usize> =
            variables.iter().enumerate().map(|(at, (value, _))| (*value, at)).collect();
        let object = |value| effects.analysis.object_of(value);
        let shared = |(value, _): &Variable| object(*value).is_none_or(|object| effects.sharing.is_reachable(object));
        let recursive = effects.analysis.is_recursive(function);
        Locals { effects, function, numbers, shared: variables.iter().map(shared).collect(), recursive }
    }

    /// Whether other threads may reach a variable, so that the hash of a state has its contents.
    pub(super) fn is_shared(&self, number: usize) -> bool {
        self.shared[number]
    }

    /// Whether pointers may lead to a variable whose contents are in the identity.
    pub(super) fn is_vulnerable(&self) -> bool {
        self.exposed().next().is_some()
    }

    /// The flags of a call's record, and the variables that the called library may write while the thread stands in it.
    pub(super) fn inside(&self, call: Value) -> (u32, Vec<usize>) {
        let effect = self.of(call);
        (if effect.others { site::WRITES } else { 0 }, effect.own)
    }

    /// The addresses that an instruction may write to in variables of other functions.
    pub(super) fn through(&self, instruction: Value) -> Vec<Written> {
        self.of(instruction).through
    }

    /// The variable that an address is derived from.
    fn base(&self, mut pointer: Value) -> Option<usize> {
        while matches!(pointer.opcode(), Some(LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMBitCast)) {
            pointer = pointer.operand(0);
        }
        self.numbers.get(&pointer).copied()
    }

    /// What a write to this address does, or, if `deep`, to whatever can be reached from there.
    fn of_write(&self, pointer: Value, deep: bool) -> Effect {
        let base = self.base(pointer);
        if let (Some(number), false) = (base, deep) {
            return Effect { own: vec![number], ..Effect::default() };
        }
        let Some(objects) = self.effects.private(self.effects.analysis.points_to(pointer), deep) else {
            return Effect { own: self.exposed().collect(), others: true, ..Effect::default() };
        };
        let mut effect = Effect { own: base.into_iter().collect(), ..Effect::default() };
        for object in objects {
            let variable = self.effects.analysis.variable(object).and_then(|value| self.numbers.get(&value)).copied();
            match variable.filter(|_| self.effects.analysis.is_local_of(object, self.function)) {
                Some(number) => {
                    effect.own.push(number);
                    effect.others |= self.recursive && base != Some(number);
                }
                None => effect.others = true,
            }
        }
        // What can be reached from a variable may be the same variable of another call.
        effect.others |= deep && self.recursive && !effect.own.is_empty();
        effect
    }

    /// The variables whose contents are in the identity and that pointers may lead to.
    fn exposed(&self) -> impl Iterator<Item = usize> + '_ {
        let exposed = self.numbers.iter().filter(|&(variable, &number)| !self.shared[number] && is_exposed(*variable));
        exposed.map(|(_, &number)| number)
    }

    /// What a library that is called may change. An instrumented function announces its own writes.
    fn of_call(&self, call: Value) -> Effect {
        let callee = call.callee();
        let known = callee.is_function();
        if known && (self.effects.functions.contains(&callee) || callee.name().starts_with("__inspect_")) {
            return Effect::default();
        }
        let mut effect = Effect::default();
        // `strtok` goes on with the string of an earlier call.
        effect.others |= known && callee.name() == "strtok";
        let directly = known && writes_directly(&callee.name());
        for argument in call.arguments() {
            let pointer = argument.ty().is_pointer() && !argument.is_null_or_undef();
            if pointer || self.effects.analysis.points_to(argument).is_some() {
                let one = self.of_write(argument, !directly);
                effect.add(if directly { one.at((argument, Number::Known(0))) } else { one });
            }
        }
        effect
    }

    /// Which variables an instruction may change.
    fn of(&self, instruction: Value) -> Effect {
        let mut effect = Effect::default();
        for write in self.effects.writes.get(&instruction).into_iter().flatten() {
            effect.add(match *write {
                None => Effect { own: self.exposed().collect(), others: true, ..Effect::default() },
                Some((pointer, _)) if super::is_call(instruction) => {
                    self.of_write(pointer, false).at((pointer, Number::Known(0)))
                }
                Some(written) if instruction.is_terminator() => self.of_write(written.0, false),
                Some(written) => self.of_write(written.0, false).at(written),
            });
        }
        if super::is_call(instruction) {
            effect.add(self.of_call(instruction));
        } else if instruction.opcode() == Some(LLVMOpcode::LLVMCall) {
            // A mark of a variable's life, after which the variable holds zeros, or a `va_list` that the intrinsic
            // changes.
            effect.own.extend(instruction.arguments().into_iter().filter_map(|argument| self.base(argument)));
        }
        effect
    }

    /// The delta at each call, and at each end of the function.
    pub(super) fn deltas(&self) -> HashMap<Value, Delta> {
        let blocks = self.function.blocks();
        let numbered: Vec<(Block, Vec<Value>)> = blocks.iter().map(|block| (*block, block.instructions())).collect();
        let values = self.function.parameters().into_iter().chain(numbered.iter().flat_map(|(_, all)| all.clone()));
        let values: Vec<Value> = values.collect();
        let flow = Flow {
            numbers: values.iter().enumerate().map(|(at, value)| (*value, at)).collect(),
            effects: values
                .iter()
                .map(|value| self.of(*value))
                .map(|e| (e != Effect::default()).then_some(e))
                .collect(),
            variables: values.len(),
            unknown: values.len() + self.numbers.len(),
            through: values.len() + self.numbers.len() + 1,
        };
        let found = self.reached(&flow, &numbered);
        let delta = |bits: &Bits| Delta {
            values: bits.members(0..flow.variables).map(|number| values[number]).collect(),
            variables: bits.members(flow.variables..flow.unknown).map(|number| number - flow.variables).collect(),
            unknown: bits.has(flow.unknown),
            through: bits.has(flow.through),
        };
        found.iter().map(|(instruction, bits)| (*instruction, delta(bits))).collect()
    }

    /// What reaches each call and each end of the function: the least fixpoint of the flow over its blocks.
    fn reached(&self, flow: &Flow, numbered: &[(Block, Vec<Value>)]) -> HashMap<Value, Bits> {
        let mut at_start: HashMap<Block, Bits> = numbered.iter().map(|(block, _)| (*block, flow.nothing())).collect();
        if let Some((first, _)) = numbered.first() {
            // When the function is entered, all arguments and variables have new contents.
            let all = (0..self.function.parameters().len()).chain(flow.variables..flow.unknown);
            at_start.insert(*first, all.fold(flow.nothing(), Bits::with));
        }
        let mut found = HashMap::new();
        let mut changed = true;
        while changed {
            changed = false;
            for (block, instructions) in numbered {
                let Some(mut now) = at_start.get(block).cloned() else { continue };
                for instruction in instructions {
                    flow.pass(*instruction, &mut now, |bits| {
                        found.insert(*instruction, bits.clone());
                    });
                }
                for next in block.successors() {
                    changed |= at_start.get_mut(&next).is_some_and(|bits| bits.add(&now));
                }
            }
        }
        found
    }
}

impl Effect {
    fn add(&mut self, other: Effect) {
        self.own.extend(other.own);
        self.others |= other.others;
        self.through.extend(other.through);
    }

    /// The same effect, if the instruction writes at one known address only.
    fn at(mut self, written: Written) -> Effect {
        let is_address = written.0.ty().is_pointer() || written.0.ty().integer_bits() == Some(64);
        if self.others && is_address {
            self.others = false;
            self.through.push(written);
        }
        self
    }
}

/// The forward analysis: which values and variables may have changed since the last call.
struct Flow {
    numbers: HashMap<Value, usize>,
    effects: Vec<Option<Effect>>,
    /// The bit of the first variable.
    variables: usize,
    unknown: usize,
    through: usize,
}

impl Flow {
    fn nothing(&self) -> Bits {
        Bits(vec![0; self.through / 64 + 1])
    }

    /// Goes over an instruction; if it is a call or an end of the function, calls `each` with what reaches it.
    fn pass(&self, instruction: Value, now: &mut Bits, each: impl FnOnce(&Bits)) {
        let call = super::is_call(instruction);
        if call || ends(instruction) {
            each(now);
        }
        if call {
            *now = self.nothing();
        }
        let Some(&number) = self.numbers.get(&instruction) else { return };
        now.set(number);
        if let Some(effect) = &self.effects[number] {
            effect.own.iter().for_each(|variable| now.set(self.variables + variable));
            if effect.others {
                now.set(self.unknown);
            }
            if call && !effect.through.is_empty() {
                now.set(self.through);
            }
        }
    }
}

/// Whether the function ends with this instruction.
pub(super) fn ends(instruction: Value) -> bool {
    matches!(instruction.opcode(), Some(LLVMOpcode::LLVMRet | LLVMOpcode::LLVMResume))
}

/// Whether the address of the variable is used otherwise than to read or write the variable in place.
fn is_exposed(variable: Value) -> bool {
    variable.users().into_iter().any(|user| match user.opcode() {
        Some(LLVMOpcode::LLVMLoad) => false,
        Some(LLVMOpcode::LLVMStore) => user.operand(0) == variable,
        Some(LLVMOpcode::LLVMGetElementPtr | LLVMOpcode::LLVMBitCast) => {
            user.operand(0) != variable || is_exposed(user)
        }
        Some(LLVMOpcode::LLVMCall) => {
            let callee = user.callee();
            let harmless = ["llvm.lifetime.", "llvm.memset.", "llvm.memcpy.", "llvm.memmove.", "__inspect_"];
            !(callee.is_function() && harmless.iter().any(|prefix| callee.name().starts_with(prefix)))
        }
        _ => true,
    })
}

/// A set of numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn with(mut self, number: usize) -> Bits {
        self.set(number);
        self
    }

    fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    fn members(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
        range.filter(|number| self.has(*number))
    }

    /// Adds the other set; whether anything was new.
    fn add(&mut self, other: &Bits) -> bool {
        let mut grew = false;
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            grew |= other & !*word != 0;
            *word |= other;
        }
        grew
    }
}
