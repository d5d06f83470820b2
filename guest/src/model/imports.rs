//! What the program itself takes from libraries: what it cannot name, it cannot do.

use crate::platform::elf;

/// Whether the program or one of its instrumented libraries imports one of these.
pub(super) fn imports_one_of(wanted: &[&str]) -> bool {
    let imports = elf::imports();
    let own = imports.iter().filter(|object| object.names.iter().any(|name| name.starts_with("__inspect_")));
    own.flat_map(|object| &object.names).any(|name| wanted.contains(&name.as_str()))
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
