//! Permissions, owners and times of files, changed by path or descriptor.
//!
//! A file whose permissions the run changes gets its private copy. Times are stored beside it.

use super::files::{self, Refusal};
use super::recover;
use super::sys::errno;
use super::sys::nr;

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

/// chmod, chown, utime and their variants.
pub(super) fn change(number: u32, args: &[u64; 6]) -> Result<i64, Refusal> {
    let [a, b, c, d, e, ..] = *args;
    let current = files::CURRENT_DIRECTORY;
    match number {
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
        _ => Err(Refusal::Unmodelled),
    }
}

/// Two times in memory, fractions in units of so many nanoseconds.
fn times(address: u64, unit: u64) -> Result<[(u64, u64); 2], Refusal> {
    const SECOND: u64 = 1_000_000_000;
    if address == 0 {
        return Ok([(0, NOW); 2]);
    }
    let words: [u64; 4] = recover::read_value(address).ok_or(errno::EFAULT)?;
    let is_valid = |fraction: u64| fraction < SECOND / unit || unit == 1 && [NOW, OMIT].contains(&fraction);
    if !is_valid(words[1]) || !is_valid(words[3]) {
        return Err(errno::EINVAL.into());
    }
    Ok([(words[0], words[1] * unit), (words[2], words[3] * unit)])
}

/// The argument of utime: two numbers of seconds.
fn seconds(address: u64) -> Result<[(u64, u64); 2], Refusal> {
    if address == 0 {
        return Ok([(0, NOW); 2]);
    }
    let words: [u64; 2] = recover::read_value(address).ok_or(errno::EFAULT)?;
    Ok([(words[0], 0), (words[1], 0)])
}

fn of_path(directory: i32, address: u64, flags: u64, change: Change) -> Result<i64, Refusal> {
    if flags & EMPTY_PATH != 0 {
        return Err(Refusal::Unmodelled);
    }
    apply(files::file_to_change(directory, address, flags & SYMLINK_NOFOLLOW == 0)?, change)
}

fn of_descriptor(fd: u64, change: Change) -> Result<i64, Refusal> {
    apply(files::file_behind(fd)?, change)
}

fn apply(index: usize, change: Change) -> Result<i64, Refusal> {
    match change {
        Change::Permissions(mode) => files::set_permissions(index, mode),
        Change::Owner(owner) if files::keeps_owner(index, owner) => Ok(0),
        // Only some users may do that, and a copy in memory would not show it.
        Change::Owner(_) => Err(Refusal::Unmodelled),
        Change::Times(new) => files::set_times(
            index,
            new.map(|time| match time.1 {
                OMIT => None,
                NOW => Some(None),
                _ => Some(Some(time)),
            }),
        ),
    }
}
