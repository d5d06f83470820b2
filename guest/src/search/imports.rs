//! Functions that keep a program from being verified: those it defines in place of modelled ones, and unknown ones.

use super::report::Reporter;
use crate::platform::elf;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_wire::library;
use inspect_wire::message::InconclusiveReason;

/// What the program imports without it being known what that does.
pub(crate) struct UnknownImports {
    /// Functions and variables of libraries.
    pub(crate) names: Vec<String>,
    /// Functions that none of the program's libraries has. The linker has found their entry points in the guest.
    pub(crate) missing: Vec<String>,
}

/// Reports modelled functions that the program defines itself, as its own allocator or threads library does: calls of
/// them do not reach the models.
pub(super) fn report_replaced_functions(reporter: &mut Reporter) {
    let modules = elf::modules();
    let Some(program) = modules.iter().find(|module| module.path.is_empty()) else { return };
    for name in library::ALL.iter().filter(|row| row.essential).map(|row| row.name) {
        let address = elf::find(name) as u64;
        if (program.start..program.end).contains(&address) {
            reporter.inconclusive(InconclusiveReason::ReplacedFunction(String::from(name)));
        }
    }
}

/// Reports imported functions of which it is not known what they access.
pub(super) fn report_unknown_functions(unknown: UnknownImports, reporter: &mut Reporter) {
    for name in unknown.names {
        reporter.inconclusive(InconclusiveReason::UnknownFunction(name));
    }
    for name in unknown.missing {
        let advice = "link with the library that has it, as -lm for functions of math.h";
        reporter.inconclusive(InconclusiveReason::Other(format!(
            "no library that the program is linked with has {name}: {advice}"
        )));
    }
}
