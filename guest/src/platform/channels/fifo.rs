//! Pipes with names (`mkfifo`): who has opened each of them, and who waits for somebody to open the other end.
//!
//! As in Linux: who opens an end counts at once, and waits, unless the other end is open, until somebody opens that.

use super::{Channel, ChannelEnd, Contents, End, Offered, state};
use crate::platform::files::{self, DescriptorKind};
use crate::platform::sys::{self, nr};
use crate::platform::{Call, fiber};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// Who has opened the ends of a pipe: of what is said twice, that of the end to read from is first.
#[derive(Default)]
pub(super) struct Openings {
    /// The channel of the pipe.
    pipe: u8,
    /// How many descriptions each end has, those of threads that wait included.
    open: [u32; 2],
    /// How often each end was opened.
    opened: [u32; 2],
    /// The slots of threads that wait, each with the end that it opens and how often the other one was opened before.
    waiting: Vec<(usize, usize, u32)>,
}

impl Openings {
    /// Whether a thread may wait no longer that opens this end.
    fn is_met(&self, end: usize) -> bool {
        let other = self.opened[1 - end];
        self.waiting.iter().any(|&(_, waits_at, before)| waits_at == end && before != other)
    }

    /// Input is that a thread which opens the end to read from goes on, room the same of the end to write to.
    pub(super) fn offered(&self) -> Offered {
        let writes = self.is_met(1);
        Offered { input: self.is_met(0), room: writes.into(), ample: writes }
    }
}

/// What came of opening an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opened {
    /// It is open.
    AtOnce,
    /// It will be once somebody opens the other end.
    Later,
    /// Nobody has opened the other end, and the call does not wait for that.
    Refused,
    /// Not modelled: another thread is about to go on that has waited for the same.
    Overtakes,
}

/// Makes a pipe with a name, and next to it the channel of its openings; the channel of the pipe.
pub fn make_fifo() -> u8 {
    let channels = &mut state().channels;
    let pipe = channels.len() as u8;
    let contents = Contents::Pipe { buffers: VecDeque::new(), most: super::BUFFERS };
    channels.push(Channel { contents, open: [false; 2] });
    let openings = Openings { pipe, ..Openings::default() };
    channels.push(Channel { contents: Contents::Openings(openings), open: [true; 2] });
    pipe
}

fn openings_of(pipe: u8) -> Option<&'static mut Openings> {
    match &mut state().channels.get_mut(usize::from(pipe) + 1)?.contents {
        Contents::Openings(openings) if openings.pipe == pipe => Some(openings),
        _ => None,
    }
}

/// Whether a channel is a pipe with a name.
pub fn is_fifo(channel: u8) -> bool {
    openings_of(channel).is_some()
}

/// The pipe with a name that a call opens.
pub fn opened_fifo(call: &Call) -> Option<u8> {
    let [first, second, ..] = call.args;
    match call.number {
        nr::__NR_open | nr::__NR_creat => files::fifo_at(files::CURRENT_DIRECTORY, first),
        nr::__NR_openat => files::fifo_at(first as i32, second),
        _ => None,
    }
}

/// Whether a pipe with a name is at a path.
pub fn is_fifo_at(path: u64) -> bool {
    files::fifo_at(files::CURRENT_DIRECTORY, path).is_some()
}

/// Takes the number of an end that is about to be opened; an error number if there is none.
pub fn reserve_end(reads: bool, flags: u64) -> i64 {
    let hidden = files::hide(files::kernel_end(reads, flags));
    if sys::failed(hidden) {
        return hidden;
    }
    let fd = files::again(hidden as u64, flags);
    sys::close(hidden as u64);
    files::install(fd, DescriptorKind::Reserved, flags)
}

/// The running thread opens an end.
pub fn open_end(pipe: u8, reads: bool, waits: bool) -> Opened {
    let Some(openings) = openings_of(pipe) else { return Opened::Refused };
    let end = usize::from(!reads);
    let is_alone = openings.open[1 - end] == 0;
    if is_alone && !waits && !reads {
        return Opened::Refused;
    }
    if is_alone && waits && openings.is_met(end) {
        return Opened::Overtakes;
    }
    openings.open[end] += 1;
    openings.opened[end] += 1;
    state().channels[usize::from(pipe)].open[end] = true;
    if !is_alone || !waits {
        return Opened::AtOnce;
    }
    openings.waiting.push((fiber::current_slot(), end, openings.opened[1 - end]));
    Opened::Later
}

/// The running thread, which has waited for somebody to open the other end, goes on.
pub fn end_opening(pipe: u8) {
    if let Some(openings) = openings_of(pipe) {
        openings.waiting.retain(|&(slot, ..)| slot != fiber::current_slot());
    }
}

/// A number that was taken is the descriptor of an end.
pub fn place_end(number: i64, pipe: u8, reads: bool) -> i64 {
    let descriptions = &mut state().descriptions;
    let description = descriptions.len() as u16;
    let end = if reads { End::Input } else { End::Output };
    descriptions.push(ChannelEnd { channel: pipe, output: pipe, end, description });
    files::open_reserved(number as u64, DescriptorKind::Channel(description))
}

/// The last descriptor of a description of an end is closed; whether the end is closed with it. A pipe with a name that
/// nobody has open any more has no data.
pub(super) fn close_end(of: ChannelEnd) -> bool {
    let Some(openings) = openings_of(of.channel) else { return true };
    let end = usize::from(of.end == End::Output);
    openings.open[end] -= 1;
    let open = openings.open;
    if open == [0; 2]
        && let Contents::Pipe { buffers, .. } = &mut state().channels[usize::from(of.channel)].contents
    {
        buffers.clear();
    }
    open[end] == 0
}

/// Makes the file of a pipe with a name; 0 or an error number. None if that is not modelled.
pub fn make_fifo_file(directory: i32, path: u64, mode: u32, pipe: u8) -> Option<i64> {
    match files::make_fifo_file(directory, path, mode, pipe) {
        Ok(done) => Some(done),
        Err(files::Refusal::Error(refused)) => Some(refused),
        Err(files::Refusal::Unmodelled) => None,
    }
}
