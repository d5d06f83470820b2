//! Traps the system calls that the program and its libraries make, and gives them to [`syscalls`].
//!
//! Syscall User Dispatch makes the kernel send SIGSYS for every system call from outside the guest's own code.

use super::global::Global;
use super::signals::{Info, Interrupted, register};
use super::sys::{self, nr};
use super::{crash, elf, fiber};
use crate::engine;
use inspect_core::event::MAX_THREADS;

/// Read by the kernel: 1 traps, 0 lets everything through.
static SELECTOR: Global<u8> = Global::new(0);

/// From now on, every system call of the program is trapped. Returns false if the kernel does not offer this.
#[must_use]
pub fn arm() -> bool {
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

static EXIT_STATUS: Global<[i32; MAX_THREADS]> = Global::new([0; MAX_THREADS]);

extern "C" fn ended() -> ! {
    engine::on_exit(EXIT_STATUS.read()[fiber::current_slot()])
}

pub(super) extern "C" fn handler(_signal: i32, _info: &mut Info, interrupted: &mut Interrupted) {
    let r = &interrupted.registers;
    let number = r[register::RAX] as u32;
    let args =
        [r[register::RDI], r[register::RSI], r[register::RDX], r[register::R10], r[register::R8], r[register::R9]];
    if number == nr::__NR_exit_group {
        let slot = fiber::current_slot();
        // SAFETY: no other borrow.
        let statuses = unsafe { EXIT_STATUS.get() };
        statuses[slot] = args[0] as i32;
        crash::go_on(interrupted, fiber::reserve(slot), ended);
        return;
    }
    // SAFETY: the program's own system call.
    interrupted.registers[register::RAX] = unsafe { sys::call(number, args) } as u64;
}
