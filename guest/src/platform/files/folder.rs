//! The current folder, as the run has changed it. The process stays where it is: paths are followed from the folder
//! that is kept here.

use super::descriptors::files;
use super::path::{self, PathBuffer};
use super::refusal::Refusal;
use super::walk::{Follow, Found, current_directory, start_of, walk};
use crate::platform::recover;
use crate::platform::sys::errno;
use alloc::string::String;

/// To search a folder (of `access`).
const SEARCH: u64 = 1;

/// Goes to a folder by its absolute path.
fn go(path: &str, disk: Option<&str>) -> Result<i64, Refusal> {
    if let Some(disk) = disk {
        path::may(disk, SEARCH)?;
    }
    let files = files();
    files.changed = true;
    files.folder = Some(path.trim_end_matches('/').into());
    Ok(0)
}

/// chdir.
pub(in crate::platform) fn change(address: u64) -> Result<i64, Refusal> {
    let given = PathBuffer::read(address)?;
    let place = walk(super::CURRENT_DIRECTORY, given.text(), Follow::Always)?.existing()?;
    if !place.found.is_folder() {
        return Err(errno::ENOTDIR.into());
    }
    let disk = match place.found {
        Found::Known(index) => files().entries[index].disk.clone(),
        Found::Disk(_) | Found::Nothing => Some(place.path.clone()),
    };
    go(&place.path, disk.as_deref())
}

/// fchdir.
pub(in crate::platform) fn change_to_descriptor(fd: u64) -> Result<i64, Refusal> {
    if fd as u32 as i32 == super::CURRENT_DIRECTORY {
        return Err(errno::EBADF.into());
    }
    let folder = start_of(fd as u32 as i32)?;
    let shown: String = if folder.is_empty() { "/".into() } else { folder };
    let is_own = super::file::named(&shown).flatten().is_some_and(|index| files().entries[index].disk.is_none());
    go(&shown, (!is_own).then_some(shown.as_str()))
}

/// getcwd, once the run has changed the folder: how many bytes were written. None before that.
pub(in crate::platform) fn show(address: u64, len: u64) -> Option<Result<i64, Refusal>> {
    files().folder.as_ref()?;
    Some(current_directory().and_then(|folder| {
        let shown = path::terminated(if folder.is_empty() { "/" } else { &folder });
        if (shown.len() as u64) > len {
            return Err(errno::ERANGE.into());
        }
        if recover::write(address, shown.as_bytes()) { Ok(shown.len() as i64) } else { Err(errno::EFAULT.into()) }
    }))
}

/// Whether a path means something else to the kernel than to the run.
pub(in crate::platform) fn is_moved(address: u64) -> bool {
    files().folder.is_some() && recover::read_value::<u8>(address) != Some(b'/')
}
