//! The constructors of the program: functions that the C library runs before main.
//!
//! They are code of the program, so each run begins with them: what they lock, open, write or start has to be seen, and
//! undone after the run. Those that the pass adds tell the guest something that holds for all runs; they run once. What
//! the loader runs earlier, the constructors of shared libraries and functions in `.preinit_array`, comes before the
//! guest takes over.

use super::elf::{self, InitArray};
use super::global::Global;
use super::{patch, recover};
use alloc::vec::Vec;
use core::ffi::c_char;
use inspect_wire::hooks::CONSTRUCTOR_MARK;

/// What main and the constructors get.
#[derive(Clone, Copy)]
pub(super) struct Arguments {
    pub(super) argc: i32,
    pub(super) argv: *mut *mut c_char,
    pub(super) envp: *mut *mut c_char,
}

/// What a constructor of the program looks like to the C library.
type Constructor = extern "C" fn(i32, *mut *mut c_char, *mut *mut c_char);

/// All that were taken away from the C library.
static TAKEN: Global<&[u64]> = Global::new(&[]);
/// Those of the program, in the order of the C library.
static OF_PROGRAM: Global<Vec<u64>> = Global::new(Vec::new());

/// Takes the constructors of the program away from the C library. False if the system refuses that: then what they do
/// cannot be part of the runs.
#[must_use]
pub(super) fn take_over() -> bool {
    let Some(InitArray { functions, size_at }) = elf::init_array() else { return true };
    TAKEN.write(functions);
    patch::overwrite_data(size_at, &0u64.to_le_bytes())
}

fn is_of_pass(constructor: u64) -> bool {
    recover::read_value(constructor.wrapping_sub(8)) == Some(CONSTRUCTOR_MARK)
}

fn run(constructor: u64, arguments: &Arguments) {
    // SAFETY: the loader's list has the address of a function with this signature.
    let constructor: Constructor = unsafe { core::mem::transmute(constructor as *const ()) };
    constructor(arguments.argc, arguments.argv, arguments.envp);
}

/// Runs those of the pass, before the first run. Faults are handled already: what lies before a function may be no
/// memory.
pub(super) fn announce(arguments: &Arguments) {
    let (of_pass, of_program): (Vec<u64>, Vec<u64>) = TAKEN.read().iter().partition(|&&it| is_of_pass(it));
    // SAFETY: one OS thread; the borrow ends with this statement.
    *unsafe { OF_PROGRAM.get() } = of_program;
    of_pass.into_iter().for_each(|it| run(it, arguments));
}

/// Runs those of the program, at the beginning of a run.
pub(super) fn construct(arguments: &Arguments) {
    // SAFETY: one OS thread; the list does not change any more.
    for &constructor in unsafe { OF_PROGRAM.get() }.iter() {
        run(constructor, arguments);
    }
}
