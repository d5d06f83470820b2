//! The answer of `inspect confirm`: for each race in question whether it is real, what was found besides, and what the
//! searches have done.

use super::Summary;
use super::json::{self, JsonFinding, JsonReport};
use super::message::describe;
use super::style::Style;
use super::text::{self, Replay, Traces};
use crate::query::QueryOutcome;
use crate::search::{CheckedFinding, Confirmation};
use crate::symbols::Symbols;
use crate::verdict::{Reason, joined};
use inspect_core::detect::Severity;
use serde::Serialize;
use std::fmt::Write;

/// How many other findings are shown, unless the user wants to see all.
const MOST_BESIDES: usize = 5;

/// A race in question, with the answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnsweredQuery {
    /// What it is called: its places, or where a report has it.
    pub name: String,
    /// The answer.
    pub outcome: QueryOutcome,
    /// Those of its places at which the program has code and no access.
    pub without_accesses: Vec<String>,
    /// The numbers of the findings that are this race.
    pub findings: Vec<usize>,
}

impl AnsweredQuery {
    /// A race that could not be looked for.
    pub fn not_looked_for(name: String, why: Reason) -> AnsweredQuery {
        let outcome = QueryOutcome::NotConfirmed(vec![why]);
        AnsweredQuery { name, outcome, without_accesses: Vec::new(), findings: Vec::new() }
    }
}

/// A finding with what it takes to show it.
pub struct ShownFinding<'a> {
    /// The finding.
    pub checked: &'a CheckedFinding,
    /// What its addresses mean.
    pub symbols: Symbols,
    /// Whether it can be replayed.
    pub replay: &'a Replay,
}

/// All that there is to report.
pub struct Report<'a> {
    /// The races in question.
    pub answered: &'a [AnsweredQuery],
    /// All findings of all searches, errors first.
    pub findings: Vec<ShownFinding<'a>>,
    /// What the searches have done, in their order.
    pub searches: Vec<Summary>,
    /// What a report has beside data races, in words.
    pub unread: Vec<String>,
}

impl Report<'_> {
    /// The report for people.
    pub fn text(&self, traces: Traces, style: Style) -> String {
        let mut text: String =
            self.answered.iter().map(|answered| self.answer(answered, traces, style) + "\n").collect();
        let errors = || self.besides().filter(|finding| finding.checked.severity == Severity::Error);
        let shown = if traces == Traces::Full { usize::MAX } else { MOST_BESIDES };
        for finding in errors().take(shown) {
            let _ = writeln!(text, "found besides: {}", brief(finding));
        }
        let more = errors().skip(shown).count();
        if more > 0 {
            let _ = writeln!(text, "found besides: {more} more (--full shows all)");
        }
        for unread in &self.unread {
            let _ = writeln!(text, "{}: {unread}", style.warning("note"));
        }
        text.push_str("tried:\n");
        for search in &self.searches {
            text.push_str(&text::search(search));
        }
        text + &self.searches.last().map_or_else(String::new, text::assumptions)
    }

    /// The report for programs: one JSON object.
    pub fn json(&self) -> String {
        let finding = |shown: &ShownFinding<'_>| JsonFinding::new(shown.checked, &shown.symbols, shown.replay);
        let answer = |answered: &AnsweredQuery| JsonAnswer {
            race: answered.name.clone(),
            outcome: answered.outcome.name(),
            reason: match &answered.outcome {
                QueryOutcome::NotConfirmed(reasons) => Some(joined(reasons)),
                QueryOutcome::Confirmed | QueryOutcome::Refuted => None,
            },
            without_accesses: answered.without_accesses.clone(),
            findings: answered.findings.iter().filter_map(|number| self.findings.get(*number)).map(finding).collect(),
        };
        let answers = JsonAnswers {
            schema: 1,
            races: self.answered.iter().map(answer).collect(),
            besides: self.besides().map(finding).collect(),
            unread: self.unread.clone(),
            searches: self.searches.iter().map(|summary| json::object(summary, Vec::new())).collect(),
        };
        json::text(&answers) + "\n"
    }

    /// The findings that are none of the races in question.
    fn besides(&self) -> impl Iterator<Item = &ShownFinding<'_>> {
        let is_asked = |number: usize| self.answered.iter().any(|answered| answered.findings.contains(&number));
        self.findings.iter().enumerate().filter(move |(number, _)| !is_asked(*number)).map(|(_, finding)| finding)
    }

    fn answer(&self, answered: &AnsweredQuery, traces: Traces, style: Style) -> String {
        let name = &answered.name;
        let findings: Vec<&ShownFinding<'_>> =
            answered.findings.iter().filter_map(|number| self.findings.get(*number)).collect();
        let label = answered.outcome.name();
        let mut text = match &answered.outcome {
            QueryOutcome::Confirmed => format!("{}: {name}\n", style.error(label)),
            QueryOutcome::Refuted => {
                let covered = self.searches.last().map_or("", |search| search.covered);
                format!("{}: {covered}: {name}\n", style.good(label))
            }
            QueryOutcome::NotConfirmed(reasons) => {
                let each = reasons.iter().map(|reason| format!("  {}\n    try: {}\n", reason.what, reason.next));
                format!("{}: {name}\n{}", style.warning(label), each.collect::<String>())
            }
        };
        for place in &answered.without_accesses {
            let _ = writeln!(text, "  note: the program has no access at {place} to memory that threads may share");
        }
        // The best evidence whole; others of the same places, as of the read and the write of `x++`, in a line each.
        let confirmed = |shown: &&&ShownFinding<'_>| shown.checked.confirmation == Confirmation::Confirmed;
        let best = findings.iter().find(confirmed).or(findings.first());
        if let Some(shown) = best {
            text.push_str(&text::finding(shown.checked, &shown.symbols, shown.replay, traces, style));
        }
        for other in findings.iter().filter(|other| best.is_some_and(|best| !std::ptr::eq(**other, *best))) {
            let _ = writeln!(text, "  also there: {}", brief(other));
        }
        text
    }
}

/// A finding in one line.
fn brief(shown: &ShownFinding<'_>) -> String {
    let finding = &shown.checked.reported.finding;
    let place = |place: &inspect_core::detect::Place| shown.symbols.locate_place(place.thread, place.site).own.place();
    let places: Vec<String> = finding.places.iter().take(2).filter_map(place).collect();
    let at = if places.is_empty() { String::new() } else { format!(" ({})", places.join(" and ")) };
    let replay = match (&shown.checked.confirmation, shown.replay) {
        (Confirmation::Failed(why), _) => format!("; not confirmed: {why}"),
        (Confirmation::Confirmed, Replay::Saved(path)) => format!("; inspect replay {path}"),
        (Confirmation::Confirmed, Replay::NotSaved(why)) => format!("; the schedule could not be saved: {why}"),
        (Confirmation::Confirmed, Replay::None) => String::new(),
    };
    format!("{}: {}{at}{replay}", finding.kind.name(), describe(shown.checked, &shown.symbols).headline)
}

/// The whole object.
#[derive(Serialize)]
struct JsonAnswers {
    schema: u32,
    races: Vec<JsonAnswer>,
    besides: Vec<JsonFinding>,
    unread: Vec<String>,
    searches: Vec<JsonReport>,
}

/// A race in question.
#[derive(Serialize)]
struct JsonAnswer {
    race: String,
    outcome: &'static str,
    reason: Option<String>,
    without_accesses: Vec<String>,
    findings: Vec<JsonFinding>,
}
