//! The files of pipes with names (`mkfifo`).

use super::descriptors::{files, hide};
use super::file::{bind, make};
use super::open::may_change_folder;
use super::path::{FIFO, PERMISSIONS, PathBuffer};
use super::refusal::{Refusal, checked};
use super::walk::{Follow, Found, walk};
use crate::platform::sys::{self, errno, nr};

/// The permission of its owner to read and to write.
const OWNERS: u32 = 0o600;

/// Makes the file of a pipe at a path where nothing is; 0 or an error number.
pub(in crate::platform) fn make_fifo_file(
    directory: i32,
    address: u64,
    mode: u32,
    channel: u8,
) -> Result<i64, Refusal> {
    let place = walk(directory, PathBuffer::read(address)?.text(), Follow::Never)?;
    if !matches!(place.found, Found::Nothing) {
        return Err(errno::EEXIST.into());
    }
    if place.slash {
        return Err(errno::ENOENT.into());
    }
    may_change_folder(&place.path)?;
    // Whether an end may be opened is not looked at.
    let permissions = mode & PERMISSIONS & !files().umask;
    if permissions & OWNERS != OWNERS {
        return Err(Refusal::Unmodelled);
    }
    // What the kernel says of this pipe, the file has beside what the run knows.
    let copy = checked(hide(kernel_end(true, 0)))?;
    let index = make(&place.path, FIFO | permissions);
    (files().entries[index].copy, files().entries[index].fifo) = (Some(copy as i32), Some(channel));
    bind(&place.path, Some(index), None);
    Ok(0)
}

/// The channel that is the pipe at a path, if one of this run's is there.
pub(in crate::platform) fn fifo_at(directory: i32, address: u64) -> Option<u8> {
    let place = walk(directory, PathBuffer::read(address).ok()?.text(), Follow::Always).ok()?;
    match place.found {
        Found::Known(index) => files().entries[index].fifo,
        Found::Nothing | Found::Disk(_) => None,
    }
}

/// A descriptor of the kernel's with which an end of a pipe is opened; an error number if there is none.
pub(in crate::platform) fn kernel_end(reads: bool, flags: u64) -> i64 {
    let mut ends = [0i32; 2];
    // SAFETY: the kernel writes two numbers.
    let result = unsafe { sys::call2(nr::__NR_pipe2, ends.as_mut_ptr() as u64, flags) };
    if sys::failed(result) {
        return result;
    }
    let [kept, other] = if reads { ends } else { [ends[1], ends[0]] };
    sys::close(other as u64);
    kept.into()
}
