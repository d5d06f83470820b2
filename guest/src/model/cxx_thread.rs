//! `std::thread::join` and `detach`: the C++ library reads the handle in the object, calls the function of the threads
//! API, and clears the handle when that has returned. The thread itself may look at the object until then.

use super::exception::{Function, site_of};
use super::real;
use crate::hooks::{argument_read, argument_write};
use crate::platform::started;

/// Exports functions that call the library's function of that name between two looks of the model at the object, which
/// see as well where they are called. Exceptions go through: no frame of the model is below the library's.
macro_rules! announced_around {
    ($($exported:ident => $model:path;)+) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn $exported() {
                core::arch::naked_asm!(
                    ".cfi_startproc",
                    "push rdi",
                    ".cfi_def_cfa_offset 16",
                    "mov rdx, [rsp + 8]",
                    "call {before}",
                    "mov rdi, [rsp]",
                    "call rax",
                    "mov rdi, [rsp]",
                    "mov rsi, [rsp + 8]",
                    "call {after}",
                    "pop rdi",
                    ".cfi_def_cfa_offset 8",
                    "ret",
                    ".cfi_endproc",
                    before = sym $model,
                    after = sym cleared,
                )
            }
        )+
    };
}

announced_around! {
    interpose__ZNSt6thread4joinEv => join;
    interpose__ZNSt6thread6detachEv => detach;
}

/// The size of `std::thread`: the handle.
const THREAD: u64 = 8;

extern "C" fn join(thread: u64, _: u64, pc: u64) -> Function {
    note_read(thread, pc);
    real!("_ZNSt6thread4joinEv" as fn(u64, u64))
}

extern "C" fn detach(thread: u64, _: u64, pc: u64) -> Function {
    note_read(thread, pc);
    real!("_ZNSt6thread6detachEv" as fn(u64, u64))
}

fn note_read(thread: u64, pc: u64) {
    if started() {
        argument_read(thread, THREAD, site_of(pc));
    }
}

/// The library has cleared the handle.
extern "C" fn cleared(thread: u64, pc: u64) {
    if started() {
        argument_write(thread, THREAD, site_of(pc));
    }
}
