//! What the program itself takes from libraries: what it cannot name, it cannot do.

use crate::platform::{Global, elf};
use alloc::string::String;
use alloc::vec::Vec;

/// The names that the program and its instrumented libraries import.
static NAMES: Global<Vec<String>> = Global::new(Vec::new());

/// Looks at what is imported. To be called before the first run: looking takes more of a stack than anything else does,
/// and the pages of the program's stacks that a run has written to have to be brought back after every run.
pub(crate) fn prepare() {
    let own = |object: &elf::Imports| object.names.iter().any(|name| name.starts_with("__inspect_"));
    let names = elf::imports().into_iter().filter(own).flat_map(|object| object.names).collect();
    // SAFETY: one OS thread; the borrow ends here.
    *unsafe { NAMES.get() } = names;
}

/// Whether the program or one of its instrumented libraries imports one of these.
pub(super) fn imports_one_of(wanted: &[&str]) -> bool {
    // SAFETY: one OS thread; the names do not change during a run.
    unsafe { NAMES.get() }.iter().any(|name| wanted.contains(&name.as_str()))
}

/// The address of a variable of the C library if the program names it, or 0: then the program imports it, or has a copy
/// that the library uses as well.
pub(super) fn address_if_named(name: &str) -> u64 {
    let address = elf::find(name) as u64;
    let is_copy = !elf::modules()
        .iter()
        .any(|module| (module.start..module.end).contains(&address) && module.path.contains("libc.so"));
    if is_copy || imports_one_of(&[name]) { address } else { 0 }
}
