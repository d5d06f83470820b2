//! What a guest has reported, and how it ended.

use super::region::Counters;
use inspect_core::detect::Finding;
use inspect_core::event::{ByteRange, Ending, Event, Pending, SiteId};
use inspect_core::explore::{Counts, SampledRuns};
use inspect_wire::message::{
    CallStacks, InconclusiveReason, LoadedModule, Message, ReportedValues, ResolvedSite, Uncompared,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A finding as a guest reported it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReportedFinding {
    /// The finding.
    pub finding: Finding,
    /// The locations that were promoted in the pass that found it; its steps count their accesses.
    pub promoted: Vec<ByteRange>,
    /// Where modules were in the process that found it.
    pub modules: Vec<LoadedModule>,
}

/// The trace of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReplayTrace {
    /// The events.
    pub events: Vec<Event>,
    /// Values at each event.
    pub values: Vec<ReportedValues>,
    /// What was pending at the end.
    pub pending: Vec<Pending>,
    /// How the run ended.
    pub ending: Ending,
    /// What the ranges asked for held at its end.
    pub contents: Vec<u64>,
}

/// Where a run left its plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Divergence {
    /// Position of the first event that differs.
    pub at: u32,
    /// What was expected there.
    pub expected: Option<Event>,
    /// What happened.
    pub found: Option<Event>,
    /// The call that looks responsible, or empty.
    pub suspect: String,
}

/// How a guest ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum GuestEnd {
    /// With its last message.
    Done,
    /// The deadline passed.
    TimeLimit,
    /// The user asked to stop.
    Interrupted,
    /// It was stopped, as it had shown all that the search is made for.
    HasShown,
    /// Its heartbeat stood still and it was killed.
    Stuck,
    /// The process ended before it had taken the job: what it wrote, and how it ended.
    NotStarted {
        /// The end of its output.
        output: String,
        /// Exit status or signal, in words.
        how: String,
    },
    /// The process ended without its last message.
    Died {
        /// Exit status or signal, in words.
        how: String,
        /// Whether the engine was at work, and not the program.
        in_engine: bool,
    },
    /// The shared memory was overwritten.
    Garbled(String),
}

/// Everything that a guest has reported.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunOutput {
    /// Where code is.
    pub modules: Vec<LoadedModule>,
    /// Source locations.
    pub sites: Vec<ResolvedSite>,
    /// Names of made-up objects.
    pub objects: BTreeMap<u64, String>,
    /// Findings in the order in which they were reported.
    pub findings: Vec<ReportedFinding>,
    /// All promoted locations.
    pub promoted: Vec<ByteRange>,
    /// Locations that loops watch together, with the numbers of their watch sets.
    pub watch_sets: Vec<(ByteRange, u64)>,
    /// How many times the search began anew.
    pub passes: u32,
    /// What makes `verified` impossible.
    pub reasons: BTreeSet<InconclusiveReason>,
    /// States that could not be compared: why, how many, and where a thread stood in the first of them.
    pub uncompared: Vec<(Uncompared, u64, SiteId)>,
    /// What the runs have in common so far, if the search samples.
    pub sampled: Option<SampledRuns>,
    /// The numbers of the patterns of `--races-in` that name a race which was found.
    pub harmless_races: BTreeSet<u32>,
    /// Within fewer preemptions than this, no run shows what the guest was to look for.
    pub none_below: u32,
    /// Runs that left their plan.
    pub divergences: Vec<Divergence>,
    /// Defects of the tool.
    pub tool_errors: Vec<String>,
    /// The last trace: that of a replay.
    pub trace: Option<ReplayTrace>,
    /// The traces reported before that one, if the job asks for those of all runs.
    pub earlier_traces: Vec<ReplayTrace>,
    /// The call stacks of the trace's events.
    pub call_stacks: CallStacks,
    /// The last counters seen.
    pub counters: Counters,
    /// The last message: counts, and whether nothing was left to explore.
    pub done: Option<(Counts, bool)>,
    /// How the guest ended.
    pub end: GuestEnd,
    /// How long it ran.
    pub elapsed: Duration,
}

impl Default for RunOutput {
    fn default() -> Self {
        RunOutput::new()
    }
}

impl RunOutput {
    /// The output of a guest that has not reported anything yet.
    pub fn new() -> Self {
        RunOutput {
            modules: Vec::new(),
            sites: Vec::new(),
            objects: BTreeMap::new(),
            findings: Vec::new(),
            promoted: Vec::new(),
            watch_sets: Vec::new(),
            passes: 0,
            reasons: BTreeSet::new(),
            uncompared: Vec::new(),
            sampled: None,
            harmless_races: BTreeSet::new(),
            none_below: 0,
            divergences: Vec::new(),
            tool_errors: Vec::new(),
            trace: None,
            earlier_traces: Vec::new(),
            call_stacks: CallStacks::default(),
            counters: Counters::default(),
            done: None,
            end: GuestEnd::Done,
            elapsed: Duration::ZERO,
        }
    }

    /// Takes out the reports that have come since the last call; what is true of the present stays: counters, promoted
    /// locations, modules and the end.
    pub(crate) fn take_news(&mut self) -> RunOutput {
        RunOutput {
            modules: self.modules.clone(),
            sites: std::mem::take(&mut self.sites),
            objects: std::mem::take(&mut self.objects),
            findings: std::mem::take(&mut self.findings),
            reasons: std::mem::take(&mut self.reasons),
            uncompared: std::mem::take(&mut self.uncompared),
            sampled: self.sampled.take(),
            harmless_races: std::mem::take(&mut self.harmless_races),
            divergences: std::mem::take(&mut self.divergences),
            tool_errors: std::mem::take(&mut self.tool_errors),
            trace: self.trace.take(),
            earlier_traces: std::mem::take(&mut self.earlier_traces),
            ..RunOutput::new()
        }
    }

    /// Adds reports that came later, of the same guest or of another one beside it. If the search has begun anew since
    /// then, with more promoted locations, the traces before that are void.
    pub(crate) fn add(&mut self, mut news: RunOutput) {
        if news.passes > self.passes {
            self.forget_traces();
            (self.passes, self.promoted, self.watch_sets) = (news.passes, news.promoted, news.watch_sets);
        }
        if !news.modules.is_empty() {
            self.modules = news.modules;
        }
        self.sites.append(&mut news.sites);
        self.objects.append(&mut news.objects);
        self.findings.append(&mut news.findings);
        self.reasons.append(&mut news.reasons);
        self.uncompared.append(&mut news.uncompared);
        self.sampled = self.sampled.into_iter().chain(news.sampled).reduce(SampledRuns::and);
        self.harmless_races.append(&mut news.harmless_races);
        self.divergences.append(&mut news.divergences);
        self.tool_errors.append(&mut news.tool_errors);
        for trace in news.earlier_traces.into_iter().chain(news.trace) {
            self.earlier_traces.extend(self.trace.replace(trace));
        }
        self.done = news.done.or(self.done);
    }

    /// Takes out the traces of a pass that is void.
    pub(crate) fn forget_traces(&mut self) {
        self.trace = None;
        self.earlier_traces.clear();
    }

    /// Adds what a message reports.
    pub(super) fn take(&mut self, message: Message) {
        match message {
            Message::Modules(modules) => self.modules = modules,
            Message::Site(site) => self.sites.push(site),
            Message::Object(start, name) => {
                self.objects.insert(start, name);
            }
            Message::Finding(finding) => {
                let (promoted, modules) = (self.promoted.clone(), self.modules.clone());
                self.findings.push(ReportedFinding { finding, promoted, modules });
            }
            Message::Grouped(watch_sets) => self.watch_sets = watch_sets,
            // The guest reports the complete set each time. What was run before is void.
            Message::Promoted(ranges) => {
                self.promoted = ranges;
                self.passes += 1;
                self.forget_traces();
            }
            Message::Trace { events, values, pending, ending, contents } => {
                let trace = ReplayTrace { events, values, pending, ending, contents };
                self.earlier_traces.extend(self.trace.replace(trace));
            }
            Message::CallStacks(call_stacks) => self.call_stacks = call_stacks,
            // Only the test of the guest's platform asks for it.
            Message::Output(..) => {}
            Message::Inconclusive(reason) => self.reasons.extend([reason]),
            Message::Divergence { at, expected, found, suspect } => {
                self.divergences.push(Divergence { at, expected, found, suspect });
            }
            Message::Uncompared { why, states, site } => self.uncompared.push((why, states, site)),
            Message::HarmlessRace(pattern) => self.harmless_races.extend([pattern]),
            Message::Sampled(sampled) => self.sampled = Some(sampled),
            Message::NoneBelow(preemptions) => self.none_below = preemptions,
            Message::ToolError(text) => self.tool_errors.push(text),
            Message::Done { counts, complete } => self.done = Some((counts, complete)),
        }
    }
}

/// What gives the addresses in a finding their meaning: where modules were, and what the guest reported of sites and
/// objects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AddressContext {
    /// Where code is.
    pub modules: Vec<LoadedModule>,
    /// Source locations.
    pub sites: Vec<ResolvedSite>,
    /// Names of made-up objects.
    pub objects: BTreeMap<u64, String>,
    /// The run that shows the finding.
    pub trace: Option<ReplayTrace>,
    /// The call stacks of that run's events.
    pub call_stacks: CallStacks,
}

impl AddressContext {
    /// What a guest has reported about addresses, and its trace.
    pub fn of(output: &RunOutput) -> AddressContext {
        AddressContext {
            modules: output.modules.clone(),
            sites: output.sites.clone(),
            objects: output.objects.clone(),
            trace: output.trace.clone(),
            call_stacks: output.call_stacks.clone(),
        }
    }
}
