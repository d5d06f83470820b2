//! Listings of folders in which the run has given or taken away names.
//!
//! A listing is made where its first part is read: the names on disk in the kernel's order, without those that the run
//! has taken away, then those that it has given, in the order in which it first gave them. What changes in the folder
//! afterwards shows after the next return to the beginning, as POSIX leaves it open for what is read before. It belongs
//! to the open description, as the kernel's position does. A folder that was not changed when its first part was read
//! is listed by the kernel.

use super::descriptors::{self, DescriptorKind, files, position_of};
use super::entry::{Listed, Listing};
use super::file::{folder_of, is_folder, named};
use super::path::{self, DIRECTORY};
use super::refusal::{Refusal, checked};
use crate::platform::recover;
use crate::platform::sys::{self, errno, nr};
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;

/// Lengths within `struct linux_dirent64`: what precedes the name, and where its parts begin.
const HEAD: usize = 19;
const LENGTH: core::ops::Range<usize> = 16..18;
const KIND: usize = 18;

fn of_file(name: &[u8], index: usize) -> Listed {
    let file = &files().entries[index];
    Listed { name: name.into(), number: file.number, kind: kind_of(file.mode) }
}

/// An entry as the kernel writes it; `next` is the place of the one after it.
fn bytes_of(entry: &Listed, next: usize) -> Vec<u8> {
    const ALIGNMENT: usize = 8;
    let len = (HEAD + entry.name.len() + 1).next_multiple_of(ALIGNMENT);
    let mut bytes = Vec::with_capacity(len);
    bytes.extend(entry.number.to_le_bytes());
    bytes.extend((next as u64).to_le_bytes());
    bytes.extend((len as u16).to_le_bytes());
    bytes.push(entry.kind);
    bytes.extend(&entry.name);
    bytes.resize(len, 0);
    bytes
}

fn kind_of(mode: u32) -> u8 {
    (mode >> 12) as u8 & 0xf
}

/// What the kernel lists of a folder, `.` and `..` among it.
fn on_disk(folder: &str) -> Result<Vec<Listed>, Refusal> {
    let flags = u64::from(nr::O_RDONLY | nr::O_DIRECTORY | nr::O_CLOEXEC);
    let fd = checked(path::open_on_disk(folder, flags))? as u64;
    let (mut entries, mut buffer) = (Vec::new(), [0u8; 4096]);
    loop {
        // SAFETY: the kernel writes entries to the buffer.
        let got = unsafe { sys::call3(nr::__NR_getdents64, fd, buffer.as_mut_ptr() as u64, buffer.len() as u64) };
        parse(&buffer[..got.max(0) as usize], &mut entries);
        if got <= 0 {
            sys::close(fd);
            return checked(got).map(|_| entries);
        }
    }
}

/// Adds the entries in what the kernel has written.
fn parse(mut left: &[u8], entries: &mut Vec<Listed>) {
    while let Some(&[low, high]) = left.get(LENGTH) {
        let (entry, rest) = left.split_at(usize::from(u16::from_le_bytes([low, high])).clamp(HEAD, left.len()));
        let name = CStr::from_bytes_until_nul(&entry[HEAD..]).unwrap_or_default().to_bytes().into();
        let mut number = [0; 8];
        number.copy_from_slice(&entry[..8]);
        entries.push(Listed { name, number: u64::from_le_bytes(number), kind: entry[KIND] });
        left = rest;
    }
}

/// The path of the folder behind a descriptor, and whether the run has made it.
fn folder_behind(fd: u64) -> Option<(String, bool)> {
    match descriptors::kind(fd) {
        DescriptorKind::Overlay(index) if is_folder(index.into()) => {
            Some((files().entries[usize::from(index)].name.clone(), true))
        }
        DescriptorKind::Reading | DescriptorKind::Inherited | DescriptorKind::Duplicate(_) => {
            Some((path::link_target(fd), false))
        }
        _ => None,
    }
}

/// Whether the kernel's listing of a folder on disk is not what this run should see.
fn differs(folder: &str) -> bool {
    let differs =
        |path: &str, file: Option<usize>| match (path::status(path), file.and_then(|at| files().entries.get(at))) {
            (Ok(on_disk), Some(file)) => (on_disk[0], on_disk[1]) != (file.device, file.number),
            (Err(_), None) => false,
            (Ok(_), None) | (Err(_), Some(_)) => true,
        };
    files().names.iter().any(|name| folder_of(&name.path) == folder && differs(&name.path, name.file))
}

/// Everything in a folder as the run sees it.
fn list(folder: &str, is_own: bool) -> Result<Vec<Listed>, Refusal> {
    let mut entries = if is_own { dots_of_own(folder)? } else { on_disk(folder)? };
    entries.retain(|entry| given_in(folder, &entry.name) != Some(None));
    for entry in &mut entries {
        if let Some(Some(index)) = given_in(folder, &entry.name) {
            *entry = of_file(&entry.name, index);
        }
    }
    let on_disk = entries.len();
    for given in files().names.iter().filter(|name| folder_of(&name.path) == folder) {
        let name = given.path.rsplit('/').next().unwrap_or_default().as_bytes();
        if let Some(index) = given.file
            && !entries[..on_disk].iter().any(|entry| entry.name == name)
        {
            entries.push(of_file(name, index));
        }
    }
    Ok(entries)
}

/// What the run has put at a name in a folder, if it has changed it.
fn given_in(folder: &str, name: &[u8]) -> Option<Option<usize>> {
    // Paths that are no UTF-8 are not modelled, so nothing was given such a name.
    let name = core::str::from_utf8(name).ok()?;
    named(&alloc::format!("{}/{name}", folder.trim_end_matches('/')))
}

/// The names of a folder that the run has made for itself and for the folder around it.
fn dots_of_own(folder: &str) -> Result<Vec<Listed>, Refusal> {
    let number = |folder: &str| match named(folder) {
        Some(Some(index)) => Ok(files().entries[index].number),
        Some(None) => Err(errno::ENOENT.into()),
        None => path::status(folder).map(|status| status[1]).map_err(Refusal::Error),
    };
    let dots = |name: &str, number| Listed { name: name.as_bytes().into(), number, kind: kind_of(DIRECTORY) };
    Ok([dots(".", number(folder)?), dots("..", number(folder_of(folder))?)].into())
}

/// The listing of a description, if it is not the kernel's that is read; it is made where the description is at the
/// beginning of a folder that has changed.
fn listing_of(fd: u64) -> Result<Option<&'static mut Listing>, Refusal> {
    let Some((folder, is_own)) = folder_behind(fd) else { return Ok(None) };
    let description = descriptors::description(fd).map(|(description, _)| description);
    let known = files().listings.iter().position(|listing| Some(listing.description) == description);
    if let Some(known) = known {
        return Ok(files().listings.get_mut(known));
    }
    if !is_own && (files().names.is_empty() || position_of(fd) != 0 || !differs(&folder)) {
        return Ok(None);
    }
    // A folder that was open before the run.
    let description = description.ok_or(Refusal::Unmodelled)?;
    let entries = list(&folder, is_own)?;
    files().listings.push(Listing { description, entries, position: 0 });
    Ok(files().listings.last_mut())
}

/// getdents64, of a folder that the kernel does not know as the run has left it; None if it does.
pub(in crate::platform) fn read(fd: u64, to: u64, len: u64) -> Option<Result<i64, Refusal>> {
    // Descriptors that can only be looked at have no position.
    if sys::failed(position_of(fd)) {
        return None;
    }
    match listing_of(fd) {
        Ok(listing) => listing.map(|listing| listing.read(to, len)),
        Err(refused) => Some(Err(refused)),
    }
}

impl Listing {
    fn read(&mut self, to: u64, len: u64) -> Result<i64, Refusal> {
        let mut bytes = Vec::new();
        while let Some(entry) = self.entries.get(self.position) {
            let entry = bytes_of(entry, self.position + 1);
            if (bytes.len() + entry.len()) as u64 > u64::from(len as u32) {
                break;
            }
            bytes.extend(entry);
            self.position += 1;
        }
        match bytes.len() {
            0 if self.position < self.entries.len() => Err(errno::EINVAL.into()),
            read if recover::write(to, &bytes) => Ok(read as i64),
            _ => Err(errno::EFAULT.into()),
        }
    }
}

/// lseek of a folder whose listing is not the kernel's; None if it is.
pub(in crate::platform) fn seek(fd: u64, offset: u64, whence: u64) -> Option<Result<i64, Refusal>> {
    const SET: u32 = 0;
    const CURRENT: u32 = 1;
    if files().names.is_empty() || sys::failed(position_of(fd)) {
        return None;
    }
    let listing = match listing_of(fd) {
        Ok(listing) => listing?,
        Err(refused) => return Some(Err(refused)),
    };
    let description = listing.description;
    Some(match (whence as u32, offset as usize) {
        // The next part that is read is the first one of the folder as it is then.
        (SET, 0) => {
            files().listings.retain(|listing| listing.description != description);
            Ok(0)
        }
        (SET, place) if place <= listing.entries.len() => {
            listing.position = place;
            Ok(place as i64)
        }
        (CURRENT, 0) => Ok(listing.position as i64),
        _ => Err(Refusal::Unmodelled),
    })
}

/// Whether nothing is left in a folder.
pub(super) fn is_empty(folder: &str) -> Result<bool, Refusal> {
    let is_own = named(folder).flatten().is_some_and(|index| files().entries[index].disk.is_none());
    Ok(list(folder, is_own)?.iter().all(|entry| entry.name == b"." || entry.name == b".."))
}
