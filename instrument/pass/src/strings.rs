//! Functions of `std::string` that the program has for itself (`instrument/include/bits/c++config.h`). The C++ library
//! has them as well, and goes on to use its own: what it does with strings in its own code is not seen anyway, and it
//! orders that by means of its own.

use crate::ir::{Module, Value, llvm};
use llvm_sys::core::*;
use llvm_sys::{LLVMLinkage, LLVMVisibility};

/// How the names of members begin, those of constant objects included.
const BEGINNINGS: [&str; 2] = ["_ZNSt7__cxx1112basic_string", "_ZNKSt7__cxx1112basic_string"];

/// Keeps the dynamic linker from giving these functions to the library.
pub(crate) fn hide(module: Module) {
    let is_member = |function: &Value| BEGINNINGS.iter().any(|beginning| function.name().starts_with(beginning));
    let is_of_several = |function: &Value| {
        matches!(
            llvm!(LLVMGetLinkage(function.0)),
            LLVMLinkage::LLVMWeakODRLinkage | LLVMLinkage::LLVMLinkOnceODRLinkage
        )
    };
    for function in module.functions().into_iter().filter(is_member).filter(is_of_several) {
        llvm!(LLVMSetVisibility(function.0, LLVMVisibility::LLVMHiddenVisibility));
    }
}
