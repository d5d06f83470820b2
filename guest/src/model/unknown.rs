//! Calls of functions of which it is not known what they access. A program is not kept from being verified by what it
//! could call, on a path that no execution takes, but by what it calls: the slots of such calls lead to entry points
//! that note the call and go on in the function.

use super::arguments::Frame;
use crate::engine::note_unknown_call;
use crate::engine::site::of_call;
use crate::platform::{Global, divert_call, started};
use alloc::string::String;
use alloc::vec::Vec;

// How many entry points there are, and the number of the first.
include!(concat!(env!("OUT_DIR"), "/unknown.rs"));

unsafe extern "C" {
    /// The first entry point.
    static inspect_unknown: u8;
}

/// A function that has an entry point, in the order of these.
struct Diverted {
    name: String,
    address: u64,
}

static DIVERTED: Global<Vec<Diverted>> = Global::new(Vec::new());

/// Whether this is the number of such an entry point.
pub(super) fn has_number(number: usize) -> bool {
    number >= FIRST
}

/// Has calls through a slot of the program noticed. False if they cannot be.
pub(super) fn divert(name: &str, slot: u64) -> bool {
    // SAFETY: one OS thread; the borrow ends here.
    let diverted = unsafe { DIVERTED.get() };
    if diverted.len() == ENTRIES {
        return false;
    }
    let entry = (&raw const inspect_unknown) as u64 + diverted.len() as u64 * SPACING;
    let Some(address) = divert_call(slot, entry) else { return false };
    diverted.push(Diverted { name: String::from(name), address });
    true
}

/// Notes a call, and says where it goes on.
pub(super) fn called(number: usize, frame: &Frame) -> *const () {
    // SAFETY: one OS thread; the list does not change once the program runs.
    let function = unsafe { &DIVERTED.get()[number - FIRST] };
    if started() {
        note_unknown_call(&function.name, of_call(frame.return_address));
    }
    function.address as *const ()
}
