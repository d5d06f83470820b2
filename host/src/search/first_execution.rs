//! Where the program was when not even its first execution came to an end: the beginning of that execution is run
//! again, cut early, to see the operation that each thread stands at.

use crate::run::{AddressContext, GuestEnd, Interrupt, Limits, RunOutput, Target, Terminal, run};
use inspect_core::detect::FindingKind;
use inspect_core::event::LimitKind;
use inspect_core::explore::Counts;
use inspect_wire::message::{InconclusiveReason, Job, Task};
use std::time::{Duration, Instant};

/// How long the run may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// After how many visible operations it is cut. A loop that keeps the program from its end has shown by then.
const STEPS: u32 = 10_000;

/// Whether a search was cut before any execution came to its end, and no finding shows where.
pub(super) fn is_wanted(counts: &Counts, end: &GuestEnd, outputs: &[RunOutput]) -> bool {
    let of_a_run = |reason: &InconclusiveReason| match reason {
        InconclusiveReason::Limit(limit) => *limit != LimitKind::Unmodelled,
        InconclusiveReason::Unmodelled { .. }
        | InconclusiveReason::OpaqueAssembly { .. }
        | InconclusiveReason::TimeAfterLoop { .. }
        | InconclusiveReason::PreemptionBound(_)
        | InconclusiveReason::UnexploredRace
        | InconclusiveReason::UnknownFunction(_)
        | InconclusiveReason::UnknownCall { .. }
        | InconclusiveReason::ReplacedFunction(_)
        | InconclusiveReason::Endless
        | InconclusiveReason::Other(_) => false,
    };
    let cut = matches!(end, GuestEnd::TimeLimit | GuestEnd::Interrupted | GuestEnd::HasShown | GuestEnd::Stuck)
        || outputs.iter().any(|output| output.reasons.iter().any(of_a_run));
    cut && counts.runs() == counts.limited && outputs.iter().all(|output| output.findings.is_empty())
}

/// The beginning of the first execution of a search. None if it cannot be run again: then the report does without it.
pub(super) fn beginning(target: &Target, job: &Job, interrupt: &Interrupt) -> Option<AddressContext> {
    let task = Task::Replay {
        steps: Vec::new(),
        paths: Vec::new(),
        places: Vec::new(),
        // A thread that computes without an end is to be shown at the first suspicion.
        wanted: FindingKind::Nonterminating,
        live: false,
    };
    let job = Job { task, max_steps: job.max_steps.min(STEPS), ..job.clone() };
    let limits = Limits { deadline: Some(Instant::now() + PATIENCE), standstill: None, lingers: false };
    let output = run(target, &job, Terminal::Captured, limits, interrupt, &mut |_| ()).ok()?;
    output.trace.is_some().then(|| AddressContext::of(&output))
}
