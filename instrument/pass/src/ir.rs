//! A thin safe face over LLVM's C interface: handles that can be copied, and the questions the pass asks of them.
//!
//! Ground rules that every `unsafe` block of this crate leans on:
//! - **G1** a handle is never null and belongs to the module that [`crate::inspect_pass_run`] was given, which outlives
//!   the run; nothing the pass does deletes a value it still holds a handle of;
//! - **G2** one thread works on the module, and LLVM keeps no reference to it meanwhile;
//! - **G3** functions that are valid for one kind of value only are called after that kind was checked.

use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::{
    LLVMAtomicOrdering, LLVMAttributeFunctionIndex, LLVMLinkage, LLVMOpcode, LLVMTailCallKind, LLVMTypeKind,
    LLVMValueKind,
};
use std::ffi::{CString, c_char};

/// Calls into LLVM.
macro_rules! llvm {
    ($call:expr) => {{
        // SAFETY: the module's ground rules G1 to G3 hold for every handle of this crate.
        unsafe { $call }
    }};
}
pub(crate) use llvm;

/// A value: instruction, function, global, argument or constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Value(pub(crate) LLVMValueRef);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Type(pub(crate) LLVMTypeRef);

/// LLVM's numbers for addresses from the beginning of a segment, on x86-64.
const GS_ADDRESSES: u32 = 256;
const FS_ADDRESSES: u32 = 257;

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Block(pub(crate) LLVMBasicBlockRef);

/// The module under work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Module(pub(crate) LLVMModuleRef);

/// A chain of handles, each of which leads to the next.
fn chain<H>(first: *mut H, next: impl Fn(*mut H) -> *mut H) -> Vec<*mut H> {
    let mut all = Vec::new();
    let mut at = first;
    while !at.is_null() {
        all.push(at);
        at = next(at);
    }
    all
}

/// A string that LLVM owns.
fn text(pointer: *const c_char, length: usize) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands out a pointer to `length` bytes that live as long as the value (G1).
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

impl Module {
    pub(crate) fn context(self) -> LLVMContextRef {
        llvm!(LLVMGetModuleContext(self.0))
    }

    pub(crate) fn functions(self) -> Vec<Value> {
        llvm!(chain(LLVMGetFirstFunction(self.0), |f| LLVMGetNextFunction(f))).into_iter().map(Value).collect()
    }

    pub(crate) fn globals(self) -> Vec<Value> {
        llvm!(chain(LLVMGetFirstGlobal(self.0), |g| LLVMGetNextGlobal(g))).into_iter().map(Value).collect()
    }

    pub(crate) fn aliases(self) -> Vec<Value> {
        llvm!(chain(LLVMGetFirstGlobalAlias(self.0), |g| LLVMGetNextGlobalAlias(g))).into_iter().map(Value).collect()
    }

    /// Functions of which a resolver chooses the implementation when the program is loaded (`ifunc`).
    pub(crate) fn resolved_functions(self) -> Vec<Value> {
        llvm!(chain(LLVMGetFirstGlobalIFunc(self.0), |f| LLVMGetNextGlobalIFunc(f))).into_iter().map(Value).collect()
    }

    /// The assembly that stands outside of functions.
    pub(crate) fn assembly(self) -> String {
        let mut length = 0;
        let pointer = llvm!(LLVMGetModuleInlineAsm(self.0, &mut length));
        text(pointer, length)
    }

    pub(crate) fn named_function(self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        let function = llvm!(LLVMGetNamedFunction(self.0, name.as_ptr()));
        (!function.is_null()).then_some(Value(function))
    }

    /// The global variable of this name.
    pub(crate) fn named_variable(self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        let variable = llvm!(LLVMGetNamedGlobal(self.0, name.as_ptr()));
        (!variable.is_null()).then_some(Value(variable))
    }

    /// Bytes of a local variable; None if their number is known only when the program runs.
    pub(crate) fn variable_size(self, variable: Value) -> Option<u64> {
        let ty = Type(llvm!(LLVMGetAllocatedType(variable.0)));
        let count = variable.operand(0).constant_integer()?;
        self.store_size(ty).checked_mul(count)
    }

    /// Bytes of a local variable whose number the program computes before it makes the variable.
    pub(crate) fn runtime_size(self, variable: Value) -> Value {
        let one = self.store_size(Type(llvm!(LLVMGetAllocatedType(variable.0))));
        let builder = llvm!(LLVMCreateBuilderInContext(self.context()));
        llvm!(LLVMPositionBuilderBefore(builder, variable.0));
        let long = llvm!(LLVMInt64TypeInContext(self.context()));
        let count = llvm!(LLVMBuildIntCast2(builder, variable.operand(0).0, long, 0, c"".as_ptr()));
        let size = llvm!(LLVMBuildMul(builder, count, LLVMConstInt(long, one, 0), c"".as_ptr()));
        llvm!(LLVMDisposeBuilder(builder));
        Value(size)
    }

    /// Bytes that a value of the type occupies when stored.
    pub(crate) fn store_size(self, ty: Type) -> u64 {
        llvm!(LLVMStoreSizeOfType(LLVMGetModuleDataLayout(self.0), ty.0))
    }
}

impl Type {
    pub(crate) fn kind(self) -> LLVMTypeKind {
        llvm!(LLVMGetTypeKind(self.0))
    }

    pub(crate) fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }

    pub(crate) fn is_pointer(self) -> bool {
        matches!(self.kind(), LLVMTypeKind::LLVMPointerTypeKind)
    }

    /// Whether it is an address that the processor takes from another beginning than 0: that of a segment.
    pub(crate) fn is_segment_address(self) -> bool {
        self.is_pointer() && matches!(llvm!(LLVMGetPointerAddressSpace(self.0)), GS_ADDRESSES | FS_ADDRESSES)
    }

    /// Whether it is a pointer or a vector of pointers.
    pub(crate) fn holds_addresses(self) -> bool {
        match self.kind() {
            LLVMTypeKind::LLVMVectorTypeKind | LLVMTypeKind::LLVMScalableVectorTypeKind => {
                Type(llvm!(LLVMGetElementType(self.0))).is_pointer()
            }
            _ => self.is_pointer(),
        }
    }

    /// Width of an integer type.
    pub(crate) fn integer_bits(self) -> Option<u32> {
        matches!(self.kind(), LLVMTypeKind::LLVMIntegerTypeKind).then(|| llvm!(LLVMGetIntTypeWidth(self.0)))
    }
}

impl Block {
    /// Where the block's last instruction can jump.
    pub(crate) fn successors(self) -> Vec<Block> {
        let last = llvm!(LLVMGetBasicBlockTerminator(self.0));
        if last.is_null() {
            return Vec::new();
        }
        (0..llvm!(LLVMGetNumSuccessors(last))).map(|i| Block(llvm!(LLVMGetSuccessor(last, i)))).collect()
    }

    pub(crate) fn instructions(self) -> Vec<Value> {
        llvm!(chain(LLVMGetFirstInstruction(self.0), |i| LLVMGetNextInstruction(i))).into_iter().map(Value).collect()
    }
}

impl Value {
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        let pointer = llvm!(LLVMGetValueName2(self.0, &mut length));
        text(pointer, length)
    }

    pub(crate) fn ty(self) -> Type {
        Type(llvm!(LLVMTypeOf(self.0)))
    }

    pub(crate) fn kind(self) -> LLVMValueKind {
        llvm!(LLVMGetValueKind(self.0))
    }

    pub(crate) fn is_constant(self) -> bool {
        llvm!(LLVMIsConstant(self.0)) != 0
    }

    /// Whether it is an undefined constant.
    pub(crate) fn is_undefined(self) -> bool {
        use LLVMValueKind::{LLVMPoisonValueKind, LLVMUndefValueValueKind};
        matches!(self.kind(), LLVMUndefValueValueKind | LLVMPoisonValueKind)
    }

    pub(crate) fn is_null_or_undef(self) -> bool {
        llvm!(LLVMIsNull(self.0)) != 0 || llvm!(LLVMIsUndef(self.0)) != 0
    }

    pub(crate) fn is_function(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMFunctionValueKind)
    }

    pub(crate) fn is_global_variable(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMGlobalVariableValueKind)
    }

    pub(crate) fn is_alias(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMGlobalAliasValueKind)
    }

    pub(crate) fn is_inline_asm(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMInlineAsmValueKind)
    }

    pub(crate) fn is_block_address(self) -> bool {
        matches!(self.kind(), LLVMValueKind::LLVMBlockAddressValueKind)
    }

    /// The opcode of an instruction or constant expression.
    pub(crate) fn opcode(self) -> Option<LLVMOpcode> {
        match self.kind() {
            LLVMValueKind::LLVMInstructionValueKind => Some(llvm!(LLVMGetInstructionOpcode(self.0))),
            LLVMValueKind::LLVMConstantExprValueKind => Some(llvm!(LLVMGetConstOpcode(self.0))),
            _ => None,
        }
    }

    pub(crate) fn operand_count(self) -> u32 {
        llvm!(LLVMGetNumOperands(self.0)).max(0) as u32
    }

    pub(crate) fn operand(self, index: u32) -> Value {
        Value(llvm!(LLVMGetOperand(self.0, index)))
    }

    pub(crate) fn operands(self) -> Vec<Value> {
        (0..self.operand_count())
            .map(|i| llvm!(LLVMGetOperand(self.0, i)))
            .filter(|v| !v.is_null())
            .map(Value)
            .collect()
    }

    /// Every user of the value.
    pub(crate) fn users(self) -> Vec<Value> {
        let uses = llvm!(chain(LLVMGetFirstUse(self.0), |u| LLVMGetNextUse(u)));
        uses.into_iter().map(|u| Value(llvm!(LLVMGetUser(u)))).collect()
    }

    /// The value of an integer constant of at most 64 bits.
    pub(crate) fn constant_integer(self) -> Option<u64> {
        (matches!(self.kind(), LLVMValueKind::LLVMConstantIntValueKind) && self.ty().integer_bits()? <= 64)
            .then(|| llvm!(LLVMConstIntGetZExtValue(self.0)))
    }
}

/// Functions and globals.
impl Value {
    pub(crate) fn is_declaration(self) -> bool {
        llvm!(LLVMIsDeclaration(self.0)) != 0
    }

    /// Whether the function takes arguments beyond its parameters.
    pub(crate) fn is_variadic(self) -> bool {
        self.is_function() && llvm!(LLVMIsFunctionVarArg(LLVMGlobalGetValueType(self.0))) != 0
    }

    /// A constant address, as a value of the same module.
    pub(crate) fn address(self, address: u64) -> Value {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.0)));
        let number = llvm!(LLVMConstInt(LLVMInt64TypeInContext(context), address, 0));
        Value(llvm!(LLVMConstIntToPtr(number, LLVMPointerTypeInContext(context, 0))))
    }

    /// The address so many bytes behind this one, computed before an instruction.
    pub(crate) fn offset_before(self, instruction: Value, bytes: i64) -> Value {
        let context = llvm!(LLVMGetTypeContext(LLVMTypeOf(self.0)));
        let builder = llvm!(LLVMCreateBuilderInContext(context));
        llvm!(LLVMPositionBuilderBefore(builder, instruction.0));
        let byte = llvm!(LLVMInt8TypeInContext(context));
        let mut offset = [llvm!(LLVMConstInt(LLVMInt64TypeInContext(context), bytes as u64, 1))];
        let address = llvm!(LLVMBuildGEP2(builder, byte, self.0, offset.as_mut_ptr(), 1, c"".as_ptr()));
        llvm!(LLVMDisposeBuilder(builder));
        Value(address)
    }

    /// Whether it is the last instruction of a block.
    pub(crate) fn is_terminator(self) -> bool {
        !llvm!(LLVMIsATerminatorInst(self.0)).is_null()
    }

    /// Whether it is a tail call that must take the place of its caller.
    pub(crate) fn must_be_last(self) -> bool {
        self.opcode() == Some(LLVMOpcode::LLVMCall)
            && llvm!(LLVMGetTailCallKind(self.0)) == LLVMTailCallKind::LLVMTailCallKindMustTail
    }

    pub(crate) fn is_defined_function(self) -> bool {
        self.is_function() && !self.is_declaration()
    }

    /// Whether it is a function that gets hooks. Functions without a body, functions that the pass has added and
    /// functions that consist of assembly get none.
    pub(crate) fn is_instrumented(self) -> bool {
        self.is_defined_function() && !self.name().starts_with("__inspect") && !self.has_attribute("naked")
    }

    /// Whether it is visible in this module only.
    pub(crate) fn is_local(self) -> bool {
        matches!(llvm!(LLVMGetLinkage(self.0)), LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
    }

    pub(crate) fn is_constant_global(self) -> bool {
        llvm!(LLVMIsGlobalConstant(self.0)) != 0
    }

    pub(crate) fn is_thread_local(self) -> bool {
        llvm!(LLVMIsThreadLocal(self.0)) != 0
    }

    /// Whether the program puts the variable into a section of its choice.
    pub(crate) fn has_section(self) -> bool {
        let section = llvm!(LLVMGetSection(self.0));
        // SAFETY: LLVM returns null or a NUL-terminated string that the module owns (G1).
        !section.is_null() && unsafe { *section } != 0
    }

    /// Whether the function has an attribute.
    pub(crate) fn has_attribute(self, name: &str) -> bool {
        let kind = llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()));
        !llvm!(LLVMGetEnumAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, kind)).is_null()
    }

    /// Whether calls of a declared function may access memory that the program can name, as far as the compiler knows.
    pub(crate) fn may_reach_memory(self) -> bool {
        /// Bits of the attribute for memory that no pointer leads to (`MemoryEffects::Location::InaccessibleMem`).
        const INACCESSIBLE: u64 = 3 << 2;
        let kind = llvm!(LLVMGetEnumAttributeKindForName(c"memory".as_ptr(), 6));
        let attribute = llvm!(LLVMGetEnumAttributeAtIndex(self.0, LLVMAttributeFunctionIndex, kind));
        attribute.is_null() || llvm!(LLVMGetEnumAttributeValue(attribute)) & !INACCESSIBLE != 0
    }

    pub(crate) fn initializer(self) -> Option<Value> {
        let initializer = llvm!(LLVMGetInitializer(self.0));
        (!initializer.is_null()).then_some(Value(initializer))
    }

    /// The function that chooses the implementation of this one when the program is loaded.
    pub(crate) fn resolver(self) -> Option<Value> {
        if !matches!(self.kind(), LLVMValueKind::LLVMGlobalIFuncValueKind) {
            return None;
        }
        let mut resolver = Value(llvm!(LLVMGetGlobalIFuncResolver(self.0)));
        while resolver.is_alias() {
            resolver = resolver.aliasee();
        }
        Some(resolver)
    }

    pub(crate) fn aliasee(self) -> Value {
        Value(llvm!(LLVMAliasGetAliasee(self.0)))
    }

    pub(crate) fn blocks(self) -> Vec<Block> {
        llvm!(chain(LLVMGetFirstBasicBlock(self.0), |b| LLVMGetNextBasicBlock(b))).into_iter().map(Block).collect()
    }

    pub(crate) fn instructions(self) -> Vec<Value> {
        self.blocks().into_iter().flat_map(Block::instructions).collect()
    }

    /// Bytes of what the caller copies for this parameter of the function; None if it is passed otherwise.
    pub(crate) fn copied_size(self, module: Module, parameter: u32) -> Option<u64> {
        let kind = llvm!(LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5));
        let attribute = llvm!(LLVMGetEnumAttributeAtIndex(self.0, parameter + 1, kind));
        (!attribute.is_null()).then(|| module.store_size(Type(llvm!(LLVMGetTypeAttributeValue(attribute)))))
    }

    pub(crate) fn parameters(self) -> Vec<Value> {
        (0..llvm!(LLVMCountParams(self.0))).map(|i| Value(llvm!(LLVMGetParam(self.0, i)))).collect()
    }
}

/// Instructions.
impl Value {
    pub(crate) fn is_atomic(self) -> bool {
        llvm!(LLVMIsAtomic(self.0)) != 0
    }

    /// Of a load or store.
    pub(crate) fn is_volatile(self) -> bool {
        llvm!(LLVMGetVolatile(self.0)) != 0
    }

    /// The `__ATOMIC_*` number of the ordering.
    pub(crate) fn ordering(self) -> u32 {
        order_number(llvm!(LLVMGetOrdering(self.0)))
    }

    pub(crate) fn exchange_orderings(self) -> (u32, u32) {
        (
            order_number(llvm!(LLVMGetCmpXchgSuccessOrdering(self.0))),
            order_number(llvm!(LLVMGetCmpXchgFailureOrdering(self.0))),
        )
    }

    /// Whether it is a compare-exchange that may fail although the values are equal.
    pub(crate) fn is_weak_exchange(self) -> bool {
        self.opcode() == Some(LLVMOpcode::LLVMAtomicCmpXchg) && llvm!(LLVMGetWeak(self.0)) != 0
    }

    /// Whether it orders only this thread against its own signal handlers.
    pub(crate) fn is_single_thread(self) -> bool {
        llvm!(LLVMIsAtomicSingleThread(self.0)) != 0
    }

    /// The function or address that a call calls; an alias is replaced by what it stands for.
    pub(crate) fn callee(self) -> Value {
        let mut callee = Value(llvm!(LLVMGetCalledValue(self.0)));
        while callee.is_alias() {
            callee = callee.aliasee();
        }
        callee
    }

    pub(crate) fn arguments(self) -> Vec<Value> {
        (0..llvm!(LLVMGetNumArgOperands(self.0))).map(|i| Value(llvm!(LLVMGetArgOperand(self.0, i)))).collect()
    }

    /// The instruction after this one; None for the last one of a block.
    pub(crate) fn next(self) -> Option<Value> {
        let next = llvm!(LLVMGetNextInstruction(self.0));
        (!next.is_null()).then_some(Value(next))
    }

    /// The block that the instruction is in.
    pub(crate) fn block(self) -> Block {
        Block(llvm!(LLVMGetInstructionParent(self.0)))
    }

    pub(crate) fn incoming(self) -> Vec<(Value, Block)> {
        (0..llvm!(LLVMCountIncoming(self.0)))
            .map(|i| (Value(llvm!(LLVMGetIncomingValue(self.0, i))), Block(llvm!(LLVMGetIncomingBlock(self.0, i)))))
            .collect()
    }

    /// Whether it is a call of anything but an intrinsic.
    pub(crate) fn may_free(self) -> bool {
        match self.opcode() {
            Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => {
                let callee = self.callee();
                !(callee.is_function() && callee.name().starts_with("llvm."))
            }
            _ => false,
        }
    }

    /// Template and constraints of inline assembly.
    pub(crate) fn asm_text(self) -> (String, String) {
        let (mut length, mut constraint_length) = (0, 0);
        let template = llvm!(LLVMGetInlineAsmAsmString(self.0, &mut length));
        let constraints = llvm!(LLVMGetInlineAsmConstraintString(self.0, &mut constraint_length));
        (text(template, length), text(constraints, constraint_length))
    }
}

/// The `__ATOMIC_*` number of an ordering.
fn order_number(ordering: LLVMAtomicOrdering) -> u32 {
    match ordering {
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
        | LLVMAtomicOrdering::LLVMAtomicOrderingUnordered
        | LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic => 0,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => 2,
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => 3,
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => 4,
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => 5,
    }
}
