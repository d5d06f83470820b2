//! Call-only objects: mutexes and condition variables with static storage whose addresses the program uses for nothing
//! but calls of the functions for such objects. No access of the program can copy or overwrite them, so the guest need
//! not write into their memory whether they are in use. They are collected in a section of their own, and a constructor
//! announces where it lies.
//!
//! This rests on the uses that the intermediate code shows, and on no analysis of pointers: a variable that is used in
//! any other way is left where it is.

use crate::hook;
use crate::ir::{Module, Value, llvm};
use crate::points_to::names_ends_of_data;
use inspect_wire::hooks::{CALL_ONLY_SECTION, names};
use inspect_wire::library::{Role, row};
use llvm_sys::comdat::LLVMGetComdat;
use llvm_sys::core::*;
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMValueKind, LLVMVisibility};
use std::ffi::CString;

/// Moves the module's call-only objects into their section, and announces it.
pub(crate) fn collect(module: Module) {
    // Assembly can name any variable.
    if names_ends_of_data(module) || !module.assembly().is_empty() {
        return;
    }
    let objects: Vec<Value> = module.globals().into_iter().filter(|global| is_call_only(*global)).collect();
    if objects.is_empty() {
        return;
    }
    let section = CString::new(CALL_ONLY_SECTION).unwrap_or_default();
    for object in objects {
        llvm!(LLVMSetSection(object.0, section.as_ptr()));
    }
    let ends = ["__start_", "__stop_"].map(|end| end_of_section(module, end));
    hook::announce(module, c"__inspect_announce_call_only", &names::__inspect_call_only, ends);
}

fn is_call_only(global: Value) -> bool {
    let can_be_moved = global.is_local()
        && !global.is_declaration()
        && !global.is_constant_global()
        && !global.is_thread_local()
        && !global.has_section()
        && llvm!(LLVMGetComdat(global.0)).is_null();
    can_be_moved && !global.users().is_empty() && is_used_for_calls(global)
}

/// Whether this address is used for nothing but calls of functions for synchronisation objects, and to find the
/// elements of an array or the fields of a structure.
fn is_used_for_calls(address: Value) -> bool {
    address.users().into_iter().all(|user| {
        let is_element = user.opcode() == Some(LLVMOpcode::LLVMGetElementPtr) && user.operand(0) == address;
        if is_element {
            return is_used_for_calls(user);
        }
        is_call_of_model(user, address)
    })
}

/// Whether it is a call for the object at this address, which neither reads nor writes the object but by the guest's
/// model.
fn is_call_of_model(user: Value, address: Value) -> bool {
    if !matches!(user.opcode(), Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke)) {
        return false;
    }
    let is_instruction = matches!(user.kind(), LLVMValueKind::LLVMInstructionValueKind);
    let callee = user.callee();
    if !is_instruction || !callee.is_function() || !callee.is_declaration() {
        return false;
    }
    let objects: &[usize] = match row(&callee.name()).and_then(|row| row.role) {
        Some(Role::Lock | Role::TryLock | Role::Unlock | Role::Wake | Role::Lifecycle) => &[0],
        Some(Role::Wait | Role::TimedWait) => &[0, 1],
        Some(Role::Create | Role::Join | Role::EndsThread | Role::EndsProcess) | None => &[],
    };
    user.arguments().into_iter().enumerate().all(|(at, argument)| argument != address || objects.contains(&at))
}

/// The symbol that the linker puts at an end of the section; null if nothing of the section is left.
fn end_of_section(module: Module, end: &str) -> Value {
    let name = CString::new(format!("{end}{CALL_ONLY_SECTION}")).unwrap_or_default();
    let byte = llvm!(LLVMInt8TypeInContext(module.context()));
    let symbol = llvm!(LLVMAddGlobal(module.0, byte, name.as_ptr()));
    llvm!(LLVMSetLinkage(symbol, LLVMLinkage::LLVMExternalWeakLinkage));
    llvm!(LLVMSetVisibility(symbol, LLVMVisibility::LLVMHiddenVisibility));
    Value(symbol)
}
