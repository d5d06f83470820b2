//! States what global variables, functions and their other names are before the first instruction.

use super::{AbstractObjectKind, Analysis, Watcher};
use crate::ir::{Module, Value};
use crate::points_to::solver::{UNKNOWN, WORLD};
use llvm_sys::LLVMOpcode;

/// Names that the linker gives to the ends of the program's data: who has one reaches all variables.
const ENDS_OF_DATA: &[&str] = &[
    "__bss_start",
    "_end",
    "end",
    "_edata",
    "edata",
    "__data_start",
    "data_start",
    "_etext",
    "etext",
    "__etext",
    "__executable_start",
    "__ehdr_start",
    "_GLOBAL_OFFSET_TABLE_",
];

/// Whether the module knows where its data begins or ends, and so can reach all of it.
pub(crate) fn names_ends_of_data(module: Module) -> bool {
    module.globals().iter().any(|global| global.is_declaration() && ENDS_OF_DATA.contains(&global.name().as_str()))
}

/// Whether a variable with this name holds one of libc's streams.
fn is_stream(name: &str) -> bool {
    matches!(name, "stdin" | "stdout" | "stderr")
}

/// Whether the module does nothing with the variable but read it.
fn is_only_read(global: Value) -> bool {
    global.users().into_iter().all(|user| user.opcode() == Some(LLVMOpcode::LLVMLoad))
}

impl Analysis {
    pub(super) fn state_globals(&mut self, module: Module) {
        for function in module.functions() {
            let object = self.object(AbstractObjectKind::Function, Some(function));
            // Functions of a named section are also reached through the symbols at its ends.
            let is_reached = !function.is_local() || function.has_section();
            if function.is_defined_function() && is_reached && function.name() != "main" {
                self.solver.address(WORLD, object);
            }
        }
        let globals = module.globals();
        let names_ends = names_ends_of_data(module);
        for global in &globals {
            self.state_variable(*global, names_ends);
        }
        for global in globals {
            self.state_content(global, names_ends);
        }
        for alias in module.aliases().into_iter().chain(module.resolved_functions()) {
            if !alias.is_local() {
                self.escape(alias);
            }
        }
        if let Some(main) = module.named_function("main") {
            for parameter in main.parameters() {
                let node = self.node(parameter);
                self.solver.address(node, UNKNOWN);
            }
        }
        let watcher = self.watcher(Watcher::Escape);
        self.solver.watch(WORLD, watcher);
    }

    /// Makes the object of a global variable, and lets it escape if the outside world can reach it, or the program does
    /// by the ends of its data.
    fn state_variable(&mut self, global: Value, names_ends: bool) {
        let name = global.name();
        let kind = match () {
            () if global.is_thread_local() => AbstractObjectKind::ThreadLocal,
            // libc's streams are set once, before main, unless the program assigns to them.
            () if global.is_constant_global() || (is_stream(&name) && is_only_read(global)) => {
                AbstractObjectKind::Constant
            }
            () => AbstractObjectKind::Global,
        };
        let object = self.object(kind, Some(global));
        // Variables collected in a section are also reached through the symbols at its ends.
        let internal =
            (global.is_local() && !global.has_section() && !(names_ends && kind == AbstractObjectKind::Global))
                || name.starts_with("llvm.")
                || kind == AbstractObjectKind::Constant;
        if !internal {
            self.solver.address(WORLD, object);
        }
    }

    /// States what a global variable holds from the start. All variables have objects by now: they may point to each
    /// other.
    fn state_content(&mut self, global: Value, names_ends: bool) {
        let object = self.objects[&global];
        let content = self.solver.content(object);
        if let Some(initializer) = global.initializer() {
            let from = self.node(initializer);
            self.solver.copy(from, content);
        }
        // Destructors run in the thread that ends the process; constructors of a library in the one that loads it.
        let name = global.name();
        if name == "llvm.global_dtors" || (name == "llvm.global_ctors" && !self.has_main) {
            self.solver.copy(content, WORLD);
        }
        let is_reached = !global.is_local() || global.has_section() || names_ends;
        if self.kind(object) == AbstractObjectKind::Constant && is_reached && global.is_constant_global() {
            // Another module may read the table, or has filled it, or it is read by the ends of its section.
            self.solver.copy(content, WORLD);
            if global.is_declaration() {
                self.solver.address(content, UNKNOWN);
            }
        }
    }
}
