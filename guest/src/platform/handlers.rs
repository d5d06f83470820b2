//! Signal handlers of the guest. All run on a stack of their own, as the program's stack may be the very page that
//! faulted. None of them switches fibers: where that is needed, the handler changes the interrupted registers so that
//! the thread goes on in a function that does it.

use super::layout::SIGNAL_STACK;
use super::signals::{Info, Interrupted, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, handle, register};
use super::sys::{self, nr};
use super::{crash, dispatch, recover, sigaction, snapshot};

/// Installs the handlers and their stack, and unblocks what is ours.
pub(super) fn install() {
    sigaction::look();
    let stack = [SIGNAL_STACK.start, 0, SIGNAL_STACK.len()];
    let none: u64 = 0;
    // SAFETY: the kernel reads the description of a stack that is mapped and used for nothing else.
    unsafe {
        if sys::call2(nr::__NR_sigaltstack, stack.as_ptr() as u64, 0) != 0 {
            sys::fatal("cannot set the signal stack");
        }
        sys::call4(nr::__NR_rt_sigprocmask, 2, &raw const none as u64, 0, 8);
    }
    handle(SIGSEGV, fault, 0);
    handle(SIGBUS, beyond_file, 0);
    for signal in [SIGFPE, SIGILL] {
        handle(signal, crash::handler, 0);
    }
    handle(SIGSYS, dispatch::handler, 0);
}

extern "C" fn fault(signal: i32, info: &mut Info, interrupted: &mut Interrupted) {
    const PAGE_FAULT: u64 = 14;
    const WRITE: u64 = 2;
    let is_write =
        interrupted.registers[register::TRAP] == PAGE_FAULT && interrupted.registers[register::ERROR] & WRITE != 0;
    if is_write && snapshot::heat(info.address) {
        return;
    }
    if recover::recover(interrupted) {
        return;
    }
    crash::handler(signal, info, interrupted);
}

/// Memory is mapped beyond the end of its file.
extern "C" fn beyond_file(signal: i32, info: &mut Info, interrupted: &mut Interrupted) {
    if !recover::recover(interrupted) {
        crash::handler(signal, info, interrupted);
    }
}
