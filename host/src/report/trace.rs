//! The two-dimensional trace: a column for each thread, a row for each step.

use super::locks::Held;
use super::message::waiting;
use super::source::Sources;
use super::style::Style;
use crate::run::ReplayTrace;
use crate::symbols::Symbols;
use crate::words;
use inspect_core::event::{ByteRange, Ending, Event, ThreadId};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many of the last steps are shown unless all are asked for.
const LAST: usize = 40;
/// The widest source line shown.
const SOURCE_WIDTH: usize = 60;

/// One step, in words.
struct Row {
    number: usize,
    thread: ThreadId,
    operation: String,
    place: String,
    source: String,
    held: String,
}

/// The trace as text.
pub fn table(trace: &ReplayTrace, symbols: &Symbols, full: bool, style: Style) -> String {
    let sources = Sources::default();
    let skipped = if full { 0 } else { trace.events.len().saturating_sub(LAST) };
    let mut held = Held::default();
    trace.events[..skipped].iter().for_each(|event| held.step(event));
    let mut rows = Vec::new();
    for (index, event) in trace.events.iter().enumerate().skip(skipped) {
        held.step(event);
        rows.push(row(index, event, trace, &held, symbols, &sources));
    }
    let mut threads: BTreeSet<ThreadId> = rows.iter().map(|row| row.thread).collect();
    threads.extend(trace.pending.iter().map(|pending| pending.thread));

    let mut text = String::new();
    if skipped > 0 {
        let _ = writeln!(text, "  ({skipped} steps before these are left out; --full shows them)");
    }
    write_rows(&mut text, &rows, &threads.into_iter().collect::<Vec<_>>(), style);
    for pending in &trace.pending {
        let position = symbols.locate_place(pending.thread, pending.site);
        let at = position.place().map_or_else(String::new, |place| format!(" at {place}"));
        let _ =
            writeln!(text, "  at the end {} {}{at}", words::thread(pending.thread), waiting(pending, &held, symbols));
    }
    let _ = writeln!(text, "  the run {}", ending(&trace.ending));
    text
}

fn row(index: usize, event: &Event, trace: &ReplayTrace, held: &Held, symbols: &Symbols, sources: &Sources) -> Row {
    let position = symbols.locate_event(index, event.thread, event.site);
    let values = trace.values.get(index).map(|values| (*values, event.choice));
    let names: Vec<String> =
        held.by(event.thread).map(|mutex| symbols.object(ByteRange { start: mutex.0, len: 1 })).collect();
    Row {
        number: index + 1,
        thread: event.thread,
        operation: words::operation(&event.operation, event.site, symbols, values),
        place: position.short(),
        source: sources.line(&position.own).map(|line| cut(&line, SOURCE_WIDTH)).unwrap_or_default(),
        held: if names.is_empty() { String::new() } else { format!("holds {}", names.join(", ")) },
    }
}

fn write_rows(text: &mut String, rows: &[Row], threads: &[ThreadId], style: Style) {
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let step = widest(&mut rows.iter().map(|row| row.number.to_string().len())).max(4);
    let columns: Vec<usize> = threads
        .iter()
        .map(|thread| {
            let own = rows.iter().filter(|row| row.thread == *thread);
            widest(&mut own.map(|row| length(&row.operation))).max(length(&words::thread(*thread)))
        })
        .collect();
    let place = widest(&mut rows.iter().map(|row| length(&row.place))).max(5);
    let source = widest(&mut rows.iter().map(|row| length(&row.source))).max(6);

    let mut head = format!("  {:>step$}", "step");
    for (thread, width) in threads.iter().zip(&columns) {
        head.push_str("  ");
        head.push_str(&padded(&words::thread(*thread), *width));
    }
    head.push_str(&format!("  {}  {}", padded("where", place), padded("source", source)));
    let _ = writeln!(text, "{}", style.strong(head.trim_end()));
    for row in rows {
        let mut line = format!("  {:>step$}", row.number);
        for (thread, width) in threads.iter().zip(&columns) {
            line.push_str("  ");
            line.push_str(&padded(if *thread == row.thread { &row.operation } else { "" }, *width));
        }
        line.push_str(&format!("  {}  {}", padded(&row.place, place), padded(&row.source, source)));
        line.push_str(&format!("  {}", row.held));
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Completed => "came to its end".to_owned(),
        Ending::Deadlocked => "ended in a deadlock".to_owned(),
        Ending::Livelocked => "ended in a livelock".to_owned(),
        Ending::AssumeBlocked => "ended in a failed assumption".to_owned(),
        Ending::Blocked => "was cut as redundant".to_owned(),
        Ending::Revisited => "was cut in a state that had been visited".to_owned(),
        Ending::Limit(limit) => format!("was cut by a limit ({limit:?})").to_lowercase(),
        Ending::Diverged(at) => format!("left its schedule at step {}", at.0),
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn padded(text: &str, width: usize) -> String {
    format!("{text:<width$}")
}

fn cut(text: &str, width: usize) -> String {
    if length(text) <= width { text.to_owned() } else { text.chars().take(width - 3).chain("...".chars()).collect() }
}
