//! Sockets that listen, and how others are connected with them: S21.
//!
//! A socket that listens is a channel, whose input is the queue of its connections. Connecting looks at the name, then
//! puts the other end of the connection into the queue; accepting takes it out. What a socket is that is not connected
//! is a matter of its channel. A call that changes it has several steps: nobody else may be in a call on it meanwhile.

use super::channel_operations::{
    begin_channels, joined, moves, note_offer, operation, perform, refuse_changing, wants_input, wants_room,
};
use super::library_state::{CURRENT_DIRECTORY, Use, use_name, use_socket_name};
use super::socket_names::read_address;
use super::{descriptors, socket_names, socket_options, sockets, tcp, udp};
use crate::engine::object_names::note_name;
use crate::engine::unmodelled;
use crate::platform::channels::{self, Address, ChannelEnd, End, Endpoint, INTERNET, INTERNET_6, RECEIVE_LIMIT, UNIX};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{Call, SocketPath, find_socket, is_open, make_socket_file, recover};
use alloc::format;
use inspect_core::event::{ChannelStep, Object, SiteId};

const STREAM: u64 = 1;
const DATAGRAMS: u64 = 2;
/// The bits of a type of socket; the others are flags.
const KIND: u64 = 15;
const FLAGS: u64 = (nr::O_NONBLOCK | nr::O_CLOEXEC) as u64;

/// Serves a call of the system on sockets; what it returns.
pub(super) fn call(call: &Call, site: SiteId) -> i64 {
    let [a, b, c, d, ..] = call.args;
    match call.number {
        nr::__NR_socket => return make(a, b, c, site),
        nr::__NR_socketpair => return sockets::make_pair([a, b, c], d, site),
        _ => {}
    }
    if call.number == nr::__NR_accept4 && is_open(a) && d & !FLAGS & 0xffff_ffff != 0 {
        return error(errno::EINVAL);
    }
    let of = match sockets::socket(a, call.number, site) {
        Ok(of) => of,
        Err(error) => return error,
    };
    if of.end == End::Datagrams {
        return udp::call(call, of, site);
    }
    match call.number {
        nr::__NR_bind => bind(of, [b, c], site),
        nr::__NR_listen => listen(of, b as u32, site),
        nr::__NR_connect => connect(a, of, [b, c], site),
        nr::__NR_accept => accept(a, of, [b, c], 0, site),
        nr::__NR_accept4 => accept(a, of, [b, c], d & FLAGS, site),
        nr::__NR_getsockname => socket_names::tell_own(of, [b, c], site),
        nr::__NR_getpeername => socket_names::tell_peer(of, [b, c], site),
        nr::__NR_getsockopt => socket_options::get(of, [b, c], [d, call.args[4]], site),
        nr::__NR_setsockopt => socket_options::set(of, [b, c], [d, call.args[4]], site),
        _ if of.end == End::Socket => sockets::call(call, of, site),
        _ => move_by_call(call, of, site),
    }
}

fn make(domain: u64, kind: u64, protocol: u64, site: SiteId) -> i64 {
    const TCP: u32 = 6;
    const UDP: u32 = 17;
    let domain = u64::from(domain as u32);
    let is_internet = [INTERNET.into(), INTERNET_6.into()].contains(&domain);
    let of_tcp = is_internet && [0, TCP].contains(&(protocol as u32));
    let of_udp = is_internet && [0, UDP].contains(&(protocol as u32));
    if of_udp && kind as u32 as u64 & !FLAGS == DATAGRAMS {
        return udp::make(domain as u16, kind & FLAGS, site);
    }
    let of_unix = domain == u64::from(UNIX) && (protocol as u32) < 2;
    let is_known = kind & KIND == STREAM && (of_unix || of_tcp);
    if !is_known || kind as u32 as u64 & !(KIND | FLAGS) != 0 {
        let refused = channels::refuse_socket(domain, kind, protocol);
        if sys::failed(refused) {
            return refused;
        }
        refuse(domain, kind, site);
    }
    descriptors::make_descriptor(site);
    begin_channels(2, site);
    let made = match channels::make_socket(domain as u16, kind & FLAGS) {
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
        // It changes what all channels as one offer: calls on it end at once.
        perform(operation(channel, ChannelStep::Resize), site);
    }
    [channel, channel + 1].into_iter().for_each(note_offer);
    number
}

fn name(channel: u8, number: i64) {
    note_name(Object::channel(channel).0, || format!("the socket of descriptor {number}"));
    note_name(Object::channel(channel + 1).0, || format!("the connection of the socket of descriptor {number}"));
}

fn refuse(domain: u64, kind: u64, site: SiteId) -> ! {
    unmodelled(&format!("socket of {} ({})", family(domain), name_of_kind(kind & KIND)), site);
}

fn family(domain: u64) -> &'static str {
    match domain as u32 {
        1 => "AF_UNIX",
        2 => "AF_INET",
        10 => "AF_INET6",
        16 => "AF_NETLINK",
        17 => "AF_PACKET",
        _ => "another family",
    }
}

fn name_of_kind(kind: u64) -> &'static str {
    match kind {
        1 => "SOCK_STREAM",
        2 => "SOCK_DGRAM",
        3 => "SOCK_RAW",
        5 => "SOCK_SEQPACKET",
        _ => "another type",
    }
}

fn refuse_others(of: ChannelEnd, site: SiteId) {
    if channels::is_used_by_others(of.description) {
        unmodelled("bind, listen or connect while another thread is in a call on the socket", site);
    }
}

/// The operation of a call that changes a socket which is not connected; the socket.
fn change(of: ChannelEnd, site: SiteId) -> Option<&'static mut Endpoint> {
    perform(operation(of.channel, ChannelStep::Change), site);
    refuse_others(of, site);
    refuse_changing(of.channel, site);
    channels::endpoint(of.channel)
}

/// A call changes a socket in several steps, or has done so.
fn set_changing(of: ChannelEnd, changing: bool, site: SiteId) {
    refuse_others(of, site);
    if let Some(endpoint) = channels::endpoint(of.channel) {
        endpoint.changing = changing;
    }
}

fn bind(of: ChannelEnd, given: [u64; 2], site: SiteId) -> i64 {
    let name = match read_address(given, site) {
        Ok(given) if channels::is_tcp(of.channel) => tcp::name_to_bind(of, given, site),
        Ok(given) if given.is_family_only() && given.family() == Some(UNIX) => {
            unmodelled("bind of a socket to no name", site)
        }
        Ok(given) => given.unix_name(),
        Err(error) => Err(error),
    };
    let name = match name {
        Ok(name) => name,
        Err(error) => return error,
    };
    if of.end == End::Socket && channels::is_tcp(of.channel) {
        return error(errno::EINVAL);
    }
    if of.end == End::Socket {
        unmodelled("bind of a connected socket", site);
    }
    let Some(_) = change(of, site) else { unmodelled("bind of a connected socket", site) };
    set_changing(of, true, site);
    let is_bound = channels::name_of(of.channel).is_some();
    let result = if channels::is_tcp(of.channel) {
        tcp::bind_port(of, name, is_bound, site)
    } else if name.is_abstract() {
        bind_name(of, name, is_bound, site)
    } else {
        bind_path(of, name, is_bound, site)
    };
    if result == 0 {
        channels::set_name(of.channel, Some(name));
    }
    set_changing(of, false, site);
    result
}

fn bind_name(of: ChannelEnd, name: Address, is_bound: bool, site: SiteId) -> i64 {
    if is_bound {
        return error(errno::EINVAL);
    }
    use_socket_name(name.bytes(), Use::Change, site);
    if channels::bound_to(name).is_some() {
        return error(errno::EADDRINUSE);
    }
    channels::publish(name, of.channel);
    0
}

fn bind_path(of: ChannelEnd, name: Address, is_bound: bool, site: SiteId) -> i64 {
    use_name(CURRENT_DIRECTORY, name.path(), Use::Change, site);
    match find_socket(name.path()) {
        SocketPath::Socket(_) | SocketPath::Other | SocketPath::Outside => error(errno::EADDRINUSE),
        SocketPath::Error(missing) if missing == error(errno::ENOENT) && is_bound => error(errno::EINVAL),
        SocketPath::Error(missing) if missing == error(errno::ENOENT) => make_socket_file(name.path(), of.channel),
        SocketPath::Error(refused) => refused,
    }
}

fn listen(of: ChannelEnd, backlog: u32, site: SiteId) -> i64 {
    if of.end == End::Socket {
        return error(errno::EINVAL);
    }
    let Some(_) = change(of, site) else { unmodelled("listen on a connected socket", site) };
    if channels::name_of(of.channel).is_none() && !channels::is_tcp(of.channel) {
        return error(errno::EINVAL);
    }
    if channels::is_tcp(of.channel) {
        tcp::check_listening(of, site);
    }
    channels::listen(of.channel, backlog);
    note_offer(of.channel);
    0
}

/// The socket to which a name leads; an error if there is none.
fn find(name: Address, site: SiteId) -> Result<u8, i64> {
    if name.family() != Some(UNIX) {
        return tcp::find(name, site);
    }
    if name.is_abstract() {
        use_socket_name(name.bytes(), Use::Look, site);
        return channels::bound_to(name).ok_or(error(errno::ECONNREFUSED));
    }
    use_name(CURRENT_DIRECTORY, name.path(), Use::Look, site);
    match find_socket(name.path()) {
        SocketPath::Socket(channel) => Ok(channel),
        SocketPath::Other => Err(error(errno::ECONNREFUSED)),
        SocketPath::Error(refused) => Err(refused),
        SocketPath::Outside => unmodelled("connect to a socket of another process", site),
    }
}

fn connect(fd: u64, of: ChannelEnd, given: [u64; 2], site: SiteId) -> i64 {
    let is_tcp = channels::is_tcp(of.channel);
    let name = match read_address(given, site) {
        Ok(given) if is_tcp => tcp::name_to_connect(of, given, site),
        Ok(given) => given.unix_name(),
        Err(error) => Err(error),
    };
    let name = match name {
        Ok(name) => name,
        Err(error) => return error,
    };
    if is_tcp && let Some(result) = connect_again(of, site) {
        return result;
    }
    let changes = || channels::endpoint(of.channel).is_some_and(|endpoint| !endpoint.listens());
    if changes() && change(of, site).is_some() && changes() {
        set_changing(of, true, site);
    }
    let waits = !channels::is_nonblocking(fd);
    let mut result = connect_to(waits && !is_tcp, of, name, site);
    if is_tcp && result == error(errno::EAGAIN) {
        unmodelled("connect over TCP while the queue is full", site);
    }
    if is_tcp && !waits {
        result = tcp::answer_at_once(of, result, site);
    }
    if channels::endpoint(of.channel).is_some_and(|endpoint| endpoint.changing) {
        set_changing(of, false, site);
    }
    result
}

/// `connect` of a socket of TCP that is connected or listens: the first call after one that has not waited succeeds.
fn connect_again(of: ChannelEnd, site: SiteId) -> Option<i64> {
    let listens = channels::endpoint(of.channel).is_some_and(|endpoint| endpoint.listens());
    if of.end == End::Unconnected && !listens {
        return None;
    }
    perform(operation(of.channel, ChannelStep::Change), site);
    note_offer(of.channel);
    Some(if channels::end_connecting(of.channel) { 0 } else { error(errno::EISCONN) })
}

/// Connects a socket with the one to which a name leads. If that is closed meanwhile, the name is looked up again.
fn connect_to(waits: bool, of: ChannelEnd, name: Address, site: SiteId) -> i64 {
    let mut closed = None;
    loop {
        let listener = match find(name, site) {
            Ok(listener) => listener,
            Err(refused) => return refused,
        };
        if closed == Some(listener) {
            return error(errno::ECONNREFUSED);
        }
        let wanted = wants_room(listener, 1, true);
        let found = moves(of, operation(listener, ChannelStep::Connect).wanting(wanted, waits), site);
        match channels::endpoint(listener) {
            Some(endpoint) if endpoint.is_closed() => closed = Some(listener),
            Some(endpoint) if endpoint.takes_connections() => {
                // With several polled, there may be no room although there was some.
                let result =
                    if found && endpoint.has_room() { join(of, listener, name, site) } else { error(errno::EAGAIN) };
                note_offer(listener);
                return result;
            }
            Some(_) | None => return error(errno::ECONNREFUSED),
        }
    }
}

/// Connects a socket with one that listens, if it is one that can be connected.
fn join(of: ChannelEnd, listener: u8, name: Address, site: SiteId) -> i64 {
    if channels::present(of).end == End::Socket {
        return error(errno::EISCONN);
    }
    if of.channel == listener || channels::endpoint(of.channel).is_some_and(|endpoint| endpoint.listens()) {
        return error(errno::EINVAL);
    }
    refuse_others(of, site);
    channels::connect(of.channel, listener);
    if channels::is_tcp(of.channel) {
        tcp::name_ends(of.channel, name);
        channels::wake_readers(of.channel, 0);
    }
    note_offer(of.channel);
    0
}

fn accept(fd: u64, of: ChannelEnd, to: [u64; 2], flags: u64, site: SiteId) -> i64 {
    if of.end == End::Socket {
        return error(errno::EINVAL);
    }
    // As in Linux, the call has its number from the beginning.
    descriptors::make_descriptor(site);
    let number = channels::reserve(flags);
    if sys::failed(number) {
        return number;
    }
    match take_connection(fd, of, site) {
        Ok(connection) => {
            let result = socket_names::tell(connection - 1, to, site);
            if sys::failed(result) {
                unmodelled("accept that cannot say who has connected", site);
            }
            channels::open_reserved(number, connection)
        }
        Err(refused) => {
            descriptors::give_back(number, site);
            channels::release_reserved(number);
            refused
        }
    }
}

/// Takes a connection out of the queue of a socket; the channel from which the socket at its other end reads.
fn take_connection(fd: u64, of: ChannelEnd, site: SiteId) -> Result<u8, i64> {
    let has_limit = channels::option(of.channel, RECEIVE_LIMIT) != 0;
    let (blocks, wanted) = (!channels::is_nonblocking(fd), wants_input(of.channel));
    let waits = blocks && !has_limit;
    let accept = operation(of.channel, ChannelStep::Accept).wanting(wanted, waits);
    let found = moves(of, accept, site);
    if blocks && !found {
        sockets::pass_limit(of.channel);
    }
    refuse_changing(of.channel, site);
    if !channels::endpoint(of.channel).is_some_and(|endpoint| endpoint.listens()) {
        return Err(error(errno::EINVAL));
    }
    let taken = channels::accept(of.channel);
    note_offer(of.channel);
    taken.ok_or(error(if waits { errno::EINVAL } else { errno::EAGAIN }))
}

/// A call that moves data through a socket that is not connected, and fails.
fn move_data(of: ChannelEnd, refused: i64, site: SiteId) -> i64 {
    moves(of, operation(of.channel, ChannelStep::Poll), site);
    refuse_changing(of.channel, site);
    if channels::present(of).end == End::Socket {
        unmodelled("a call on a socket that another thread is binding or connecting", site);
    }
    refused
}

/// The same, of a function for sockets; and `shutdown`.
fn move_by_call(call: &Call, of: ChannelEnd, site: SiteId) -> i64 {
    let address = match call.number {
        nr::__NR_shutdown => return shut_down(of, call.args[1], site),
        _ if channels::is_tcp(of.channel) => return move_over_tcp(call, of, site),
        nr::__NR_sendto => call.args[4],
        nr::__NR_sendmsg => recover::read_value::<u64>(call.args[1]).unwrap_or(0),
        _ => return move_data(of, error(errno::EINVAL), site),
    };
    move_data(of, error(if address == 0 { errno::ENOTCONN } else { errno::EOPNOTSUPP }), site)
}

/// The same over TCP, of which it does not matter whether an address is given.
fn move_over_tcp(call: &Call, of: ChannelEnd, site: SiteId) -> i64 {
    const NO_SIGNAL: u64 = 0x4000;
    let flags = match call.number {
        nr::__NR_sendto => call.args[3],
        nr::__NR_sendmsg => call.args[2],
        _ => return move_data(of, error(errno::ENOTCONN), site),
    };
    move_data(of, 0, site);
    tcp::send_unconnected(flags & NO_SIGNAL != 0, call.place())
}

/// `read` and `write`, and their kin, of a socket that is not connected.
pub(super) fn move_plain(of: ChannelEnd, writes: bool, place: u64, site: SiteId) -> i64 {
    let refused = move_data(of, error(if writes { errno::ENOTCONN } else { errno::EINVAL }), site);
    match (channels::is_tcp(of.channel), writes) {
        (false, _) => refused,
        (true, false) => error(errno::ENOTCONN),
        (true, true) => tcp::send_unconnected(false, place),
    }
}

/// `shutdown` of a socket that listens: who waits for a connection goes on.
fn shut_down(of: ChannelEnd, how: u64, site: SiteId) -> i64 {
    let shut = match how as u32 {
        0 => [true, false],
        1 => [false, true],
        2 => [true; 2],
        _ => return error(errno::EINVAL),
    };
    perform(operation(of.channel, ChannelStep::Change), site);
    refuse_changing(of.channel, site);
    let listens = channels::endpoint(of.channel).is_some_and(|endpoint| endpoint.listens());
    if channels::is_tcp(of.channel) {
        return shut_down_tcp(of, listens, shut, site);
    }
    let Some(endpoint) = channels::endpoint(of.channel).filter(|_| listens) else {
        unmodelled("shutdown of a socket that is not connected and does not listen", site)
    };
    if shut[0] && !endpoint.has_room() {
        // In Linux, who waits for room goes on waiting.
        unmodelled("shutdown of a socket that listens, with a full queue", site);
    }
    channels::shut_down_listener(of.channel, shut);
    note_offer(of.channel);
    0
}

/// A socket of TCP that is shut down for reading does not listen any more.
fn shut_down_tcp(of: ChannelEnd, listens: bool, shut: [bool; 2], site: SiteId) -> i64 {
    if !listens {
        return error(errno::ENOTCONN);
    }
    if shut[0] {
        channels::stop_listening(of.channel);
        note_offer(of.channel);
        reset_queue(of, site);
    }
    0
}

/// Resets the connections that nobody has accepted, one after the other.
fn reset_queue(of: ChannelEnd, site: SiteId) {
    while let Some(connection) = channels::accept(of.channel) {
        perform(operation(connection, ChannelStep::Close), site);
        channels::lose(connection);
        note_offer(connection);
        sockets::end_way(connection - 1, site);
    }
}

/// The last descriptor of a socket that is not connected is closed: first its name leads nowhere, then it takes no
/// connections, then those that nobody has accepted are reset, one after the other.
pub(super) fn closed(of: ChannelEnd, site: SiteId) {
    if let Some(name) = channels::name_of(of.channel).filter(|_| channels::is_tcp(of.channel)) {
        tcp::free_port(of, name, site);
    } else if let Some(name) = channels::name_of(of.channel).filter(Address::is_abstract) {
        use_socket_name(name.bytes(), Use::Change, site);
        channels::unpublish(of.channel);
    }
    perform(operation(of.channel, ChannelStep::Close), site);
    if channels::is_used_by_others(of.description) {
        unmodelled("close of a socket while another thread is in a call on it", site);
    }
    channels::close_endpoint(of);
    note_offer(of.channel);
    reset_queue(of, site);
}
