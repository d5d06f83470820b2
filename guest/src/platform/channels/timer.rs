//! Timers that are descriptors (`timerfd`): how often each has expired since somebody read that.

use super::{Contents, End, IN, Made, made, state, wake_readers};
use crate::platform::files;
use crate::platform::sys::{self, nr};
use crate::platform::timing::Timing;
use alloc::vec::Vec;
use core::mem;
use inspect_core::event::SiteId;

/// A timer.
#[derive(Clone, Copy, Debug)]
pub struct DescriptorTimer {
    /// How often it has expired.
    pub(super) expiries: u64,
    /// What it is set to.
    pub timing: Timing,
    /// The clock that it goes by.
    pub clock: u64,
    /// Where it was set last.
    pub site: SiteId,
}

impl DescriptorTimer {
    /// Takes out how often it has expired; how many bytes that has, if it has expired.
    pub(super) fn take(&mut self, taken: &mut Vec<u8>) -> Option<u64> {
        let expiries = mem::take(&mut self.expiries);
        taken.extend_from_slice(&expiries.to_le_bytes());
        (expiries > 0).then_some(8)
    }
}

/// Makes a timer, of which no descriptor has a number of the program's yet. An error number if the kernel refuses.
pub fn make_timer(clock: u64, flags: u64) -> Result<Made, i64> {
    // SAFETY: makes a descriptor.
    let fd = unsafe { sys::call2(nr::__NR_timerfd_create, clock, flags) };
    if sys::failed(fd) {
        return Err(fd);
    }
    let timer = DescriptorTimer { expiries: 0, timing: Timing::UNSET, clock, site: SiteId(0) };
    Ok(made(Contents::Timer(timer), &[End::Timer], [files::hide(fd), -1], flags))
}

/// The timer that a channel is.
pub fn timer(channel: u8) -> Option<&'static mut DescriptorTimer> {
    match &mut state().channels.get_mut(usize::from(channel))?.contents {
        Contents::Timer(timer) => Some(timer),
        Contents::Pipe { .. }
        | Contents::Counter { .. }
        | Contents::Stream(_)
        | Contents::Interests(_)
        | Contents::Endpoint(_)
        | Contents::Lock(_)
        | Contents::Range(_)
        | Contents::Datagrams(_)
        | Contents::Openings(_)
        | Contents::Signals(_) => None,
    }
}

/// Sets a timer, or has it not expire; its setting. What it has expired before is forgotten.
pub fn set_timer(channel: u8, is_set: bool, [due, interval]: [u64; 2], site: SiteId) -> u16 {
    timer(channel).map_or(0, |timer| {
        (timer.expiries, timer.site) = (0, site);
        timer.timing.set(is_set, due, interval)
    })
}

/// An expiry that belongs to this setting comes.
pub fn expire(channel: u8, setting: u16) {
    let Some(timer) = timer(channel) else { return };
    if timer.timing.expire(setting) {
        timer.expiries += 1;
        wake_readers(channel, IN);
    }
}
