//! The Rust side of `shim/shim.h`.

use crate::ir::{Block, Value, llvm};
use inspect_wire::hooks::CONSTRUCTOR_MARK;
use llvm_sys::prelude::*;
use std::ffi::{CStr, c_char, c_void};

#[repr(C)]
struct RawPlace {
    file: *const c_char,
    function: *const c_char,
    variable: *const c_char,
    line: u32,
    column: u32,
}

unsafe extern "C" {
    pub(crate) fn inspect_shim_register(pass_builder: *mut c_void);
    fn inspect_shim_describe(instruction: LLVMValueRef, pointer: LLVMValueRef, size: u64, place: *mut RawPlace);
    fn inspect_shim_forget();
    fn inspect_shim_keep(global: LLVMValueRef);
    fn inspect_shim_constructor(function: LLVMValueRef, mark: u64);
    fn inspect_shim_loops(
        function: LLVMValueRef,
        each: extern "C" fn(*mut c_void, LLVMBasicBlockRef, *const LLVMBasicBlockRef, u64),
        context: *mut c_void,
    );
    fn inspect_shim_dominates(first: LLVMValueRef, second: LLVMValueRef) -> bool;
    fn inspect_shim_left_blocks(
        variable: LLVMValueRef,
        each: extern "C" fn(*mut c_void, LLVMValueRef),
        context: *mut c_void,
    );
    fn inspect_shim_left_by_computed_gotos(
        variable: LLVMValueRef,
        each: extern "C" fn(*mut c_void, LLVMValueRef),
        context: *mut c_void,
    );
    fn inspect_shim_when_back(phi: LLVMValueRef, first: LLVMValueRef) -> LLVMValueRef;
    fn inspect_shim_byval_size(call: LLVMValueRef, index: u32) -> u64;
    fn inspect_shim_assemble(
        call: LLVMValueRef,
        each: extern "C" fn(*mut c_void, *const u8, u64),
        receiver: *mut c_void,
    ) -> bool;
    fn inspect_shim_asm_operand_size(call: LLVMValueRef, index: u32) -> u64;
}

/// Where an instruction stands in the user's source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SourceLocation {
    pub(crate) file: String,
    pub(crate) function: String,
    pub(crate) variable: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// Describes an instruction and, if given, the address of which it accesses `size` bytes (0: unknown).
pub(crate) fn describe(instruction: Value, pointer: Option<Value>, size: u64) -> SourceLocation {
    let null = std::ptr::null();
    let mut raw = RawPlace { file: null, function: null, variable: null, line: 0, column: 0 };
    let pointer = pointer.map_or(std::ptr::null_mut(), |p| p.0);
    llvm!(inspect_shim_describe(instruction.0, pointer, size, &mut raw));
    let text = |pointer: *const c_char| {
        // SAFETY: the shim fills every string, and keeps them until its next call.
        unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
    };
    SourceLocation {
        file: text(raw.file),
        function: text(raw.function),
        variable: text(raw.variable),
        line: raw.line,
        column: raw.column,
    }
}

/// Makes the shim drop what it keeps of the module.
pub(crate) fn forget() {
    llvm!(inspect_shim_forget());
}

/// Has the linker keep a global that nothing uses.
pub(crate) fn keep(global: Value) {
    llvm!(inspect_shim_keep(global.0));
}

/// Has a function called before main and before the constructors of the program, marked as one of the pass.
pub(crate) fn constructor(function: Value) {
    llvm!(inspect_shim_constructor(function.0, CONSTRUCTOR_MARK));
}

/// A natural loop.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) header: Block,
    pub(crate) blocks: Vec<Block>,
}

/// The natural loops of a function.
pub(crate) fn loops(function: Value) -> Vec<Loop> {
    extern "C" fn add(context: *mut c_void, header: LLVMBasicBlockRef, blocks: *const LLVMBasicBlockRef, count: u64) {
        // SAFETY: `context` is the vector given below, which no other code uses during the call; the shim passes
        // `count` valid handles.
        let (all, blocks) = unsafe {
            (&mut *context.cast::<Vec<Loop>>(), std::slice::from_raw_parts(blocks, usize::try_from(count).unwrap_or(0)))
        };
        all.push(Loop { header: Block(header), blocks: blocks.iter().copied().map(Block).collect() });
    }
    let mut all: Vec<Loop> = Vec::new();
    llvm!(inspect_shim_loops(function.0, add, (&raw mut all).cast()));
    all
}

/// Whether every way to the second instruction of a function goes through the first.
pub(crate) fn dominates(first: Value, second: Value) -> bool {
    llvm!(inspect_shim_dominates(first.0, second.0))
}

/// The instructions before which the block of the source is left in which a local variable stands whose end the
/// compiler does not mark.
pub(crate) fn left_blocks(variable: Value) -> Vec<Value> {
    collected(|add, all| llvm!(inspect_shim_left_blocks(variable.0, add, all)))
}

/// The labels, by their first instructions, to which a computed goto may jump out of the block in which a local
/// variable is declared.
pub(crate) fn left_by_computed_gotos(variable: Value) -> Vec<Value> {
    collected(|add, all| llvm!(inspect_shim_left_by_computed_gotos(variable.0, add, all)))
}

/// The instructions that the shim gives to the function with the context it is called with.
fn collected(shim: impl FnOnce(extern "C" fn(*mut c_void, LLVMValueRef), *mut c_void)) -> Vec<Value> {
    extern "C" fn add(context: *mut c_void, instruction: LLVMValueRef) {
        // SAFETY: `context` is the vector given below, which no other code uses during the call.
        unsafe { &mut *context.cast::<Vec<Value>>() }.push(Value(instruction));
    }
    let mut all: Vec<Value> = Vec::new();
    shim(add, (&raw mut all).cast());
    all
}

/// Makes room for code that runs before `first` whenever the loop comes back to its header with the value that the
/// header's phi had at the first visit. Returns the instruction before which the code goes.
pub(crate) fn when_back(phi: Value, first: Value) -> Value {
    Value(llvm!(inspect_shim_when_back(phi.0, first.0)))
}

/// Bytes copied by the calling convention for this argument (0: it is not passed so).
pub(crate) fn byval_size(call: Value, index: u32) -> u64 {
    llvm!(inspect_shim_byval_size(call.0, index))
}

/// Bytes of the object that an indirect operand of inline assembly names (0: unknown).
pub(crate) fn asm_operand_size(call: Value, index: u32) -> u64 {
    llvm!(inspect_shim_asm_operand_size(call.0, index))
}

/// The object that the inline assembly of a call compiles to by itself, with marks as `shim/shim.h` describes them.
/// `None` if it cannot be compiled by itself.
pub(crate) fn assemble(call: Value) -> Option<Vec<u8>> {
    extern "C" fn receive(receiver: *mut c_void, bytes: *const u8, count: u64) {
        // SAFETY: `receiver` is the vector given below, which no other code uses during the call; the shim passes
        // `count` valid bytes.
        let (object, bytes) = unsafe {
            (&mut *receiver.cast::<Vec<u8>>(), std::slice::from_raw_parts(bytes, usize::try_from(count).unwrap_or(0)))
        };
        object.extend_from_slice(bytes);
    }
    let mut object: Vec<u8> = Vec::new();
    llvm!(inspect_shim_assemble(call.0, receive, (&raw mut object).cast())).then_some(object)
}
