//! The flags of descriptors, as the program sets and sees them.

use super::descriptors::{files, inherited, is_output, note_change};
use super::flags::{SET_FD, control};
use crate::platform::sys::nr;

const GET_FLAGS: u64 = 3;

/// Flags that a descriptor has for itself: whether it is closed by `exec`.
pub(in crate::platform) fn set_own(fd: u64, flags: u64) -> i64 {
    note_change();
    if inherited(fd) == Some(fd as u32) {
        files().flags.remember(fd);
    }
    control(fd, SET_FD, flags)
}

/// The flags of a descriptor's open description, and how it was opened.
pub(in crate::platform) fn of_description(fd: u64) -> i64 {
    let Some(original) = inherited(fd) else {
        return control(fd, GET_FLAGS, 0) | i64::from(files().shown[fd as u32 as usize]);
    };
    let opened = if is_output(fd) { i64::from(nr::O_WRONLY) } else { control(fd, GET_FLAGS, 0) };
    match files().flags.of_descriptions.iter().find(|&&(known, _)| known == original) {
        Some(&(_, set)) => opened & !SETTABLE | set as i64,
        None => opened,
    }
}

/// What can be set of an open description.
const SETTABLE: i64 = (nr::O_APPEND | nr::O_NONBLOCK | nr::O_DIRECT | nr::O_NOATIME | nr::FASYNC) as i64;

/// Sets flags of the open description of an inherited descriptor, as the program sees them.
pub(in crate::platform) fn set_of_inherited(original: u32, flags: u64) -> i64 {
    note_change();
    let (known, set) = (&mut files().flags.of_descriptions, flags & SETTABLE as u64);
    match known.iter_mut().find(|(of, _)| *of == original) {
        Some((_, old)) => *old = set,
        None => known.push((original, set)),
    }
    0
}
