//! Opening files.

use super::descriptors::{DescriptorKind, files, install};
use super::file::{bind, folder_of, is_folder, make, named, note_written, record};
use super::path::{self, CHARACTER_DEVICE, DIRECTORY, FILE_TYPE, LINK, PERMISSIONS, REGULAR, SOCKET};
use super::private::{give_contents, make_private, open_private};
use super::refusal::{Refusal, checked};
use super::walk::{Destination, Follow, Found, walk};
use crate::platform::sys::{errno, nr};

/// To write, and to search a folder (of `access`).
pub(super) const CHANGE_FOLDER: u64 = 2 | 1;

/// How a file is opened.
#[derive(Clone, Copy)]
struct How {
    flags: u64,
    /// Permissions of a new file.
    mode: u32,
}

impl How {
    fn has(self, flag: u32) -> bool {
        self.flags & u64::from(flag) != 0
    }

    /// For reading (4), writing (2), or both (of `access`).
    fn ways(self) -> u64 {
        match self.flags as u32 & nr::O_ACCMODE {
            nr::O_RDONLY => 4,
            nr::O_WRONLY => 2,
            _ => 6,
        }
    }

    fn writes(self) -> bool {
        self.ways() != 4 || self.has(nr::O_TRUNC)
    }

    /// As on disk a file that exists is opened for reading.
    fn on_disk(self) -> u64 {
        self.flags & !u64::from(nr::O_CREAT | nr::O_EXCL | nr::O_TRUNC)
    }
}

/// openat.
pub(in crate::platform) fn open(directory: i32, address: u64, flags: u64, mode: u32) -> Result<i64, Refusal> {
    let given = path::PathBuffer::read(address)?;
    path::refuse_flags(flags)?;
    if flags & u64::from(nr::O_TMPFILE) == u64::from(nr::O_TMPFILE) {
        // As on file systems that have no files without a name: the C library then makes one and removes it.
        return Err(errno::EOPNOTSUPP.into());
    }
    let of_path = u64::from(nr::O_PATH | nr::O_DIRECTORY | nr::O_NOFOLLOW | nr::O_CLOEXEC);
    let flags = if flags & u64::from(nr::O_PATH) != 0 { flags & of_path } else { flags };
    let how = How { flags, mode: mode & PERMISSIONS };
    let follow = match (how.has(nr::O_CREAT), how.has(nr::O_EXCL)) {
        (true, true) => Follow::Never,
        (true, false) if how.has(nr::O_NOFOLLOW) => Follow::Never,
        _ if how.has(nr::O_NOFOLLOW) => Follow::IfSlash,
        // Linux makes no file whose name ends in a slash, and does not look whether it would be there.
        (true, false) => Follow::UnlessSlash,
        _ => Follow::Always,
    };
    let place = walk(directory, given.text(), follow)?;
    let found = match &place.found {
        Found::Nothing => 0,
        Found::Known(index) => files().entries[*index].mode & FILE_TYPE,
        Found::Disk(status) => path::mode(status) & FILE_TYPE,
    };
    refuse(&place, found, how)?;
    match found {
        0 => create(&place, how),
        _ if how.has(nr::O_PATH) => open_path(&place, how),
        REGULAR => open_regular(&place, how),
        DIRECTORY => open_path(&place, how),
        CHARACTER_DEVICE => open_device(&place, how),
        SOCKET if matches!(place.found, Found::Known(_)) => Err(errno::ENXIO.into()),
        _ => Err(Refusal::Unmodelled),
    }
}

/// Refuses what Linux refuses to open, whoever asks.
fn refuse(place: &Destination, found: u32, how: How) -> Result<(), Refusal> {
    let is_folder = found == DIRECTORY;
    let refused = match (how.has(nr::O_CREAT), found) {
        (true, _) if place.slash => errno::EISDIR,
        (false, 0) => errno::ENOENT,
        (true, 0) => return Ok(()),
        (true, _) if how.has(nr::O_EXCL) => errno::EEXIST,
        (true, DIRECTORY) => errno::EISDIR,
        _ if (how.has(nr::O_DIRECTORY) || place.slash) && !is_folder => errno::ENOTDIR,
        (_, LINK) if !how.has(nr::O_PATH) => errno::ELOOP,
        (_, DIRECTORY) if how.writes() && !how.has(nr::O_PATH) => errno::EISDIR,
        _ => return Ok(()),
    };
    Err(refused.into())
}

/// Makes a file where nothing is.
fn create(place: &Destination, how: How) -> Result<i64, Refusal> {
    may_change_folder(&place.path)?;
    let mode = REGULAR | how.mode & !files().umask;
    let index = make(&place.path, mode);
    let fd = give_contents(index, how.flags)?;
    bind(&place.path, Some(index), None);
    Ok(fd)
}

/// Whether the process may give or take away names in the folder of a path.
pub(super) fn may_change_folder(path: &str) -> Result<(), Refusal> {
    let folder = folder_of(path);
    match named(folder) {
        // One that the run has made is its own.
        Some(Some(known)) if files().entries[known].disk.is_none() => Ok(()),
        Some(None) => Err(errno::ENOENT.into()),
        Some(Some(_)) | None => path::may(folder, CHANGE_FOLDER),
    }
}

/// What is opened where it is on disk, to be looked at.
fn open_path(place: &Destination, how: How) -> Result<i64, Refusal> {
    let Found::Known(index) = place.found else {
        return open_real(&place.path, how.on_disk(), DescriptorKind::Reading);
    };
    let file = &files().entries[index];
    match &file.disk {
        Some(disk) if file.copy.is_none() => open_real(&disk.clone(), how.on_disk(), DescriptorKind::Reading),
        // A descriptor of another folder stands for one that the run has made.
        None if is_folder(index) => open_real("/", how.on_disk(), DescriptorKind::Overlay(index as u16)),
        Some(_) | None => Err(Refusal::Unmodelled),
    }
}

fn open_real(path: &str, flags: u64, kind: DescriptorKind) -> Result<i64, Refusal> {
    checked(install(path::open_on_disk(path, flags), kind, flags))
}

fn open_regular(place: &Destination, how: How) -> Result<i64, Refusal> {
    let (index, disk, is_private) = match &place.found {
        Found::Known(index) => {
            let file = &files().entries[*index];
            (Some(*index), file.disk.clone(), file.copy.is_some())
        }
        Found::Disk(_) | Found::Nothing => (None, Some(place.path.clone()), false),
    };
    if let Some(disk) = disk.filter(|_| !is_private) {
        if !how.writes() {
            return open_real(&disk, how.on_disk(), DescriptorKind::Reading);
        }
        path::may(&disk, how.ways() | if how.writes() { 2 } else { 0 })?;
    }
    let index = match (&place.found, index) {
        (_, Some(index)) => index,
        (Found::Disk(status), None) => record(&place.path, status),
        (Found::Nothing | Found::Known(_), None) => return Err(Refusal::Unmodelled),
    };
    if files().entries[index].mapped && how.has(nr::O_TRUNC) {
        return Err(Refusal::Unmodelled);
    }
    make_private(index, how.has(nr::O_TRUNC))?;
    let fd = open_private(index, how.flags)?;
    if how.has(nr::O_TRUNC) {
        note_written(index);
    }
    Ok(fd)
}

fn open_device(place: &Destination, how: How) -> Result<i64, Refusal> {
    let path = place.path.as_str();
    let is_random = matches!(path, "/dev/urandom" | "/dev/random");
    let is_harmless = matches!(path, "/dev/null" | "/dev/zero" | "/dev/full");
    match how.ways() {
        // What a program writes to it, to stir the pool, changes nothing.
        _ if is_random => {
            let reading = how.on_disk() & !u64::from(nr::O_ACCMODE);
            open_real(path, reading, DescriptorKind::Random)
        }
        4 => open_real(path, how.on_disk(), DescriptorKind::Reading),
        _ if is_harmless => open_real(path, how.on_disk(), DescriptorKind::Device),
        _ => Err(Refusal::Unmodelled),
    }
}
