//! Locks of files that belong to the process (`fcntl`, `lockf`). Within the process none is in the way of another one,
//! and those of other processes are not looked at: what is left is which requests are refused. And what is asked of a
//! lock of a range that belongs to an open description.

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
    range_of(fd, &lock)?;
    if kind != UNLOCKED && descriptors::files().lockers.descriptions {
        return Err(Refusal::Unmodelled);
    }
    if command == GET {
        let free = lock[0] & !0xffff | u64::from(UNLOCKED);
        return if recover::write_value(address, &free) { Ok(0) } else { Err(errno::EFAULT.into()) };
    }
    match (kind, opened & nr::O_ACCMODE) {
        (FOR_READING, nr::O_WRONLY) | (FOR_WRITING, nr::O_RDONLY) => Err(errno::EBADF.into()),
        (UNLOCKED, _) => Ok(0),
        _ => {
            descriptors::files().lockers.process = true;
            Ok(0)
        }
    }
}

/// The run asks for a lock that belongs to an open description; whether it has taken one that belongs to the process.
pub(in crate::platform) fn begin_locking() -> bool {
    descriptors::files().lockers.descriptions = true;
    descriptors::files().lockers.process
}

/// What is asked of a lock of a range that belongs to an open description.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    words: Lock,
    /// The first byte.
    pub start: i64,
    /// The last byte.
    pub end: i64,
    /// Whether nobody else may have a lock of it; None to give one back.
    pub alone: Option<bool>,
    /// It is counted from the start of the file.
    pub is_from_start: bool,
}

impl Asked {
    /// What the program is told: the range of the lock that is in the way, and whether nobody else may have one; or
    /// that there is none.
    pub fn answer(&self, in_the_way: Option<(i64, i64, bool)>) -> [u64; 4] {
        const NO_PROCESS: u64 = 0xffff_ffff;
        let rest = |word: u64, bits: u32| word & !((1 << bits) - 1);
        let Some((start, end, alone)) = in_the_way else {
            return [rest(self.words[0], 16) | u64::from(UNLOCKED), self.words[1], self.words[2], self.words[3]];
        };
        let kind = if alone { FOR_WRITING } else { FOR_READING };
        let len = if end == i64::MAX { 0 } else { (end - start + 1) as u64 };
        [rest(self.words[0], 32) | u64::from(kind), start as u64, len, rest(self.words[3], 32) | NO_PROCESS]
    }
}

/// What a request about a lock of a range says that belongs to an open description, or the error of Linux. None if it
/// is not modelled: whether the description itself has a lock.
pub(in crate::platform) fn asked_lock(fd: u64, address: u64, is_look: bool) -> Result<Option<Asked>, i64> {
    let Some(words) = recover::read_value::<Lock>(address) else { return Err(sys::error(errno::EFAULT)) };
    let (start, end) = match range_of(fd, &words) {
        Ok(range) => range,
        Err(Refusal::Error(refused)) => return Err(refused),
        Err(Refusal::Unmodelled) => return Ok(None),
    };
    let kind = words[0] as u16;
    let refused = match (kind, of_description(fd) as u32 & nr::O_ACCMODE) {
        _ if kind > UNLOCKED => Some(errno::EINVAL),
        (FOR_READING, nr::O_WRONLY) | (FOR_WRITING, nr::O_RDONLY) if !is_look => Some(errno::EBADF),
        _ if words[3] as u32 != 0 => Some(errno::EINVAL),
        _ => None,
    };
    if let Some(refused) = refused {
        return Err(sys::error(refused));
    }
    let alone = (kind != UNLOCKED).then_some(kind == FOR_WRITING);
    let asked = Asked { words, start, end, alone, is_from_start: words[0] >> 16 & 0xffff == 0 };
    Ok((!is_look || alone.is_some()).then_some(asked))
}

/// The first and the last byte of a range, unless it begins before the file or ends behind all offsets.
fn range_of(fd: u64, lock: &Lock) -> Result<(i64, i64), Refusal> {
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
    match len {
        0 => Ok((start, i64::MAX)),
        1.. => Ok((start, start.checked_add(len - 1).ok_or(Refusal::from(errno::EOVERFLOW))?)),
        _ => Ok((start + len, start - 1)),
    }
}
