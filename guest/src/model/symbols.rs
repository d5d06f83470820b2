//! `dlsym`: the address of a symbol by its name.
//!
//! What the guest takes from the program's imports (which functions it uses, and so what can happen at all) does not
//! hold for a function that the program finds by its name. So those only pass that do nothing the guest could have left
//! out: functions that the program imports as well, and functions of the library that are harmless or announced. Any
//! other symbol that is found is named beside the verdict.

use super::exception::{Function, announced, site_of};
use super::extent::length;
use super::imports::imports_one_of;
use super::real;
use crate::engine::note_uncontrolled;
use crate::hooks::argument_read;
use crate::platform::{elf, started};
use alloc::format;
use alloc::string::String;
use inspect_core::event::SiteId;
use inspect_wire::library::{self, Guest};

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
    if is_default && (elf::find(&name).is_null() || is_covered(&name)) {
        return;
    }
    let of = if is_default { "" } else { " in a library that the program has loaded itself" };
    note_uncontrolled(format!("dlsym of {name}{of}"), site);
}

/// Whether a call of the function by its address does nothing that the guest takes for impossible.
fn is_covered(name: &str) -> bool {
    let is_plain =
        |row: &library::LibraryRow| matches!(row.guest, Guest::Harmless | Guest::Announces) && row.role.is_none();
    imports_one_of(&[name]) || library::row(name).is_some_and(is_plain)
}
