//! Which values can carry a pointer, or a piece of one.
//!
//! A program may keep a pointer, whole or in pieces, in values of any type, write memory as one type and read it as
//! another, and compute a pointer from numbers. So whatever an instruction computes may be as good a pointer as each of
//! its operands, and memory holds what was written to it, whatever the types. A number added to an address leads to
//! another object only if it was computed from both addresses. What a program learns from which way a branch goes is
//! the subject of [`super::branches`].

use crate::ir::{Type, Value};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use std::collections::HashSet;

/// Whether values of the type are data: they may be a pointer, hold one, or be a piece of one.
pub(super) fn is_data(ty: Type) -> bool {
    !matches!(
        ty.kind(),
        LLVMTypeKind::LLVMVoidTypeKind
            | LLVMTypeKind::LLVMLabelTypeKind
            | LLVMTypeKind::LLVMMetadataTypeKind
            | LLVMTypeKind::LLVMTokenTypeKind
            | LLVMTypeKind::LLVMFunctionTypeKind
    )
}

/// The numbers that choose an element of the address, as `i` does in `table[i]`: the element may stand for the number.
pub(super) fn chosen_by(mut address: Value) -> Vec<Value> {
    let mut numbers = Vec::new();
    while address.opcode() == Some(LLVMOpcode::LLVMGetElementPtr) {
        numbers.extend(address.operands().into_iter().skip(1).filter(|number| !number.is_constant()));
        address = address.operand(0);
    }
    numbers
}

/// What an instruction does with a number that was made from a pointer.
enum NumberUse {
    /// Its result is such a number again.
    CarriesOn,
    /// The number goes where the analysis follows it as a pointer, or it is only compared.
    Ends,
    /// A piece of the number is made, or the analysis does not know.
    CutsUp,
}

fn use_of_number(user: Value) -> NumberUse {
    match user.opcode() {
        Some(
            LLVMOpcode::LLVMAdd
            | LLVMOpcode::LLVMOr
            | LLVMOpcode::LLVMXor
            | LLVMOpcode::LLVMPHI
            | LLVMOpcode::LLVMSelect
            | LLVMOpcode::LLVMZExt
            | LLVMOpcode::LLVMSExt
            | LLVMOpcode::LLVMFreeze,
        ) => NumberUse::CarriesOn,
        Some(LLVMOpcode::LLVMAnd) if user.operands().into_iter().any(is_plain_mask) => NumberUse::CarriesOn,
        // The difference of two pointers says little about either: only its own uses as a number are followed.
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

/// Whether a mask keeps or clears the low bits only, as for alignment and tags.
fn is_plain_mask(mask: Value) -> bool {
    const LOW: u64 = 4095;
    mask.constant_integer().is_some_and(|mask| mask <= LOW || !mask <= LOW)
}

/// Whether the number, made from a pointer, is used in a way from which a program can learn the pointer by branches.
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

pub(super) fn is_number_of_pointer(value: Value) -> bool {
    matches!(value.opcode(), Some(LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr))
}
