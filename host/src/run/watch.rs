//! Running one guest to its end.

use super::interrupt::Interrupt;
use super::output::{GuestEnd, RunOutput};
use super::process::{Guest, Target, Terminal};
use super::region::{Counters, Region};
use crate::error::ToolError;
use inspect_wire::message::Job;
use inspect_wire::shared::state;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// How long a guest that was asked to stop may take before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// How long the heartbeat of a guest that searches may stand still before the guest is killed. The guest itself ends
/// runs with endless loops earlier; this limit is for a guest that has lost control.
pub const STANDSTILL: Duration = Duration::from_secs(60);
/// The longest pause between two looks at a guest.
const LOOK: Duration = Duration::from_millis(20);

/// When to end a guest that does not end by itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// The moment at which it is asked to stop.
    pub deadline: Option<Instant>,
    /// How long its heartbeat may stand still.
    pub standstill: Option<Duration>,
    /// Whether the process may stay after the guest's last message: in a debugger the user ends it.
    pub lingers: bool,
}

/// Runs one guest to its end, once more if it needs room for more threads. `look` is called every few milliseconds with
/// the counters.
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
    let what = if terminal == Terminal::Debugger { "gdb".into() } else { target.program.display().to_string() };
    loop {
        let mut region = Region::create(job).map_err(memory)?;
        let mut guest = Guest::start(target, &region, None, terminal)
            .map_err(|error| ToolError::new(format!("cannot start {what}: {error}")))?;
        let mut output = RunOutput::new();
        output.end = watch(&mut guest, &mut region, &mut output, limits, interrupt, look).map_err(memory)?;
        output.elapsed = start.elapsed();
        if !target.room.is_too_small_for([&output]) {
            return Ok(output);
        }
        target.room.widen(&target.program)?;
    }
}

/// What the host is waiting for after it has asked a guest to stop.
struct Stopping {
    why: GuestEnd,
    until: Instant,
}

/// What a guest last showed of its progress.
struct Heartbeat {
    heartbeat: u64,
    transitions: u64,
    /// Since when it has been this.
    since: Instant,
}

impl Heartbeat {
    fn new() -> Heartbeat {
        Heartbeat { heartbeat: 0, transitions: 0, since: Instant::now() }
    }

    fn note(&mut self, counters: &Counters, now: Instant) {
        let (heartbeat, transitions) = (counters.heartbeat, counters.transitions);
        if (self.heartbeat, self.transitions) != (heartbeat, transitions) {
            *self = Heartbeat { heartbeat, transitions, since: now };
        }
    }
}

/// Why a guest that was not asked to stop is to be asked.
fn why_stop(
    output: &RunOutput,
    limits: Limits,
    interrupt: &Interrupt,
    beat: &Heartbeat,
    now: Instant,
) -> Option<GuestEnd> {
    if output.done.is_some() && !limits.lingers {
        Some(GuestEnd::Done)
    } else if interrupt.raised() {
        Some(GuestEnd::Interrupted)
    } else if limits.deadline.is_some_and(|deadline| now >= deadline) {
        Some(GuestEnd::TimeLimit)
    } else {
        limits.standstill.is_some_and(|limit| now - beat.since >= limit).then_some(GuestEnd::Stuck)
    }
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
    let mut beat = Heartbeat::new();
    let mut stopping: Option<Stopping> = None;
    loop {
        // The process's end is looked for first: so all that it reported before its end is read below.
        let status = guest.ended()?;
        if let Err(end) = read(region, output)? {
            guest.kill()?;
            return Ok(end);
        }
        look(&output.counters);
        if let Some(status) = status {
            return end_of_process(guest, region, output, status, stopping);
        }
        let now = Instant::now();
        beat.note(&output.counters, now);
        if let Some(stopping) = stopping.take_if(|stopping| now >= stopping.until) {
            guest.kill()?;
            read(region, output)?.ok();
            return Ok(stopping.why);
        }
        let why = stopping.is_none().then(|| why_stop(output, limits, interrupt, &beat, now));
        if let Some(why) = why.flatten() {
            region.ask_to_stop()?;
            stopping = Some(Stopping { why, until: now + GRACE });
            pause = Duration::from_millis(1);
        }
        guest.wait(pause);
        pause = (pause * 2).min(LOOK);
    }
}

/// Takes in the rest of what a process has reported that has ended; how it ended.
fn end_of_process(
    guest: &Guest,
    region: &mut Region,
    output: &mut RunOutput,
    status: ExitStatus,
    stopping: Option<Stopping>,
) -> std::io::Result<GuestEnd> {
    // The rest of a half-read batch, or the garbled frame that cut it.
    Ok(match read(region, output)? {
        Ok(()) => stopping.map_or_else(|| ended(guest, output, status), |stopping| stopping.why),
        Err(end) => end,
    })
}

/// Takes in what is new in the region.
pub(super) fn read(region: &mut Region, output: &mut RunOutput) -> std::io::Result<Result<(), GuestEnd>> {
    output.counters = region.counters()?;
    match region.messages()? {
        Ok(messages) => {
            messages.into_iter().for_each(|message| output.take(message));
            Ok(Ok(()))
        }
        Err(garbled) => Ok(Err(GuestEnd::Garbled(garbled.0))),
    }
}

/// Why a process has ended that was not asked to stop.
pub(super) fn ended(guest: &Guest, output: &RunOutput, status: ExitStatus) -> GuestEnd {
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
