//! Messages of `std::logic_error` and `std::runtime_error`, which copies of an exception share: strings that the C++
//! library counts the references to in its own code. As with exception objects ([`super::exception`]), the end of a
//! reference to a message that was ever shared is an atomic operation, and a new reference is none.

use super::exception::{Function, announced, count_down, site_of};
use super::real;
use crate::hooks::{argument_read, argument_write};
use crate::platform::{elf, started};

announced! {
    interpose__ZNSt11logic_errorC1ERKS_ => copy_logic_error;
    interpose__ZNSt11logic_errorC2ERKS_ => copy_logic_error;
    interpose__ZNSt11logic_errorD1Ev => end_logic_error;
    interpose__ZNSt11logic_errorD2Ev => end_logic_error;
    interpose__ZNSt13runtime_errorC1ERKS_ => copy_runtime_error;
    interpose__ZNSt13runtime_errorC2ERKS_ => copy_runtime_error;
    interpose__ZNSt13runtime_errorD1Ev => end_runtime_error;
    interpose__ZNSt13runtime_errorD2Ev => end_runtime_error;
    interpose__ZNSs6assignERKSs => assign;
}

/// Where an exception has its message: the address of a string.
const MESSAGE: u64 = 8;
const EXCEPTION: u64 = 16;
const STRING: u64 = 8;

/// What lies before the characters of a string: its length, its room, the number of references but one, and four bytes
/// in which the library keeps nothing.
const HEAD: u64 = 24;
const COUNT: u64 = 8;
const UNUSED: u64 = 4;

/// What is in those four bytes of a string that was shared. They are not cleared before.
const SHARED: u32 = 0x5ab1_e0f7;

extern "C" fn copy_logic_error(copy: u64, exception: u64, pc: u64) -> Function {
    note_copy(copy, exception, pc);
    real!("_ZNSt11logic_errorC1ERKS_" as fn(u64, u64))
}

extern "C" fn copy_runtime_error(copy: u64, exception: u64, pc: u64) -> Function {
    note_copy(copy, exception, pc);
    real!("_ZNSt13runtime_errorC1ERKS_" as fn(u64, u64))
}

extern "C" fn end_logic_error(exception: u64, _: u64, pc: u64) -> Function {
    note_end(exception, pc);
    real!("_ZNSt11logic_errorD1Ev" as fn(u64, u64))
}

extern "C" fn end_runtime_error(exception: u64, _: u64, pc: u64) -> Function {
    note_end(exception, pc);
    real!("_ZNSt13runtime_errorD1Ev" as fn(u64, u64))
}

/// `std::string::assign` of strings that are shared, by which exceptions are assigned.
extern "C" fn assign(string: u64, other: u64, pc: u64) -> Function {
    if started() {
        argument_read(other, STRING, site_of(pc));
        argument_write(string, STRING, site_of(pc));
        note_shared(characters_of(other));
        give_up(characters_of(string), pc);
    }
    real!("_ZNSs6assignERKSs" as fn(u64, u64))
}

fn note_copy(copy: u64, exception: u64, pc: u64) {
    if started() {
        argument_read(exception, EXCEPTION, site_of(pc));
        argument_write(copy, EXCEPTION, site_of(pc));
        note_shared(characters_of(exception + MESSAGE));
    }
}

fn note_end(exception: u64, pc: u64) {
    if started() {
        argument_write(exception, EXCEPTION, site_of(pc));
        give_up(characters_of(exception + MESSAGE), pc);
    }
}

/// Where the characters of a string are.
fn characters_of(string: u64) -> u64 {
    // SAFETY: the program passes a string; if not, it faults here as it would in the library.
    unsafe { *(string as *const u64) }
}

/// Whether these are the characters of the empty string, which nobody counts.
fn is_uncounted(characters: u64) -> bool {
    characters - HEAD == elf::find("_ZNSs4_Rep20_S_empty_rep_storageE") as u64
}

fn note_shared(characters: u64) {
    if !is_uncounted(characters) {
        // SAFETY: the string that has these characters is alive, and nothing is kept there.
        unsafe { *((characters - UNUSED) as *mut u32) = SHARED };
    }
}

fn give_up(characters: u64, pc: u64) {
    // SAFETY: the string that has these characters is alive until the library's function has run.
    if unsafe { *((characters - UNUSED) as *const u32) } == SHARED {
        count_down(characters - COUNT, pc);
    }
}
