//! Which signals interrupt threads (S20).
//!
//! A thread looks for signals before each of its operations only if that can matter: if some run has shown that a
//! signal was sent to a thread which did not block it. The search then begins anew, as it does when a location is
//! promoted, and in it every thread that does not block the signal looks for it. In a program that sends none, or whose
//! threads all block what is sent (and take it by `sigwait`), no thread looks.

use super::attention;
use super::interrupting::{interrupting, set_interrupting};
use super::state::with;
use super::threads::me;
use super::visibility;
use crate::platform::ARENAS;
use crate::platform::upcalls::upcalls;
use inspect_core::event::{ByteRange, Object, SignalOperation, ThreadId};
use inspect_core::run::Request;

/// The largest number of a signal.
pub(crate) const LAST: u8 = 64;

/// A reason for an inconclusive verdict: such a handler runs, but not before each operation before which it could.
pub(crate) const BESIDE_THREADS: &str = "a handler of signals that threads send";
/// A call that is not modelled: the end of a wait by a handler.
pub(crate) const IN_WAIT: &str = "a handler of signals in the middle of a wait for a condition variable or a futex";

/// The location that stands for a signal among the promoted ones, in the arenas' own records behind those of the
/// switches.
fn location(signal: u8) -> ByteRange {
    ByteRange { start: ARENAS.start + 8 * (64 + u64::from(signal)), len: 1 }
}

/// Whether a promoted location stands for a signal.
pub(super) fn is_location(range: ByteRange) -> bool {
    (1..=LAST).any(|signal| location(signal) == range)
}

/// Reads from the promoted locations which signals interrupt threads.
pub(super) fn take_over() {
    let promoted = |signal: &u8| visibility::promoted().contains(&location(*signal));
    let signals = (1..=LAST).filter(promoted).fold(0, |all, signal| all | SignalOperation::bit(signal));
    if signals != 0 {
        set_interrupting(signals);
        attention::always(attention::SIGNALS);
    }
}

/// A signal was sent that interrupts a thread. Returns whether the search knew that it may; if not, it begins anew.
#[cold]
pub(crate) fn come_up(signal: u8) -> bool {
    let known = interrupting() & SignalOperation::bit(signal) != 0;
    with(|engine| {
        if !known && !engine.racing.contains(&location(signal)) {
            engine.racing.push(location(signal));
        }
    });
    known
}

/// Sets whether the running thread looks for no signals (`on`), as in the middle of a look and once it is about to end.
/// Returns the previous setting.
pub(crate) fn hold_back(on: bool) -> bool {
    with(|engine| core::mem::replace(&mut engine.threads[me().index()].holds_back, on))
}

/// Sets whether the running thread has looked for signals right before its next operation.
pub(crate) fn note_looked(on: bool) {
    with(|engine| engine.threads[me().index()].has_looked = on);
}

/// Whether the running thread looks before each of its operations whether it was cancelled.
#[cold]
pub(crate) fn cancel_at_once(on: bool) {
    attention::set_attention(me(), attention::CANCELLED_AT_ONCE, on);
}

/// The running thread has requested an operation: before it, the thread may be cancelled, or signals interrupt it.
#[cold]
pub(super) fn before_operation(me: ThreadId) {
    let (request, exchange) = with(|engine| (*engine.run.request(me), engine.memory.announced(me)));
    let (holds_back, has_looked) = with(|engine| {
        let thread = &mut engine.threads[me.index()];
        (thread.holds_back, core::mem::take(&mut thread.has_looked))
    });
    if holds_back || has_looked || request.operation.is_last() {
        return;
    }
    if attention::attention(me) & attention::CANCELLED_AT_ONCE != 0 {
        before_cancellable(&request);
    }
    upcalls().on_boundary(request.site);
    with(|engine| {
        engine.memory.announce(me, exchange);
        engine.run.set_request(me, request);
    });
}

/// The same for a thread that may be cancelled at any time. Calls that do not concern cancellation are undefined there:
/// such a call is named in the verdict, and the thread is not cancelled between the call's operations.
fn before_cancellable(request: &Request) {
    let operation = &request.operation;
    let is_access = operation.access().is_some() && operation.objects()[0].is_none() && !operation.concerns_signals();
    let is_of_cancellation = |(object, _): (Object, _)| object.cancelled_thread().is_some();
    if is_access || operation.cancels().is_some() {
        upcalls().on_cancellable(request.site);
    } else if !operation.objects()[0].is_some_and(is_of_cancellation) {
        upcalls().on_unsafe_call(operation.name(), request.site);
    }
}
