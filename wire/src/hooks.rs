//! The contract between the instrumentation and the guest: the functions whose calls the pass inserts and the static
//! record that each of them is given. This file is the only place that names them.
//!
//! All hooks use the C calling convention and are called *before* the access they announce. As only one thread of the
//! program runs at a time and a thread is switched only inside a hook or a modelled call, nothing comes between a
//! hook's return and the access.
//!
//! Each hook is one row of the macro [`hooks!`](HOOKS), which makes of it its description ([`names`]), its entry in the list
//! ([`HOOKS`]), the signature that the pass declares it with ([`Hook::parameters`]), and the type that the guest's function
//! must have ([`Definitions`]).
//!
//! A `size` of 0 (a memory intrinsic of length 0) is no access. Orders use the `__ATOMIC_*` numbering.
//!
//! The loop-head hook is inserted only where the pass has shown that one iteration can change nothing but its header's
//! phis and memory that is hooked (S14); the guest decides whether to park. It is also called, with a count of
//! [`LOOP_ENTRY`] and no values, just before the loop is entered from outside: visits before that belong to another
//! passage through the loop, with other live registers around it, and must not be compared with those that follow. The
//! record of a loop is its own: no two loops share one.

mod list;

pub use list::{Definitions, HOOKS, names};

use core::ffi::c_char;
use inspect_core::run::Identity;

/// The `count` of `__inspect_loop_head` that announces that the loop is about to be entered; `values` is null.
pub const LOOP_ENTRY: u64 = u64::MAX;

/// Version of this contract. The pass stores it in every instrumented binary ([`VERSION_SYMBOL`]); a guest refuses
/// another one.
pub const VERSION: u32 = 5;

/// A global `u32` in the instrumented program that holds [`VERSION`]. It is alone in its section.
pub const VERSION_SYMBOL: &str = "__inspect_hook_version";

/// Name of the ELF section that holds [`VERSION_SYMBOL`]: what the host reads before it starts a program. A program
/// joined from several partial links has the number several times.
pub const VERSION_SECTION: &str = "inspect_version";

/// Name of the ELF section in which the pass collects the [`Site`] records.
pub const SITE_SECTION: &str = "inspect_sites";

/// Name of the ELF section, and of the symbol at its start, that lists the inputs of the link that are not instrumented:
/// file names, each followed by a NUL. Absent if there are none. A program with such inputs is never verified.
pub const UNINSTRUMENTED_SECTION: &str = "inspect_uninstrumented";

/// See [`UNINSTRUMENTED_SECTION`].
pub const UNINSTRUMENTED_SYMBOL: &str = "__inspect_uninstrumented";

/// The environment variable in which the compiler driver gives the pass that list, one name a line.
pub const UNINSTRUMENTED_VARIABLE: &str = "INSPECT_UNINSTRUMENTED";

/// How a statically initialised mutex is told from zeroed memory: `PTHREAD_MUTEX_INITIALIZER` and its variants, as the
/// shadowing `pthread.h` defines them, store [`MUTEX_MARK`] in the two bytes at [`MUTEX_MARK_OFFSET`] of a
/// `pthread_mutex_t` (`__data.__elision`). glibc on x86-64 uses that field only where lock elision is switched on, and
/// then only to put off the next attempt.
pub const MUTEX_MARK_OFFSET: usize = 22;
/// See [`MUTEX_MARK_OFFSET`].
pub const MUTEX_MARK: u16 = 0x4e49;

/// How a statically initialised condition variable is told from zeroed memory: `PTHREAD_COND_INITIALIZER` stores
/// [`COND_MARK`] in the four bytes at [`COND_MARK_OFFSET`] of a `pthread_cond_t` (`__data.__wrefs`). That bit asks the last
/// waiter that leaves to wake whoever destroys the object: without one, a wake-up that nobody hears.
pub const COND_MARK_OFFSET: usize = 36;
/// See [`COND_MARK_OFFSET`].
pub const COND_MARK: u32 = 4;

/// What a function of a program with frame records keeps on its stack, so that the state of a thread can be told from
/// others that will do something else. It is the beginning of a longer record: addresses of the function's local variables
/// follow ([`CallSite::variables`]), then the values that live beyond the present call or are passed to it
/// ([`CallSite::values`]), a word each.
///
/// The variable announced with `__inspect_frames` is thread-local and holds the address of the innermost record; before
/// each call of something that might come to a visible operation the function puts its own record there, up to date.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Frame {
    /// What was innermost when the function was entered: its caller's record, if the caller has one.
    pub caller: *mut Frame,
    /// Where the function returns to; where it was inlined, that is where the function around it does.
    pub returns_to: u64,
    /// The present call.
    pub site: *const CallSite,
    /// The guest's: how many visible operations there were in the present call. The program sets it to 0 before each call.
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
    /// 0 if the frame holds something that the record does not tell.
    pub complete: u32,
    /// Of [`site`].
    pub flags: u32,
}

/// What [`CallSite`]s say of a call; all but `WRITES_NOTHING_ELSE` those of [`DeltaFrame`]s only.
pub mod site {
    /// The delta covers all that lives in the function: what was before makes no difference.
    pub const TOTAL: u32 = 1;
    /// What is called may write to variables of the function's callers while the thread stands in it.
    pub const WRITES: u32 = 2;
    /// Pointers may lead to variables of the function that are told by deltas.
    pub const VULNERABLE: u32 = 4;
    /// The call, once its visible operation was granted, writes to no memory but what the operation names, until it
    /// returns.
    pub const WRITES_NOTHING_ELSE: u32 = 8;
    /// In the size of a variable: its contents are in the identity.
    pub const BY_DELTA: u64 = 1 << 63;
}

/// The record of a function in a program built for deltas: what lives in the function has an *identity*, a hash that
/// changes with what is assigned. The words that follow are addresses of variables and values as in other records, but
/// values are only those that may have changed since the last call, and sizes have [`site::BY_DELTA`] for variables whose
/// contents are in the identity.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DeltaFrame {
    /// The record proper.
    pub frame: Frame,
    /// The identity of what lives; zeros when the function is entered.
    pub identity: Identity,
    /// The address that the library just called may write to: in no stack if 0, several if all ones.
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

/// What kind of access a site is.
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
    /// Must be zero.
    pub reserved: [u8; 7],
}

const _: () = assert!(size_of::<Site>() == 40);

/// A hook as the pass and the checks see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hook {
    /// The symbol that the guest exports.
    pub name: &'static str,
    /// The types of its parameters. No hook returns anything or throws.
    pub parameters: &'static [Parameter],
    /// What runs between this hook and the next.
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
    /// The access that the hook announces, and nothing else that writes to memory without saying so.
    Access,
    /// Any code of the program.
    Code,
}

/// The hook of this name.
pub fn hook(name: &str) -> Option<&'static Hook> {
    HOOKS.iter().find(|hook| hook.name == name)
}
