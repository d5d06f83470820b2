// The border between the C++ part of the plugin and the Rust part (src/shim.rs has the other side).
#pragma once
#include "llvm-c/Types.h"
#include <cstdint>

extern "C" {
/// What the debug information says about a place. The strings belong to the C++ side and stay as they are until the next
/// call.
struct InspectPlace {
  const char *file;
  const char *function;
  const char *variable;
  uint32_t line;
  uint32_t column;
};

/// Implemented in Rust: analyses the module and inserts the hooks.
void inspect_pass_run(LLVMModuleRef module);

/// Implemented in Rust: whether the program is to find uses of uninitialised memory.
bool inspect_pass_finds_uninitialised();

/// Adds the pass to the pipeline that runs at link time.
void inspect_shim_register(void *pass_builder);

/// Describes the instruction's place; `pointer` (may be null) is the address it accesses, `size` the number of bytes, 0
/// if unknown.
void inspect_shim_describe(LLVMValueRef instruction, LLVMValueRef pointer, uint64_t size, InspectPlace *place);

/// Forgets everything remembered about a module.
void inspect_shim_forget();

/// Keeps a global that nothing uses, in the compiler and in the linker.
void inspect_shim_keep(LLVMValueRef global);

/// Has a function without parameters called before main.
void inspect_shim_constructor(LLVMValueRef function, uint64_t mark);

/// Calls `each` for every natural loop of the function, inner loops included. Blocks are in no particular order; the
/// header is among them.
typedef void (*InspectLoopCallback)(void *context, LLVMBasicBlockRef header, const LLVMBasicBlockRef *blocks,
                                    uint64_t count);
void inspect_shim_loops(LLVMValueRef function, InspectLoopCallback each, void *context);

/// Whether every way to the second instruction of a function goes through the first.
bool inspect_shim_dominates(LLVMValueRef first, LLVMValueRef second);

/// Calls `each` for every instruction before which the block of the source is left in which a local variable stands whose end
/// the compiler does not mark: a compound literal, or a variable of which a jump passes the declaration. Not called if
/// that block is the whole function.
typedef void (*InspectInstructionCallback)(void *context, LLVMValueRef instruction);
void inspect_shim_left_blocks(LLVMValueRef variable, InspectInstructionCallback each, void *context);

/// Calls `each` for the first instruction of every label that a computed goto of the function may jump to and that is not
/// in the block in which a local variable is declared. Not called if that block is the whole function.
void inspect_shim_left_by_computed_gotos(LLVMValueRef variable, InspectInstructionCallback each, void *context);

/// Makes room for code that runs before `first` whenever the loop, whose header has the integer `phi`, is at its header
/// with the value that the phi had when the loop was entered, but for that first time. Returns the instruction before
/// which the code goes.
LLVMValueRef inspect_shim_when_back(LLVMValueRef phi, LLVMValueRef first);

/// Whether the call passes argument `index` as a copy made by the calling convention, and of how many bytes (0: no).
uint64_t inspect_shim_byval_size(LLVMValueRef call, uint32_t index);

/// Bytes between the addresses that stand for what the operands of inline assembly lead to: for argument `n` of the
/// call it is `(n + 1) * INSPECT_OPERAND_SPACING`.
#define INSPECT_OPERAND_SPACING (UINT64_C(1) << 20)

/// Compiles the inline assembly that `call` calls and gives `each` the object, in which symbols mark it:
/// `inspect_operands`, instructions `mov %register, address` for the pointers in registers, `inspect_begin`, the
/// assembly, `inspect_end`. False if that cannot be done.
typedef void (*InspectBytesCallback)(void *receiver, const uint8_t *bytes, uint64_t count);
bool inspect_shim_assemble(LLVMValueRef call, InspectBytesCallback each, void *receiver);

/// The size of the object that an indirect operand of inline assembly names (0: unknown).
uint64_t inspect_shim_asm_operand_size(LLVMValueRef call, uint32_t index);
}
