//! Sockets of UDP at the loopback: S21. Whatever reaches further is not modelled.
//!
//! A message is at its destination, or lost, when the call that sends it returns, as in Linux. Its sender looks at its
//! own socket, at the port, and then puts it into the queue of the socket that it found there: a socket that is closed
//! in between takes the message with it.

use super::channel_operations::{begin_channels, give, joined, moves, note_offer, operation, perform, wants_input};
use super::library_state::Use;
use super::socket_names::read_address;
use super::sockets::{self, Message, Through};
use super::{descriptors, socket_names, socket_options, tcp};
use crate::engine::object_names::note_name;
use crate::engine::unmodelled;
use crate::hooks::argument_write;
use crate::platform::channels::{self, Address, ChannelEnd, Datagrams, INTERNET, Pieces, REUSE_ADDRESS, Taken};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{Call, names, recover};
use alloc::format;
use inspect_core::event::{ChannelStep, Object, SiteId, Wanted};

const OUT_OF_BAND: u64 = 1;
/// Bytes that a message of each family can have at most.
const LONGEST: u64 = 65_507;
const LONGEST_6: u64 = 65_527;

/// The channel that stands for the name and the peer of a socket.
fn name_channel(of: ChannelEnd) -> u8 {
    of.channel + 1
}

fn own(of: ChannelEnd) -> &'static mut Datagrams {
    channels::datagrams(of.channel).unwrap_or_else(|| unreachable!("a socket of UDP stays one"))
}

/// Makes a socket.
pub(super) fn make(family: u16, flags: u64, site: SiteId) -> i64 {
    descriptors::make_descriptor(site);
    begin_channels(2, site);
    let made = match channels::make_datagram_socket(family, flags) {
        Ok(made) => made,
        Err(error) => return error,
    };
    let number = made.place(0);
    if sys::failed(number) {
        unmodelled("socket, with too many open descriptors", site);
    }
    let channel = made.channel();
    name(channel, number);
    if joined() {
        // It changes what all channels as one offer: calls on its name end at once.
        perform(operation(channel, ChannelStep::Resize), site);
    }
    [channel, channel + 1].into_iter().for_each(note_offer);
    number
}

fn name(channel: u8, number: i64) {
    note_name(Object::channel(channel).0, || format!("the socket of descriptor {number}"));
    note_name(Object::channel(channel + 1).0, || format!("the name of the socket of descriptor {number}"));
}

/// Serves a call of the system on a socket; what it returns.
pub(super) fn call(call: &Call, of: ChannelEnd, site: SiteId) -> i64 {
    let [fd, b, c, d, ..] = call.args;
    let flags = match call.number {
        nr::__NR_sendmsg | nr::__NR_recvmsg => c,
        _ => d,
    };
    let through = Through::new(fd, of, flags, call.place(), site);
    let buffer = Pieces { address: b, len: c, is_vector: false };
    match call.number {
        nr::__NR_bind => bind(of, [b, c], site),
        nr::__NR_connect => connect(of, [b, c], site),
        nr::__NR_listen | nr::__NR_accept | nr::__NR_accept4 => error(errno::EOPNOTSUPP),
        nr::__NR_getsockname => tell_own(of, [b, c], site),
        nr::__NR_getpeername => tell_peer(of, [b, c], site),
        nr::__NR_getsockopt => socket_options::get(of, [b, c], [d, call.args[4]], site),
        nr::__NR_setsockopt => socket_options::set(of, [b, c], [d, call.args[4]], site),
        nr::__NR_shutdown => shut_down(of, b, site),
        nr::__NR_sendto => {
            let to = (call.args[4] != 0).then_some([call.args[4], call.args[5]]);
            send(through, buffer, c, to)
        }
        nr::__NR_recvfrom => receive_from(through, buffer, [call.args[4], call.args[5]]),
        nr::__NR_sendmsg => send_message(through, b),
        nr::__NR_recvmsg => receive_message(through, b),
        other => unmodelled(&names::of(other), site),
    }
}

/// The operation of a call that changes the name or the peer of a socket.
fn change(of: ChannelEnd, site: SiteId) {
    perform(operation(name_channel(of), ChannelStep::Change), site);
    if channels::is_used_by_others(of.description) {
        unmodelled("bind or connect while another thread is in a call on the socket", site);
    }
}

/// Gives a socket a name, another one with the same port, or none. In one step: nobody finds the port without it.
fn rename(of: ChannelEnd, name: Option<Address>, site: SiteId) {
    let before = channels::name_of(of.channel);
    let Some(port) = name.or(before).map(|name| name.port()).filter(|_| name != before) else { return };
    tcp::use_port(tcp::UDP, port, Use::Change, site);
    set_name(of, name);
}

fn set_name(of: ChannelEnd, name: Option<Address>) {
    channels::unpublish(of.channel);
    name.into_iter().for_each(|name| channels::publish(name, of.channel));
    channels::set_name(of.channel, name);
}

/// A socket without a port gets the one that is its own.
fn bind_to_free_port(of: ChannelEnd, site: SiteId) {
    if channels::name_of(of.channel).is_none() {
        let any = Address::internet(channels::family_of(of.channel), 0);
        rename(of, Some(any.with_free_port(of.channel)), site);
    }
}

fn bind(of: ChannelEnd, given: [u64; 2], site: SiteId) -> i64 {
    let given = match read_address(given, site) {
        Ok(given) => given,
        Err(error) => return error,
    };
    let name = match tcp::name_to_bind(of, given, site) {
        Ok(name) => name,
        Err(error) => return error,
    };
    change(of, site);
    if channels::name_of(of.channel).is_some() {
        return error(errno::EINVAL);
    }
    // In one step with the new name: no other socket gets the port in between.
    tcp::use_port(tcp::UDP, name.port(), Use::Change, site);
    let reuses = |channel| channels::option(channel, REUSE_ADDRESS) != 0;
    for (other, channel) in channels::datagrams_bound_to(name.port()) {
        if other.family() != name.family() {
            unmodelled("bind of sockets of both families to one port", site);
        }
        if other.is_any() || name.is_any() || other == name {
            if reuses(of.channel) && reuses(channel) {
                unmodelled("bind of several sockets to one port (SO_REUSEADDR)", site);
            }
            return error(errno::EADDRINUSE);
        }
    }
    set_name(of, Some(name));
    own(of).given = (given.port() != 0).then_some(name);
    0
}

/// `connect`: messages go to this peer, and come from nobody else.
fn connect(of: ChannelEnd, given: [u64; 2], site: SiteId) -> i64 {
    let peer = match read_address(given, site) {
        Ok(given) if given.family() == Some(0) => None,
        Ok(given) => match destination(of, given, site) {
            Ok(peer) => Some(peer),
            Err(error) => return error,
        },
        Err(error) => return error,
    };
    change(of, site);
    // Who is told the name of a socket that is connected is told the one at the loopback.
    let name = match peer {
        Some(peer) => Some(channels::name_of(of.channel).unwrap_or(peer.with_free_port(of.channel)).at_loopback()),
        None => own(of).given,
    };
    rename(of, name, site);
    perform(operation(of.channel, ChannelStep::Change), site);
    own(of).peer = peer;
    note_offer(of.channel);
    0
}

/// The address to which a message goes; an error number if it is none.
fn destination(of: ChannelEnd, given: Address, site: SiteId) -> Result<Address, i64> {
    let family = channels::family_of(of.channel);
    if family != INTERNET && given.family() == Some(INTERNET) {
        unmodelled("an address of the other family for a socket of UDP", site);
    }
    let name = given.internet_name(family)?;
    if name.port() == 0 {
        unmodelled("port 0 as the destination of a socket of UDP", site);
    }
    if !name.is_any() && !name.is_loopback() {
        unmodelled("a message over UDP to an address that is not that of the loopback", site);
    }
    Ok(name.at_loopback())
}

/// Sends a message, to an address or to the peer.
pub(super) fn send(through: Through, from: Pieces, total: u64, to: Option<[u64; 2]>) -> i64 {
    let Through { of, site, .. } = through;
    let to = match announced(through, total, to) {
        Ok(to) => to,
        Err(error) => return error,
    };
    moves(of, operation(name_channel(of), ChannelStep::Poll), site);
    let peer = own(of).peer;
    if channels::name_of(of.channel).is_none() {
        moves(of, operation(name_channel(of), ChannelStep::Change), site);
        bind_to_free_port(of, site);
    }
    let Some(to) = to.or(peer) else { return error(errno::EDESTADDRREQ) };
    if total > if channels::family_of(of.channel) == INTERNET { LONGEST } else { LONGEST_6 } {
        return error(errno::EMSGSIZE);
    }
    if peer.is_some() && is_refused(of, site) {
        return error(errno::ECONNREFUSED);
    }
    if own(of).shut[1] {
        return error(errno::EPIPE);
    }
    match deliver(of, to, (from, total), site) {
        Err(failed) => return failed,
        Ok(is_there) if is_there || peer != Some(to) => {}
        Ok(_) => {
            moves(of, operation(of.channel, ChannelStep::Change), site);
            channels::refuse_datagram(of.channel);
            note_offer(of.channel);
        }
    }
    total as i64
}

/// The address that a call to send is given. Its length and flags are looked at before that.
fn announced(through: Through, total: u64, to: Option<[u64; 2]>) -> Result<Option<Address>, i64> {
    let Through { of, site, .. } = through;
    if channels::family_of(of.channel) == INTERNET && total > 0xffff {
        return Err(error(errno::EMSGSIZE));
    }
    if through.flags & OUT_OF_BAND != 0 {
        return Err(error(errno::EOPNOTSUPP));
    }
    sockets::know_flags("sending", through.flags, sockets::QUIET_FLAGS, site);
    to.map(|to| read_address(to, site).and_then(|given| to_address(of, given, site))).transpose()
}

fn to_address(of: ChannelEnd, given: Address, site: SiteId) -> Result<Address, i64> {
    if given.family() == Some(0) {
        unmodelled("a message over UDP to no family", site);
    }
    if channels::family_of(of.channel) != INTERNET
        && given.family() != Some(channels::family_of(of.channel))
        && given.family() != Some(INTERNET)
    {
        return Err(error(errno::EINVAL));
    }
    destination(of, given, site)
}

/// Whether nobody had a message that a connected socket has sent: the next call is told.
fn is_refused(of: ChannelEnd, site: SiteId) -> bool {
    moves(of, operation(of.channel, ChannelStep::Poll), site);
    if !own(of).is_refused() {
        return false;
    }
    moves(of, operation(of.channel, ChannelStep::Change), site);
    let refused = channels::take_refusal(of.channel);
    note_offer(of.channel);
    refused
}

/// Puts a message into the queue of the socket at an address. Whether there is one.
fn deliver(of: ChannelEnd, to: Address, (from, total): (Pieces, u64), site: SiteId) -> Result<bool, i64> {
    tcp::use_port(tcp::UDP, to.port(), Use::Look, site);
    let mut found = None;
    for (name, channel) in channels::datagrams_bound_to(to.port()) {
        if name.family() != to.family() {
            unmodelled("a message over UDP to a socket of another family", site);
        }
        if name.is_any() || name == to {
            found = Some(channel);
        }
    }
    let Some(receiver) = found else { return Ok(false) };
    moves(of, operation(receiver, ChannelStep::Write).wanting(Wanted::NOTHING, false), site);
    let source = channels::name_of(of.channel).map_or(to, Address::at_loopback);
    let bytes = from.read(0, total as usize);
    if (bytes.len() as u64) < total {
        return Err(error(errno::EFAULT));
    }
    let [is_there, is_sure] = channels::deliver(receiver, source, bytes);
    if !is_sure {
        unmodelled("more messages at a socket of UDP than Linux is sure to have room for", site);
    }
    note_offer(receiver);
    channels::note_sent(of.channel);
    Ok(is_there)
}

/// Takes a message, or only looks at it: it and the bytes of which there was room.
fn receive(through: Through, to: Pieces, total: u64) -> Result<(Taken, u64), i64> {
    let Through { of, site, .. } = through;
    sockets::know_flags("receiving", through.flags, sockets::RECEIVING_FLAGS | sockets::TRUNCATED, site);
    let waits = through.waits_to_receive();
    if !moves(of, operation(of.channel, ChannelStep::Read).wanting(wants_input(of.channel), waits), site) {
        return Err(through.end_of_wait());
    }
    let taken = channels::take_datagram(of.channel, total, through.flags & sockets::PEEK != 0);
    note_offer(of.channel);
    let taken = taken?;
    if taken.from.is_none() && !waits {
        return Err(error(errno::EAGAIN));
    }
    let given = taken.len.min(total);
    to.for_each(given, |start, _, len| argument_write(start, len, site));
    give(to, site);
    Ok((taken, given))
}

/// What a receive returns: all bytes of the message, if it asks for that.
fn returned(through: Through, taken: &Taken, given: u64) -> i64 {
    (if through.flags & sockets::TRUNCATED != 0 { taken.len } else { given }) as i64
}

fn receive_from(through: Through, to: Pieces, name: [u64; 2]) -> i64 {
    match receive(through, to, to.len) {
        Err(refused) => refused,
        Ok((taken, given)) => {
            let told = taken.from.map_or(0, |from| socket_names::tell_address(from, name, through.site));
            if sys::failed(told) { told } else { returned(through, &taken, given) }
        }
    }
}

/// `read` and its kin.
pub(super) fn receive_plain(through: Through, to: Pieces, total: u64) -> i64 {
    receive(through, to, total).map_or_else(|refused| refused, |(_, given)| given as i64)
}

fn send_message(through: Through, at: u64) -> i64 {
    let (message, total) = match sockets::message_to_send(through, at) {
        Ok(message) => message,
        Err(error) => return error,
    };
    let Message { name, name_len, pieces, .. } = message;
    send(through, pieces, total, (name != 0 && name_len != 0).then_some([name, name_len]))
}

fn receive_message(through: Through, at: u64) -> i64 {
    let (message, total) = match sockets::message(at, through.site) {
        Ok(message) => message,
        Err(error) => return error,
    };
    let (taken, given) = match receive(through, message.pieces, total) {
        Ok(taken) => taken,
        Err(refused) => return refused,
    };
    let name_at = [message.name, at + sockets::NAME_LEN];
    let told = taken.from.map_or(0, |from| socket_names::tell_address(from, name_at, through.site));
    if sys::failed(told) {
        return told;
    }
    let cut = if taken.len > given { sockets::TRUNCATED } else { 0 };
    argument_write(at + sockets::CONTROL_LEN, 8, through.site);
    argument_write(at + sockets::FLAGS, 4, through.site);
    let flags = (cut | through.flags & sockets::CLOSE_ON_EXEC) as u32;
    let written =
        recover::write_value(at + sockets::CONTROL_LEN, &0u64) && recover::write_value(at + sockets::FLAGS, &flags);
    if written { returned(through, &taken, given) } else { error(errno::EFAULT) }
}

/// `getsockname`
fn tell_own(of: ChannelEnd, to: [u64; 2], site: SiteId) -> i64 {
    perform(operation(name_channel(of), ChannelStep::Poll), site);
    let name = channels::name_of(of.channel).unwrap_or(tcp::unnamed(of.channel));
    socket_names::tell_address(name, if to[0] == 0 { [1, to[1]] } else { to }, site)
}

/// `getpeername`
fn tell_peer(of: ChannelEnd, to: [u64; 2], site: SiteId) -> i64 {
    perform(operation(name_channel(of), ChannelStep::Poll), site);
    let Some(peer) = own(of).peer else { return error(errno::ENOTCONN) };
    socket_names::tell_address(peer, if to[0] == 0 { [1, to[1]] } else { to }, site)
}

/// `shutdown`: it has its effect on a socket without a peer as well, of which it says that it has none.
fn shut_down(of: ChannelEnd, how: u64, site: SiteId) -> i64 {
    let shut = match how as u32 {
        0 => [true, false],
        1 => [false, true],
        2 => [true; 2],
        _ => return error(errno::EINVAL),
    };
    perform(operation(name_channel(of), ChannelStep::Change), site);
    perform(operation(of.channel, ChannelStep::Change), site);
    channels::shut_down_datagrams(of.channel, shut);
    note_offer(of.channel);
    if own(of).peer.is_some() { 0 } else { error(errno::ENOTCONN) }
}

/// The last descriptor of a socket is closed: first its name leads nowhere, then what has come for it is lost.
pub(super) fn closed(of: ChannelEnd, site: SiteId) {
    if let Some(name) = channels::name_of(of.channel) {
        tcp::use_port(tcp::UDP, name.port(), Use::Change, site);
        channels::unpublish(of.channel);
    }
    perform(operation(of.channel, ChannelStep::Close), site);
    if channels::is_used_by_others(of.description) {
        unmodelled("close of a socket while another thread is in a call on it", site);
    }
    channels::close_datagrams(of);
    note_offer(of.channel);
}
