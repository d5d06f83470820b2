//! The compiler pass: a plugin of the linker that sees the whole program as LLVM's intermediate code, finds the
//! accesses that another thread may reach and inserts calls of the hooks named in [`inspect_wire::hooks`].
//!
//! The linker calls [`llvmGetPassPluginInfo`]; `shim/plugin.cpp` puts the pass into the link-time pipeline and prepares
//! the code; [`inspect_pass_run`] does the rest: [`access`] lists the accesses, [`points_to`] finds out which memory
//! they lead to, [`sharing`] decides which of them another thread may see, [`unread`] which of them nobody looks at,
//! [`loops`] finds the loops in which a thread may wait, [`facts`] derives what a pruning search has to know of the
//! code, [`hook`] inserts the calls, [`sites`] the static records of their places in the source, and [`call_only`] the
//! objects that no access reaches. [`scopes`] adds the ends of local variables to the accesses. For searches that
//! compare states, [`frames`] adds records of what lives in each function, and for those that look for uses of
//! uninitialised memory [`uninitialised`] prepares what LLVM's MemorySanitizer adds.

mod access;
mod asm;
mod call_only;
mod checks;
mod facts;
mod frames;
mod hook;
mod ir;
mod loops;
mod points_to;
mod processor;
mod scopes;
mod sharing;
mod shim;
mod sites;
mod strings;
mod tables;
mod uninitialised;
mod unread;
mod unseen;
mod uses;

use access::Access;
use hook::Inserter;
use inspect_wire::hooks;
use ir::{Module, Value, llvm};
use llvm_sys::LLVMLinkage;
use llvm_sys::LLVMOpcode::LLVMRet;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use points_to::Analysis;
use scopes::Scopes;
use sharing::{Reach, Sharing};
use std::collections::HashSet;
use std::ffi::{CString, c_char, c_void};
use unread::Unread;

/// What LLVM wants to know about a plugin (`PassPluginLibraryInfo`, interface version 2).
#[repr(C)]
#[derive(Debug)]
pub struct PluginInfo {
    interface_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
    before_code_generation: Option<unsafe extern "C" fn(*mut c_void, *mut c_void, i32, *mut c_void) -> bool>,
}

/// The entry point of the plugin.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    PluginInfo {
        interface_version: 2,
        name: c"inspect".as_ptr(),
        version: c"1".as_ptr(),
        register: shim::inspect_shim_register,
        before_code_generation: None,
    }
}

/// Instruments a module.
///
/// # Safety
/// `module` is a valid module of the linker's, which no other code uses or changes during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn inspect_pass_run(module: LLVMModuleRef) {
    let module = Module(module);
    strings::hide(module);
    let uses = uses::of_unknown_functions(module);
    let functions = processor::settled(module.functions().into_iter().filter(|f| f.is_instrumented()).collect());
    let mut accesses: Vec<_> = functions.iter().flat_map(|f| access::accesses(module, *f)).collect();
    let variables: Vec<Value> = functions.iter().flat_map(|f| scopes::variables(module, *f)).collect();
    let pointers = accesses.iter().filter_map(|access| access.pointer).chain(variables.iter().copied());
    let analysis = points_to::analyse(module, pointers);
    let all_hooks = std::env::var_os(hooks::ALL_HOOKS_VARIABLE).is_some();
    let sharing =
        if all_hooks { Sharing::everything(&analysis) } else { Sharing::new(&analysis, &accesses, &variables) };
    let unread = if all_hooks { Unread::nothing(&analysis) } else { Unread::new(&analysis, &accesses) };
    let made_by_program = accesses.len();
    let scopes: Vec<Scopes> = functions.iter().map(|f| scopes::scopes(module, *f, &sharing)).collect();
    accesses.extend(scopes.iter().flat_map(|scopes| scopes.ends.iter().copied()));
    let mut finder = loops::Finder::new(module, &analysis, &sharing, &unread, &accesses);
    let parkable: Vec<_> = functions.iter().flat_map(|f| finder.parkable(*f)).collect();
    let mut inserter = Inserter::new(module);
    functions.iter().for_each(|function| inserter.keep_library_calls(*function));
    // The facts come first: calls of hooks are no part of the program that they describe.
    if std::env::var_os(inspect_wire::facts::VARIABLE).is_some() {
        facts::add(module, &functions, &accesses, &analysis, &sharing);
    }
    let main = functions.iter().find(|f| f.name() == "main");
    let ends = main.into_iter().flat_map(|main| main.instructions()).filter(|i| i.opcode() == Some(LLVMRet));
    ends.for_each(|end| inserter.leave_main(end));
    // Loop heads come first: the hook of an access at a head must come between the head's hook and the access.
    parkable.iter().for_each(|one| inserter.parkable(one));
    let begins = scopes.iter().flat_map(|scopes| &scopes.begins);
    begins.for_each(|begin| inserter.begin(begin.before, begin.variable, begin.size));
    insert_hooks(&mut inserter, &functions, &accesses, &sharing, &unread);
    let buffers = inserter.into_buffers();
    if inspect_pass_finds_uninitialised() {
        uninitialised::prepare(module, &functions);
    } else if main.is_some() {
        add_frames(module, &functions, &buffers, &accesses[..made_by_program], &analysis, &sharing);
    }
    finish(module, all_hooks, &uses);
}

/// Whether the program is to find uses of uninitialised memory.
#[unsafe(no_mangle)]
pub extern "C" fn inspect_pass_finds_uninitialised() -> bool {
    std::env::var_os(hooks::UNINITIALISED_VARIABLE).is_some()
}

/// Completes the module: its call-only objects, and what the host reads of it, as the `uses` of unknown functions.
fn finish(module: Module, all_hooks: bool, uses: &[String]) {
    if !all_hooks {
        call_only::collect(module);
    }
    shim::forget();
    mark(module);
    if !uses.is_empty() {
        kept_constant(module, hooks::USES_SYMBOL, hooks::USES_SECTION, strings(module, uses));
    }
}

/// Inserts the hooks of the accesses that another thread may see.
fn insert_hooks(
    inserter: &mut Inserter,
    functions: &[Value],
    accesses: &[Access],
    sharing: &Sharing<'_>,
    unread: &Unread<'_>,
) {
    let redundant = checks::redundant(functions, accesses, sharing);
    // An end comes before the hook of an access at the same place, which nothing may part from the access.
    let (ends, others): (Vec<_>, Vec<_>) = accesses.iter().enumerate().partition(|(_, access)| access.is_end());
    for (index, access) in ends.into_iter().chain(others) {
        let reach = sharing.reach(access);
        if reach != Reach::Private && !redundant.contains(&index) {
            let is_unread = access.pointer.is_some_and(|pointer| unread.contains(pointer));
            inserter.access(access, reach, is_unread);
        }
    }
}

/// Adds the frame records to a program, if the driver asks for them.
fn add_frames(
    module: Module,
    functions: &[Value],
    buffers: &HashSet<Value>,
    accesses: &[Access],
    analysis: &Analysis,
    sharing: &Sharing<'_>,
) {
    let Ok(frames) = std::env::var(hooks::FRAMES_VARIABLE) else { return };
    let delta = frames == hooks::FRAMES_DELTA;
    let effects = delta.then(|| frames::Effects::new(analysis, sharing, accesses, functions));
    // With deltas the guest hashes all memory each time, so there is no flag to set.
    let writers = if delta { Default::default() } else { frames::writers(module, accesses, sharing) };
    frames::insert(module, functions, buffers, &writers, effects.as_ref());
}

/// Adds the hook version, which marks the program as instrumented, and the list of what is not: inputs of the link and
/// parts that consist of assembly.
fn mark(module: Module) {
    let context = module.context();
    let number = llvm!(LLVMConstInt(LLVMInt32TypeInContext(context), hooks::VERSION.into(), 0));
    kept_constant(module, hooks::VERSION_SYMBOL, hooks::VERSION_SECTION, number);
    if module.functions().into_iter().flat_map(|function| function.instructions()).any(Value::is_weak_exchange) {
        kept_constant(module, hooks::WEAK_EXCHANGE_SYMBOL, hooks::WEAK_EXCHANGE_SECTION, number);
    }
    if inspect_pass_finds_uninitialised() {
        kept_constant(module, hooks::UNINITIALISED_SYMBOL, hooks::UNINITIALISED_SECTION, number);
    }
    let missing = std::env::var(hooks::UNINSTRUMENTED_VARIABLE).unwrap_or_default();
    let mut parts: Vec<String> = missing.lines().map(str::to_owned).collect();
    parts.extend(unseen::parts(module));
    if parts.is_empty() {
        return;
    }
    kept_constant(module, hooks::UNINSTRUMENTED_SYMBOL, hooks::UNINSTRUMENTED_SECTION, strings(module, &parts));
    // For the guest, which knows objects by what they import.
    let hook = hooks::names::__inspect_other_parts.name;
    let name = CString::new(hook).unwrap_or_default();
    let nothing = llvm!(LLVMFunctionType(LLVMVoidTypeInContext(context), std::ptr::null_mut(), 0, 0));
    let hook_address = llvm!(LLVMAddFunction(module.0, name.as_ptr(), nothing));
    kept_constant(module, &format!("{hook}_named"), ".data.rel.ro", hook_address);
}

/// Strings, each followed by a NUL.
fn strings(module: Module, strings: &[String]) -> LLVMValueRef {
    let text = strings.join("\0");
    llvm!(LLVMConstStringInContext2(module.context(), text.as_ptr().cast(), text.len(), 0))
}

/// A constant in a section of its own that the linker keeps even if nothing uses it.
fn kept_constant(module: Module, name: &str, section: &str, value: LLVMValueRef) {
    let name = CString::new(name).unwrap_or_default();
    let section = CString::new(section).unwrap_or_default();
    let global = llvm!(LLVMAddGlobal(module.0, LLVMTypeOf(value), name.as_ptr()));
    llvm!(LLVMSetInitializer(global, value));
    llvm!(LLVMSetGlobalConstant(global, 1));
    llvm!(LLVMSetLinkage(global, LLVMLinkage::LLVMInternalLinkage));
    llvm!(LLVMSetSection(global, section.as_ptr()));
    shim::keep(Value(global));
}
