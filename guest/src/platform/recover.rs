//! Reading and writing memory at addresses that the program gives, which may be bad: copying stops at the first fault
//! instead of crashing the guest.

use super::elf::engine_ranges;
use super::signals::{Interrupted, register};
use core::arch::global_asm;

global_asm!(
    // inspect_copy_checked(to, from, len) -> bytes that could not be copied. Both labels are known to the fault
    // handler.
    ".hidden inspect_copy_checked",
    ".globl inspect_copy_checked",
    ".type inspect_copy_checked, @function",
    "inspect_copy_checked:",
    "mov rcx, rdx",
    ".hidden inspect_copy_checked_at",
    ".globl inspect_copy_checked_at",
    "inspect_copy_checked_at:",
    "rep movsb",
    ".hidden inspect_copy_checked_end",
    ".globl inspect_copy_checked_end",
    "inspect_copy_checked_end:",
    "mov rax, rcx",
    "ret",
);

unsafe extern "C" {
    fn inspect_copy_checked(to: *mut u8, from: *const u8, len: u64) -> u64;
    static inspect_copy_checked_at: u8;
    static inspect_copy_checked_end: u8;
}

/// Lets a checked copy end at a fault; true if the fault was inside of one.
pub(super) fn recover(interrupted: &mut Interrupted) -> bool {
    if interrupted.registers[register::RIP] != &raw const inspect_copy_checked_at as u64 {
        return false;
    }
    interrupted.registers[register::RIP] = &raw const inspect_copy_checked_end as u64;
    true
}

/// Copies as many bytes as can be read; returns how many.
pub fn read(from: u64, to: &mut [u8]) -> usize {
    // SAFETY: `to` is writable; a fault in reading ends the copy.
    let missing = unsafe { inspect_copy_checked(to.as_mut_ptr(), from as *const u8, to.len() as u64) };
    to.len() - missing as usize
}

/// Writes bytes to the program's memory; false if not all could be written.
pub fn write(to: u64, from: &[u8]) -> bool {
    if engine_ranges().iter().any(|engine| engine.touches(to, from.len() as u64)) {
        return false;
    }
    // SAFETY: a fault in writing, if it is not one of the snapshot's, ends the copy.
    unsafe { inspect_copy_checked(to as *mut u8, from.as_ptr(), from.len() as u64) == 0 }
}

/// Reads a plain value.
pub fn read_value<T: Copy + Default>(from: u64) -> Option<T> {
    let mut value = T::default();
    // SAFETY: the bytes of a plain value; callers use integers and arrays of them only.
    let bytes = unsafe { core::slice::from_raw_parts_mut((&raw mut value).cast::<u8>(), size_of::<T>()) };
    (read(from, bytes) == size_of::<T>()).then_some(value)
}

/// Writes a plain value.
pub fn write_value<T: Copy>(to: u64, value: &T) -> bool {
    // SAFETY: as above.
    let bytes = unsafe { core::slice::from_raw_parts((&raw const *value).cast::<u8>(), size_of::<T>()) };
    write(to, bytes)
}
