//! Instances of `epoll`: which descriptors each watches, and which of these have something to report.
//!
//! As in Linux: a descriptor is watched by its number and its open description. Whatever happens to what it stands for
//! wakes it, with the events that may have come of that. One that is watched for one of them goes to the end of the
//! list of those with something to report, unless it is there, and stays there until somebody takes its events, or
//! finds that it has none. What is level-triggered goes back to the end of the list each time.

use super::{Channel, ChannelEnd, Contents, ERROR, End, HUNG_UP, Made, events, made, state};
use crate::platform::sys::{self, errno, error, nr};
use crate::platform::{fiber, files};
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// `EPOLLONESHOT`: nothing more is reported after the next event until the descriptor is watched anew.
pub const ONE_SHOT: u32 = 1 << 30;
/// `EPOLLET`: an event is reported once each time that it may have come.
pub const EDGE_TRIGGERED: u32 = 1 << 31;
/// `EPOLLWAKEUP`, which has no effect without a privilege.
pub const WAKE_UP: u32 = 1 << 29;
/// What says how events are reported, rather than which.
const PRIVATE: u32 = ONE_SHOT | EDGE_TRIGGERED | WAKE_UP;

/// What is done to the descriptors that an instance watches.
pub const ADD: u32 = 1;
pub const DELETE: u32 = 2;
pub const MODIFY: u32 = 3;

/// A descriptor that is watched.
#[derive(Clone, Copy, Debug)]
struct Watched {
    fd: u32,
    of: ChannelEnd,
    /// Which events are asked for, and how they are reported.
    events: u32,
    /// What the program wants to be told with them.
    data: u64,
    /// It is in the list of those with something to report.
    listed: bool,
    /// It has had nothing to report since it came into the list.
    idle: bool,
}

impl Watched {
    fn ready(&self) -> u32 {
        events(self.of) & self.events & !PRIVATE
    }
}

/// What an instance watches.
#[derive(Default)]
pub(super) struct Interests {
    watched: Vec<Watched>,
    /// Numbers and descriptions of those that may have something to report, in the order in which they will.
    list: VecDeque<(u32, u16)>,
}

/// An event that somebody takes: what has come, and what the program wants to be told with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchedEvent {
    /// Its bits, as `poll` has them.
    pub events: u32,
    /// What is told with it.
    pub data: u64,
}

impl Interests {
    fn find(&mut self, key: (u32, u16)) -> Option<&mut Watched> {
        self.watched.iter_mut().find(|watched| (watched.fd, watched.of.description) == key)
    }

    /// Puts a descriptor at the end of the list, unless it is there.
    fn list(&mut self, key: (u32, u16)) {
        let Some(watched) = self.find(key).filter(|watched| !watched.listed) else { return };
        (watched.listed, watched.idle) = (true, false);
        self.list.push_back(key);
    }

    fn wake(&mut self, ends: impl Fn(ChannelEnd) -> bool, came: u32) {
        let is_woken = |watched: &&Watched| {
            let asked = watched.events & !PRIVATE;
            ends(watched.of) && asked != 0 && (came == 0 || asked & came != 0)
        };
        // Whoever came last to the kernel's list of those to be woken is woken first.
        let latest_first = self.watched.iter().rev();
        let woken: Vec<_> = latest_first.filter(is_woken).map(|of| (of.fd, of.of.description)).collect();
        woken.into_iter().for_each(|key| self.list(key));
    }

    fn forget(&mut self, is_gone: impl Fn(u32, u16) -> bool) {
        self.watched.retain(|watched| !is_gone(watched.fd, watched.of.description));
        self.list.retain(|&(fd, description)| !is_gone(fd, description));
    }

    fn ready_in_list(&self) -> impl Iterator<Item = &Watched> {
        self.watched.iter().filter(|watched| watched.listed && watched.ready() != 0)
    }

    /// Takes events in the order of the list, `most` at most, and puts them into `taken` as the program has them.
    fn collect(&mut self, most: usize, taken: &mut Vec<u8>) {
        let mut count = 0;
        // Those behind the last one that is looked at go before those that stay in the list.
        let mut rest = core::mem::take(&mut self.list);
        while count < most
            && let Some(key) = rest.pop_front()
        {
            let Some(watched) = self.find(key) else { continue };
            let ready = watched.ready();
            watched.listed = false;
            if ready == 0 {
                continue;
            }
            count += 1;
            taken.extend_from_slice(&ready.to_le_bytes());
            taken.extend_from_slice(&watched.data.to_le_bytes());
            if watched.events & ONE_SHOT != 0 {
                watched.events &= PRIVATE;
            } else if watched.events & EDGE_TRIGGERED == 0 {
                self.list(key);
            }
        }
        rest.append(&mut self.list);
        self.list = rest;
    }
}

fn interests(channel: u8) -> Option<&'static mut Interests> {
    match &mut state().channels.get_mut(usize::from(channel))?.contents {
        Contents::Interests(interests) => Some(interests),
        Contents::Pipe { .. }
        | Contents::Counter { .. }
        | Contents::Stream(_)
        | Contents::Timer(_)
        | Contents::Endpoint(_)
        | Contents::Lock(_)
        | Contents::Range(_)
        | Contents::Datagrams(_)
        | Contents::Openings(_)
        | Contents::Signals(_) => None,
    }
}

/// All instances.
fn all() -> impl Iterator<Item = &'static mut Interests> {
    instances().filter_map(interests)
}

/// The channels that are instances.
pub fn instances() -> impl Iterator<Item = u8> {
    let is_instance = |(_, channel): &(u8, &Channel)| matches!(channel.contents, Contents::Interests(_));
    (0..).zip(&state().channels).filter(is_instance).map(|(number, _)| number)
}

/// Makes an instance, of which no descriptor has a number of the program's yet. An error number if the kernel refuses.
pub fn make_instance(flags: u64) -> Result<Made, i64> {
    // SAFETY: makes a descriptor.
    let fd = unsafe { sys::call1(nr::__NR_epoll_create1, flags) };
    if sys::failed(fd) {
        return Err(fd);
    }
    Ok(made(Contents::Interests(Interests::default()), &[End::Instance], [files::hide(fd), -1], flags))
}

/// Whether the kernel refuses to watch a descriptor, as it does with files: they are always ready.
pub fn cannot_be_watched(fd: u64) -> bool {
    // SAFETY: makes a descriptor of the engine's for a moment.
    let instance = unsafe { sys::call1(nr::__NR_epoll_create1, 0) };
    let event = [0u32; 3];
    // SAFETY: the kernel reads the event.
    let added = unsafe { sys::call4(nr::__NR_epoll_ctl, instance as u64, ADD.into(), fd, event.as_ptr() as u64) };
    sys::close(instance as u64);
    added == error(errno::EPERM)
}

/// Changes what an instance watches; 0 or an error number. `asked` are the events, and what to tell with them.
pub fn control(instance: u8, operation: u32, fd: u64, of: ChannelEnd, asked: WatchedEvent) -> i64 {
    let Some(interests) = interests(instance) else { return error(errno::EINVAL) };
    let fd = fd as u32;
    let key = (fd, of.description);
    // Errors and ends are reported whether or not they are asked for.
    let WatchedEvent { events, data } = WatchedEvent { events: asked.events | ERROR | HUNG_UP, ..asked };
    match (operation, interests.find(key)) {
        (ADD, Some(_)) => return error(errno::EEXIST),
        (ADD, None) => interests.watched.push(Watched { fd, of, events, data, listed: false, idle: false }),
        (MODIFY | DELETE, None) => return error(errno::ENOENT),
        (MODIFY, Some(watched)) => (watched.events, watched.data) = (events, data),
        (DELETE, Some(_)) => interests.forget(|number, description| (number, description) == key),
        (_, _) => return error(errno::EINVAL),
    }
    if interests.find(key).is_some_and(|watched| watched.ready() != 0) {
        interests.list(key);
    }
    0
}

/// Takes events from an instance for the running thread, `most` at most; how many bytes they have.
pub fn collect(instance: u8, most: usize) -> u64 {
    let taken = &mut state().taken[fiber::current_slot()];
    taken.clear();
    if let Some(interests) = interests(instance) {
        interests.collect(most, taken);
    }
    taken.len() as u64
}

/// Whether a descriptor that an instance watches has something to report.
pub(super) fn has_events(interests: &Interests) -> bool {
    interests.ready_in_list().next().is_some()
}

/// Whether an instance has a descriptor in its list, with or without something to report.
pub fn has_listed(instance: u8) -> bool {
    interests(instance).is_some_and(|interests| !interests.list.is_empty())
}

/// Whether the order in which events are taken depends on when those who wait have looked at the list: who looks takes
/// descriptors without anything to report out of it, and later they come back to its end.
pub fn depends_on_looks(instance: u8) -> bool {
    interests(instance).is_some_and(|interests| {
        let ready = || interests.ready_in_list();
        ready().count() > 1 && ready().any(|watched| watched.idle)
    })
}

/// Notes which descriptors in the lists have nothing to report. To be called after each operation on a channel.
pub fn note_idle() {
    for interests in all() {
        for watched in interests.watched.iter_mut().filter(|watched| watched.listed) {
            watched.idle |= watched.ready() == 0;
        }
    }
}

/// Something happened that concerns who reads from a channel: such events, or any if 0, may have come.
pub fn wake_readers(channel: u8, came: u32) {
    all().for_each(|interests| interests.wake(|of| of.channel == channel && of.end != End::Output, came));
}

/// The same for who writes to a channel.
pub fn wake_writers(channel: u8, came: u32) {
    all().for_each(|interests| interests.wake(|of| of.output == channel && of.end != End::Input, came));
}

/// What a description stands for has changed: a socket is connected.
pub(super) fn note_connected(of: ChannelEnd) {
    for interests in all() {
        let watched = interests.watched.iter_mut().filter(|watched| watched.of.description == of.description);
        watched.for_each(|watched| watched.of = of);
    }
}

/// A signal has come: whoever watches a descriptor of signals may have an event.
pub fn wake_signals() {
    all().for_each(|interests| interests.wake(|of| of.end == End::Signals, 0));
}

/// Whether an instance watches an end for which this holds.
pub fn watches(instance: u8, holds: impl Fn(ChannelEnd) -> bool) -> bool {
    interests(instance).is_some_and(|interests| interests.watched.iter().any(|watched| holds(watched.of)))
}

/// Whether an end is watched for edges.
pub fn is_watched_for_edges(of: ChannelEnd) -> bool {
    let is_it = |watched: &Watched| {
        watched.events & EDGE_TRIGGERED != 0 && (watched.of.channel, watched.of.end) == (of.channel, of.end)
    };
    all().any(|interests| interests.watched.iter().any(is_it))
}

/// The last descriptor of a description is closed: nobody watches it any more.
pub fn forget(of: ChannelEnd) {
    all().for_each(|interests| interests.forget(|_, description| description == of.description));
    if let Some(closed) = interests(of.channel) {
        *closed = Interests::default();
    }
}
