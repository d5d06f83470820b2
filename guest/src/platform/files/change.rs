//! Calls that change names, sizes and attributes of files.

use super::descriptors::{self, CURRENT_DIRECTORY, DescriptorKind, files};
use super::entry::Time;
use super::file::{
    bind, folder_of, is_folder, is_regular, make, named, note_changed, note_written, record, touch, with_identity,
};
use super::listing::is_empty;
use super::open::may_change_folder;
use super::path::{self, DIRECTORY, LINK, PERMISSIONS, PathBuffer};
use super::paths::{is_in_use, path_of};
use super::private::{make_private, show_permissions};
use super::refusal::{Refusal, checked};
use super::walk::{Destination, Follow, Found, walk};
use crate::platform::sys::{self, errno, nr};
use core::ffi::CStr;

/// What the run knows of a file from now on; an error if nothing is there.
fn known(place: &Destination) -> Result<usize, Refusal> {
    match &place.found {
        Found::Nothing => Err(errno::ENOENT.into()),
        Found::Known(index) => Ok(*index),
        Found::Disk(status) => Ok(record(&place.path, status)),
    }
}

/// The place that a call changes the name of.
fn place_of_name(directory: i32, address: u64) -> Result<Destination, Refusal> {
    walk(directory, PathBuffer::read(address)?.text(), Follow::Never)
}

/// Whether the process may take away a name. In a sticky folder that is for the owners of the file and of the folder.
fn may_remove(place: &Destination) -> Result<(), Refusal> {
    const STICKY: u32 = 0o1000;
    may_change_folder(&place.path)?;
    let disk = match &place.found {
        Found::Disk(_) => Some(place.path.as_str()),
        Found::Known(index) => files().entries[*index].disk.as_deref(),
        Found::Nothing => None,
    };
    let Some(disk) = disk else { return Ok(()) };
    let file = path::status(disk).map_err(Refusal::Error)?;
    // A folder that the run has made is its own.
    let Ok(folder) = path::status(folder_of(&place.path)) else { return Ok(()) };
    let owners = [0, folder[3] >> 32, file[3] >> 32];
    let may = path::mode(&folder) & STICKY == 0 || owners.contains(&own()[0].into());
    if may { Ok(()) } else { Err(errno::EPERM.into()) }
}

/// unlinkat, of anything but folders.
pub(in crate::platform) fn unlink(directory: i32, address: u64) -> Result<i64, Refusal> {
    let place = place_of_name(directory, address)?;
    match &place.found {
        _ if place.dots => return Err(errno::EISDIR.into()),
        Found::Nothing => return Err(errno::ENOENT.into()),
        found if place.slash && !found.is_folder() => return Err(errno::ENOTDIR.into()),
        found if place.slash && found.is_folder() => return Err(errno::EISDIR.into()),
        _ => may_remove(&place)?,
    }
    if place.found.is_folder() {
        return Err(errno::EISDIR.into());
    }
    let index = known(&place)?;
    bind(&place.path, None, Some(index));
    Ok(0)
}

/// renameat, of anything but folders.
pub(in crate::platform) fn rename(from: (i32, u64), to: (i32, u64)) -> Result<i64, Refusal> {
    let source = place_of_name(from.0, from.1)?;
    let target = place_of_name(to.0, to.1)?;
    if source.dots || target.dots {
        return Err(errno::EBUSY.into());
    }
    if device_at(folder_of(&source.path)) != device_at(folder_of(&target.path)) {
        return Err(errno::EXDEV.into());
    }
    match &source.found {
        Found::Nothing => return Err(errno::ENOENT.into()),
        found if found.is_folder() => return rename_folder(&source, &target),
        _ if source.slash || target.slash => return Err(errno::ENOTDIR.into()),
        _ if lies_in(&source.path, &target.path) => return Err(errno::ENOTEMPTY.into()),
        _ => {}
    }
    let moved = known(&source)?;
    let replaced = if matches!(target.found, Found::Nothing) { None } else { Some(known(&target)?) };
    if replaced == Some(moved) {
        return Ok(0);
    }
    may_remove(&source)?;
    may_remove(&target)?;
    if replaced.is_some_and(is_folder) {
        return Err(errno::EISDIR.into());
    }
    bind(&source.path, None, Some(moved));
    bind(&target.path, Some(moved), replaced);
    files().entries[moved].name = target.path;
    files().renames += 1;
    Ok(0)
}

/// Whether a path is below another one.
fn lies_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The errors of renaming a folder. That itself is not modelled.
fn rename_folder(source: &Destination, target: &Destination) -> Result<i64, Refusal> {
    match &target.found {
        _ if source.path == target.path => Ok(0),
        _ if lies_in(&target.path, &source.path) => Err(errno::EINVAL.into()),
        _ if lies_in(&source.path, &target.path) => Err(errno::ENOTEMPTY.into()),
        Found::Known(_) | Found::Disk(_) if !target.found.is_folder() => Err(errno::ENOTDIR.into()),
        Found::Nothing | Found::Known(_) | Found::Disk(_) => Err(Refusal::Unmodelled),
    }
}

/// The device of a folder.
fn device_at(folder: &str) -> u64 {
    match named(folder) {
        Some(Some(index)) => files().entries[index].device,
        Some(None) | None => path::status(folder).map_or(0, |status| status[0]),
    }
}

/// The place where a call makes a name: nothing may be there, and only a folder's name may end in a slash.
fn free_place(directory: i32, address: u64, of_folder: bool) -> Result<Destination, Refusal> {
    let place = place_of_name(directory, address)?;
    match place.found {
        Found::Nothing if place.slash && !of_folder => Err(errno::ENOENT.into()),
        Found::Nothing => may_change_folder(&place.path).map(|()| place),
        Found::Known(_) | Found::Disk(_) => Err(errno::EEXIST.into()),
    }
}

/// linkat: another name for a file.
pub(in crate::platform) fn link(from: (i32, u64), to: (i32, u64), flags: u64) -> Result<i64, Refusal> {
    const FOLLOW: u64 = 0x400;
    if flags & !FOLLOW != 0 {
        return Err(Refusal::Unmodelled);
    }
    let follow = if flags & FOLLOW != 0 { Follow::Always } else { Follow::IfSlash };
    let source = walk(from.0, PathBuffer::read(from.1)?.text(), follow)?.existing()?;
    let place = free_place(to.0, to.1, false)?;
    if device_at(folder_of(&source.path)) != device_at(folder_of(&place.path)) {
        return Err(errno::EXDEV.into());
    }
    if source.found.is_folder() {
        return Err(errno::EPERM.into());
    }
    let index = known(&source)?;
    bind(&place.path, Some(index), None);
    Ok(0)
}

/// symlinkat.
pub(in crate::platform) fn symlink(target: u64, directory: i32, address: u64) -> Result<i64, Refusal> {
    let target = PathBuffer::read(target)?;
    let Ok(target) = target.text().to_str() else { return Err(Refusal::Unmodelled) };
    if target.is_empty() {
        return Err(errno::ENOENT.into());
    }
    let place = free_place(directory, address, false)?;
    let index = make(&place.path, LINK | 0o777);
    files().entries[index].target = target.into();
    bind(&place.path, Some(index), None);
    Ok(0)
}

/// What the run knows of the folder that a path lies in.
fn folder_around(path: &str) -> Result<usize, Refusal> {
    let folder = folder_of(path);
    match named(folder) {
        Some(Some(index)) => Ok(index),
        Some(None) => Err(errno::ENOENT.into()),
        None => Ok(record(folder, &path::status(folder).map_err(Refusal::Error)?)),
    }
}

/// mkdirat.
pub(in crate::platform) fn make_folder(directory: i32, address: u64, mode: u32) -> Result<i64, Refusal> {
    const BITS: u32 = 0o1777;
    let place = free_place(directory, address, true)?;
    let around = folder_around(&place.path)?;
    let index = make(&place.path, DIRECTORY | mode & BITS & !files().umask);
    bind(&place.path, Some(index), None);
    // Its own name for itself, and that of the folder around it.
    files().entries[index].links += 1;
    files().entries[around].links += 1;
    Ok(0)
}

/// Whether the last part of a path is that of the folder around.
fn ends_in_dots(path: &CStr) -> bool {
    path.to_bytes().split(|&byte| byte == b'/').rfind(|part| !part.is_empty()) == Some(b"..".as_slice())
}

/// rmdir.
pub(in crate::platform) fn remove_folder(directory: i32, address: u64) -> Result<i64, Refusal> {
    let given = PathBuffer::read(address)?;
    let place = walk(directory, given.text(), Follow::Never)?;
    match &place.found {
        _ if place.path == "/" => return Err(errno::EBUSY.into()),
        _ if place.dots && ends_in_dots(given.text()) => return Err(errno::ENOTEMPTY.into()),
        _ if place.dots => return Err(errno::EINVAL.into()),
        Found::Nothing => return Err(errno::ENOENT.into()),
        found if !found.is_folder() => return Err(errno::ENOTDIR.into()),
        Found::Known(_) | Found::Disk(_) => may_remove(&place)?,
    }
    if !is_empty(&place.path)? {
        return Err(errno::ENOTEMPTY.into());
    }
    // Paths relative to a folder that is gone are not modelled.
    if is_in_use(&place.path)? {
        return Err(Refusal::Unmodelled);
    }
    let around = folder_around(&place.path)?;
    let index = known(&place)?;
    bind(&place.path, None, Some(index));
    files().entries[around].links -= 1;
    Ok(0)
}

/// truncate.
pub(in crate::platform) fn truncate(address: u64, len: u64) -> Result<i64, Refusal> {
    if (len as i64) < 0 {
        return Err(errno::EINVAL.into());
    }
    let place = walk(CURRENT_DIRECTORY, PathBuffer::read(address)?.text(), Follow::Always)?.existing()?;
    if place.found.is_folder() {
        return Err(errno::EISDIR.into());
    }
    let index = known(&place)?;
    if !is_regular(index) {
        return Err(errno::EINVAL.into());
    }
    let file = &files().entries[index];
    match (file.copy, &file.disk) {
        (None, Some(disk)) => path::may(disk, 2)?,
        (Some(copy), _) => path::may(&alloc::format!("/proc/self/fd/{copy}"), 2)?,
        (None, None) => {}
    }
    if file.mapped {
        return Err(Refusal::Unmodelled);
    }
    let copy = make_private(index, len == 0)?;
    // SAFETY: changes the size of a copy in memory.
    checked(unsafe { sys::call2(nr::__NR_ftruncate, copy as u64, len) })?;
    note_written(index);
    Ok(0)
}

/// The file that a call of this path changes the attributes of.
pub(in crate::platform) fn file_to_change(directory: i32, address: u64, follow: bool) -> Result<usize, Refusal> {
    let follow = if follow { Follow::Always } else { Follow::IfSlash };
    let place = walk(directory, PathBuffer::read(address)?.text(), follow)?.existing()?;
    known(&place)
}

/// The file behind a descriptor.
pub(in crate::platform) fn file_behind(fd: u64) -> Result<usize, Refusal> {
    match descriptors::kind(fd) {
        DescriptorKind::Closed | DescriptorKind::Reserved => Err(errno::EBADF.into()),
        DescriptorKind::Overlay(index) => Ok(index.into()),
        DescriptorKind::Reading => {
            let status = path::status_of_descriptor(fd).map_err(Refusal::Error)?;
            match (with_identity(status[0], status[1]), path_of(fd)) {
                (Some(index), _) => Ok(index),
                (None, Some(disk)) => Ok(record(&disk, &status)),
                (None, None) => Err(Refusal::Unmodelled),
            }
        }
        DescriptorKind::Inherited
        | DescriptorKind::Device
        | DescriptorKind::Random
        | DescriptorKind::Channel(_)
        | DescriptorKind::Duplicate(_) => Err(Refusal::Unmodelled),
    }
}

/// Whether the process is one that may change the attributes of a file.
fn may_change_attributes(index: usize) -> Result<(), Refusal> {
    let Some(disk) = &files().entries[index].disk else { return Ok(()) };
    let owner = path::status(disk).map_err(Refusal::Error)?[3] >> 32;
    // SAFETY: asks for a number.
    let own = unsafe { sys::call1(nr::__NR_geteuid, 0) } as u64;
    if own == 0 || own == owner { Ok(()) } else { Err(errno::EPERM.into()) }
}

/// Changes the permissions of a regular file.
pub(in crate::platform) fn set_permissions(index: usize, mode: u32) -> Result<i64, Refusal> {
    may_change_attributes(index)?;
    if !is_regular(index) {
        return Err(Refusal::Unmodelled);
    }
    make_private(index, false)?;
    let file = &mut files().entries[index];
    file.mode = file.mode & !PERMISSIONS | mode & PERMISSIONS;
    show_permissions(index);
    note_changed(index);
    Ok(0)
}

/// Changes the times of a file: None leaves a time as it is, `Some(None)` sets the present one.
pub(in crate::platform) fn set_times(index: usize, new: [Option<Option<Time>>; 2]) -> Result<i64, Refusal> {
    may_change_attributes(index)?;
    if is_folder(index) {
        return Err(Refusal::Unmodelled);
    }
    touch(index, |now, times| {
        for (known, new) in times.iter_mut().zip(new) {
            *known = new.map_or(*known, |new| new.unwrap_or(now));
        }
        times[2] = now;
    });
    Ok(0)
}

/// Whether the file belongs to the program's user and group already if these are set; all ones leaves one as it is.
pub(in crate::platform) fn keeps_owner(index: usize, new: [u32; 2]) -> bool {
    let disk = files().entries[index].disk.as_deref().and_then(|disk| path::status(disk).ok());
    let owner = disk.map_or_else(own, |status| [(status[3] >> 32) as u32, status[4] as u32]);
    new.into_iter().zip(owner).all(|(new, old)| new == u32::MAX || new == old)
}

fn own() -> [u32; 2] {
    // SAFETY: asks for two numbers.
    unsafe { [sys::call1(nr::__NR_geteuid, 0) as u32, sys::call1(nr::__NR_getegid, 0) as u32] }
}
