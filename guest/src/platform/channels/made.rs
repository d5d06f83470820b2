//! How pipes and counters are made.

use super::{BUFFERS, Channel, ChannelEnd, Contents, End, state};
use crate::platform::files::{self, DescriptorKind};
use crate::platform::sys::{self, nr};
use alloc::collections::VecDeque;

/// A pipe in the making: the kernel's descriptors of its ends, under numbers of the engine's.
pub struct Made {
    pub(super) hidden: [i64; 2],
    pub(super) description: u16,
    pub(super) flags: u64,
}

/// Makes a pipe, of which no descriptor has a number of the program's yet. An error number if the kernel refuses.
pub fn make_pipe(flags: u64) -> Result<Made, i64> {
    let mut ends = [0i32; 2];
    // SAFETY: the kernel writes two numbers.
    let result = unsafe { sys::call2(nr::__NR_pipe2, ends.as_mut_ptr() as u64, flags) };
    if sys::failed(result) {
        return Err(result);
    }
    let contents = Contents::Pipe { buffers: VecDeque::new(), most: BUFFERS };
    Ok(made(contents, &[End::Input, End::Output], ends.map(|end| files::hide(end.into())), flags))
}

/// Makes a counter, in the same way.
pub fn make_counter(count: u32, flags: u64) -> Result<Made, i64> {
    const SEMAPHORE: u64 = 1;
    // SAFETY: makes a descriptor.
    let fd = unsafe { sys::call2(nr::__NR_eventfd2, 0, flags) };
    if sys::failed(fd) {
        return Err(fd);
    }
    let contents = Contents::Counter { count: count.into(), units: flags & SEMAPHORE != 0 };
    Ok(made(contents, &[End::Both], [files::hide(fd), -1], flags))
}

pub(super) fn made(contents: Contents, ends: &[End], hidden: [i64; 2], flags: u64) -> Made {
    let state = state();
    let (channel, description) = (state.channels.len() as u8, state.descriptions.len() as u16);
    state.channels.push(Channel { contents, open: [true; 2] });
    for (&end, number) in ends.iter().zip(description..) {
        state.descriptions.push(ChannelEnd { channel, output: channel, end, description: number });
    }
    Made { hidden, description, flags }
}

impl Made {
    /// The number of the channel.
    pub fn channel(&self) -> u8 {
        state().descriptions[usize::from(self.description)].channel
    }

    /// Gives the descriptor of an end the number by which the program knows it; returns that, or an error.
    pub fn place(&self, end: usize) -> i64 {
        let hidden = self.hidden[end];
        if sys::failed(hidden) {
            return hidden;
        }
        let fd = files::again(hidden as u64, self.flags);
        sys::close(hidden as u64);
        files::install(fd, DescriptorKind::Channel(self.description + end as u16), self.flags)
    }
}
