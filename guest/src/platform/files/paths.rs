//! Which file a descriptor has, and what stands for it.

use super::descriptors::{DESCRIPTORS, DescriptorKind, files, kind};
use super::file::with_identity;
use super::path::{self, link_target};
use super::refusal::Refusal;
use super::walk::current_directory;
use crate::platform::sys::{self, nr};
use alloc::string::String;

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
