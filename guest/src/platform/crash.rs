//! Crashes of the program: classified in the signal handler, then carried on by the crashed thread itself, on its
//! reserve stack, so that its end becomes one more pending operation and the other threads go on.

use super::global::Global;
use super::layout::{EMERGENCY_STACK, ENGINE, Range};
use super::mode::started;
use super::signals::{Info, Interrupted, register};
use super::upcalls::upcalls;
use super::{caller, fiber, sigaction, sys};
use alloc::format;
use inspect_core::event::MAX_THREADS;

#[derive(Clone, Copy)]
struct Crash {
    signal: i32,
    address: u64,
    pc: u64,
    stack: u64,
}

static CRASHES: Global<[Crash; MAX_THREADS]> =
    Global::new([Crash { signal: 0, address: 0, pc: 0, stack: 0 }; MAX_THREADS]);

/// Handles a fatal signal that is no fault of the snapshot's.
pub(super) extern "C" fn handler(signal: i32, info: &mut Info, interrupted: &mut Interrupted) {
    let pc = interrupted.registers[register::RIP];
    let stack = interrupted.registers[register::RSP];
    let slot = fiber::current_slot();
    // SAFETY: no other borrow: handlers do not nest on purpose.
    let crashes = unsafe { CRASHES.get() };
    crashes[slot] = Crash { signal, address: info.address, pc, stack };
    if !started() {
        sys::fatal("crash before the engine started");
    }
    // On the reserve only the engine runs, to handle an earlier crash.
    if ENGINE.contains(stack) || fiber::reserve(slot).contains(stack) {
        go_on(interrupted, EMERGENCY_STACK, engine_crashed);
    } else {
        go_on(interrupted, fiber::reserve(slot), program_crashed);
    }
}

/// The thread has no stack left to go on.
pub(super) fn overflowed(interrupted: &mut Interrupted) {
    let slot = fiber::current_slot();
    let (pc, address) = (interrupted.registers[register::RIP], interrupted.registers[register::RSP]);
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let crashes = unsafe { CRASHES.get() };
    crashes[slot] = Crash { signal: super::signals::SIGSEGV, address, pc, stack: address };
    go_on(interrupted, fiber::reserve(slot), program_crashed);
}

/// Makes the interrupted flow of control go on in `function` on the empty stack `range`.
pub(super) fn go_on(interrupted: &mut Interrupted, range: Range, function: extern "C" fn() -> !) {
    interrupted.registers[register::RIP] = function as usize as u64;
    interrupted.registers[register::RSP] = range.end - 8;
}

extern "C" fn program_crashed() -> ! {
    // SAFETY: one OS thread; the entry is copied at once.
    let crash = unsafe { CRASHES.get() }[fiber::current_slot()];
    // A fault inside of a hook is reported at the hook's own site.
    let in_guest = super::elf::image().contains(crash.pc);
    let pc = if in_guest { crash.pc } else { caller::in_program(crash.pc, crash.stack) };
    // The place of a return address is the call before it, which has two bytes at least: a site does not tell apart an
    // even address and the next one.
    let pc = if pc == crash.pc { pc } else { pc - 2 };
    if sigaction::has_handler(crash.signal) {
        // What the handler would do with the crash is not known.
        upcalls().on_unmodelled("a handler for a crash", pc);
    }
    upcalls().on_crash(crash.signal, crash.address, pc)
}

extern "C" fn engine_crashed() -> ! {
    give_up_at_the_second_time();
    // SAFETY: one OS thread; the entry is copied at once.
    let Crash { signal, address, pc, .. } = unsafe { CRASHES.get() }[fiber::current_slot()];
    let image = super::elf::image().start;
    let message =
        format!("signal {signal} in the engine at {:#x} of the guest, address {address:#x}", pc.wrapping_sub(image));
    upcalls().on_tool_error(&message)
}

/// Reporting a defect needs the engine's memory. If that was overwritten, so that the report fails as well, the process
/// ends without one.
fn give_up_at_the_second_time() {
    static TRIED: Global<bool> = Global::new(false);
    const RUINED: &str = "the engine's memory was overwritten";
    if TRIED.read() {
        if super::child::in_child() {
            super::child::give_up(RUINED);
        }
        sys::exit(5);
    }
    TRIED.write(true);
}

/// Calls [`super::upcalls::Upcalls::on_tool_error`] on the emergency stack.
pub(crate) fn tool_error(message: &str) -> ! {
    static MESSAGE: Global<(usize, usize)> = Global::new((0, 0));
    extern "C" fn report() -> ! {
        let (start, len) = MESSAGE.read();
        // SAFETY: the message outlives the call: its owner never returns.
        let bytes = unsafe { core::slice::from_raw_parts(start as *const u8, len) };
        upcalls().on_tool_error(core::str::from_utf8(bytes).unwrap_or("unreadable message"))
    }
    give_up_at_the_second_time();
    MESSAGE.write((message.as_ptr() as usize, message.len()));
    fiber::leave_for(EMERGENCY_STACK, report)
}
