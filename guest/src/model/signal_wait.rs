//! Waits for signals (S20): `sigwait` and its kin, `sigsuspend`, `pause`.
//!
//! A wait is an attempt to take one of the signals; after one that has failed the thread rests until what is pending
//! changes. All are cancellation points.

use super::error::{EAGAIN, EINTR, EINVAL};
use super::pause::{is_valid_time, read_time};
use super::signal::{self, Handled, Possible, deliver, fail, possible, take, take_out};
use super::signal_mask::{before_blocking, read_set, set_at_once};
use super::{cancel, export, real, timer_start};
use crate::engine::expected_signals::note_expected;
use crate::engine::site::of_call;
use crate::engine::{forget_granted, last_event, me, note_uncontrolled, park, spoil_loops, with};
use crate::hooks::{argument_read, argument_write};
use crate::platform::{clock, sigaction, started};
use inspect_core::event::{ByteRange, Object, SignalOperation, SiteId};
use inspect_core::run::Request;

export! {
    interpose_sigwait / 2 => sigwait;
    interpose_sigwaitinfo / 2 => sigwaitinfo;
    interpose_sigtimedwait / 3 => sigtimedwait;
    interpose_sigsuspend / 1 => sigsuspend;
    interpose_pause / 0 => pause;
}

/// The words in which the running thread looks for signals, with what it has seen there. What it raises itself needs no
/// operation: it is taken out before.
struct Words {
    own: Option<Object>,
    process: Option<Object>,
}

impl Words {
    fn new() -> Words {
        let Possible { to_threads, to_process } = possible();
        // Where nobody can send it a signal, a thread waits for its own.
        let own = (to_threads || !to_process).then(|| signal::of_thread(me()));
        Words { own, process: to_process.then(signal::of_process) }
    }

    fn all(&self) -> impl Iterator<Item = Object> {
        self.own.into_iter().chain(self.process)
    }
}

fn seen(word: Object) -> (ByteRange, u64) {
    (SignalOperation::bytes_of(word), sigaction::read_pending(word.0))
}

/// Bytes of a set of signals, as the system has it.
pub(super) const KERNEL_SET: u64 = 8;

/// Waits for one of these signals; which handlers have run if, in the middle of that, one has, where these are looked
/// for.
pub(super) fn wait_for(signals: u64, with_handlers: bool, cancellable: bool, site: SiteId) -> Result<u8, Handled> {
    let words = Words::new();
    if let Some(signal) = take_out(signal::of_thread(me()), raised(&words, signals), site) {
        return Ok(signal);
    }
    run_handlers(with_handlers, site)?;
    let mut granted = false;
    loop {
        let mut watch = [(ByteRange { start: 0, len: 8 }, 0); 2];
        let mut count = 0;
        for word in words.all() {
            let succeeds = if core::mem::take(&mut granted) {
                last_event().operation.succeeded() == Some(true)
            } else {
                signal::request(SignalOperation::wait(word), word, signals, site)
            };
            if succeeds {
                spoil_loops();
                let Some(signal) = take_out(word, signals, site) else { unreachable!("it is pending") };
                return Ok(signal);
            }
            watch[count] = seen(word);
            count += 1;
        }
        run_handlers(with_handlers, site)?;
        rest(&words, signals, cancellable, &watch[..count], site);
        granted = true;
    }
}

/// Runs the handlers of what is pending, where they are looked for; which, if any.
fn run_handlers(with_handlers: bool, site: SiteId) -> Result<(), Handled> {
    match if with_handlers { deliver(site) } else { Handled::Nothing } {
        Handled::Nothing => Ok(()),
        handled => Err(handled),
    }
}

/// Those of the signals that the thread can only have raised itself.
fn raised(words: &Words, signals: u64) -> u64 {
    if words.own.is_none() { signals } else { 0 }
}

/// Rests until what is pending changes. The first attempt after that is in the trace when this returns.
fn rest(words: &Words, signals: u64, cancellable: bool, watch: &[(ByteRange, u64)], site: SiteId) {
    let Some(first) = words.all().next() else { unreachable!("a thread can raise signals") };
    let mut request = Request::new(SignalOperation::wait(first).into(), site).with_signals(signals);
    request.cancellable = cancellable;
    spoil_loops();
    if watch.len() > 1 {
        with(|engine| engine.watch_sets.note(watch.iter().map(|seen| seen.0)));
    }
    park(me(), request, watch, None);
    forget_granted(me());
}

/// The signals of a set for which the program waits: it expects them.
fn read_expected(at: u64, site: SiteId) -> u64 {
    let signals = read_set(at, site);
    note_expected(signals);
    signals
}

extern "C" fn sigwait(signals: u64, result: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sigwait" as fn(u64, u64) -> i32)(signals, result);
    }
    let site = of_call(pc);
    let signals = read_expected(signals, site);
    let signal = loop {
        let cancellable = cancel::choose(site);
        if let Ok(signal) = wait_for(signals, true, cancellable, site) {
            break signal;
        }
    };
    argument_write(result, 4, site);
    // SAFETY: the program's variable for the signal.
    unsafe { (result as *mut i32).write_unaligned(signal.into()) };
    0
}

/// Writes what is known of the signal that the running thread has taken last.
fn give_information(at: u64, signal: u8, site: SiteId) {
    const INFORMATION: u64 = 128;
    const BY_TKILL: i32 = -6;
    if at == 0 {
        return;
    }
    argument_write(at, INFORMATION, site);
    timer_start::note_information(site);
    let mut information = sigaction::information(signal.into());
    // The C library's functions do not tell signals to a thread from those to the process, as handlers do.
    if information[2].cast_signed() == BY_TKILL {
        information[2] = 0;
    }
    // SAFETY: the program's variable of this type.
    unsafe { (at as *mut [u32; 32]).write_unaligned(information) };
}

/// The running thread waits for signals in a call that may fail because another thread takes one of them.
fn note_wait(signals: u64, site: SiteId) {
    if with(|engine| engine.signal_takers.wait(me(), signals)) {
        note_uncontrolled(signal::TAKEN_BY_ANOTHER.into(), site);
    }
}

extern "C" fn sigwaitinfo(signals: u64, information: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sigwaitinfo" as fn(u64, u64) -> i32)(signals, information);
    }
    let site = of_call(pc);
    let signals = read_expected(signals, site);
    note_wait(signals, site);
    let cancellable = cancel::choose(site);
    let Ok(signal) = wait_for(signals, true, cancellable, site) else { return fail(EINTR) };
    give_information(information, signal, site);
    signal.into()
}

/// A wait with a time limit is an attempt: one that is made too early has expired, and one that waits longer is made
/// later.
extern "C" fn sigtimedwait(signals: u64, information: u64, length: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sigtimedwait" as fn(u64, u64, u64) -> i32)(signals, information, length);
    }
    if length == 0 {
        return sigwaitinfo(signals, information, pc);
    }
    let site = of_call(pc);
    let signals = read_expected(signals, site);
    argument_read(length, 16, site);
    if !is_valid_time(length) {
        return fail(EINVAL);
    }
    let length = read_time(length).nanoseconds().unwrap_or(0);
    if length > 0 {
        note_wait(signals, site);
    }
    cancel::point(site);
    // A call that does not wait is not interrupted.
    if deliver(site) != Handled::Nothing && length > 0 {
        return fail(EINTR);
    }
    if let Some(signal) = take(signals, site) {
        give_information(information, signal, site);
        return signal.into();
    }
    cancel::point(site);
    clock::advance(length);
    fail(EAGAIN)
}

/// Waits until a handler has run, while the running thread blocks these signals only.
fn suspend(mask: u64, site: SiteId) -> i32 {
    // Until the call begins to wait, a handler may run that the caller has just looked for in vain.
    deliver(site);
    let before = sigaction::mask_of(me().index());
    // Their handlers run before the call.
    before_blocking(mask & !before, site);
    sigaction::set_mask(mask);
    let mut handled = Handled::Nothing;
    while handled == Handled::Nothing {
        let cancellable = cancel::choose(site);
        if let Ok(signal) = wait_for(!mask, false, cancellable, site) {
            handled = signal::act(signal, !mask, site);
        }
    }
    set_at_once(before, site);
    fail(EINTR)
}

extern "C" fn sigsuspend(mask: u64, pc: u64) -> i32 {
    if !started() {
        return real!("sigsuspend" as fn(u64) -> i32)(mask);
    }
    let site = of_call(pc);
    let mask = read_set(mask, site);
    suspend(mask, site)
}

extern "C" fn pause(pc: u64) -> i32 {
    if !started() {
        return real!("pause" as fn() -> i32)();
    }
    let site = of_call(pc);
    suspend(sigaction::mask_of(me().index()), site)
}
