//! Which values and which memory can carry a pointer, or a piece of one.

use crate::ir::{Type, Value};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use std::collections::HashSet;

/// Whether a value of this type may be a pointer, hold one, or be a piece of one that is copied byte by byte.
pub(super) fn may_be_pointer(ty: Type) -> bool {
    match ty.kind() {
        LLVMTypeKind::LLVMPointerTypeKind
        | LLVMTypeKind::LLVMStructTypeKind
        | LLVMTypeKind::LLVMArrayTypeKind
        | LLVMTypeKind::LLVMVectorTypeKind
        | LLVMTypeKind::LLVMScalableVectorTypeKind => true,
        LLVMTypeKind::LLVMIntegerTypeKind => ty.integer_bits().is_some_and(|bits| bits >= 64 || bits == 8),
        _ => false,
    }
}

/// Whether a load or store of this type at this address may move a pointer or a piece of one. A narrow integer that is
/// a variable or a member of its own is no piece of a pointer; one at a computed address may be.
pub(super) fn holds_pointers(ty: Type, address: Value) -> bool {
    let Some(bits) = ty.integer_bits().filter(|bits| *bits < 64) else { return may_be_pointer(ty) };
    if bits == 1 {
        return false;
    }
    match address.opcode() {
        Some(LLVMOpcode::LLVMAlloca) => false,
        Some(LLVMOpcode::LLVMGetElementPtr) => {
            let indices = address.operands().split_off(1);
            indices.len() <= 1 || indices.iter().any(|index| !index.is_constant())
        }
        _ => !address.is_global_variable(),
    }
}

/// What an instruction does with a number that was made from a pointer.
enum NumberUse {
    /// Its result is such a number again.
    CarriesOn,
    /// The number goes where the analysis follows it as a pointer, or it is only compared.
    Ends,
    /// The analysis does not know.
    CutsUp,
}

fn use_of_number(user: Value) -> NumberUse {
    match user.opcode() {
        Some(
            LLVMOpcode::LLVMAdd
            | LLVMOpcode::LLVMAnd
            | LLVMOpcode::LLVMOr
            | LLVMOpcode::LLVMXor
            | LLVMOpcode::LLVMPHI
            | LLVMOpcode::LLVMSelect
            | LLVMOpcode::LLVMZExt
            | LLVMOpcode::LLVMSExt
            | LLVMOpcode::LLVMFreeze,
        ) => NumberUse::CarriesOn,
        // The difference of two pointers is a plain number.
        Some(LLVMOpcode::LLVMSub) if is_number_of_pointer(user.operand(0)) && is_number_of_pointer(user.operand(1)) => {
            NumberUse::Ends
        }
        Some(LLVMOpcode::LLVMSub) => NumberUse::CarriesOn,
        Some(
            LLVMOpcode::LLVMICmp
            | LLVMOpcode::LLVMIntToPtr
            | LLVMOpcode::LLVMStore
            | LLVMOpcode::LLVMRet
            | LLVMOpcode::LLVMCall
            | LLVMOpcode::LLVMInvoke
            | LLVMOpcode::LLVMAtomicRMW
            | LLVMOpcode::LLVMAtomicCmpXchg
            | LLVMOpcode::LLVMInsertValue,
        ) => NumberUse::Ends,
        _ => NumberUse::CutsUp,
    }
}

/// Whether the number, made from a pointer, is used in a way that the analysis does not follow.
pub(super) fn number_is_cut_up(number: Value) -> bool {
    let mut seen = HashSet::new();
    let mut left = vec![number];
    while let Some(value) = left.pop() {
        if !seen.insert(value) {
            continue;
        }
        for user in value.users() {
            match use_of_number(user) {
                NumberUse::CarriesOn => left.push(user),
                NumberUse::Ends => {}
                NumberUse::CutsUp => return true,
            }
        }
    }
    false
}

fn is_number_of_pointer(value: Value) -> bool {
    matches!(value.opcode(), Some(LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr))
}
