//! Which points the value read at a point may influence: their addresses, their calls, and which side of a branch is
//! taken.
//!
//! A value flows to what is computed from it, to the memory it is stored in, to what is loaded from there, and to the
//! parameters and results it is passed as. The condition of a branch flows to all effects that only some sides of the
//! branch have: what is stored there, and the phis at the join point.

use super::library::{LibraryCall, library_call, pointers};
use super::paths::{JoinPoint, Paths};
use crate::ir::Value;
use crate::points_to::{AbstractObject, AbstractObjectKind, Analysis};
use crate::shim;
use llvm_sys::{LLVMOpcode, LLVMValueKind};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A place that a value can flow to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum ValuePlace {
    /// The result of an instruction, or a parameter.
    Value(Value),
    /// The contents of an object; object 0 is all memory that the analysis does not see.
    Memory(u32),
    /// The value that a function returns.
    Result(Value),
    /// Whether a function is called.
    Called(Value),
    /// The result of a library call, and what the call writes to memory.
    Library(Value),
    /// The addresses of later heap blocks, which depend on which calls allocate and free before them.
    Heap,
    /// The state of the mutexes in an object; object 0 stands for those that are not known.
    Mutexes(u32),
    /// `errno`: the number of the last error in a library call.
    ErrorNumber,
}

/// The library's function that returns the address of `errno`.
const ERROR_NUMBER: &str = "__errno_location";

/// How values flow through a program.
pub(crate) struct ValueFlow<'a> {
    analysis: &'a Analysis,
    edges: HashMap<ValuePlace, BTreeSet<ValuePlace>>,
    sinks: HashMap<ValuePlace, BTreeSet<u32>>,
}

impl<'a> ValueFlow<'a> {
    /// Follows all values of the functions.
    pub(crate) fn new(analysis: &'a Analysis, functions: &[(Value, Paths)]) -> ValueFlow<'a> {
        let mut flow = ValueFlow { analysis, edges: HashMap::new(), sinks: HashMap::new() };
        for object in analysis.escaped().iter() {
            flow.edge(ValuePlace::Memory(0), ValuePlace::Memory(object.0));
            flow.edge(ValuePlace::Memory(object.0), ValuePlace::Memory(0));
        }
        for (function, paths) in functions {
            for instruction in function.instructions() {
                flow.instruction(*function, instruction);
            }
            flow.decisions(*function, paths);
        }
        flow
    }

    fn edge(&mut self, from: ValuePlace, to: ValuePlace) {
        self.edges.entry(from).or_default().insert(to);
    }

    /// Lets a value flow to a place; a constant does not flow, as it never differs.
    fn carry(&mut self, value: Value, to: ValuePlace) {
        let differs =
            matches!(value.kind(), LLVMValueKind::LLVMInstructionValueKind | LLVMValueKind::LLVMArgumentValueKind);
        if differs {
            self.edge(ValuePlace::Value(value), to);
        }
    }

    /// The memory that a pointer may lead to.
    fn memory(&self, pointer: Value) -> Vec<ValuePlace> {
        match self.analysis.points_to(pointer) {
            None => vec![ValuePlace::Memory(0)],
            Some(objects) => {
                let changes = |object: &AbstractObject| {
                    !matches!(self.analysis.kind(*object), AbstractObjectKind::Constant | AbstractObjectKind::Function)
                };
                objects.iter().filter(changes).map(|object| ValuePlace::Memory(object.0)).collect()
            }
        }
    }

    /// The mutexes that a pointer may lead to.
    fn mutexes(&mut self, pointer: Value) -> Vec<ValuePlace> {
        let Some(objects) = self.analysis.points_to(pointer) else { return vec![ValuePlace::Mutexes(0)] };
        let all: Vec<ValuePlace> = objects.iter().map(|object| ValuePlace::Mutexes(object.0)).collect();
        for &one in &all {
            self.edge(one, ValuePlace::Mutexes(0));
            self.edge(ValuePlace::Mutexes(0), one);
        }
        all
    }

    /// The places that depend on whether an instruction is executed.
    fn effects(&self, instruction: Value) -> Vec<ValuePlace> {
        match instruction.opcode() {
            Some(LLVMOpcode::LLVMStore) => self.memory(instruction.operand(1)),
            Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => self.memory(instruction.operand(0)),
            Some(LLVMOpcode::LLVMCall) => {
                let callee = instruction.callee();
                if callee.is_defined_function() {
                    return vec![ValuePlace::Called(callee)];
                }
                if callee.is_function()
                    && let Some(name) = callee.name().strip_prefix("llvm.")
                {
                    return written_by(name, &instruction.arguments()).map_or(Vec::new(), |at| self.memory(at));
                }
                let mut effects = vec![ValuePlace::Library(instruction)];
                effects.extend(uses_heap(instruction).then_some(ValuePlace::Heap));
                effects
            }
            _ => Vec::new(),
        }
    }

    /// Whether the result of the instruction is a number that depends on where a block of the heap is.
    fn counts_with_addresses(&self, i: Value) -> bool {
        let is_block = |value: Value| {
            let objects = self.analysis.points_to(value);
            objects.is_none_or(|all| all.iter().any(|object| self.analysis.kind(object) == AbstractObjectKind::Heap))
        };
        // The distance of two addresses in a block, and their order, do not depend on where the block is.
        let is_number = |value: &Value| value.opcode() == Some(LLVMOpcode::LLVMPtrToInt);
        let is_distance =
            |user: Value| user.opcode() == Some(LLVMOpcode::LLVMSub) && user.operands().iter().all(is_number);
        match i.opcode() {
            Some(LLVMOpcode::LLVMPtrToInt) => is_block(i.operand(0)) && !i.users().into_iter().all(is_distance),
            // A number is loaded where a pointer may have been stored. From a structure with numbers and pointers, a
            // number of the structure is loaded.
            Some(LLVMOpcode::LLVMLoad) if !i.ty().is_pointer() => {
                let objects = self.analysis.points_to(i.operand(0));
                let pun = |object: AbstractObject| {
                    self.analysis.kind(object) == AbstractObjectKind::Local
                        && self
                            .analysis
                            .content(object)
                            .iter()
                            .any(|held| self.analysis.kind(held) == AbstractObjectKind::Heap)
                };
                objects.is_some_and(|all| all.iter().any(pun))
            }
            _ => false,
        }
    }

    fn instruction(&mut self, function: Value, i: Value) {
        let own = ValuePlace::Value(i);
        if self.counts_with_addresses(i) {
            self.edge(ValuePlace::Heap, own);
        }
        for effect in self.effects(i) {
            self.edge(ValuePlace::Called(function), effect);
        }
        match i.opcode() {
            Some(LLVMOpcode::LLVMLoad) => {
                self.carry(i.operand(0), own);
                for memory in self.memory(i.operand(0)) {
                    self.edge(memory, own);
                }
            }
            Some(LLVMOpcode::LLVMStore) => {
                for memory in self.memory(i.operand(1)) {
                    self.carry(i.operand(0), memory);
                    self.carry(i.operand(1), memory);
                }
            }
            Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => {
                for memory in self.memory(i.operand(0)) {
                    self.edge(memory, own);
                    self.edge(memory, memory);
                    self.edge(own, memory);
                    i.operands().into_iter().for_each(|operand| self.carry(operand, memory));
                }
                i.operands().into_iter().for_each(|operand| self.carry(operand, own));
            }
            Some(LLVMOpcode::LLVMRet) => {
                i.operands().into_iter().for_each(|value| self.carry(value, ValuePlace::Result(function)));
            }
            Some(LLVMOpcode::LLVMPHI) => i.incoming().into_iter().for_each(|(value, _)| self.carry(value, own)),
            Some(LLVMOpcode::LLVMCall) => self.call(i),
            _ => i.operands().into_iter().for_each(|operand| self.carry(operand, own)),
        }
    }

    fn call(&mut self, call: Value) {
        let (own, callee, arguments) = (ValuePlace::Value(call), call.callee(), call.arguments());
        if callee.is_defined_function() {
            self.pass_arguments(call, callee, &arguments);
            return self.edge(ValuePlace::Result(callee), own);
        }
        let name = if callee.is_function() { callee.name() } else { String::new() };
        if let Some(name) = name.strip_prefix("llvm.") {
            return self.intrinsic(name, &arguments, own);
        }
        self.edge(ValuePlace::Library(call), own);
        if name == ERROR_NUMBER {
            self.edge(ValuePlace::ErrorNumber, own);
        }
        let library = if callee.is_function() { library_call(call) } else { LibraryCall::Unknown };
        self.through_library(call, library, &arguments, name == ERROR_NUMBER);
    }

    /// The arguments of a call of a function of the program.
    fn pass_arguments(&mut self, call: Value, callee: Value, arguments: &[Value]) {
        for (index, (argument, parameter)) in (0_u32..).zip(arguments.iter().zip(callee.parameters())) {
            self.carry(*argument, ValuePlace::Value(parameter));
            if shim::byval_size(call, index) > 0 {
                // The parameter is the address of a copy.
                for from in self.memory(*argument) {
                    self.memory(parameter).into_iter().for_each(|to| self.edge(from, to));
                }
            }
        }
    }

    /// Follows values through an intrinsic of LLVM, whose result is at `own` and which may copy memory.
    fn intrinsic(&mut self, name: &str, arguments: &[Value], own: ValuePlace) {
        let to = written_by(name, arguments).map_or(Vec::new(), |at| self.memory(at));
        let from = read_by(name, arguments).map_or(Vec::new(), |at| self.memory(at));
        for to in to.into_iter().chain([own]) {
            arguments.iter().for_each(|argument| self.carry(*argument, to));
            from.iter().for_each(|from| self.edge(*from, to));
        }
    }

    /// Follows values through a call of a function without a body. `asks_error` is true for the function that returns
    /// the address of `errno`.
    fn through_library(&mut self, call: Value, library: LibraryCall, arguments: &[Value], asks_error: bool) {
        let library_place = ValuePlace::Library(call);
        match library {
            LibraryCall::Create { function, argument } => {
                let at = |index: u32| arguments.get(index as usize).copied();
                if let (Some(function), Some(argument)) = (at(function), at(argument))
                    && function.is_defined_function()
                    && let Some(parameter) = function.parameters().first()
                {
                    self.carry(argument, ValuePlace::Value(*parameter));
                }
                // The thread's identifier is stored there.
                for to in self.memory(arguments[0]) {
                    self.edge(library_place, to);
                }
            }
            LibraryCall::Lock
            | LibraryCall::Unlock
            | LibraryCall::Lifecycle
            | LibraryCall::Wait { .. }
            | LibraryCall::TryLock => self.through_mutexes(arguments, library_place),
            LibraryCall::Wake | LibraryCall::Join | LibraryCall::Ends | LibraryCall::EndsThread => {}
            LibraryCall::Plain
            | LibraryCall::Varies
            | LibraryCall::Outside
            | LibraryCall::Stream { .. }
            | LibraryCall::Heap
            | LibraryCall::Unknown => {
                if !asks_error {
                    self.edge(library_place, ValuePlace::ErrorNumber);
                }
                arguments.iter().for_each(|argument| self.carry(*argument, library_place));
                for memory in pointers(call).flat_map(|pointer| self.memory(pointer)).collect::<Vec<_>>() {
                    self.edge(memory, library_place);
                    self.edge(library_place, memory);
                }
            }
        }
    }

    /// Whether a mutex can be locked or unlocked depends on what the thread did with it before.
    fn through_mutexes(&mut self, arguments: &[Value], library_place: ValuePlace) {
        for argument in arguments.iter().filter(|argument| argument.ty().is_pointer()) {
            self.carry(*argument, library_place);
            for mutex in self.mutexes(*argument) {
                self.edge(mutex, library_place);
                self.edge(library_place, mutex);
            }
        }
    }

    /// Lets the conditions of a function's branches flow to what they decide.
    fn decisions(&mut self, function: Value, paths: &Paths) {
        for (number, block) in paths.blocks.iter().enumerate() {
            let Some(last) = block.instructions().last().copied() else { continue };
            if paths.successors[number].len() < 2 {
                continue;
            }
            let decided = ValuePlace::Value(last);
            if let Some(condition) = condition(last) {
                self.carry(condition, decided);
            }
            let end = paths.join_point(number);
            let mut inside = paths.between(&paths.successors[number], end);
            for &block in &inside {
                for i in paths.blocks[block].instructions() {
                    for effect in self.effects(i) {
                        self.edge(decided, effect);
                    }
                    if i.opcode() == Some(LLVMOpcode::LLVMRet) {
                        self.edge(decided, ValuePlace::Result(function));
                    }
                }
            }
            if let JoinPoint::Block(block) = end {
                inside.push(block);
            }
            for block in inside {
                for i in paths.blocks[block].instructions() {
                    if i.opcode() == Some(LLVMOpcode::LLVMPHI) {
                        self.edge(decided, ValuePlace::Value(i));
                    }
                }
            }
        }
    }

    /// Records that the value decides what happens at a point.
    pub(crate) fn sink(&mut self, value: Value, point: u32) {
        if !value.is_constant() {
            self.sinks.entry(ValuePlace::Value(value)).or_default().insert(point);
        }
    }

    /// Records that the contents of memory at an address decide what happens at a point.
    pub(crate) fn sink_memory(&mut self, pointer: Value, point: u32) {
        for memory in self.memory(pointer) {
            self.sinks.entry(memory).or_default().insert(point);
        }
    }

    /// The points that these places may influence.
    pub(crate) fn influenced(&self, from: Vec<ValuePlace>) -> BTreeSet<u32> {
        let (mut left, mut seen, mut points) = (from, HashSet::new(), BTreeSet::new());
        while let Some(place) = left.pop() {
            if seen.insert(place) {
                points.extend(self.sinks.get(&place).into_iter().flatten());
                left.extend(self.edges.get(&place).into_iter().flatten());
            }
        }
        points
    }

    /// The places that the value read by an instruction flows to.
    pub(crate) fn taken_in(&self, instruction: Value) -> Vec<ValuePlace> {
        let mut places = vec![ValuePlace::Value(instruction), ValuePlace::Library(instruction)];
        if instruction.opcode() == Some(LLVMOpcode::LLVMCall) {
            let callee = instruction.callee();
            let name = if callee.is_function() { callee.name() } else { String::new() };
            let to = name.strip_prefix("llvm.").and_then(|name| written_by(name, &instruction.arguments()));
            places.extend(to.into_iter().flat_map(|to| self.memory(to)));
        }
        places
    }
}

/// The value that decides where a block's last instruction goes.
pub(crate) fn condition(last: Value) -> Option<Value> {
    match last.opcode() {
        Some(LLVMOpcode::LLVMBr) if last.operand_count() > 1 => Some(last.operand(0)),
        Some(LLVMOpcode::LLVMSwitch) => Some(last.operand(0)),
        _ => None,
    }
}

/// The address that an intrinsic writes to. An intrinsic that is not listed here and may write is an opaque access.
fn written_by(name: &str, arguments: &[Value]) -> Option<Value> {
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    match arguments {
        [to, ..] if is(&["memcpy.", "memmove.", "memset."]) => Some(*to),
        [_, to, ..] if is(&["masked.store."]) => Some(*to),
        _ => None,
    }
}

/// The address that an intrinsic copies from.
fn read_by(name: &str, arguments: &[Value]) -> Option<Value> {
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    match arguments {
        [_, from, ..] if is(&["memcpy.", "memmove."]) => Some(*from),
        [from, ..] if is(&["masked.load."]) => Some(*from),
        _ => None,
    }
}

/// Whether a call of a function without a body may make or free a block.
fn uses_heap(call: Value) -> bool {
    match if call.callee().is_function() { library_call(call) } else { LibraryCall::Unknown } {
        // The first output to a stream allocates its buffer.
        LibraryCall::Plain
        | LibraryCall::Outside
        | LibraryCall::Stream { .. }
        | LibraryCall::Heap
        | LibraryCall::Create { .. }
        | LibraryCall::Unknown => true,
        LibraryCall::Lock
        | LibraryCall::Unlock
        | LibraryCall::Lifecycle
        | LibraryCall::Wait { .. }
        | LibraryCall::Wake
        | LibraryCall::TryLock
        | LibraryCall::Join
        | LibraryCall::Varies
        | LibraryCall::Ends
        | LibraryCall::EndsThread => false,
    }
}
