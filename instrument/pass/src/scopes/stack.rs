//! Code for memory of the stack of which the program computes the size: where the stack of the running thread ends, and
//! where the memory of a variable lies.

use super::places::Top;
use crate::ir::{Module, Value, llvm};
use llvm_sys::LLVMInlineAsmDialect;
use llvm_sys::core::*;
use llvm_sys::prelude::*;

/// The part of the stack from where it ends before an instruction up to an address at which it ended before: its lowest
/// address, and its bytes.
pub(super) fn up_to(module: Module, top: Top, place: Value) -> (Value, Value) {
    let builder = llvm!(LLVMCreateBuilderInContext(module.context()));
    let number = |address| {
        let long = llvm!(LLVMInt64TypeInContext(module.context()));
        llvm!(LLVMBuildPtrToInt(builder, address, long, c"".as_ptr()))
    };
    let top = match top {
        Top::Saved(address) => address.0,
        Top::At(entry) => end_of_stack(module, builder, entry),
    };
    let bottom = end_of_stack(module, builder, place);
    let size = llvm!(LLVMBuildSub(builder, number(top), number(bottom), c"".as_ptr()));
    llvm!(LLVMDisposeBuilder(builder));
    (Value(bottom), Value(size))
}

/// The address at which the stack ends before an instruction, where the builder stands afterwards.
fn end_of_stack(module: Module, builder: LLVMBuilderRef, before: Value) -> LLVMValueRef {
    const NAME: &str = "llvm.stacksave";
    let id = llvm!(LLVMLookupIntrinsicID(NAME.as_ptr().cast(), NAME.len()));
    let mut address = [llvm!(LLVMPointerTypeInContext(module.context(), 0))];
    let function = llvm!(LLVMGetIntrinsicDeclaration(module.0, id, address.as_mut_ptr(), 1));
    let ty = llvm!(LLVMIntrinsicGetType(module.context(), id, address.as_mut_ptr(), 1));
    llvm!(LLVMPositionBuilderBefore(builder, before.0));
    llvm!(LLVMBuildCall2(builder, ty, function, std::ptr::null_mut(), 0, c"".as_ptr()))
}

/// Keeps the size of a variable from the optimiser. If it found out that the size is constant, it would lay the
/// variable out with those of the function, and the stack would not end with it any more.
pub(super) fn hide_size(module: Module, variable: Value) {
    let builder = llvm!(LLVMCreateBuilderInContext(module.context()));
    let size = variable.operand(0);
    let mut types = [size.ty().0];
    let ty = llvm!(LLVMFunctionType(types[0], types.as_mut_ptr(), 1, 0));
    let constraints = c"=r,0";
    let identity = llvm!(LLVMGetInlineAsm(
        ty,
        c"".as_ptr(),
        0,
        constraints.as_ptr(),
        constraints.to_bytes().len(),
        0,
        0,
        LLVMInlineAsmDialect::LLVMInlineAsmDialectATT,
        0
    ));
    llvm!(LLVMPositionBuilderBefore(builder, variable.0));
    let hidden = llvm!(LLVMBuildCall2(builder, ty, identity, [size.0].as_mut_ptr(), 1, c"".as_ptr()));
    llvm!(LLVMSetOperand(variable.0, 0, hidden));
    llvm!(LLVMDisposeBuilder(builder));
}

/// The address and the size of a variable, kept where its function finds them after a jump.
pub(super) struct Kept {
    address: LLVMValueRef,
    size: LLVMValueRef,
}

impl Kept {
    /// Keeps those of a variable of this size from where it is made; until then the size is 0.
    pub(super) fn new(module: Module, function: Value, variable: Value, size: Value) -> Option<Kept> {
        let first = function.blocks().first()?.instructions().first().copied()?;
        let builder = llvm!(LLVMCreateBuilderInContext(module.context()));
        let (long, pointer) =
            llvm!((LLVMInt64TypeInContext(module.context()), LLVMPointerTypeInContext(module.context(), 0)));
        llvm!(LLVMPositionBuilderBefore(builder, first.0));
        let kept = Kept {
            address: llvm!(LLVMBuildAlloca(builder, pointer, c"".as_ptr())),
            size: llvm!(LLVMBuildAlloca(builder, long, c"".as_ptr())),
        };
        llvm!(LLVMBuildStore(builder, LLVMConstNull(pointer), kept.address));
        llvm!(LLVMBuildStore(builder, LLVMConstInt(long, 0, 0), kept.size));
        if let Some(after) = variable.next() {
            llvm!(LLVMPositionBuilderBefore(builder, after.0));
            llvm!(LLVMBuildStore(builder, variable.0, kept.address));
            llvm!(LLVMBuildStore(builder, size.0, kept.size));
        }
        llvm!(LLVMDisposeBuilder(builder));
        Some(kept)
    }

    /// The variable ends in another way after this instruction: from there on the size is 0.
    pub(super) fn forgotten(&self, module: Module, after: Value) {
        let Some(next) = after.next() else { return };
        let builder = llvm!(LLVMCreateBuilderInContext(module.context()));
        let long = llvm!(LLVMInt64TypeInContext(module.context()));
        llvm!(LLVMPositionBuilderBefore(builder, next.0));
        llvm!(LLVMBuildStore(builder, LLVMConstInt(long, 0, 0), self.size));
        llvm!(LLVMDisposeBuilder(builder));
    }

    /// The address and the size before an instruction; from there on the size is 0 again.
    pub(super) fn taken(&self, module: Module, before: Value) -> (Value, Value) {
        let builder = llvm!(LLVMCreateBuilderInContext(module.context()));
        let (long, pointer) =
            llvm!((LLVMInt64TypeInContext(module.context()), LLVMPointerTypeInContext(module.context(), 0)));
        llvm!(LLVMPositionBuilderBefore(builder, before.0));
        let address = llvm!(LLVMBuildLoad2(builder, pointer, self.address, c"".as_ptr()));
        let size = llvm!(LLVMBuildLoad2(builder, long, self.size, c"".as_ptr()));
        llvm!(LLVMBuildStore(builder, LLVMConstInt(long, 0, 0), self.size));
        llvm!(LLVMDisposeBuilder(builder));
        (Value(address), Value(size))
    }
}
