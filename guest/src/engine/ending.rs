//! How a thread of the program ends the process or the run.

use super::service_stack::on_service_stack;
use super::state::{Trouble, with};
use super::step::{end_run, visible};
use super::threads::me;
use alloc::format;
use alloc::string::String;
use inspect_core::event::{ControlOperation, EndKind, LimitKind, Operation, SiteId};
use inspect_core::run::Request;

/// The running thread wants to end the process. The operation waits until no other thread can go on.
pub(crate) fn end_process(kind: EndKind, site: SiteId) -> ! {
    visible(Request::new(Operation::Control(ControlOperation::EndProcess(kind)), site));
    // The scheduler ends the run when it executes the operation, so the thread never goes on.
    defect("a thread went on after the end of the process")
}

/// The running thread ends the process by a fatal signal.
pub(crate) fn fault(signal: i32, site: SiteId) -> ! {
    end_process(EndKind::Signal(signal as u8), site)
}

/// Notes where the running thread begins to end the process: exit handlers run before the operation.
pub(crate) fn note_exit(site: SiteId) {
    with(|engine| engine.threads[me().index()].exit = site);
}

on_service_stack!(keeps_buffers_on_service_stack() -> u32 => keeps_buffers_here);

extern "C" fn keeps_buffers_here() -> u32 {
    with(|engine| engine.kept.keeps_buffers().into())
}

/// Whether any stream has its buffer in memory of the program's own. Exit handlers may read the stack that this is
/// called on.
pub(crate) fn keeps_buffers() -> bool {
    keeps_buffers_on_service_stack() != 0
}

/// The running thread makes a call that Inspect has no model of: the run is cut.
pub(crate) fn unmodelled(call: &str, site: SiteId) -> ! {
    end_run(Some(Trouble::Unmodelled(String::from(call), site)), LimitKind::Unmodelled)
}

/// The program has called a function that is modelled only once all other threads are joined.
pub(crate) fn unmodelled_beside_threads(call: &str, site: SiteId) -> ! {
    let call = format!("{call} beside threads that are not joined");
    end_run(Some(Trouble::Unmodelled(call, site)), LimitKind::Unmodelled)
}

/// A defect of Inspect, found while the program runs: the run is cut, and the search ends with this message.
fn defect(message: &str) -> ! {
    end_run(Some(Trouble::Defect(String::from(message))), LimitKind::Unmodelled)
}
