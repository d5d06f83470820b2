//! Where a program uses the address of a function that no table describes. Calls of it through the address are not
//! noticed, so the use itself is what a report can show.

use crate::ir::{Module, Value, llvm};
use inspect_wire::library::row;
use llvm_sys::LLVMOpcode::{LLVMCall, LLVMInvoke};
use llvm_sys::LLVMValueKind;
use llvm_sys::core::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::slice;

/// For each such function its name and the first place, `file:line:column`, as one list.
pub(crate) fn of_unknown_functions(module: Module) -> Vec<String> {
    let is_unknown = |function: &Value| {
        let name = function.name();
        function.is_declaration() && !name.starts_with("llvm.") && row(&name).is_none()
    };
    let functions = module.functions().into_iter().filter(is_unknown);
    functions.filter_map(|function| Some([function.name(), first_use(function)?])).flatten().collect()
}

/// The first place in the order of files and lines.
fn first_use(function: Value) -> Option<String> {
    let (mut places, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![function]);
    while let Some(value) = open.pop() {
        for user in value.users() {
            if is_instruction(user) {
                let is_call = matches!(user.opcode(), Some(LLVMCall | LLVMInvoke)) && user.callee() == function;
                places.extend(if is_call { None } else { place(user) });
            } else if seen.insert(user.0) {
                // The initialiser of a variable, or a constant that is part of one. The compiler's own variables, of
                // which local ones are copies, have no place.
                let declared = if user.is_global_variable() { place(user) } else { None };
                open.extend(if declared.is_none() { Some(user) } else { None });
                places.extend(declared);
            }
        }
    }
    let (file, line, column) = places.into_iter().next()?;
    Some(if column == 0 { format!("{file}:{line}") } else { format!("{file}:{line}:{column}") })
}

fn is_instruction(value: Value) -> bool {
    value.kind() == LLVMValueKind::LLVMInstructionValueKind
}

/// Where an instruction stands, or a variable is declared: file, line and column.
fn place(value: Value) -> Option<(String, u32, u32)> {
    let line = llvm!(LLVMGetDebugLocLine(value.0));
    let column = if is_instruction(value) { llvm!(LLVMGetDebugLocColumn(value.0)) } else { 0 };
    let (mut file_length, mut folder_length) = (0, 0);
    let file = llvm!(LLVMGetDebugLocFilename(value.0, &mut file_length));
    let folder = llvm!(LLVMGetDebugLocDirectory(value.0, &mut folder_length));
    if line == 0 || file.is_null() {
        return None;
    }
    let text = |start: *const std::ffi::c_char, length: u32| {
        let bytes: &[u8] = match start.is_null() {
            true => &[],
            // SAFETY: LLVM keeps the string as long as the module, and says how long it is.
            false => unsafe { slice::from_raw_parts(start.cast(), length as usize) },
        };
        String::from_utf8_lossy(bytes).into_owned()
    };
    let path = Path::new(&text(folder, folder_length)).join(text(file, file_length));
    Some((path.display().to_string(), line, column))
}
