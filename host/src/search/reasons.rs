//! Why a verdict cannot be `verified`, in words.

use crate::program::{Image, is_known_library};
use crate::report::symbols::Symbols;
use crate::report::words;
use crate::run::{Divergence, GuestEnd, RunOutput, Target};
use inspect_core::event::{Event, LimitKind, MAX_THREADS, SiteId};
use inspect_core::explore::catalogue::Requirement;
use inspect_wire::message::{InconclusiveReason, Job};
use std::path::Path;
use std::time::Duration;

/// Every reason that a run gives.
pub(super) fn of_run(output: &RunOutput, job: &Job, target: &Target) -> Vec<String> {
    let mut reasons = Vec::new();
    let symbols = Symbols::new(&target.program, &output.modules, &output.sites).naming(&output.objects);
    reasons.extend(output.reasons.iter().map(|reason| of_guest(reason, job, &symbols)));
    reasons.extend(output.divergences.iter().map(|left| divergence(left, &symbols)));
    reasons.extend(output.tool_errors.iter().map(|error| format!("Inspect failed: {error}")));
    reasons.extend(of_libraries(output, job));
    reasons
}

/// The limit of executions.
pub(super) fn of_full(limit: u64) -> String {
    format!("the limit of {limit} executions was reached")
}

/// The counts are not of the whole search.
pub(super) const BEGUN_ANEW: &str = "the search had just begun anew, with more operations visible, when it was stopped; \
                                     the counts are those of the pass before";

/// The reason that lies in how the guest ended, if there is one.
pub(super) fn of_end(end: &GuestEnd, time_limit: Option<Duration>) -> Vec<String> {
    let reason = match end {
        GuestEnd::Done => return Vec::new(),
        GuestEnd::TimeLimit => match time_limit {
            Some(limit) => format!("the time limit of {limit:?} was reached"),
            None => "the time limit was reached".to_owned(),
        },
        GuestEnd::Interrupted => "interrupted".to_owned(),
        GuestEnd::Stuck => "a run showed no progress for a minute and was given up".to_owned(),
        GuestEnd::NotStarted { how, .. } => format!("the exploring process ended before it began: {how}"),
        GuestEnd::Died { how, in_engine } => {
            let place = if *in_engine { "inside Inspect's engine" } else { "while the program ran" };
            format!("the exploring process died {place}: {how}")
        }
        GuestEnd::Garbled(what) => format!("the program overwrote the checker's memory: {what}"),
    };
    vec![reason]
}

/// A run that left its plan.
pub(super) fn divergence(divergence: &Divergence, symbols: &Symbols) -> String {
    let event = |event: &Event| {
        let operation = words::operation(&event.operation, event.site, symbols, None);
        let at = symbols.locate(event.site).place().map_or_else(String::new, |place| format!(" at {place}"));
        format!("{}: {operation}{at}", words::thread(event.thread))
    };
    let step = divergence.at + 1;
    let what = match (&divergence.expected, &divergence.found) {
        (Some(expected), Some(found)) => {
            format!("at step {step} it was to do `{}` and did `{}`", event(expected), event(found))
        }
        (Some(expected), None) => format!("at step {step} it was to do `{}` and had ended", event(expected)),
        (None, Some(found)) => {
            format!("step {step} of the schedule is not possible; the thread is at `{}`", event(found))
        }
        (None, None) => format!("step {step} of the schedule is not possible"),
    };
    if divergence.suspect.is_empty() {
        return format!("the program is not deterministic: {what}");
    }
    format!("the program is not deterministic: {what}; the call that looks responsible is {}", divergence.suspect)
}

fn of_guest(reason: &InconclusiveReason, job: &Job, symbols: &Symbols) -> String {
    let at = |site: SiteId| match symbols.locate(site).place() {
        Some(place) => format!(" at {place}"),
        None => String::new(),
    };
    match reason {
        InconclusiveReason::Unmodelled { call, site } => {
            format!("the program calls {call}{}, which Inspect does not model", at(*site))
        }
        InconclusiveReason::OpaqueAssembly { site } => {
            format!(
                "the program runs inline assembly, or an instruction that reads a clock, that Inspect cannot see through{}",
                at(*site)
            )
        }
        InconclusiveReason::Limit(limit) => match limit {
            LimitKind::Steps => {
                format!("an execution was cut after {} visible operations (--max-steps)", job.max_steps)
            }
            LimitKind::Memory => {
                format!("an execution used more than {} MiB of heap (--memory-limit)", job.memory_limit >> 20)
            }
            LimitKind::Threads => format!("an execution created more than {MAX_THREADS} threads"),
            LimitKind::Time => "an execution ran too long without a visible operation".to_owned(),
            LimitKind::Unmodelled => "an execution was cut at a call that Inspect does not model".to_owned(),
        },
        InconclusiveReason::PreemptionBound(bound) => format!("preemption bound {bound} covered, nothing beyond it"),
        InconclusiveReason::UnexploredRace => {
            "what follows from a data race is not explored with --plain-accesses sync".to_owned()
        }
        InconclusiveReason::Other(text) => text.clone(),
    }
}

/// Code that runs in the program and was not instrumented.
fn of_libraries(output: &RunOutput, job: &Job) -> Vec<String> {
    let mut reasons = Vec::new();
    for module in output.modules.iter().filter(|module| !module.path.is_empty()) {
        let path = Path::new(&module.path);
        if is_known_library(path) {
            continue;
        }
        match Image::read(path) {
            Ok(image) if !image.instrumented => reasons.push(format!("{} is not instrumented", module.path)),
            Ok(image) if image.other_version.is_some() => {
                reasons.push(format!("{} was instrumented by another version of Inspect", module.path));
            }
            Ok(_) if job.algorithm.description().requires == Requirement::Facts => {
                reasons.push(format!(
                    "{} is checked together with the program, and {} knows one module only",
                    module.path,
                    job.algorithm.name()
                ));
            }
            Ok(image) => reasons.extend(of_image(&image)),
            Err(error) => reasons.push(format!("cannot tell whether it is instrumented: {error}")),
        }
    }
    reasons
}

/// Inputs of a link that were not instrumented.
pub fn of_image(image: &Image) -> Option<String> {
    let name =
        image.path.file_name().map_or_else(|| image.path.display().to_string(), |name| name.to_string_lossy().into());
    let inputs = &image.uninstrumented_inputs;
    (!inputs.is_empty()).then(|| format!("parts of {name} are not instrumented: {}", inputs.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_that_came_to_its_end_gives_no_reason_and_every_other_end_does() {
        assert!(of_end(&GuestEnd::Done, None).is_empty());
        for end in [
            GuestEnd::TimeLimit,
            GuestEnd::Interrupted,
            GuestEnd::Stuck,
            GuestEnd::NotStarted { output: String::new(), how: "x".into() },
            GuestEnd::Died { how: "x".into(), in_engine: true },
            GuestEnd::Garbled("x".into()),
        ] {
            assert_eq!(of_end(&end, None).len(), 1, "{end:?}");
        }
    }
}
