//! Jumps to where `setjmp` was called. The C library's own functions make the jump; before it, initialisers of once
//! objects that run in the frames left are given up, cleanup handlers of these frames are taken off the thread's list,
//! and their variables end.

use super::cleanup::outer;
use super::{export, once, real};
use crate::engine::frame_ends::frames_end;
use crate::engine::site::of_call;
use crate::engine::{me, with};
use crate::hooks::argument_read;
use crate::platform::started;

export! {
    interpose_longjmp / 2 => jump;
    interpose__longjmp / 2 => jump;
    interpose_siglongjmp / 2 => jump;
    interpose___longjmp_chk / 2 => jump_checked;
}

extern "C" fn jump(buffer: u64, value: i32, pc: u64) {
    leave_frames(buffer, pc);
    real!("longjmp" as fn(u64, i32))(buffer, value);
}

extern "C" fn jump_checked(buffer: u64, value: i32, pc: u64) {
    leave_frames(buffer, pc);
    real!("__longjmp_chk" as fn(u64, i32))(buffer, value);
}

fn leave_frames(buffer: u64, pc: u64) {
    if !started() {
        return;
    }
    /// The registers, and whether the signal mask is there as well.
    const LEN: u64 = 68;
    argument_read(buffer, LEN, of_call(pc));
    let target = stack_pointer(buffer);
    frames_end(target, of_call(pc));
    loop {
        let entry = with(|engine| engine.threads[me().index()].cleanup);
        if entry == 0 || entry >= target {
            return;
        }
        if once::abandon(entry).is_none() {
            let outer = outer(entry);
            with(|engine| engine.threads[me().index()].cleanup = outer);
        }
    }
}

/// The stack pointer in a jump buffer, which the C library has disguised.
pub(super) fn stack_pointer(buffer: u64) -> u64 {
    const STACK_POINTER: u64 = 48;
    let guard: u64;
    // SAFETY: the program passes a jump buffer; if not, it faults here as it would there. The word is in the C
    // library's description of the thread.
    unsafe {
        core::arch::asm!("mov {}, fs:[0x30]", out(reg) guard, options(nostack, readonly, preserves_flags));
        ((buffer + STACK_POINTER) as *const u64).read().rotate_right(17) ^ guard
    }
}
