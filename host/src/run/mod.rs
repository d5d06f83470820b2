//! Running a guest: one job in, everything it said out. Knows processes and shared memory, and nothing of verdicts.

mod interrupt;
mod process;
mod region;
mod transport;

pub use interrupt::Interrupt;
pub use process::{Target, Terminal};
pub use region::Counters;
pub use transport::{Local, Transport, Worker, WorkerUpdate};

use crate::error::ToolError;
use inspect_core::detect::Finding;
use inspect_core::event::{ByteRange, Ending, Event, Pending, SiteId};
use inspect_core::explore::Counts;
use inspect_wire::message::{CallStacks, InconclusiveReason, Job, Message, Module, ResolvedSite, Uncompared, Values};
use inspect_wire::shared::state;
use process::Guest;
use region::Region;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// How long a guest that was asked to stop may take before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// The longest pause between two looks at a guest.
const LOOK: Duration = Duration::from_millis(20);

/// When to end a guest that does not end by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The moment at which it is asked to stop.
    pub deadline: Option<Instant>,
    /// How long its heartbeat may stand still.
    pub standstill: Option<Duration>,
    /// Whether the process may stay after the guest's last message: in a debugger its end is the user's business.
    pub lingers: bool,
}

/// A finding as the guest told it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReportedFinding {
    /// The finding.
    pub finding: Finding,
    /// The locations that were promoted in the pass that found it; its steps count their accesses.
    pub promoted: Vec<ByteRange>,
    /// Where modules were in the process that found it.
    pub modules: Vec<Module>,
}

/// The trace of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayTrace {
    /// The events.
    pub events: Vec<Event>,
    /// Values at each event.
    pub values: Vec<Values>,
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
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GuestEnd {
    /// With its last message.
    Done,
    /// The deadline passed.
    TimeLimit,
    /// The user asked to stop.
    Interrupted,
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

/// Everything a guest said.
#[derive(Clone, PartialEq, Debug)]
pub struct RunOutput {
    /// Where code is.
    pub modules: Vec<Module>,
    /// Source locations.
    pub sites: Vec<ResolvedSite>,
    /// Names of made-up objects.
    pub objects: BTreeMap<u64, String>,
    /// Findings in the order told.
    pub findings: Vec<ReportedFinding>,
    /// All promoted locations.
    pub promoted: Vec<ByteRange>,
    /// Locations that loops watch together, with the number of their group.
    pub watch_sets: Vec<(ByteRange, u64)>,
    /// How many times the search began anew.
    pub passes: u32,
    /// What makes `verified` impossible.
    pub reasons: BTreeSet<InconclusiveReason>,
    /// States that could not be compared: why, how many, and where a thread stood in the first of them.
    pub uncompared: Vec<(Uncompared, u64, SiteId)>,
    /// Runs that left their plan.
    pub divergences: Vec<Divergence>,
    /// Defects of the tool.
    pub tool_errors: Vec<String>,
    /// The last trace told: that of a replay.
    pub trace: Option<ReplayTrace>,
    /// The traces told before that one, if the job asks for those of all runs.
    pub earlier_traces: Vec<ReplayTrace>,
    /// Which calls led to what the trace shows.
    pub call_stacks: CallStacks,
    /// The program's output, for a replay: descriptor and bytes.
    pub output: Vec<(u32, Vec<u8>)>,
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
    /// What a guest has said that has said nothing.
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
            divergences: Vec::new(),
            tool_errors: Vec::new(),
            trace: None,
            earlier_traces: Vec::new(),
            call_stacks: CallStacks::default(),
            output: Vec::new(),
            counters: Counters::default(),
            done: None,
            end: GuestEnd::Done,
            elapsed: Duration::ZERO,
        }
    }

    fn take(&mut self, message: Message) {
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
            // The guest tells the complete set each time. What was run before is void.
            Message::Promoted(ranges) => {
                self.promoted = ranges;
                self.passes += 1;
                self.trace = None;
                self.earlier_traces.clear();
            }
            Message::Trace { events, values, pending, ending, contents } => {
                let trace = ReplayTrace { events, values, pending, ending, contents };
                self.earlier_traces.extend(self.trace.replace(trace));
            }
            Message::CallStacks(call_stacks) => self.call_stacks = call_stacks,
            Message::Output(descriptor, bytes) => self.output.push((descriptor, bytes)),
            Message::Inconclusive(reason) => {
                self.reasons.insert(reason);
            }
            Message::Divergence { at, expected, found, suspect } => {
                self.divergences.push(Divergence { at, expected, found, suspect });
            }
            Message::Uncompared { why, states, site } => self.uncompared.push((why, states, site)),
            Message::ToolError(text) => self.tool_errors.push(text),
            Message::Done { counts, complete } => self.done = Some((counts, complete)),
        }
    }
}

/// Runs one guest to its end. `look` is called every few milliseconds with the counters.
///
/// An error means that no guest could be started at all; what becomes of a started one is in [`RunOutput::end`].
pub fn run(
    target: &Target,
    job: &Job,
    terminal: Terminal,
    limits: Limits,
    interrupt: &Interrupt,
    look: &mut dyn FnMut(&Counters),
) -> Result<RunOutput, ToolError> {
    let start = Instant::now();
    let memory = |error| ToolError::new(format!("cannot make the shared memory: {error}"));
    let mut region = Region::create(job).map_err(memory)?;
    let what = if terminal == Terminal::Debugger { "gdb".into() } else { target.program.display().to_string() };
    let mut guest = Guest::start(target, &region, terminal)
        .map_err(|error| ToolError::new(format!("cannot start {what}: {error}")))?;
    let mut output = RunOutput::new();
    output.end = watch(&mut guest, &mut region, &mut output, limits, interrupt, look).map_err(memory)?;
    output.elapsed = start.elapsed();
    Ok(output)
}

/// What the host is waiting for after it has asked a guest to stop.
struct Stopping {
    why: GuestEnd,
    until: Instant,
}

fn watch(
    guest: &mut Guest,
    region: &mut Region,
    output: &mut RunOutput,
    limits: Limits,
    interrupt: &Interrupt,
    look: &mut dyn FnMut(&Counters),
) -> std::io::Result<GuestEnd> {
    let mut pause = Duration::from_millis(1);
    let mut pulse = (0, 0, Instant::now());
    let mut stopping: Option<Stopping> = None;
    loop {
        // The process's end is asked for first: what it published before is then certain to be read below.
        let status = guest.ended()?;
        if let Err(end) = read(region, output)? {
            guest.kill()?;
            return Ok(end);
        }
        look(&output.counters);
        if let Some(status) = status {
            // The rest of a half-read batch, or the garbled frame that cut it.
            if let Err(end) = read(region, output)? {
                return Ok(end);
            }
            return Ok(stopping.map_or_else(|| ended(guest, output, status), |stopping| stopping.why));
        }

        let now = Instant::now();
        let beat = (output.counters.heartbeat, output.counters.transitions);
        if (pulse.0, pulse.1) != beat {
            pulse = (beat.0, beat.1, now);
        }
        match &stopping {
            Some(stopping) if now >= stopping.until => {
                guest.kill()?;
                read(region, output)?.ok();
                return Ok(stopping.why.clone());
            }
            Some(_) => {}
            None => {
                let stuck = limits.standstill.is_some_and(|limit| now - pulse.2 >= limit);
                let why = if output.done.is_some() && !limits.lingers {
                    Some(GuestEnd::Done)
                } else if interrupt.raised() {
                    Some(GuestEnd::Interrupted)
                } else if limits.deadline.is_some_and(|deadline| now >= deadline) {
                    Some(GuestEnd::TimeLimit)
                } else {
                    stuck.then_some(GuestEnd::Stuck)
                };
                if let Some(why) = why {
                    region.ask_to_stop()?;
                    stopping = Some(Stopping { why, until: now + GRACE });
                    pause = Duration::from_millis(1);
                }
            }
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LOOK);
    }
}

/// Takes in what is new in the region.
fn read(region: &mut Region, output: &mut RunOutput) -> std::io::Result<Result<(), GuestEnd>> {
    output.counters = region.counters()?;
    match region.messages()? {
        Ok(messages) => {
            messages.into_iter().for_each(|message| output.take(message));
            Ok(Ok(()))
        }
        Err(garbled) => Ok(Err(GuestEnd::Garbled(garbled.0))),
    }
}

/// Why a process that nobody asked to stop has ended.
fn ended(guest: &Guest, output: &RunOutput, status: ExitStatus) -> GuestEnd {
    if output.done.is_some() {
        return GuestEnd::Done;
    }
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => match nix::sys::signal::Signal::try_from(signal) {
            Ok(signal) => format!("it was killed by {signal}"),
            Err(_) => format!("it was killed by signal {signal}"),
        },
        (None, Some(code)) => format!("it exited with status {code}"),
        (None, None) => "it ended".to_owned(),
    };
    if output.counters.state == state::READY {
        return GuestEnd::NotStarted { output: guest.captured(), how };
    }
    GuestEnd::Died { how, in_engine: output.counters.in_engine }
}

#[cfg(test)]
pub(crate) mod tests {
    use inspect_core::explore::Algorithm;
    use inspect_wire::message::{CHECKPOINT_EVERY, Job, LocalStates, Mode, PlainAccesses, Task};

    pub(crate) fn job() -> Job {
        Job {
            task: Task::Explore,
            algorithm: Algorithm::Optimal,
            plain_accesses: PlainAccesses::Racy,
            promoted: vec![],
            promoted_in: vec![],
            watch_sets: Vec::new(),
            mode: Mode::Restore,
            preemptions: None,
            first_preemptions: None,
            symmetry: None,
            spurious_wakeups: false,
            max_executions: u64::MAX,
            max_steps: 1000,
            checkpoint_every: CHECKPOINT_EVERY,
            state_memory: 1 << 30,
            local_states: LocalStates::Exact,
            memory_limit: 1 << 30,
            seed: 0,
            keep_going: false,
            severities: vec![],
            report_traces: None,
        }
    }
}
