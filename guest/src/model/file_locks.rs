//! Locks of files that belong to open descriptions (`flock`, S21).
//!
//! The lock of a file is a channel: it is made when the run first asks for it, in an operation in which descriptors are
//! made, so that its number is the same in equivalent executions. A call uses the number of its descriptor first. To
//! take a lock is one operation, which waits, or is an attempt. A description that has the lock in another way already
//! loses that in the same step, as in Linux, whether or not it gets what it asks for; then it waits like any other one.
//!
//! Where two threads ask for a lock through one description, what a call does may have to be found out when it is made:
//! once a run has shown that, the search begins anew, and each call is an attempt before it waits.

use super::channel_operations::{begin_channels, note_offer, operation, perform, wants_input, wants_room};
use super::descriptors::{Shared, make_descriptor, use_number};
use super::{export, range_locks, real};
use crate::engine::interrupting::interrupting;
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::switches::Switch;
use crate::engine::{last_event, me, note_identity, note_uncontrolled, unmodelled};
use crate::platform::channels;
use crate::platform::sys::{errno, error, nr};
use crate::platform::{Call, is_open, path_of_descriptor, program, started};
use alloc::format;
use inspect_core::event::{ChannelStep, Object, SiteId};

export! {
    interpose_flock / 2 => flock;
}

const SHARED: u32 = 1;
const ALONE: u32 = 2;
const WITHOUT_WAITING: u32 = 4;
const UNLOCK: u32 = 8;
/// Asks for a kind of lock that Linux does not have any more: it does nothing, whatever the descriptor is.
const MANDATORY: u32 = 32;

extern "C" fn flock(fd: u64, request: u32, pc: u64) -> i32 {
    if !started() {
        return real!("flock" as fn(u64, u32) -> i32)(fd, request);
    }
    let result = request_lock(fd, request, of_call(pc));
    if result < 0 {
        program::set_errno(-result as u32);
        return -1;
    }
    0
}

/// What the system call returns.
fn request_lock(fd: u64, request: u32, site: SiteId) -> i64 {
    let wanted = request & !WITHOUT_WAITING;
    if request & MANDATORY != 0 {
        return 0;
    }
    if ![SHARED, ALONE, UNLOCK].contains(&wanted) {
        return error(errno::EINVAL);
    }
    use_number(fd, Shared::Numbers, false, site);
    if !is_open(fd) {
        return error(errno::EBADF);
    }
    let Some((file, description)) = channels::lockable(fd) else {
        unmodelled("flock of what is no file or folder that the run has opened", site)
    };
    let channel = lock_of(file, fd, site);
    if channels::is_shared_by(channel, description, me().index()) {
        Switch::SharedLocks.come_up();
    }
    match wanted {
        UNLOCK => give_back(channel, description, site),
        _ => take(channel, description, wanted == ALONE, request & WITHOUT_WAITING == 0, site),
    }
}

/// The lock of a file, which is made if there is none: another thread may make it meanwhile.
fn lock_of(file: (u64, u64), fd: u64, site: SiteId) -> u8 {
    if let Some(channel) = channels::lock_of(file) {
        return channel;
    }
    make_descriptor(site);
    if let Some(channel) = channels::lock_of(file) {
        return channel;
    }
    begin_channels(1, site);
    let channel = channels::make_lock(file);
    name(channel, fd);
    note_offer(channel);
    channel
}

fn name(channel: u8, fd: u64) {
    let path = path_of_descriptor(fd).unwrap_or_default();
    note_name(Object::channel(channel).0, || format!("the lock of \"{path}\""));
}

fn give_back(channel: u8, description: u32, site: SiteId) -> i64 {
    perform(operation(channel, ChannelStep::Unlock), site);
    channels::drop_lock(channel, description);
    note_offer(channel);
    0
}

fn take(channel: u8, description: u32, alone: bool, waits: bool, site: SiteId) -> i64 {
    if Switch::SharedLocks.is_on() || channels::has_lock(channel, description) {
        perform(operation(channel, ChannelStep::Unlock), site);
        let taken = got(channel, description, alone, site);
        if taken || !waits {
            return if taken { 0 } else { error(errno::EAGAIN) };
        }
    }
    let wanted = if alone { wants_room(channel, 1, true) } else { wants_input(channel) };
    if waits {
        begin_waiting(channel, description, site);
    }
    perform(operation(channel, ChannelStep::Lock).wanting(wanted, waits), site);
    if waits {
        channels::end_waiting(channel, description);
    } else if last_event().operation.succeeded() == Some(false) {
        return error(errno::EAGAIN);
    }
    if got(channel, description, alone, site) { 0 } else { error(errno::EAGAIN) }
}

/// The description gets the lock, unless another one is in the way.
fn got(channel: u8, description: u32, alone: bool, site: SiteId) -> bool {
    if channels::is_awaited_through(channel, description) {
        unmodelled("flock by several threads at once through one open description, of which one waits", site);
    }
    if !channels::is_described(description) {
        unmodelled("flock through a descriptor that another thread closes meanwhile", site);
    }
    let taken = channels::take_lock(channel, description, alone);
    note_offer(channel);
    taken
}

fn begin_waiting(channel: u8, description: u32, site: SiteId) {
    if interrupting() != 0 {
        note_uncontrolled("a wait for the lock of a file, where signals interrupt threads".into(), site);
    }
    if channels::begin_waiting(channel, description) {
        unmodelled("flock by several threads at once through one open description, which wait", site);
    }
    note_identity();
}

/// A call that closes a descriptor, or makes its number another one: the last one of a description that has a lock.
/// None if it is another call.
pub(crate) fn call(call: &Call) -> Option<i64> {
    let [first, second, flags, ..] = call.args;
    let closed = match call.number {
        nr::__NR_close => first,
        nr::__NR_dup2 | nr::__NR_dup3 if first != second => second,
        _ => return None,
    };
    let description = channels::lost_with(closed)?;
    let site = of_call(call.place());
    let lock = channels::lost_lock(description);
    let range = range_locks::before_loss(description, site);
    let result = match call.number {
        nr::__NR_close => channels::close_file(first),
        nr::__NR_dup2 => channels::replace_file(first, second, 0),
        _ => channels::replace_file(first, second, flags),
    };
    if result < 0 {
        return Some(result);
    }
    if lock.is_some_and(|channel| channels::is_awaited_through(channel, description)) {
        unmodelled("close of a file while another thread waits for its lock through the same description", site);
    }
    if let Some(channel) = lock {
        give_back(channel, description, site);
    }
    if let Some(channel) = range {
        range_locks::lose(channel, description, site);
    }
    Some(result)
}
