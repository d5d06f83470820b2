//! Where call stacks are recorded, in a replay (see [`super::call_stacks`]).

use super::service_stack::on_service_stack;
use super::state::with;
use super::threads::me;
use crate::platform::layout::SERVICE_STACK;
use crate::platform::unwind::{self, Registers};
use crate::platform::{elf, fiber};
use alloc::vec::Vec;
use inspect_core::event::{SiteId, ThreadId};

/// How many calls of a stack are recorded at most: the innermost ones.
const DEEPEST: usize = 32;

/// The running thread comes to the visible operation at `site`.
pub(super) fn arrive(site: SiteId) {
    if with(|engine| engine.call_stacks.is_wanted()) {
        let stack = number_here();
        with(|engine| engine.call_stacks.arrived(me(), site, stack));
    }
}

/// The running thread makes the plain access at `site`, which is no event.
pub(crate) fn access(site: SiteId) {
    if with(|engine| engine.call_stacks.is_wanted_at(site)) {
        let stack = number_here();
        with(|engine| engine.call_stacks.accessed(me(), site, stack));
    }
}

on_service_stack!(number_here() -> u32 => number);

/// The number of the running thread's call stack. Called on the service stack, so that the program's own stack holds
/// the same as in a run that is not recorded.
extern "C" fn number() -> u32 {
    let stack = walk(me());
    with(|engine| engine.call_stacks.number(stack))
}

on_service_stack!(frame_around(address: u64, found: &mut [u64; 2]) => find_frame);

/// The frame of the running thread's stack in which an address lies: the address of the frame's function, and the
/// address after the frame's last byte.
pub(crate) fn frame_of(address: u64) -> Option<(u64, u64)> {
    let mut found = [0; 2];
    frame_around(address, &mut found);
    (found[1] != 0).then_some((found[0], found[1]))
}

extern "C" fn find_frame(address: u64, found: &mut [u64; 2]) {
    let stack = fiber::stack(me().index());
    if !stack.contains(address) {
        return;
    }
    let mut registers = Registers::here();
    while let Some(row) = unwind::row(registers.pc) {
        let end = row.end(&registers);
        if stack.contains(end - 8) && address < end && stack.contains(registers.stack) {
            *found = [row.function, end];
            return;
        }
        let Some(caller) = row.leave(&registers, [stack, SERVICE_STACK]) else { return };
        registers = caller;
    }
}

/// The return addresses on the running thread's stack, innermost first, those that lead into the engine left out.
fn walk(thread: ThreadId) -> Vec<u64> {
    let own = elf::image();
    let stacks = [fiber::stack(thread.index()), SERVICE_STACK];
    let mut calls = Vec::new();
    let mut registers = Registers::here();
    while calls.len() < DEEPEST {
        if !own.contains(registers.pc) {
            calls.push(registers.pc);
        }
        let caller = unwind::row(registers.pc).and_then(|row| row.leave(&registers, stacks));
        match caller {
            Some(caller) => registers = caller,
            None => break,
        }
    }
    calls
}
