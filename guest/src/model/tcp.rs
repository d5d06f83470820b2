//! Sockets of TCP at the loopback: S21. Whatever reaches further is not modelled.

use super::channel_operations::break_pipe;
use super::library_state::{Use, use_socket_name};
use crate::engine::{note_uncontrolled, unmodelled};
use crate::platform::channels::{self, Address, ChannelEnd, End, REUSE_ADDRESS};
use crate::platform::sys::{errno, error};
use inspect_core::event::SiteId;

/// Ports below this one are for some users only.
const PRIVILEGED: u16 = 1024;

/// The protocols, each of which has ports of its own.
const TCP: &[u8; 3] = b"TCP";
pub(super) const UDP: &[u8; 3] = b"UDP";

/// The addresses of a port are one object: a name may stand for several of them.
pub(super) fn use_port(protocol: &[u8; 3], port: u16, how: Use, site: SiteId) {
    // On the stack, as other threads run before the call returns.
    let mut name = *b"port 00000 of TCP";
    let mut rest = port;
    for digit in name[5..10].iter_mut().rev() {
        (*digit, rest) = (b'0' + (rest % 10) as u8, rest / 10);
    }
    name[14..].copy_from_slice(protocol);
    use_socket_name(&name, how, site);
}

/// The name that a call gives a socket of TCP or UDP.
pub(super) fn name_to_bind(of: ChannelEnd, given: Address, site: SiteId) -> Result<Address, i64> {
    let family = channels::family_of(of.channel);
    if given.family() == Some(0) {
        unmodelled("bind of a socket of TCP or UDP to no family", site);
    }
    let name = given.internet_name(family)?;
    if !name.is_any() && !name.is_loopback() {
        unmodelled("bind to an address that is not that of the loopback", site);
    }
    // A socket that is not given a port may get this one later.
    let is_awaited = |owner| channels::name_of(owner).is_none_or(|given| given.port() != name.port());
    match name.port() {
        0 => Ok(name.with_free_port(of.channel)),
        port if port < PRIVILEGED => unmodelled("bind to a port below 1024", site),
        _ if name.has_port_of().is_some_and(is_awaited) => {
            unmodelled("bind to a port from 50000 to 50255, which sockets get without asking", site)
        }
        _ => Ok(name),
    }
}

/// Binds a socket to a name, which no other one may have.
pub(super) fn bind_port(of: ChannelEnd, name: Address, is_bound: bool, site: SiteId) -> i64 {
    if is_bound {
        return error(errno::EINVAL);
    }
    use_port(TCP, name.port(), Use::Change, site);
    let reuses = |channel| channels::option(channel, REUSE_ADDRESS) != 0;
    let overlaps = |other: Address| other.family() != name.family() || other.is_any() || name.is_any() || other == name;
    for (other, channel) in channels::bound_to_port(name.port()) {
        let listens = channels::endpoint(channel).is_some_and(|endpoint| endpoint.listens());
        if overlaps(other) && reuses(of.channel) && reuses(channel) && !listens {
            unmodelled("bind of several sockets to one port (SO_REUSEADDR)", site);
        }
        if other.family() != name.family() {
            unmodelled("bind of sockets of both families to one port", site);
        }
        if overlaps(other) {
            return error(errno::EADDRINUSE);
        }
    }
    if channels::is_port_used(name.port()) && !reuses(of.channel) {
        unmodelled("bind to a port that connections had before, without SO_REUSEADDR", site);
    }
    channels::publish(name, of.channel);
    0
}

/// A socket begins to listen, or listens already: whether that is modelled.
pub(super) fn check_listening(of: ChannelEnd, site: SiteId) {
    if channels::name_of(of.channel).is_none() {
        unmodelled("listen on a socket of TCP that is not bound", site);
    }
    if channels::endpoint(of.channel).is_some_and(|endpoint| endpoint.has_stopped()) {
        unmodelled("listen on a socket of TCP that was shut down", site);
    }
}

/// A socket is closed: its port is free.
pub(super) fn free_port(of: ChannelEnd, name: Address, site: SiteId) {
    use_port(TCP, name.port(), Use::Change, site);
    channels::unpublish(of.channel);
}

/// The address to which a call connects a socket.
pub(super) fn name_to_connect(of: ChannelEnd, given: Address, site: SiteId) -> Result<Address, i64> {
    if given.family() == Some(0) {
        unmodelled("connect to no family, which ends a connection", site);
    }
    let name = given.internet_name(channels::family_of(of.channel))?;
    if !name.is_any() && !name.is_loopback() {
        unmodelled("connect to an address that is not that of the loopback", site);
    }
    Ok(name.at_loopback())
}

/// The socket that is bound to an address; an error if there is none.
pub(super) fn find(name: Address, site: SiteId) -> Result<u8, i64> {
    use_port(TCP, name.port(), Use::Look, site);
    let mut found = Err(error(errno::ECONNREFUSED));
    for (bound, channel) in channels::bound_to_port(name.port()) {
        if bound.family() != name.family() {
            unmodelled("connect with a socket of another family", site);
        }
        if bound.is_any() || bound == name {
            found = Ok(channel);
        }
    }
    // Before the connection is made, so that who binds the port next knows it by the order of both at the name.
    if found.is_ok_and(|channel| channels::endpoint(channel).is_some_and(|endpoint| endpoint.listens())) {
        channels::note_port_used(name.port());
    }
    found
}

/// The names of both ends of a connection.
pub(super) fn name_ends(own: u8, to: Address) {
    let family = channels::family_of(own);
    let named = channels::name_of(own).unwrap_or(Address::internet(family, 0).with_free_port(own));
    channels::set_name(own, Some(named.at_loopback()));
    channels::set_name(own + 1, Some(to));
    channels::note_port_used(to.port());
}

/// The name of a socket that has none.
pub(super) fn unnamed(channel: u8) -> Address {
    match channels::family_of(channel) {
        channels::UNIX => Address::UNNAMED,
        family => Address::internet(family, 0),
    }
}

/// What a call that does not wait returns once it has connected a socket, or has failed to.
pub(super) fn answer_at_once(of: ChannelEnd, result: i64, site: SiteId) -> i64 {
    if result == error(errno::ECONNREFUSED) {
        unmodelled("connect that does not wait and is refused", site);
    }
    if result != 0 {
        return result;
    }
    channels::begin_connecting(of.channel);
    error(errno::EINPROGRESS)
}

/// Sending over a socket that is not connected.
pub(super) fn send_unconnected(is_quiet: bool, place: u64) -> i64 {
    if is_quiet { error(errno::EPIPE) } else { break_pipe(place) }
}

/// Before so many bytes are sent over TCP: whether they have room, and come at once.
pub(super) fn check_sending(of: ChannelEnd, bytes: u64, site: SiteId) {
    if channels::exceeds(of.output, bytes) {
        unmodelled("more than 16384 bytes on their way over a connection of TCP", site);
    }
    if channels::is_gone(of.output) || channels::is_tcp(of.channel) && channels::was_reset(of.channel) {
        unmodelled("sending over TCP to a socket that does not read any more", site);
    }
    let waits_for_answers = channels::option(of.channel, channels::NO_DELAY) == 0;
    if bytes > 0 && waits_for_answers && channels::is_delayed(of.output) {
        note_uncontrolled(
            "sending more over TCP before an answer has come, without TCP_NODELAY, which Linux may delay".into(),
            site,
        );
    }
}

/// `shutdown` of a connection that cannot be shut down in this way.
pub(super) fn check_shut_down(of: ChannelEnd, reads: bool, writes: bool, site: SiteId) {
    if reads && !writes {
        unmodelled("shutdown of reading only of a connection of TCP", site);
    }
    refuse_ended(of, site);
}

/// A connection of which both directions have ended is none any more.
pub(super) fn refuse_ended(of: ChannelEnd, site: SiteId) {
    if of.end == End::Socket && channels::is_tcp(of.channel) && channels::have_ended(of) {
        unmodelled("a call on a connection of TCP of which both directions have ended", site);
    }
}
