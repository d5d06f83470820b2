//! The private overlay of the file system: a path the run writes to is a copy in memory from then on, a path it removes
//! is gone in the overlay only.

use super::descriptors::{
    CURRENT_DIRECTORY, DescriptorKind, ENGINE_DESCRIPTORS, EPOCH, duplicate_from, files, hide, install,
    is_mapped_on_disk,
};
use super::entry::Entry;
use super::path::{self, PathBuffer};
use crate::platform::sys::{self, errno, error, nr};
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;

fn entry_of(path: &str) -> Option<usize> {
    files().entries.iter().rposition(|entry| entry.path == path)
}

/// The absolute path without symbolic links; an error for one below a file that the run has made.
fn resolve(directory: i32, path: &CStr) -> Result<String, i64> {
    match path::resolve(directory, path) {
        Err(missing) if missing == error(errno::ENOENT) && is_below_made_file(directory, path) => {
            Err(error(errno::ENOTDIR))
        }
        resolved => resolved,
    }
}

fn is_below_made_file(directory: i32, path: &CStr) -> bool {
    let Some(end) = path.to_bytes().iter().rposition(|&byte| byte == b'/') else { return false };
    let mut folder = Vec::from(&path.to_bytes()[..end]);
    folder.push(0);
    let resolved = CStr::from_bytes_until_nul(&folder).map(|folder| path::resolve(directory, folder));
    let entry = resolved.ok().and_then(Result::ok).and_then(|folder| entry_of(&folder));
    entry.is_some_and(|index| files().entries[index].copy.is_some())
}

fn memory_file() -> i64 {
    const CLOSE_ON_EXEC: u64 = 1;
    // SAFETY: makes a descriptor; the kernel reads the name.
    hide(unsafe { sys::call2(nr::__NR_memfd_create, c"overlay".as_ptr() as u64, CLOSE_ON_EXEC) })
}

/// Copies a real file into memory.
fn copy_of(path: &CStr) -> i64 {
    let flags = u64::from(nr::O_RDONLY | nr::O_CLOEXEC);
    // SAFETY: opens a file for reading.
    let source = unsafe { sys::call3(nr::__NR_open, path.as_ptr() as u64, flags, 0) };
    if sys::failed(source) {
        return source;
    }
    let copy = memory_file();
    if !sys::failed(copy) {
        const PIECE: u64 = 1 << 20;
        // SAFETY: copies between two descriptors of the engine.
        while unsafe { sys::call4(nr::__NR_sendfile, copy as u64, source as u64, 0, PIECE) } > 0 {}
    }
    sys::close(source as u64);
    copy
}

fn add_entry(path: String, copy: Option<i32>, mode: u32) -> usize {
    let files = files();
    files.changed = true;
    files.entries.push(Entry { path, copy, mode, times: [EPOCH; 2], mapped: false, moved: None, socket: None });
    files.entries.len() - 1
}

/// The bits of the flags of an open that say whether it is for reading or writing.
const ACCESS: u64 = 3;

/// For calls that only read (stat, access): the descriptor of the path's copy, or None if the kernel may be asked about
/// the path itself. An error if the path was removed in this run, or cannot be read.
pub(in crate::platform) fn overlaid(directory: i32, address: u64) -> Result<Option<u64>, i64> {
    if files().entries.is_empty() {
        return Ok(None);
    }
    let path = PathBuffer::read(address)?;
    let path = match resolve(directory, path.text()) {
        Ok(path) => path,
        Err(not_folder) if not_folder == error(errno::ENOTDIR) => return Err(not_folder),
        Err(_) => return Ok(None),
    };
    match entry_of(&path) {
        None => Ok(None),
        Some(index) => files().entries[index].copy.map(|copy| Some(copy as u64)).ok_or(error(errno::ENOENT)),
    }
}

/// What became of an open or another path operation.
pub(in crate::platform) enum Opened {
    /// The result of the call.
    Done(i64),
    /// Not modelled.
    Unmodelled,
}

/// openat.
pub(in crate::platform) fn open(directory: i32, address: u64, flags: u64, mode: u32) -> Opened {
    let path = match PathBuffer::read(address) {
        Ok(path) => path,
        Err(error) => return Opened::Done(error),
    };
    if path::is_no_file(directory, path.text()) {
        return Opened::Unmodelled;
    }
    let writes = flags & ACCESS != 0 || flags & u64::from(nr::O_CREAT | nr::O_TRUNC) != 0;
    if !writes && files().entries.is_empty() {
        return Opened::Done(open_real(directory, path.text(), flags, kind_of_reading(path.text())));
    }
    let resolved = match resolve(directory, path.text()) {
        Ok(resolved) => resolved,
        Err(error) => return Opened::Done(error),
    };
    // As on file systems that have no files without a name: the C library then makes one and removes it.
    const O_TMPFILE: u64 = 0o20_200_000;
    if flags & O_TMPFILE == O_TMPFILE {
        return Opened::Done(error(errno::EOPNOTSUPP));
    }
    if let Some(index) = entry_of(&resolved) {
        if files().entries[index].socket.is_some() {
            return open_socket(flags);
        }
        if files().entries[index].mapped && flags & u64::from(nr::O_TRUNC) != 0 {
            return Opened::Unmodelled;
        }
        return Opened::Done(open_entry(index, resolved, flags, mode));
    }
    if !writes {
        return Opened::Done(open_real(directory, path.text(), flags, kind_of_reading(path.text())));
    }
    open_first_write(directory, path.text(), resolved, flags, mode)
}

fn open_real(directory: i32, path: &CStr, flags: u64, kind: DescriptorKind) -> i64 {
    // SAFETY: the kernel reads a terminated path; the flags do not create or truncate.
    let fd = unsafe { sys::call4(nr::__NR_openat, directory as u64, path.as_ptr() as u64, flags, 0) };
    install(fd, kind, flags)
}

/// The file of a socket cannot be opened.
fn open_socket(flags: u64) -> Opened {
    const EXCLUSIVE: u64 = (nr::O_CREAT | nr::O_EXCL) as u64;
    if flags & u64::from(nr::O_PATH) != 0 {
        return Opened::Unmodelled;
    }
    Opened::Done(error(if flags & EXCLUSIVE == EXCLUSIVE { errno::EEXIST } else { errno::ENXIO }))
}

/// A path the run has written to or removed before.
fn open_entry(index: usize, path: String, flags: u64, mode: u32) -> i64 {
    let create = flags & u64::from(nr::O_CREAT) != 0;
    let exclusive = flags & u64::from(nr::O_EXCL) != 0;
    match files().entries[index].copy {
        Some(_) if create && exclusive => error(errno::EEXIST),
        Some(copy) => {
            if flags & u64::from(nr::O_TRUNC) != 0 {
                note_written(index);
            }
            open_copy(copy, index, flags)
        }
        None if create => open_new(memory_file(), path, flags, mode & !files().umask),
        None => error(errno::ENOENT),
    }
}

/// A descriptor of its own on a copy in memory.
fn open_copy(copy: i32, index: usize, flags: u64) -> i64 {
    let passed_on = u64::from(nr::O_TRUNC | nr::O_APPEND | nr::O_CLOEXEC | nr::O_NONBLOCK) | ACCESS;
    let link = alloc::format!("/proc/self/fd/{copy}\0");
    // SAFETY: the kernel reads a terminated path.
    let fd = unsafe { sys::call3(nr::__NR_open, link.as_ptr() as u64, flags & passed_on, 0) };
    install(fd, DescriptorKind::Overlay(index as u16), flags)
}

/// Opens a file of the real file system for writing: a copy of it in memory. `mode` is what the file's permissions are.
fn open_copy_of(path: &CStr, resolved: String, flags: u64, mode: u32) -> i64 {
    const WRITABLE: u64 = 2;
    // SAFETY: asks for permission only.
    let allowed = unsafe { sys::call2(nr::__NR_access, path.to_bytes_with_nul().as_ptr() as u64, WRITABLE) };
    if sys::failed(allowed) {
        return allowed;
    }
    let truncate = flags & u64::from(nr::O_TRUNC) != 0;
    open_new(if truncate { memory_file() } else { copy_of(path) }, resolved, flags, mode)
}

/// Opens a new file in memory as what is at the path from now on. A number that is an error is passed on.
fn open_new(copy: i64, path: String, flags: u64, mode: u32) -> i64 {
    if sys::failed(copy) {
        return copy;
    }
    let index = add_entry(path, Some(copy as i32), mode);
    open_copy(copy as i32, index, flags)
}

/// The first open for writing of a path in this run.
fn open_first_write(directory: i32, given: &CStr, resolved: String, flags: u64, mode: u32) -> Opened {
    let mut terminated = resolved.clone().into_bytes();
    terminated.push(0);
    let Ok(path) = CStr::from_bytes_with_nul(&terminated) else { return Opened::Done(error(errno::EINVAL)) };
    let create = flags & u64::from(nr::O_CREAT) != 0;
    match path::real_mode(path) {
        Ok(_) if create && flags & u64::from(nr::O_EXCL) != 0 => Opened::Done(error(errno::EEXIST)),
        Ok(real) if real & path::FILE_TYPE == path::REGULAR => {
            if is_mapped_on_disk(path) {
                return Opened::Unmodelled;
            }
            Opened::Done(open_copy_of(path, resolved, flags, real & 0o7777))
        }
        Ok(real) if real & path::FILE_TYPE == path::CHARACTER_DEVICE && is_harmless(path) => {
            let harmless = flags & !u64::from(nr::O_CREAT | nr::O_TRUNC);
            Opened::Done(open_real(directory, given, harmless, DescriptorKind::Device))
        }
        Ok(real) if real & path::FILE_TYPE == path::CHARACTER_DEVICE && is_random(path) => {
            // What a program writes to it, to stir the pool, changes nothing.
            let reading = flags & !(ACCESS | u64::from(nr::O_CREAT | nr::O_TRUNC));
            Opened::Done(open_real(directory, given, reading, DescriptorKind::Random))
        }
        Ok(real) if real & path::FILE_TYPE == 0o040000 => Opened::Done(error(errno::EISDIR)),
        Ok(_) => Opened::Unmodelled,
        Err(_) if create => Opened::Done(open_new(memory_file(), resolved, flags, mode & !files().umask)),
        Err(error) => Opened::Done(error),
    }
}

fn kind_of_reading(path: &CStr) -> DescriptorKind {
    if is_random(path) { DescriptorKind::Random } else { DescriptorKind::Reading }
}

fn is_random(path: &CStr) -> bool {
    matches!(path.to_bytes(), b"/dev/urandom" | b"/dev/random")
}

fn is_harmless(path: &CStr) -> bool {
    matches!(path.to_bytes(), b"/dev/null" | b"/dev/zero" | b"/dev/full")
}

/// unlinkat, of files only.
pub(in crate::platform) fn unlink(directory: i32, address: u64) -> i64 {
    let path = match PathBuffer::read(address).and_then(|path| resolve(directory, path.text())) {
        Ok(path) => path,
        Err(error) => return error,
    };
    if let Some(index) = entry_of(&path) {
        if files().entries[index].copy.is_none() {
            return error(errno::ENOENT);
        }
    } else {
        let mut terminated = path.clone().into_bytes();
        terminated.push(0);
        match CStr::from_bytes_with_nul(&terminated).map(path::real_mode) {
            Ok(Ok(mode)) if mode & path::FILE_TYPE == 0o040000 => return error(errno::EISDIR),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return error,
            Err(_) => return error(errno::EINVAL),
        }
    }
    add_entry(path, None, 0);
    0
}

/// The overlay's entry of a path, made from the real file if there is none. None: not modelled.
fn copied(path: &str) -> Result<Option<usize>, i64> {
    if let Some(index) = entry_of(path) {
        return if files().entries[index].copy.is_some() { Ok(Some(index)) } else { Err(error(errno::ENOENT)) };
    }
    let mut terminated = Vec::from(path.as_bytes());
    terminated.push(0);
    let Ok(terminated) = CStr::from_bytes_with_nul(&terminated) else { return Err(error(errno::EINVAL)) };
    let mode = path::real_mode(terminated)?;
    if mode & path::FILE_TYPE != path::REGULAR {
        return Ok(None);
    }
    let copy = copy_of(terminated);
    if sys::failed(copy) {
        return Err(copy);
    }
    Ok(Some(add_entry(String::from(path), Some(copy as i32), mode & 0o7777)))
}

/// The overlay's entry of a file whose attributes the program changes. None: not modelled.
pub(in crate::platform) fn entry_to_change(directory: i32, address: u64, of_links: bool) -> Result<Option<usize>, i64> {
    let path = PathBuffer::read(address)?;
    if of_links && path::is_link(directory, path.text()) {
        return Ok(None);
    }
    copied(&resolve(directory, path.text())?)
}

/// Changes the permissions and times that the program sees of an entry.
pub(in crate::platform) fn set_attributes(index: usize, change: impl FnOnce(&mut u32, &mut [(u64, u64); 2])) {
    let files = files();
    files.changed = true;
    if let Some(entry) = files.entries.get_mut(index) {
        change(&mut entry.mode, &mut entry.times);
    }
}

/// An entry was written to now: the time of modification that the program has set before is gone.
pub(in crate::platform) fn note_written(index: usize) {
    set_attributes(index, |_, [_, modified]| *modified = EPOCH);
}

/// renameat, of files only. None: not modelled.
pub(in crate::platform) fn rename(from_directory: i32, from: u64, to_directory: i32, to: u64) -> Option<i64> {
    let resolved = |directory, address| PathBuffer::read(address).and_then(|path| resolve(directory, path.text()));
    let (from, to) = match (resolved(from_directory, from), resolved(to_directory, to)) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(error), _) | (_, Err(error)) => return Some(error),
    };
    let index = match copied(&from) {
        Ok(Some(index)) => index,
        Ok(None) => return None,
        Err(error) => return Some(error),
    };
    let Entry { copy: Some(copy), mode, times, socket, .. } = files().entries[index] else {
        return Some(error(errno::ENOENT));
    };
    if from != to {
        let second = duplicate_from(copy as u64, ENGINE_DESCRIPTORS, true);
        if sys::failed(second) {
            return Some(second);
        }
        let moved = add_entry(to, Some(second as i32), mode);
        (files().entries[moved].times, files().entries[moved].socket) = (times, socket);
        files().entries[index].moved = Some(moved);
        add_entry(from, None, 0);
    }
    Some(0)
}

/// truncate. None: not modelled.
pub(in crate::platform) fn truncate(address: u64, len: u64) -> Option<i64> {
    let resolved = PathBuffer::read(address).and_then(|path| resolve(CURRENT_DIRECTORY, path.text()));
    let path = match resolved {
        Ok(path) => path,
        Err(error) => return Some(error),
    };
    let mut terminated = Vec::from(path.as_bytes());
    terminated.push(0);
    if entry_of(&path).is_none() && CStr::from_bytes_with_nul(&terminated).is_ok_and(is_mapped_on_disk) {
        return None;
    }
    let index = match copied(&path) {
        Ok(index) => index?,
        Err(error) => return Some(error),
    };
    let Entry { copy: Some(copy), mapped: false, socket: None, .. } = files().entries[index] else { return None };
    // SAFETY: changes the size of a copy in memory.
    let result = unsafe { sys::call2(nr::__NR_ftruncate, copy as u64, len) };
    if result == 0 {
        note_written(index);
    }
    Some(result)
}

/// What is at a path at which a socket is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SocketPath {
    /// The file of a socket of this run: its channel.
    Socket(u8),
    /// Another file.
    Other,
    /// The file of a socket that others have made.
    Outside,
    /// Nothing, for this reason.
    Error(i64),
}

/// What is at a path at which a socket is looked for.
pub(in crate::platform) fn find_socket(address: u64) -> SocketPath {
    let path = match PathBuffer::read(address).and_then(|path| resolve(super::CURRENT_DIRECTORY, path.text())) {
        Ok(path) => path,
        Err(error) => return SocketPath::Error(error),
    };
    if let Some(index) = entry_of(&path) {
        return match files().entries[index] {
            Entry { copy: None, .. } => SocketPath::Error(error(errno::ENOENT)),
            Entry { socket: Some(channel), .. } => SocketPath::Socket(channel),
            Entry { .. } => SocketPath::Other,
        };
    }
    let mut terminated = path.into_bytes();
    terminated.push(0);
    match CStr::from_bytes_with_nul(&terminated).map(path::real_mode) {
        Ok(Ok(mode)) if mode & path::FILE_TYPE == path::SOCKET => SocketPath::Outside,
        Ok(Ok(_)) => SocketPath::Other,
        Ok(Err(error)) => SocketPath::Error(error),
        Err(_) => SocketPath::Error(error(errno::EINVAL)),
    }
}

/// Makes the file of a socket at a path where nothing is; 0 or an error number.
pub(in crate::platform) fn make_socket_file(address: u64, channel: u8) -> i64 {
    const UNIX: u64 = 1;
    const STREAM: u64 = 1;
    let path = match PathBuffer::read(address).and_then(|path| resolve(super::CURRENT_DIRECTORY, path.text())) {
        Ok(path) => path,
        Err(error) => return error,
    };
    // SAFETY: makes a descriptor, which says that the file is that of a socket.
    let fd = hide(unsafe { sys::call3(nr::__NR_socket, UNIX, STREAM, 0) });
    if sys::failed(fd) {
        return fd;
    }
    let index = add_entry(path, Some(fd as i32), 0o777 & !files().umask);
    files().entries[index].socket = Some(channel);
    0
}
