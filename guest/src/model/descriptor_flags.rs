//! `fcntl`: flags of descriptors, of their numbers and of what they stand for.

use super::descriptors::{
    Shared, descriptor, duplicate_descriptor, number, operate, settled, use_number, use_position,
};
use crate::engine::object_names::note_name;
use crate::platform::channels::of_descriptor;
use crate::platform::is_output;
use alloc::format;
use inspect_core::event::{ByteRange, DescriptorOperation, SiteId};

/// Flags that nothing else stands for, and where in the object of a descriptor they are.
#[derive(Clone, Copy)]
enum Flags {
    /// Those of the number: whether it is closed when another program is executed.
    OfNumber = 8,
    /// Those of standard output and error, which may be one description.
    OfOutputs = 16,
}

/// What stands for them.
fn object(fd: u64, flags: Flags) -> ByteRange {
    let of = if let Flags::OfOutputs = flags { 1 } else { fd };
    let start = descriptor(of) + flags as u64;
    note_name(start, || format!("the flags of descriptor {}", of as u32));
    ByteRange { start, len: 1 }
}

/// A call that looks at flags, or changes them.
fn use_flags(fd: u64, flags: Flags, changes: bool, site: SiteId) {
    let Some(number) = number(fd) else { return };
    settled(fd, || operate(DescriptorOperation::Use { file: object(fd, flags), changes, number }, site));
}

/// `fcntl`.
pub(super) fn control_descriptor(fd: u64, command: u32, site: SiteId) {
    const DUPLICATE: u32 = 0;
    const GET_NUMBER_FLAGS: u32 = 1;
    const SET_NUMBER_FLAGS: u32 = 2;
    const GET_FLAGS: u32 = 3;
    const SET_FLAGS: u32 = 4;
    const DUPLICATE_CLOSE_ON_EXEC: u32 = 1030;
    let is_channel = of_descriptor(fd).is_some();
    match command {
        DUPLICATE | DUPLICATE_CLOSE_ON_EXEC => duplicate_descriptor(fd, site),
        GET_NUMBER_FLAGS | SET_NUMBER_FLAGS if is_channel || is_output(fd) => {
            use_flags(fd, Flags::OfNumber, command == SET_NUMBER_FLAGS, site);
        }
        GET_FLAGS | SET_FLAGS if is_output(fd) => use_flags(fd, Flags::OfOutputs, command == SET_FLAGS, site),
        SET_FLAGS if is_channel => use_number(fd, Shared::Flags, true, site),
        _ => use_position(fd, site),
    }
}
