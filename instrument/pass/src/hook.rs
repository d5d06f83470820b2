//! Inserts the calls of the hooks named in [`inspect_wire::hooks`], each before the access that it announces.

use crate::access::{Access, Expected, Kind, Number, Stored};
use crate::ir::{Module, Value, llvm};
use crate::loops::Parkable;
use crate::sharing::Reach;
use crate::shim;
use crate::sites::Sites;
use crate::tables::stored_table;
use inspect_wire::hooks::{Hook, LOOP_ENTRY, Parameter, SiteKind, UNREAD, VOLATILE, names};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMLinkage, LLVMOpcode, LLVMTypeKind};
use std::collections::{BTreeMap, HashSet};
use std::ffi::{CStr, CString};

/// Inserts hooks into one module.
pub(crate) struct Inserter {
    module: Module,
    builder: LLVMBuilderRef,
    sites: Sites,
    hooks: BTreeMap<&'static str, (LLVMTypeRef, LLVMValueRef)>,
    /// By function: the array in which its loop heads store their values, and the array's type.
    buffers: BTreeMap<Value, (LLVMValueRef, LLVMTypeRef)>,
}

/// The type of a hook and its declaration in the module.
pub(crate) fn declare(module: Module, hook: &Hook) -> (LLVMTypeRef, LLVMValueRef) {
    let context = module.context();
    let ty = |parameter: &Parameter| match parameter {
        Parameter::Pointer => llvm!(LLVMPointerTypeInContext(context, 0)),
        Parameter::Long => llvm!(LLVMInt64TypeInContext(context)),
        Parameter::Word => llvm!(LLVMInt32TypeInContext(context)),
    };
    let mut types: Vec<LLVMTypeRef> = hook.parameters.iter().map(ty).collect();
    let ty = llvm!(LLVMFunctionType(LLVMVoidTypeInContext(context), types.as_mut_ptr(), types.len() as u32, 0));
    let symbol = CString::new(hook.name).unwrap_or_default();
    let existing = llvm!(LLVMGetNamedFunction(module.0, symbol.as_ptr()));
    let function = if existing.is_null() { llvm!(LLVMAddFunction(module.0, symbol.as_ptr(), ty)) } else { existing };
    let nounwind = llvm!(LLVMGetEnumAttributeKindForName(c"nounwind".as_ptr(), "nounwind".len()));
    let attribute = llvm!(LLVMCreateEnumAttribute(context, nounwind, 0));
    llvm!(LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute));
    (ty, function)
}

/// Inserts a call of a hook where the builder stands.
pub(crate) fn call(builder: LLVMBuilderRef, declared: (LLVMTypeRef, LLVMValueRef), arguments: &mut [LLVMValueRef]) {
    let (ty, hook) = declared;
    debug_assert_eq!(llvm!(LLVMCountParamTypes(ty)) as usize, arguments.len(), "as many arguments as parameters");
    llvm!(LLVMBuildCall2(builder, ty, hook, arguments.as_mut_ptr(), arguments.len() as u32, c"".as_ptr()));
}

/// Adds a constructor to the module, of this name, that calls a hook with constants.
pub(crate) fn announce<const N: usize>(module: Module, name: &CStr, hook: &Hook, arguments: [Value; N]) {
    let context = module.context();
    let ty = llvm!(LLVMFunctionType(LLVMVoidTypeInContext(context), std::ptr::null_mut(), 0, 0));
    let constructor = llvm!(LLVMAddFunction(module.0, name.as_ptr(), ty));
    llvm!(LLVMSetLinkage(constructor, LLVMLinkage::LLVMInternalLinkage));
    let block = llvm!(LLVMAppendBasicBlockInContext(context, constructor, c"".as_ptr()));
    let builder = llvm!(LLVMCreateBuilderInContext(context));
    llvm!(LLVMPositionBuilderAtEnd(builder, block));
    call(builder, declare(module, hook), &mut arguments.map(|argument| argument.0));
    llvm!(LLVMBuildRetVoid(builder));
    llvm!(LLVMDisposeBuilder(builder));
    shim::constructor(Value(constructor));
}

impl Inserter {
    pub(crate) fn new(module: Module) -> Inserter {
        let builder = llvm!(LLVMCreateBuilderInContext(module.context()));
        Inserter { module, builder, sites: Sites::new(module), hooks: BTreeMap::new(), buffers: BTreeMap::new() }
    }

    fn long_type(&self) -> LLVMTypeRef {
        llvm!(LLVMInt64TypeInContext(self.module.context()))
    }

    fn word_type(&self) -> LLVMTypeRef {
        llvm!(LLVMInt32TypeInContext(self.module.context()))
    }

    fn pointer_type(&self) -> LLVMTypeRef {
        llvm!(LLVMPointerTypeInContext(self.module.context(), 0))
    }

    fn long(&self, value: u64) -> LLVMValueRef {
        llvm!(LLVMConstInt(self.long_type(), value, 0))
    }

    fn call(&mut self, hook: &Hook, arguments: &mut [LLVMValueRef]) {
        let module = self.module;
        let declared = *self.hooks.entry(hook.name).or_insert_with(|| declare(module, hook));
        call(self.builder, declared, arguments);
    }

    fn stand_before(&self, instruction: Value) {
        llvm!(LLVMPositionBuilderBefore(self.builder, instruction.0));
        llvm!(LLVMSetCurrentDebugLocation2(self.builder, LLVMInstructionGetDebugLoc(instruction.0)));
    }

    fn size(&self, size: Number) -> LLVMValueRef {
        match size {
            Number::Known(bytes) => self.long(bytes),
            Number::Runtime(value) => {
                llvm!(LLVMBuildIntCast2(self.builder, value.0, self.long_type(), 0, c"".as_ptr()))
            }
        }
    }

    fn order(&self, order: Number) -> LLVMValueRef {
        match order {
            Number::Known(order) => llvm!(LLVMConstInt(self.word_type(), order, 0)),
            Number::Runtime(value) => {
                llvm!(LLVMBuildIntCast2(self.builder, value.0, self.word_type(), 0, c"".as_ptr()))
            }
        }
    }

    /// Bytes `8 * part` to `8 * part + 7` of a value, as a `u64`.
    fn bits(&self, value: Value, part: u64) -> LLVMValueRef {
        let context = self.module.context();
        let empty = c"".as_ptr();
        let kind = value.ty().kind();
        let width = 8 * self.module.store_size(value.ty());
        let integer = match kind {
            LLVMTypeKind::LLVMPointerTypeKind => {
                llvm!(LLVMBuildPtrToInt(self.builder, value.0, self.long_type(), empty))
            }
            LLVMTypeKind::LLVMIntegerTypeKind => value.0,
            _ => {
                let ty = llvm!(LLVMIntTypeInContext(context, u32::try_from(width).unwrap_or(64)));
                llvm!(LLVMBuildBitCast(self.builder, value.0, ty, empty))
            }
        };
        if width <= 64 {
            return if part > 0 {
                self.long(0)
            } else {
                llvm!(LLVMBuildIntCast2(self.builder, integer, self.long_type(), 0, empty))
            };
        }
        let shift = llvm!(LLVMConstInt(LLVMTypeOf(integer), 64 * part, 0));
        let shifted = llvm!(LLVMBuildLShr(self.builder, integer, shift, empty));
        llvm!(LLVMBuildTrunc(self.builder, shifted, self.long_type(), empty))
    }

    /// Bytes `8 * part` to `8 * part + 7` of an object of `size` bytes in memory, as a `u64`.
    fn bits_in_memory(&self, pointer: Value, size: Number, part: u64) -> LLVMValueRef {
        let Number::Known(size) = size else { return self.long(0) };
        let left = size.saturating_sub(8 * part).min(8);
        if left == 0 {
            return self.long(0);
        }
        let context = self.module.context();
        let ty = llvm!(LLVMIntTypeInContext(context, u32::try_from(8 * left).unwrap_or(64)));
        let byte = llvm!(LLVMInt8TypeInContext(context));
        let mut offset = [self.long(8 * part)];
        let at = llvm!(LLVMBuildGEP2(self.builder, byte, pointer.0, offset.as_mut_ptr(), 1, c"".as_ptr()));
        let loaded = llvm!(LLVMBuildLoad2(self.builder, ty, at, c"".as_ptr()));
        llvm!(LLVMSetAlignment(loaded, 1));
        llvm!(LLVMBuildIntCast2(self.builder, loaded, self.long_type(), 0, c"".as_ptr()))
    }

    /// The same for a variable that may never have been written. The load is volatile, so that the optimiser cannot
    /// replace it by an undefined value.
    fn present_bits(&self, variable: Value, size: u64, part: u64) -> LLVMValueRef {
        let left = size.saturating_sub(8 * part).min(8);
        let context = self.module.context();
        let ty = llvm!(LLVMIntTypeInContext(context, u32::try_from(8 * left).unwrap_or(64)));
        let byte = llvm!(LLVMInt8TypeInContext(context));
        let mut offset = [self.long(8 * part)];
        let at = llvm!(LLVMBuildGEP2(self.builder, byte, variable.0, offset.as_mut_ptr(), 1, c"".as_ptr()));
        let loaded = llvm!(LLVMBuildLoad2(self.builder, ty, at, c"".as_ptr()));
        llvm!(LLVMSetAlignment(loaded, 1));
        llvm!(LLVMSetVolatile(loaded, 1));
        llvm!(LLVMBuildIntCast2(self.builder, loaded, self.long_type(), 0, c"".as_ptr()))
    }

    /// Inserts the hook for an access; `reach` says which threads may reach the memory, `unread` whether nobody uses
    /// its contents.
    pub(crate) fn access(&mut self, access: &Access, reach: Reach, unread: bool) {
        let kind = match access.kind {
            Kind::Read => SiteKind::Read,
            Kind::Write | Kind::End { .. } => SiteKind::Write,
            Kind::Opaque => SiteKind::Opaque,
            Kind::AtomicLoad { .. }
            | Kind::AtomicStore { .. }
            | Kind::AtomicRmw { .. }
            | Kind::AtomicCas { .. }
            | Kind::Fence { .. } => SiteKind::Atomic,
        };
        let known = if let Number::Known(size) = access.size { size } else { 0 };
        let mut place = shim::describe(access.instruction, access.named(), known);
        if access.is_end() {
            place.variable += " (ends here)";
        }
        let volatile = access.is_volatile();
        let flags = (u8::from(unread) * UNREAD) | (u8::from(volatile) * VOLATILE);
        let site = self.sites.record(place, kind, flags).0;
        self.stand_before(access.instruction);
        let Some(pointer) = access.pointer else {
            match access.kind {
                Kind::Fence { order } => {
                    let order = self.order(order);
                    self.call(&names::__inspect_fence, &mut [order, site]);
                }
                _ => self.call(&names::__inspect_opaque, &mut [site]),
            }
            return;
        };
        let size = self.size(access.size);
        if reach == Reach::Heap {
            let hook = if access.kind.writes() { &names::__inspect_check_write } else { &names::__inspect_check_read };
            return self.call(hook, &mut [pointer.0, size, site]);
        }
        match access.kind {
            Kind::Read if volatile => self.call(&names::__inspect_volatile_read, &mut [pointer.0, size, site]),
            Kind::Write if volatile => self.call(&names::__inspect_volatile_write, &mut [pointer.0, size, site]),
            Kind::Read => self.call(&names::__inspect_read, &mut [pointer.0, size, site]),
            Kind::End { .. } => self.call(&names::__inspect_end, &mut [pointer.0, size, site]),
            Kind::Write => self.write(access.instruction, pointer, size, site),
            Kind::AtomicLoad { order } => {
                let order = self.order(order);
                self.call(&names::__inspect_atomic_load, &mut [pointer.0, size, order, site]);
            }
            Kind::AtomicStore { value, order } => {
                let value = match value {
                    Stored::Value(value) => self.bits(value, 0),
                    Stored::Memory(at) => self.bits_in_memory(at, access.size, 0),
                };
                let order = self.order(order);
                self.call(&names::__inspect_atomic_store, &mut [pointer.0, size, value, order, site]);
            }
            Kind::AtomicRmw { order } => {
                let order = self.order(order);
                self.call(&names::__inspect_atomic_rmw, &mut [pointer.0, size, order, site]);
            }
            Kind::AtomicCas { expected, success, failure } => {
                let [low, high] = [0, 1].map(|part| match expected {
                    Expected::Value(value) => self.bits(value, part),
                    Expected::Memory(at) => self.bits_in_memory(at, access.size, part),
                });
                let (success, failure) = (self.order(success), self.order(failure));
                let shift = llvm!(LLVMConstInt(self.word_type(), 8, 0));
                let failure = llvm!(LLVMBuildShl(self.builder, failure, shift, c"".as_ptr()));
                let orders = llvm!(LLVMBuildOr(self.builder, success, failure, c"".as_ptr()));
                self.call(&names::__inspect_atomic_cas, &mut [pointer.0, size, low, high, orders, site]);
            }
            Kind::Fence { .. } | Kind::Opaque => {}
        }
    }

    /// Inserts the hook for a plain write.
    fn write(&mut self, instruction: Value, pointer: Value, size: LLVMValueRef, site: LLVMValueRef) {
        match stored_table(instruction) {
            Some(table) => self.call(&names::__inspect_table_write, &mut [pointer.0, table.0, site]),
            None => self.call(&names::__inspect_write, &mut [pointer.0, size, site]),
        }
    }

    /// Inserts the hook for the beginning of a variable of this size.
    pub(crate) fn begin(&mut self, before: Value, variable: Value, size: Number) {
        self.stand_before(before);
        let size = self.size(size);
        self.call(&names::__inspect_begin, &mut [variable.0, size]);
    }

    /// Inserts the hooks of a loop: after its header's phis, and where it is entered.
    pub(crate) fn parkable(&mut self, parkable: &Parkable) {
        let site = self.sites.own_record(shim::describe(parkable.shown, None, 0), SiteKind::LoopHead).0;
        let null = llvm!(LLVMConstNull(self.pointer_type()));
        let entry = self.long(LOOP_ENTRY);
        for jump in &parkable.entries {
            self.stand_before(*jump);
            self.call(&names::__inspect_loop_head, &mut [entry, null, site]);
        }
        let words: Vec<(Value, u64, u64)> = parkable
            .variables
            .iter()
            .flat_map(|&(variable, size)| (0..size.div_ceil(8)).map(move |part| (variable, size, part)))
            .collect();
        let count = parkable.values.len() + words.len();
        let array = (count > 0).then(|| self.buffer(parkable.function, count));
        self.stand_before(parkable.ring.map_or(parkable.first, |index| shim::when_back(index, parkable.first)));
        if let Some((array, ty)) = array {
            let values = parkable.values.iter().map(|value| self.bits(*value, 0)).collect::<Vec<_>>();
            let words = words.iter().map(|(variable, size, part)| self.present_bits(*variable, *size, *part));
            for (index, value) in (0..).zip(values.into_iter().chain(words)) {
                let mut indices = [self.long(0), self.long(index)];
                let slot = llvm!(LLVMBuildGEP2(self.builder, ty, array, indices.as_mut_ptr(), 2, c"".as_ptr()));
                llvm!(LLVMBuildStore(self.builder, value, slot));
            }
        }
        let mut arguments = [self.long(count as u64), array.map_or(null, |(array, _)| array), site];
        self.call(&names::__inspect_loop_head, &mut arguments);
    }

    /// A variable in the function's entry block whose address distinguishes one active call of the function from
    /// another.
    pub(crate) fn activation(&mut self, function: Value) -> Value {
        if let Some(first) = function.blocks().first().and_then(|block| block.instructions().first().copied()) {
            self.stand_before(first);
        }
        let byte = llvm!(LLVMInt8TypeInContext(self.module.context()));
        Value(llvm!(LLVMBuildAlloca(self.builder, byte, c"__inspect_activation".as_ptr())))
    }

    /// Inserts the hook of a point.
    pub(crate) fn point(&mut self, at: Value, number: u32) {
        self.stand_before(at);
        let number = self.word(number);
        self.call(&names::__inspect_point, &mut [number]);
    }

    /// Inserts the hook of a branch.
    pub(crate) fn branch(&mut self, at: Value, number: u32, activation: Value) {
        self.stand_before(at);
        let way = match at.opcode() {
            // The second side is taken if the condition does not hold.
            Some(LLVMOpcode::LLVMBr) => {
                let not = llvm!(LLVMBuildNot(self.builder, at.operand(0).0, c"".as_ptr()));
                llvm!(LLVMBuildZExt(self.builder, not, self.word_type(), c"".as_ptr()))
            }
            _ => self.word(0),
        };
        let number = self.word(number);
        self.call(&names::__inspect_branch, &mut [number, way, activation.0]);
    }

    /// Inserts the hook of a join point.
    pub(crate) fn join_point(&mut self, at: Value, number: u32, activation: Value) {
        self.stand_before(at);
        let number = self.word(number);
        self.call(&names::__inspect_join_point, &mut [number, activation.0]);
    }

    fn word(&self, value: u32) -> LLVMValueRef {
        llvm!(LLVMConstInt(self.word_type(), value.into(), 0))
    }

    /// The variables that were made for loop heads, once all hooks stand.
    pub(crate) fn into_buffers(self) -> HashSet<Value> {
        self.buffers.values().map(|(buffer, _)| Value(*buffer)).collect()
    }

    /// Inserts the hook that announces a return from main.
    pub(crate) fn leave_main(&mut self, at: Value) {
        let site = self.sites.record(shim::describe(at, None, 0), SiteKind::Return, 0).0;
        self.stand_before(at);
        self.call(&names::__inspect_leave_main, &mut [site]);
    }

    /// Keeps the optimiser from replacing calls of library functions by accesses that no hook announces (`strcpy` of a
    /// literal, `memcmp` of a few bytes), from leaving them out (`malloc` and `free`), and from merging two equal calls
    /// (`exit(1)` in both branches), as the merged call would have no line.
    pub(crate) fn keep_library_calls(&self, function: Value) {
        let set = |call: Value, name: &std::ffi::CStr| {
            let kind = llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr(), name.count_bytes()));
            let attribute = llvm!(LLVMCreateEnumAttribute(self.module.context(), kind, 0));
            llvm!(LLVMAddCallSiteAttribute(call.0, LLVMAttributeFunctionIndex, attribute));
        };
        for instruction in function.instructions() {
            if !matches!(instruction.opcode(), Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke)) {
                continue;
            }
            let callee = instruction.callee();
            let library = callee.is_function() && callee.is_declaration() && !callee.name().starts_with("llvm.");
            if !library {
                continue;
            }
            set(instruction, c"nomerge");
            if instruction.ty().is_pointer() || instruction.arguments().iter().any(|a| a.ty().is_pointer()) {
                set(instruction, c"nobuiltin");
            }
        }
    }

    /// A stack array of at least `count` words in the function's entry block.
    fn buffer(&mut self, function: Value, count: usize) -> (LLVMValueRef, LLVMTypeRef) {
        if let Some((buffer, ty)) = self.buffers.get(&function)
            && llvm!(LLVMGetArrayLength2(*ty)) >= count as u64
        {
            return (*buffer, *ty);
        }
        let first = function.blocks().first().and_then(|b| b.instructions().first().copied());
        if let Some(first) = first {
            self.stand_before(first);
        }
        let ty = llvm!(LLVMArrayType2(self.long_type(), count as u64));
        let buffer = llvm!(LLVMBuildAlloca(self.builder, ty, c"__inspect_values".as_ptr()));
        self.buffers.insert(function, (buffer, ty));
        (buffer, ty)
    }
}

impl Drop for Inserter {
    fn drop(&mut self) {
        llvm!(LLVMDisposeBuilder(self.builder));
    }
}
