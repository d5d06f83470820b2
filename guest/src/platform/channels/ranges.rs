//! Locks of ranges of files that belong to open descriptions (`F_OFD_SETLK`). Each range for which a run asks is a
//! channel, as threads wait for it; ranges of one file that overlap, or lie beside each other, concern one another.

use super::{Channel, Contents, Offered, state};
use crate::platform::files::{self, Asked};
use alloc::vec::Vec;

/// Bytes of a file, the last one included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileRange {
    /// Device and number of the file.
    pub file: (u64, u64),
    /// The first byte.
    pub start: i64,
    /// The last byte.
    pub end: i64,
}

impl FileRange {
    fn overlaps(self, other: FileRange) -> bool {
        self.file == other.file && self.start <= other.end && other.start <= self.end
    }

    /// Whether a lock of one may become part of a lock of the other.
    fn concerns(self, other: FileRange) -> bool {
        let wider = FileRange { start: self.start.saturating_sub(1), end: self.end.saturating_add(1), ..self };
        wider.overlaps(other)
    }
}

/// A lock that an open description has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RangeLock {
    /// What it is a lock of.
    pub range: FileRange,
    /// The open description.
    pub description: u32,
    /// Whether nobody else may have one.
    pub alone: bool,
}

/// The locks of a run, and who waits for some.
pub(super) struct RangeLocks {
    held: Vec<RangeLock>,
    /// The open descriptions through which threads wait.
    waiting: Vec<u32>,
    /// The open descriptions through which it was asked for a lock, each with the slot of the first thread.
    users: Vec<(u32, usize)>,
}

impl RangeLocks {
    pub(super) const NONE: RangeLocks = RangeLocks { held: Vec::new(), waiting: Vec::new(), users: Vec::new() };

    pub(super) fn offered(&self, range: FileRange) -> Offered {
        let there = || self.held.iter().filter(|lock| lock.range.overlaps(range));
        let is_free = there().next().is_none();
        Offered { input: !there().any(|lock| lock.alone), room: u64::from(is_free), ample: is_free }
    }
}

/// What is asked of a lock of a range; None if it is not modelled.
pub fn asked_lock(fd: u64, address: u64, is_look: bool) -> Result<Option<Asked>, i64> {
    files::asked_lock(fd, address, is_look)
}

/// The run asks for a lock of a range; whether it has taken one that belongs to the process.
pub fn begin_locking() -> bool {
    files::begin_locking()
}

fn locks() -> &'static mut RangeLocks {
    &mut state().ranges
}

fn is_range(channel: &Channel, holds: impl Fn(FileRange) -> bool) -> bool {
    matches!(&channel.contents, Contents::Range(range) if holds(*range))
}

fn channels_where(holds: impl Fn(FileRange) -> bool) -> impl Iterator<Item = u8> {
    (0..).zip(&state().channels).filter(move |(_, channel)| is_range(channel, &holds)).map(|(number, _)| number)
}

/// The channel that is the lock of a range, if the run has made it.
pub fn lock_of_range(range: FileRange) -> Option<u8> {
    channels_where(|other| other == range).next()
}

/// Makes the lock of a range.
pub fn make_range(range: FileRange) -> u8 {
    let channels = &mut state().channels;
    channels.push(Channel { contents: Contents::Range(range), open: [true; 2] });
    channels.len() as u8 - 1
}

/// The channels that a change of the locks of a range concerns.
pub fn concerned_ranges(range: FileRange) -> impl Iterator<Item = u8> {
    channels_where(move |other| other.concerns(range))
}

/// Whether a channel is the lock of a range of which some byte is in another one.
pub fn overlaps(channel: u8, range: FileRange) -> bool {
    state().channels.get(usize::from(channel)).is_some_and(|channel| is_range(channel, |own| own.overlaps(range)))
}

/// Whether a channel is the lock of a range of which a description has locked some byte.
pub fn overlaps_those_of(channel: u8, description: u32) -> bool {
    ranges_of(description).any(|range| overlaps(channel, range))
}

/// A thread asks for a lock through a description; whether another one has done so before.
pub fn ranges_are_shared_by(description: u32, slot: usize) -> bool {
    let users = &mut locks().users;
    match users.iter().find(|(known, _)| *known == description) {
        Some((_, first)) => *first != slot,
        None => {
            users.push((description, slot));
            false
        }
    }
}

/// Whether a description has a lock of some byte of a range.
pub fn has_part_of(range: FileRange, description: u32) -> bool {
    locks().held.iter().any(|lock| lock.description == description && lock.range.overlaps(range))
}

/// The locks of other descriptions that are in the way of one.
pub fn in_the_way(wanted: RangeLock) -> impl Iterator<Item = RangeLock> {
    let held = locks().held.iter().copied();
    held.filter(move |lock| {
        lock.description != wanted.description && (lock.alone || wanted.alone) && lock.range.overlaps(wanted.range)
    })
}

/// Takes a range out of the locks of a description.
pub fn drop_range(range: FileRange, description: u32) {
    let held = &mut locks().held;
    let (cut, mut rest): (Vec<_>, Vec<_>) =
        held.drain(..).partition(|lock| lock.description == description && lock.range.overlaps(range));
    for lock in cut {
        let before = FileRange { end: range.start - 1, ..lock.range };
        let behind = FileRange { start: range.end.saturating_add(1), ..lock.range };
        let left = [(lock.range.start < range.start, before), (lock.range.end > range.end, behind)];
        rest.extend(left.into_iter().filter(|(is_left, _)| *is_left).map(|(_, range)| RangeLock { range, ..lock }));
    }
    *held = rest;
}

/// Gives a description a lock, in place of what it had of the range. Those of one kind that touch become one.
pub fn take_range(mut wanted: RangeLock) {
    drop_range(wanted.range, wanted.description);
    locks().held.retain(|lock| {
        let joins =
            (lock.description, lock.alone) == (wanted.description, wanted.alone) && lock.range.concerns(wanted.range);
        if joins {
            wanted.range.start = wanted.range.start.min(lock.range.start);
            wanted.range.end = wanted.range.end.max(lock.range.end);
        }
        !joins
    });
    locks().held.push(wanted);
}

/// The ranges of which a description has locks.
pub fn ranges_of(description: u32) -> impl Iterator<Item = FileRange> {
    locks().held.iter().filter(move |lock| lock.description == description).map(|lock| lock.range)
}

/// A thread begins to wait for a lock through a description; whether another one does so already.
pub fn begin_waiting_for_range(description: u32) -> bool {
    let is_second = is_range_awaited_through(description);
    locks().waiting.push(description);
    is_second
}

/// It waits no more.
pub fn end_waiting_for_range(description: u32) {
    let waiting = &mut locks().waiting;
    if let Some(at) = waiting.iter().position(|other| *other == description) {
        waiting.remove(at);
    }
}

/// Whether a thread waits for a lock of a range through a description.
pub fn is_range_awaited_through(description: u32) -> bool {
    locks().waiting.contains(&description)
}
