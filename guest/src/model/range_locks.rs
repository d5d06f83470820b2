//! Locks of ranges of files that belong to open descriptions (`fcntl` with `F_OFD_SETLK` and its kin, S21).
//!
//! Each range that a run asks for is a channel, as the lock of a whole file is ([`super::file_locks`]). Where ranges of
//! one file touch each other without being the same, the search begins anew with all channels as one. A description
//! that has a part of the range already gets the lock in one step if nobody is in the way, and keeps what it has
//! otherwise.

use super::channel_operations::{begin_channels, join, note_offer, operation, perform, wants_input, wants_room};
use super::descriptors::make_descriptor;
use crate::engine::interrupting::interrupting;
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::switches::Switch;
use crate::engine::{has_other_threads, last_event, me, note_identity, note_uncontrolled, unmodelled};
use crate::platform::channels::{self, FileRange, RangeLock};
use crate::platform::sys::{errno, error, nr};
use crate::platform::{Asked, Call, path_of_descriptor, recover};
use alloc::format;
use inspect_core::event::{ChannelStep, Object, SiteId};

pub(super) const GET: u64 = 36;
pub(super) const SET_AND_WAIT: u64 = 38;

/// Whether a request of `fcntl` is one about such locks.
pub(super) fn is_request(command: u64) -> bool {
    (GET..=SET_AND_WAIT).contains(&command)
}

/// Serves such a request; what it returns. None if it is another call.
pub(crate) fn call(call: &Call) -> Option<i64> {
    let [fd, command, address, ..] = call.args;
    if call.number != nr::__NR_fcntl || !is_request(command) {
        return None;
    }
    Some(request(fd, command, address, of_call(call.place())).unwrap_or_else(|refused| refused))
}

fn request(fd: u64, command: u64, address: u64, site: SiteId) -> Result<i64, i64> {
    let Some((file, description)) = channels::lockable(fd) else {
        unmodelled("a lock of a range (F_OFD_SETLK) of what is no file that the run has opened", site)
    };
    let Some(asked) = channels::asked_lock(fd, address, command == GET)? else {
        unmodelled("F_OFD_GETLK that asks for the locks of the open description itself (F_UNLCK)", site)
    };
    if channels::begin_locking() {
        unmodelled("locks that belong to open descriptions (F_OFD_SETLK), beside those of the process", site);
    }
    if !asked.is_from_start && has_other_threads() {
        unmodelled("a lock of a range (F_OFD_SETLK) that is not counted from the start of the file", site);
    }
    let range = FileRange { file, start: asked.start, end: asked.end };
    let channel = lock_of(range, fd, site);
    if channels::ranges_are_shared_by(description, me().index()) {
        Switch::SharedLocks.come_up();
    }
    let wanted = RangeLock { range, description, alone: asked.alone == Some(true) };
    match asked.alone {
        _ if command == GET => look(channel, &asked, wanted, address, site),
        None => Ok(give_back(channel, wanted, site)),
        Some(_) => take(channel, wanted, command == SET_AND_WAIT, site),
    }
}

/// The lock of a range, which is made if there is none: another thread may make it meanwhile.
fn lock_of(range: FileRange, fd: u64, site: SiteId) -> u8 {
    if let Some(channel) = channels::lock_of_range(range) {
        return channel;
    }
    make_descriptor(site);
    if let Some(channel) = channels::lock_of_range(range) {
        return channel;
    }
    if channels::concerned_ranges(range).next().is_some() {
        join();
    }
    begin_channels(1, site);
    let channel = channels::make_range(range);
    name(channel, range, fd);
    note_offer(channel);
    channel
}

fn name(channel: u8, range: FileRange, fd: u64) {
    let path = path_of_descriptor(fd).unwrap_or_default();
    let FileRange { start, end, .. } = range;
    note_name(Object::channel(channel).0, || match end {
        i64::MAX => format!("the lock of \"{path}\" from byte {start} on"),
        end => format!("the lock of bytes {start} to {end} of \"{path}\""),
    });
}

fn note_change(range: FileRange) {
    channels::concerned_ranges(range).for_each(note_offer);
}

/// `F_OFD_GETLK`: the lock that is in the way.
fn look(channel: u8, asked: &Asked, wanted: RangeLock, address: u64, site: SiteId) -> Result<i64, i64> {
    perform(operation(channel, ChannelStep::Poll), site);
    let mut others = channels::in_the_way(wanted);
    let answer = match (others.next(), others.next()) {
        (None, _) => asked.answer(None),
        (Some(other), None) => asked.answer(Some((other.range.start, other.range.end, other.alone))),
        (Some(_), Some(_)) => unmodelled("F_OFD_GETLK where several locks are in the way", site),
    };
    if recover::write_value(address, &answer) { Ok(0) } else { Err(error(errno::EFAULT)) }
}

fn give_back(channel: u8, lock: RangeLock, site: SiteId) -> i64 {
    perform(operation(channel, ChannelStep::Unlock), site);
    channels::drop_range(lock.range, lock.description);
    note_change(lock.range);
    0
}

fn take(channel: u8, wanted: RangeLock, waits: bool, site: SiteId) -> Result<i64, i64> {
    let has_part = || channels::has_part_of(wanted.range, wanted.description);
    if Switch::SharedLocks.is_on() || has_part() {
        perform(operation(channel, ChannelStep::Unlock), site);
        if got(wanted, site) {
            learn(channel, wanted.range, site);
            return Ok(0);
        }
        if !waits {
            return Err(error(errno::EAGAIN));
        }
        if has_part() {
            unmodelled("F_OFD_SETLKW that waits through a description which has a part of the range locked", site);
        }
    }
    let wants = if wanted.alone { wants_room(channel, 1, true) } else { wants_input(channel) };
    if waits {
        begin_waiting(wanted.description, site);
    }
    perform(operation(channel, ChannelStep::Lock).wanting(wants, waits), site);
    if waits {
        channels::end_waiting_for_range(wanted.description);
    } else if last_event().operation.succeeded() == Some(false) {
        return Err(error(errno::EAGAIN));
    }
    if !got(wanted, site) {
        return Err(error(errno::EAGAIN));
    }
    learn(channel, wanted.range, site);
    Ok(0)
}

/// What comes before a lock of some byte is given back happens before a later taking of one of it, also where the two
/// ranges are not the same.
fn learn(channel: u8, range: FileRange, site: SiteId) {
    let mut other = 0;
    while usize::from(other) < channels::count() {
        if other != channel && channels::overlaps(other, range) {
            perform(operation(other, ChannelStep::Lock), site);
        }
        other += 1;
    }
}

/// The description gets the lock, unless another one is in the way.
fn got(wanted: RangeLock, site: SiteId) -> bool {
    if channels::is_range_awaited_through(wanted.description) {
        unmodelled("locks of ranges by several threads at once through one open description, of which one waits", site);
    }
    if !channels::is_described(wanted.description) {
        unmodelled("a lock of a range through a descriptor that another thread closes meanwhile", site);
    }
    let is_free = channels::in_the_way(wanted).next().is_none();
    if is_free {
        channels::take_range(wanted);
        note_change(wanted.range);
    }
    is_free
}

fn begin_waiting(description: u32, site: SiteId) {
    if interrupting() != 0 {
        note_uncontrolled("a wait for the lock of a file, where signals interrupt threads".into(), site);
    }
    if channels::begin_waiting_for_range(description) {
        unmodelled("locks of ranges by several threads at once through one open description, which wait", site);
    }
    note_identity();
}

/// The last descriptor of a description is about to be closed: the range of which it has a lock. Several are given back
/// in one step.
pub(super) fn before_loss(description: u32, site: SiteId) -> Option<u8> {
    if channels::is_range_awaited_through(description) {
        unmodelled("close of a file while another thread waits for a lock of a range through it", site);
    }
    let mut concerned = channels::ranges_of(description).flat_map(channels::concerned_ranges);
    let first = concerned.next()?;
    if concerned.any(|other| other != first) {
        join();
    }
    Some(first)
}

/// The description has no lock of a range any more.
pub(super) fn lose(channel: u8, description: u32, site: SiteId) {
    let mut other = 0;
    while usize::from(other) < channels::count() {
        if other != channel && channels::overlaps_those_of(other, description) {
            perform(operation(other, ChannelStep::Unlock), site);
        }
        other += 1;
    }
    perform(operation(channel, ChannelStep::Unlock), site);
    while let Some(range) = channels::ranges_of(description).next() {
        channels::drop_range(range, description);
        note_change(range);
    }
}
