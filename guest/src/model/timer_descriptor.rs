//! Timers that are descriptors (`timerfd`): S22.
//!
//! A timer is a channel, whose input is how often it has expired. It expires by an operation of a thread of its own, as
//! timers that send signals do. The calls come as calls of the system, as those of pipes do.

use super::channel_operations::{begin_channels, note_offer, operation, perform};
use super::descriptors::{self, Shared, make_descriptor};
use super::thread::{begin_timer, end_timer};
use super::timer_start::{argument, of_argument};
use crate::engine::interruptions::hold_back;
use crate::engine::object_names::note_name;
use crate::engine::site::of_call;
use crate::engine::{me, note_time_shown, note_uncontrolled, unmodelled};
use crate::hooks::{argument_read, argument_write};
use crate::platform::channels::{self, ChannelEnd, End};
use crate::platform::sys::{errno, error, nr};
use crate::platform::timing::TimerState;
use crate::platform::{Call, clock, is_open, recover};
use alloc::format;
use inspect_core::event::{ChannelStep, Object, SiteId};

const SECOND: u64 = 1_000_000_000;
/// Bytes of an `itimerspec`: seconds and nanoseconds of the interval, then of the time to the next expiry.
const TIMES: u64 = 32;

/// Serves a call of the system on a timer; what it returns. None if the call is another one.
pub(crate) fn call(call: &Call) -> Option<i64> {
    let site = of_call(call.place());
    let [a, b, c, d, ..] = call.args;
    let result = match call.number {
        nr::__NR_timerfd_create => create(a as i32, b, site),
        nr::__NR_timerfd_settime => set([a, c, d], b as u32, site),
        nr::__NR_timerfd_gettime => get(a, b, site),
        _ => return None,
    };
    Some(result.unwrap_or_else(error))
}

fn create(clock: i32, flags: u64, site: SiteId) -> Result<i64, u32> {
    if flags & !u64::from(nr::O_CLOEXEC | nr::O_NONBLOCK) != 0 {
        return Err(errno::EINVAL);
    }
    match clock {
        // Real time, monotonic, since boot.
        0 | 1 | 7 => {}
        8 | 9 => unmodelled("a timer by a clock that wakes the system", site),
        _ => return Err(errno::EINVAL),
    }
    make_descriptor(site);
    begin_channels(1, site);
    let made = match channels::make_timer(clock as u64, flags) {
        Ok(made) => made,
        Err(error) => return Ok(error),
    };
    let number = made.place(0);
    name(made.channel(), number);
    note_offer(made.channel());
    Ok(number)
}

fn name(channel: u8, number: i64) {
    note_name(Object::channel(channel).0, || format!("the timer of descriptor {number}"));
}

/// The timer that a number stands for as the call begins.
fn timer_of(fd: u64, site: SiteId) -> Result<ChannelEnd, u32> {
    descriptors::use_number(fd, Shared::Flags, false, site);
    match channels::of_descriptor(fd) {
        Some(of) if of.end == End::Timer => Ok(of),
        None if !is_open(fd) => Err(errno::EBADF),
        Some(_) | None => Err(errno::EINVAL),
    }
}

/// The time of an `itimerspec` to the next expiry, and from one to the next, in nanoseconds.
fn read_times(at: u64) -> Result<[u64; 2], u32> {
    let words = recover::read_value::<[i64; 4]>(at).ok_or(errno::EFAULT)?;
    let time = |seconds: i64, nanoseconds: i64| {
        let is_valid = seconds >= 0 && (0..SECOND as i64).contains(&nanoseconds);
        let time = (seconds as u64).saturating_mul(SECOND).saturating_add(nanoseconds as u64);
        is_valid.then_some(time).ok_or(errno::EINVAL)
    };
    Ok([time(words[2], words[3])?, time(words[0], words[1])?])
}

fn write_times(at: u64, [value, interval]: [u64; 2], site: SiteId) -> Result<i64, u32> {
    argument_write(at, TIMES, site);
    if value > 0 {
        note_time_shown(site);
    }
    let words = [interval / SECOND, interval % SECOND, value / SECOND, value % SECOND];
    if recover::write_value(at, &words) { Ok(0) } else { Err(errno::EFAULT) }
}

/// What is left of a timer's time, and its interval, in the present transition.
fn left(channel: u8) -> [u64; 2] {
    let now = clock::of(me().index());
    channels::timer(channel).map_or([0; 2], |timer| [timer.timing.left(now), timer.timing.interval])
}

/// `timerfd_settime` of a descriptor, to new times, and where to write the old ones.
fn set([fd, new, old]: [u64; 3], flags: u32, site: SiteId) -> Result<i64, u32> {
    const ABSOLUTE: u32 = 1;
    /// Reads fail once the clock of real time is set, which nobody does.
    const CANCEL_ON_SET: u32 = 2;
    argument_read(new, TIMES, site);
    let [value, interval] = read_times(new)?;
    if flags & !(ABSOLUTE | CANCEL_ON_SET) != 0 {
        return Err(errno::EINVAL);
    }
    let channel = timer_of(fd, site)?.channel;
    perform(operation(channel, ChannelStep::Set), site);
    let passed = channels::timer(channel).and_then(|timer| clock::read(timer.clock)).unwrap_or(0);
    let before = left(channel);
    let wait = if flags & ABSOLUTE != 0 { value.saturating_sub(passed) } else { value };
    let due = clock::of(me().index()).saturating_add(wait);
    let setting = channels::set_timer(channel, value > 0, [due, interval], site);
    note_offer(channel);
    if value > 0 {
        start(channel, setting, site);
    }
    if old == 0 { Ok(0) } else { write_times(old, before, site) }
}

/// `timerfd_gettime`. As in Linux, a timer with an interval that has expired goes on.
fn get(fd: u64, to: u64, site: SiteId) -> Result<i64, u32> {
    let channel = timer_of(fd, site)?.channel;
    perform(operation(channel, ChannelStep::Poll), site);
    note_offer(channel);
    clock::look();
    let times = left(channel);
    go_on(channel);
    write_times(to, times, site)
}

/// A timer may expire from now on.
fn start(channel: u8, setting: u16, site: SiteId) {
    let before = hold_back(true);
    begin_timer(expire as *const () as u64, argument(channel.into(), setting), site);
    hold_back(before);
}

/// The thread waits for nothing: the timer expires at the moment at which the search has it go on.
extern "C" fn expire(argument: u64) -> u64 {
    let (channel, setting) = of_argument(argument);
    let channel = channel as u8;
    hold_back(true);
    let Some(timer) = channels::timer(channel).map(|timer| *timer) else { end_timer() };
    clock::advance(timer.timing.due.saturating_sub(clock::of(me().index())));
    perform(operation(channel, ChannelStep::Expire), timer.site);
    channels::expire(channel, setting);
    note_offer(channel);
    end_timer()
}

/// Somebody has read from a timer. How often one with an interval has expired by then is not explored.
pub(super) fn note_read(channel: u8, site: SiteId) {
    if channels::timer(channel).is_some_and(|timer| timer.timing.interval > 0) {
        note_uncontrolled("how often a timerfd with an interval has expired".into(), site);
    }
    go_on(channel);
}

/// A timer with an interval that has expired may expire again.
fn go_on(channel: u8) {
    let now = clock::of(me().index());
    let Some(timer) = channels::timer(channel) else { return };
    if timer.timing.go_on(now) {
        start(channel, timer.timing.setting, timer.site);
    }
}

/// The last descriptor of a timer is closed: it does not expire any more.
pub(super) fn closed(channel: u8) {
    if let Some(timer) = channels::timer(channel) {
        timer.timing.state = TimerState::Deleted;
    }
}
