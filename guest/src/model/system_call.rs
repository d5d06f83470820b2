//! Calls of `syscall`. Those of futexes have a model; all others are served by the platform, after what they access was
//! announced as for the library's function of the same arguments.

use super::arguments::Frame;
use super::{futex, futex_several, futex_word, signal};
use crate::engine::site::of_call;
use crate::engine::{note_sleep, note_uncontrolled, spoil_loops};
use crate::platform::program;
use inspect_core::event::SiteId;
use inspect_wire::library::{self, CallEffect, Extent, Signature};

/// Serves a futex operation, and puts what `syscall` returns into the frame.
pub(super) fn serve_futex(frame: &mut Frame) {
    const WAIT_FOR_SEVERAL: u64 = 449;
    let site = of_call(frame.return_address);
    let result = if frame.argument(0) == WAIT_FOR_SEVERAL {
        let arguments = core::array::from_fn(|at| frame.argument(at + 1));
        futex_several::call(arguments, site).map_or_else(futex_word::error, i64::from)
    } else {
        futex::call(core::array::from_fn(|at| frame.argument(at + 1)), site)
    };
    frame.set_result(if result < 0 {
        program::set_errno(-result as u32);
        u64::MAX
    } else {
        result as u64
    });
}

/// Says what a system call that is no futex operation means for a waiting loop.
pub(super) fn note_in_loops(frame: &Frame) {
    const SCHED_YIELD: u64 = 24;
    if frame.argument(0) == SCHED_YIELD {
        note_sleep(of_call(frame.return_address));
    } else {
        spoil_loops();
    }
}

/// The arguments of a system call.
pub(super) const SIGNATURE: Signature = Signature("pppppp");

/// System calls that access memory, or use something that threads share, as a function of the C library does with the
/// same arguments.
#[rustfmt::skip]
const LIKE_FUNCTIONS: [(u32, &str); 58] = [
    (0, "read"), (1, "write"), (2, "open"), (3, "close"), (4, "stat"), (5, "fstat"), (6, "lstat"), (8, "lseek"),
    (9, "mmap"), (10, "mprotect"), (11, "munmap"), (17, "pread64"), (18, "pwrite64"), (19, "readv"), (20, "writev"),
    (21, "access"), (28, "madvise"), (32, "dup"), (33, "dup2"), (41, "socket"),
    (42, "connect"), (43, "accept"), (44, "sendto"), (45, "recvfrom"), (46, "sendmsg"), (47, "recvmsg"), (48, "shutdown"),
    (49, "bind"), (50, "listen"), (51, "getsockname"), (52, "getpeername"), (53, "socketpair"), (54, "setsockopt"),
    (55, "getsockopt"), (288, "accept4"), (63, "uname"), (74, "fsync"), (75, "fdatasync"),
    (77, "ftruncate"), (79, "getcwd"), (87, "unlink"), (89, "readlink"), (90, "chmod"), (91, "fchmod"),
    (96, "gettimeofday"), (97, "getrlimit"), (100, "times"), (160, "setrlimit"), (201, "time"),
    (203, "sched_setaffinity"), (204, "sched_getaffinity"), (228, "clock_gettime"), (229, "clock_getres"),
    (257, "openat"), (262, "fstatat"), (263, "unlinkat"), (302, "prlimit64"), (318, "getrandom"),
];

/// System calls that take no addresses, or as a value only (`brk`), or fail whatever they are given (`rseq`,
/// `io_uring_setup`), and use nothing that threads share.
#[rustfmt::skip]
const WITHOUT_ADDRESSES: [u32; 23] = [
    12, 24, 39, 60, 62, 102, 104, 107, 108, 110, 111, 140, 145, 146, 147, 186, 200, 202, 231, 234, 324, 334, 425,
];

const SIGNAL_ACTION: u32 = 13;

/// A system call that changes what is done about a signal may discard one that is pending, which only the functions of
/// the C library are known to do.
pub(super) fn note_action(number: u32, action: u64, site: SiteId) {
    if number == SIGNAL_ACTION && action != 0 && signal::some_are_sent() {
        note_uncontrolled("syscall rt_sigaction, where threads send signals".into(), site);
    }
}

/// What a system call accesses; None if that is not known.
pub(super) fn effects(number: u32) -> Option<&'static [CallEffect]> {
    /// `nanosleep`, which is never interrupted.
    const NANOSLEEP: u32 = 35;
    const CLOCK_NANOSLEEP: u32 = 230;
    const SIGNAL_MASK: u32 = 14;
    const GET_PROCESSOR: u32 = 309;
    const READ_TIME: [&[CallEffect]; 2] =
        [&[CallEffect::Reads(0, Extent::Bytes(16))], &[CallEffect::Reads(2, Extent::Bytes(16))]];
    match number {
        NANOSLEEP => return Some(READ_TIME[0]),
        CLOCK_NANOSLEEP => return Some(READ_TIME[1]),
        SIGNAL_ACTION => {
            return Some(&[
                CallEffect::Reads(1, Extent::Bytes(32)),
                CallEffect::Writes(2, Extent::Bytes(32)),
                CallEffect::ChangesSignal { signal: 0, action: 1 },
            ]);
        }
        SIGNAL_MASK => {
            return Some(&[CallEffect::Reads(1, Extent::Bytes(8)), CallEffect::Writes(2, Extent::Bytes(8))]);
        }
        GET_PROCESSOR => {
            return Some(&[
                CallEffect::Writes(0, Extent::Bytes(4)),
                CallEffect::Writes(1, Extent::Bytes(4)),
                CallEffect::AsksOwnProcessors,
            ]);
        }
        _ if WITHOUT_ADDRESSES.contains(&number) => return Some(&[]),
        _ => {}
    }
    let (_, function) = LIKE_FUNCTIONS.iter().find(|(like, _)| *like == number)?;
    library::row(function).map(|row| row.effects)
}
