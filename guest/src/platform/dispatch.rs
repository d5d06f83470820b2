//! Traps the system calls that the program and its libraries make, and gives them to [`syscalls`].
//!
//! Syscall User Dispatch makes the kernel send SIGSYS for every system call from outside the guest's own code. Where
//! it is refused, a seccomp filter by instruction pointer does the same, a little slower.
//!
//! Most calls are served in the handler. Those that may switch to another fiber, end the thread or run code of the
//! program are served by the thread itself: the handler puts the interrupted registers on its stack and makes it go on
//! in [`serve_on_stack`].

use super::call::{Call, Served};
use super::global::Global;
use super::layout::ENGINE;
use super::signals::{Info, Interrupted, register};
use super::sys::{self, nr};
use super::syscalls;
use super::upcalls::upcalls;
use super::{crash, elf, fiber};
use core::arch::naked_asm;
use inspect_core::event::MAX_THREADS;

/// Read by the kernel: 1 traps, 0 lets everything through.
static SELECTOR: Global<u8> = Global::new(0);

/// How system calls are trapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    /// Not yet.
    None,
    /// Syscall User Dispatch.
    Dispatch,
    /// A seccomp filter.
    Filter,
}

static TRAP: Global<Trap> = Global::new(Trap::None);
/// Bytes that saving the vector registers takes, a multiple of 64.
static VECTOR_STATE: Global<u64> = Global::new(0);

/// From now on, every system call of the program is trapped. Also called in each forked child, as dispatch is not
/// inherited. Returns false if the kernel offers no way to do it: then nothing that a library does on its own can be
/// undone, and no verdict is possible.
#[must_use]
pub fn arm() -> bool {
    const LEAF: u32 = 0xd;
    let size = core::arch::x86_64::__cpuid_count(LEAF, 0).ebx;
    VECTOR_STATE.write(u64::from(size).next_multiple_of(64));
    if TRAP.read() == Trap::Filter {
        return true;
    }
    let trap = if arm_dispatch() {
        Trap::Dispatch
    } else if arm_filter() {
        Trap::Filter
    } else {
        Trap::None
    };
    TRAP.write(trap);
    trap != Trap::None
}

fn arm_dispatch() -> bool {
    const PR_SET_SYSCALL_USER_DISPATCH: u64 = 59;
    const ON: u64 = 1;
    let text = elf::image_text();
    let selector = SELECTOR.as_ptr() as u64;
    // SAFETY: the kernel reads the selector as long as the process lives; it is a static.
    let armed =
        unsafe { sys::call5(nr::__NR_prctl, PR_SET_SYSCALL_USER_DISPATCH, ON, text.start, text.len(), selector) == 0 };
    SELECTOR.write(u8::from(armed));
    armed
}

/// One instruction of a seccomp filter.
#[repr(C)]
struct Filter {
    code: u16,
    yes: u8,
    no: u8,
    value: u32,
}

fn arm_filter() -> bool {
    const LOAD: u16 = 0x20;
    const JUMP_EQUAL: u16 = 0x15;
    const JUMP_NOT_BELOW: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const ALLOW: u32 = 0x7fff_0000;
    const TRAP: u32 = 0x0003_0000;
    const POINTER_LOW: u32 = 8;
    const POINTER_HIGH: u32 = 12;
    const PR_SET_NO_NEW_PRIVS: u64 = 38;
    const PR_SET_SECCOMP: u64 = 22;
    const MODE_FILTER: u64 = 2;
    let text = elf::image_text();
    if text.start >> 32 != (text.end - 1) >> 32 {
        return false;
    }
    let step = |code, value, yes, no| Filter { code, yes, no, value };
    let program = [
        step(LOAD, POINTER_HIGH, 0, 0),
        step(JUMP_EQUAL, (text.start >> 32) as u32, 0, 4),
        step(LOAD, POINTER_LOW, 0, 0),
        step(JUMP_NOT_BELOW, text.start as u32, 0, 2),
        step(JUMP_NOT_BELOW, text.end as u32, 1, 0),
        step(RETURN, ALLOW, 0, 0),
        step(RETURN, TRAP, 0, 0),
    ];
    let description = [program.len() as u64, program.as_ptr() as u64];
    // SAFETY: the kernel copies the filter.
    unsafe {
        sys::call5(nr::__NR_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && sys::call3(nr::__NR_prctl, PR_SET_SECCOMP, MODE_FILTER, description.as_ptr() as u64) == 0
    }
}

/// A trapped call that its thread serves itself; lies on the thread's stack.
#[repr(C, align(64))]
struct Frame {
    registers: [u64; 23],
}

static EXIT_STATUS: Global<[i32; MAX_THREADS]> = Global::new([0; MAX_THREADS]);

extern "C" fn ended() -> ! {
    upcalls().on_exit(EXIT_STATUS.read()[fiber::current_slot()])
}

pub(super) extern "C" fn handler(_signal: i32, info: &mut Info, interrupted: &mut Interrupted) {
    const SYS_SECCOMP: i32 = 1;
    let mut call = Call::of(&interrupted.registers);
    if info.code == SYS_SECCOMP {
        // A filter reports the number apart; rax holds it too, on this architecture.
        call.number = info.call as u32;
    }
    // The end of a single thread of the system, beside others, is not modelled.
    let ends_process = call.number == nr::__NR_exit && !upcalls().has_other_threads();
    if call.number == nr::__NR_exit_group || ends_process {
        let slot = fiber::current_slot();
        // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
        let statuses = unsafe { EXIT_STATUS.get() };
        statuses[slot] = call.args[0] as i32;
        crash::go_on(interrupted, fiber::reserve(slot), ended);
        return;
    }
    match syscalls::serve(&call) {
        Served::Done(result) => interrupted.registers[register::RAX] = result as u64,
        Served::OnStack if ENGINE.contains(interrupted.registers[register::RSP]) => {
            // The engine itself has called a library here, which it does only where nothing can block.
            interrupted.registers[register::RAX] = -(sys::errno::ENOSYS as i64) as u64;
        }
        Served::OnStack => move_to_stack(interrupted),
    }
}

/// Makes the interrupted thread serve its call itself.
fn move_to_stack(interrupted: &mut Interrupted) {
    /// Below the stack pointer the program may keep data without saying so.
    const RED_ZONE: u64 = 128;
    let below = interrupted.registers[register::RSP] - RED_ZONE - size_of::<Frame>() as u64;
    let frame = below & !63;
    const NEEDED: u64 = 32 << 10;
    let slot = fiber::current_slot();
    if ![fiber::stack(slot), fiber::reserve(slot)].iter().any(|stack| stack.contains(frame.wrapping_sub(NEEDED))) {
        crash::overflowed(interrupted);
        return;
    }
    // SAFETY: unused memory of the running stack; a cold page is heated by the fault handler.
    unsafe { (frame as *mut Frame).write(Frame { registers: interrupted.registers }) };
    interrupted.registers[register::RIP] = serve_on_stack as *const () as u64;
    interrupted.registers[register::RSP] = frame;
}

/// Runs on the thread's stack with a [`Frame`] at its top: saves the vector registers, serves the call, and returns to
/// the instruction after it with all registers as they were but rax, and rcx and r11, which a system call destroys.
#[unsafe(naked)]
extern "C" fn serve_on_stack() {
    naked_asm!(
        "mov rbx, rsp",
        "sub rsp, [rip + {size}]",
        "xor eax, eax",
        "mov [rsp + 512], rax", "mov [rsp + 520], rax", "mov [rsp + 528], rax", "mov [rsp + 536], rax",
        "mov [rsp + 544], rax", "mov [rsp + 552], rax", "mov [rsp + 560], rax", "mov [rsp + 568], rax",
        "mov eax, -1", "mov edx, -1", "xsave64 [rsp]",
        "mov rdi, rbx", "call {serve}",
        "mov [rbx + 8 * 13], rax",
        "mov eax, -1", "mov edx, -1", "xrstor64 [rsp]",
        "mov r8, [rbx]", "mov r9, [rbx + 8]", "mov r10, [rbx + 16]",
        "mov r12, [rbx + 32]", "mov r13, [rbx + 40]", "mov r14, [rbx + 48]", "mov r15, [rbx + 56]",
        "mov rdi, [rbx + 64]", "mov rsi, [rbx + 72]", "mov rbp, [rbx + 80]",
        "mov rdx, [rbx + 96]", "mov rax, [rbx + 104]",
        "mov r11, [rbx + 120]", "mov rcx, [rbx + 128]",
        "mov rbx, [rbx + 88]",
        "mov rsp, r11",
        "jmp rcx",
        size = sym VECTOR_STATE,
        serve = sym serve_frame,
    )
}

extern "C" fn serve_frame(frame: &Frame) -> i64 {
    syscalls::serve_on_stack(&Call::of(&frame.registers))
}
