//! Reports of other tools that look for data races, read as text: which places of the source each race names. Pure
//! functions; which of the places belong to a program is not known here.

mod helgrind;
mod tsan;

use crate::places::GivenPlace;
use std::collections::BTreeMap;

/// A data race as another tool reports it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignRace {
    /// Where the report has it: a line, from 1.
    pub at_line: usize,
    /// The call stack of each access, innermost first, without the calls of which the report has no source line.
    pub stacks: Vec<Vec<GivenPlace>>,
}

/// What a text has of reports.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ForeignReport {
    /// Data races, in the order of the text.
    pub races: Vec<ForeignRace>,
    /// Findings that are no data races, by what the tool calls them, and how many there are.
    pub others: BTreeMap<String, usize>,
}

/// Reads the reports of ThreadSanitizer and of Helgrind that a text has.
pub fn read(text: &str) -> ForeignReport {
    let mut report = tsan::read(text);
    let helgrind = helgrind::read(text);
    report.races.extend(helgrind.races);
    report.races.sort_by_key(|race| race.at_line);
    for (kind, number) in helgrind.others {
        *report.others.entry(kind).or_default() += number;
    }
    report
}

/// What a line is in a report.
enum Line<'a> {
    /// A data race begins, whose accesses follow.
    Race,
    /// Another finding begins.
    Other(&'a str),
    /// An access of the race, whose call stack follows.
    Access,
    /// A call; its place, if the report has it.
    Call(Option<GivenPlace>),
    /// A line between an access and its call stack.
    Between,
    /// Anything else: a call stack is over.
    End,
}

/// A report in the making.
#[derive(Default)]
struct Reading {
    report: ForeignReport,
    /// Accesses of the race are expected.
    in_race: bool,
    /// Calls belong to the last access.
    in_stack: bool,
}

impl Reading {
    fn take(&mut self, number: usize, line: Line<'_>) {
        match line {
            Line::Race => {
                (self.in_race, self.in_stack) = (true, false);
                self.report.races.push(ForeignRace { at_line: number + 1, stacks: Vec::new() });
            }
            Line::Other(kind) => {
                (self.in_race, self.in_stack) = (false, false);
                *self.report.others.entry(kind.to_owned()).or_default() += 1;
            }
            Line::Access => {
                self.in_stack = self.in_race;
                if let (true, Some(race)) = (self.in_race, self.report.races.last_mut()) {
                    race.stacks.push(Vec::new());
                }
            }
            Line::Call(place) => {
                let stack = self.report.races.last_mut().and_then(|race| race.stacks.last_mut());
                if let (true, Some(stack)) = (self.in_stack, stack) {
                    stack.extend(place);
                }
            }
            Line::Between => {}
            Line::End => self.in_stack = false,
        }
    }
}

/// The call stacks of the accesses of each race, as text.
#[cfg(test)]
fn stacks(report: &ForeignReport) -> Vec<Vec<Vec<String>>> {
    let stack = |stack: &Vec<GivenPlace>| stack.iter().map(GivenPlace::to_string).collect();
    report.races.iter().map(|race| race.stacks.iter().map(stack).collect()).collect()
}
