//! `inspect replay`: one schedule again, in a fresh process, with the program's output.

use super::flags::ReplayFlags;
use super::print::print;
use crate::error::ToolError;
use crate::report::style::Style;
use crate::report::text::{self, Replay, Traces};
use crate::run::AddressContext;
use crate::run::{GuestEnd, Interrupt, Limits, RunOutput, Target, Terminal, run};
use crate::schedule::Schedule;
use crate::search::confirm::what_happened;
use crate::search::{CheckedFinding, Confirmation, FindingIdentity, not_started};
use crate::symbols::Symbols;
use std::process::ExitCode;
use std::time::Duration;

/// How long a replay may show no sign of life outside of a debugger.
const STANDSTILL: Duration = Duration::from_secs(120);

/// Runs `inspect replay`.
pub(super) fn replay(flags: &ReplayFlags, colour: bool) -> Result<ExitCode, ToolError> {
    if flags.threads {
        return Err(ToolError::new("--threads is not available in this version"));
    }
    let schedule = Schedule::read(&flags.schedule)?;
    let target = schedule.target()?;
    let interrupt =
        Interrupt::install().map_err(|error| ToolError::new(format!("cannot listen for Ctrl-C: {error}")))?;
    let (terminal, limits) = if flags.gdb {
        // Ctrl-C belongs to gdb here.
        (Terminal::Debugger, Limits { lingers: true, ..Limits::default() })
    } else {
        (Terminal::Shared, Limits { standstill: Some(STANDSTILL), ..Limits::default() })
    };
    let listening = if flags.gdb { Interrupt::default() } else { interrupt };
    let output = run(&target, &schedule.job(true), terminal, limits, &listening, &mut |_| ())?;
    if let GuestEnd::NotStarted { output, how } = &output.end {
        return Err(not_started(&target, output, how));
    }
    let traces = if flags.full { Traces::Full } else { Traces::Last };
    let Some(checked) = reproduced(&schedule, &output) else {
        if flags.gdb {
            // Whoever leaves gdb before the end of the run has seen what they wanted.
            return Ok(ExitCode::SUCCESS);
        }
        return Err(ToolError::new(format!(
            "the finding ({}) did not show again: {}",
            schedule.finding.kind.name(),
            what_happened(&target, &output)
        )));
    };
    print(&show(&checked, &target, traces, Style { colour }))?;
    Ok(ExitCode::from(1))
}

/// The finding of the schedule among those of the replay.
fn reproduced(schedule: &Schedule, output: &RunOutput) -> Option<CheckedFinding> {
    let wanted = &schedule.finding.identity;
    let reported =
        output.findings.iter().find(|reported| FindingIdentity::of(&reported.finding, &output.modules) == *wanted)?;
    Some(CheckedFinding {
        reported: reported.clone(),
        severity: schedule.job(true).severity(reported.finding.kind),
        confirmation: Confirmation::Confirmed,
        identity: wanted.clone(),
        context: AddressContext::of(output),
        none_below: None,
    })
}

fn show(checked: &CheckedFinding, target: &Target, traces: Traces, style: Style) -> String {
    let symbols = Symbols::of(&target.program, &checked.context);
    text::finding(checked, &symbols, &Replay::None, traces, style)
}
