//! Locks of files (`flock`): they belong to open descriptions, and are channels, as threads wait for them.

use super::ranges::{is_range_awaited_through, ranges_of};
use super::{Channel, Contents, Offered, state};
use crate::platform::files;
use alloc::vec::Vec;

/// The lock of a file.
#[derive(Default)]
pub(super) struct FileLock {
    /// Device and number of the file.
    file: (u64, u64),
    /// The open descriptions that have it, and whether for themselves alone.
    holders: Vec<(u32, bool)>,
    /// The open descriptions through which threads wait for it.
    waiting: Vec<u32>,
    /// The open descriptions through which it was asked for, each with the slot of the first thread.
    users: Vec<(u32, usize)>,
}

impl FileLock {
    pub(super) fn offered(&self) -> Offered {
        let is_free = self.holders.is_empty();
        Offered { input: !self.holders.iter().any(|(_, alone)| *alone), room: u64::from(is_free), ample: is_free }
    }

    /// Whether a description can have the lock beside the others that have it.
    fn suits(&self, description: u32, alone: bool) -> bool {
        self.holders.iter().all(|&(holder, has_alone)| holder == description || !alone && !has_alone)
    }
}

/// The file of a descriptor whose lock can be taken, and the open description that would have it.
pub fn lockable(fd: u64) -> Option<((u64, u64), u32)> {
    files::lockable(fd)
}

fn lock(channel: u8) -> &'static mut FileLock {
    match &mut state().channels[usize::from(channel)].contents {
        Contents::Lock(lock) => lock,
        _ => unreachable!("the channel is the lock of a file"),
    }
}

/// The channel that is the lock of a file, if the run has made it.
pub fn lock_of(file: (u64, u64)) -> Option<u8> {
    let is_its = |channel: &Channel| matches!(&channel.contents, Contents::Lock(lock) if lock.file == file);
    state().channels.iter().position(is_its).map(|at| at as u8)
}

/// Makes the lock of a file.
pub fn make_lock(file: (u64, u64)) -> u8 {
    let channels = &mut state().channels;
    channels.push(Channel { contents: Contents::Lock(FileLock { file, ..FileLock::default() }), open: [true; 2] });
    channels.len() as u8 - 1
}

/// A thread asks for the lock through a description; whether another one has done so before.
pub fn is_shared_by(channel: u8, description: u32, slot: usize) -> bool {
    let users = &mut lock(channel).users;
    match users.iter().find(|(known, _)| *known == description) {
        Some((_, first)) => *first != slot,
        None => {
            users.push((description, slot));
            false
        }
    }
}

/// Whether a description has the lock.
pub fn has_lock(channel: u8, description: u32) -> bool {
    lock(channel).holders.iter().any(|(holder, _)| *holder == description)
}

/// Gives a description the lock, if nobody is in the way. What it had before it loses in any case, unless that is the
/// same.
pub fn take_lock(channel: u8, description: u32, alone: bool) -> bool {
    let lock = lock(channel);
    if lock.holders.contains(&(description, alone)) {
        return true;
    }
    let suits = lock.suits(description, alone);
    lock.holders.retain(|(holder, _)| *holder != description);
    if suits {
        lock.holders.push((description, alone));
    }
    suits
}

/// Takes the lock from a description.
pub fn drop_lock(channel: u8, description: u32) {
    lock(channel).holders.retain(|(holder, _)| *holder != description);
}

/// A thread begins to wait for the lock through a description; whether another one does so already.
pub fn begin_waiting(channel: u8, description: u32) -> bool {
    let waiting = &mut lock(channel).waiting;
    waiting.push(description);
    waiting.iter().filter(|other| **other == description).count() > 1
}

/// It waits no more.
pub fn end_waiting(channel: u8, description: u32) {
    let waiting = &mut lock(channel).waiting;
    if let Some(at) = waiting.iter().position(|other| *other == description) {
        waiting.remove(at);
    }
}

/// Whether a thread waits for the lock through a description.
pub fn is_awaited_through(channel: u8, description: u32) -> bool {
    lock(channel).waiting.contains(&description)
}

/// Whether a descriptor has this open description of a file.
pub fn is_described(description: u32) -> bool {
    files::describes_file(description)
}

/// Closes the descriptor of a file.
pub fn close_file(fd: u64) -> i64 {
    files::close(fd)
}

/// Makes a descriptor that of another file.
pub fn replace_file(from: u64, to: u64, flags: u64) -> i64 {
    files::duplicate_to(from, to, flags)
}

/// The description that is closed with a descriptor, as no other one is of it, if it has locks or somebody waits for
/// one through it.
pub fn lost_with(fd: u64) -> Option<u32> {
    let (description, _) = files::description(fd).filter(|(_, is_last)| *is_last)?;
    let has_ranges = is_range_awaited_through(description) || ranges_of(description).next().is_some();
    (has_ranges || lost_lock(description).is_some()).then_some(description)
}

/// The lock of a whole file that a description has, or for which somebody waits through it.
pub fn lost_lock(description: u32) -> Option<u8> {
    let concerns = |channel: &Channel| match &channel.contents {
        Contents::Lock(lock) => {
            lock.holders.iter().any(|(holder, _)| *holder == description) || lock.waiting.contains(&description)
        }
        _ => false,
    };
    state().channels.iter().position(concerns).map(|at| at as u8)
}
