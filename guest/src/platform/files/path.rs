//! Paths as the program gives them, and what the real file system says about them.

use super::refusal::{Refusal, checked};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{clock, recover};
use alloc::string::String;
use core::ffi::CStr;

/// A path given by the program, NUL-terminated.
pub(super) struct PathBuffer([u8; 4096]);

impl PathBuffer {
    pub(super) fn read(from: u64) -> Result<PathBuffer, Refusal> {
        let mut buffer = PathBuffer([0; 4096]);
        let got = recover::read(from, &mut buffer.0);
        match buffer.0[..got].iter().position(|&byte| byte == 0) {
            Some(_) => Ok(buffer),
            None if got < buffer.0.len() => Err(errno::EFAULT.into()),
            None => Err(errno::ENAMETOOLONG.into()),
        }
    }

    pub(super) fn text(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}

/// What the kernel says of a file: `struct stat` on x86-64, in words.
pub(super) type Status = [u64; 18];

pub(super) const FILE_TYPE: u32 = 0o170000;
pub(super) const REGULAR: u32 = 0o100000;
pub(super) const DIRECTORY: u32 = 0o040000;
pub(super) const LINK: u32 = 0o120000;
pub(super) const CHARACTER_DEVICE: u32 = 0o020000;
pub(super) const SOCKET: u32 = 0o140000;
pub(super) const FIFO: u32 = 0o010000;
/// Permissions.
pub(super) const PERMISSIONS: u32 = 0o7777;

/// Type and permissions.
pub(super) fn mode(status: &Status) -> u32 {
    status[3] as u32
}

pub(super) fn link_target(fd: u64) -> String {
    target(&alloc::format!("/proc/self/fd/{fd}")).unwrap_or_default()
}

/// Where a symbolic link on disk leads.
pub(super) fn target(path: &str) -> Result<String, Refusal> {
    let mut target = [0u8; 4096];
    let (to, len) = (target.as_mut_ptr() as u64, target.len() as u64);
    let path = terminated(path);
    // SAFETY: the kernel reads a terminated path and writes to `target`.
    let len = checked(unsafe { sys::call3(nr::__NR_readlink, path.as_ptr() as u64, to, len) })?;
    match core::str::from_utf8(&target[..len as usize]) {
        Ok(text) => Ok(text.into()),
        Err(_) => Err(Refusal::Unmodelled),
    }
}

/// The path as the kernel takes it.
pub(super) fn terminated(path: &str) -> String {
    alloc::format!("{path}\0")
}

/// What is on disk at a path, whose last name is not followed.
pub(super) fn status(path: &str) -> Result<Status, i64> {
    ask(nr::__NR_lstat, terminated(path).as_ptr() as u64)
}

/// What the kernel says of a descriptor.
pub(super) fn status_of_descriptor(fd: u64) -> Result<Status, i64> {
    ask(nr::__NR_fstat, fd)
}

fn ask(call: u32, file: u64) -> Result<Status, i64> {
    let mut status = [0u64; 18];
    // SAFETY: the kernel reads a terminated path or a number, and fills in the 144 bytes.
    let result = unsafe { sys::call2(call, file, status.as_mut_ptr() as u64) };
    if sys::failed(result) {
        return Err(result);
    }
    for at in [9, 11, 13] {
        (status[at], status[at + 1]) = before_the_run(status[at], status[at + 1]);
    }
    Ok(status)
}

/// A time of a file on disk as the program sees it. Every such time is over when a run begins, by whatever clock: those
/// after the beginning of virtual time become times of the day before it, in their order.
fn before_the_run(seconds: u64, fraction: u64) -> (u64, u64) {
    const SECOND: u64 = 1_000_000_000;
    const BEGIN: u64 = clock::EPOCH / SECOND;
    /// As many days as a century has.
    const RATIO: u64 = 36_525;
    const DAY: u64 = 86_400;
    if (seconds as i64) < BEGIN as i64 {
        return (seconds, fraction);
    }
    let since = (seconds - BEGIN).min((RATIO - 1) * DAY) * (SECOND / 1000) + fraction / 1000;
    let shown = (since / RATIO) * 1000 + since % RATIO * 1000 / RATIO;
    (BEGIN - DAY + shown / SECOND, shown % SECOND)
}

/// Device and number of the file behind a descriptor.
pub(super) fn identity_of_descriptor(fd: u64) -> Option<(u64, u64)> {
    status_of_descriptor(fd).ok().map(|status| (status[0], status[1]))
}

/// Whether the process may use what is on disk at a path in these ways (of `access`).
pub(super) fn may(path: &str, ways: u64) -> Result<(), Refusal> {
    let path = terminated(path);
    // SAFETY: the kernel reads a terminated path; it is asked for permission only.
    checked(unsafe { sys::call2(nr::__NR_access, path.as_ptr() as u64, ways) }).map(|_| ())
}

/// Opens a path on disk.
pub(super) fn open_on_disk(path: &str, flags: u64) -> i64 {
    let path = terminated(path);
    // SAFETY: the kernel reads a terminated path; the flags neither create nor truncate.
    unsafe { sys::call3(nr::__NR_open, path.as_ptr() as u64, flags, 0) }
}

/// An error for flags of `open` that no path can be opened with.
pub(super) fn refuse_flags(flags: u64) -> Result<(), Refusal> {
    // SAFETY: an empty path is never opened; the kernel looks at the flags before it looks at the path.
    let result = unsafe { sys::call4(nr::__NR_openat, 0, c"".as_ptr() as u64, flags, 0) };
    if result == error(errno::EINVAL) { Err(errno::EINVAL.into()) } else { Ok(()) }
}
