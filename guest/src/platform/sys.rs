//! Raw system calls. They are issued from the guest's own code, which Syscall User Dispatch lets through.

use super::global::Global;
use core::arch::asm;
pub use linux_raw_sys::errno;
pub use linux_raw_sys::general as nr;

/// Issues system call `number`; a result from -4095 to -1 is a negated error number.
///
/// # Safety
/// The kernel does what the arguments say; the caller vouches for every pointer among them.
#[inline(always)]
pub unsafe fn call(number: u32, args: [u64; 6]) -> i64 {
    let result: i64;
    // SAFETY: the instruction clobbers rax, rcx and r11 only; memory is assumed changed; the caller vouches for the
    // rest.
    unsafe {
        asm!("syscall", inlateout("rax") u64::from(number) as i64 => result,
            in("rdi") args[0], in("rsi") args[1], in("rdx") args[2], in("r10") args[3], in("r8") args[4],
            in("r9") args[5], lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

macro_rules! shorthand {
    ($name:ident $($arg:ident)*) => {
        /// [`call`] with this many arguments.
        ///
        /// # Safety
        /// As for [`call`].
        #[inline(always)]
        pub unsafe fn $name(number: u32 $(, $arg: u64)*) -> i64 {
            #[allow(unused_mut, reason = "for the shorthand without arguments")]
            let mut args = [0; 6];
            let given = [$($arg),*];
            args[..given.len()].copy_from_slice(&given);
            // SAFETY: passed on to the caller.
            unsafe { call(number, args) }
        }
    };
}
shorthand!(call1 a);
shorthand!(call2 a b);
shorthand!(call3 a b c);
shorthand!(call4 a b c d);
shorthand!(call5 a b c d e);

pub const PAGE: u64 = 4096;

pub const PROT_NONE: u64 = 0;
pub const PROT_READ: u64 = 1;
pub const PROT_WRITE: u64 = 2;
pub const PROT_RW: u64 = PROT_READ | PROT_WRITE;

/// Whether `result` is an error.
pub fn failed(result: i64) -> bool {
    (-4095..0).contains(&result)
}

/// The result of a call that fails with this error number.
pub const fn error(number: u32) -> i64 {
    -(number as i64)
}

/// Closes a descriptor that the caller owns.
pub(super) fn close(fd: u64) {
    // SAFETY: as stated.
    unsafe { call1(nr::__NR_close, fd) };
}

/// Maps private anonymous memory exactly at `address`, replacing nothing that is mapped there; false if refused.
///
/// # Safety
/// Nobody else may use the range.
pub unsafe fn map_fixed(address: u64, len: u64, prot: u64) -> bool {
    let flags = nr::MAP_PRIVATE | nr::MAP_ANONYMOUS | nr::MAP_NORESERVE | nr::MAP_FIXED_NOREPLACE;
    // SAFETY: MAP_FIXED_NOREPLACE never replaces a mapping.
    let got = unsafe { call(nr::__NR_mmap, [address, len, prot, u64::from(flags), u64::MAX, 0]) };
    got == address as i64
}

/// Changes the protection of a range; false if refused.
///
/// # Safety
/// The caller owns the range.
#[must_use]
pub unsafe fn protect(address: u64, len: u64, prot: u64) -> bool {
    // SAFETY: passed on to the caller.
    unsafe { call3(nr::__NR_mprotect, address, len, prot) == 0 }
}

/// Ends the process at once.
pub fn exit(status: i32) -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { call1(nr::__NR_exit_group, status as u64) };
    }
}

/// Writes to the real standard error: for what cannot be reported to the host.
pub fn complain(message: &str) {
    // SAFETY: the kernel reads `message`.
    unsafe {
        call3(nr::__NR_write, 2, message.as_ptr() as u64, message.len() as u64);
    }
}

/// What [`fatal`] does first.
static BEFORE_FATAL: Global<Option<fn(&str)>> = Global::new(None);

/// From now on [`fatal`] first calls this, to report to the host.
pub(super) fn call_before_fatal(report: fn(&str)) {
    BEFORE_FATAL.write(Some(report));
}

/// Says why on the real standard error and to the host, if it listens already, and ends the process. For what leaves no
/// way to go on.
pub fn fatal(message: &str) -> ! {
    if let Some(report) = BEFORE_FATAL.read() {
        report(message);
    }
    complain("inspect: ");
    complain(message);
    complain("\n");
    exit(2)
}

/// Reads the beginning of a file; returns how many bytes. 0 if it cannot be read.
pub fn read_file(path: &core::ffi::CStr, into: &mut [u8]) -> usize {
    // SAFETY: opens a file for reading.
    let fd = unsafe { call3(nr::__NR_open, path.as_ptr() as u64, u64::from(nr::O_RDONLY | nr::O_CLOEXEC), 0) };
    if failed(fd) {
        return 0;
    }
    let mut len = 0;
    while len < into.len() {
        let room = &mut into[len..];
        // SAFETY: `room` is ours to write to.
        let got = unsafe { call3(nr::__NR_read, fd as u64, room.as_mut_ptr() as u64, room.len() as u64) };
        if got <= 0 {
            break;
        }
        len += got as usize;
    }
    close(fd as u64);
    len
}
