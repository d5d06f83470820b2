//! Descriptors by which signals are taken (`signalfd`): which signals each of them takes.

use super::interest::{instances, wake_signals, watches};
use super::{Channel, Contents, End, Made, made, state};
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
        | Contents::Lock(_)
        | Contents::Range(_)
        | Contents::Datagrams(_)
        | Contents::Openings(_) => None,
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
    wake_signals();
}

/// These signals are pending for the process from now on, where a call looks at descriptors of them; a new one may have
/// come.
pub fn note_pending(signals: u64, is_new: bool) {
    state().pending = signals;
    if is_new {
        wake_signals();
    }
}

/// Whether a signal is pending for the process, as far as it was noted.
pub fn has_pending() -> bool {
    state().pending != 0
}

/// The channels that are descriptors of signals.
pub fn descriptors_of_signals() -> impl Iterator<Item = u8> {
    let is_one = |(_, channel): &(u8, &Channel)| matches!(channel.contents, Contents::Signals(_));
    (0..).zip(&state().channels).filter(is_one).map(|(number, _)| number)
}

/// Whether an instance of `epoll` watches a descriptor of signals.
pub fn are_signals_watched() -> bool {
    instances().any(|instance| watches(instance, |of| of.end == End::Signals))
}
