//! Which file a descriptor has, and what stands for it.

use super::descriptors::{DESCRIPTORS, DescriptorKind, files, kind};
use super::file::{folder_of, named, with_identity};
use super::path::{self, Status, link_target};
use super::refusal::{Refusal, checked};
use super::walk::current_directory;
use crate::platform::sys::{self, nr};
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;

/// The path with the number of this process, which no two processes share, written as `self`.
pub(in crate::platform) fn without_process(path: String) -> String {
    // SAFETY: asks for a number.
    let own = alloc::format!("/proc/{}", unsafe { sys::call1(nr::__NR_getpid, 0) });
    match path.strip_prefix(own.as_str()) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => alloc::format!("/proc/self{rest}"),
        _ => path,
    }
}

/// The path that stands for the file behind a descriptor. None for what has no path, and for what was open before main:
/// whoever started the process may have opened another file in its stead.
pub(in crate::platform) fn path_of(fd: u64) -> Option<String> {
    let known = match kind(fd) {
        DescriptorKind::Overlay(index) => Some(usize::from(index)),
        DescriptorKind::Inherited
        | DescriptorKind::Duplicate(_)
        | DescriptorKind::Channel(_)
        | DescriptorKind::Reserved => return None,
        DescriptorKind::Reading if !files().entries.is_empty() => {
            path::identity_of_descriptor(fd).and_then(|(device, number)| with_identity(device, number))
        }
        DescriptorKind::Closed | DescriptorKind::Reading | DescriptorKind::Device | DescriptorKind::Random => None,
    };
    match known.and_then(|index| files().entries.get(index)) {
        Some(file) => Some(file.name.clone()),
        None => Some(link_target(fd)).filter(|target| target.starts_with('/')),
    }
}

/// Whether a descriptor can only be read through.
pub(in crate::platform) fn is_read_only(fd: u64) -> bool {
    const GET_FLAGS: u64 = 3;
    match kind(fd) {
        DescriptorKind::Reading => true,
        DescriptorKind::Overlay(_) => {
            // SAFETY: asks for flags only.
            let flags = unsafe { sys::call3(nr::__NR_fcntl, fd, GET_FLAGS, 0) };
            flags as u32 & nr::O_ACCMODE == nr::O_RDONLY
        }
        DescriptorKind::Closed
        | DescriptorKind::Inherited
        | DescriptorKind::Device
        | DescriptorKind::Random
        | DescriptorKind::Duplicate(_)
        | DescriptorKind::Channel(_)
        | DescriptorKind::Reserved => false,
    }
}

/// Whether the kernel's listing of the folder behind a descriptor is not what this run should see: it knows nothing of
/// the names that the run has given or taken away.
pub(in crate::platform) fn listing_differs(fd: u64) -> bool {
    if files().names.is_empty() {
        return false;
    }
    if matches!(kind(fd), DescriptorKind::Overlay(_)) {
        return true;
    }
    let folder = link_target(fd);
    let differs =
        |path: &str, file: Option<usize>| match (path::status(path), file.and_then(|at| files().entries.get(at))) {
            (Ok(on_disk), Some(file)) => (on_disk[0], on_disk[1]) != (file.device, file.number),
            (Err(_), None) => false,
            (Ok(_), None) | (Err(_), Some(_)) => true,
        };
    files().names.iter().any(|name| folder_of(&name.path) == folder && differs(&name.path, name.file))
}

/// Whether nothing is left in a folder.
pub(super) fn is_empty(folder: &str) -> Result<bool, Refusal> {
    let files = files();
    let in_folder = || files.names.iter().filter(|name| folder_of(&name.path) == folder);
    if in_folder().any(|name| name.file.is_some()) {
        return Ok(false);
    }
    let is_gone = |name: &str| in_folder().any(|gone| gone.path.rsplit('/').next() == Some(name));
    let on_disk = match path::status(folder) {
        // One that the run has made, where it has removed another one, is not on disk.
        Ok(status) if is_on_disk(folder, &status) => names_on_disk(folder)?,
        Ok(_) | Err(_) => Vec::new(),
    };
    Ok(on_disk.iter().all(|name| is_gone(name)))
}

fn is_on_disk(folder: &str, status: &Status) -> bool {
    let found = named(folder).flatten().and_then(|index| files().entries.get(index));
    found.is_none_or(|file| (file.device, file.number) == (status[0], status[1]))
}

/// The names in a folder on disk.
fn names_on_disk(folder: &str) -> Result<Vec<String>, Refusal> {
    const NAME: usize = 19;
    let fd = checked(path::open_on_disk(folder, u64::from(nr::O_RDONLY | nr::O_DIRECTORY | nr::O_CLOEXEC)))? as u64;
    let (mut names, mut buffer) = (Vec::new(), [0u8; 4096]);
    loop {
        // SAFETY: the kernel writes entries to the buffer.
        let got = unsafe { sys::call3(nr::__NR_getdents64, fd, buffer.as_mut_ptr() as u64, buffer.len() as u64) };
        let mut left = &buffer[..got.max(0) as usize];
        while let Some(&[low, high]) = left.get(16..18) {
            let (entry, rest) = left.split_at(usize::from(u16::from_le_bytes([low, high])).clamp(NAME, left.len()));
            let name = CStr::from_bytes_until_nul(&entry[NAME..]).unwrap_or_default().to_string_lossy();
            names.extend(Some(name.into_owned()).filter(|name| name != "." && name != ".."));
            left = rest;
        }
        if got <= 0 {
            sys::close(fd);
            return checked(got).map(|_| names);
        }
    }
}

/// Whether the process is in a folder, or in one below it, or has a descriptor of one.
pub(super) fn is_in_use(folder: &str) -> Result<bool, Refusal> {
    let lies_there =
        |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let is_open = |fd: u64| match kind(fd) {
        DescriptorKind::Overlay(index) => lies_there(&files().entries[usize::from(index)].name),
        DescriptorKind::Reading => lies_there(&link_target(fd)),
        _ => false,
    };
    Ok(lies_there(&current_directory()?) || (0..DESCRIPTORS as u64).any(is_open))
}

/// Notes that the file behind a descriptor is mapped; false if the run wrote to it and has mapped it before, so that
/// two ranges of memory would be one.
pub(in crate::platform) fn note_mapping(fd: u64) -> bool {
    let files = files();
    files.changed = true;
    let DescriptorKind::Overlay(index) = kind(fd) else {
        files.mapped.extend(path::identity_of_descriptor(fd).filter(|identity| !files.mapped.contains(identity)));
        return true;
    };
    let Some(file) = files.entries.get_mut(usize::from(index)) else { return true };
    !core::mem::replace(&mut file.mapped, true)
}

/// Whether the file behind a descriptor was written to by the run and is mapped.
pub(in crate::platform) fn is_mapped(fd: u64) -> bool {
    let DescriptorKind::Overlay(index) = kind(fd) else { return false };
    files().entries.get(usize::from(index)).is_some_and(|file| file.mapped)
}
