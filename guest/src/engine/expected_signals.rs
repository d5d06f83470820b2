//! Which signals of timers the program expects (S22).
//!
//! A timer whose signal ends the process by default does not expire while nobody expects the signal: it is there to
//! end executions that take too long. That the program expects a signal may come up after a timer was set that sends
//! it. The search then begins anew, as it does when a location is promoted, and in it all timers that send the signal
//! expire.

use super::state::with;
use super::visibility;
use crate::platform::{ARENAS, Global};
use inspect_core::event::{ByteRange, SignalOperation};

/// The largest number of a signal.
const LAST: u8 = 64;

/// The location that stands for a signal among the promoted ones, in the arenas' own records behind those of the
/// signals that interrupt threads.
fn location(signal: u8) -> ByteRange {
    ByteRange { start: ARENAS.start + 8 * (128 + u64::from(signal)), len: 1 }
}

/// Whether a promoted location stands for a signal that is expected.
pub(super) fn is_location(range: ByteRange) -> bool {
    (1..=LAST).any(|signal| location(signal) == range)
}

static EXPECTED: Global<u64> = Global::new(0);

/// Reads from the promoted locations which signals are expected.
pub(super) fn take_over() {
    let promoted = |signal: &u8| visibility::promoted().contains(&location(*signal));
    EXPECTED.write((1..=LAST).filter(promoted).fold(0, |all, signal| all | SignalOperation::bit(signal)));
}

/// Whether the search knows that the program expects a signal.
pub(crate) fn is_expected(signal: u8) -> bool {
    EXPECTED.read() & SignalOperation::bit(signal) != 0
}

/// The program waits for these signals or asks for them, a bit each.
pub(crate) fn note_expected(signals: u64) {
    with(|engine| engine.timers.note_expected(signals));
    begin_anew(with(|engine| engine.timers.expected_after_all()));
}

/// The program has replaced the default action of a signal, so it expects the signals of the timers set before. A timer
/// that is set later looks at the action itself.
pub(crate) fn note_action(signal: u8) {
    begin_anew(with(|engine| engine.timers.unexpected()) & SignalOperation::bit(signal));
}

/// A timer was set that sends a signal which ends the process by default, and that does not expire as nobody is known
/// to expect the signal.
pub(crate) fn note_unexpected(signal: u8) {
    with(|engine| engine.timers.note_unexpected(signal));
    begin_anew(with(|engine| engine.timers.expected_after_all()));
}

/// If the present run has shown that timers would have had to expire which send these signals, the search begins anew.
fn begin_anew(signals: u64) {
    with(|engine| {
        for signal in (1..=LAST).filter(|&signal| signals & SignalOperation::bit(signal) != 0) {
            if !engine.racing.contains(&location(signal)) {
                engine.racing.push(location(signal));
            }
        }
    });
}
