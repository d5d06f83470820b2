//! What the program is told of files: sizes, names, permissions, times.

use super::descriptors::{self, DescriptorKind, files};
use super::entry::File;
use super::file::{folder_changed, is_folder, with_identity};
use super::path::{self, DIRECTORY, FILE_TYPE, LINK, Status, link_target};
use super::paths::without_process;
use super::refusal::Refusal;
use super::walk::{Destination, Follow, Found, walk};
use crate::platform::sys::{self, errno, nr};
use crate::platform::{clock, recover};
use alloc::string::String;
use inspect_core::event::SiteId;

/// A status that is shown to the program, and the loop on whose rounds its times depend.
pub(in crate::platform) type Shown = (Status, Option<SiteId>);

/// What stands for a file in the status of the kernel is replaced by what the run knows of it.
fn correct(file: &File, status: &mut Status) {
    (status[0], status[1], status[2]) = (file.device, file.number, file.links);
    status[3] = status[3] & !0xffff_ffff | u64::from(file.mode);
    for (at, time) in [9, 11, 13].into_iter().zip(file.times) {
        (status[at], status[at + 1]) = time;
    }
}

/// The status of a file that the run has changed.
fn of_known(index: usize) -> Result<Shown, Refusal> {
    let file = &files().entries[index];
    let disk = file.disk.as_deref().map(path::status).transpose().map_err(Refusal::Error)?;
    let mut status = match (file.copy, disk) {
        (Some(copy), disk) => {
            let mut status = path::status_of_descriptor(copy as u64).map_err(Refusal::Error)?;
            if let Some(disk) = disk {
                // The owner and the group of the file are not those of the copy.
                (status[3], status[4]) = (disk[3], disk[4]);
            }
            status
        }
        (None, Some(disk)) => disk,
        (None, None) => made(file),
    };
    correct(file, &mut status);
    if is_folder(index) {
        show_folder(&file.name, &mut status);
    }
    Ok((status, file.after_loop))
}

/// The status of a folder or a symbolic link that the run has made.
fn made(file: &File) -> Status {
    // SAFETY: asks for two numbers.
    let [user, group] = unsafe { [sys::call1(nr::__NR_geteuid, 0), sys::call1(nr::__NR_getegid, 0)] };
    let mut status = [0; 18];
    (status[3], status[4]) = ((user as u64) << 32, group as u64);
    (status[6], status[7]) = (if file.is(LINK) { file.target.len() as u64 } else { 4096 }, 4096);
    status
}

/// A folder changes when names in it are given or taken away.
fn show_folder(folder: &str, status: &mut Status) {
    if let Some(changed) = folder_changed(folder) {
        (status[11], status[12]) = changed;
        (status[13], status[14]) = changed;
    }
}

/// The status of what is at a place.
pub(super) fn of_place(place: &Destination) -> Result<Shown, Refusal> {
    match &place.found {
        Found::Nothing => Err(errno::ENOENT.into()),
        Found::Known(index) => of_known(*index),
        Found::Disk(status) => {
            let mut status = *status;
            if path::mode(&status) & FILE_TYPE == DIRECTORY {
                show_folder(&place.path, &mut status);
            }
            hide_access(&mut status);
            Ok((status, None))
        }
    }
}

/// Reading a file does not show in its access time.
fn hide_access(status: &mut Status) {
    (status[9], status[10]) = (status[11], status[12]);
}

/// stat by path.
pub(in crate::platform) fn of_path(directory: i32, address: u64, follow: bool) -> Result<Shown, Refusal> {
    let path = path::PathBuffer::read(address)?;
    let follow = if follow { Follow::Always } else { Follow::IfSlash };
    of_place(&walk(directory, path.text(), follow)?.existing()?)
}

/// stat by descriptor. The number of a pipe or the like is not in it.
pub(in crate::platform) fn of_descriptor(fd: u64) -> Result<Shown, Refusal> {
    let kind = descriptors::kind(fd);
    if !descriptors::is_kind_open(kind) {
        return Err(errno::EBADF.into());
    }
    let mut status = path::status_of_descriptor(fd).map_err(Refusal::Error)?;
    match kind {
        DescriptorKind::Overlay(index) => return of_known(index.into()),
        DescriptorKind::Channel(_) => {
            let began = clock::EPOCH / 1_000_000_000;
            status = [2, 0, 1, status[3], 0, 0, 0, 4096, 0, began, 0, began, 0, began, 0, 0, 0, 0];
        }
        _ if descriptors::is_output(fd) => status = output(),
        DescriptorKind::Closed
        | DescriptorKind::Reserved
        | DescriptorKind::Inherited
        | DescriptorKind::Duplicate(_)
        | DescriptorKind::Reading
        | DescriptorKind::Device
        | DescriptorKind::Random => return of_disk(fd, status),
    }
    Ok((status, None))
}

/// Output is a pipe, whatever it is here.
fn output() -> Status {
    const PIPE: u64 = 0o010600;
    let mut status = [0; 18];
    (status[2], status[3], status[7]) = (1, PIPE, 4096);
    status
}

fn of_disk(fd: u64, mut status: Status) -> Result<Shown, Refusal> {
    if let Some(index) = with_identity(status[0], status[1]) {
        return of_known(index);
    }
    if path::mode(&status) & FILE_TYPE == DIRECTORY && !files().names.is_empty() {
        show_folder(&link_target(fd), &mut status);
    }
    hide_access(&mut status);
    Ok((status, None))
}

/// access: whether the file may be used in these ways.
pub(in crate::platform) fn access(directory: i32, address: u64, ways: u64, flags: u64) -> Result<i64, Refusal> {
    const NOFOLLOW: u64 = 0x100;
    const EFFECTIVE: u64 = 0x200;
    const ALL_WAYS: u64 = 7;
    if ways & !ALL_WAYS != 0 || flags & !(NOFOLLOW | EFFECTIVE) != 0 {
        return Err(if flags & 0x1000 != 0 { Refusal::Unmodelled } else { errno::EINVAL.into() });
    }
    let path = path::PathBuffer::read(address)?;
    let follow = if flags & NOFOLLOW != 0 { Follow::IfSlash } else { Follow::Always };
    let place = walk(directory, path.text(), follow)?.existing()?;
    let Found::Known(index) = place.found else { return path::may(&place.path, ways).map(|()| 0) };
    let file = &files().entries[index];
    match (file.copy, &file.disk) {
        _ if file.socket.is_some() => Ok(0),
        (Some(copy), _) => path::may(&alloc::format!("/proc/self/fd/{copy}"), ways).map(|()| 0),
        (None, Some(disk)) => path::may(disk, ways).map(|()| 0),
        // A folder or a link of the run's own.
        (None, None) => Ok(0),
    }
}

/// readlink: how many bytes of the target of a symbolic link fit.
pub(in crate::platform) fn read_link(directory: i32, path: u64, to: u64, len: u64) -> Result<i64, Refusal> {
    if len as i32 <= 0 {
        return Err(errno::EINVAL.into());
    }
    let path = path::PathBuffer::read(path)?;
    let place = walk(directory, path.text(), Follow::IfSlash)?.existing()?;
    if !place.found.is_link() {
        return Err(errno::EINVAL.into());
    }
    let target = match place.found {
        Found::Known(index) => files().entries[index].target.clone(),
        Found::Disk(_) | Found::Nothing => path::target(&place.path)?,
    };
    if target.starts_with("/memfd:") {
        return Err(Refusal::Unmodelled);
    }
    let target = &target.as_bytes()[..target.len().min(len as usize)];
    if recover::write(to, target) { Ok(target.len() as i64) } else { Err(errno::EFAULT.into()) }
}

/// What stands for the file to which a path leads, where operations are compared.
pub struct PathObject {
    /// A path of it: the same for all of its names, unless it has several.
    pub path: String,
    /// Whether it can be come to by several names, or by a descriptor from before the run.
    pub is_shared: bool,
    /// Whether the path itself is that of a symbolic link or a folder, through which other paths may lead.
    pub is_link_or_folder: bool,
}

/// What stands for the file to which a path leads. None if it leads nowhere.
pub(in crate::platform) fn object_of(directory: i32, path: &core::ffi::CStr) -> Option<PathObject> {
    let leads_on = |found: &Found| found.is_link() || found.is_folder();
    let is_link_or_folder = walk(directory, path, Follow::Never).is_ok_and(|place| leads_on(&place.found));
    let place = walk(directory, path, Follow::Always).ok()?;
    let (path, identity, links) = match place.found {
        Found::Known(index) => {
            let file = &files().entries[index];
            (file.name.clone(), (file.device, file.number), if is_folder(index) { 1 } else { file.links })
        }
        Found::Disk(status) => {
            let is_folder = path::mode(&status) & FILE_TYPE == DIRECTORY;
            (place.path, (status[0], status[1]), if is_folder { 1 } else { status[2] })
        }
        Found::Nothing => (place.path, (0, 0), 1),
    };
    let is_shared = links > 1 || descriptors::inherits(identity);
    Some(PathObject { path: without_process(path), is_shared, is_link_or_folder })
}
