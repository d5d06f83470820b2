//! What output to streams of the C++ library accesses.

use crate::hooks::{argument_read, argument_write};
use crate::platform::elf;
use inspect_core::event::SiteId;
use inspect_wire::library::CallEffect;

/// Streams that several threads may write to at the same time.
const STANDARD: [&str; 3] = ["_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"];

/// Bytes at the beginning of a stream that stand for all of it: each use counts as writing them.
const STREAM: u64 = 8;

/// Announces an effect on a stream or a string at this address.
pub(super) fn announce(effect: CallEffect, at: u64, site: SiteId) {
    if matches!(effect, CallEffect::UsesOutput(_)) { use_output(at, site) } else { read_string(at, site) }
}

/// Announces that a stream is written to.
fn use_output(stream: u64, site: SiteId) {
    if !STANDARD.iter().any(|name| elf::find(name) as u64 == stream) {
        argument_write(stream, STREAM, site);
    }
}

/// Announces that a `std::string` is read: the address of its characters, their number, and they themselves.
fn read_string(string: u64, site: SiteId) {
    const POINTER_AND_LENGTH: u64 = 16;
    argument_read(string, POINTER_AND_LENGTH, site);
    // SAFETY: the program passes a string; if not, it faults here as it would in the library.
    let [characters, length] = unsafe { *(string as *const [u64; 2]) };
    argument_read(characters, length, site);
}
