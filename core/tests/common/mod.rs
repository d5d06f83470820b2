//! Runs explorers over model programs and collects what they saw.
#![allow(dead_code, reason = "each test file uses a part of this")]

use inspect_core::event::{Ending, Plan};
use inspect_core::explore::Explorer;
use inspect_core::model::{FinalState, Fingerprint, Machine, Program, fingerprint};
use std::collections::BTreeMap;

/// Longest run of a model program.
pub(crate) const MAX_STEPS: u32 = 400;

/// What a search saw.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// How often each maximal trace was visited, with the state it ends in.
    pub(crate) traces: BTreeMap<Fingerprint, (u64, FinalState)>,
    /// Runs made.
    pub(crate) runs: u64,
    /// Runs cut because everybody was asleep.
    pub(crate) blocked: u64,
    /// Whether the search came to its end within the limit of runs.
    pub(crate) complete: bool,
    /// Events executed.
    pub(crate) transitions: u64,
}

/// Explores `program` with at most `limit` runs.
pub(crate) fn explore(program: &Program, explorer: &mut dyn Explorer, limit: u64) -> Seen {
    let mut machine = Machine::new(program, MAX_STEPS);
    let mut plan = Plan::default();
    let mut seen = Seen::default();
    while explorer.next_plan(&mut plan) {
        if seen.runs == limit {
            return seen;
        }
        seen.runs += 1;
        let trace = machine.run(&plan).clone();
        explorer.learn(&trace);
        seen.transitions += trace.events.len() as u64;
        match trace.ending {
            Ending::Blocked => seen.blocked += 1,
            Ending::Completed | Ending::Deadlocked | Ending::AssumeBlocked | Ending::Livelocked => {
                let entry = seen.traces.entry(fingerprint(&trace)).or_insert_with(|| (0, machine.final_state()));
                entry.0 += 1;
                assert_eq!(entry.1, machine.final_state(), "equivalent runs end in the same state");
            }
            Ending::Limit(_) | Ending::Diverged(_) => panic!("run ended {:?} with {plan:?}", trace.ending),
        }
    }
    seen.complete = true;
    seen
}

/// The number of maximal traces and runs, without remembering the traces.
pub(crate) fn count(program: &Program, explorer: &mut dyn Explorer) -> (u64, u64) {
    let mut machine = Machine::new(program, MAX_STEPS);
    let mut plan = Plan::default();
    let (mut runs, mut blocked) = (0, 0);
    while explorer.next_plan(&mut plan) {
        let trace = machine.run(&plan);
        explorer.learn(trace);
        runs += 1;
        blocked += u64::from(trace.ending == Ending::Blocked);
    }
    (runs, blocked)
}
