//! Which signals a thread blocks, and what is pending (S20).
//!
//! A thread that blocks signals first takes those of them that are pending: until then it does not block them. One that
//! unblocks signals takes those that are pending before the call returns, as POSIX requires. So all orders of sends
//! with changes of a mask are explored.

use super::error::EINVAL;
use super::signal::{self, Handled, deliver_with, fail, some_are_sent, take};
use super::{export, real};
use crate::engine::expected_signals::note_expected;
use crate::engine::me;
use crate::engine::site::of_call;
use crate::hooks::{argument_read, argument_write};
use crate::platform::{sigaction, started};
use inspect_core::event::{SignalOperation, SiteId};

export! {
    interpose_pthread_sigmask / 3 => pthread_sigmask;
    interpose_sigprocmask / 3 => sigprocmask;
    interpose_sigpending / 1 => sigpending;
}

/// Bytes of the C library's sets, of which the first eight are used.
const SET: u64 = 128;

/// The signals of a set of the program's.
pub(super) fn read_set(at: u64, site: SiteId) -> u64 {
    argument_read(at, SET, site);
    // SAFETY: the program passes a set; if not, it faults here as it would there.
    unsafe { (at as *const u64).read_unaligned() }
}

fn write_set(at: u64, signals: u64, site: SiteId) {
    argument_write(at, SET, site);
    // SAFETY: the program's variable for a set.
    unsafe { (at as *mut u64).write_unaligned(signals) };
}

/// The running thread is about to block these signals, which it does not block yet.
pub(super) fn before_blocking(signals: u64, site: SiteId) -> Handled {
    let mut handled = Handled::Nothing;
    while signals != 0
        && let Some(taken) = take(signals, site)
    {
        handled = handled.and(signal::act(taken, signals, site));
    }
    handled
}

/// The running thread blocks these signals, and no others, from now on; returns which handlers have run.
pub(super) fn set(mask: u64, site: SiteId) -> Handled {
    let before = sigaction::mask_of(me().index());
    before_blocking(mask & !before, site).and(set_at_once(mask, site))
}

/// The same where the system sets the mask as a handler returns: no signal is taken any more that is blocked from then
/// on.
pub(super) fn set_at_once(mask: u64, site: SiteId) -> Handled {
    let unblocked = sigaction::mask_of(me().index()) & !mask;
    sigaction::set_mask(mask);
    signal::note_unblocked(unblocked, site);
    if unblocked == 0 { Handled::Nothing } else { deliver_with(unblocked, site) }
}

fn change(how: i32, new: u64, old: u64, site: SiteId) -> i32 {
    let before = sigaction::mask_of(me().index());
    let given = (new != 0).then(|| read_set(new, site));
    let after = match given {
        None => before,
        Some(given) => match sigaction::changed_mask(how as u64, before, given) {
            Some(after) => after,
            None => return EINVAL,
        },
    };
    if old != 0 {
        write_set(old, before, site);
    }
    if after != before {
        set(after, site);
    }
    0
}

extern "C" fn pthread_sigmask(how: i32, new: u64, old: u64, pc: u64) -> i32 {
    let real = real!("pthread_sigmask" as fn(i32, u64, u64) -> i32);
    if !started() {
        return real(how, new, old);
    }
    let site = of_call(pc);
    if !some_are_sent() {
        announce(new, old, site);
        return real(how, new, old);
    }
    change(how, new, old, site)
}

fn announce(new: u64, old: u64, site: SiteId) {
    if new != 0 {
        argument_read(new, SET, site);
    }
    if old != 0 {
        argument_write(old, SET, site);
    }
}

extern "C" fn sigprocmask(how: i32, new: u64, old: u64, pc: u64) -> i32 {
    let real = real!("sigprocmask" as fn(i32, u64, u64) -> i32);
    if !started() {
        return real(how, new, old);
    }
    let site = of_call(pc);
    if !some_are_sent() {
        announce(new, old, site);
        return real(how, new, old);
    }
    match change(how, new, old, site) {
        0 => 0,
        error => fail(error),
    }
}

extern "C" fn sigpending(signals: u64, pc: u64) -> i32 {
    let real = real!("sigpending" as fn(u64) -> i32);
    if !started() {
        return real(signals);
    }
    let site = of_call(pc);
    if !some_are_sent() {
        argument_write(signals, SET, site);
        return real(signals);
    }
    note_expected(sigaction::mask_of(me().index()));
    signal::deliver(site);
    let words = [signal::of_thread(me()), signal::of_process()];
    let pending = words.map(|word| {
        signal::request(SignalOperation::look(word), word, 0, site);
        sigaction::read_pending(word.0)
    });
    write_set(signals, (pending[0] | pending[1]) & sigaction::mask_of(me().index()), site);
    0
}
