//! `dlsym`: the address of a symbol by its name.
//!
//! What the guest takes from the program's imports (which functions it uses, and so what can happen at all) does not
//! hold for a function that the program finds by its name. So only two kinds of functions pass, of libraries and with a
//! row: those that the program imports as well, and those that compute from their arguments alone. Any other symbol
//! that is found is named beside the verdict. Calls of a function without a row are noticed at the slot of its import
//! ([`super::unknown`]), which its address passes by.

use super::exception::{Function, announced, site_of};
use super::extent::length;
use super::imports::imports_one_of;
use super::real;
use crate::engine::note_uncontrolled;
use crate::hooks::argument_read;
use crate::platform::{caller, elf, started};
use alloc::format;
use alloc::string::String;
use inspect_core::event::SiteId;
use inspect_wire::library::{self, CallEffect, Guest, LibraryRow, Outcome};

announced! {
    interpose_dlsym => find;
}

/// `RTLD_DEFAULT`: in all libraries, in the order in which they were loaded.
const DEFAULT: u64 = 0;
/// `RTLD_NEXT`: in those behind the caller's own.
const NEXT: u64 = u64::MAX;

/// `dlsym`. The library's function goes by who calls it, and so is jumped to.
extern "C" fn find(handle: u64, name: u64, pc: u64) -> Function {
    if started() {
        look_at(handle, name, pc);
    }
    real!("dlsym" as fn(u64, u64))
}

fn look_at(handle: u64, name: u64, pc: u64) {
    let site = site_of(pc);
    let size = length::<u8>(name, u64::MAX - name);
    argument_read(name, size + 1, site);
    // SAFETY: the program passes a text; if not, measuring it has faulted, as the library would have.
    let bytes = unsafe { core::slice::from_raw_parts(name as *const u8, size as usize) };
    judge(handle, bytes, site);
}

fn judge(handle: u64, name: &[u8], site: SiteId) {
    let name = String::from_utf8_lossy(name);
    let is_default = matches!(handle, DEFAULT | NEXT);
    let address = elf::find(&name) as u64;
    if is_default && (address == 0 || is_covered(&name, address)) {
        return;
    }
    let of = if is_default { "" } else { " in a library that the program has loaded itself" };
    note_uncontrolled(format!("dlsym of {name}{of}"), site);
}

/// Whether a call of the function at this address does nothing that the guest takes for impossible.
fn is_covered(name: &str, address: u64) -> bool {
    let described = library::row(name).filter(|row| row.guest != Guest::Unknown);
    let is_covered = |row| imports_one_of(&[name]) || computes(row);
    !caller::is_instrumented(address) && described.is_some_and(is_covered)
}

/// Whether a function does nothing but compute from its arguments and what they point to.
fn computes(row: &LibraryRow) -> bool {
    let is_of_argument = |effect: &CallEffect| {
        matches!(effect, CallEffect::Reads(..) | CallEffect::Writes(..) | CallEffect::Unannounced(..))
    };
    let is_made_by_library = matches!(row.guest, Guest::Harmless | Guest::Announces);
    is_made_by_library
        && row.role.is_none()
        && row.outcome == Outcome::Determined
        && row.effects.iter().all(is_of_argument)
}
