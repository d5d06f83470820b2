//! What the program brings or uses that Inspect cannot see through.

use super::report::Reporter;
use crate::platform::elf;
use alloc::string::String;
use alloc::vec::Vec;
use inspect_wire::library;
use inspect_wire::message::InconclusiveReason;

/// What the program imports that the models know nothing of.
pub(crate) struct UnknownImports {
    /// Functions of the C library.
    pub(crate) names: Vec<String>,
    /// The C++ library is used.
    pub(crate) cxx: bool,
}

/// Functions whose models matter to every run, and which a program may define itself.
const REPLACEABLE: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "posix_memalign",
    "aligned_alloc",
    "memalign",
    "pthread_create",
    "pthread_join",
    "pthread_detach",
    "pthread_exit",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_unlock",
    "pthread_mutex_destroy",
    "pthread_cond_init",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_cond_destroy",
    "pthread_once",
    "pthread_key_create",
    "pthread_getspecific",
    "pthread_setspecific",
    "exit",
    "abort",
];

/// A program that brings its own allocator or threads library is not seen through the models.
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

/// Nobody knows what functions access that are on no list.
pub(super) fn report_unknown_functions(unknown: UnknownImports, reporter: &mut Reporter) {
    for name in unknown.names {
        reporter.inconclusive(InconclusiveReason::UnknownFunction(name));
    }
    if unknown.cxx {
        reporter.inconclusive(InconclusiveReason::CxxLibrary);
    }
}
