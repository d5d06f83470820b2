//! Connected sockets of one process: S21. How they come to be connected is a matter of [`super::connections`].
//!
//! Each of two sockets reads from one channel and writes to another one, so that what goes one way does not depend on
//! what goes the other. The calls come as calls of the system, as those of pipes do.

use super::cancel::chooses_second;
use super::channel_operations::{
    announce_rest, begin_channels, break_pipe, give, join, moves, note_offer, operation, perform, wants_input,
    wants_room,
};
use super::{descriptors, tcp};
use crate::engine::object_names::note_name;
use crate::engine::{note_uncontrolled, unmodelled};
use crate::hooks::{argument_read, argument_write};
use crate::platform::channels::{self, ChannelEnd, End, Pieces, RECEIVE_LIMIT};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{Call, clock, is_open, is_output, names, path_of_descriptor, recover};
use alloc::format;
use inspect_core::event::{ChannelStep, Object, SiteId, Wanted};

/// Flags of calls that move data.
pub(super) const PEEK: u64 = 2;
pub(super) const TRUNCATED: u64 = 0x20;
const DONT_WAIT: u64 = 0x40;
const END_OF_RECORD: u64 = 0x80;
const ALL: u64 = 0x100;
const NO_SIGNAL: u64 = 0x4000;
const MORE: u64 = 0x8000;
pub(super) const CLOSE_ON_EXEC: u64 = 0x4000_0000;
/// Those with which data are sent as without them, but for waiting and signals.
pub(super) const QUIET_FLAGS: u64 = DONT_WAIT | NO_SIGNAL | END_OF_RECORD;
/// Those of receiving that are modelled.
pub(super) const RECEIVING_FLAGS: u64 = PEEK | DONT_WAIT | ALL | NO_SIGNAL | CLOSE_ON_EXEC;

/// A call that moves data through a socket: its number of a descriptor, flags, and where it is made.
#[derive(Clone, Copy)]
pub(super) struct Through {
    fd: u64,
    pub(super) of: ChannelEnd,
    pub(super) flags: u64,
    place: u64,
    pub(super) site: SiteId,
}

impl Through {
    /// One without flags: `read`, `write` and their kin.
    pub(super) fn plain(fd: u64, of: ChannelEnd, place: u64, site: SiteId) -> Through {
        Through { fd, of, flags: 0, place, site }
    }

    /// One with these flags.
    pub(super) fn new(fd: u64, of: ChannelEnd, flags: u64, place: u64, site: SiteId) -> Through {
        Through { fd, of, flags: u64::from(flags as u32), place, site }
    }

    fn waits(self) -> bool {
        self.flags & DONT_WAIT == 0 && !channels::is_nonblocking(self.fd)
    }

    /// Whether a receive waits until something comes. With a limit of time it is an attempt, as that may pass at any
    /// moment.
    pub(super) fn waits_to_receive(self) -> bool {
        self.waits() && channels::option(self.of.channel, RECEIVE_LIMIT) == 0
    }

    /// What a receive returns that has found nothing. If it has waited, the time of its limit passes.
    pub(super) fn end_of_wait(self) -> i64 {
        if self.waits() {
            pass_limit(self.of.channel);
        }
        error(errno::EAGAIN)
    }
}

/// Serves a call of the system on a connected socket; what it returns.
pub(super) fn call(call: &Call, of: ChannelEnd, site: SiteId) -> i64 {
    let [a, b, c, d, ..] = call.args;
    let flags = match call.number {
        nr::__NR_sendmsg | nr::__NR_recvmsg => c,
        _ => d,
    };
    let through = Through::new(a, of, flags, call.place(), site);
    let buffer = Pieces { address: b, len: c, is_vector: false };
    match call.number {
        nr::__NR_sendto => send_to(through, buffer, [call.args[4], call.args[5]]),
        nr::__NR_recvfrom => receive_from(through, buffer, [call.args[4], call.args[5]]),
        nr::__NR_sendmsg => send_message(through, b),
        nr::__NR_recvmsg => receive_message(through, b),
        nr::__NR_shutdown => shut_down(of, b, site),
        other => unmodelled(&names::of(other), site),
    }
}

/// The socket of a descriptor.
pub(super) fn socket(fd: u64, number: u32, site: SiteId) -> Result<ChannelEnd, i64> {
    match channels::of_descriptor(fd) {
        Some(of) if matches!(of.end, End::Socket | End::Unconnected | End::Datagrams) => Ok(of),
        Some(_) => Err(error(errno::ENOTSOCK)),
        None if !is_open(fd) => Err(error(errno::EBADF)),
        None if is_output(fd) || path_of_descriptor(fd).is_some() => Err(error(errno::ENOTSOCK)),
        None => {
            let name = names::of(number);
            unmodelled(&format!("{name} of a descriptor that was open before the run"), site)
        }
    }
}

pub(super) fn make_pair([domain, kind, protocol]: [u64; 3], numbers: u64, site: SiteId) -> i64 {
    const UNIX: u32 = 1;
    const STREAM: u64 = 1;
    const KIND: u64 = 15;
    const MESSAGES: [u64; 2] = [2, 5];
    if domain as u32 == UNIX && MESSAGES.contains(&(kind & KIND)) {
        unmodelled("socketpair of sockets that keep messages apart (SOCK_DGRAM, SOCK_SEQPACKET)", site);
    }
    if domain as u32 != UNIX || kind & KIND != STREAM {
        return channels::refuse_socket_pair(domain, kind, protocol);
    }
    descriptors::make_descriptor(site);
    begin_channels(2, site);
    let made = match channels::make_socket_pair(domain, kind, protocol) {
        Ok(made) => made,
        Err(error) => return error,
    };
    let of = made.channel();
    [of, of + 1].into_iter().for_each(note_offer);
    let first = made.place(0);
    descriptors::make_descriptor(site);
    let second = made.place(1);
    if first < 0 || second < 0 {
        unmodelled("socketpair, with too many open descriptors", site);
    }
    name_way(of, second, first);
    name_way(of + 1, first, second);
    if recover::write_value(numbers, &[first as i32, second as i32]) { 0 } else { error(errno::EFAULT) }
}

/// Names one way of two connected sockets by the descriptors with which they were made.
fn name_way(channel: u8, from: i64, to: i64) {
    note_name(Object::channel(channel).0, || format!("the socket from descriptor {from} to {to}"));
}

/// The time passes for which a receive from a socket, or a wait for a connection, waits at most.
pub(super) fn pass_limit(channel: u8) {
    clock::advance(u64::from(channels::option(channel, RECEIVE_LIMIT)) * 1_000_000);
}

/// Other flags than these are not modelled.
pub(super) fn know_flags(what: &str, flags: u64, known: u64, site: SiteId) {
    let unknown = flags & !known;
    if unknown != 0 {
        unmodelled(&format!("{what} with flags {unknown:#x}"), site);
    }
}

/// Linux wakes a writer that waits only once a quarter of the buffer holds all that was written, so that it may wait
/// where it would not have begun to. Here it waits for any room.
fn note_wait_for_room(channel: u8, site: SiteId) {
    if channels::may_await_room(channel) {
        note_uncontrolled("a wait for room in a socket, which Linux ends only once much is free".into(), site);
    }
}

/// Whether a call waits for room in a socket when that is closed. One that has written a part does; one that has
/// written nothing waits, or comes after that: no operation says which, so it is a choice.
fn may_have_waited(channel: u8, waits: bool, has_written: bool, site: SiteId) -> bool {
    has_written || waits && channels::ended_full(channel) && chooses_second(site)
}

/// Writes to a socket: as much as there is room for, then, if it waits, the rest.
pub(super) fn send(through: Through, from: Pieces, total: u64) -> i64 {
    let Through { of, flags, place, site, .. } = through;
    let more = if channels::is_tcp(of.channel) { 0 } else { MORE };
    know_flags("sending", flags, QUIET_FLAGS | more, site);
    let waits = through.waits();
    let mut done = 0;
    if waits {
        channels::await_room(of.output);
    }
    loop {
        note_wait_for_room(of.output, site);
        let bytes = total - done;
        let wanted = if total == 0 { Wanted::NOTHING } else { wants_room(of.output, 1, false) };
        moves(of, operation(of.output, ChannelStep::Write).wanting(wanted, waits), site);
        announce_rest(from, done, total, site);
        tcp::check_sending(of, bytes, site);
        let sent = channels::send(of.output, from, done, total);
        note_offer(of.output);
        note_wait_for_room(of.output, site);
        let is_broken = sent == error(errno::EPIPE);
        if is_broken && channels::was_reset(of.channel) && may_have_waited(of.output, waits, done > 0, site) {
            // In Linux such a call takes the error that the next one would have.
            unmodelled("sending to a socket that is closed with data unread while the call waits", site);
        }
        if is_broken && done == 0 && flags & NO_SIGNAL == 0 {
            break_pipe(place);
        }
        if sys::failed(sent) {
            return if done > 0 { done as i64 } else { sent };
        }
        done += sent as u64;
        if done == total {
            return done as i64;
        }
    }
}

/// Reads from a socket: what is there.
pub(super) fn receive(through: Through, to: Pieces, total: u64) -> i64 {
    let Through { of, flags, site, .. } = through;
    let truncated = if channels::is_tcp(of.channel) { 0 } else { TRUNCATED };
    know_flags("receiving", flags, RECEIVING_FLAGS | truncated, site);
    let (waits, wanted) = (through.waits_to_receive(), wants_input(of.channel));
    if !moves(of, operation(of.channel, ChannelStep::Read).wanting(wanted, waits), site) {
        return through.end_of_wait();
    }
    let taken = channels::receive(of.channel, total, flags & PEEK != 0);
    note_offer(of.channel);
    if sys::failed(taken) {
        return taken;
    }
    if flags & ALL != 0 && through.waits() && (taken as u64) < total && !channels::is_at_end(of.channel) {
        unmodelled("receiving with MSG_WAITALL what comes in parts", site);
    }
    to.for_each(taken as u64, |start, _, len| argument_write(start, len, site));
    give(to, site)
}

/// `sendto`: a connected socket takes no address.
fn send_to(through: Through, from: Pieces, [address, len]: [u64; 2]) -> i64 {
    let len = u64::from(len as u32);
    if address != 0 && len != 0 && !channels::is_tcp(through.of.channel) {
        argument_read(address, len, through.site);
        return error(errno::EISCONN);
    }
    send(through, from, from.len)
}

/// `recvfrom`: data of a connection say nothing of who sent them.
fn receive_from(through: Through, to: Pieces, [address, len]: [u64; 2]) -> i64 {
    let result = receive(through, to, to.len);
    if sys::failed(result) || address == 0 {
        return result;
    }
    argument_write(len, 4, through.site);
    if recover::write_value(len, &0u32) { result } else { error(errno::EFAULT) }
}

/// What `sendmsg` and `recvmsg` are given.
pub(super) struct Message {
    pub(super) name: u64,
    pub(super) name_len: u64,
    pub(super) pieces: Pieces,
    control_len: u64,
}

/// Where the lengths and flags are that `recvmsg` writes.
pub(super) const NAME_LEN: u64 = 8;
pub(super) const CONTROL_LEN: u64 = 40;
pub(super) const FLAGS: u64 = 48;

/// The message at an address, and how many bytes it has.
pub(super) fn message(at: u64, site: SiteId) -> Result<(Message, u64), i64> {
    let fault = error(errno::EFAULT);
    let [name, name_len, vector, count, _, control_len] = recover::read_value::<[u64; 6]>(at).ok_or(fault)?;
    let pieces = Pieces { address: vector, len: count, is_vector: true };
    let total = pieces.total().map_err(|refused| if refused == fault { fault } else { error(errno::EMSGSIZE) })?;
    argument_read(vector, 16 * count, site);
    Ok((Message { name, name_len: u64::from(name_len as u32), pieces, control_len }, total))
}

/// The message that `sendmsg` is to send, and how many bytes it has.
pub(super) fn message_to_send(through: Through, at: u64) -> Result<(Message, u64), i64> {
    let (message, total) = message(at, through.site)?;
    if message.control_len != 0 {
        unmodelled("sendmsg with control data", through.site);
    }
    message.pieces.for_each(total, |start, _, len| argument_read(start, len, through.site));
    Ok((message, total))
}

fn send_message(through: Through, at: u64) -> i64 {
    let (message, total) = match message_to_send(through, at) {
        Ok(message) => message,
        Err(error) => return error,
    };
    if message.name != 0 && message.name_len != 0 && !channels::is_tcp(through.of.channel) {
        error(errno::EISCONN)
    } else {
        send(through, message.pieces, total)
    }
}

fn receive_message(through: Through, at: u64) -> i64 {
    let (message, total) = match message(at, through.site) {
        Ok(message) => message,
        Err(error) => return error,
    };
    let result = receive(through, message.pieces, total);
    if sys::failed(result) {
        return result;
    }
    // Nothing was said of the sender, and no control data were sent.
    let mut written = true;
    let mut write = |at: u64, len: u64, value: u64| {
        argument_write(at, len, through.site);
        written &= recover::write(at, &value.to_le_bytes()[..len as usize]);
    };
    if message.name != 0 {
        write(at + NAME_LEN, 4, 0);
    }
    write(at + CONTROL_LEN, 8, 0);
    write(at + FLAGS, 4, through.flags & CLOSE_ON_EXEC);
    if written { result } else { error(errno::EFAULT) }
}

/// `shutdown`: of one direction, or of both.
fn shut_down(of: ChannelEnd, how: u64, site: SiteId) -> i64 {
    const READS: u32 = 0;
    const WRITES: u32 = 1;
    const BOTH: u32 = 2;
    if channels::is_tcp(of.channel) && how as u32 <= BOTH {
        tcp::check_shut_down(of, how as u32 != WRITES, how as u32 != READS, site);
    }
    match how as u32 {
        READS => end_way(of.channel, site),
        WRITES => end_way(of.output, site),
        BOTH => end_both_ways(of, site),
        _ => return error(errno::EINVAL),
    }
    0
}

/// A socket is shut down in both directions, as in Linux: for threads that use the same socket in one step, which ends
/// the writing of the other socket, too; what is read there comes to its end in the next one.
fn end_both_ways(of: ChannelEnd, site: SiteId) {
    join();
    perform(operation(of.channel, ChannelStep::Close), site);
    end_input(of);
    channels::refuse_writes(of.output);
    note_offer(of.channel);
    end_way(of.output, site);
}

/// What a socket reads has its end. Over TCP, who writes there does not know that yet.
fn end_input(of: ChannelEnd) {
    if channels::is_tcp(of.channel) {
        channels::end_reading(of.channel);
    } else {
        channels::shut_down(of.channel, false);
    }
}

pub(super) fn end_way(channel: u8, site: SiteId) {
    perform(operation(channel, ChannelStep::Close), site);
    channels::shut_down(channel, false);
    channels::wake_readers(channel, 0);
    channels::wake_writers(channel, 0);
    note_offer(channel);
}

/// The last descriptor of a socket is closed: the other socket cannot write from then on, and comes to the end of the
/// data in a step of its own, as in Linux. Nobody else uses this one.
pub(super) fn closed(of: ChannelEnd, site: SiteId) {
    perform(operation(of.channel, ChannelStep::Close), site);
    if channels::is_used_by_others(of.description) {
        unmodelled("close of a socket while another thread is in a call on it", site);
    }
    channels::forget(of);
    if channels::bytes(of.channel) == 0 && channels::is_tcp(of.channel) {
        channels::end_reading(of.channel);
    } else {
        channels::shut_down(of.channel, true);
    }
    note_offer(of.channel);
    end_way(of.output, site);
}
