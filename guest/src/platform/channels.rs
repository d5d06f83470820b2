//! Pipes, counters (`eventfd`), connected sockets and instances of `epoll`: what is in them, and which ends are open.
//!
//! The descriptors are the kernel's, so that numbers, flags and all calls that move no data are as always. The data are
//! here: they begin anew with each run, and a forked child has its own. A pipe is made of buffers as in Linux: a small
//! write goes behind the last data if all of it fits into their page, any other one begins a page, and a pipe has room
//! for so many pages. Nothing here waits: who may go on decides the engine.

mod address;
mod calls;
mod counter;
mod datagrams;
mod endpoint;
mod fifo;
mod interest;
mod lock;
mod made;
mod names;
mod pieces;
mod ranges;
mod room;
mod signals;
mod socket;
mod timer;

use super::files::{self, DescriptorKind, describes};
use super::global::Global;
use super::sys::{self, errno, error, nr};
use super::{fiber, recover};
pub use address::Address;
pub use address::{INTERNET, INTERNET_6, UNIX};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
pub use calls::{begin_call, end_call, is_used_by_others};
use core::mem;
use counter::MOST_COUNT;
pub use counter::{add, is_counter, value_to_add};
pub use datagrams::{
    Datagrams, Taken, close_datagrams, datagrams, deliver, make_datagram_socket, note_sent, refuse_datagram,
    shut_down_datagrams, take_datagram, take_refusal,
};
pub use endpoint::{
    Endpoint, accept, close_endpoint, connect, endpoint, listen, make_socket, open_reserved, present, refuse_socket,
    release_reserved, reserve, shut_down_listener, stop_listening,
};
use fifo::Openings;
pub use fifo::{
    Opened, end_opening, is_fifo, is_fifo_at, make_fifo, make_fifo_file, open_end, opened_fifo, place_end, reserve_end,
};
use inspect_core::event::MAX_THREADS;
use interest::Interests;
pub use interest::{
    ADD, DELETE, EDGE_TRIGGERED, MODIFY, ONE_SHOT, WAKE_UP, WatchedEvent, cannot_be_watched, collect, control,
    depends_on_looks, forget, has_listed, instances, is_watched_for_edges, make_instance, note_idle, wake_readers,
    wake_writers, watches,
};
use lock::FileLock;
pub use lock::{
    begin_waiting, close_file, drop_lock, end_waiting, has_lock, is_awaited_through, is_described, is_shared_by,
    lock_of, lockable, lost_lock, lost_with, make_lock, replace_file, take_lock,
};
use made::made;
pub use made::{Made, make_counter, make_pipe};
use names::SocketData;
pub use names::{
    NO_DELAY, RECEIVE_LIMIT, REUSE_ADDRESS, SOCKET_OPTIONS, begin_connecting, bound_to, bound_to_port,
    datagrams_bound_to, end_connecting, family_of, is_port_used, is_tcp, is_udp, name_of, note_port_used, option,
    publish, set_name, set_option, unpublish,
};
pub use pieces::Pieces;
use ranges::RangeLocks;
pub use ranges::{
    FileRange, RangeLock, asked_lock, begin_locking, begin_waiting_for_range, concerned_ranges, drop_range,
    end_waiting_for_range, has_part_of, in_the_way, is_range_awaited_through, lock_of_range, make_range, overlaps,
    overlaps_those_of, ranges_are_shared_by, ranges_of, take_range,
};
pub use room::{resize, size};
pub use signals::{
    are_signals_watched, descriptors_of_signals, has_pending, make_signals, note_pending, set_signals, signals,
};
use socket::Stream;
pub use socket::{
    ENDED, await_room, end_reading, ended_full, exceeds, have_ended, is_at_end, is_delayed, is_gone, lose,
    make_socket_pair, may_await_room, receive, refuse_socket_pair, refuse_writes, send, shut_down, take_reset,
    was_reset, way_back,
};
use timer::DescriptorTimer;
pub use timer::{expire, make_timer, set_timer, timer};

/// Bytes of a buffer, and the largest write that is not divided.
pub const PAGE: u32 = 4096;
/// Buffers of a new pipe.
const BUFFERS: usize = 16;

/// Which side of a channel a descriptor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Of a pipe, to read from.
    Input,
    /// Of a pipe, to write to.
    Output,
    /// Both sides of a counter.
    Both,
    /// Of two connected sockets, one: it reads from one channel, and writes to another one.
    Socket,
    /// An instance of `epoll`, which nobody reads from or writes to.
    Instance,
    /// A timer, which nobody writes to.
    Timer,
    /// Signals that are taken by reading, which nobody writes to.
    Signals,
    /// A socket that is not connected, or not yet.
    Unconnected,
    /// A socket of UDP.
    Datagrams,
}

/// What a descriptor of a channel stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChannelEnd {
    /// The number of the channel, in the order in which the run has made them.
    pub channel: u8,
    /// The channel that is written to: the same, but for a socket.
    pub output: u8,
    /// Which side.
    pub end: End,
    /// The number of the open description, which duplicates share.
    pub description: u16,
}

/// A page of data; what was read of it is no longer there, but takes its room.
struct Buffer {
    bytes: Vec<u8>,
    read: usize,
}

enum Contents {
    Pipe { buffers: VecDeque<Buffer>, most: usize },
    Counter { count: u64, units: bool },
    Stream(Stream),
    Interests(Interests),
    Timer(DescriptorTimer),
    Endpoint(Endpoint),
    Lock(FileLock),
    Signals(u64),
    Range(FileRange),
    Openings(Openings),
    Datagrams(Box<Datagrams>),
}

struct Channel {
    contents: Contents,
    /// Descriptors to read by, and to write by, are open.
    open: [bool; 2],
}

struct Channels {
    channels: Vec<Channel>,
    descriptions: Vec<ChannelEnd>,
    sockets: Vec<SocketData>,
    /// Names that are no paths, and the sockets that are bound to them.
    names: Vec<(Address, u8)>,
    /// Ports with which connections were made.
    used_ports: Vec<u16>,
    /// What each thread has taken out of a channel and not been given yet.
    taken: [Vec<u8>; MAX_THREADS],
    /// Threads in the middle of a call, each with a description through which it makes that.
    calls: Vec<(usize, u16)>,
    /// The signals that are pending for the process, where a call looks at descriptors of signals.
    pending: u64,
    ranges: RangeLocks,
}

static CHANNELS: Global<Channels> = Global::new(Channels {
    channels: Vec::new(),
    descriptions: Vec::new(),
    sockets: Vec::new(),
    names: Vec::new(),
    used_ports: Vec::new(),
    taken: [const { Vec::new() }; MAX_THREADS],
    calls: Vec::new(),
    pending: 0,
    ranges: RangeLocks::NONE,
});

/// There is one OS thread, and no caller keeps the reference across another call of this module.
fn state() -> &'static mut Channels {
    // SAFETY: as stated; trapped calls do not nest.
    unsafe { CHANNELS.get() }
}

/// Forgets all channels: a run begins.
pub(super) fn reset() {
    let state = state();
    if !state.channels.is_empty() {
        // What threads have taken comes from a channel.
        state.taken.iter_mut().for_each(Vec::clear);
    }
    state.channels.clear();
    state.descriptions.clear();
    state.sockets.clear();
    state.names.clear();
    state.used_ports.clear();
    state.calls.clear();
    state.pending = 0;
    state.ranges = RangeLocks::NONE;
}

/// Whether the run has made a channel.
pub fn any() -> bool {
    !state().channels.is_empty()
}

/// How many channels the run has made.
pub fn count() -> usize {
    state().channels.len()
}

/// What a descriptor stands for, if it is one of a channel.
pub fn of_descriptor(fd: u64) -> Option<ChannelEnd> {
    match files::kind(fd) {
        DescriptorKind::Channel(description) => state().descriptions.get(usize::from(description)).copied(),
        DescriptorKind::Closed
        | DescriptorKind::Inherited
        | DescriptorKind::Reading
        | DescriptorKind::Overlay(_)
        | DescriptorKind::Device
        | DescriptorKind::Random
        | DescriptorKind::Reserved
        | DescriptorKind::Duplicate(_) => None,
    }
}

/// Whether a call through the descriptor fails instead of waiting.
pub fn is_nonblocking(fd: u64) -> bool {
    const GET_FLAGS: u64 = 3;
    // SAFETY: asks for flags only.
    let flags = unsafe { sys::call3(nr::__NR_fcntl, fd, GET_FLAGS, 0) };
    !sys::failed(flags) && flags & i64::from(nr::O_NONBLOCK) != 0
}

/// What a channel has to offer.
#[derive(Clone, Copy, Debug)]
pub struct Offered {
    /// Data, or their end.
    pub input: bool,
    /// The largest undivided write for which there is room; for a counter, the largest number that can be added.
    pub room: u64,
    /// Whether there is room for any undivided write; for a counter, whether 1 can be added.
    pub ample: bool,
}

/// What a channel has to offer now.
pub fn offered(channel: u8) -> Offered {
    let state = state();
    let Channel { contents, open } = &state.channels[usize::from(channel)];
    match contents {
        Contents::Pipe { buffers, most } => {
            let behind_last = buffers.back().map_or(0, |last| u64::from(PAGE) - last.bytes.len() as u64);
            let ample = buffers.len() < *most || !open[0];
            let room = if ample { PAGE.into() } else { behind_last };
            Offered { input: !buffers.is_empty() || !open[1], room, ample }
        }
        Contents::Counter { count, .. } => {
            let room = MOST_COUNT - count;
            Offered { input: *count > 0, room, ample: room > 0 }
        }
        Contents::Stream(stream) => stream.offered(*open),
        Contents::Interests(interests) => {
            Offered { input: interest::has_events(interests), room: PAGE.into(), ample: true }
        }
        Contents::Timer(timer) => Offered { input: timer.expiries > 0, room: PAGE.into(), ample: true },
        Contents::Endpoint(endpoint) => endpoint.offered(),
        Contents::Datagrams(datagrams) => datagrams.offered(),
        Contents::Lock(lock) => lock.offered(),
        Contents::Range(range) => state.ranges.offered(*range),
        Contents::Openings(openings) => openings.offered(),
        Contents::Signals(signals) => Offered { input: signals & state.pending != 0, room: PAGE.into(), ample: true },
    }
}

/// `POLLIN`
pub const IN: u32 = 1;
/// `POLLOUT`
pub const OUT: u32 = 4;
/// `POLLIN` and `POLLRDNORM`
pub const INPUT: u32 = 0x41;
/// `POLLOUT` and `POLLWRNORM`
pub const OUTPUT: u32 = 0x104;
/// `POLLERR`
pub const ERROR: u32 = 8;
/// `POLLHUP`
pub const HUNG_UP: u32 = 16;

/// Events of `poll` that a descriptor of a channel has now.
pub fn events(of: ChannelEnd) -> u32 {
    let of = present(of);
    let Channel { contents, open } = &state().channels[usize::from(of.channel)];
    let offered = offered(of.channel);
    let given = |holds: bool, events: u32| if holds { events } else { 0 };
    match (contents, of.end) {
        (Contents::Pipe { buffers, .. }, End::Input) => given(!buffers.is_empty(), INPUT) | given(!open[1], HUNG_UP),
        (Contents::Pipe { buffers, most }, _) => given(buffers.len() < *most, OUTPUT) | given(!open[0], ERROR),
        (Contents::Counter { .. }, _) => given(offered.input, IN) | given(offered.ample, OUT),
        (Contents::Stream(_), _) => socket::events(of),
        (Contents::Interests(_), _) => given(offered.input, INPUT),
        (Contents::Timer(_) | Contents::Signals(_), _) => given(offered.input, IN),
        (Contents::Endpoint(endpoint), _) => endpoint.events(),
        (Contents::Datagrams(datagrams), _) => datagrams.events(),
        (Contents::Lock(_) | Contents::Range(_) | Contents::Openings(_), _) => 0,
    }
}

/// Whether a pipe has somebody to read from it.
pub fn has_reader(channel: u8) -> bool {
    state().channels[usize::from(channel)].open[0]
}

/// Bytes in a pipe.
pub fn bytes(channel: u8) -> u64 {
    match &state().channels[usize::from(channel)].contents {
        Contents::Pipe { buffers, .. } => buffers.iter().map(|buffer| (buffer.bytes.len() - buffer.read) as u64).sum(),
        Contents::Stream(stream) => stream.bytes(),
        Contents::Datagrams(datagrams) => datagrams.bytes(),
        Contents::Counter { .. }
        | Contents::Interests(_)
        | Contents::Timer(_)
        | Contents::Endpoint(_)
        | Contents::Lock(_)
        | Contents::Range(_)
        | Contents::Openings(_)
        | Contents::Signals(_) => 0,
    }
}

/// Takes up to `most` bytes out of a channel, for the running thread; how many, none at the end of the data. None if
/// there is nothing to be taken yet.
pub fn take(channel: u8, most: u64) -> Option<u64> {
    let state = state();
    let taken = &mut state.taken[fiber::current_slot()];
    taken.clear();
    let Channel { contents, open } = &mut state.channels[usize::from(channel)];
    match contents {
        Contents::Pipe { buffers, most: room } => {
            let was_full = buffers.len() >= *room;
            while let Some(first) = buffers.front_mut()
                && (taken.len() as u64) < most
            {
                let wanted = (most - taken.len() as u64).min((first.bytes.len() - first.read) as u64) as usize;
                taken.extend_from_slice(&first.bytes[first.read..first.read + wanted]);
                first.read += wanted;
                if first.read == first.bytes.len() {
                    buffers.pop_front();
                }
            }
            let found = (!taken.is_empty() || !open[1]).then_some(taken.len() as u64);
            if was_full && buffers.len() < *room {
                wake_writers(channel, OUTPUT);
            }
            found
        }
        Contents::Counter { count: 0, .. } => None,
        Contents::Counter { count, units } => Some(counter::take(channel, count, *units, taken)),
        Contents::Timer(timer) => timer.take(taken),
        Contents::Stream(_)
        | Contents::Datagrams(_)
        | Contents::Interests(_)
        | Contents::Endpoint(_)
        | Contents::Lock(_)
        | Contents::Range(_)
        | Contents::Openings(_)
        | Contents::Signals(_) => None,
    }
}

/// Gives the running thread what it has taken; an error number if that cannot be written.
pub fn give(to: Pieces) -> i64 {
    let taken = mem::take(&mut state().taken[fiber::current_slot()]);
    let mut written = true;
    to.for_each(taken.len() as u64, |start, at, len| {
        written &= recover::write(start, &taken[at as usize..(at + len) as usize]);
    });
    if written { taken.len() as i64 } else { error(errno::EFAULT) }
}

/// Puts bytes into a pipe, from this position among them on, as many as there is room for; how many. A negative number
/// is an error.
pub fn put(channel: u8, from: Pieces, position: u64, total: u64) -> i64 {
    let Contents::Pipe { buffers, most } = &mut state().channels[usize::from(channel)].contents else { return 0 };
    let page = PAGE as usize;
    let rest = total - position;
    let small = (rest % u64::from(PAGE)) as usize;
    let mut done = 0;
    // Only the beginning of a call looks for room behind the last data.
    if position == 0
        && small > 0
        && let Some(last) = buffers.back_mut()
        && last.bytes.len() + small <= page
    {
        let copied = from.read(position, small);
        done += copied.len();
        last.bytes.extend_from_slice(&copied);
        if copied.len() < small {
            return if done > 0 { done as i64 } else { error(errno::EFAULT) };
        }
    }
    while (done as u64) < rest && buffers.len() < *most {
        let wanted = ((rest - done as u64) as usize).min(page);
        let bytes = from.read(position + done as u64, wanted);
        let got = bytes.len();
        done += got;
        if got > 0 {
            buffers.push_back(Buffer { bytes, read: 0 });
        }
        if got < wanted {
            return if done > 0 { done as i64 } else { error(errno::EFAULT) };
        }
    }
    done as i64
}

/// Closes a descriptor of a channel, or makes its number that of another one. Returns what is no longer open by any
/// descriptor.
pub fn close_number(fd: u64, close: impl FnOnce() -> i64) -> Result<Option<ChannelEnd>, i64> {
    let of = of_descriptor(fd);
    let result = close();
    if sys::failed(result) {
        return Err(result);
    }
    Ok(of.filter(|of| !describes(of.description)))
}

/// close.
pub fn close(fd: u64) -> Result<Option<ChannelEnd>, i64> {
    close_number(fd, || files::close(fd))
}

/// dup2 and dup3, onto a descriptor of a channel.
pub fn replace(from: u64, to: u64, flags: u64) -> Result<Option<ChannelEnd>, i64> {
    close_number(to, || files::duplicate_to(from, to, flags))
}

/// The number of the channel of a description, as a number of a file.
pub(super) fn number_of(description: u16) -> u64 {
    state().descriptions.get(usize::from(description)).map_or(0, |of| of.channel.into())
}

/// The last descriptor of an end of a pipe, of a counter or of an instance of `epoll` is closed.
pub fn end_closed(of: ChannelEnd) {
    forget(of);
    let is_closed = fifo::close_end(of);
    let open = &mut state().channels[usize::from(of.channel)].open;
    match of.end {
        End::Input => open[0] = !is_closed,
        End::Output => open[1] = !is_closed,
        End::Both | End::Socket | End::Instance | End::Timer | End::Signals | End::Unconnected | End::Datagrams => {
            *open = [false; 2];
        }
    }
    wake_readers(of.channel, 0);
    wake_writers(of.channel, 0);
}
