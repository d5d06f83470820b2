//! Instances of `epoll`: S21.
//!
//! An instance is a channel, whose input are events of the descriptors that it watches. All channels are seen as one
//! where there is one, so that what it has to report is known after each operation on what it watches. The calls that
//! make and change it come as calls of the system, as those of pipes do; those that wait are functions with a model, as
//! `poll` is.

use super::channel_operations::{begin_channels, give, in_call, join, joined, note_offer, operation, wants_input};
use super::channels::{Limit, pass};
use super::descriptors::{self, Shared, make_descriptor};
use super::error::{EBADF, EINVAL};
use super::pause::fail_with;
use super::poll::{begin, length};
use super::{export, process_signals, real};
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::switches::Switch;
use crate::engine::{end_run, has_other_threads, note_uncontrolled, unmodelled};
use crate::hooks::{argument_read, argument_write};
use crate::platform::channels::{
    self, ADD, ChannelEnd, DELETE, EDGE_TRIGGERED, ERROR, End, HUNG_UP, INPUT, MODIFY, ONE_SHOT, OUTPUT, Pieces,
    WAKE_UP, WatchedEvent,
};
use crate::platform::sys::{errno, error, nr};
use crate::platform::{Call, is_open, is_output, path_of_descriptor, recover, started};
use alloc::format;
use inspect_core::event::{ChannelStep, LimitKind, Object, SiteId, Wanted};

export! {
    interpose_epoll_wait / 4 => wait;
    interpose_epoll_pwait / 5 => wait_masked;
    interpose_epoll_pwait2 / 5 => wait_for_time;
}

/// Bytes of a `struct epoll_event`: the events, and behind them without a gap what to tell with them.
const EVENT: u64 = 12;
/// `EPOLLEXCLUSIVE`
const EXCLUSIVE: u32 = 1 << 28;
/// `EPOLLPRI`
const PRIORITY: u32 = 2;

/// Serves a call of the system that makes or changes an instance; what it returns. None if the call is another one.
pub(crate) fn call(call: &Call) -> Option<i64> {
    let site = of_call(call.place());
    let [a, b, c, d, ..] = call.args;
    Some(match call.number {
        // The argument has no meaning any more.
        nr::__NR_epoll_create if (a as i32) <= 0 => error(errno::EINVAL),
        nr::__NR_epoll_create => create(0, site),
        nr::__NR_epoll_create1 => create(a, site),
        nr::__NR_epoll_ctl => control([a, b, c, d], site),
        _ => return None,
    })
}

fn create(flags: u64, site: SiteId) -> i64 {
    if flags & !u64::from(nr::O_CLOEXEC) != 0 {
        return error(errno::EINVAL);
    }
    make_descriptor(site);
    join();
    begin_channels(1, site);
    let made = match channels::make_instance(flags) {
        Ok(made) => made,
        Err(error) => return error,
    };
    let number = made.place(0);
    name(made.channel(), number);
    note_offer(made.channel());
    number
}

fn name(channel: u8, number: i64) {
    note_name(Object::channel(channel).0, || format!("the epoll instance of descriptor {number}"));
}

/// What a number stands for as the call begins: a channel, or an error of a call that can only watch channels.
fn resolve(fd: u64, site: SiteId) -> Result<ChannelEnd, i64> {
    descriptors::use_number(fd, Shared::Flags, false, site);
    if let Some(of) = channels::of_descriptor(fd) {
        return Ok(of);
    }
    if !is_open(fd) {
        return Err(error(errno::EBADF));
    }
    let is_known = !is_output(fd) && path_of_descriptor(fd).is_some();
    if !is_known || !channels::cannot_be_watched(fd) {
        unmodelled("epoll_ctl of a descriptor that is no pipe, event counter or socket of the run", site);
    }
    Err(error(errno::EPERM))
}

/// The instance that a number stands for as the call begins; an error number if it stands for none.
fn instance_of(fd: u64, site: SiteId) -> Result<ChannelEnd, i32> {
    descriptors::use_number(fd, Shared::Flags, false, site);
    match channels::of_descriptor(fd) {
        Some(of) if of.end == End::Instance => Ok(of),
        None if !is_open(fd) => Err(EBADF),
        Some(_) | None => Err(EINVAL),
    }
}

/// Events that the program asks for, if they are known.
fn know_events(events: u32, site: SiteId) {
    const ENDED: u32 = channels::ENDED;
    let known = INPUT | OUTPUT | PRIORITY | ERROR | HUNG_UP | ENDED | ONE_SHOT | EDGE_TRIGGERED | WAKE_UP;
    if events & EXCLUSIVE != 0 {
        unmodelled("epoll_ctl with EPOLLEXCLUSIVE", site);
    }
    if events & !known != 0 {
        unmodelled(&format!("epoll_ctl for events {:#x}", events & !known), site);
    }
}

/// What is not modelled as watched.
fn refuse_unwatchable(of: ChannelEnd, site: SiteId) {
    if of.end == End::Instance {
        unmodelled("epoll_ctl of another epoll instance", site);
    }
    if channels::is_fifo(of.channel) {
        unmodelled("epoll_ctl of a pipe with a name (FIFO)", site);
    }
    if of.end == End::Signals {
        process_signals::begin_look();
    }
}

/// `epoll_ctl`: instance, what is done, descriptor, event.
fn control([instance, what, fd, event]: [u64; 4], site: SiteId) -> i64 {
    let what = what as u32;
    let mut asked = WatchedEvent { events: 0, data: 0 };
    if what != DELETE {
        argument_read(event, EVENT, site);
        let Some([events, low, high]) = recover::read_value::<[u32; 3]>(event) else { return error(errno::EFAULT) };
        asked = WatchedEvent { events, data: u64::from(low) | u64::from(high) << 32 };
    }
    let instance = match instance_of(instance, site) {
        Err(EBADF) => return error(errno::EBADF),
        instance => instance,
    };
    let of = match resolve(fd, site) {
        Ok(of) => of,
        Err(refused) => return refused,
    };
    let is_known = [ADD, DELETE, MODIFY].contains(&what);
    let Some(instance) = instance.ok().filter(|&instance| is_known && instance != of) else {
        return error(errno::EINVAL);
    };
    refuse_unwatchable(of, site);
    know_events(asked.events, site);
    if asked.events & EDGE_TRIGGERED != 0 && channels::is_tcp(of.channel) {
        unmodelled("epoll_ctl of a socket of TCP for edges (EPOLLET)", site);
    }
    for description in [instance.description, of.description] {
        channels::begin_call(description);
    }
    in_call(operation(instance.channel, ChannelStep::Control), site);
    let result = channels::control(instance.channel, what, fd, of, asked);
    refuse_own_signals(instance.channel, site);
    note_offer(instance.channel);
    result
}

extern "C" fn wait(instance: i32, events: u64, most: i32, limit: i32, pc: u64) -> i32 {
    if !started() {
        return real!("epoll_wait" as fn(i32, u64, i32, i32) -> i32)(instance, events, most, limit);
    }
    wait_at(instance, (events, most), milliseconds(limit), pc)
}

extern "C" fn wait_masked(instance: i32, events: u64, most: i32, limit: i32, mask: u64, pc: u64) -> i32 {
    if !started() {
        return real!("epoll_pwait" as fn(i32, u64, i32, i32, u64) -> i32)(instance, events, most, limit, mask);
    }
    if mask != 0 {
        unmodelled("epoll_pwait with a signal mask", of_call(pc));
    }
    wait_at(instance, (events, most), milliseconds(limit), pc)
}

extern "C" fn wait_for_time(instance: i32, events: u64, most: i32, limit: u64, mask: u64, pc: u64) -> i32 {
    if !started() {
        return real!("epoll_pwait2" as fn(i32, u64, i32, u64, u64) -> i32)(instance, events, most, limit, mask);
    }
    if mask != 0 {
        unmodelled("epoll_pwait2 with a signal mask", of_call(pc));
    }
    match length(limit, of_call(pc)) {
        Some(limit) => wait_at(instance, (events, most), limit, pc),
        None => fail_with(EINVAL),
    }
}

fn milliseconds(limit: i32) -> Limit {
    if limit < 0 { Limit::None } else { Limit::Of(limit as u64 * 1_000_000) }
}

fn wait_at(fd: i32, (events, most): (u64, i32), limit: Limit, pc: u64) -> i32 {
    const MOST: i32 = i32::MAX / EVENT as i32;
    let (site, fd) = (of_call(pc), fd as u32 as u64);
    begin(limit, site);
    if !(1..=MOST).contains(&most) {
        return fail_with(EINVAL);
    }
    let of = match instance_of(fd, site) {
        Ok(of) => of,
        Err(refused) => return fail_with(refused),
    };
    let bytes = take(of, most as usize, limit, site);
    if bytes == 0 {
        pass(limit, site);
    }
    argument_write(events, bytes, site);
    (give(Pieces { address: events, len: bytes, is_vector: false }, site) / EVENT as i64) as i32
}

/// Takes events, as soon as there are some, for the running thread; how many bytes they have. With a limit, that may be
/// reached at any time.
///
/// Linux looks at the list as the call begins and whenever something has come, and each look takes those out of it that
/// have no events. Here the last look is enough, unless the order of events depends on the others.
fn take(of: ChannelEnd, most: usize, limit: Limit, site: SiteId) -> u64 {
    let looks = match limit {
        Limit::None => usize::MAX,
        Limit::Of(time) if time > 0 && Switch::EventLists.is_on() => 2,
        Limit::Of(_) => 1,
    };
    for look in 0..looks {
        let bytes = take_at_once(of, most, limit, look, site);
        if bytes > 0 {
            return bytes;
        }
    }
    0
}

/// What is pending for the running thread itself is no event for other threads.
fn refuse_own_signals(instance: u8, site: SiteId) {
    if channels::watches(instance, |of| process_signals::own_events(of) != 0) {
        unmodelled("an epoll instance that watches a signalfd for a signal which is pending for the thread only", site);
    }
}

/// One look, which waits where the call has no limit; what it finds.
fn take_at_once(of: ChannelEnd, most: usize, limit: Limit, look: usize, site: SiteId) -> u64 {
    let waits = limit == Limit::None;
    let wanted = if joined() { wants_input(of.channel) } else { Wanted::NOTHING };
    channels::begin_call(of.description);
    in_call(operation(of.channel, ChannelStep::Collect).wanting(wanted, waits), site);
    refuse_own_signals(of.channel, site);
    if channels::depends_on_looks(of.channel) && (waits || has_other_threads()) {
        if !Switch::EventLists.is_on() {
            Switch::EventLists.come_up();
            end_run(None, LimitKind::Unmodelled);
        }
        if look > 0 && !waits {
            note_uncontrolled("the order of events, where epoll_wait has a limit".into(), site);
        }
    }
    let bytes = channels::collect(of.channel, most);
    note_offer(of.channel);
    bytes
}
