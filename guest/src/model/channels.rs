//! Pipes, counters (`eventfd`) and sockets, and calls that look at several descriptors (`poll`, `select`): S21.
//!
//! The calls come as calls of the system, whoever makes them: the program, or the C library. What the number of the
//! descriptor stands for was announced before ([`super::descriptors`]); from then on the call has the channel,
//! as in Linux, whatever becomes of the number. It is one operation, which waits unless the descriptor says otherwise;
//! a write of more than a pipe has room for is several.

use super::channel_operations::{
    announce_rest, begin_channels, break_pipe, give, in_call, join, joined, moves, note_offer, operation, perform,
    refuse_changing, wants_input, wants_room,
};
use super::descriptors::{self, Shared};
use super::polled::LookedAt;
use super::{connections, signal_descriptor, sockets, timer_descriptor, udp};
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::{note_uncontrolled, unmodelled};
use crate::hooks::argument_write;
use crate::platform::channels::{self, ChannelEnd, End, PAGE, Pieces};
use crate::platform::sys::{errno, error, nr};
use crate::platform::{Call, clock, recover};
use alloc::format;
use inspect_core::event::{ChannelStep, Object, Offer, SiteId, Wanted};
use inspect_wire::library::CallEffect;

/// Serves a call of the system; what it returns.
pub(crate) fn call(call: &Call) -> i64 {
    let place = call.place();
    let site = of_call(place);
    let [a, b, c, ..] = call.args;
    match call.number {
        nr::__NR_pipe => make_pipe(a, 0, site),
        nr::__NR_pipe2 => make_pipe(a, b, site),
        nr::__NR_eventfd => make_counter(a as u32, 0, site),
        nr::__NR_eventfd2 => make_counter(a as u32, b, site),
        nr::__NR_read => read(a, Pieces { address: b, len: c, is_vector: false }, place, site),
        nr::__NR_readv => read(a, Pieces { address: b, len: c, is_vector: true }, place, site),
        nr::__NR_write => write(a, Pieces { address: b, len: c, is_vector: false }, place, site),
        nr::__NR_writev => write(a, Pieces { address: b, len: c, is_vector: true }, place, site),
        nr::__NR_close => closed(channels::close(a), 0, site),
        nr::__NR_dup2 if a == b => b as i64,
        nr::__NR_dup3 if a == b => error(errno::EINVAL),
        nr::__NR_dup2 => closed(channels::replace(a, b, 0), b as i64, site),
        nr::__NR_dup3 => closed(channels::replace(a, b, c), b as i64, site),
        nr::__NR_fcntl => control(a, b, c, site),
        nr::__NR_ioctl => count_bytes(a, c, site),
        _ => connections::call(call, site),
    }
}

/// Whether a call with these effects reads from a channel: what it writes then is known once it has waited.
pub(super) fn receives(effects: &[CallEffect], argument: impl Fn(u8) -> u64) -> bool {
    effects.iter().any(|effect| match *effect {
        CallEffect::ReadsDescriptor(fd) => channels::of_descriptor(argument(fd)).is_some(),
        _ => false,
    })
}

/// Whether a call of this function makes a stream of a channel.
pub(super) fn lacks_stream(name: &str, fd: u64) -> bool {
    channels::any() && ["fdopen", "_IO_fdopen"].contains(&name) && channels::of_descriptor(fd).is_some()
}

/// Names a pipe by the descriptors with which it was made.
fn name_pipe(channel: u8, input: i64, output: i64) {
    note_name(Object::channel(channel).0, || format!("the pipe from descriptor {output} to {input}"));
}

fn name_counter(channel: u8, number: i64) {
    note_name(Object::channel(channel).0, || format!("the event counter of descriptor {number}"));
}

fn make_pipe(numbers: u64, flags: u64, site: SiteId) -> i64 {
    const DIRECT: u32 = 0o40_000;
    let known = u64::from(nr::O_CLOEXEC | nr::O_NONBLOCK);
    if flags & u64::from(DIRECT) != 0 {
        unmodelled("pipe2 with O_DIRECT", site);
    }
    if flags & !known != 0 {
        return error(errno::EINVAL);
    }
    descriptors::make_descriptor(site);
    begin_channels(1, site);
    let made = match channels::make_pipe(flags) {
        Ok(made) => made,
        Err(error) => return error,
    };
    note_offer(made.channel());
    let first = made.place(0);
    descriptors::make_descriptor(site);
    let second = made.place(1);
    if first < 0 || second < 0 {
        unmodelled("pipe, with too many open descriptors", site);
    }
    name_pipe(made.channel(), first, second);
    if recover::write_value(numbers, &[first as i32, second as i32]) { 0 } else { error(errno::EFAULT) }
}

fn make_counter(count: u32, flags: u64, site: SiteId) -> i64 {
    const SEMAPHORE: u64 = 1;
    let known = u64::from(nr::O_CLOEXEC | nr::O_NONBLOCK) | SEMAPHORE;
    if flags & !known != 0 {
        return error(errno::EINVAL);
    }
    descriptors::make_descriptor(site);
    begin_channels(1, site);
    let made = match channels::make_counter(count, flags) {
        Ok(made) => made,
        Err(error) => return error,
    };
    let number = made.place(0);
    name_counter(made.channel(), number);
    if joined() && count > 0 {
        // It changes what all channels as one offer.
        perform(operation(made.channel(), ChannelStep::Resize), site);
    }
    note_offer(made.channel());
    number
}

/// The channel of a descriptor by which data are moved in one direction.
fn end_of(fd: u64, refused: End) -> Result<ChannelEnd, i64> {
    match channels::of_descriptor(fd).filter(|of| of.end != refused) {
        Some(of) if of.end == End::Instance => Err(error(errno::EINVAL)),
        of => of.ok_or(error(errno::EBADF)),
    }
}

fn read(fd: u64, to: Pieces, place: u64, site: SiteId) -> i64 {
    let (of, total) = match (end_of(fd, End::Output), to.total()) {
        (Ok(of), Ok(total)) => (of, total),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    if matches!(of.end, End::Both | End::Timer) && total < 8 && !(to.is_vector && total == 0) {
        return error(errno::EINVAL);
    }
    if total == 0 && (to.is_vector || of.end != End::Signals) {
        return 0;
    }
    if of.end == End::Datagrams {
        return udp::receive_plain(sockets::Through::plain(fd, of, place, site), to, total);
    }
    if of.end == End::Unconnected {
        return connections::move_plain(of, false, place, site);
    }
    if of.end == End::Signals {
        return signal_descriptor::read(fd, of, to, site);
    }
    if of.end == End::Socket {
        return sockets::receive(sockets::Through::plain(fd, of, place, site), to, total);
    }
    let (waits, wanted) = (!channels::is_nonblocking(fd), wants_input(of.channel));
    if !moves(of, operation(of.channel, ChannelStep::Read).wanting(wanted, waits), site) {
        return error(errno::EAGAIN);
    }
    let Some(taken) = channels::take(of.channel, total) else { unreachable!("a read finds data, or their end") };
    if waits && of.end == End::Input && channels::bytes(of.channel) > 0 {
        note_edges(of, site);
    }
    note_offer(of.channel);
    if of.end == End::Timer {
        timer_descriptor::note_read(of.channel, site);
    }
    to.for_each(taken, |start, _, len| argument_write(start, len, site));
    give(to, site)
}

/// Linux wakes who watches an end of a pipe once more where a call on it had to wait and leaves something for others.
fn note_edges(of: ChannelEnd, site: SiteId) {
    if channels::is_watched_for_edges(of) {
        note_uncontrolled("a call that may wait at an end of a pipe which is watched for edges (EPOLLET)".into(), site);
    }
}

fn write(fd: u64, from: Pieces, place: u64, site: SiteId) -> i64 {
    let (of, total) = match (end_of(fd, End::Input), from.total()) {
        (Ok(of), Ok(total)) => (of, total),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    match of.end {
        // Linux ends a vector without a byte before it asks the file.
        _ if from.is_vector && total == 0 => 0,
        End::Socket => sockets::send(sockets::Through::plain(fd, of, place, site), from, total),
        End::Unconnected => connections::move_plain(of, true, place, site),
        End::Datagrams => udp::send(sockets::Through::plain(fd, of, place, site), from, total, None),
        End::Instance | End::Timer | End::Signals => error(errno::EINVAL),
        End::Both => add_each(fd, of, from, site),
        End::Input | End::Output if total == 0 => 0,
        End::Input | End::Output => write_to_pipe(fd, of, (from, total), place, site),
    }
}

/// Writes to a pipe: as much as there is room for, then, if it waits, the rest.
fn write_to_pipe(fd: u64, of: ChannelEnd, (from, total): (Pieces, u64), place: u64, site: SiteId) -> i64 {
    let page = u64::from(PAGE);
    // As it is when the call begins, whatever becomes of the number.
    let waits = !channels::is_nonblocking(fd);
    let mut done = 0;
    while done < total {
        // What does not fill a page may go behind the last data.
        let small = total % page;
        let room = if done == 0 && small > 0 { small } else { page };
        let wanted = wants_room(of.channel, room, room == page);
        let write = operation(of.channel, ChannelStep::Write).wanting(wanted, waits);
        let found = moves(of, write, site);
        if !channels::has_reader(of.channel) {
            let broken = break_pipe(place);
            return if done > 0 { done as i64 } else { broken };
        }
        announce_rest(from, done, total, site);
        let was_empty = channels::bytes(of.channel) == 0;
        let put = if found { channels::put(of.channel, from, done, total) } else { 0 };
        // As in Linux: before it waits only if there was nothing in the pipe, but whenever a call ends.
        if put <= 0 || done + put as u64 == total || waits && was_empty {
            channels::wake_readers(of.channel, channels::INPUT);
        }
        if waits && channels::offered(of.channel).ample {
            note_edges(of, site);
        }
        note_offer(of.channel);
        match put {
            failed if failed < 0 => return if done > 0 { done as i64 } else { failed },
            0 if !waits => return if done > 0 { done as i64 } else { error(errno::EAGAIN) },
            0 => unmodelled("a write to a pipe with less room in its last page, where several are polled", site),
            put => done += put as u64,
        }
    }
    done as i64
}

/// A write to a counter, of 8 bytes. As in Linux, a vector is a write of each of its buffers, until one fails.
fn add_each(fd: u64, of: ChannelEnd, from: Pieces, site: SiteId) -> i64 {
    let mut done = 0;
    let mut number = 0;
    while let Some(buffer) = from.buffer(number) {
        let added = if buffer.len == 8 { add(fd, of, buffer, site) } else { error(errno::EINVAL) };
        if added < 0 {
            return if done > 0 { done } else { added };
        }
        (done, number) = (done + added, number + 1);
    }
    done
}

fn add(fd: u64, of: ChannelEnd, from: Pieces, site: SiteId) -> i64 {
    let value = match channels::value_to_add(from) {
        Ok(value) => value,
        Err(error) => return error,
    };
    // More than one, or more than is told apart, may not fit although there is room.
    let told = value <= if joined() { 1 } else { u64::from(Offer::MOST_ROOM) };
    let wanted = if told && value > 0 { wants_room(of.channel, value, true) } else { Wanted::NOTHING };
    let waits = !channels::is_nonblocking(fd);
    let found = moves(of, operation(of.channel, ChannelStep::Write).wanting(wanted, waits), site);
    let added = found && channels::add(of.channel, value);
    note_offer(of.channel);
    if !added && waits {
        unmodelled("a write to an event counter that waits for much room", site);
    }
    if added { 8 } else { error(errno::EAGAIN) }
}

/// A descriptor of a channel was closed, or its number made another one: an end that no descriptor has any more is
/// closed.
fn closed(closed: Result<Option<ChannelEnd>, i64>, result: i64, site: SiteId) -> i64 {
    match closed {
        Err(error) => error,
        Ok(None) => result,
        Ok(Some(of)) if of.end == End::Socket => {
            sockets::closed(of, site);
            result
        }
        Ok(Some(of)) if of.end == End::Unconnected => {
            connections::closed(of, site);
            result
        }
        Ok(Some(of)) if of.end == End::Datagrams => {
            udp::closed(of, site);
            result
        }
        Ok(Some(of)) => {
            perform(operation(of.channel, ChannelStep::Close), site);
            refuse_in_use(of, site);
            channels::end_closed(of);
            timer_descriptor::closed(of.channel);
            note_offer(of.channel);
            result
        }
    }
}

/// The last descriptor of an end is closed: what that does to another thread in a call on it is not modelled. A read of
/// signals has all that it needs.
fn refuse_in_use(of: ChannelEnd, site: SiteId) {
    let what = match of.end {
        End::Signals => return,
        End::Instance => "close of an epoll instance while another thread is in a call on it",
        End::Input | End::Output | End::Both | End::Socket | End::Timer | End::Unconnected | End::Datagrams => {
            "close of a pipe, timer or event counter while another thread is in a call on it"
        }
    };
    if channels::is_used_by_others(of.description) {
        unmodelled(what, site);
    }
}

/// `fcntl` for the size of a pipe.
fn control(fd: u64, command: u64, argument: u64, site: SiteId) -> i64 {
    const GET_SIZE: u64 = 1032;
    let Some(of) = channels::of_descriptor(fd) else { return error(errno::EBADF) };
    perform(operation(of.channel, ChannelStep::Resize), site);
    let result = if command == GET_SIZE { channels::size(of.channel) } else { channels::resize(of.channel, argument) };
    note_offer(of.channel);
    result
}

/// `ioctl(FIONREAD)`.
fn count_bytes(fd: u64, to: u64, site: SiteId) -> i64 {
    let Some(of) = channels::of_descriptor(fd) else { return error(errno::EBADF) };
    if matches!(of.end, End::Both | End::Instance | End::Timer | End::Signals) {
        return error(errno::ENOTTY);
    }
    perform(operation(of.channel, ChannelStep::Poll), site);
    if channels::endpoint(of.channel).is_some_and(|endpoint| endpoint.listens()) {
        return error(errno::EINVAL);
    }
    let count = channels::bytes(of.channel) as u32;
    argument_write(to, 4, site);
    if recover::write_value(to, &count) { 0 } else { error(errno::EFAULT) }
}

/// How long a call that looks at descriptors waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    /// Until one of them is ready.
    None,
    /// At most so many nanoseconds.
    Of(u64),
}

/// Looks at descriptors, and waits until one of them is ready; what each is ready for then. A limit may pass at any
/// time.
pub(super) fn look(polled: &mut LookedAt, limit: Limit, site: SiteId) {
    let mut looked = false;
    for at in 0..polled.len() {
        descriptors::use_number(polled.fd(at), Shared::Flags, false, site);
        looked |= polled.resolve(at, site);
    }
    let Some(first) = polled.first_channel() else {
        if !looked {
            pass(limit, site);
        }
        return;
    };
    if polled.has_several_channels() {
        join();
    }
    let waits = limit == Limit::None && !looked;
    let wanted = polled.wanted(waits, wants_input, |channel| {
        wants_room(channel, if channels::is_counter(channel) { 1 } else { PAGE.into() }, true)
    });
    if waits && (wanted == Wanted::NOTHING || polled.waits_for_ends_only()) {
        unmodelled("poll or select that waits for nothing but the end of a pipe or socket", site);
    }
    let operation = operation(first.channel, ChannelStep::Poll).wanting(wanted, waits);
    polled.channels().for_each(|(_, of)| channels::begin_call(of.description));
    in_call(operation, site);
    polled.channels().for_each(|(_, of)| refuse_changing(of.channel, site));
    if polled.look_at_channels() == 0 && !looked {
        pass(limit, site);
    }
}

/// The time of a call passes that has found nothing.
pub(super) fn pass(limit: Limit, site: SiteId) {
    match limit {
        Limit::None => unmodelled("poll or select of nothing that could become ready", site),
        Limit::Of(0) => {}
        Limit::Of(time) => {
            clock::advance(time);
        }
    }
}
