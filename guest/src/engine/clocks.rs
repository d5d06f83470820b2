//! When the virtual clocks of threads are brought up to date (see [`super::times`]).

use super::attention::{self, attention};
use super::service_stack::on_service_stack;
use super::state::{Engine, RUNNING, with};
use super::threads::me;
use crate::platform::{clock, is_on_engine_stack};
use inspect_core::event::{SiteId, ThreadId};
use inspect_wire::message::InconclusiveReason;

on_service_stack!(catch_up_on_service_stack() => catch_up);

extern "C" fn catch_up() {
    with(catch_up_with_run);
}

fn catch_up_with_run(engine: &mut Engine) {
    engine.times.catch_up(engine.watch_sets.resolve(engine.run.events()));
}

/// Brings all virtual clocks up to date. Called before a clock moves on, also by the handler of a
/// system call. The handler stays on its own stack: if it left it, the kernel would take that stack for free and put
/// the next signal's frame over the handler's.
pub(crate) fn before_time_passes() {
    if RUNNING.read() && is_on_engine_stack() {
        catch_up();
    } else if RUNNING.read() {
        catch_up_on_service_stack();
    }
}

/// The running thread lets time pass, which its loops may do in each round.
pub(crate) fn note_time_passes() {
    if RUNNING.read() && attention(me()) & attention::LOOP != 0 {
        with(|engine| engine.loops.pass_time(me()));
    }
}

/// The thread is parked in a loop in whose rounds time passes, at this place: how much of it will have passed when the
/// thread goes on is not explored. The clocks take in the events so far first, which do not depend on it.
pub(super) fn park_in_time(engine: &mut Engine, thread: ThreadId, passed_at: SiteId) {
    catch_up_with_run(engine);
    clock::note_loop(thread.index(), passed_at);
}

/// The running thread is shown, at this place, what its clock shows.
pub(crate) fn note_time_shown(shown_at: SiteId) {
    if let Some(passed_at) = clock::after_loop() {
        note_time_after_loop(passed_at, shown_at);
    }
}

/// The running thread is shown a time that depends on how often a parked loop goes round: one number is explored.
pub(crate) fn note_time_after_loop(passed_at: SiteId, shown_at: SiteId) {
    if RUNNING.read() {
        with(|engine| engine.note_reason(InconclusiveReason::TimeAfterLoop { passed_at, shown_at }));
    }
}
