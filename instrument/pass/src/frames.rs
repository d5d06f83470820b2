//! Frame records ([`inspect_wire::hooks::Frame`]): what a function's future depends on, written down at each of its
//! calls.
//!
//! What a thread does after a call depends on the values that are used after the call, the contents of local variables,
//! and memory that all threads share. The optimiser may keep the values and variables in registers, in slots of the
//! stack, twice or in another form; what is left in a register or slot when its value is no longer needed must not
//! distinguish states. So the pass adds the records before the optimiser runs: a record holds the values that live
//! beyond the call and those passed to it, and of each local variable the address; the size is in the call's static
//! record. Variables hold zeros where the code gives them no contents, and again when their life is over.
//!
//! With `--local-states delta` a record holds only the values that may have changed since the function's last call
//! ([`deltas`]).

use crate::frames::deltas::{Delta, Locals};
use crate::frames::liveness::Liveness;
use crate::hook::{self, declare};
use crate::ir::{Module, Value, llvm};
use inspect_wire::hooks::{self, DELTA_SECTION, DeltaFrame, FRAME_SECTION, Frame};
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTailCallKind, LLVMThreadLocalMode, LLVMTypeKind};
use std::collections::{HashMap, HashSet};
use std::ffi::CString;

mod announcing;
mod deltas;
mod liveness;
mod unannounced;

pub(crate) use deltas::Effects;
pub(crate) use unannounced::writers;

/// The most bytes of a variable that is cleared.
const CLEARED: u64 = 4096;

/// Adds frame records to functions, a flag that is set before writes that no hook announces, and the constructor that
/// announces both. Variables in `buffers` were added by the pass and do not live beyond the call they were made for;
/// `writers` are instructions that set the flag. With `effects`, the records are those of deltas, and there is no flag.
pub(crate) fn insert(
    module: Module,
    functions: &[Value],
    buffers: &HashSet<Value>,
    writers: &HashSet<Value>,
    effects: Option<&Effects<'_>>,
) {
    let writer = Writer::new(module, buffers, effects);
    for function in functions {
        settle(*function);
        writer.flags(*function, writers);
        writer.function(*function);
    }
    writer.announce();
}

/// A local variable and its size.
type Variable = (Value, u64);

/// What the records of all calls of a function have in common.
struct Body<'a> {
    variables: Vec<Variable>,
    /// Whether nothing lives in the function beside values and variables.
    complete: bool,
    record: LLVMValueRef,
    changes: Option<Changes<'a>>,
}

/// What may change in a function from call to call.
struct Changes<'a> {
    locals: Locals<'a>,
    deltas: HashMap<Value, Delta>,
}

struct Writer<'a> {
    module: Module,
    buffers: &'a HashSet<Value>,
    effects: Option<&'a Effects<'a>>,
    /// The words of a record before the addresses of variables.
    header: u64,
    builder: LLVMBuilderRef,
    long: LLVMTypeRef,
    word: LLVMTypeRef,
    byte: LLVMTypeRef,
    pointer: LLVMTypeRef,
    /// The thread-local variable with the innermost record.
    innermost: LLVMValueRef,
    /// The flag, one for all threads, that is set before a write that no hook announces.
    flag: LLVMValueRef,
}

impl<'a> Writer<'a> {
    fn new(module: Module, buffers: &'a HashSet<Value>, effects: Option<&'a Effects<'a>>) -> Writer<'a> {
        let context = module.context();
        let pointer = llvm!(LLVMPointerTypeInContext(context, 0));
        let innermost = llvm!(LLVMAddGlobal(module.0, pointer, c"__inspect_innermost".as_ptr()));
        llvm!(LLVMSetInitializer(innermost, LLVMConstNull(pointer)));
        llvm!(LLVMSetLinkage(innermost, LLVMLinkage::LLVMInternalLinkage));
        llvm!(LLVMSetThreadLocalMode(innermost, LLVMThreadLocalMode::LLVMInitialExecTLSModel));
        let byte = llvm!(LLVMInt8TypeInContext(context));
        let flag = llvm!(LLVMAddGlobal(module.0, byte, c"__inspect_written".as_ptr()));
        llvm!(LLVMSetInitializer(flag, LLVMConstNull(byte)));
        llvm!(LLVMSetLinkage(flag, LLVMLinkage::LLVMInternalLinkage));
        Writer {
            module,
            buffers,
            effects,
            header: if effects.is_some() { size_of::<DeltaFrame>() } else { size_of::<Frame>() } as u64 / 8,
            builder: llvm!(LLVMCreateBuilderInContext(context)),
            long: llvm!(LLVMInt64TypeInContext(context)),
            word: llvm!(LLVMInt32TypeInContext(context)),
            byte,
            pointer,
            innermost,
            flag,
        }
    }

    fn number(&self, value: u64) -> LLVMValueRef {
        llvm!(LLVMConstInt(self.long, value, 0))
    }

    fn stand_before(&self, instruction: Value) {
        llvm!(LLVMPositionBuilderBefore(self.builder, instruction.0));
        llvm!(LLVMSetCurrentDebugLocation2(self.builder, LLVMInstructionGetDebugLoc(instruction.0)));
    }

    /// Sets the flag before each instruction that may write without being announced.
    fn flags(&self, function: Value, writers: &HashSet<Value>) {
        for instruction in function.instructions() {
            if unannounced::sets_flag(instruction, writers) {
                self.stand_before(instruction);
                let set = llvm!(LLVMConstInt(self.byte, 1, 0));
                llvm!(LLVMBuildStore(self.builder, set, self.flag));
            }
        }
    }

    fn function(&self, function: Value) {
        let instructions = function.instructions();
        let calls: Vec<Value> = instructions.iter().copied().filter(|i| is_call(*i)).collect();
        if calls.is_empty() {
            return self.without_record(function);
        }
        let liveness = Liveness::new(function);
        let living: Vec<(Value, Vec<Value>)> = calls.iter().map(|call| (*call, living(*call, &liveness))).collect();
        let words = |values: &[Value]| values.iter().map(|value| self.words(*value)).sum::<u64>();
        let most = living.iter().map(|(_, values)| words(values)).max().unwrap_or(0);
        let (variables, complete) = self.variables(function);
        let Some(first) = first_after_variables(function) else { return };
        let changes = self.effects.map(|effects| {
            let locals = Locals::new(effects, function, &variables);
            Changes { deltas: locals.deltas(), locals }
        });
        let record = self.reserve(function, self.header + variables.len() as u64 + most);
        let body = Body { variables, complete, record, changes };
        self.enter(&body, first);
        if let Some(changes) = &body.changes {
            self.announce_writes(&instructions, &changes.locals, || self.caller(&body));
        }
        self.clear_where_life_changes(function, &body.variables);
        for (call, values) in &living {
            self.call(&body, *call, values);
        }
        self.announce_ends(function, &body);
    }

    /// The variables of a function, and whether nothing lives on its stack beside them and its values.
    fn variables(&self, function: Value) -> (Vec<Variable>, bool) {
        let variadic = llvm!(LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function.0))) != 0;
        // After a `longjmp` back into the function, values are used that do not live where the `longjmp` is called.
        let mut complete = !variadic && !function.instructions().into_iter().any(returns_twice);
        let mut variables = Vec::new();
        let blocks = function.blocks();
        let first = first_after_variables(function);
        let mut at_start = true;
        for (at, block) in blocks.iter().enumerate() {
            for instruction in block.instructions() {
                at_start &= at == 0 && Some(instruction) != first;
                if instruction.opcode() != Some(LLVMOpcode::LLVMAlloca) || self.buffers.contains(&instruction) {
                    continue;
                }
                match self.module.variable_size(instruction).filter(|_| at_start) {
                    Some(size) => variables.push((instruction, size)),
                    None => complete = false,
                }
            }
        }
        let kind = llvm!(LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5));
        for (index, parameter) in (1..).zip(function.parameters()) {
            let byval = llvm!(LLVMGetEnumAttributeAtIndex(function.0, index, kind));
            if !byval.is_null() {
                let ty = crate::ir::Type(llvm!(LLVMGetTypeAttributeValue(byval)));
                variables.push((parameter, self.module.store_size(ty)));
            }
        }
        (variables, complete)
    }

    /// Reserves room for the record on the function's stack.
    fn reserve(&self, function: Value, words: u64) -> LLVMValueRef {
        if let Some(first) = function.blocks().first().and_then(|block| block.instructions().first().copied()) {
            self.stand_before(first);
        }
        let ty = llvm!(LLVMArrayType2(self.long, words));
        llvm!(LLVMBuildAlloca(self.builder, ty, c"__inspect_frame".as_ptr()))
    }

    fn slot(&self, record: LLVMValueRef, word: u64) -> LLVMValueRef {
        let mut offset = [self.number(8 * word)];
        llvm!(LLVMBuildGEP2(self.builder, self.byte, record, offset.as_mut_ptr(), 1, c"".as_ptr()))
    }

    fn store(&self, value: LLVMValueRef, record: LLVMValueRef, word: u64) {
        let slot = self.slot(record, word);
        llvm!(LLVMBuildStore(self.builder, value, slot));
    }

    /// Fills in the parts of the record that do not change while the function runs.
    fn enter(&self, body: &Body<'_>, first: Value) {
        self.stand_before(first);
        let caller = llvm!(LLVMBuildLoad2(self.builder, self.pointer, self.innermost, c"".as_ptr()));
        self.store(caller, body.record, 0);
        let address = self.return_address();
        let address = llvm!(LLVMBuildPtrToInt(self.builder, address, self.long, c"".as_ptr()));
        self.store(address, body.record, 1);
        if body.changes.is_some() {
            self.forget(body);
            self.store(self.number(0), body.record, 6);
        }
        for (at, (variable, size)) in (self.header..).zip(&body.variables) {
            if variable.opcode() == Some(LLVMOpcode::LLVMAlloca) {
                self.clear(*variable, *size);
            }
            self.store(variable.0, body.record, at);
        }
    }

    fn return_address(&self) -> LLVMValueRef {
        let name = c"llvm.returnaddress";
        let mut parameters = [self.word];
        let ty = llvm!(LLVMFunctionType(self.pointer, parameters.as_mut_ptr(), 1, 0));
        let known = llvm!(LLVMGetNamedFunction(self.module.0, name.as_ptr()));
        let function = if known.is_null() { llvm!(LLVMAddFunction(self.module.0, name.as_ptr(), ty)) } else { known };
        let mut own = [llvm!(LLVMConstInt(self.word, 0, 0))];
        llvm!(LLVMBuildCall2(self.builder, ty, function, own.as_mut_ptr(), 1, c"".as_ptr()))
    }

    fn clear(&self, variable: Value, size: u64) {
        if size <= CLEARED {
            let zero = llvm!(LLVMConstInt(self.byte, 0, 0));
            llvm!(LLVMBuildMemSet(self.builder, variable.0, zero, self.number(size), 1));
        }
    }

    /// Clears variables where their life begins and ends. The marks of these places are deleted: with them, the
    /// optimiser could let a variable hold anything outside of its life.
    fn clear_where_life_changes(&self, function: Value, variables: &[Variable]) {
        for instruction in function.instructions() {
            if !is_mark_of_life(instruction) {
                continue;
            }
            let pointer = instruction.arguments().into_iter().find(|a| a.ty().is_pointer());
            let known = variables.iter().find(|(variable, _)| Some(*variable) == pointer);
            if let Some((variable, size)) = known {
                self.stand_before(instruction);
                self.clear(*variable, *size);
                llvm!(LLVMInstructionEraseFromParent(instruction.0));
            }
        }
    }

    /// Brings the record up to date before a call and makes it the innermost one.
    fn call(&self, body: &Body<'_>, call: Value, values: &[Value]) {
        self.stand_before(call);
        if llvm!(LLVMGetTailCallKind(call.0)) == LLVMTailCallKind::LLVMTailCallKindMustTail {
            // The callee runs in place of the function, whose frame is gone by then.
            self.announce_tail_call(body, call);
            let slot = self.slot(body.record, 0);
            let caller = llvm!(LLVMBuildLoad2(self.builder, self.pointer, slot, c"".as_ptr()));
            llvm!(LLVMBuildStore(self.builder, caller, self.innermost));
            return;
        }
        let storable = values.iter().all(|value| self.words(*value) > 0);
        let delta = body.changes.as_ref().map(|changes| self.delta_record(changes, body, call, values));
        let values = delta.as_ref().map_or(values, |delta| &delta.values);
        let mut word = self.header + body.variables.len() as u64;
        for value in values {
            for part in 0..self.words(*value) {
                let bits = self.bits(*value, part);
                self.store(bits, body.record, word);
                word += 1;
            }
        }
        let count = word - self.header - body.variables.len() as u64;
        let sizes =
            delta.as_ref().map_or_else(|| body.variables.iter().map(|v| v.1).collect(), |delta| delta.sizes.clone());
        let quiet = if unannounced::is_quiet(call) { hooks::site::WRITES_NOTHING_ELSE } else { 0 };
        let flags = delta.as_ref().map_or(quiet, |delta| delta.flags);
        let site = self.site(count, &sizes, body.complete && storable, flags);
        self.store(site, body.record, 2);
        self.store(self.number(0), body.record, 3);
        llvm!(LLVMBuildStore(self.builder, body.record, self.innermost));
        if let Some(delta) = delta {
            self.announce_delta(body, &delta, call);
        }
    }

    /// The static record of a call.
    fn site(&self, values: u64, sizes: &[u64], complete: bool, flags: u32) -> LLVMValueRef {
        let context = self.module.context();
        let word = |value: u64| llvm!(LLVMConstInt(self.word, value, 0));
        let mut fields =
            vec![word(values), word(sizes.len() as u64), word(u64::from(complete)), word(u64::from(flags))];
        fields.extend(sizes.iter().map(|size| self.number(*size)));
        let value = llvm!(LLVMConstStructInContext(context, fields.as_mut_ptr(), fields.len() as u32, 0));
        let section = if self.effects.is_some() { DELTA_SECTION } else { FRAME_SECTION };
        let section = CString::new(section).unwrap_or_default();
        let record = llvm!(LLVMAddGlobal(self.module.0, LLVMTypeOf(value), c"__inspect_call".as_ptr()));
        llvm!(LLVMSetInitializer(record, value));
        llvm!(LLVMSetLinkage(record, LLVMLinkage::LLVMPrivateLinkage));
        llvm!(LLVMSetGlobalConstant(record, 1));
        llvm!(LLVMSetSection(record, section.as_ptr()));
        llvm!(LLVMSetAlignment(record, 16));
        record
    }

    /// Words that a value takes in a record; 0 if it cannot be stored in one.
    fn words(&self, value: Value) -> u64 {
        match value.ty().kind() {
            LLVMTypeKind::LLVMPointerTypeKind => 1,
            LLVMTypeKind::LLVMIntegerTypeKind => u64::from(value.ty().integer_bits().unwrap_or(0)).div_ceil(64),
            LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind
            | LLVMTypeKind::LLVMDoubleTypeKind
            | LLVMTypeKind::LLVMX86_FP80TypeKind
            | LLVMTypeKind::LLVMFP128TypeKind => self.module.store_size(value.ty()).div_ceil(8),
            LLVMTypeKind::LLVMVectorTypeKind => {
                let element = crate::ir::Type(llvm!(LLVMGetElementType(value.ty().0)));
                let plain = !element.is_pointer() && self.module.store_size(value.ty()) * 8 == self.bit_size(value);
                if plain { self.module.store_size(value.ty()).div_ceil(8) } else { 0 }
            }
            _ => 0,
        }
    }

    fn bit_size(&self, value: Value) -> u64 {
        llvm!(llvm_sys::target::LLVMSizeOfTypeInBits(
            llvm_sys::target::LLVMGetModuleDataLayout(self.module.0),
            value.ty().0
        ))
    }

    /// Bytes `8 * part` to `8 * part + 7` of a value.
    fn bits(&self, value: Value, part: u64) -> LLVMValueRef {
        let empty = c"".as_ptr();
        let integer = match value.ty().kind() {
            LLVMTypeKind::LLVMPointerTypeKind => {
                return llvm!(LLVMBuildPtrToInt(self.builder, value.0, self.long, empty));
            }
            LLVMTypeKind::LLVMIntegerTypeKind => value.0,
            _ => {
                let width = u32::try_from(self.bit_size(value)).unwrap_or(64);
                let ty = llvm!(LLVMIntTypeInContext(self.module.context(), width));
                llvm!(LLVMBuildBitCast(self.builder, value.0, ty, empty))
            }
        };
        let width = llvm!(LLVMGetIntTypeWidth(LLVMTypeOf(integer)));
        let shifted = if part == 0 {
            integer
        } else {
            let shift = llvm!(LLVMConstInt(LLVMTypeOf(integer), 64 * part, 0));
            llvm!(LLVMBuildLShr(self.builder, integer, shift, empty))
        };
        if width == 64 { shifted } else { llvm!(LLVMBuildIntCast2(self.builder, shifted, self.long, 0, empty)) }
    }

    /// Adds the constructor that hands the guest the address of `innermost`. It runs before those of the program.
    fn announce(&self) {
        let context = self.module.context();
        let void = llvm!(LLVMVoidTypeInContext(context));
        let ty = llvm!(LLVMFunctionType(void, std::ptr::null_mut(), 0, 0));
        let function = llvm!(LLVMAddFunction(self.module.0, c"__inspect_announce_frames".as_ptr(), ty));
        llvm!(LLVMSetLinkage(function, LLVMLinkage::LLVMInternalLinkage));
        let block = llvm!(LLVMAppendBasicBlockInContext(context, function, c"".as_ptr()));
        llvm!(LLVMPositionBuilderAtEnd(self.builder, block));
        llvm!(LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut()));
        if self.effects.is_some() {
            let hook = declare(self.module, &hooks::names::__inspect_delta_frames);
            hook::call(self.builder, hook, &mut [self.innermost]);
        } else {
            let hook = declare(self.module, &hooks::names::__inspect_frames);
            hook::call(self.builder, hook, &mut [self.innermost, self.flag]);
        }
        llvm!(LLVMBuildRetVoid(self.builder));
        crate::shim::constructor(Value(function));
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        llvm!(LLVMDisposeBuilder(self.builder));
    }
}

/// Whether the instruction is a call that may come to a visible operation.
fn is_call(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => {
            let callee = instruction.callee();
            !(callee.is_inline_asm() || callee.is_function() && callee.name().starts_with("llvm."))
        }
        _ => false,
    }
}

/// Lets undefined values be zero: otherwise equal states would be distinguished by what a register happens to hold.
/// Such values are passed from one iteration of a loop to the next, or to calls, and the program never uses them.
fn settle(function: Value) {
    use LLVMOpcode::{LLVMCall, LLVMFreeze, LLVMInvoke, LLVMPHI, LLVMRet, LLVMSelect, LLVMStore};
    for instruction in function.instructions() {
        if !matches!(
            instruction.opcode(),
            Some(LLVMPHI | LLVMSelect | LLVMCall | LLVMInvoke | LLVMRet | LLVMStore | LLVMFreeze)
        ) {
            continue;
        }
        for index in 0..instruction.operand_count() {
            let operand = instruction.operand(index);
            if operand.is_undefined() {
                llvm!(LLVMSetOperand(instruction.0, index, LLVMConstNull(operand.ty().0)));
            }
        }
    }
}

/// Whether the instruction is a call that may return more than once.
fn returns_twice(instruction: Value) -> bool {
    const NAMES: &[&str] = &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext"];
    let name = |callee: Value| callee.has_attribute("returns_twice") || NAMES.contains(&callee.name().as_str());
    is_call(instruction) && instruction.callee().is_function() && name(instruction.callee())
}

/// Whether the instruction marks where a variable's life begins or ends.
fn is_mark_of_life(instruction: Value) -> bool {
    instruction.opcode() == Some(LLVMOpcode::LLVMCall)
        && instruction.callee().is_function()
        && instruction.callee().name().starts_with("llvm.lifetime.")
}

/// The first instruction of a function that allocates no variable.
fn first_after_variables(function: Value) -> Option<Value> {
    let block = *function.blocks().first()?;
    block.instructions().into_iter().find(|i| i.opcode() != Some(LLVMOpcode::LLVMAlloca))
}

/// The values that live beyond a call, and those passed to it. Arguments of a hook are left out, as the guest gets them
/// with the operation, and variables of fixed size, as the record has their addresses.
fn living(call: Value, liveness: &Liveness) -> Vec<Value> {
    let mut values = liveness.beyond(call);
    let callee = call.callee();
    if !(callee.is_function() && callee.name().starts_with("__inspect_")) {
        values.extend(call.operands().into_iter().filter(|operand| liveness.is_local(*operand)));
    }
    let mut seen = HashSet::new();
    values.retain(|value| {
        let variable = value.opcode() == Some(LLVMOpcode::LLVMAlloca) && value.operand(0).constant_integer().is_some();
        !variable && seen.insert(*value)
    });
    values
}
