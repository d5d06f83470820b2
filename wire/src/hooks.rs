//! The contract between the instrumentation and the guest: the functions whose calls the pass inserts and the static
//! record that each of them is given. This file is the only place that names them.
//!
//! All hooks use the C calling convention and are called *before* the access they announce. As only one thread of the
//! program runs at a time and a thread is switched only inside a hook or a modelled call, nothing comes between a
//! hook's return and the access.
//!
//! | symbol | parameters | called before |
//! |---|---|---|
//! | `__inspect_read` | `ptr, u64 size, *Site` | a plain read (or a memory intrinsic's source) that may be shared |
//! | `__inspect_write` | `ptr, u64 size, *Site` | a plain write that may be shared |
//! | `__inspect_end` | `ptr, u64 size, *Site` | a local variable that may be shared ends with its function |
//! | `__inspect_check_read` | `ptr, u64 size, *Site` | a read that cannot be shared but may hit the heap |
//! | `__inspect_check_write` | `ptr, u64 size, *Site` | a write that cannot be shared but may hit the heap |
//! | `__inspect_atomic_load` | `ptr, u64 size, u32 order, *Site` | an atomic load |
//! | `__inspect_atomic_store` | `ptr, u64 size, u64 value, u32 order, *Site` | an atomic store (low 8 bytes of the value) |
//! | `__inspect_atomic_rmw` | `ptr, u64 size, u32 order, *Site` | an atomic read-modify-write that always writes |
//! | `__inspect_atomic_cas` | `ptr, u64 size, u64 expected_low, u64 expected_high, u32 orders, *Site` | a compare-exchange; `orders` = success or failure shifted left by 8 |
//! | `__inspect_fence` | `u32 order, *Site` | an atomic thread fence |
//! | `__inspect_loop_head` | `u64 count, *const u64 values, *Site` | each arrival at the head of a loop that may be a spin loop, with the values of its header's phis |
//! | `__inspect_opaque` | `*Site` | inline assembly that the pass cannot see through, an instruction that reads a clock |
//! | `__inspect_leave_main` | `*Site` | a return from main |
//! | `__inspect_frames` | `*mut *mut Frame, *mut u8 written` | the first constructor of a program with frame records: where the calling thread's are; the program sets `written` to 1 before whatever may write to memory without a hook, its functions' own variables apart |
//! | `__inspect_delta_frames` | `*mut *mut Frame` | the same of a program whose records are [`DeltaFrame`]s |
//! | `__inspect_delta` | `*mut DeltaFrame` | a call, where values or variables may have changed since the last one |
//! | `__inspect_delta_variable` | `*mut DeltaFrame, ptr, u64 size` | after that, for each variable that may have |
//! | `__inspect_delta_through` | `*mut DeltaFrame, u64 address, u64 size` | after a write through a pointer that may lead to a variable of this record's function or of its callers |
//! | `__inspect_delta_called` | `*mut DeltaFrame, u64 address` | before a call of a library that may write at an address, which may be in a variable of the callers of this record's function |
//! | `__inspect_delta_returned` | `*mut DeltaFrame` | after that, before the next call or the end of the function |
//! | `__inspect_unknown_delta` | `*mut DeltaFrame` | a call or the end of a function, if variables of this record's function or of its callers may have been written through pointers, null if there are none; all ones: this happens later, and is not told then |
//!
//! In a program built with facts ([`crate::facts`]), and only there:
//!
//! | symbol | parameters | called |
//! |---|---|---|
//! | `__inspect_facts` | `*const u64 words, u64 count` | once, before main |
//! | `__inspect_point` | `u32 point` | before the hooks of an access, and with [`CALL`](crate::facts::CALL) before a call of a library |
//! | `__inspect_branch` | `u32 point, u32 way, *const u8 activation` | before a branch; `activation` is an address that no other active call of the function has |
//! | `__inspect_join_point` | `u32 join_point, *const u8 activation` | where the ways from some branch have met |
//!
//! A `size` of 0 (a memory intrinsic of length 0) is no access. Orders use the `__ATOMIC_*` numbering.
//!
//! The loop-head hook is inserted only where the pass has shown that one iteration can change nothing but its header's
//! phis and memory that is hooked (S14); the guest decides whether to park. It is also called, with a count of
//! [`LOOP_ENTRY`] and no values, just before the loop is entered from outside: visits before that belong to another
//! passage through the loop, with other live registers around it, and must not be compared with those that follow. The
//! record of a loop is its own: no two loops share one.

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

/// Names of the hooks, for the pass and for the check that the guest exports every one of them.
pub const HOOKS: &[&str] = &[
    "__inspect_read",
    "__inspect_write",
    "__inspect_end",
    "__inspect_check_read",
    "__inspect_check_write",
    "__inspect_atomic_load",
    "__inspect_atomic_store",
    "__inspect_atomic_rmw",
    "__inspect_atomic_cas",
    "__inspect_fence",
    "__inspect_loop_head",
    "__inspect_opaque",
    "__inspect_leave_main",
    "__inspect_facts",
    "__inspect_point",
    "__inspect_branch",
    "__inspect_join_point",
    "__inspect_frames",
    "__inspect_delta_frames",
    "__inspect_delta",
    "__inspect_delta_variable",
    "__inspect_unknown_delta",
];
