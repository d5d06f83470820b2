//! What all operations at futexes need: the word, the time after which a wait expires, and what the search sees of
//! queues.

use super::error::EINVAL;
use super::pause::{advance_to, is_valid_time, read_time};
use crate::engine::switches::Switch;
use crate::engine::{detection, me, note_identity, with};
use crate::hooks::argument_read;
use crate::platform::{clock, recover};
use inspect_core::event::{ByteRange, FutexOperation, Object, Queues, SiteId};

pub(super) const EFAULT: i32 = 14;

/// What a system call returns that fails.
pub(super) fn error(number: i32) -> i64 {
    -i64::from(number)
}

/// When a wait expires.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Timeout {
    Never,
    /// After the length of time at this address.
    After(u64),
    /// At the time at this address, of a clock.
    At(u64, u64),
}

impl Timeout {
    /// For the time at an address, which is one of `clock` if that is given, and a length otherwise.
    pub(super) fn new(time: u64, clock: Option<u64>, site: SiteId) -> Result<Timeout, i32> {
        if time == 0 {
            return Ok(Timeout::Never);
        }
        argument_read(time, 16, site);
        if recover::read_value::<[u64; 2]>(time).is_none() {
            return Err(EFAULT);
        }
        if !is_valid_time(time) || read_time(time).seconds < 0 {
            return Err(EINVAL);
        }
        Ok(clock.map_or(Timeout::After(time), |clock| Timeout::At(time, clock)))
    }

    /// The wait has expired: moves the thread's clock on.
    pub(super) fn expire(self) {
        match self {
            Timeout::Never => {}
            Timeout::After(length) => {
                if let Some(length) = read_time(length).nanoseconds() {
                    clock::advance(length);
                }
            }
            Timeout::At(time, clock) => advance_to(clock, time),
        }
    }
}

/// The bytes of a word that the kernel reads, or changes, for the running thread.
pub(super) fn readable(word: u64, changes: bool, site: SiteId) -> Result<ByteRange, i32> {
    let range = checked(word)?;
    if recover::read_value::<u32>(word).is_none() {
        return Err(EFAULT);
    }
    detection::check_heap(me(), range, changes, site);
    with(|engine| engine.memory.note_probed(range));
    Ok(range)
}

/// The bytes of the word, which has to be aligned.
pub(super) fn checked(word: u64) -> Result<ByteRange, i32> {
    if word.is_multiple_of(4) { Ok(FutexOperation::bytes_of(Object(word))) } else { Err(EINVAL) }
}

/// What the search sees of the queues of futexes.
pub(super) fn queues() -> Queues {
    if !Switch::OneQueue.is_on() {
        return Queues::Apart;
    }
    // The queue says nothing of whose memory the word is.
    note_identity();
    Queues::Common
}
