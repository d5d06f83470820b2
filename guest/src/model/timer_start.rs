//! The start of a timer (S22): the thread begins that is its expiry, and whose only operation that matters to others
//! is that.

use super::thread::begin_timer;
use crate::engine::interruptions::hold_back;
use crate::engine::timers::OF_PROCESS;
use crate::engine::{me, note_uncontrolled, with};
use crate::platform::sent::Sent;
use crate::platform::{clock, sigaction};
use inspect_core::event::SiteId;

/// The signal of `alarm` and `setitimer`.
pub(super) const SIGALRM: u8 = 14;

/// The argument of a thread that is an expiry: of which timer, and which setting.
pub(super) fn argument(number: u16, setting: u16) -> u64 {
    u64::from(number) << 16 | u64::from(setting)
}

/// What [`argument`] was made of.
pub(super) fn of_argument(argument: u64) -> (u16, u16) {
    ((argument >> 16) as u16, argument as u16)
}

/// A timer was set: it may expire from now on. It may have been set again or deleted since, by an operation that came
/// after the one by which it was set: whether it expires is decided when it does, so that what the running thread does
/// here depends on its own operations alone.
pub(super) fn start(number: u16, setting: u16, site: SiteId) {
    let Some(expire) = with(|engine| engine.timers.even_deleted(number).map(|timer| timer.expire)) else { return };
    let before = hold_back(true);
    begin_timer(expire as *const () as u64, argument(number, setting), site);
    hold_back(before);
}

/// The running thread has taken a signal. If that was the expiry of a timer with an interval, the next one may come.
pub(super) fn note_taken(signal: u8, sent: Sent, is_of_process: bool) {
    let number = with(|engine| match sent.timer() {
        Some((number, setting)) => {
            engine.timers.get(number).filter(|timer| timer.timing.setting == setting).is_some().then_some(number)
        }
        // As in Linux, whoever has sent the signal.
        None if signal == SIGALRM && is_of_process => Some(OF_PROCESS),
        None => None,
    });
    if let Some(number) = number {
        go_on(number);
    }
}

/// Somebody has taken notice of the expiry of a timer, by an operation on its word in the present transition.
pub(super) fn go_on(number: u16) {
    if let Some((setting, site)) = set_again(number) {
        start(number, setting, site);
    }
}

/// Sets a timer with an interval again of whose expiry somebody has taken notice in the present transition; its setting
/// and where it was set. It is for the caller to [`start`] it, which may be later: it may be set or deleted before.
pub(super) fn set_again(number: u16) -> Option<(u16, SiteId)> {
    let now = clock::of(me().index());
    with(|engine| {
        let goes_on = engine.timers.go_on(number, now);
        engine.timers.get(number).filter(|_| goes_on).map(|timer| (timer.timing.setting, timer.site))
    })
}

/// The program asks how the signal was sent that the running thread has taken last. How many expiries of a timer with
/// an interval came before that is not explored.
pub(super) fn note_information(site: SiteId) {
    let Some((number, _)) = sigaction::taken().timer() else { return };
    if with(|engine| engine.timers.get(number).is_some_and(|timer| timer.repeats)) {
        note_uncontrolled("siginfo_t of a timer with an interval".into(), site);
    }
}
