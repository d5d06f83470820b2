//! The report for people.

use super::message::describe;
use super::source::Sources;
use super::style::Style;
use super::{Summary, trace};
use crate::search::{CheckedFinding, Confirmation};
use crate::symbols::{Location, Symbols};
use crate::verdict::Verdict;
use inspect_core::detect::{Finding, Severity, Witness};
use std::fmt::Write;

/// A finding: what, where, the trace, what to do, and how to see it again.
pub fn finding(checked: &CheckedFinding, symbols: &Symbols, replay: &Replay, traces: Traces, style: Style) -> String {
    let description = describe(checked, symbols);
    let kind = checked.reported.finding.kind.name();
    let label = match checked.severity {
        Severity::Error => style.error(&format!("error: {kind}")),
        Severity::Warning | Severity::Ignored => style.warning(&format!("warning: {kind}")),
    };
    let mut text = format!("{label}: {}\n", style.strong(&description.headline));
    if let Some(place) = checked.reported.finding.places.first() {
        source_line(&mut text, &symbols.locate_place(place.thread, place.site).own, style);
    }
    for detail in &description.details {
        let _ = writeln!(text, "  {detail}");
    }
    let _ = writeln!(text, "  what to do: {}", description.advice);
    if let Confirmation::Failed(why) = &checked.confirmation {
        let note = format!("not confirmed: {why}");
        let _ = writeln!(text, "  {}; it does not count", style.warning(&note));
    }
    if let (Some(trace), Traces::Last | Traces::Full) = (&checked.context.trace, traces) {
        let _ = writeln!(text);
        text.push_str(&trace::table(trace, symbols, traces == Traces::Full, style));
    }
    if let Some(least) = checked.none_below {
        let _ = writeln!(text, "  preemptions needed: {}", preemptions_needed(&checked.reported.finding, least));
    }
    how_to_replay(&mut text, replay, style);
    text
}

/// How many preemptions a finding needs, of which a run is known with `most` and none with fewer than `least`.
fn preemptions_needed(finding: &Finding, least: u32) -> String {
    let most = finding.preemptions;
    match (most, least) {
        (0, _) => "none".to_owned(),
        (_, 0) => format!("at most {most}"),
        _ if least < most => format!("at most {most}, at least {least}"),
        _ if finding.witness == Some(Witness::CoPending) => {
            format!("{most}, no schedule with fewer shows both accesses about to happen")
        }
        _ => format!("{most}, no schedule with fewer shows it"),
    }
}

/// Where a finding is: the file with the line, and what stands there.
fn source_line(text: &mut String, location: &Location, style: Style) {
    if let Some(at) = location.place() {
        let _ = writeln!(text, "  --> {at}");
    }
    if let Some(line) = Sources::default().line(location) {
        let number = location.line.to_string();
        let _ = writeln!(text, "  {} {line}", style.faint(&format!("{number} |")));
    }
}

fn how_to_replay(text: &mut String, replay: &Replay, style: Style) {
    match replay {
        Replay::Saved(path) => {
            let _ = writeln!(text, "  replay: {}", style.strong(&format!("inspect replay {path}")));
        }
        Replay::NotSaved(why) => {
            let _ = writeln!(text, "  {}", style.warning(&format!("the schedule could not be saved: {why}")));
        }
        Replay::None => {}
    }
}

/// What follows the lines of [`warning`].
pub const MORE_OF_WARNINGS: &str = "  (--full shows the trace of each warning, and how to replay it)\n";

/// A finding that is not an error, in one line.
pub fn warning(checked: &CheckedFinding, symbols: &Symbols, style: Style) -> String {
    let kind = checked.reported.finding.kind.name();
    let place = checked.reported.finding.places.first();
    let at = place.and_then(|place| symbols.locate_place(place.thread, place.site).own.place());
    let at = at.map_or_else(String::new, |at| format!(" ({at})"));
    let unconfirmed = match checked.confirmation {
        Confirmation::Confirmed => "",
        Confirmation::Failed(_) => "; not confirmed, so it does not count",
    };
    format!(
        "{}: {}{at}{unconfirmed}\n",
        style.warning(&format!("warning: {kind}")),
        describe(checked, symbols).headline
    )
}

/// How much of a trace to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traces {
    /// None.
    None,
    /// The last steps.
    Last,
    /// Every step.
    Full,
}

/// Whether a finding can be replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Replay {
    /// From this file.
    Saved(String),
    /// The file could not be written.
    NotSaved(String),
    /// There is none.
    None,
}

/// The verdict with what it rests on.
pub fn verdict(summary: &Summary, style: Style) -> String {
    let name = summary.verdict.name();
    let (label, rest) = match &summary.verdict {
        Verdict::Verified => (style.good(name), summary.covered.to_owned()),
        Verdict::Violated => (style.error(name), counted(summary.errors, "error")),
        Verdict::Inconclusive(reasons) => {
            let each = reasons.iter().map(|reason| format!("{}\n    try: {}", reason.what, reason.next));
            (style.warning(name), each.collect::<Vec<_>>().join("\n  and "))
        }
    };
    let warnings =
        if summary.warnings > 0 { format!(", {}", counted(summary.warnings, "warning")) } else { String::new() };
    let mut text = match &summary.verdict {
        Verdict::Verified | Verdict::Violated => format!("{label}: {rest}{warnings}\n"),
        Verdict::Inconclusive(_) => format!("{label}{warnings}: {rest}\n"),
    };
    if summary.verdict == Verdict::Violated {
        for note in &summary.notes {
            let _ = writeln!(text, "  note: {}", note.what);
        }
    }
    text.push_str(&search(summary));
    text.push_str(&assumptions(summary));
    text
}

/// What a search has done, without its verdict.
pub fn search(summary: &Summary) -> String {
    let mut text = first_execution(summary);
    text.push_str(&figures(summary));
    let _ = writeln!(text, "  algorithm {}, plain accesses {}", summary.algorithm, summary.plain_accesses);
    if let Some(turns) = &summary.turns {
        text.push_str(&turns.text());
    }
    for sentence in &summary.guarantee {
        text.push_str(&paragraph("", sentence));
    }
    text
}

/// What a verdict takes for granted.
pub fn assumptions(summary: &Summary) -> String {
    paragraph("assuming ", &summary.assumptions.join("; "))
}

/// Where the first execution was if none came to its end.
fn first_execution(summary: &Summary) -> String {
    let Some((steps, threads)) = &summary.first_execution else { return String::new() };
    let steps = counted(*steps as u64, "operation");
    let mut text = format!("  no execution came to its end; after {steps} of the first one\n");
    for thread in threads {
        let _ = writeln!(text, "    {thread}");
    }
    text
}

fn figures(summary: &Summary) -> String {
    let counts = &summary.counts;
    let mut text = format!("  {} in {:.3} s", counted(counts.executions, "execution"), summary.seconds);
    if summary.rate() >= 1.0 {
        let _ = write!(text, " ({:.0}/s)", summary.rate());
    }
    let _ = write!(text, ", {} blocked", counts.blocked);
    if counts.assume_blocked > 0 {
        let _ = write!(text, ", {} stopped by an assumption", counts.assume_blocked);
    }
    if counts.limited > 0 {
        let _ = write!(text, ", {} cut by a limit", counts.limited);
    }
    let threads = counted(summary.threads.into(), "thread");
    let _ = writeln!(text, ", {}, {threads}", counted(counts.transitions, "transition"));
    if let Some(states) = summary.states {
        let _ = writeln!(text, "  {} kept", counted(states, "state"));
    }
    for one in summary.uncompared.iter().flatten() {
        let at = one.at.place().map_or_else(String::new, |place| format!(" (first at {place})"));
        let states = counted(one.states, "state");
        let _ = writeln!(text, "  {states} could not be compared: {}{at}", one.reason);
    }
    if let (false, Some(total)) = (summary.complete, summary.estimated_total) {
        let _ = match share(counts.executions, total) {
            Some(percent) => {
                writeln!(text, "  about {} of an estimated {total:.0} executions", percentage(percent))
            }
            None => writeln!(text, "  of more than {}", counted(counts.executions, "execution")),
        };
    }
    text
}

/// What begins with `first` and goes on with `rest`, in lines of a readable width.
fn paragraph(first: &str, rest: &str) -> String {
    const WIDTH: usize = 100;
    let mut text = String::new();
    let mut line = String::from(" ");
    for word in format!("{first}{rest}").split(' ') {
        if line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = String::from("   ");
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(text, "{line}");
    text
}

/// The share in percent of what was made of an estimated total. None where the estimate is no more than what was seen,
/// as that of a search which finds its branches on the way: how much is left is not known then.
pub fn share(executions: u64, total: f64) -> Option<f64> {
    let percent = 100.0 * executions as f64 / total.max(1.0);
    (percent < 99.5).then_some(percent)
}

/// A share in percent with as many digits as it deserves.
pub fn percentage(percent: f64) -> String {
    if percent >= 10.0 { format!("{percent:.0} %") } else { format!("{percent:.2} %") }
}

/// A number with what it counts.
pub fn counted(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
