//! What hooks say about the loops of the running thread (see [`super::spin`]).

use super::attention::{self, attention};
use super::clocks::park_in_time;
use super::memory::Exchange;
use super::service_stack::on_service_stack;
use super::site::is_unread;
use super::state::with;
use super::step::{decide_parked, follow_word, settle};
use super::threads::me;
use inspect_core::event::{ByteRange, MADE_UP, SiteId, ThreadId};
use inspect_core::run::Request;

/// The running thread is at the head of a loop. Returns when its next iteration is to run.
pub(crate) fn park_at_loop_head(site: u64, frame: u64, values: &[u64]) {
    let me = me();
    settle(me);
    let next = look_on_service_stack(me, site, frame, values.as_ptr(), values.len());
    if next != GOES_ON {
        follow_word(me, next);
    }
}

/// The thread is not parked.
const GOES_ON: u32 = u32::MAX;

on_service_stack!(look_on_service_stack(me: ThreadId, site: u64, frame: u64, values: *const u64, count: usize) -> u32 => look);

/// Looks whether the thread is to be parked, and parks it. Returns [`GOES_ON`], or what the scheduler decides.
///
/// Runs on the service stack: what is watched takes as much room as most threads need for all their calls, and pages of
/// the threads' stacks that a run has written to have to be brought back after it.
extern "C" fn look(me: ThreadId, site: u64, frame: u64, values: *const u64, count: usize) -> u32 {
    // SAFETY: `park_at_loop_head` passes the parts of a slice that outlives the call.
    let values = unsafe { core::slice::from_raw_parts(values, count) };
    let parking = with(|engine| {
        // A log of several rounds would be one more thing in which two states can differ.
        let one_round = engine.state_recorder.is_some();
        let parking = engine.loops.head(me, (site, frame), values, &mut engine.watch_sets, one_round)?;
        if parking.first.conditional
            && let Some(range) = parking.first.operation.bytes()
        {
            engine.memory.announce(me, Exchange { range, expected: parking.expected });
        }
        if let Some(passed_at) = parking.time_passes_at {
            park_in_time(engine, me, passed_at);
        }
        Some(parking)
    });
    parking.map_or(GOES_ON, |parking| {
        decide_parked(me, parking.first, (parking.watch(), parking.stored, parking.unread_stores()), parking.mutex)
    })
}

/// The running thread is about to enter a loop from outside: what was logged when it was in that loop before is not
/// part of an iteration now.
pub(crate) fn enter_loop(site: u64) {
    let me = me();
    if attention(me) & attention::LOOP != 0 {
        with(|engine| engine.loops.enter(me, site));
    }
}

/// The running thread does something that another iteration need not repeat.
pub(crate) fn spoil_loops() {
    let me = me();
    if attention(me) & attention::LOOP != 0 {
        with(|engine| engine.loops.spoil(me));
    }
}

/// Logs a plain access for the running thread's loops. State of the library, at a made-up address, has no value that
/// could be watched.
pub(crate) fn log_plain(range: ByteRange, write: bool, request: &Request) {
    if range.start & MADE_UP != 0 {
        spoil_loops();
    } else if write {
        log_write(request, range);
    } else {
        log_read(request, [0; 2], range);
    }
}

/// Logs a read for the running thread's loops; `expected` is what it compares with if it is a compare-exchange.
pub(crate) fn log_read(request: &Request, expected: [u64; 2], range: ByteRange) {
    with(|engine| engine.loops.read(me(), request, expected, range));
}

/// Logs a write for the running thread's loops.
pub(crate) fn log_write(request: &Request, range: ByteRange) {
    with(|engine| engine.loops.write(me(), request, range));
}

/// Logs that a futex word does not have the value for which the running thread wanted to wait.
pub(crate) fn log_futex_look(request: &Request, word: ByteRange) {
    let me = me();
    if attention(me) & attention::LOOP != 0 {
        with(|engine| engine.loops.did_not_wait(me, request, word));
    }
}

/// Logs a write to memory that no other thread changes for the running thread's loops.
pub(crate) fn log_own_write(range: ByteRange, site: SiteId) {
    if is_unread(site) {
        return;
    }
    with(|engine| {
        let me = me();
        engine.loops.settle(me);
        engine.loops.write_own(me, range);
    });
}
