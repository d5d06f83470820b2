//! The private copy of a file: made when the run first changes what is in the file, and from then on what every
//! descriptor of the file shows.

use super::descriptors::{self, DESCRIPTORS, DescriptorKind, files, hide, save};
use super::file::note_changed;
use super::path::{self, PERMISSIONS};
use super::refusal::{Refusal, checked};
use crate::platform::sys::{self, errno, nr};
use alloc::vec::Vec;

/// What an open of the program's passes on to that of the copy. The rest either has been done or would not work there.
const PASSED_ON: u64 = (nr::O_ACCMODE
    | nr::O_TRUNC
    | nr::O_APPEND
    | nr::O_CLOEXEC
    | nr::O_NONBLOCK
    | nr::O_SYNC
    | nr::O_DSYNC
    | nr::O_NOATIME) as u64;

/// Flags that the copy is not opened with, and that the program sees nevertheless.
const SHOWN: u64 = (nr::O_NOFOLLOW | nr::O_DIRECT) as u64;

/// An empty file in memory, under a number of the engine's.
pub(super) fn memory_file() -> Result<i32, Refusal> {
    const CLOSE_ON_EXEC: u64 = 1;
    const MAY_BE_EXECUTABLE: u64 = 0x10;
    // SAFETY: makes a descriptor; the kernel reads the name.
    let make = |flags: u64| unsafe { sys::call2(nr::__NR_memfd_create, c"overlay".as_ptr() as u64, flags) };
    let made = make(CLOSE_ON_EXEC | MAY_BE_EXECUTABLE);
    // An older kernel does not know the second flag, without which all files are so.
    let made = if made == sys::error(errno::EINVAL) { make(CLOSE_ON_EXEC) } else { made };
    checked(hide(made)).map(|fd| fd as i32)
}

/// The private copy of a file, which is made if there is none: empty, if nothing of the contents will be left.
pub(super) fn make_private(index: usize, empty: bool) -> Result<i32, Refusal> {
    let file = &files().entries[index];
    let identity = (file.device, file.number);
    if let Some(copy) = file.copy {
        return Ok(copy);
    }
    let Some(disk) = file.disk.clone() else { return Err(Refusal::Unmodelled) };
    if files().mapped.contains(&identity) {
        return Err(Refusal::Unmodelled);
    }
    let copy = memory_file()?;
    if !empty && let Err(refusal) = copy_contents(&disk, copy) {
        sys::close(copy as u64);
        return Err(refusal);
    }
    let files = files();
    files.changed = true;
    files.entries[index].copy = Some(copy);
    let moved = move_descriptors(index, identity);
    show_permissions(index);
    moved.map(|()| copy)
}

fn copy_contents(disk: &str, copy: i32) -> Result<(), Refusal> {
    const PIECE: u64 = 1 << 20;
    let source = path::open_on_disk(disk, u64::from(nr::O_RDONLY | nr::O_CLOEXEC));
    if sys::failed(source) {
        // The program may write to it, but nobody can read what is in it.
        return Err(Refusal::Unmodelled);
    }
    // SAFETY: copies between two descriptors of the engine.
    while unsafe { sys::call4(nr::__NR_sendfile, copy as u64, source as u64, 0, PIECE) } > 0 {}
    sys::close(source as u64);
    Ok(())
}

/// Gives the copy the permissions of the file, so that the kernel says who may open it.
pub(super) fn show_permissions(index: usize) {
    let file = &files().entries[index];
    if let Some(copy) = file.copy
        && file.socket.is_none()
    {
        set_permissions(copy, file.mode & PERMISSIONS);
    }
}

fn set_permissions(copy: i32, mode: u32) {
    // SAFETY: changes a file in memory.
    unsafe { sys::call2(nr::__NR_fchmod, copy as u64, mode.into()) };
}

/// Another open description of the copy.
fn describe(copy: i32, flags: u64) -> Result<i64, Refusal> {
    checked(path::open_on_disk(&alloc::format!("/proc/self/fd/{copy}"), flags & PASSED_ON))
}

/// Opens the private copy of a file for the program.
pub(super) fn open_private(index: usize, flags: u64) -> Result<i64, Refusal> {
    let Some(copy) = files().entries[index].copy else { return Err(Refusal::Unmodelled) };
    let fd = describe(copy, flags)?;
    let fd = checked(descriptors::install(fd, DescriptorKind::Overlay(index as u16), flags))?;
    files().shown[fd as usize] = (flags & SHOWN) as u32;
    Ok(fd)
}

/// Moves all descriptors of the file on disk to its private copy: with position, flags, and what they share.
fn move_descriptors(index: usize, identity: (u64, u64)) -> Result<(), Refusal> {
    let mut of_file: Vec<u64> = (0..DESCRIPTORS as u64).filter(|&fd| is_of_file(fd, identity)).collect();
    let Some(copy) = files().entries[index].copy.filter(|_| !of_file.is_empty()) else { return Ok(()) };
    // Who has a descriptor of the file may go on using it, whatever the permissions are by now.
    set_permissions(copy, 0o666);
    while let Some(&first) = of_file.first() {
        let (sharing, others): (Vec<u64>, Vec<u64>) = of_file.iter().partition(|&&fd| shares_position(first, fd));
        move_description(index, copy, &sharing)?;
        of_file = others;
    }
    Ok(())
}

fn is_of_file(fd: u64, identity: (u64, u64)) -> bool {
    let is_on_disk = match descriptors::kind(fd) {
        DescriptorKind::Reading => true,
        DescriptorKind::Inherited | DescriptorKind::Duplicate(_) => descriptors::is_input(fd),
        DescriptorKind::Closed
        | DescriptorKind::Overlay(_)
        | DescriptorKind::Device
        | DescriptorKind::Random
        | DescriptorKind::Channel(_)
        | DescriptorKind::Reserved => false,
    };
    is_on_disk && path::identity_of_descriptor(fd) == Some(identity)
}

fn seek(fd: u64, offset: i64, way: u64) -> i64 {
    // SAFETY: moves a position.
    unsafe { sys::call3(nr::__NR_lseek, fd, offset as u64, way) }
}

const SET: u64 = 0;
const CURRENT: u64 = 1;

/// Whether two descriptors of one file have one open description: whether one moves with the other.
fn shares_position(first: u64, other: u64) -> bool {
    let [at, of_other] = [first, other].map(|fd| seek(fd, 0, CURRENT));
    if first == other || at != of_other {
        return first == other;
    }
    seek(first, at + 1, SET);
    let shares = seek(other, 0, CURRENT) != of_other;
    seek(first, at, SET);
    shares
}

/// Makes descriptors of one description of the file on disk descriptors of one description of the copy.
fn move_description(index: usize, copy: i32, sharing: &[u64]) -> Result<(), Refusal> {
    const GET_FD: u64 = 1;
    const GET_FLAGS: u64 = 3;
    // SAFETY: asks for flags only.
    let ask = |fd: u64, what: u64| unsafe { sys::call3(nr::__NR_fcntl, fd, what, 0) } as u64;
    let flags = ask(sharing[0], GET_FLAGS);
    let new = describe(copy, flags & !u64::from(nr::O_TRUNC))?;
    seek(new as u64, seek(sharing[0], 0, CURRENT), SET);
    for &fd in sharing {
        let close_on_exec = if ask(fd, GET_FD) & 1 != 0 { u64::from(nr::O_CLOEXEC) } else { 0 };
        save(fd);
        // SAFETY: replaces a descriptor of the program's.
        unsafe { sys::call3(nr::__NR_dup3, new as u64, fd, close_on_exec) };
        files().become_private(fd as usize, index as u16, (flags & SHOWN) as u32);
    }
    sys::close(new as u64);
    Ok(())
}

/// A file that the run has just made gets an empty private copy; who makes it may open it, whatever its permissions
/// are.
pub(super) fn give_contents(index: usize, flags: u64) -> Result<i64, Refusal> {
    let copy = memory_file()?;
    files().entries[index].copy = Some(copy);
    let opened = open_private(index, flags & !u64::from(nr::O_TRUNC));
    show_permissions(index);
    if opened.is_ok() {
        note_changed(index);
    }
    opened
}
