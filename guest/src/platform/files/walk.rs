//! Where a path leads: name by name, as names that the run has given or taken away lie between those on disk.

use super::descriptors::{self, DescriptorKind, files};
use super::file::{folder_of, is_folder, named, with_identity};
use super::path::{self, DIRECTORY, FILE_TYPE, LINK, Status, link_target};
use super::refusal::Refusal;
use crate::platform::sys::{self, errno, nr};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ffi::CStr;

/// As many symbolic links as Linux follows in one path.
const MOST_LINKS: u32 = 40;

/// What is at a path.
pub(super) enum Found {
    Nothing,
    /// A file that the run has changed.
    Known(usize),
    /// What is on disk.
    Disk(Status),
}

/// Where a path leads.
pub(super) struct Destination {
    /// The absolute path, without symbolic links but for the last name.
    pub(super) path: String,
    pub(super) found: Found,
    /// The path ends in a slash: only a folder will do.
    pub(super) slash: bool,
    /// The last part is no name: `.`, `..` or the root.
    pub(super) dots: bool,
}

/// What is done if the last name is that of a symbolic link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    /// It is followed.
    Always,
    /// It is followed only if a slash comes after it.
    IfSlash,
    /// It is followed unless a slash comes after it, in the path or in the target of a link.
    UnlessSlash,
    /// It is what the call is about, slash or not.
    Never,
}

impl Found {
    fn is(&self, kind: u32) -> bool {
        match self {
            Found::Nothing => false,
            Found::Known(index) => files().entries[*index].is(kind),
            Found::Disk(status) => path::mode(status) & FILE_TYPE == kind,
        }
    }

    pub(super) fn is_folder(&self) -> bool {
        self.is(DIRECTORY)
    }

    pub(super) fn is_link(&self) -> bool {
        self.is(LINK)
    }
}

impl Destination {
    /// Refuses what is not there, and what is no folder if the path ends in a slash.
    pub(super) fn existing(self) -> Result<Destination, Refusal> {
        match self.found {
            Found::Nothing => Err(errno::ENOENT.into()),
            _ if self.slash && !self.found.is_folder() => Err(errno::ENOTDIR.into()),
            _ => Ok(self),
        }
    }
}

/// Where a path leads that the program gives, relative to an open folder.
pub(super) fn walk(directory: i32, path: &CStr, follow: Follow) -> Result<Destination, Refusal> {
    let Ok(path) = path.to_str() else { return Err(Refusal::Unmodelled) };
    if path.is_empty() {
        return Err(errno::ENOENT.into());
    }
    let start = if path.starts_with('/') { String::new() } else { start_of(directory)? };
    Walk { at: start, left: parts(path).collect(), links: 0, slash: path.ends_with('/'), follow }.go()
}

/// The parts of a path, the last one first.
fn parts(path: &str) -> impl Iterator<Item = String> {
    path.rsplit('/').filter(|part| !part.is_empty()).map(String::from)
}

/// The absolute path of an open folder, without the slash at its end.
pub(super) fn start_of(directory: i32) -> Result<String, Refusal> {
    if directory == descriptors::CURRENT_DIRECTORY {
        return current_directory();
    }
    let fd = directory as u32 as u64;
    match descriptors::kind(fd) {
        kind if !descriptors::is_kind_open(kind) => return Err(errno::EBADF.into()),
        DescriptorKind::Overlay(index) if is_folder(index.into()) => {
            return Ok(files().entries[usize::from(index)].name.clone());
        }
        _ => {}
    }
    let folder = link_target(fd);
    match path::status_of_descriptor(fd) {
        Ok(status) if path::mode(&status) & FILE_TYPE == DIRECTORY => Ok(folder.trim_end_matches('/').into()),
        _ => Err(errno::ENOTDIR.into()),
    }
}

pub(super) fn current_directory() -> Result<String, Refusal> {
    if let Some(folder) = &files().folder {
        return Ok(folder.clone());
    }
    let mut buffer = [0u8; 4096];
    // SAFETY: the kernel writes to the buffer.
    let len = unsafe { sys::call2(nr::__NR_getcwd, buffer.as_mut_ptr() as u64, buffer.len() as u64) };
    if sys::failed(len) {
        return Err(Refusal::Error(len));
    }
    let folder = CStr::from_bytes_until_nul(&buffer).ok().and_then(|text| text.to_str().ok());
    match folder {
        Some(folder) if folder.starts_with('/') => Ok(folder.trim_end_matches('/').into()),
        // It was removed, or cannot be reached from the root.
        Some(_) | None => Err(Refusal::Unmodelled),
    }
}

struct Walk {
    /// The folder that was come to, without the slash at its end.
    at: String,
    /// The parts that are left, the next one last.
    left: Vec<String>,
    /// Links that were followed.
    links: u32,
    slash: bool,
    follow: Follow,
}

impl Walk {
    fn go(mut self) -> Result<Destination, Refusal> {
        while let Some(part) = self.left.pop() {
            match part.as_str() {
                "." => {}
                ".." => self.at.truncate(self.at.rfind('/').unwrap_or(0)),
                _ => {
                    if let Some(place) = self.step(&part)? {
                        return Ok(place);
                    }
                }
            }
        }
        let path = if self.at.is_empty() { "/".to_string() } else { self.at };
        Ok(Destination { found: look_up(&path)?, path, slash: false, dots: true })
    }

    /// Goes on to a name; the place, if that is the last one.
    fn step(&mut self, name: &str) -> Result<Option<Destination>, Refusal> {
        let path = alloc::format!("{}/{name}", self.at);
        let found = look_up(&path)?;
        let is_last = self.left.is_empty();
        let followed = match self.follow {
            _ if !is_last => true,
            Follow::Always => true,
            Follow::IfSlash => self.slash,
            Follow::UnlessSlash => !self.slash,
            Follow::Never => false,
        };
        if followed && found.is_link() {
            self.follow_link(&path, &found, is_last)?;
        } else if is_last {
            return Ok(Some(Destination { path, found, slash: self.slash, dots: false }));
        } else if found.is_folder() {
            self.at = path;
        } else {
            return Err(if matches!(found, Found::Nothing) { errno::ENOENT } else { errno::ENOTDIR }.into());
        }
        Ok(None)
    }

    fn follow_link(&mut self, path: &str, found: &Found, is_last: bool) -> Result<(), Refusal> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(errno::ELOOP.into());
        }
        let target = match found {
            Found::Known(index) => files().entries[*index].target.clone(),
            Found::Disk(_) | Found::Nothing => path::target(path)?,
        };
        // Links of the kernel's to what has no path, to private copies, to files whose names the run has changed, and
        // to the current folder that the run has left.
        let leads_nowhere =
            |target: &str| target.contains(":[") || target.ends_with(" (deleted)") || named(target).is_some();
        let is_moved = || path.ends_with("/cwd") && files().folder.is_some();
        if path.starts_with("/proc/") && (leads_nowhere(&target) || is_moved()) {
            return Err(Refusal::Unmodelled);
        }
        if target.is_empty() {
            return Err(errno::ENOENT.into());
        }
        if target.starts_with('/') {
            self.at.clear();
        }
        self.slash |= is_last && target.ends_with('/');
        self.left.extend(parts(&target));
        Ok(())
    }
}

/// Whether a path lies in a folder that the run has made: what is on disk there, if anything, is in one that was
/// removed.
fn is_below_own(path: &str) -> bool {
    named(folder_of(path)).flatten().is_some_and(|folder| files().entries[folder].disk.is_none())
}

/// What is at an absolute path without symbolic links but for its last name.
fn look_up(path: &str) -> Result<Found, Refusal> {
    match named(path) {
        Some(Some(file)) => return Ok(Found::Known(file)),
        Some(None) => return Ok(Found::Nothing),
        None if is_below_own(path) => return Ok(Found::Nothing),
        None => {}
    }
    match path::status(path) {
        Ok(status) => Ok(with_identity(status[0], status[1]).map_or(Found::Disk(status), Found::Known)),
        Err(missing) if missing == sys::error(errno::ENOENT) => Ok(Found::Nothing),
        Err(error) => Err(Refusal::Error(error)),
    }
}
