//! Flags of descriptors that were open before the run. Their open descriptions are shared with the process that started
//! the guest: so what the run sets of those is stored here, and the kernel never learns of it.

use crate::platform::sys::{self, nr};
use alloc::vec::Vec;

const GET_FD: u64 = 1;
pub(super) const SET_FD: u64 = 2;

/// What a run has changed of the flags of descriptors from before it.
pub(super) struct OfInherited {
    /// Descriptors that the run has closed, replaced or given other flags, each with its own flags before that.
    of_descriptors: Vec<(u32, u64)>,
    /// What the run has set for the description of an inherited descriptor.
    pub(super) of_descriptions: Vec<(u32, u64)>,
}

pub(super) fn control(fd: u64, command: u64, argument: u64) -> i64 {
    // SAFETY: asks for flags, or sets those of a descriptor of this process alone.
    unsafe { sys::call3(nr::__NR_fcntl, fd, command, argument) }
}

impl OfInherited {
    pub(super) const NONE: OfInherited = OfInherited { of_descriptors: Vec::new(), of_descriptions: Vec::new() };

    /// Remembers the flags of a descriptor before the run changes them.
    pub(super) fn remember(&mut self, fd: u64) {
        if !self.of_descriptors.iter().any(|&(known, _)| u64::from(known) == fd) {
            self.of_descriptors.push((fd as u32, control(fd, GET_FD, 0) as u64));
        }
    }

    /// Brings the flags back, once the descriptors are.
    pub(super) fn reset(&mut self) {
        for (fd, flags) in self.of_descriptors.drain(..) {
            control(fd.into(), SET_FD, flags);
        }
        self.of_descriptions.clear();
    }
}
