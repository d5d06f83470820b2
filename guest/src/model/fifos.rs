//! Pipes with names (`mkfifo`): S21.
//!
//! Such a pipe is two channels: the pipe, and who has opened its ends. A program that makes one is explored with all
//! channels as one. To open an end is one operation, behind which it counts as open; where nobody has opened the other
//! end the call waits in another operation until somebody has. The call has the number of its descriptor from the
//! beginning, as in Linux.

use super::channel_operations::{
    begin_channels, join, note_offer, note_wait, operation, perform, wants_input, wants_room,
};
use super::descriptors::{give_back, make_descriptor, open_name};
use super::extent::length;
use super::library_state::{CURRENT_DIRECTORY, Use, use_name};
use super::{export, real};
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::unmodelled;
use crate::hooks::argument_read;
use crate::platform::channels::{self, Opened};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{Call, program, started};
use alloc::format;
use inspect_core::event::{ChannelStep, Object, SiteId};

export! {
    interpose_mkfifo / 2 => mkfifo;
    interpose_mkfifoat / 3 => mkfifoat;
}

extern "C" fn mkfifo(path: u64, mode: u32, pc: u64) -> i32 {
    if !started() {
        return real!("mkfifo" as fn(u64, u32) -> i32)(path, mode);
    }
    make(CURRENT_DIRECTORY, path, mode, of_call(pc))
}

extern "C" fn mkfifoat(folder: i32, path: u64, mode: u32, pc: u64) -> i32 {
    if !started() {
        return real!("mkfifoat" as fn(i32, u64, u32) -> i32)(folder, path, mode);
    }
    make(folder, path, mode, of_call(pc))
}

fn make(folder: i32, path: u64, mode: u32, site: SiteId) -> i32 {
    if path != 0 {
        argument_read(path, length::<u8>(path, u64::MAX - path) + 1, site);
    }
    join();
    make_descriptor(site);
    use_name(folder, path, Use::Change, site);
    begin_channels(2, site);
    let pipe = channels::make_fifo();
    name(pipe);
    // It changes what all channels as one offer: nobody writes to it, and nobody reads from it.
    perform(operation(pipe, ChannelStep::Resize), site);
    note_offers(pipe);
    match channels::make_fifo_file(folder, path, mode, pipe) {
        None => unmodelled("mkfifo at this path, or without its owner's permission to read and to write", site),
        Some(refused) if sys::failed(refused) => {
            program::set_errno(-refused as u32);
            -1
        }
        Some(_) => 0,
    }
}

fn name(pipe: u8) {
    note_name(Object::channel(pipe).0, || format!("the pipe with a name that was made as channel {pipe}"));
    note_name(Object::channel(pipe + 1).0, || {
        format!("the ends of the pipe with a name that was made as channel {pipe}")
    });
}

fn note_offers(pipe: u8) {
    [pipe, pipe + 1].into_iter().for_each(note_offer);
}

/// A call that opens a stream.
pub(super) fn open_stream(path: u64, how: Use, site: SiteId) {
    open_name(CURRENT_DIRECTORY, path, how, site);
    refuse_stream(path, site);
}

/// A call that opens a stream of what is at a path.
pub(super) fn refuse_stream(path: u64, site: SiteId) {
    if path != 0 && channels::is_fifo_at(path) {
        unmodelled("a stream of a pipe with a name (FIFO)", site);
    }
}

/// Serves a call that opens such a pipe; what it returns. None if it is another call.
pub(crate) fn call(call: &Call) -> Option<i64> {
    let pipe = channels::opened_fifo(call)?;
    let flags = match call.number {
        nr::__NR_creat => nr::O_WRONLY.into(),
        nr::__NR_open => call.args[1],
        _ => call.args[2],
    };
    Some(open(pipe, flags, of_call(call.place())))
}

fn open(pipe: u8, flags: u64, site: SiteId) -> i64 {
    let reads = match flags as u32 & nr::O_ACCMODE {
        _ if flags as u32 & nr::O_PATH != 0 => unmodelled("open of a pipe with a name (FIFO) with O_PATH", site),
        nr::O_RDONLY => true,
        nr::O_WRONLY => false,
        _ => unmodelled("open of a pipe with a name (FIFO) for reading and writing", site),
    };
    let waits = flags as u32 & nr::O_NONBLOCK == 0;
    let number = channels::reserve_end(reads, flags & u64::from(nr::O_NONBLOCK | nr::O_CLOEXEC));
    if sys::failed(number) {
        return number;
    }
    perform(operation(pipe + 1, ChannelStep::Open), site);
    let opened = channels::open_end(pipe, reads, waits);
    note_offers(pipe);
    match opened {
        Opened::AtOnce => {}
        Opened::Later => await_other_end(pipe, reads, site),
        Opened::Refused => {
            give_back(number, site);
            channels::release_reserved(number);
            return error(errno::ENXIO);
        }
        Opened::Overtakes => {
            unmodelled("open of a FIFO whose other end was opened and closed while another thread waits for that", site)
        }
    }
    channels::place_end(number, pipe, reads)
}

fn await_other_end(pipe: u8, reads: bool, site: SiteId) {
    note_wait(site);
    let wanted = if reads { wants_input(pipe + 1) } else { wants_room(pipe + 1, 1, true) };
    perform(operation(pipe + 1, ChannelStep::Open).wanting(wanted, true), site);
    channels::end_opening(pipe);
    note_offers(pipe);
}
