//! What later calls do with memory that the C library was given before (`setvbuf`, `putenv`, `initstate`).

use super::extent::length;
use super::imports::address_if_named;
use crate::engine::kept::{Keeper, KeptMemory};
use crate::engine::with;
use crate::hooks::{argument_read, argument_write};
use crate::platform::{Global, elf};
use core::ffi::{CStr, c_char};
use inspect_core::event::SiteId;

/// `BUFSIZ`.
const DEFAULT_BUFFER: u64 = 8192;

/// The stream keeps what it reads or writes in this memory from now on. `mode` is the argument that may ask for no
/// buffer.
pub(super) fn keep_buffer(stream: u64, buffer: u64, mode: Option<u64>, size: Option<u64>) {
    const UNBUFFERED: u32 = 2;
    let len = size.unwrap_or(DEFAULT_BUFFER);
    let has_none = mode.map_or(buffer == 0, |mode| mode as u32 == UNBUFFERED) || (buffer != 0 && len == 0);
    let keeper = Keeper::Stream(stream);
    with(|engine| {
        if has_none {
            engine.kept.forget(keeper);
        } else if buffer != 0 {
            engine.kept.keep(KeptMemory { keeper, start: buffer, len });
        }
    });
}

/// The stream is closed, or opened anew.
pub(super) fn forget_buffer(stream: u64) {
    with(|engine| engine.kept.forget(Keeper::Stream(stream)));
}

/// The buffer of the stream, if the program gave it one.
pub(super) fn buffer_of(stream: u64) -> Option<KeptMemory> {
    with(|engine| engine.kept.of(Keeper::Stream(stream)).next())
}

/// The calling thread is in a call that sets the time zone from now on.
pub(super) fn begin_time_zone() {
    with(|engine| engine.kept.keep(KeptMemory { keeper: Keeper::TimeZone, start: 0, len: 0 }));
}

/// The call is over.
pub(super) fn end_time_zone() {
    with(|engine| engine.kept.forget(Keeper::TimeZone));
}

/// The string is an environment variable from now on.
pub(super) fn keep_variable(start: u64) {
    with(|engine| engine.kept.keep(KeptMemory { keeper: Keeper::Environment, start, len: 0 }));
}

/// `random` has its state in this memory from now on, of which it uses a part that depends on the size.
pub(super) fn keep_state(start: u64, size: Option<u64>) {
    const SIZES: [u64; 5] = [8, 32, 64, 128, 256];
    const KINDS: u32 = 5;
    if start == 0 {
        return;
    }
    let len = match size {
        Some(size) => SIZES.into_iter().rev().find(|&known| known <= size).unwrap_or(0),
        // SAFETY: the program passes a state; its first word says its kind, to base 5.
        None => SIZES[(unsafe { (start as *const u32).read_unaligned() } % KINDS) as usize],
    };
    if len != 0 {
        with(|engine| engine.kept.keep(KeptMemory { keeper: Keeper::Random, start, len }));
    }
}

/// The state of `random`, if the program gave it one.
pub(super) fn state_of_random() -> Option<KeptMemory> {
    with(|engine| engine.kept.of(Keeper::Random).next())
}

/// A call looks at the environment, or changes it: it reads the variables that are memory of the program, and the C
/// library's variable that says where all are, which the program may look at itself.
pub(super) fn use_environment(changes: bool, site: SiteId) {
    static PLACE: Global<Option<u64>> = Global::new(None);
    // SAFETY: one OS thread; the borrow ends here.
    let place = *unsafe { PLACE.get() }.get_or_insert_with(|| {
        let named = ["environ", "__environ", "_environ"].map(address_if_named);
        named.into_iter().find(|&address| address != 0).unwrap_or(0)
    });
    if place != 0 {
        if changes {
            argument_write(place, 8, site)
        } else {
            argument_read(place, 8, site)
        }
        read_vector(site);
    }
    if with(|engine| engine.kept.of(Keeper::Environment).next().is_none()) {
        return;
    }
    for variable in variables() {
        if with(|engine| engine.kept.of(Keeper::Environment).any(|known| known.start == variable)) {
            // SAFETY: the program gave it as a string; if it is none any more, it faults here as it would there.
            let len = unsafe { CStr::from_ptr(variable as *const c_char) }.count_bytes() as u64 + 1;
            argument_read(variable, len, site);
        }
    }
}

/// Reads the vector of the environment and its strings, which may be memory of the program's own where that can set
/// the C library's variable.
fn read_vector(site: SiteId) {
    let vector = word(elf::find("environ") as u64);
    argument_read(vector, 8, site);
    for (number, variable) in (1..).zip(variables()) {
        argument_read(variable, length::<u8>(variable, u64::MAX - variable) + 1, site);
        argument_read(vector + 8 * number, 8, site);
    }
}

/// The environment variables.
fn variables() -> impl Iterator<Item = u64> {
    let vector = word(elf::find("environ") as u64);
    (0..).map(move |at| if vector == 0 { 0 } else { word(vector + 8 * at) }).take_while(|&variable| variable != 0)
}

/// The word at an address: the C library's variable, or an element of the vector that it points to, which ends with a
/// null pointer.
fn word(address: u64) -> u64 {
    // SAFETY: the variable is there, and the vector up to its end; if the program has set it to anything else, it
    // faults here as it would in the C library.
    if address == 0 { 0 } else { unsafe { *(address as *const u64) } }
}
