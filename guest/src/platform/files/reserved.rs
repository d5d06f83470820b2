//! Numbers that a call has taken for a descriptor which it is about to make.

use super::descriptors::{DescriptorKind, files};
use crate::platform::sys;

/// A number that was reserved becomes a descriptor; it.
pub(in crate::platform) fn open_reserved(fd: u64, kind: DescriptorKind) -> i64 {
    files().replace(fd as usize, kind);
    fd as i64
}

/// A number that was reserved is free again.
pub(in crate::platform) fn release_reserved(fd: u64) {
    files().replace(fd as usize, DescriptorKind::Closed);
    sys::close(fd);
}
