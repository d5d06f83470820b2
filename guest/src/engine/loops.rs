//! What hooks report about the loops of the running thread (see [`super::spin`]).

use super::attention::{self, attention};
use super::memory::Exchange;
use super::site::is_unread;
use super::state::with;
use super::step::{park, settle};
use super::threads::me;
use inspect_core::event::{ByteRange, SiteId};
use inspect_core::run::Request;

/// The running thread is at the head of a loop. Returns when its next iteration is to run.
pub(crate) fn park_at_loop_head(site: u64, frame: u64, values: &[u64]) {
    let me = me();
    settle(me);
    let parking = with(|engine| {
        let parking = engine.loops.head(me, site, frame, values, &mut engine.watch_sets)?;
        if parking.first.conditional
            && let Some(range) = parking.first.operation.bytes()
        {
            engine.memory.announce(me, Exchange { range, expected: parking.expected });
        }
        Some(parking)
    });
    if let Some(parking) = parking {
        park(me, parking.first, parking.watch(), parking.mutex);
    }
}

/// The running thread is about to enter a loop from outside: what it did in the loop before is no iteration now.
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

/// Logs a plain access for the running thread's loops.
pub(crate) fn log_plain(range: ByteRange, write: bool, request: &Request) {
    if write {
        log_write(request, range);
    } else {
        log_read(request, [0; 2], range);
    }
}

/// Logs a read.
pub(crate) fn log_read(request: &Request, expected: [u64; 2], range: ByteRange) {
    with(|engine| engine.loops.read(me(), request, expected, range));
}

/// Logs a write.
pub(crate) fn log_write(request: &Request, range: ByteRange) {
    with(|engine| engine.loops.write(me(), request, range));
}

/// Logs a write to memory that no other thread changes.
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
