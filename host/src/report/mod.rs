//! Results in words: for people ([`text`]) and for programs ([`json`]). The only part that turns addresses into
//! source lines.

mod assumptions;
mod guarantee;
pub mod json;
pub mod junit;
pub mod locks;
pub mod message;
pub mod progress;
pub mod queries;
pub mod sarif;
pub mod source;
pub mod style;
pub mod text;
pub mod trace;
pub mod turns;

#[cfg(test)]
mod tests;

use crate::run::AddressContext;
use crate::search::{Confirmation, Searched};
use crate::symbols::{Location, Symbols};
use crate::verdict::{Reason, Verdict, joined, shortfall};
use crate::words;
use inspect_core::detect::Severity;
use inspect_core::event::{Pending, SiteId};
use inspect_core::explore::Counts;
use inspect_wire::message::{Job, Uncompared};
use std::path::Path;

/// A verdict with its figures.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// The verdict.
    pub verdict: Verdict,
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// What was covered if the verdict is `verified`, in words.
    pub covered: &'static str,
    /// Name of the treatment of plain accesses.
    pub plain_accesses: &'static str,
    /// Executions and transitions.
    pub counts: Counts,
    /// The largest number of threads of a run.
    pub threads: u32,
    /// Time spent exploring.
    pub seconds: f64,
    /// Estimate of the executions of the whole search.
    pub estimated_total: Option<f64>,
    /// How many states the search remembered.
    pub states: Option<u64>,
    /// States that could not be compared with others, if the search compares states.
    pub uncompared: Option<Vec<NotCompared>>,
    /// Whether nothing was left to explore.
    pub complete: bool,
    /// Whether the search came to its end and left nothing out.
    pub whole: bool,
    /// Why the verdict is inconclusive, or why a search that found errors is not whole.
    pub reason: Option<String>,
    /// Number of confirmed errors.
    pub errors: u64,
    /// Number of confirmed warnings.
    pub warnings: u64,
    /// What kept the search from being complete or sound, printed beside a `violated` too.
    pub notes: Vec<Reason>,
    /// If no execution came to its end: after how many operations the first one is shown, and where each thread is
    /// there.
    pub first_execution: Option<(usize, Vec<String>)>,
    /// What a search that samples guarantees, in sentences; empty for others.
    pub guarantee: Vec<String>,
    /// The turns of a portfolio, if there was more than one.
    pub turns: Option<turns::TurnFigures>,
    /// What the verdict assumes.
    pub assumptions: Vec<String>,
}

/// States that count as new whenever they are reached.
#[derive(Clone, PartialEq, Debug)]
pub struct NotCompared {
    /// Why, in words.
    pub reason: &'static str,
    /// How often a state was reached that could not be compared for this reason.
    pub states: u64,
    /// Where a thread stood in the first of them.
    pub at: Location,
}

/// States of a search that could not be compared; None if it does not compare states.
fn not_compared(searched: &Searched, job: &Job, program: &Path) -> Option<Vec<NotCompared>> {
    let symbols = Symbols::new(program, &searched.modules, &searched.sites);
    let one = |&(why, states, site): &(Uncompared, u64, SiteId)| {
        let at = if site == SiteId(0) { Location::default() } else { symbols.locate(site) };
        NotCompared { reason: why.words(), states, at }
    };
    job.algorithm.description().compares_states().then(|| searched.uncompared.iter().map(one).collect())
}

/// Where each thread is at the end of a run.
fn standing(context: &AddressContext, program: &Path) -> Option<(usize, Vec<String>)> {
    let trace = context.trace.as_ref()?;
    let symbols = Symbols::of(program, context);
    let held = locks::Held::after(&trace.events);
    let line = |pending: &Pending| {
        let at = symbols.locate_place(pending.thread, pending.site).place();
        let at = at.map_or_else(String::new, |place| format!(" at {place}"));
        format!("{}{at} {}", words::thread(pending.thread), message::waiting(pending, &held, &symbols))
    };
    Some((trace.events.len(), trace.pending.iter().map(line).collect()))
}

impl Summary {
    /// The figures of a search and its verdict.
    pub fn new(searched: &Searched, verdict: Verdict, job: &Job, program: &Path) -> Summary {
        let number = |severity: Severity| {
            let counts = |checked: &&crate::search::CheckedFinding| {
                checked.severity == severity && checked.confirmation == Confirmation::Confirmed
            };
            searched.findings.iter().filter(counts).count() as u64
        };
        let evidence = searched.evidence(job);
        let whole = evidence.is_whole();
        let unfinished = (verdict == Verdict::Violated && !whole).then(|| joined(&shortfall(&evidence)));
        // What was found needs no probability.
        let sampled = searched.sampled.filter(|_| verdict != Verdict::Violated);
        let runs = searched.counts.runs();
        let guarantee = sampled.map_or(Vec::new(), |sampled| guarantee::of(job, &sampled, runs, searched.threads));
        Summary {
            whole,
            reason: verdict.reason().or(unfinished),
            verdict,
            algorithm: job.algorithm.name(),
            covered: job.algorithm.description().claims.covered(),
            plain_accesses: job.plain_accesses.name(),
            counts: searched.counts,
            threads: searched.threads,
            seconds: searched.elapsed.as_secs_f64(),
            estimated_total: searched.estimated_total,
            states: searched.states,
            uncompared: not_compared(searched, job, program),
            complete: searched.complete,
            errors: number(Severity::Error),
            warnings: number(Severity::Warning),
            notes: searched.reasons.clone(),
            first_execution: searched.first_execution.as_ref().and_then(|context| standing(context, program)),
            guarantee,
            turns: None,
            assumptions: assumptions::assumptions(searched, job, program),
        }
    }

    /// Executions per second, blocked ones not counted.
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.counts.executions as f64 / self.seconds } else { 0.0 }
    }
}
