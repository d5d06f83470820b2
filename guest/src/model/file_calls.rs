//! Calls on files that are about more than one file or descriptor: the current folder and the mask of new files, which
//! decide for all threads what paths are, copies from one file to another, and requests to devices.
//!
//! A change of the folder or the mask concerns each later call on a path. It is one object with all files: once a run
//! has shown one in a program with several threads, the search begins anew with all files as one object.

use super::descriptor_flags::control_descriptor;
use super::descriptors::{Shared, use_descriptor, use_number, use_position};
use super::library_state::{Use, all_files, use_name, use_object};
use super::{cancel, range_locks};
use crate::engine::switches::Switch;
use crate::engine::with;
use crate::hooks::{argument_read, argument_write};
use crate::platform::channels;
use inspect_core::event::SiteId;

/// A call that changes what paths or new files are. Another thread that has ended may have used files as well.
pub(super) fn change_folder(site: SiteId) {
    if with(|engine| engine.run.paths().len()) > 1 {
        Switch::OneFile.come_up();
    }
    if Switch::OneFile.is_on() {
        use_object(all_files(), Use::Change, site);
    }
}

/// A call that depends on the current folder.
pub(super) fn look_at_folder(site: SiteId) {
    if Switch::OneFile.is_on() {
        use_object(all_files(), Use::Look, site);
    }
}

/// A call that asks for the status of what a path leads to, or of the file behind the descriptor, if the path is empty
/// and its flags allow that.
pub(super) fn ask_status(fd: u64, path: u64, flags: u64, site: SiteId) {
    const EMPTY_PATH: u64 = 0x1000;
    // SAFETY: the program passes a path; if not, it faults here as it would in the C library.
    let is_empty = flags & EMPTY_PATH != 0 && (path == 0 || unsafe { *(path as *const u8) } == 0);
    if is_empty {
        use_descriptor(fd, Use::Look, site);
    } else {
        use_name(fd as i32, path, Use::Look, site);
    }
}

/// A call that reads from one file and writes to another one: two objects. The first is used once more
/// [afterwards](end_copy), so that every order of the copy with others' calls on either of them comes up.
pub(super) fn copy(from: u64, to: u64, site: SiteId) {
    use_position(from, site);
    use_descriptor(to, Use::Change, site);
}

/// The call is over.
pub(super) fn end_copy(from: u64, site: SiteId) {
    use_position(from, site);
}

/// `fcntl`. The locks of a file that belong to the process are in nobody's way within it.
pub(super) fn control(fd: u64, command: u32, argument: u64, site: SiteId) {
    /// `F_GETLK`, `F_SETLK` and `F_SETLKW`.
    const LOCKS: core::ops::RangeInclusive<u32> = 5..=7;
    const WAIT_FOR_LOCK: u32 = 7;
    const LOCK: u64 = 32;
    let belongs_to_process = LOCKS.contains(&command);
    if !belongs_to_process && !range_locks::is_request(command.into()) {
        return control_descriptor(fd, command, site);
    }
    if [WAIT_FOR_LOCK, range_locks::SET_AND_WAIT as u32].contains(&command) {
        cancel::point(site);
    }
    if [*LOCKS.start(), range_locks::GET as u32].contains(&command) {
        argument_write(argument, LOCK, site);
    } else {
        argument_read(argument, LOCK, site);
    }
    if belongs_to_process {
        use_descriptor(fd, Use::Look, site);
    } else {
        use_number(fd, Shared::Numbers, false, site);
    }
}

/// `ioctl`: the requests that set flags are those of `fcntl`.
pub(super) fn control_device(fd: u64, request: u64, argument: u64, site: SiteId) {
    const SET_FLAGS: u32 = 4;
    const SET_NUMBER_FLAGS: u32 = 2;
    match request as u32 {
        NON_BLOCKING => {
            argument_read(argument, 4, site);
            control_descriptor(fd, SET_FLAGS, site);
        }
        CLOSE_ON_EXEC | NO_CLOSE_ON_EXEC => control_descriptor(fd, SET_NUMBER_FLAGS, site),
        // Of a channel, the count is announced once it is known.
        READABLE if channels::of_descriptor(fd).is_none() => {
            argument_write(argument, 4, site);
            use_position(fd, site);
        }
        _ => use_descriptor(fd, Use::Look, site),
    }
}

const NON_BLOCKING: u32 = 0x5421;
const CLOSE_ON_EXEC: u32 = 0x5451;
const NO_CLOSE_ON_EXEC: u32 = 0x5450;
const READABLE: u32 = 0x541b;
