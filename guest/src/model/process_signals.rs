//! Signals of the process where a call looks at a descriptor of signals (`poll`, `select`, `epoll`): S20.
//!
//! What is pending for the process is a channel then, one of those that a search sees as one: so what a descriptor has
//! to offer is known after each operation that sends or takes a signal. Once a run has shown such a call, the search
//! begins anew, and each operation on the word of the process is one on that channel in place of the word. What is
//! pending for a thread only that thread itself changes: others that would are not modelled.

use super::channel_operations::{SIGNALS, in_call, join, joined, note_offer_of_signals, operation, perform};
use crate::engine::interruptions::hold_back;
use crate::engine::object_names::note_name;
use crate::engine::switches::Switch;
use crate::engine::{end_run, me, note_identity, unmodelled};
use crate::platform::channels::{self, ChannelEnd, End, IN};
use crate::platform::sigaction;
use inspect_core::event::{ChannelStep, LimitKind, Object, SignalOperation, SiteId, Wanted};

/// Whether what is pending for the process is a channel.
pub(super) fn are_channel() -> bool {
    joined() && Switch::PolledSignals.is_on()
}

/// A call looks at a descriptor of signals.
pub(super) fn begin_look() {
    Switch::PolledSignals.come_up();
    join();
    if !are_channel() {
        end_run(None, LimitKind::Unmodelled);
    }
}

/// Makes an operation on what is pending for the process.
pub(super) fn request(requested: SignalOperation, site: SiteId) {
    let step = match requested {
        SignalOperation::Send { .. } => ChannelStep::Write,
        SignalOperation::Expire { .. } => ChannelStep::Expire,
        SignalOperation::SetTimer { .. } => ChannelStep::Set,
        SignalOperation::Look { .. } => ChannelStep::Poll,
        SignalOperation::Take { .. } => ChannelStep::Read,
        SignalOperation::Await { .. } => {
            unmodelled("sigwait or another wait for signals of the process, in a program that polls a signalfd", site)
        }
    };
    name();
    note_identity();
    let before = hold_back(true);
    // Who attempts to take a signal is ordered behind those who have sent some if any is pending.
    let wanted = if step == ChannelStep::Read { Wanted::joined(SIGNALS, true, false, false) } else { Wanted::NOTHING };
    perform(operation(SIGNALS, step).wanting(wanted, false), site);
    hold_back(before);
}

fn name() {
    note_name(Object::channel(SIGNALS).0, || "the signals of the process".into());
}

/// Waits until a signal is pending for the process that a descriptor takes, or looks whether there is one.
pub(super) fn await_one(of: ChannelEnd, waits: bool, site: SiteId) {
    name();
    note_identity();
    channels::begin_call(of.description);
    let wanted = Wanted::joined(of.channel, true, false, false);
    in_call(operation(SIGNALS, ChannelStep::Read).wanting(wanted, waits), site);
}

/// What is pending for the process may have changed, in the present transition. A new signal wakes who looks.
pub(super) fn note_changed(is_new: bool) {
    if !are_channel() {
        return;
    }
    channels::note_pending(sigaction::read_pending(sigaction::pending_of_process()), is_new);
    note_offer_of_signals();
}

/// A signal is sent to a thread, for which only that thread itself looks.
pub(super) fn refuse_of_thread(word: u64, site: SiteId) {
    if !are_channel() {
        return;
    }
    if word != sigaction::pending_of(me().index()) {
        unmodelled("a signal to another thread, in a program that polls a signalfd", site);
    }
    if channels::are_signals_watched() {
        unmodelled("a signal to a thread, in a program with an epoll instance that watches a signalfd", site);
    }
}

/// Events that a descriptor has for the running thread because of what is pending for itself.
pub(super) fn own_events(of: ChannelEnd) -> u32 {
    let pending = || sigaction::read_pending(sigaction::pending_of(me().index()));
    if of.end == End::Signals && pending() & channels::signals(of.channel) != 0 { IN } else { 0 }
}
