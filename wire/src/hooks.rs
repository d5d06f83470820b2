//! The contract between the instrumentation and the guest: the functions whose calls the pass inserts and the static
//! record that each of them is given. This file is the only place that names them.
//!
//! All hooks use the C calling convention and are called *before* the access they announce. As only one thread of the
//! program runs at a time and a thread is switched only inside a hook or a modelled call, nothing comes between a
//! hook's return and the access.
//!
//! Each hook is one row of the macro [`hooks!`](HOOKS), which makes of it its description ([`names`]), its entry in the
//! list ([`HOOKS`]), the signature that the pass declares it with ([`Hook::parameters`]), and the type that the guest's
//! function must have ([`Definitions`]).
//!
//! A `size` of 0 (a memory intrinsic of length 0) is no access. Orders use the `__ATOMIC_*` numbering.
//!
//! The loop-head hook is inserted only where the pass has shown that one iteration can change nothing but its header's
//! phis and memory that is hooked (S14); the guest decides whether to park. It is also called, with a count of
//! [`LOOP_ENTRY`] and no values, just before the loop is entered from outside: visits before the entry belong to
//! another passage through the loop, with other live registers around it, and must not be compared with the visits that
//! follow. No two loops share a [`Site`] record.

mod list;

pub use list::{Definitions, HOOKS, names};

use core::ffi::c_char;
use inspect_core::run::Identity;

/// The `count` of `__inspect_loop_head` that announces that the loop is about to be entered; `values` is null.
pub const LOOP_ENTRY: u64 = u64::MAX;

/// What lies right before a constructor that the pass adds, as eight bytes: it only tells the guest something, before
/// any run. All other constructors of the program are part of each run.
pub const CONSTRUCTOR_MARK: u64 = 0x7472_6174_7370_6e69;

/// Version of this contract. The pass stores it in every instrumented binary ([`VERSION_SYMBOL`]); a guest refuses
/// another one.
pub const VERSION: u32 = 12;

/// A global `u32` in the instrumented program that holds [`VERSION`]. It is alone in its section.
pub const VERSION_SYMBOL: &str = "__inspect_hook_version";

/// Name of the ELF section that holds [`VERSION_SYMBOL`]: what the host reads before it starts a program. A program
/// joined from several partial links has the number several times.
pub const VERSION_SECTION: &str = "inspect_version";

/// Name of the ELF section in which the pass collects the [`Site`] records.
pub const SITE_SECTION: &str = "inspect_sites";

/// Name of the ELF section in which the pass collects the synchronisation objects that the program uses for nothing but
/// calls.
pub const CALL_ONLY_SECTION: &str = "inspect_call_only";

/// Name of the ELF section, and of the symbol at its start, that lists the inputs of the link that are not
/// instrumented: file names, each followed by a NUL. Absent if there are none. A program with such inputs is never
/// verified.
pub const UNINSTRUMENTED_SECTION: &str = "inspect_uninstrumented";

/// See [`UNINSTRUMENTED_SECTION`].
pub const UNINSTRUMENTED_SYMBOL: &str = "__inspect_uninstrumented";

/// Name of the ELF section, and of the symbol at its start, that says where the program uses the addresses of functions
/// that no table describes: the name of the function and `file:line:column`, each followed by a NUL. Calls through
/// these addresses are not noticed. Absent if there are none.
pub const USES_SECTION: &str = "inspect_uses";

/// See [`USES_SECTION`].
pub const USES_SYMBOL: &str = "__inspect_uses";

/// Name of the ELF section, and of the symbol at its start, that a program has which makes weak compare-exchanges: its
/// verdict assumes that these do not fail for no reason.
pub const WEAK_EXCHANGE_SECTION: &str = "inspect_weak_exchange";

/// See [`WEAK_EXCHANGE_SECTION`].
pub const WEAK_EXCHANGE_SYMBOL: &str = "__inspect_weak_exchange";

/// The environment variable in which the compiler driver gives the pass that list, one name a line.
pub const UNINSTRUMENTED_VARIABLE: &str = "INSPECT_UNINSTRUMENTED";

/// What distinguishes a statically initialised mutex from zeroed memory: `PTHREAD_MUTEX_INITIALIZER` and its variants,
/// as the shadowing `pthread.h` defines them, store [`MUTEX_MARK`] in the two bytes at this offset of a
/// `pthread_mutex_t` (`__data.__elision`). glibc on x86-64 uses that field only where lock elision is switched on, and
/// there only to delay the next attempt at elision.
pub const MUTEX_MARK_OFFSET: usize = 22;
/// See [`MUTEX_MARK_OFFSET`].
pub const MUTEX_MARK: u16 = 0x4e49;

/// What distinguishes a statically initialised condition variable from zeroed memory: `PTHREAD_COND_INITIALIZER` stores
/// [`COND_MARK`] in the four bytes at this offset of a `pthread_cond_t` (`__data.__wrefs`). That bit asks the last
/// waiter that leaves to wake the thread that destroys the object; if no thread destroys it, the wake-up has no effect.
pub const COND_MARK_OFFSET: usize = 36;
/// See [`COND_MARK_OFFSET`].
pub const COND_MARK: u32 = 4;

/// What distinguishes a statically initialised read-write lock from zeroed memory: `PTHREAD_RWLOCK_INITIALIZER` and its
/// variant store [`RWLOCK_MARK`] in the four bytes at this offset of a `pthread_rwlock_t` (the end of `__data.__pad1`),
/// which glibc on x86-64 does not use.
pub const RWLOCK_MARK_OFFSET: usize = 36;
/// See [`RWLOCK_MARK_OFFSET`].
pub const RWLOCK_MARK: u32 = 0x494c_5752;

/// A frame record: what a function of a program with frame records keeps on its stack, so that two local states of a
/// thread are distinguished wherever the thread would go on differently. This is the beginning of a longer record:
/// addresses of the function's local variables follow ([`CallSite::variables`]), then the values that live beyond the
/// present call or are passed to it ([`CallSite::values`]), a word each.
///
/// The variable announced with `__inspect_frames` is thread-local and holds the address of the innermost record; before
/// each call that might come to a visible operation the function updates its own record and stores its address there.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Frame {
    /// The record that was innermost when the function was entered: its caller's record, if the caller has one.
    pub caller: *mut Frame,
    /// The return address of the function; of an inlined function, that of the function it was inlined into.
    pub returns_to: u64,
    /// The present call.
    pub site: *const CallSite,
    /// Counted by the guest: the visible operations in the present call so far. The program sets it to 0 before each
    /// call.
    pub operations: u64,
}

/// The static record of a call; no two calls share one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CallSite {
    /// Words in the frame record that hold values.
    pub values: u32,
    /// Words that hold addresses of variables. Their sizes in bytes follow this record, a `u64` each.
    pub variables: u32,
    /// 0 if the frame holds something that is not in the record.
    pub complete: u32,
    /// Flags of [`site`].
    pub flags: u32,
}

/// The flags of a [`CallSite`], and the flag in the size of a variable. All but `WRITES_NOTHING_ELSE` occur in programs
/// with [`DeltaFrame`]s only.
pub mod site {
    /// The delta covers all that lives in the function, so the identity after it does not depend on the one before.
    pub const TOTAL: u32 = 1;
    /// The called library may write to variables of the function's callers while the thread stands in the call.
    pub const WRITES: u32 = 2;
    /// Pointers may lead to variables of the function whose contents are in its identity.
    pub const VULNERABLE: u32 = 4;
    /// The call, once its visible operation was granted, writes to no memory but what the operation names, until it
    /// returns.
    pub const WRITES_NOTHING_ELSE: u32 = 8;
    /// Flag in the size of a variable: the variable's contents are in the function's identity.
    pub const BY_DELTA: u64 = 1 << 63;
}

/// The record of a function in a program built for deltas: what lives in the function has an *identity*, a hash that
/// changes with what is assigned. The words that follow are addresses of variables and values as in other records, but
/// values are only those that may have changed since the last call, and sizes have [`site::BY_DELTA`] for variables
/// whose contents are in the identity.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DeltaFrame {
    /// The record as in a program without deltas.
    pub frame: Frame,
    /// The identity of the function's local state; zeros when the function is entered.
    pub identity: Identity,
    /// The address to which the library that was called last may write, if it lies in the thread's stack: 0 if there is
    /// none, all ones if there are several.
    pub written: u64,
}

const _: () = assert!(size_of::<Frame>() == 32 && size_of::<CallSite>() == 16 && size_of::<DeltaFrame>() == 56);

/// Name of the ELF section with the [`CallSite`] records: only a program with frame records has it.
pub const FRAME_SECTION: &str = "inspect_frames";

/// The environment variable with which the compiler driver asks the pass for frame records.
pub const FRAMES_VARIABLE: &str = "INSPECT_FRAMES";

/// The value of that variable that asks for [`DeltaFrame`]s.
pub const FRAMES_DELTA: &str = "delta";

/// The flag of the compiler driver that asks for frame records in the program that is linked.
pub const FRAMES_FLAG: &str = "-finspect-frames";

/// The same for [`DeltaFrame`]s.
pub const DELTAS_FLAG: &str = "-finspect-frames=delta";

/// Name of the ELF section with the [`CallSite`] records of [`DeltaFrame`]s, in place of [`FRAME_SECTION`].
pub const DELTA_SECTION: &str = "inspect_deltas";

/// The environment variable with which the compiler driver asks the pass for a hook at every access.
pub const ALL_HOOKS_VARIABLE: &str = "INSPECT_ALL_HOOKS";

/// The flag of the compiler driver that asks for a hook at every access, whether another thread may reach the memory or
/// not: what programs without it are compared with.
pub const ALL_HOOKS_FLAG: &str = "-finspect-hooks=all";

/// The environment variable with which the compiler driver asks the pass for what finds uses of uninitialised memory.
pub const UNINITIALISED_VARIABLE: &str = "INSPECT_UNINITIALISED";

/// The flag of the compiler driver that asks for a program in which uses of uninitialised memory are found.
pub const UNINITIALISED_FLAG: &str = "-finspect-uninitialised";

/// How the names of the functions begin that such a program calls beside hooks: those of LLVM's MemorySanitizer.
pub const MEMORY_SANITIZER_PREFIX: &str = "__msan_";

/// How the names of the functions begin that objects call which were built with `-fsanitize=thread`.
pub const THREAD_SANITIZER_PREFIX: &str = "__tsan_";

/// How the names begin of the functions whose calls compilers add: hooks, and those of sanitizers.
pub const CALLED_BY_COMPILED_CODE: [&str; 3] = ["__inspect_", MEMORY_SANITIZER_PREFIX, THREAD_SANITIZER_PREFIX];

/// What every object calls before main that was built with `-fsanitize=thread`.
pub const THREAD_SANITIZER_INIT: &str = "__tsan_init";

/// A constant that only such a program has, alone in its section.
pub const UNINITIALISED_SYMBOL: &str = "__inspect_finds_uninitialised";

/// Name of the ELF section that only such a program has.
pub const UNINITIALISED_SECTION: &str = "inspect_uninit";

/// What kind of place a site is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SiteKind {
    /// Plain read.
    Read = 0,
    /// Plain write.
    Write = 1,
    /// Any atomic access or fence.
    Atomic = 2,
    /// Head of a loop.
    LoopHead = 3,
    /// Opaque inline assembly.
    Opaque = 4,
    /// A return from main.
    Return = 5,
}

/// The static record of one instrumented place. Strings are NUL-terminated and live as long as the program.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Site {
    /// Source file as an absolute path, or an empty string.
    pub file: *const c_char,
    /// Function as the user wrote it (demangled where the debug information has a name).
    pub function: *const c_char,
    /// The variable accessed (`x`, `*p`, `q.head`), or an empty string.
    pub variable: *const c_char,
    /// Line, from 1; 0 if unknown.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
    /// A [`SiteKind`].
    pub kind: u8,
    /// [`UNREAD`] and [`VOLATILE`], as far as they apply.
    pub flags: u8,
    /// Must be zero.
    pub reserved: [u8; 6],
}

/// Flag of a [`Site`]: nobody uses the contents of the memory that is accessed there, so a waiting loop that changes
/// nothing else changes nothing.
pub const UNREAD: u8 = 1;

/// Flag of a [`Site`]: the access there is `volatile`.
pub const VOLATILE: u8 = 2;

const _: () = assert!(size_of::<Site>() == 40);

/// The description of a hook, for the pass and for the checks of the build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hook {
    /// The symbol that the guest exports.
    pub name: &'static str,
    /// The types of its parameters. No hook returns anything or throws.
    pub parameters: &'static [Parameter],
    /// What runs between the return of this hook and the call of the next.
    pub next: AfterHook,
}

/// The type of a hook's parameter, as the pass declares it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parameter {
    /// A pointer.
    Pointer,
    /// An integer of 64 bits.
    Long,
    /// An integer of 32 bits.
    Word,
}

/// What runs once a hook has returned, until another is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterHook {
    /// The access that the hook announces, and no other write that is not announced.
    Access,
    /// Any code of the program.
    Code,
}

/// The hook of this name.
pub fn hook(name: &str) -> Option<&'static Hook> {
    HOOKS.iter().find(|hook| hook.name == name)
}
