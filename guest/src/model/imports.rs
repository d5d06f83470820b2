//! What the program itself takes from libraries: what it cannot name, it cannot do.

use crate::platform::{Global, elf};
use alloc::string::String;
use alloc::vec::Vec;

/// Looks at what is imported. To be called before the first run: looking takes more of a stack than anything else does,
/// and the pages of the program's stacks that a run has written to have to be brought back after every run.
pub(crate) fn prepare() {
    imports_one_of(&[]);
}

/// Whether the program or one of its instrumented libraries imports one of these.
pub(super) fn imports_one_of(wanted: &[&str]) -> bool {
    static NAMES: Global<Option<Vec<String>>> = Global::new(None);
    // SAFETY: one OS thread; the names do not change once they are known.
    let names = unsafe { NAMES.get() }.get_or_insert_with(names);
    names.iter().any(|name| wanted.contains(&name.as_str()))
}

/// The names that the program and its instrumented libraries import.
fn names() -> Vec<String> {
    // A program whose accesses need no hooks imports none.
    let is_instrumented = |object: &elf::Imports| object.names.iter().any(|name| name.starts_with("__inspect_"));
    let own = |object: &elf::Imports| object.path.is_empty() || is_instrumented(object);
    elf::imports().into_iter().filter(own).flat_map(|object| object.names).collect()
}

/// The address of a variable of the C library if the program names it, or 0: then the program imports it, or has a copy
/// that the library uses as well.
pub(super) fn address_if_named(name: &str) -> u64 {
    let address = elf::find(name) as u64;
    // Variables that begin as zeros lie behind what is mapped of the object's file.
    let modules = elf::modules();
    let object = modules.iter().filter(|module| module.start <= address).max_by_key(|module| module.start);
    let is_copy = !object.is_some_and(|module| module.path.contains("libc.so"));
    if is_copy || imports_one_of(&[name]) { address } else { 0 }
}
