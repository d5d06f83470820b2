//! Files in memory (`memfd_create`): files of the run's own that have no name.

use super::descriptors::{self, files};
use super::file::make;
use super::path::{PathBuffer, REGULAR};
use super::private::give_contents;
use super::refusal::Refusal;
use crate::platform::sys::{errno, nr};

/// memfd_create.
pub(in crate::platform) fn make_memory_file(name: u64, flags: u64) -> Result<i64, Refusal> {
    const CLOSE_ON_EXEC: u64 = 1;
    const MAY_BE_SEALED: u64 = 2;
    const LARGE_PAGES: u64 = 4;
    /// These, and whether the file may be run.
    const KNOWN: u64 = 0x1f;
    const LONGEST: usize = 249;
    let flags = u64::from(flags as u32);
    if PathBuffer::read(name)?.text().count_bytes() > LONGEST {
        return Err(errno::EINVAL.into());
    }
    if flags & LARGE_PAGES == 0 && flags & !KNOWN != 0 {
        return Err(errno::EINVAL.into());
    }
    if flags & !(CLOSE_ON_EXEC | MAY_BE_SEALED) != 0 {
        return Err(Refusal::Unmodelled);
    }
    // Its number is known only once it is there.
    let index = make("/", REGULAR | 0o777);
    let how = u64::from(nr::O_RDWR) | if flags & CLOSE_ON_EXEC != 0 { u64::from(nr::O_CLOEXEC) } else { 0 };
    let fd = give_contents(index, how)?;
    // As all that makes or closes descriptors is in one order, so is this.
    files().entries[index].name = alloc::format!("/memfd:{fd}.{}", descriptors::generation(fd as u64));
    Ok(fd)
}
