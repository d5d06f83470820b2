//! References to exception objects: `std::exception_ptr` and handlers. An exception object ends with its last
//! reference, and the C++ library counts these in its own code. Here the end of a reference is an atomic operation on
//! the count, so that the end of the object happens after all that was done before other references ended, and
//! either of two threads may be the last one.
//!
//! A new reference is no operation: whoever makes one has one, so that the object lives, and nobody learns from the
//! count what other threads have done (C++ orders nothing by it). An exception object that never had two references is
//! its thread's own, and nothing of it is an operation either: so it is with `throw` and `catch` alone.

use super::real;
use crate::engine::site::of_call;
use crate::hooks::{argument_read, argument_write, counted_down};
use crate::platform::{caller, started};
use inspect_core::event::SiteId;

/// Exports functions that go on in the library's function of that name once the model has seen their two arguments and
/// where they are called. The model's frame is gone by then, as an exception may lead out of them.
macro_rules! announced {
    ($($exported:ident => $model:path;)+) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn $exported() {
                core::arch::naked_asm!(
                    ".cfi_startproc",
                    "push rdi",
                    ".cfi_def_cfa_offset 16",
                    "push rsi",
                    ".cfi_def_cfa_offset 24",
                    "sub rsp, 8",
                    ".cfi_def_cfa_offset 32",
                    "mov rdx, [rsp + 24]",
                    "call {}",
                    "add rsp, 8",
                    ".cfi_def_cfa_offset 24",
                    "pop rsi",
                    ".cfi_def_cfa_offset 16",
                    "pop rdi",
                    ".cfi_def_cfa_offset 8",
                    "jmp rax",
                    ".cfi_endproc",
                    sym $model
                )
            }
        )+
    };
}

pub(super) use announced;

announced! {
    interpose__ZNSt15__exception_ptr13exception_ptr9_M_addrefEv => add;
    interpose__ZNSt15__exception_ptr13exception_ptr10_M_releaseEv => release;
    interpose__ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE => rethrow;
    interpose__Unwind_DeleteException => end_handler;
}

/// The library's function, where the call goes on.
pub(super) type Function = extern "C" fn(u64, u64);

/// The size of `std::exception_ptr`: the address of the exception object, or null.
const POINTER: u64 = 8;

/// Where the library keeps the number of references, before the exception object.
const COUNT: u64 = 0x80;
/// Where it keeps nothing, behind the number, and clears it when it allocates an object.
const UNUSED: u64 = 0x7c;

/// `exception_ptr::_M_addref`, by which all of its functions get a reference.
extern "C" fn add(pointer: u64, _: u64, pc: u64) -> Function {
    note_reference(pointer, pc);
    real!("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv" as fn(u64, u64))
}

/// `exception_ptr::_M_release`, by which all of its functions give one up.
extern "C" fn release(pointer: u64, _: u64, pc: u64) -> Function {
    if started() {
        argument_write(pointer, POINTER, site_of(pc));
        give_up(object_of(pointer), pc);
    }
    real!("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv" as fn(u64, u64))
}

/// `std::rethrow_exception`: the handler that catches it has a reference.
extern "C" fn rethrow(pointer: u64, _: u64, pc: u64) -> Function {
    note_reference(pointer, pc);
    real!("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE" as fn(u64, u64))
}

/// What the end of the last handler of an exception calls.
extern "C" fn end_handler(unwinding: u64, _: u64, pc: u64) -> Function {
    if started() {
        give_up(object_of_handler(unwinding), pc);
    }
    real!("_Unwind_DeleteException" as fn(u64, u64))
}

/// The exception object that a `std::exception_ptr` refers to; 0 if it refers to none.
fn object_of(pointer: u64) -> u64 {
    // SAFETY: the program passes a `std::exception_ptr`; if not, it faults here as it would in the library.
    unsafe { *(pointer as *const u64) }
}

/// The exception object of a handler, given what the unwinder has of it; 0 if it is no exception of the C++ library.
fn object_of_handler(unwinding: u64) -> u64 {
    /// "GNUCC++" and a byte that says whether this is the exception itself or another throw of one.
    const OWN: u64 = 0x474e_5543_432b_2b00;
    const AGAIN: u64 = OWN + 1;
    /// What the unwinder has lies right before the exception object.
    const SIZE: u64 = 32;
    /// Where the address of the exception object is, before what the unwinder has of another throw of it.
    const PRIMARY: u64 = 0x50;
    // SAFETY: the runtime passes what the unwinder has of an exception, whose first word says what it is.
    unsafe {
        match *(unwinding as *const u64) {
            OWN => unwinding + SIZE,
            AGAIN => *((unwinding - PRIMARY) as *const u64),
            _ => 0,
        }
    }
}

/// What a `std::exception_ptr` refers to gets a reference.
fn note_reference(pointer: u64, pc: u64) {
    if started() {
        argument_read(pointer, POINTER, site_of(pc));
        note_shared(object_of(pointer));
    }
}

/// The exception object gets a reference. With another one, it is shared from now on.
fn note_shared(object: u64) {
    if object == 0 {
        return;
    }
    // SAFETY: a `std::exception_ptr` refers to the object, so what the library keeps before it is there.
    unsafe {
        if *((object - COUNT) as *const u32) != 0 {
            *((object - UNUSED) as *mut u32) = 1;
        }
    }
}

/// A reference to the exception object ends; if it is the last one, the object does.
fn give_up(object: u64, pc: u64) {
    // SAFETY: the reference is there until the library's function has run, so what the library keeps is there as well.
    if object == 0 || unsafe { *((object - UNUSED) as *const u32) } == 0 {
        return;
    }
    count_down(object - COUNT, pc);
}

/// A number of references is about to be counted down by the library, in a call from `pc`.
pub(super) fn count_down(number: u64, pc: u64) {
    counted_down(number, site_of(pc));
}

/// The place in the program from which the library makes a call at `pc`.
pub(super) fn site_of(pc: u64) -> SiteId {
    let here = 0u64;
    of_call(caller::in_program(pc, &raw const here as u64))
}
