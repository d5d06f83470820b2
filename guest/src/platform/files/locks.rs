//! Locks of files that belong to the process (`fcntl`, `lockf`). Within the process none is in the way of another one,
//! and those of other processes are not looked at: what is left is which requests are refused.

use super::control::of_description;
use super::descriptors::{self, DescriptorKind};
use super::path;
use super::refusal::{Refusal, checked};
use crate::platform::recover;
use crate::platform::sys::{self, errno, nr};

/// `F_GETLK`; those that set a lock are `F_SETLK` and `F_SETLKW`.
const GET: u64 = 5;

const FOR_READING: u16 = 0;
const FOR_WRITING: u16 = 1;
const UNLOCKED: u16 = 2;

/// `struct flock`, in words: type and where the range is counted from; its start; its length; the process.
type Lock = [u64; 4];

/// Device and number of the file of which a descriptor can have the lock (`flock`), and its open description.
pub(in crate::platform) fn lockable(fd: u64) -> Option<((u64, u64), u32)> {
    let (description, _) = descriptors::description(fd)?;
    if of_description(fd) as u32 & nr::O_PATH != 0 {
        return None;
    }
    let identity = match descriptors::kind(fd) {
        DescriptorKind::Overlay(index) => {
            let file = &descriptors::files().entries[usize::from(index)];
            (file.device, file.number)
        }
        _ => path::identity_of_descriptor(fd)?,
    };
    Some((identity, description))
}

/// `fcntl` with a request about a lock.
pub(in crate::platform) fn process_lock(fd: u64, command: u64, address: u64) -> Result<i64, Refusal> {
    if !matches!(descriptors::kind(fd), DescriptorKind::Reading | DescriptorKind::Overlay(_)) {
        return Err(Refusal::Unmodelled);
    }
    let opened = of_description(fd) as u32;
    if opened & nr::O_PATH != 0 {
        return Err(errno::EBADF.into());
    }
    let Some(lock) = recover::read_value::<Lock>(address) else { return Err(errno::EFAULT.into()) };
    let kind = lock[0] as u16;
    if kind > UNLOCKED || command == GET && kind == UNLOCKED {
        return Err(errno::EINVAL.into());
    }
    check_range(fd, &lock)?;
    if command == GET {
        let free = lock[0] & !0xffff | u64::from(UNLOCKED);
        return if recover::write_value(address, &free) { Ok(0) } else { Err(errno::EFAULT.into()) };
    }
    match (kind, opened & nr::O_ACCMODE) {
        (FOR_READING, nr::O_WRONLY) | (FOR_WRITING, nr::O_RDONLY) => Err(errno::EBADF.into()),
        _ => Ok(0),
    }
}

/// Refuses a range that begins before the file or ends behind all offsets.
fn check_range(fd: u64, lock: &Lock) -> Result<(), Refusal> {
    const CURRENT: u64 = 1;
    let (start, len) = (lock[1] as i64, lock[2] as i64);
    let from = match (lock[0] >> 16) as u16 {
        0 => 0,
        // SAFETY: asks for the position only.
        1 => checked(unsafe { sys::call3(nr::__NR_lseek, fd, 0, CURRENT) })?,
        2 => path::status_of_descriptor(fd).map_err(Refusal::Error)?[6] as i64,
        _ => return Err(errno::EINVAL.into()),
    };
    let Some(start) = from.checked_add(start) else { return Err(errno::EOVERFLOW.into()) };
    if start < 0 || len < 0 && start + len < 0 {
        return Err(errno::EINVAL.into());
    }
    if len > 0 && start.checked_add(len - 1).is_none() { Err(errno::EOVERFLOW.into()) } else { Ok(()) }
}
