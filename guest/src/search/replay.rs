//! Makes one run again, by its steps, and reports everything about it.

use super::findings;
use super::report::{self, Reporter};
use super::runner::Runner;
use crate::engine::defect::tool_error;
use crate::engine::state::{Trouble, with};
use crate::platform::{output, sys, watchdog};
use alloc::vec::Vec;
use inspect_core::event::{Ending, Plan, Step};
use inspect_core::explore::Counts;
use inspect_wire::message::{InconclusiveReason, Message};

/// Makes the run of these steps and reports its trace and what is found. If the replay is `live`, the program's output
/// is shown as it is written.
pub(super) fn replay(runner: &mut Runner, reporter: &mut Reporter, steps: &[Step], live: bool) -> ! {
    output::set_live(live);
    let traced = is_traced();
    if traced {
        watchdog::leave_steps_to_a_debugger();
    }
    with(|engine| *engine.stops_in_debugger = live && traced);
    let plan = Plan { steps: steps.to_vec(), ..Plan::default() };
    match runner.run(&plan) {
        None | Some(Trouble::Stuck(..)) => {}
        Some(Trouble::Unmodelled(call, site)) => {
            reporter.inconclusive(InconclusiveReason::Unmodelled { call, site });
        }
        Some(Trouble::Defect(message)) => tool_error(&message),
        Some(Trouble::RunLost(how)) => reporter.inconclusive(InconclusiveReason::Other(how)),
        Some(Trouble::GrowTo(_)) => unreachable!("such a run is repeated"),
    }
    let (trace, values) = with(|engine| {
        findings::report(engine, reporter);
        // No search goes on with this trace, so it may keep its real locations.
        findings::show_real_locations(engine);
        let trace = core::mem::take(engine.run.trace_mut());
        let values = engine.trace_values.take_values(trace.events.len());
        reporter.send(&Message::CallStacks(engine.call_stacks.take_stacks()));
        (trace, values)
    });
    if let Ending::Diverged(at) = trace.ending {
        let wanted = plan.steps.get(at.index()).map(|step| step.thread);
        let pending = trace.pending.iter().find(|pending| Some(pending.thread) == wanted);
        reporter.divergence(at.0, None, pending.map(report::as_event));
    }
    reporter.sites_of(&trace.events, &trace.pending);
    let counts = Counts { executions: 1, transitions: trace.events.len() as u64, ..Counts::default() };
    let (contents, ending) = (Vec::new(), trace.ending);
    reporter.send(&Message::Trace { events: trace.events, values, pending: trace.pending, ending, contents });
    reporter.done(counts, false)
}

/// Whether a debugger holds this process.
fn is_traced() -> bool {
    let mut status = [0u8; 4096];
    let len = sys::read_file(c"/proc/self/status", &mut status);
    let status = &status[..len.min(4096)];
    let key = b"TracerPid:\t";
    let at = status.windows(key.len()).position(|window| window == key);
    at.is_some_and(|at| status.get(at + key.len()).is_some_and(|&digit| digit != b'0'))
}
