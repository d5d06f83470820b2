//! Descriptors that a call looks at, what it asks of each, and what it is told.

use super::process_signals;
use crate::engine::unmodelled;
use crate::platform::channels::{self, ChannelEnd, ENDED, End, IN, OUT};
use crate::platform::{is_always_ready, is_open, is_output, path_of_descriptor};
use alloc::format;
use inspect_core::event::{SiteId, Wanted};

pub(super) use channels::{ERROR, HUNG_UP, INPUT, OUTPUT};

/// `POLLNVAL`
pub(super) const INVALID: u32 = 32;

/// What is asked of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Interest {
    /// Its number.
    pub(super) fd: u64,
    /// Events that it is looked at for; errors and ends always are.
    pub(super) events: u32,
    /// Events that have come.
    pub(super) ready: u32,
    /// The channel that the number stood for when the call began.
    of: Option<ChannelEnd>,
}

/// Descriptors of one call.
pub(super) struct LookedAt {
    count: usize,
    all: [Interest; LookedAt::MOST],
}

impl LookedAt {
    const MOST: usize = 64;

    pub(super) fn new() -> LookedAt {
        LookedAt { count: 0, all: [Interest::default(); LookedAt::MOST] }
    }

    /// Adds one more.
    pub(super) fn add(&mut self, fd: u64, events: u32, site: SiteId) {
        if self.count == LookedAt::MOST {
            unmodelled("poll or select of more than 64 descriptors", site);
        }
        // What is ready for these, POLLPRI apart, depends on the sort of file.
        const PRIORITY: u32 = 2;
        let known = INPUT | OUTPUT | PRIORITY | ERROR | HUNG_UP | INVALID | ENDED;
        if events & !known != 0 {
            unmodelled(&format!("poll for events {:#x}", events & !known), site);
        }
        self.all[self.count] = Interest { fd, events, ..Interest::default() };
        self.count += 1;
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Interest> {
        self.all[..self.count].iter().copied()
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn fd(&self, at: usize) -> u64 {
        self.all[at].fd
    }

    pub(super) fn channels(&self) -> impl Iterator<Item = (Interest, ChannelEnd)> {
        self.all().filter_map(|interest| Some((interest, interest.of?)))
    }

    pub(super) fn first_channel(&self) -> Option<ChannelEnd> {
        self.channels().next().map(|(_, of)| of)
    }

    pub(super) fn has_several_channels(&self) -> bool {
        let one = |of: ChannelEnd| of.channel == of.output;
        self.first_channel().is_some_and(|first| self.channels().any(|(_, of)| of.channel != first.channel || !one(of)))
    }

    /// What a wait for all that is asked of channels wants.
    pub(super) fn wanted(&self, waits: bool, input: impl Fn(u8) -> Wanted, room: impl Fn(u8) -> Wanted) -> Wanted {
        let mut all = Wanted::NOTHING;
        for (interest, of) in self.channels().filter(|_| waits) {
            if of.end != End::Output && interest.events & INPUT != 0 {
                all = all.or(input(of.channel));
            }
            let has_room = !matches!(of.end, End::Input | End::Timer | End::Signals | End::Unconnected);
            if has_room && interest.events & OUTPUT != 0 {
                all = all.or(room(of.output));
            }
        }
        all
    }

    /// Whether some end of a pipe or socket is looked at for nothing but its being closed at the other end, or may
    /// become ready by that without anything else that is looked for.
    pub(super) fn waits_for_ends_only(&self) -> bool {
        self.channels().any(|(interest, of)| match of.end {
            End::Input | End::Unconnected | End::Datagrams => interest.events & INPUT == 0,
            End::Output => interest.events & OUTPUT == 0,
            End::Both | End::Instance | End::Timer | End::Signals => false,
            End::Socket => {
                interest.events & INPUT == 0 && (interest.events & OUTPUT == 0 || interest.events & ENDED != 0)
            }
        })
    }

    /// Finds out what a number stands for. What is no channel is looked at: files are ready, numbers that are not open
    /// are not valid. Whether it is ready.
    pub(super) fn resolve(&mut self, at: usize, site: SiteId) -> bool {
        let interest = &mut self.all[at];
        interest.of = channels::of_descriptor(interest.fd);
        if let Some(of) = interest.of {
            if of.end == End::Instance {
                unmodelled("poll or select of an epoll instance", site);
            }
            if channels::is_fifo(of.channel) {
                unmodelled("poll or select of a pipe with a name (FIFO)", site);
            }
            if of.end == End::Signals {
                process_signals::begin_look();
            }
            let only_normal = |both: u32, plain: u32| interest.events & both == both & !plain;
            if matches!(of.end, End::Both | End::Timer | End::Signals)
                && (only_normal(INPUT, IN) || only_normal(OUTPUT, OUT))
            {
                unmodelled("poll of an event counter, timer or signalfd for POLLRDNORM or POLLWRNORM only", site);
            }
            // That it has none does not change.
            return process_signals::own_events(of) & interest.events != 0;
        }
        interest.ready = if !is_open(interest.fd) {
            INVALID
        } else if is_output(interest.fd) {
            interest.events & OUTPUT
        } else if path_of_descriptor(interest.fd).is_some() || is_always_ready(interest.fd) {
            interest.events & (INPUT | OUTPUT)
        } else {
            unmodelled("poll or select of a descriptor that was open before the run", site);
        };
        interest.ready != 0
    }

    /// Looks at the channels; how many are ready.
    pub(super) fn look_at_channels(&mut self) -> usize {
        for interest in &mut self.all[..self.count] {
            if let Some(of) = interest.of {
                let events = channels::events(of) | process_signals::own_events(of);
                interest.ready = events & (interest.events | ERROR | HUNG_UP);
            }
        }
        self.all().filter(|interest| interest.ready != 0).count()
    }
}
