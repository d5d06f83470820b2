//! Frames in which the beginnings of variables are announced: those of code that is instrumented.
//!
//! Other code may put a variable of its own into memory in which a variable of the program has ended, and nothing
//! announces that.

use super::service_stack::on_service_stack;
use super::threads::CONTEXTS;
use crate::platform::layout::{Range, SERVICE_STACK};
use crate::platform::unwind::{self, Registers};
use crate::platform::{Global, elf, fiber};
use alloc::vec::Vec;
use inspect_wire::hooks::names;

/// What is known of the variables of an object's functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variables {
    /// Their beginnings are announced, or they are the engine's, which nobody else reaches.
    Announced,
    /// They are the C library's or the C++ library's. The program may reach some of them; of the parameters that lie in
    /// the caller's frame, no function keeps the address.
    OfSystem,
    Unknown,
}

static OBJECTS: Global<Option<Vec<(Range, Variables)>>> = Global::new(None);

/// Whether an address on the stack of a suspended thread lies in a frame of which all variables are announced. False as
/// well if that frame, or one further in, belongs to code of which nothing is known.
pub(super) fn lies_in_one(slot: usize, address: u64) -> bool {
    let here = 0u64;
    let answer = if SERVICE_STACK.contains(&raw const here as u64) { find } else { find_on_service_stack };
    answer(slot as u64, address)
}

on_service_stack!(find_on_service_stack(slot: u64, address: u64) -> bool => find);

extern "C" fn find(slot: u64, address: u64) -> bool {
    let stack = fiber::stack(slot as usize);
    // SAFETY: a read; the thread is suspended at its context.
    let mut registers = Registers::of(unsafe { &(*CONTEXTS.as_ptr())[slot as usize] });
    while let Some(row) = unwind::row(registers.pc) {
        let variables = variables_at(registers.pc);
        if variables == Variables::Unknown {
            return false;
        }
        if stack.contains(registers.stack) && address < row.end(&registers) {
            return variables == Variables::Announced;
        }
        let Some(caller) = row.leave(&registers, [stack, SERVICE_STACK]) else { return false };
        registers = caller;
    }
    false
}

fn variables_at(pc: u64) -> Variables {
    // SAFETY: set once; one OS thread.
    let objects = unsafe { OBJECTS.get() }.get_or_insert_with(objects);
    objects.iter().find(|(range, _)| range.contains(pc)).map_or(Variables::Unknown, |&(_, variables)| variables)
}

/// The objects in memory. One that is loaded later is not known.
fn objects() -> Vec<(Range, Variables)> {
    let imports = elf::imports();
    let cxx = elf::find("__cxa_get_globals") as u64;
    let mut objects = Vec::from([(elf::image(), Variables::Announced)]);
    for module in elf::modules() {
        let range = Range { start: module.start, end: module.end };
        let Some(object) = imports.iter().find(|object| object.path == module.path) else { continue };
        let names_hook = object.names.iter().any(|name| name.starts_with("__inspect_"));
        let has_other_parts = object.names.iter().any(|name| name == names::__inspect_other_parts.name);
        let is_of_system = object.of_system || !module.path.is_empty() && range.contains(cxx);
        let variables = match (names_hook && !has_other_parts, is_of_system) {
            (true, _) => Variables::Announced,
            (false, true) => Variables::OfSystem,
            (false, false) => Variables::Unknown,
        };
        objects.push((range, variables));
    }
    objects
}
