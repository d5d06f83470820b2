//! Runs one schedule again and tells everything about it.

use super::report::{self, Reporter};
use super::state::{Trouble, with};
use super::{detection, search};
use crate::platform::output;
use alloc::vec::Vec;
use inspect_core::event::{Ending, Plan, Step};
use inspect_core::explore::Counts;
use inspect_wire::message::{InconclusiveReason, Message, Values};

/// Makes the run of these steps and tells its trace and what is found; a live one shows the program's output.
pub(super) fn replay(reporter: &mut Reporter, steps: &[Step], live: bool) -> ! {
    output::set_live(live);
    let plan = Plan { steps: steps.to_vec(), then: None, sleep: Vec::new() };
    match search::run(&plan) {
        None => {}
        Some(Trouble::Unmodelled(call, site)) => {
            reporter.inconclusive(InconclusiveReason::Unmodelled { call, site });
        }
        Some(Trouble::Defect(message)) => report::tool_error(&message),
        Some(Trouble::GrowTo(_)) => unreachable!("such a run is repeated"),
    }
    let (trace, values) = with(|engine| {
        let trace = engine.run.trace().clone();
        let mut values = core::mem::take(&mut engine.values);
        values.resize(trace.events.len(), Values { before: 0, after: 0 });
        detection::judge(engine, reporter);
        (trace, values)
    });
    if let Ending::Diverged(at) = trace.ending {
        let wanted = plan.steps.get(at.index()).map(|step| step.thread);
        let pending = trace.pending.iter().find(|pending| Some(pending.thread) == wanted);
        reporter.divergence(at.0, None, pending.map(report::as_event));
    }
    reporter.sites_of(&trace.events, &trace.pending);
    let counts = Counts { executions: 1, transitions: trace.events.len() as u64, ..Counts::default() };
    reporter.send(&Message::Trace { events: trace.events, values, pending: trace.pending, ending: trace.ending });
    reporter.done(counts, false)
}
