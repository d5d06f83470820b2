//! Models of the threads API: what the program's calls mean to the scheduler.
//!
//! Each function takes the place of the C library's. While the engine is not in charge (constructors of shared
//! libraries, or a program that is not explored) the call is passed on. The state of an object is the scheduler's; the
//! object's own memory says whether it is still the object that the scheduler knows ([`object`]).
//!
//! A call of a function with a row ([`inspect_wire::library`]) that the guest announces comes through [`calls`]; the
//! other modules model functions that need more than a row says.

mod arguments;
mod atomics;
mod barrier;
mod calls;
pub(crate) mod cancel;
mod channel_operations;
pub(crate) mod channels;
mod cleanup;
pub(crate) mod cond;
mod connections;
mod conversion;
mod cxx_nodes;
mod cxx_stream;
mod cxx_thread;
mod descriptor_flags;
pub(crate) mod descriptors;
pub(crate) mod early;
pub(crate) mod epoll;
mod exception;
mod exception_message;
pub(crate) mod exit;
mod extent;
pub(crate) mod fifos;
mod file_calls;
pub(crate) mod file_locks;
mod folder_order;
mod format;
mod futex;
mod futex_lock;
mod futex_owner;
mod futex_several;
mod futex_word;
mod handles;
pub(crate) mod imports;
mod indirect;
mod join;
mod jump;
mod kept;
pub(crate) mod key;
pub(crate) mod known;
pub(crate) mod library_state;
mod locale;
mod mapping;
mod memory_streams;
pub(crate) mod mutex;
mod mutex_kind;
mod named_semaphore;
mod names;
mod object;
mod once;
mod options;
mod panic;
mod pause;
mod poll;
mod polled;
mod priority;
mod process_signals;
mod processors;
pub(crate) mod range_locks;
mod results;
mod robust;
pub(crate) mod rwlock;
mod searching;
pub(crate) mod semaphore;
mod shared_memory;
pub(crate) mod signal;
pub(crate) mod signal_descriptor;
mod signal_expiry;
mod signal_mask;
mod signal_wait;
mod socket_names;
mod socket_options;
mod sockets;
pub(crate) mod spin;
mod stored;
pub(crate) mod stream_lock;
mod symbols;
mod system_call;
mod tcp;
mod thread;
mod thread_attributes;
pub(crate) mod thread_end;
mod timer;
pub(crate) mod timer_descriptor;
mod timer_start;
mod tree_walk;
mod udp;
mod unknown;
mod unwinding;
mod uses;
mod verifier;
mod writer_first;

/// Error numbers of the threads API.
pub(crate) mod error {
    pub(crate) const EPERM: i32 = 1;
    pub(crate) const ENOENT: i32 = 2;
    pub(crate) const ESRCH: i32 = 3;
    pub(crate) const EINTR: i32 = 4;
    pub(crate) const EBADF: i32 = 9;
    pub(crate) const EAGAIN: i32 = 11;
    pub(crate) const EFAULT: i32 = 14;
    pub(crate) const EBUSY: i32 = 16;
    pub(crate) const EEXIST: i32 = 17;
    pub(crate) const EINVAL: i32 = 22;
    pub(crate) const ERANGE: i32 = 34;
    pub(crate) const EDEADLK: i32 = 35;
    pub(crate) const EOPNOTSUPP: i32 = 95;
    pub(crate) const ENAMETOOLONG: i32 = 36;
    pub(crate) const EOVERFLOW: i32 = 75;
    pub(crate) const ETIMEDOUT: i32 = 110;
    pub(crate) const EOWNERDEAD: i32 = 130;
    pub(crate) const ENOTRECOVERABLE: i32 = 131;
}

/// Results of the C11 threads functions.
pub(crate) mod c11 {
    use crate::model::error;

    const SUCCESS: i32 = 0;
    const BUSY: i32 = 1;
    const ERROR: i32 = 2;
    const TIMED_OUT: i32 = 4;

    /// The C11 result for an error number.
    pub(crate) fn result(error_number: i32) -> i32 {
        match error_number {
            0 => SUCCESS,
            error::EBUSY => BUSY,
            error::ETIMEDOUT => TIMED_OUT,
            _ => ERROR,
        }
    }
}

/// The C library's own function, looked up at its first use.
macro_rules! real {
    ($name:literal as fn($($argument:ty),*) $(-> $result:ty)?) => {{
        use core::sync::atomic::{AtomicPtr, Ordering};
        static REAL: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
        let mut function = REAL.load(Ordering::Relaxed);
        if function.is_null() {
            function = $crate::platform::elf::real($name).cast_mut();
            REAL.store(function, Ordering::Relaxed);
        }
        // SAFETY: the C library's function of this name has this signature.
        unsafe { core::mem::transmute::<*mut (), extern "C" fn($($argument),*) $(-> $result)?>(function) }
    }};
}

/// Exports functions that are given their return address as one more argument: `NAME / number of arguments => model`.
macro_rules! export {
    (@register 0) => { "rdi" };
    (@register 1) => { "rsi" };
    (@register 2) => { "rdx" };
    (@register 3) => { "rcx" };
    (@register 4) => { "r8" };
    (@register 5) => { "r9" };
    ($($exported:ident / $count:tt => $model:path;)+) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn $exported() {
                core::arch::naked_asm!(
                    concat!("mov ", export!(@register $count), ", [rsp]"),
                    "jmp {}",
                    sym $model
                )
            }
        )+
    };
}

pub(crate) use {export, real};
