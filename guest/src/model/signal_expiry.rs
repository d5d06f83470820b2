//! The expiry of a timer that sends a signal, begins a thread, or tells nobody (S22): what the thread does that is the
//! expiry.

use super::library_state::{Use, use_signal};
use super::signal::{self, add_pending, begin_anew_for, blocks, goes_on_blocking, is_dropped, others_take, request};
use super::thread::{begin_told, end_timer};
use super::timer_start::{of_argument, set_again, start};
use crate::engine::interruptions::hold_back;
use crate::engine::timers::{Timer, Told};
use crate::engine::{is_alive, me, note_uncontrolled, spoil_loops, with};
use crate::platform::clock;
use inspect_core::event::{Object, SignalOperation, ThreadId};

/// A reason for an inconclusive verdict.
const IGNORED: &str = "a timer with an interval whose signal is ignored";

/// The word at which operations on a timer are made.
pub(super) fn word_of(told: Told) -> Object {
    match told {
        Told::Thread(thread) => signal::of_thread(thread),
        Told::Process | Told::Nobody | Told::NewThread(_) => signal::of_process(),
    }
}

/// The thread waits for nothing: it expires at the moment at which the search has it go on.
pub(super) extern "C" fn expire(argument: u64) -> u64 {
    let (number, setting) = of_argument(argument);
    hold_back(true);
    let Some(timer) = with(|engine| engine.timers.even_deleted(number).copied()) else { end_timer() };
    clock::advance(timer.timing.due.saturating_sub(clock::of(me().index())));
    if timer.signal != 0 {
        use_signal(timer.signal.into(), Use::Look, timer.site);
    }
    let word = word_of(timer.told);
    let dropped = timer.signal != 0 && is_dropped(timer.signal);
    request(SignalOperation::expire(word, timer.signal), word, 0, timer.site);
    spoil_loops();
    if let Some(timer) = with(|engine| engine.timers.expire(number, setting)) {
        match timer.told {
            Told::Thread(thread) => send(number, &timer, thread, dropped),
            Told::Process => send_to_process(number, &timer, dropped),
            Told::Nobody => {}
            Told::NewThread(thread) => {
                let again = set_again(number);
                begin_told(&thread, timer.value, timer.site);
                if let Some((setting, site)) = again {
                    start(number, setting, site);
                }
            }
        }
    }
    end_timer()
}

fn send(number: u16, timer: &Timer, thread: ThreadId, dropped: bool) {
    if dropped && !blocks(thread, timer.signal) {
        return note_dropped(timer);
    }
    if !goes_on_blocking(thread, timer.signal) {
        begin_anew_for(timer.signal, timer.site);
    }
    if is_alive(thread) {
        add_pending(signal::of_thread(thread), timer.signal, timer.sent(number), timer.site);
    }
}

fn send_to_process(number: u16, timer: &Timer, dropped: bool) {
    // As on Linux, main decides whether a signal is dropped that nothing is done about.
    if dropped && !blocks(ThreadId::MAIN, timer.signal) {
        return note_dropped(timer);
    }
    if others_take(timer.signal) {
        begin_anew_for(timer.signal, timer.site);
    }
    add_pending(signal::of_process(), timer.signal, timer.sent(number), timer.site);
}

/// It goes on without anybody taking notice, until the program installs a handler.
fn note_dropped(timer: &Timer) {
    if timer.timing.interval > 0 {
        note_uncontrolled(IGNORED.into(), timer.site);
    }
}
