//! The explorer for a job.

use crate::engine::code_facts;
use crate::engine::state::with;
use crate::platform::link;
use alloc::boxed::Box;
use inspect_core::explore::catalogue::SearchSetup;
use inspect_core::explore::{Explorer, Facts, Minimise, StateSharing};
use inspect_wire::message::{Job, SharedTable, Task};
use inspect_wire::work::STATE_OPERATIONS;

/// The explorer that the job asks for, at the start of its search. If the job minimises a finding, `fewest` is the
/// fewest preemptions of a run that has shown it.
pub(super) fn explorer(job: &Job, fewest: Option<u32>) -> Box<dyn Explorer> {
    if let Task::Minimise { steps, .. } = &job.task {
        return Box::new(fewest.map_or_else(|| Minimise::new(steps), Minimise::below));
    }
    let mut facts = || {
        // Where loops watch several locations together, events do not have the real locations.
        if with(|engine| engine.watch_sets.is_empty()) { code_facts::facts() } else { Facts::default() }
    };
    let preemptions = job.preemptions.map(|last| (job.first_preemptions.unwrap_or(last), last));
    let shared = job.state_table.zip(link::state_table());
    let encoding = STATE_OPERATIONS;
    let states = shared.map(|(SharedTable { order, .. }, table)| StateSharing { table, encoding, order });
    job.algorithm.explorer(&mut SearchSetup {
        preemptions,
        symmetry: job.symmetry.is_some(),
        state_memory: job.state_memory,
        backtrack_sets: job.backtrack_sets,
        states,
        seed: job.seed,
        sampling: job.sampling,
        facts: &mut facts,
    })
}
