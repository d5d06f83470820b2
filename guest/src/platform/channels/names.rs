//! The names of sockets and their options: what the program has said of them, whether or not they are connected.

use super::address::Address;
use super::state;

/// What the program has said of a socket, by the channel from which it reads.
#[derive(Clone, Copy)]
pub(super) struct SocketData {
    channel: u8,
    name: Option<Address>,
    /// Values of options that change nothing here.
    options: [u32; SOCKET_OPTIONS],
}

/// How many options are remembered.
pub const SOCKET_OPTIONS: usize = 3;

/// Two channels are those from which two sockets are read.
pub(super) fn note_sockets(first: u8) {
    let socket = |channel| SocketData { channel, name: None, options: [0; SOCKET_OPTIONS] };
    state().sockets.extend([socket(first), socket(first + 1)]);
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
