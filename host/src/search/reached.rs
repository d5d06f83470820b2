//! Which places a program comes to: some executions are drawn by chance, in which all plain accesses are operations.

use crate::run::{AddressContext, Interrupt, Limits, RunOutput, Target, Terminal, run};
use crate::symbols::{Location, Symbols};
use inspect_core::event::{SiteId, ThreadId};
use inspect_core::explore::{Algorithm, SamplingOptions};
use inspect_wire::message::{Job, PlainAccesses, Task};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How many executions are looked at.
const RUNS: u64 = 50;
/// How long that may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The places of the operations in some executions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReachedPlaces {
    /// How many executions were looked at.
    pub executions: usize,
    /// The places.
    pub places: Vec<Location>,
}

impl ReachedPlaces {
    /// Of the program under the options of this job; none of no execution where none can be made.
    pub fn of(target: &Target, job: &Job, interrupt: &Interrupt) -> ReachedPlaces {
        let sampling = SamplingOptions { runs: Some(RUNS), ..SamplingOptions::default() };
        let job = Job {
            task: Task::Explore,
            algorithm: Algorithm::Random,
            plain_accesses: PlainAccesses::All,
            sampling,
            max_executions: RUNS,
            preemptions: None,
            first_preemptions: None,
            symmetry: None,
            share: None,
            keep_going: true,
            report_traces: Some(Vec::new()),
            ..job.clone()
        };
        let limits = Limits { deadline: Some(Instant::now() + PATIENCE), standstill: None, lingers: false };
        let output = run(target, &job, Terminal::Captured, limits, interrupt, &mut |_| ());
        output.map_or_else(|_| ReachedPlaces::default(), |output| ReachedPlaces::in_runs(target, &output))
    }

    fn in_runs(target: &Target, output: &RunOutput) -> ReachedPlaces {
        let traces: Vec<_> = output.earlier_traces.iter().chain(&output.trace).collect();
        let events = traces.iter().flat_map(|trace| &trace.events).map(|event| (event.site, event.thread));
        let pending = traces.iter().flat_map(|trace| &trace.pending).map(|pending| (pending.site, pending.thread));
        let sites: BTreeSet<(SiteId, ThreadId)> = events.chain(pending).collect();
        let symbols = Symbols::of(&target.program, &AddressContext::of(output));
        let places = sites.into_iter().flat_map(|(site, thread)| symbols.places_of(thread, site)).collect();
        ReachedPlaces { executions: traces.len(), places }
    }
}
