//! Sockets that keep messages apart, of UDP at the loopback: what has come for each, and with whom it is connected.
//!
//! A socket has two channels: in the first one is what comes in, the second one stands for its name and its peer, so
//! that sending does not depend on what comes in.

use super::address::Address;
use super::socket::{READABLE_BANDS, WRITABLE_BAND};
use super::{
    Channel, ChannelEnd, Contents, ENDED, ERROR, End, HUNG_UP, INPUT, Made, OUTPUT, Offered, PAGE, names, state,
    wake_readers, wake_writers,
};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{fiber, files};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Bytes of a receive buffer, as Linux has them unless a program asks for others. A message that finds no room is lost.
const RECEIVE_BUFFER: u64 = 212_992;

/// A message on its way.
struct Datagram {
    from: Address,
    bytes: Vec<u8>,
}

impl Datagram {
    /// More than the kernel counts for it.
    fn charge(&self) -> u64 {
        256 + (self.bytes.len() as u64 + 512).next_power_of_two()
    }
}

/// A message that was taken: how many bytes it has, and who has sent it.
pub struct Taken {
    /// Bytes of the message, of which a call may have asked for less.
    pub len: u64,
    /// Who has sent it; None at the end, after the socket was shut down.
    pub from: Option<Address>,
}

/// A socket of UDP.
#[derive(Default)]
pub struct Datagrams {
    queue: VecDeque<Datagram>,
    /// With whom it is connected.
    pub peer: Option<Address>,
    /// The name that a call gave it, with its port.
    pub given: Option<Address>,
    /// Reading and writing are shut down.
    pub shut: [bool; 2],
    /// Nobody has a message that it sent: the next call is told.
    refused: bool,
    closed: bool,
}

impl Datagrams {
    pub(super) fn offered(&self) -> Offered {
        let input = !self.queue.is_empty() || self.refused || self.shut[0];
        Offered { input, room: PAGE.into(), ample: true }
    }

    pub(super) fn events(&self) -> u32 {
        let given = |holds: bool, events: u32| if holds { events } else { 0 };
        given(!self.queue.is_empty() || self.shut[0], INPUT)
            | given(self.shut[0], ENDED)
            | given(self.shut == [true; 2], HUNG_UP)
            | given(self.refused, ERROR)
            | OUTPUT
            | WRITABLE_BAND
    }

    /// Bytes of the first message.
    pub(super) fn bytes(&self) -> u64 {
        self.queue.front().map_or(0, |first| first.bytes.len() as u64)
    }

    /// Whether the last call that failed has said why, or there is nothing to be said.
    pub fn is_refused(&self) -> bool {
        self.refused
    }
}

/// The socket of UDP whose messages come through a channel.
pub fn datagrams(channel: u8) -> Option<&'static mut Datagrams> {
    match &mut state().channels.get_mut(usize::from(channel))?.contents {
        Contents::Datagrams(datagrams) => Some(datagrams),
        Contents::Pipe { .. }
        | Contents::Counter { .. }
        | Contents::Stream(_)
        | Contents::Interests(_)
        | Contents::Timer(_)
        | Contents::Endpoint(_)
        | Contents::Lock(_)
        | Contents::Range(_)
        | Contents::Openings(_)
        | Contents::Signals(_) => None,
    }
}

/// Makes a socket of UDP, of which no descriptor has a number of the program's yet. An error number if the kernel
/// refuses.
pub fn make_datagram_socket(family: u16, flags: u64) -> Result<Made, i64> {
    const UNIX: u64 = 1;
    const DATAGRAMS: u64 = 2;
    // SAFETY: makes a descriptor.
    let fd = unsafe { sys::call3(nr::__NR_socket, UNIX, DATAGRAMS | flags, 0) };
    if sys::failed(fd) {
        return Err(fd);
    }
    let state = state();
    let (channel, description) = (state.channels.len() as u8, state.descriptions.len() as u16);
    for _ in 0..2 {
        state.channels.push(Channel { contents: Contents::Datagrams(Box::default()), open: [true; 2] });
    }
    state.descriptions.push(ChannelEnd { channel, output: channel, end: End::Datagrams, description });
    names::note_datagram_socket(channel, family);
    Ok(Made { hidden: [files::hide(fd), -1], description, flags })
}

/// A message comes to a socket. Whether somebody has it: not if the socket is connected with somebody else. False in
/// the second place if Linux may have no room for it.
pub fn deliver(channel: u8, from: Address, bytes: Vec<u8>) -> [bool; 2] {
    let Some(socket) = datagrams(channel) else { return [false, true] };
    if socket.closed {
        return [true; 2];
    }
    if socket.peer.is_some_and(|peer| peer != from) {
        return [false, true];
    }
    socket.queue.push_back(Datagram { from, bytes });
    let held: u64 = socket.queue.iter().map(Datagram::charge).sum();
    wake_readers(channel, INPUT | READABLE_BANDS);
    [true, held <= RECEIVE_BUFFER]
}

/// A socket has sent a message, which takes no room of its own any more.
pub fn note_sent(channel: u8) {
    wake_writers(channel, OUTPUT | WRITABLE_BAND);
}

/// Nobody has a message that a socket sent.
pub fn refuse_datagram(channel: u8) {
    if let Some(socket) = datagrams(channel) {
        socket.refused = true;
        wake_readers(channel, ERROR);
    }
}

/// Whether nobody has a message that a socket sent; said only once.
pub fn take_refusal(channel: u8) -> bool {
    datagrams(channel).is_some_and(|socket| core::mem::take(&mut socket.refused))
}

/// Takes the first message, or only looks at it, and up to `most` of its bytes for the running thread.
pub fn take_datagram(channel: u8, most: u64, keeps: bool) -> Result<Taken, i64> {
    let taken = &mut state().taken[fiber::current_slot()];
    taken.clear();
    let Some(socket) = datagrams(channel) else { return Err(error(errno::EINVAL)) };
    if core::mem::take(&mut socket.refused) {
        return Err(error(errno::ECONNREFUSED));
    }
    let Some(first) = socket.queue.front() else { return Ok(Taken { len: 0, from: None }) };
    let len = first.bytes.len() as u64;
    taken.extend_from_slice(&first.bytes[..len.min(most) as usize]);
    let from = Some(first.from);
    if !keeps {
        socket.queue.pop_front();
    }
    Ok(Taken { len, from })
}

/// Reading from a socket, writing to it, or both are shut down.
pub fn shut_down_datagrams(channel: u8, shut: [bool; 2]) {
    if let Some(socket) = datagrams(channel) {
        socket.shut = core::array::from_fn(|way| socket.shut[way] || shut[way]);
        wake_readers(channel, 0);
    }
}

/// The last descriptor of a socket is closed. What has come for it is lost.
pub fn close_datagrams(of: ChannelEnd) {
    super::forget(of);
    if let Some(socket) = datagrams(of.channel) {
        (socket.closed, socket.queue) = (true, VecDeque::new());
    }
}
