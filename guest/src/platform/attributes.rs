//! Permissions, owners and times of files, changed by path or descriptor.
//!
//! A file whose attributes the run changes is a file the run has written to: it gets its copy in memory. Permissions
//! and times are stored beside the copy ([`files::correct_stat`] shows them), as a copy that the program itself may
//! not read would be of no use.

use super::files::{self, DescriptorKind};
use super::recover;
use super::sys::{self, errno, nr};

/// Permission bits that `chmod` changes.
const PERMISSIONS: u32 = 0o7777;
const SYMLINK_NOFOLLOW: u64 = 0x100;
const EMPTY_PATH: u64 = 0x1000;
/// Values of the nanoseconds of a time: as of now, and as it was.
const NOW: u64 = (1 << 30) - 1;
const OMIT: u64 = (1 << 30) - 2;

/// What a call changes.
#[derive(Clone, Copy)]
enum Change {
    Permissions(u32),
    /// Owner and group; all ones leaves that one as it is.
    Owner([u32; 2]),
    /// Access and modification: seconds and nanoseconds.
    Times([(u64, u64); 2]),
}

/// chmod, chown, utime and their variants. None: not modelled.
pub(super) fn change(number: u32, args: &[u64; 6]) -> Option<i64> {
    let [a, b, c, d, e, ..] = *args;
    let current = files::CURRENT_DIRECTORY;
    let done = match number {
        nr::__NR_chmod => of_path(current, a, 0, Change::Permissions(b as u32)),
        nr::__NR_fchmodat => of_path(a as i32, b, 0, Change::Permissions(c as u32)),
        nr::__NR_fchmod => of_descriptor(a, Change::Permissions(b as u32)),
        nr::__NR_chown => of_path(current, a, 0, Change::Owner([b as u32, c as u32])),
        nr::__NR_lchown => of_path(current, a, SYMLINK_NOFOLLOW, Change::Owner([b as u32, c as u32])),
        nr::__NR_fchownat => of_path(a as i32, b, e, Change::Owner([c as u32, d as u32])),
        nr::__NR_fchown => of_descriptor(a, Change::Owner([b as u32, c as u32])),
        nr::__NR_utimensat if b == 0 => of_descriptor(a, Change::Times(times(c, 1)?)),
        nr::__NR_utimensat => of_path(a as i32, b, d, Change::Times(times(c, 1)?)),
        nr::__NR_futimesat => of_path(a as i32, b, 0, Change::Times(times(c, 1000)?)),
        nr::__NR_utimes => of_path(current, a, 0, Change::Times(times(b, 1000)?)),
        nr::__NR_utime => of_path(current, a, 0, Change::Times(seconds(b)?)),
        _ => return None,
    };
    match done {
        Ok(true) => Some(0),
        Ok(false) => None,
        Err(error) => Some(error),
    }
}

/// Two times in memory, fractions in units of so many nanoseconds. None if they cannot be read.
fn times(address: u64, unit: u64) -> Option<[(u64, u64); 2]> {
    if address == 0 {
        return Some([(0, NOW); 2]);
    }
    let words: [u64; 4] = recover::read_value(address)?;
    Some([(words[0], words[1].wrapping_mul(unit)), (words[2], words[3].wrapping_mul(unit))])
}

/// The argument of utime: two numbers of seconds.
fn seconds(address: u64) -> Option<[(u64, u64); 2]> {
    if address == 0 {
        return Some([(0, NOW); 2]);
    }
    let words: [u64; 2] = recover::read_value(address)?;
    Some([(words[0], 0), (words[1], 0)])
}

/// Ok(false): not modelled.
fn of_path(directory: i32, address: u64, flags: u64, change: Change) -> Result<bool, i64> {
    if flags & EMPTY_PATH != 0 || changes_owner(change) {
        return Ok(false);
    }
    match files::entry_to_change(directory, address, flags & SYMLINK_NOFOLLOW != 0)? {
        Some(index) => {
            apply(index, change);
            Ok(true)
        }
        None => Ok(false),
    }
}

fn of_descriptor(fd: u64, change: Change) -> Result<bool, i64> {
    match files::kind(fd) {
        DescriptorKind::Closed | DescriptorKind::Reserved => Err(-i64::from(errno::EBADF)),
        DescriptorKind::Overlay(_) if changes_owner(change) => Ok(false),
        DescriptorKind::Overlay(index) => {
            apply(index.into(), change);
            Ok(true)
        }
        DescriptorKind::Inherited
        | DescriptorKind::Reading
        | DescriptorKind::Device
        | DescriptorKind::Random
        | DescriptorKind::Channel(_)
        | DescriptorKind::Duplicate(_) => Ok(false),
    }
}

/// Whether a file would belong to another user or group than those of the process: only some users may do that, and a
/// copy in memory would not show it.
fn changes_owner(change: Change) -> bool {
    let Change::Owner([owner, group]) = change else { return false };
    // SAFETY: asks for two numbers.
    let own = unsafe { [sys::call1(nr::__NR_geteuid, 0), sys::call1(nr::__NR_getegid, 0)] };
    [owner, group].into_iter().zip(own).any(|(new, own)| new != u32::MAX && new != own as u32)
}

fn apply(index: usize, change: Change) {
    files::set_attributes(index, |mode, known| match change {
        Change::Permissions(new) => *mode = new & PERMISSIONS,
        // The copy belongs to the program's user already.
        Change::Owner(_) => {}
        Change::Times(new) => {
            for (known, new) in known.iter_mut().zip(new) {
                match new.1 {
                    OMIT => {}
                    NOW => *known = files::EPOCH,
                    _ => *known = new,
                }
            }
        }
    });
}
