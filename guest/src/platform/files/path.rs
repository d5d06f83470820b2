//! Paths as the program gives them, and what the real file system says about them.

use crate::platform::recover;
use crate::platform::sys::{self, errno, error, nr};
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;

/// A path given by the program, NUL-terminated.
pub(super) struct PathBuffer([u8; 4096]);

impl PathBuffer {
    pub(super) fn read(from: u64) -> Result<PathBuffer, i64> {
        let mut buffer = PathBuffer([0; 4096]);
        let got = recover::read(from, &mut buffer.0);
        match buffer.0[..got].iter().position(|&byte| byte == 0) {
            Some(_) => Ok(buffer),
            None if got < buffer.0.len() => Err(error(errno::EFAULT)),
            None => Err(error(errno::ENAMETOOLONG)),
        }
    }

    pub(super) fn text(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"")
    }
}

pub(super) fn link_target(fd: u64) -> String {
    let mut target = [0u8; 4096];
    let link = alloc::format!("/proc/self/fd/{fd}\0");
    // SAFETY: the kernel reads a terminated path and writes to `target`.
    let len =
        unsafe { sys::call3(nr::__NR_readlink, link.as_ptr() as u64, target.as_mut_ptr() as u64, target.len() as u64) };
    String::from_utf8_lossy(&target[..len.clamp(0, 4096) as usize]).into_owned()
}

fn open_path(directory: i32, path: &CStr, more: u32) -> i64 {
    let flags = u64::from(nr::O_PATH | nr::O_CLOEXEC | more);
    // SAFETY: opens for looking only.
    unsafe { sys::call4(nr::__NR_openat, directory as u64, path.as_ptr() as u64, flags, 0) }
}

/// The absolute path without symbolic links. For a path that does not exist: that of its directory, and the name.
pub(in crate::platform) fn resolve(directory: i32, path: &CStr) -> Result<String, i64> {
    let fd = open_path(directory, path, 0);
    if !sys::failed(fd) {
        let target = link_target(fd as u64);
        sys::close(fd as u64);
        return Ok(target);
    }
    if fd != error(errno::ENOENT) {
        return Err(fd);
    }
    let bytes = path.to_bytes();
    let name = bytes.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let mut parent = Vec::from(&bytes[..bytes.len() - name.len()]);
    if parent.is_empty() {
        parent.push(b'.');
    }
    parent.push(0);
    let parent = CStr::from_bytes_until_nul(&parent).map_err(|_| error(errno::EINVAL))?;
    let fd = open_path(directory, parent, nr::O_DIRECTORY);
    if sys::failed(fd) || name.is_empty() {
        return Err(if sys::failed(fd) { fd } else { error(errno::ENOENT) });
    }
    let mut target = link_target(fd as u64);
    sys::close(fd as u64);
    if !target.ends_with('/') {
        target.push('/');
    }
    target.push_str(&String::from_utf8_lossy(name));
    Ok(target)
}

pub(super) const FILE_TYPE: u32 = 0o170000;

pub(super) const REGULAR: u32 = 0o100000;

pub(super) const CHARACTER_DEVICE: u32 = 0o020000;

pub(super) const SOCKET: u32 = 0o140000;

/// The mode of a real file, or an error.
pub(super) fn real_mode(path: &CStr) -> Result<u32, i64> {
    stat(nr::__NR_stat, path.as_ptr() as u64).map(|stat| stat[3] as u32)
}

/// Whether a path leads to a pipe, a socket or an object of the kernel without a type. What the program has of these is
/// in the guest.
pub(super) fn is_no_file(directory: i32, path: &CStr) -> bool {
    const FIFO: u32 = 0o010000;
    let mut stat = [0u64; 18];
    let to = stat.as_mut_ptr() as u64;
    // SAFETY: the kernel reads a terminated path and fills in the 144 bytes.
    let result = unsafe { sys::call4(nr::__NR_newfstatat, directory as u64, path.as_ptr() as u64, to, 0) };
    !sys::failed(result) && [FIFO, SOCKET, 0].contains(&(stat[3] as u32 & FILE_TYPE))
}

/// Device and number of the file on disk at a path.
pub(super) fn identity(path: &CStr) -> Option<(u64, u64)> {
    stat(nr::__NR_stat, path.as_ptr() as u64).ok().map(|stat| (stat[0], stat[1]))
}

/// Device and number of the file behind a descriptor.
pub(super) fn identity_of_descriptor(fd: u64) -> Option<(u64, u64)> {
    stat(nr::__NR_fstat, fd).ok().map(|stat| (stat[0], stat[1]))
}

fn stat(call: u32, file: u64) -> Result<[u64; 18], i64> {
    let mut stat = [0u64; 18];
    // SAFETY: the kernel reads a terminated path or a number, and fills in the 144 bytes.
    let result = unsafe { sys::call2(call, file, stat.as_mut_ptr() as u64) };
    if sys::failed(result) { Err(result) } else { Ok(stat) }
}

pub(super) fn is_link(directory: i32, path: &CStr) -> bool {
    let mut target = [0u8; 1];
    let (path, target) = (path.as_ptr() as u64, target.as_mut_ptr() as u64);
    // SAFETY: the kernel reads a terminated path and writes one byte.
    !sys::failed(unsafe { sys::call4(nr::__NR_readlinkat, directory as u64, path, target, 1) })
}

/// Whether the path is a file or folder on disk.
pub(super) fn is_real(path: &str) -> bool {
    let mut terminated = Vec::from(path.as_bytes());
    terminated.push(0);
    CStr::from_bytes_with_nul(&terminated).is_ok_and(|path| real_mode(path).is_ok())
}
