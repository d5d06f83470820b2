//! When the virtual clocks of threads are brought up to date (see [`super::times`]).

use super::service_stack::on_service_stack;
use super::state::{RUNNING, with};
use crate::platform::is_on_engine_stack;

on_service_stack!(catch_up_on_service_stack() => catch_up);

extern "C" fn catch_up() {
    with(|engine| engine.times.catch_up(engine.watch_sets.resolve(engine.run.events())));
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
