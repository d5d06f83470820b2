//! Which imported functions are known: taken over by the guest or harmless, by their rows ([`inspect_wire::library`]),
//! or instrumented themselves. What any other function accesses is not known, so a program that calls one cannot be
//! verified; where its calls cannot be noticed one by one ([`unknown`]), nor can one that could call it.

use super::unknown;
use crate::platform::elf::{self, Imports};
use crate::search::UnknownImports;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_wire::library::{self, Guest};

/// Looks at what the program and its own libraries import.
pub(crate) fn unknown_imports() -> UnknownImports {
    let all = elf::imports();
    let modules = elf::modules();
    let calls = elf::program_calls();
    let mut unknown = UnknownImports { names: Vec::new(), missing: Vec::new() };
    for object in all.iter().filter(|object| is_instrumented(object) || object.path.is_empty()) {
        for name in &object.names {
            let needs_library = |guest| matches!(guest, Guest::Announces | Guest::Refuses);
            let in_guest = library::row(name).is_some_and(|row| needs_library(row.guest));
            if in_guest && elf::find(name).is_null() && !unknown.missing.contains(name) {
                unknown.missing.push(name.clone());
            }
            if is_known(name) || unknown.names.contains(name) {
                continue;
            }
            let address = elf::find(name) as u64;
            let definer = modules.iter().find(|module| (module.start..module.end).contains(&address));
            let path = definer.map_or("", |module| module.path.as_str());
            let instrumented = all.iter().any(|object| object.path == path && is_instrumented(object));
            if address == 0 || instrumented {
                continue;
            }
            // What another library of the program has called before the runs was not noticed.
            let own = object.path.is_empty().then(|| calls.get(name)).flatten();
            if !own.is_some_and(|&slot| unknown::divert(name, slot)) {
                unknown.names.push(name.clone());
            }
        }
    }
    unknown
}

fn is_instrumented(object: &Imports) -> bool {
    object.names.iter().any(|name| name.starts_with("__inspect_"))
}

/// Whether the program or one of its libraries can register functions that are called when the process or a thread
/// ends, or uses what is not known.
pub(crate) fn registers_for_exit() -> bool {
    // By `dlsym` a program finds all of them.
    let registers =
        |name: &String| name.contains("atexit") || ["on_exit", "dlsym"].contains(&name.as_str()) || !is_known(name);
    elf::imports().iter().filter(|object| !object.of_system).flat_map(|object| &object.names).any(registers)
}

fn is_known(name: &str) -> bool {
    library::row(name).is_some_and(|row| row.guest != Guest::Unknown)
}
