//! Connected sockets of one process: what is on its way from one to the other.
//!
//! Each direction is a channel, which both of its ends can shut down. A socket has room as in Linux: as long as what
//! was written and not read takes less than the send buffer, with what the kernel needs for each piece.

use super::{
    Buffer, Channel, ChannelEnd, Contents, ERROR, End, HUNG_UP, INPUT, Made, OUTPUT, Offered, PAGE, Pieces,
    address::UNIX, names::note_sockets, state, wake_readers, wake_writers,
};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{fiber, files};
use alloc::collections::VecDeque;
use core::mem;

/// Bytes of a send buffer, as Linux has them unless a program asks for others.
const SEND_BUFFER: u64 = 212_992;
/// What the kernel has in one place of a piece at most, and in pages besides.
const MOST_IN_PLACE: u64 = 3_776;
const MOST_IN_PAGES: u64 = 32_768;

/// `POLLPRI` and `POLLRDBAND`, which never come; who asks for one of them is woken all the same.
pub(super) const READABLE_BANDS: u32 = 0x82;
/// `POLLWRBAND`, likewise.
pub(super) const WRITABLE_BAND: u32 = 0x200;

/// `POLLRDHUP`: nothing more will come.
pub const ENDED: u32 = 0x2000;

/// One direction of two connected sockets. Its channel is open for writers until writing fails, and for readers until
/// the data have an end.
pub(super) struct Stream {
    pieces: VecDeque<Buffer>,
    /// The channel of the other direction.
    back: u8,
    /// It is one of TCP.
    tcp: bool,
    /// Of TCP: its reader does not read any more, which who writes learns from the answer to the next data.
    gone: bool,
    /// Something was sent since the other direction has sent something.
    sent: bool,
    /// The reader was closed before it had read everything.
    lost: bool,
    /// The writer was closed before it had read everything that was written to it: the read behind the last data fails.
    reset: bool,
    /// It had no more room when it ended.
    ended_full: bool,
    /// It had no more room at some time, and a call that waits for room wrote to it, or was about to.
    filled: bool,
    awaited: bool,
}

/// What the kernel counts for a piece of so many bytes.
fn charge(len: u64) -> u64 {
    let page = u64::from(PAGE);
    let in_pages = len.min(len.saturating_sub(MOST_IN_PLACE).next_multiple_of(page));
    let in_place = ((len - in_pages).next_multiple_of(64) + 320).max(512).next_power_of_two();
    256 + in_place + in_pages.next_multiple_of(page)
}

impl Stream {
    pub(super) fn new(back: u8, tcp: bool) -> Stream {
        let pieces = VecDeque::new();
        Stream {
            pieces,
            back,
            tcp,
            gone: false,
            sent: false,
            lost: false,
            reset: false,
            ended_full: false,
            filled: false,
            awaited: false,
        }
    }

    fn held(&self) -> u64 {
        self.pieces.iter().map(|piece| charge(piece.bytes.len() as u64)).sum()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| (piece.bytes.len() - piece.read) as u64).sum()
    }

    /// Pieces are no longer held.
    fn note_room(&self, channel: u8) {
        if self.is_writable() && !self.tcp {
            wake_writers(channel, OUTPUT | WRITABLE_BAND);
        }
    }

    /// Whether `poll` says that there is room. The kernel counts one more than what is held.
    fn is_writable(&self) -> bool {
        self.tcp || 4 * (self.held() + 1) <= SEND_BUFFER
    }

    pub(super) fn offered(&self, open: [bool; 2]) -> Offered {
        let any = self.tcp || self.held() < SEND_BUFFER || !open[0];
        let hung_up = !open[0] && !state().channels[usize::from(self.back)].open[1];
        let input = !self.pieces.is_empty() || !open[1];
        Offered { input, room: if any { PAGE.into() } else { 0 }, ample: self.is_writable() || hung_up }
    }
}

fn stream(channel: u8) -> Option<(&'static mut Stream, &'static mut [bool; 2])> {
    let Channel { contents, open } = state().channels.get_mut(usize::from(channel))?;
    match contents {
        Contents::Stream(stream) => Some((stream, open)),
        Contents::Pipe { .. }
        | Contents::Counter { .. }
        | Contents::Interests(_)
        | Contents::Timer(_)
        | Contents::Endpoint(_)
        | Contents::Lock(_)
        | Contents::Range(_)
        | Contents::Datagrams(_)
        | Contents::Openings(_)
        | Contents::Signals(_) => None,
    }
}

/// Makes two connected sockets, of which no descriptor has a number of the program's yet. An error number if the kernel
/// refuses.
pub fn make_socket_pair(domain: u64, kind: u64, protocol: u64) -> Result<Made, i64> {
    let mut ends = [0i32; 2];
    // SAFETY: the kernel writes two numbers.
    let result = unsafe { sys::call4(nr::__NR_socketpair, domain, kind, protocol, ends.as_mut_ptr() as u64) };
    if sys::failed(result) {
        return Err(result);
    }
    let hidden = ends.map(|end| files::hide(end.into()));
    Ok(Made { hidden, description: connect(), flags: kind })
}

/// What the kernel says of a pair that it does not make.
pub fn refuse_socket_pair(domain: u64, kind: u64, protocol: u64) -> i64 {
    let mut ends = [0i32; 2];
    // SAFETY: the kernel writes two numbers, if it makes a pair.
    let result = unsafe { sys::call4(nr::__NR_socketpair, domain, kind, protocol, ends.as_mut_ptr() as u64) };
    if sys::failed(result) {
        return result;
    }
    ends.into_iter().for_each(|end| sys::close(end as u64));
    error(errno::EOPNOTSUPP)
}

/// Whether nothing is left to be read of a direction, nor will be.
pub fn is_at_end(channel: u8) -> bool {
    stream(channel).is_some_and(|(stream, open)| stream.pieces.is_empty() && !open[1])
}

/// Makes the channels of two connected sockets, and their descriptions; the number of the first.
fn connect() -> u16 {
    let state = state();
    let (first, description) = (state.channels.len() as u8, state.descriptions.len() as u16);
    for back in [first + 1, first] {
        state.channels.push(Channel { contents: Contents::Stream(Stream::new(back, false)), open: [true; 2] });
    }
    note_sockets(first, UNIX);
    for (number, (channel, output)) in (description..).zip([(first, first + 1), (first + 1, first)]) {
        state.descriptions.push(ChannelEnd { channel, output, end: End::Socket, description: number });
    }
    description
}

/// Events of `poll` that a socket has now.
pub(super) fn events(of: ChannelEnd) -> u32 {
    let (Some((input, read)), Some((output, write))) = (stream(of.channel), stream(of.output)) else { return 0 };
    let given = |holds: bool, events: u32| if holds { events } else { 0 };
    given(input.reset, ERROR)
        | given(!read[1] && !write[0], HUNG_UP)
        | given(!read[1], ENDED)
        | given(!input.pieces.is_empty() || !read[1], INPUT)
        | given(output.is_writable(), OUTPUT)
}

/// Takes up to `most` bytes out of a direction, for the running thread, or only looks at them; how many, none at the
/// end of the data. A negative number is an error.
pub fn receive(channel: u8, most: u64, keeps: bool) -> i64 {
    let taken = &mut state().taken[fiber::current_slot()];
    taken.clear();
    let Some((stream, open)) = stream(channel) else { return error(errno::EINVAL) };
    for piece in &mut stream.pieces {
        let wanted = (most - taken.len() as u64).min((piece.bytes.len() - piece.read) as u64) as usize;
        taken.extend_from_slice(&piece.bytes[piece.read..piece.read + wanted]);
        if !keeps {
            piece.read += wanted;
        }
    }
    let before = stream.pieces.len();
    stream.pieces.retain(|piece| piece.read < piece.bytes.len());
    if stream.pieces.len() < before {
        stream.note_room(channel);
    }
    if stream.pieces.is_empty() && taken.is_empty() && stream.reset {
        stream.reset = false;
        return error(errno::ECONNRESET);
    }
    if taken.is_empty() && open[1] && most > 0 { error(errno::EAGAIN) } else { taken.len() as i64 }
}

/// Puts one piece of the bytes from this position on into a direction, if there is room; how many bytes it has. A
/// negative number is an error.
pub fn send(channel: u8, from: Pieces, position: u64, total: u64) -> i64 {
    let Some((stream, open)) = stream(channel) else { return error(errno::EINVAL) };
    if !open[0] {
        return error(errno::EPIPE);
    }
    if position == total {
        return 0;
    }
    if stream.held() >= SEND_BUFFER {
        return error(errno::EAGAIN);
    }
    let len = (total - position).min(SEND_BUFFER / 2 - 64).min(MOST_IN_PLACE + MOST_IN_PAGES) as usize;
    let bytes = from.read(position, len);
    if bytes.len() < len {
        return error(errno::EFAULT);
    }
    stream.pieces.push_back(Buffer { bytes, read: 0 });
    stream.filled |= stream.held() >= SEND_BUFFER;
    stream.sent = true;
    if let Some((back, _)) = self::stream(stream.back) {
        back.sent = false;
    }
    wake_readers(channel, INPUT | READABLE_BANDS);
    len as i64
}

/// A call is about to write to a direction, and waits if there is no room.
pub fn await_room(channel: u8) {
    if let Some((stream, _)) = stream(channel) {
        stream.awaited = true;
    }
}

/// Whether a writer can have found a direction full and waited for room.
pub fn may_await_room(channel: u8) -> bool {
    stream(channel).is_some_and(|(stream, _)| stream.filled && stream.awaited)
}

/// Whether the next read from a direction fails, as its writer was closed before it had read everything.
pub fn was_reset(channel: u8) -> bool {
    stream(channel).is_some_and(|(stream, _)| stream.reset)
}

/// The other direction of two connected sockets; of what is none, the channel itself.
pub fn way_back(channel: u8) -> u8 {
    stream(channel).map_or(channel, |(stream, _)| stream.back)
}

/// Writes to a direction fail from now on. Its data have no end yet.
pub fn refuse_writes(channel: u8) {
    if let Some((_, open)) = stream(channel) {
        open[0] = false;
    }
}

/// Whether a direction of TCP would hold more with so many bytes than the buffers of Linux are sure to have room for.
pub fn exceeds(channel: u8, more: u64) -> bool {
    const SURE: u64 = 16_384;
    stream(channel).is_some_and(|(stream, _)| stream.tcp && stream.bytes() + more > SURE)
}

/// Whether what is sent over TCP now may come later: something was sent before, and nothing has come back since then
/// that shows that it has come.
pub fn is_delayed(channel: u8) -> bool {
    stream(channel).is_some_and(|(stream, open)| stream.tcp && stream.sent && open[0])
}

/// The reader of a direction of TCP has read all, and does not read any more. What is written then is lost.
pub fn end_reading(channel: u8) {
    if let Some((stream, open)) = stream(channel) {
        open[1] = false;
        stream.gone = true;
    }
}

/// Whether both directions have ended.
pub fn have_ended(of: ChannelEnd) -> bool {
    [of.channel, of.output].into_iter().all(|way| stream(way).is_none_or(|(_, open)| !open[1]))
}

/// Whether nobody reads from a direction of TCP any more.
pub fn is_gone(channel: u8) -> bool {
    stream(channel).is_some_and(|(stream, open)| stream.gone && open[0])
}

/// A socket that nobody has accepted is gone, as the one that listened is closed: the other end of its connection is
/// reset, whether or not it has sent something.
pub fn lose(channel: u8) {
    shut_down(channel, true);
    if let Some((stream, _)) = stream(channel) {
        stream.lost = true;
    }
}

/// The error that the next call on a socket would report; it is reported only once.
pub fn take_reset(channel: u8) -> bool {
    stream(channel).is_some_and(|(stream, _)| mem::take(&mut stream.reset))
}

/// Whether a direction had no more room when it ended: a call that writes to it may have waited then.
pub fn ended_full(channel: u8) -> bool {
    stream(channel).is_some_and(|(stream, _)| stream.ended_full)
}

/// A direction is shut down: what was written can be read still. If its reader is closed, it is gone; the other
/// direction is to be shut down after that.
pub fn shut_down(channel: u8, reader_is_closed: bool) {
    let is_full = super::offered(channel).room == 0;
    let Some((own, open)) = stream(channel) else { return };
    *open = [false; 2];
    own.ended_full |= is_full;
    if reader_is_closed {
        own.lost = !own.pieces.is_empty();
        own.pieces.clear();
        if own.lost {
            own.note_room(channel);
        }
    }
    if let Some((back, _)) = stream(own.back) {
        own.reset |= mem::take(&mut back.lost);
    }
}
