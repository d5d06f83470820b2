//! The names of sockets and their options: what the program has said of them, whether or not they are connected.

use super::address::{Address, UNIX};
use super::state;

/// What the program has said of a socket, by the channel from which it reads.
#[derive(Clone, Copy)]
pub(super) struct SocketData {
    channel: u8,
    /// `AF_UNIX`, or for TCP `AF_INET` or `AF_INET6`.
    family: u16,
    /// It keeps messages apart: it is one of UDP.
    datagrams: bool,
    /// It is being connected, for a call that has not waited for that.
    connecting: bool,
    name: Option<Address>,
    /// Values of options.
    options: [u32; SOCKET_OPTIONS + 1],
}

impl SocketData {
    fn new(channel: u8, family: u16) -> SocketData {
        let options = [0; SOCKET_OPTIONS + 1];
        SocketData { channel, family, datagrams: false, connecting: false, name: None, options }
    }
}

/// How many options are remembered that are numbers.
pub const SOCKET_OPTIONS: usize = 4;
/// Whether several addresses can be those of one port, and whether data are sent at once.
pub const REUSE_ADDRESS: usize = 0;
pub const NO_DELAY: usize = 3;
/// How many milliseconds a receive waits at most (`SO_RCVTIMEO`); 0 if there is no limit.
pub const RECEIVE_LIMIT: usize = SOCKET_OPTIONS;

/// Two channels are those from which two sockets are read.
pub(super) fn note_sockets(first: u8, family: u16) {
    let socket = |channel| SocketData::new(channel, family);
    state().sockets.extend([socket(first), socket(first + 1)]);
}

/// A channel is that from which a socket of UDP is read.
pub(super) fn note_datagram_socket(channel: u8, family: u16) {
    state().sockets.push(SocketData { datagrams: true, ..SocketData::new(channel, family) });
}

fn data(channel: u8) -> Option<&'static mut SocketData> {
    state().sockets.iter_mut().find(|socket| socket.channel == channel)
}

/// The name of the socket that reads from a channel; None if it has none.
pub fn name_of(channel: u8) -> Option<Address> {
    data(channel).and_then(|socket| socket.name)
}

/// Gives a socket a name.
pub fn set_name(channel: u8, name: Option<Address>) {
    if let Some(socket) = data(channel) {
        socket.name = name;
    }
}

/// The value of an option that is remembered.
pub fn option(channel: u8, number: usize) -> u32 {
    data(channel).map_or(0, |socket| socket.options[number])
}

/// Remembers the value of an option.
pub fn set_option(channel: u8, number: usize, value: u32) {
    if let Some(socket) = data(channel) {
        socket.options[number] = value;
    }
}

/// The socket that is bound to a name which is no path.
pub fn bound_to(name: Address) -> Option<u8> {
    state().names.iter().find(|(bound, _)| *bound == name).map(|(_, channel)| *channel)
}

/// A name that is no path leads to a socket from now on.
pub fn publish(name: Address, channel: u8) {
    state().names.push((name, channel));
}

/// The name of a socket leads to nothing from now on.
pub fn unpublish(channel: u8) {
    state().names.retain(|(_, bound)| *bound != channel);
}

/// The family of the socket that reads from a channel.
pub fn family_of(channel: u8) -> u16 {
    data(channel).map_or(UNIX, |socket| socket.family)
}

/// Whether a connection is one of TCP, or would be.
pub fn is_tcp(channel: u8) -> bool {
    data(channel).is_some_and(|socket| socket.family != UNIX && !socket.datagrams)
}

/// Whether a socket is one of UDP.
pub fn is_udp(channel: u8) -> bool {
    data(channel).is_some_and(|socket| socket.datagrams)
}

/// A call that does not wait has begun to connect a socket.
pub fn begin_connecting(channel: u8) {
    if let Some(socket) = data(channel) {
        socket.connecting = true;
    }
}

/// Whether a call that has not waited has connected a socket; the next one is not told so.
pub fn end_connecting(channel: u8) -> bool {
    data(channel).is_some_and(|socket| core::mem::take(&mut socket.connecting))
}

/// The other end of a connection has the options of the socket that has listened.
pub(super) fn inherit(from: u8, to: u8) {
    let options = data(from).map_or([0; SOCKET_OPTIONS + 1], |socket| socket.options);
    if let Some(socket) = data(to).filter(|socket| socket.family != UNIX) {
        socket.options = options;
    }
}

/// The sockets of TCP that are bound to a port, with their names.
pub fn bound_to_port(port: u16) -> impl Iterator<Item = (Address, u8)> {
    bound(port).filter(|(_, channel)| is_tcp(*channel))
}

/// The sockets of UDP that are bound to a port, with their names.
pub fn datagrams_bound_to(port: u16) -> impl Iterator<Item = (Address, u8)> {
    bound(port).filter(|(_, channel)| is_udp(*channel))
}

fn bound(port: u16) -> impl Iterator<Item = (Address, u8)> {
    state().names.iter().copied().filter(move |(name, _)| name.family() != Some(UNIX) && name.port() == port)
}

/// Connections were made with this port.
pub fn note_port_used(port: u16) {
    state().used_ports.push(port);
}

/// Whether connections were made with this port.
pub fn is_port_used(port: u16) -> bool {
    state().used_ports.contains(&port)
}
