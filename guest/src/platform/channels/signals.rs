//! Descriptors by which signals are taken (`signalfd`): which signals each of them takes.

use super::{Contents, End, Made, made, state};
use crate::platform::files;
use crate::platform::sys::{self, nr};

/// Makes such a descriptor, which has no number of the program's yet. An error number if the kernel refuses.
pub fn make_signals(signals: u64, flags: u64) -> Result<Made, i64> {
    const NEW: u64 = u64::MAX;
    let none = 0u64;
    // SAFETY: makes a descriptor; the kernel reads the set, which is empty as no signal of the program ever reaches it.
    let fd = unsafe { sys::call4(nr::__NR_signalfd4, NEW, &raw const none as u64, 8, flags) };
    if sys::failed(fd) {
        return Err(fd);
    }
    Ok(made(Contents::Signals(signals), &[End::Signals], [files::hide(fd), -1], flags))
}

fn set_of(channel: u8) -> Option<&'static mut u64> {
    match &mut state().channels.get_mut(usize::from(channel))?.contents {
        Contents::Signals(signals) => Some(signals),
        Contents::Pipe { .. }
        | Contents::Counter { .. }
        | Contents::Stream(_)
        | Contents::Interests(_)
        | Contents::Timer(_)
        | Contents::Endpoint(_)
        | Contents::Lock(_) => None,
    }
}

/// The signals that reads of a descriptor take, a bit each.
pub fn signals(channel: u8) -> u64 {
    set_of(channel).map_or(0, |signals| *signals)
}

/// Changes which signals reads of a descriptor take.
pub fn set_signals(channel: u8, signals: u64) {
    if let Some(set) = set_of(channel) {
        *set = signals;
    }
}
