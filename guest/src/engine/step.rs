//! What a thread does at a visible operation: request it, let the scheduler decide, switch to the thread that goes on.
//!
//! The fast path stays on the fiber's stack: if the same thread goes on, the hook returns; otherwise it switches
//! straight to the next thread. Only the end of a run goes back to the engine's own stack.

use super::attention::{self, attention, set_attention};
use super::parking::Location;
use super::pause::pause;
use super::service_stack::on_service_stack;
use super::state::{Engine, Trouble, with};
use super::threads::{CONTEXTS, Granted, HOME, me};
use super::{detection, interruptions, memory, pruning_log, stack_walk, states};
use crate::platform::{fiber, watchdog};
use inspect_core::detect::FindingKind;
use inspect_core::event::{ByteRange, Event, EventIndex, Footprint, LimitKind, Object, Operation, SiteId, ThreadId};
use inspect_core::run::{Misuse, MutexWatch, Next, Request};
use inspect_wire::message::InconclusiveReason;
use inspect_wire::message::ReportedValues;

/// The running thread reaches a visible operation. Returns when the thread is to perform it; the event is
/// [`last_event`].
#[inline(always)]
pub(crate) fn visible(request: Request) {
    let me = me();
    with(|engine| engine.run.set_request(me, request));
    requested(me);
}

/// The running thread has said what it requests.
#[inline(always)]
fn requested(me: ThreadId) {
    if attention(me) != 0 {
        return watched(me);
    }
    arrive(me);
}

/// The running thread has requested its operation: lets the scheduler decide, and does what it says.
#[inline(always)]
fn arrive(me: ThreadId) {
    watchdog::note_progress();
    follow_word(me, decide_on_service_stack(me));
}

const END: u32 = 0;
const EXECUTE: u32 = 1;
const RESUME: u32 = 2;
/// The bits of the thread's number in a [`word`].
const THREAD: u32 = 16;

/// What the scheduler has decided, as a function on the service stack returns it: [`END`], or [`EXECUTE`] or [`RESUME`]
/// above the thread's number.
#[inline(always)]
fn word(next: Next) -> u32 {
    match next {
        Next::Execute(thread) => EXECUTE << THREAD | u32::from(thread.0),
        Next::Resume(thread) => RESUME << THREAD | u32::from(thread.0),
        Next::End => END,
    }
}

/// Does what the scheduler has decided, given as a word.
#[inline(always)]
pub(super) fn follow_word(me: ThreadId, next: u32) {
    let thread = ThreadId::at((next & ((1 << THREAD) - 1)) as usize);
    match next >> THREAD {
        EXECUTE => follow(me, Next::Execute(thread)),
        RESUME => follow(me, Next::Resume(thread)),
        _ => follow(me, Next::End),
    }
}

on_service_stack!(decide_on_service_stack(me: ThreadId) -> u32 => decide);

/// Lets the scheduler decide. Returns its decision as a [`word`].
extern "C" fn decide(me: ThreadId) -> u32 {
    if with(|engine| engine.run.events().len() as u32 >= *engine.checkpoint_at) {
        pause();
    }
    let next = with(|engine| {
        if !engine.watch_sets.is_empty() {
            alias(engine, me);
        }
        engine.run.arrived(me);
        let next = next(engine, me);
        detection::feed(engine);
        next
    });
    word(next)
}

/// Makes the requested operation the one that the search is to see. Not inlined: the request was just written, and is
/// copied here.
#[inline(never)]
fn alias(engine: &mut Engine, me: ThreadId) {
    let operation = engine.run.request(me).operation;
    engine.run.set_operation(me, engine.watch_sets.alias(me, operation));
}

/// What the scheduler says now that the running thread has arrived.
#[inline(always)]
fn next(engine: &mut Engine, me: ThreadId) -> Next {
    if engine.run.is_any_parked() {
        note_repeated_store(engine, me);
    }
    if engine.state_recorder.is_some() { states::next(engine, me) } else { engine.run.next(&engine.memory) }
}

/// The thread has performed its previous operation: if that stored where a parked loop stores, and did not wake it,
/// the loop's next store is not explored: an inconclusive verdict ([`inspect_core::run::Run::is_stored_again`]).
#[cold]
#[inline(never)]
fn note_repeated_store(engine: &mut Engine, me: ThreadId) {
    const STORE: &str = "an atomic store of the value that a waiting loop stores there, too";
    let last = engine.watch_sets.resolve(engine.run.events()).last().filter(|last| last.thread == me);
    let Some((range, site)) = last.and_then(|last| Some((last.operation.stored()?, last.site))) else { return };
    let reason = InconclusiveReason::Unmodelled { call: STORE.into(), site };
    if !engine.uncontrolled.contains(&reason) && engine.run.is_stored_again(me, range, &engine.memory) {
        engine.uncontrolled.push(reason);
    }
}

/// A visible operation of a thread that has a reason for attention.
#[cold]
#[inline(never)]
fn watched(me: ThreadId) {
    if attention(me) & attention::RECORDS != 0 {
        pruning_log::operation();
    }
    if attention(me) & attention::STALLED != 0 {
        goes_on(me);
    }
    settle(me);
    if attention(me) & (attention::SIGNALS | attention::CANCELLED_AT_ONCE) != 0 {
        interruptions::before_operation(me);
    }
    let request = with(|engine| *engine.run.request(me));
    if attention(me) & attention::VALUES != 0 {
        stack_walk::arrive(request.site);
    }
    if !take_granted(me, place(&request.operation), request.site) {
        arrive(me);
    }
    note_value(me);
    log_of_loops(me, &request);
}

/// A thread that made no progress goes on after all.
fn goes_on(me: ThreadId) {
    set_attention(me, attention::STALLED, false);
    with(|engine| engine.observation.forget());
}

/// Logs the operation, just granted, for the thread's loops. Accesses to memory are logged where they are made.
fn log_of_loops(me: ThreadId, request: &Request) {
    let operation = &request.operation;
    if attention(me) & attention::LOOP == 0 || operation.is_idle() {
        return;
    }
    // The model of a wait for a futex word, or of a look for a request to cancel, logs what came of it.
    let is_of_cancellation = |(object, _): (Object, _)| object.cancelled_thread().is_some();
    if operation.objects()[0].is_some_and(is_of_cancellation) {
        return;
    }
    let waits = operation.bytes().is_some() && operation.objects()[0].is_some();
    if operation.bytes().is_some() && !waits || waits && does_not_wait() {
        return;
    }
    let changes_hold = |operation: &Operation| operation.hold().is_some() || operation.is_failed_lock();
    with(|engine| {
        let executed = *engine.run.last_event();
        // Operations on semaphores and locks for reading change no hold, but a failed attempt at one counts as a failed
        // lock. So request and event are both asked.
        if changes_hold(operation)
            && changes_hold(&executed.operation)
            && operation.wait().is_none()
            && operation.lifecycle().is_none()
        {
            engine.loops.mutex(me, request, &executed.operation);
        } else {
            engine.loops.spoil(me);
        }
    });
}

/// Whether the running thread has just looked at a futex word, and did not wait for it.
fn does_not_wait() -> bool {
    last_event().operation.wait().is_none()
}

/// What distinguishes an operation from others at its site: the first bytes that it touches.
fn place(operation: &Operation) -> Option<ByteRange> {
    Footprint::of(operation).iter().next().map(|(range, _)| range)
}

/// Records for a report what memory holds before the operation just granted, and the call stack of its event.
fn note_value(me: ThreadId) {
    if attention(me) & attention::VALUES == 0 {
        return;
    }
    with(|engine| {
        let events = engine.watch_sets.resolve(engine.run.events());
        // Events of other threads may follow that of the operation, after a create or a wait.
        let Some(at) = events.iter().rposition(|event| event.thread == me) else { return };
        engine.call_stacks.executed(me, at);
        let Some(range) = events[at].operation.bytes().filter(|&range| memory::is_real(range)) else { return };
        let short = ByteRange { len: range.len.min(8), ..range };
        let values = &mut engine.trace_values.by_event;
        values.resize(events.len(), ReportedValues { before: 0, after: 0 });
        // The range of a plain access was not probed.
        let before = memory::value_if_any(short);
        values[at] = ReportedValues { before, after: before };
        engine.threads[me.index()].unsettled = Some((at as u32, short));
    });
}

/// Completes what the thread's previous operation left open, now that it has been performed.
pub(crate) fn settle(me: ThreadId) {
    with(|engine| {
        engine.loops.settle(me);
        if let Some((at, range)) = engine.threads[me.index()].unsettled.take() {
            engine.trace_values.by_event[at as usize].after = memory::value_if_any(range);
        }
    });
}

/// Whether the trace holds this operation already, as the one with which the thread was woken from a park. A thread
/// that was woken and comes to another operation is a defect.
pub(crate) fn take_granted(me: ThreadId, place: Option<ByteRange>, site: SiteId) -> bool {
    if attention(me) & attention::GRANTED == 0 {
        return false;
    }
    set_attention(me, attention::GRANTED, false);
    let granted = with(|engine| engine.threads[me.index()].granted.take());
    match (granted, place) {
        (Some(granted), Some(place)) if granted.place == place && granted.site == site => true,
        _ => end_run(
            Some(Trouble::Defect("a spin loop went on with another operation than before".into())),
            LimitKind::Unmodelled,
        ),
    }
}

/// Whether the running thread was woken from a park with its operation on this object, which is in the trace already.
#[inline(always)]
pub(crate) fn is_granted(object: u64) -> bool {
    let is_of_object = |granted: Granted| granted.place.start == object;
    attention(me()) & attention::GRANTED != 0
        && with(|engine| engine.threads[me().index()].granted.is_some_and(is_of_object))
}

/// The thread was woken from a park that no hook follows: a wait inside the C library.
pub(crate) fn forget_granted(me: ThreadId) {
    set_attention(me, attention::GRANTED, false);
    with(|engine| engine.threads[me.index()].granted = None);
}

/// [`visible`] for a call that is a misuse, if `misuse` says so, whatever the scheduler decides.
#[inline(always)]
pub(crate) fn visible_misusing(request: Request, misuse: Option<(FindingKind, Object)>) {
    let me = me();
    with(|engine| engine.run.set_request(me, request));
    if let Some((kind, object)) = misuse {
        note_requested_misuse(kind, object);
    }
    requested(me);
}

/// Notes that what the running thread has requested, last of all, is a misuse. It reads the request where it was
/// written: an address of the one that was passed would keep a copy of it in memory, on the way of every call that is
/// none.
#[cold]
#[inline(never)]
pub(crate) fn note_requested_misuse(kind: FindingKind, object: Object) {
    let Request { operation, site, .. } = with(|engine| *engine.run.request(me()));
    note_misuse(kind, operation, object, site);
}

/// Notes a misuse by the running thread.
#[cold]
pub(crate) fn note_misuse(kind: FindingKind, operation: Operation, object: Object, site: SiteId) {
    let at = EventIndex(0);
    detection::note(Misuse { kind, thread: me(), site, operation: Some(operation), object, at, other: None });
}

/// As [`note_misuse`], for a finding that is about no operation and no object.
#[cold]
pub(crate) fn note_finding(kind: FindingKind, site: SiteId) {
    let (object, at) = (Object(0), EventIndex(0));
    detection::note(Misuse { kind, thread: me(), site, operation: None, object, at, other: None });
}

/// The running thread parks at the head of a loop until one of the watched locations has another value, or until the
/// change of the watched mutex. Returns when it goes on.
pub(crate) fn park(me: ThreadId, request: Request, watch: &[(ByteRange, u64)], mutex: Option<MutexWatch>) {
    follow_word(me, decide_parked(me, request, (watch, 0, &[]), mutex));
}

/// As [`park`], but returns at once, with what the scheduler decides: the thread then has to follow it. `stored` says
/// to which of the locations the thread stores in each iteration, a bit each; `unread_stores` are further ones.
pub(super) fn decide_parked(
    me: ThreadId,
    mut request: Request,
    (watch, stored, unread_stores): (&[Location], u64, &[Location]),
    mutex: Option<MutexWatch>,
) -> u32 {
    let place = place(&request.operation);
    watchdog::note_progress();
    if attention(me) & attention::STALLED != 0 {
        goes_on(me);
    }
    let next = with(|engine| {
        engine.threads[me.index()].granted = place.map(|place| Granted { place, site: request.site });
        if !engine.watch_sets.is_empty() {
            request.operation = engine.watch_sets.alias(me, request.operation);
        }
        engine.run.park(me, request, watch, mutex);
        engine.run.note_stores(me, stored, unread_stores);
        let next = next(engine, me);
        detection::feed(engine);
        next
    });
    set_attention(me, attention::GRANTED, true);
    word(next)
}

/// Does what the scheduler has decided.
#[inline(always)]
pub(crate) fn follow(me: ThreadId, next: Next) {
    match next {
        Next::Execute(thread) | Next::Resume(thread) => {
            if thread != me {
                switch_to(me, thread);
            }
        }
        Next::End => go_home(me),
    }
}

/// Suspends the running thread and lets another one run.
#[inline(always)]
pub(crate) fn switch_to(me: ThreadId, thread: ThreadId) {
    fiber::set_current_slot(thread.index());
    let contexts = CONTEXTS.as_ptr();
    // SAFETY: the scheduler only names threads that were prepared and are suspended; contexts live for good.
    unsafe { fiber::switch(&raw mut (*contexts)[me.index()], &raw const (*contexts)[thread.index()]) };
}

/// The run is over: suspends the running thread for good and goes back to the engine.
fn go_home(me: ThreadId) -> ! {
    // A run that is made again with more slots has shown nothing.
    if with(|engine| *engine.stops_in_debugger && !matches!(engine.trouble, Some(Trouble::GrowTo(_)))) {
        // SAFETY: a debugger holds the process and takes the trap; the run is over, on the stack that ended it.
        unsafe { core::arch::asm!("int3", options(nomem, nostack)) };
    }
    // SAFETY: the engine waits at its context; it saved itself there when it started the run.
    unsafe { fiber::switch(&raw mut (*CONTEXTS.as_ptr())[me.index()], HOME.as_ptr()) };
    unreachable!("a run that is over does not go on");
}

/// Breaks the run off because of a limit, from the running thread.
pub(crate) fn end_run(trouble: Option<Trouble>, limit: LimitKind) -> ! {
    with(|engine| {
        engine.trouble = trouble;
        engine.run.cut(limit);
    });
    go_home(me())
}

/// The event executed last, of whatever thread.
pub(crate) fn last_event() -> Event {
    with(|engine| *engine.run.last_event())
}
