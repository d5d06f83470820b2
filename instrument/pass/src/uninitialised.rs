//! Prepares a module for LLVM's MemorySanitizer, which then makes it find uses of uninitialised memory
//! ([`inspect_wire::hooks::UNINITIALISED_FLAG`]).
//!
//! Stepanov, Serebryany: MemorySanitizer: fast detector of uninitialized memory use in C++, CGO 2015. The code that it
//! adds computes for each value which of its bits depend on uninitialised memory, and reports a branch or an address
//! that does. It is used in the form that the kernel uses: where the bits of memory are kept is up to functions of the
//! runtime, which the guest has (`guest/src/hooks/uninitialised.rs`).
//!
//! What is done here is to say where the program meets code that has not been treated so:
//!
//! - Hooks are no part of the program: what they are given is not looked at.
//! - What the program passes by value to a function of another object is used there, and is reported if it is
//!   uninitialised. What such a function returns is initialised.
//! - What such a function writes is announced by the guest where a row of the library says so. Any other may initialise
//!   every object that it is given the address of.
//! - What passes from one function of the program to another is not reported by itself (`noundef` is taken away): a
//!   value that nobody decides by is no use.
//! - A function whose address is taken may be called from another object, which says nothing of its arguments: the bits
//!   of earlier calls' arguments are forgotten where such a function ends, and before another object is called.

use crate::hook::{self, declare};
use crate::ir::{Module, Value, llvm};
use inspect_wire::hooks::{Hook, names};
use inspect_wire::library::{self, ArgumentKind, LibraryRow, PointerFlow};
use llvm_sys::LLVMOpcode::{
    LLVMAddrSpaceCast, LLVMAlloca, LLVMBitCast, LLVMCall, LLVMGetElementPtr, LLVMInvoke, LLVMRet,
};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex, LLVMAttributeReturnIndex};

/// Prepares the functions that are instrumented.
pub(crate) fn prepare(module: Module, functions: &[Value]) {
    let preparer = Preparer { module, builder: llvm!(LLVMCreateBuilderInContext(module.context())) };
    functions.iter().for_each(|function| preparer.function(*function));
    llvm!(LLVMDisposeBuilder(preparer.builder));
    hook::announce(module, c"__inspect_announce_uninitialised", &names::__inspect_uninitialised, []);
}

struct Preparer {
    module: Module,
    builder: LLVMBuilderRef,
}

impl Preparer {
    fn function(&self, function: Value) {
        self.set(function, LLVMAttributeFunctionIndex, "sanitize_memory");
        self.clear(function, function.parameters().len());
        let is_callback = !function.is_local() || function.users().into_iter().any(|user| !calls(user, function));
        for instruction in function.instructions() {
            match instruction.opcode() {
                Some(LLVMCall | LLVMInvoke) => self.call(instruction),
                Some(LLVMRet) if is_callback => self.hook(instruction, &names::__inspect_forget_arguments, &mut []),
                _ => {}
            }
        }
    }

    fn call(&self, call: Value) {
        let callee = call.callee();
        let name = if callee.is_function() { callee.name() } else { String::new() };
        if name.starts_with("llvm.") || callee.is_inline_asm() {
            return;
        }
        if name.starts_with("__inspect_") {
            self.leave_out(call);
        } else if callee.is_function() && callee.is_declaration() {
            self.external(call, &name);
        } else {
            self.clear_call(call);
            if !callee.is_function() {
                self.fill(call, Some(callee), None);
            }
        }
    }

    /// A call of a function of another object.
    fn external(&self, call: Value, name: &str) {
        if !call.ty().is_void() {
            self.set_call(call, LLVMAttributeReturnIndex, "noundef");
        }
        let row = library::row(name);
        let is_mangled = name.starts_with("_Z");
        if is_mangled || row.is_none_or(|row| !row.announces_accesses()) {
            self.fill(call, None, row);
        }
        self.hook(call, &names::__inspect_forget_arguments, &mut []);
        let allocates = row.and_then(|row| row.flows).is_some_and(|flows| flows.contains(&PointerFlow::ReturnsBlock));
        if is_mangled
            && allocates
            && let Some(next) = self.after(call)
        {
            self.hook(next, &names::__inspect_fresh, &mut [call.0]);
        }
    }

    /// The call may initialise what its arguments point to, unless the row says that it is constant to the function;
    /// one through a pointer, if it leads to another object.
    fn fill(&self, call: Value, through: Option<Value>, row: Option<&LibraryRow>) {
        let kinds: Vec<_> = row.into_iter().flat_map(|row| row.arguments.signature().kinds()).collect();
        for (at, argument) in call.arguments().into_iter().enumerate() {
            if !argument.ty().is_pointer() || kinds.get(at) == Some(&ArgumentKind::Constant) {
                continue;
            }
            let object = object_of(argument);
            if object.is_constant() {
                continue;
            }
            let size = (object.opcode() == Some(LLVMAlloca)).then(|| self.module.variable_size(object)).flatten();
            let long = llvm!(LLVMInt64TypeInContext(self.module.context()));
            let size = llvm!(LLVMConstInt(long, size.unwrap_or(0), 0));
            match through {
                Some(target) => self.hook(call, &names::__inspect_filled_by, &mut [target.0, object.0, size]),
                None => self.hook(call, &names::__inspect_filled, &mut [object.0, size]),
            }
        }
    }

    /// The place right after a call, if only the call leads there.
    fn after(&self, call: Value) -> Option<Value> {
        if call.opcode() == Some(LLVMCall) {
            return call.next();
        }
        let block = llvm!(LLVMGetNormalDest(call.0));
        let predecessors = Value(llvm!(LLVMBasicBlockAsValue(block))).users().len();
        let first = llvm!(LLVMGetFirstInstruction(block));
        (predecessors == 1 && !first.is_null()).then_some(Value(first))
    }

    /// Inserts a call of a hook.
    fn hook(&self, before: Value, hook: &Hook, arguments: &mut [LLVMValueRef]) {
        llvm!(LLVMPositionBuilderBefore(self.builder, before.0));
        llvm!(LLVMSetCurrentDebugLocation2(self.builder, llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(before.0)));
        hook::call(self.builder, declare(self.module, hook), arguments);
        let inserted = llvm!(LLVMGetPreviousInstruction(before.0));
        self.leave_out(Value(inserted));
    }

    /// MemorySanitizer does not look at the instruction.
    fn leave_out(&self, instruction: Value) {
        let context = self.module.context();
        let kind = llvm!(LLVMGetMDKindIDInContext(context, c"nosanitize".as_ptr(), 10));
        let nothing = llvm!(LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0));
        let nothing = llvm!(LLVMMetadataAsValue(context, nothing));
        llvm!(LLVMSetMetadata(instruction.0, kind, nothing));
    }

    fn kind(name: &str) -> u32 {
        llvm!(LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()))
    }

    fn set(&self, function: Value, index: LLVMAttributeIndex, name: &str) {
        let attribute = llvm!(LLVMCreateEnumAttribute(self.module.context(), Self::kind(name), 0));
        llvm!(LLVMAddAttributeAtIndex(function.0, index, attribute));
    }

    fn set_call(&self, call: Value, index: LLVMAttributeIndex, name: &str) {
        let attribute = llvm!(LLVMCreateEnumAttribute(self.module.context(), Self::kind(name), 0));
        llvm!(LLVMAddCallSiteAttribute(call.0, index, attribute));
    }

    /// Takes `noundef` from what a function takes and returns.
    fn clear(&self, function: Value, parameters: usize) {
        let kind = Self::kind("noundef");
        for index in 0..=parameters as LLVMAttributeIndex {
            llvm!(LLVMRemoveEnumAttributeAtIndex(function.0, index, kind));
        }
    }

    fn clear_call(&self, call: Value) {
        let kind = Self::kind("noundef");
        for index in 0..=call.arguments().len() as LLVMAttributeIndex {
            llvm!(LLVMRemoveCallSiteEnumAttribute(call.0, index, kind));
        }
    }
}

/// Whether the only use that an instruction makes of a function is to call it.
fn calls(user: Value, function: Value) -> bool {
    matches!(user.opcode(), Some(LLVMCall | LLVMInvoke)) && !user.arguments().contains(&function)
}

/// The address of which this one is a part, as far as one function shows.
fn object_of(mut address: Value) -> Value {
    while matches!(address.opcode(), Some(LLVMGetElementPtr | LLVMBitCast | LLVMAddrSpaceCast)) {
        address = address.operand(0);
    }
    address
}
