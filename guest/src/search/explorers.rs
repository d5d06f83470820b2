//! The explorer for a job.

use crate::engine::code_facts;
use crate::engine::state::with;
use alloc::boxed::Box;
use inspect_core::explore::{
    Bounded, Bpor, CbPor, Ddpor, Deepening, Dfs, Dpor, Explorer, Facts, Flip, Optimal, Pdp, Source, Stateful,
};
use inspect_wire::message::{Algorithm, Job};

/// The explorer that the job asks for, at the start of its search.
pub(super) fn explorer(job: &Job) -> Box<dyn Explorer> {
    let bounded: fn(u32) -> Box<dyn Explorer> = match job.algorithm {
        Algorithm::CbDfs => |bound| Box::new(Bounded::every(bound)),
        Algorithm::CbPorBasic => |bound| Box::new(CbPor::basic(bound)),
        Algorithm::CbPor => |bound| Box::new(CbPor::new(bound)),
        Algorithm::Bpor => |bound| Box::new(Bpor::new(bound)),
        Algorithm::Dfs
        | Algorithm::Dpor
        | Algorithm::Source
        | Algorithm::Optimal
        | Algorithm::Flip
        | Algorithm::Ddpor
        | Algorithm::Pdp
        | Algorithm::Stateful => |bound| Box::new(Bounded::new(bound)),
    };
    match (job.preemptions, job.first_preemptions) {
        (Some(last), Some(first)) => return Box::new(Deepening::new(bounded, first, last)),
        (Some(bound), None) => return bounded(bound),
        (None, _) => {}
    }
    match job.algorithm {
        Algorithm::Dfs => Box::new(Dfs::new()),
        Algorithm::Dpor if job.symmetry.is_some() => Box::new(Dpor::with_symmetry()),
        Algorithm::Source if job.symmetry.is_some() => Box::new(Source::with_symmetry()),
        Algorithm::Dpor => Box::new(Dpor::new()),
        Algorithm::Source => Box::new(Source::new()),
        Algorithm::Optimal => Box::new(Optimal::new()),
        Algorithm::Flip => Box::new(Flip::new()),
        // Where loops watch several locations together, events do not have the real locations.
        Algorithm::Pdp if with(|engine| !engine.watch_sets.is_empty()) => Box::new(Pdp::new(Facts::default())),
        Algorithm::Pdp => Box::new(Pdp::new(code_facts::facts())),
        Algorithm::Ddpor => Box::new(Ddpor::new()),
        Algorithm::Stateful => Box::new(Stateful::within(job.state_memory)),
        // The host gives these a bound; without one, nothing is claimed beyond the smallest.
        Algorithm::CbDfs | Algorithm::CbPorBasic | Algorithm::CbPor | Algorithm::Bpor => bounded(0),
    }
}
