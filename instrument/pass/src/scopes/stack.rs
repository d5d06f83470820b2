//! Code that asks where the stack of the running thread ends.

use super::places::Top;
use crate::ir::{Module, Value, llvm};
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
