//! Sockets that are not connected: those that listen, with the queue of their connections.
//!
//! A socket is made with both ways of the connection that it may have later, so that their numbers are those of a call
//! that makes a descriptor. The socket at the other end of the connection has no descriptor until somebody accepts it.

use super::address::UNIX as UNIX_FAMILY;
use super::names::{self, name_of, set_name};
use super::socket::Stream;
use super::{
    Channel, ChannelEnd, Contents, End, HUNG_UP, INPUT, Made, OUTPUT, Offered, PAGE, interest, state, wake_readers,
};
use crate::platform::files::{self, DescriptorKind};
use crate::platform::sys::{self, error, nr};
use alloc::collections::VecDeque;

/// The longest queue that `listen` gives (`net.core.somaxconn` as Linux has it unless somebody sets it).
const MOST_WAITING: u32 = 4096;

const UNIX: u64 = 1;
const STREAM: u64 = 1;

/// A socket that is not connected.
#[derive(Debug, Default)]
pub struct Endpoint {
    /// How many connections its queue has room for, if it listens.
    capacity: Option<usize>,
    /// The channels from which the other ends of the connections are read, in the order in which they were made.
    queue: VecDeque<u8>,
    /// Reading and writing are shut down.
    shut: [bool; 2],
    /// Its last descriptor is closed.
    closed: bool,
    /// It has listened, and does so no longer.
    stopped: bool,
    /// A call changes it, in several steps.
    pub changing: bool,
}

impl Endpoint {
    /// Whether it listens.
    pub fn listens(&self) -> bool {
        self.capacity.is_some() && !self.closed
    }

    /// Whether its last descriptor is closed.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether it has listened, and does so no longer.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether it takes connections, or may do so once there is room.
    pub fn takes_connections(&self) -> bool {
        self.listens() && !self.shut[0]
    }

    /// Whether its queue has room.
    pub fn has_room(&self) -> bool {
        self.capacity.is_none_or(|capacity| self.queue.len() < capacity)
    }

    pub(super) fn offered(&self) -> Offered {
        // Calls on what does not listen end at once.
        let input = !self.takes_connections() || !self.queue.is_empty();
        let ample = !self.takes_connections() || self.has_room();
        Offered { input, room: if ample { PAGE.into() } else { 0 }, ample }
    }

    pub(super) fn events(&self) -> u32 {
        const ENDED: u32 = super::ENDED;
        let given = |holds: bool, events: u32| if holds { events } else { 0 };
        given(!self.queue.is_empty() || self.shut[0], INPUT)
            | given(self.shut[0], ENDED)
            | given(self.shut == [true; 2] || !self.listens(), HUNG_UP)
            | given(!self.listens(), OUTPUT)
    }
}

/// The socket that a channel is, if it is not connected.
pub fn endpoint(channel: u8) -> Option<&'static mut Endpoint> {
    match &mut state().channels.get_mut(usize::from(channel))?.contents {
        Contents::Endpoint(endpoint) => Some(endpoint),
        Contents::Pipe { .. }
        | Contents::Counter { .. }
        | Contents::Stream(_)
        | Contents::Interests(_)
        | Contents::Timer(_)
        | Contents::Lock(_)
        | Contents::Range(_)
        | Contents::Datagrams(_)
        | Contents::Openings(_)
        | Contents::Signals(_) => None,
    }
}

fn kernel_socket(flags: u64) -> i64 {
    // SAFETY: makes a descriptor.
    unsafe { sys::call3(nr::__NR_socket, UNIX, STREAM | flags, 0) }
}

/// Makes a socket, of which no descriptor has a number of the program's yet. An error number if the kernel refuses.
pub fn make_socket(family: u16, flags: u64) -> Result<Made, i64> {
    let fd = kernel_socket(flags);
    if sys::failed(fd) {
        return Err(fd);
    }
    let state = state();
    let (channel, description) = (state.channels.len() as u8, state.descriptions.len() as u16);
    state.channels.push(Channel { contents: Contents::Endpoint(Endpoint::default()), open: [true; 2] });
    state
        .channels
        .push(Channel { contents: Contents::Stream(Stream::new(channel, family != UNIX_FAMILY)), open: [true; 2] });
    let other = channel + 1;
    state.descriptions.push(ChannelEnd { channel, output: channel, end: End::Unconnected, description });
    let accepted = ChannelEnd { channel: other, output: channel, end: End::Socket, description: description + 1 };
    state.descriptions.push(accepted);
    names::note_sockets(channel, family);
    Ok(Made { hidden: [files::hide(fd), -1], description, flags })
}

/// What the kernel says of a socket that it does not make; 0 if it makes it.
pub fn refuse_socket(domain: u64, kind: u64, protocol: u64) -> i64 {
    // SAFETY: makes a descriptor, which is closed.
    let fd = unsafe { sys::call3(nr::__NR_socket, domain, kind, protocol) };
    if sys::failed(fd) {
        return fd;
    }
    sys::close(fd as u64);
    0
}

/// What a description stands for by now.
pub fn present(of: ChannelEnd) -> ChannelEnd {
    state().descriptions.get(usize::from(of.description)).copied().unwrap_or(of)
}

/// A socket begins to listen, or gets another queue.
pub fn listen(channel: u8, backlog: u32) {
    if let Some(endpoint) = endpoint(channel) {
        endpoint.capacity = Some(backlog.min(MOST_WAITING) as usize + 1);
    }
}

/// Connects a socket with one that listens: the other end of the connection goes to the end of its queue.
pub fn connect(own: u8, listener: u8) {
    let name = name_of(listener);
    let state = state();
    state.channels[usize::from(own)].contents = Contents::Stream(Stream::new(own + 1, names::is_tcp(own)));
    for of in state.descriptions.iter_mut().filter(|of| of.channel == own) {
        (of.end, of.output) = (End::Socket, own + 1);
        interest::note_connected(*of);
    }
    set_name(own + 1, name);
    names::inherit(listener, own + 1);
    if let Some(endpoint) = endpoint(listener) {
        endpoint.queue.push_back(own + 1);
        wake_readers(listener, INPUT | super::socket::READABLE_BANDS);
    }
}

/// Takes the first connection out of the queue: the channel from which its other end is read.
pub fn accept(listener: u8) -> Option<u8> {
    endpoint(listener)?.queue.pop_front()
}

/// Reading from a socket that listens, writing to it, or both are shut down.
pub fn shut_down_listener(channel: u8, shut: [bool; 2]) {
    if let Some(endpoint) = endpoint(channel) {
        endpoint.shut = core::array::from_fn(|way| endpoint.shut[way] || shut[way]);
        wake_readers(channel, 0);
    }
}

/// A socket of TCP that listens does so no longer. What is in its queue stays there.
pub fn stop_listening(channel: u8) {
    if let Some(endpoint) = endpoint(channel) {
        (endpoint.capacity, endpoint.stopped) = (None, true);
        wake_readers(channel, 0);
    }
}

/// The last descriptor of a socket that is not connected is closed. What is in its queue stays there.
pub fn close_endpoint(of: ChannelEnd) {
    interest::forget(of);
    if let Some(endpoint) = endpoint(of.channel) {
        endpoint.closed = true;
    }
}

/// A number of the program's for a socket that is to be accepted, which is not open yet; an error if there is none.
pub fn reserve(flags: u64) -> i64 {
    files::install(kernel_socket(flags), DescriptorKind::Reserved, flags)
}

/// A number that was reserved is the descriptor of the socket that reads from this channel.
pub fn open_reserved(number: i64, channel: u8) -> i64 {
    let description = state().descriptions.iter().position(|of| of.channel == channel);
    match description {
        Some(description) => files::open_reserved(number as u64, DescriptorKind::Channel(description as u16)),
        None => error(sys::errno::EBADF),
    }
}

/// A number that was reserved is free again.
pub fn release_reserved(number: i64) {
    files::release_reserved(number as u64);
}
