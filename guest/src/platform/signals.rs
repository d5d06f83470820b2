//! Signals as the kernel hands them to the guest.

use super::sys::{self, nr};
use core::arch::naked_asm;

pub const SIGILL: i32 = 4;
pub const SIGTRAP: i32 = 5;
pub const SIGABRT: i32 = 6;
pub const SIGBUS: i32 = 7;
pub const SIGFPE: i32 = 8;
pub const SIGSEGV: i32 = 11;
pub const SIGPROF: i32 = 27;
pub const SIGSYS: i32 = 31;

/// A signal as a member of a mask.
pub const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// The part of the kernel's `ucontext` that handlers use.
#[repr(C)]
pub struct Interrupted {
    flags: u64,
    link: u64,
    stack: [u64; 3],
    /// r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, flags, segments, error code, trap number, old mask, cr2.
    pub registers: [u64; 23],
    float: u64,
    reserved: [u64; 8],
    /// Signals that are blocked once the handler returns.
    pub mask: u64,
}

/// Positions in [`Interrupted::registers`].
pub mod register {
    pub const R8: usize = 0;
    pub const R9: usize = 1;
    pub const R10: usize = 2;
    pub const RDI: usize = 8;
    pub const RSI: usize = 9;
    pub const RDX: usize = 12;
    pub const RAX: usize = 13;
    pub const RSP: usize = 15;
    pub const RIP: usize = 16;
    pub const FLAGS: usize = 17;
    pub const ERROR: usize = 19;
    pub const TRAP: usize = 20;
}

/// The kernel's `siginfo`, as far as faults and trapped calls fill it in.
#[repr(C)]
pub struct Info {
    /// Signal number.
    pub signal: i32,
    pub errno: i32,
    /// What kind; for SIGSYS whether dispatch or a filter sent it.
    pub code: i32,
    padding: i32,
    /// Address of the fault, or of the trapped call.
    pub address: u64,
    /// Number of the trapped call.
    pub call: i32,
}

#[repr(C)]
struct Action {
    handler: u64,
    flags: u64,
    restorer: u64,
    mask: u64,
}

/// Returns from a handler; the kernel is given its address with each handler.
#[unsafe(naked)]
extern "C" fn return_from_handler() {
    naked_asm!("mov eax, 15", "syscall", "ud2")
}

pub(super) type Handler = extern "C" fn(i32, &mut Info, &mut Interrupted);

/// Installs a handler of the guest.
pub(super) fn handle(signal: i32, handler: Handler, more_flags: u64) {
    const SA_SIGINFO: u64 = 4;
    const SA_ONSTACK: u64 = 0x0800_0000;
    const SA_NODEFER: u64 = 0x4000_0000;
    const SA_RESTORER: u64 = 0x0400_0000;
    let action = Action {
        handler: handler as usize as u64,
        flags: SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTORER | more_flags,
        restorer: return_from_handler as *const () as u64,
        mask: 0,
    };
    // SAFETY: the kernel reads the action; the handler follows the kernel's calling convention.
    let result = unsafe { sys::call4(nr::__NR_rt_sigaction, signal as u64, &raw const action as u64, 0, 8) };
    if result != 0 {
        sys::fatal("cannot install signal handlers");
    }
}
