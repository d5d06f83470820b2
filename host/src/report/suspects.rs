//! What came of each suspect of `inspect confirm`.

use super::style::Style;
use serde::Serialize;

/// The answer about a suspect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SuspectAnswer {
    /// A schedule shows it.
    Confirmed,
    /// No interleaving does.
    Refuted,
    /// Neither is known.
    Open,
    /// Its places are none of the program's.
    NotTried,
}

impl SuspectAnswer {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            SuspectAnswer::Confirmed => "confirmed",
            SuspectAnswer::Refuted => "refuted",
            SuspectAnswer::Open => "open",
            SuspectAnswer::NotTried => "not tried",
        }
    }
}

/// A suspect with its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuspectFigures {
    /// Its places, as `file:line`.
    pub places: Vec<String>,
    /// The answer.
    pub answer: SuspectAnswer,
    /// The schedule that shows it, or what the answer rests on.
    pub because: String,
}

/// What came of all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspects {
    /// In the order of the report.
    pub all: Vec<SuspectFigures>,
    /// How many errors were found that are none of them.
    pub others: usize,
}

/// The same for programs.
#[derive(Serialize, Debug)]
pub struct JsonSuspect {
    places: Vec<String>,
    answer: &'static str,
    because: String,
}

impl JsonSuspect {
    /// A suspect for programs.
    pub fn new(figures: &SuspectFigures) -> JsonSuspect {
        let SuspectFigures { places, answer, because } = figures.clone();
        JsonSuspect { places, answer: answer.name(), because }
    }
}

/// A line for each suspect, and what was found besides.
pub fn text(suspects: &Suspects, style: Style) -> String {
    let line = |suspect: &SuspectFigures| {
        let name = suspect.answer.name();
        let label = match suspect.answer {
            SuspectAnswer::Confirmed => style.error(name),
            SuspectAnswer::Refuted => style.good(name),
            SuspectAnswer::Open | SuspectAnswer::NotTried => style.warning(name),
        };
        let places = suspect.places.join(" and ");
        let places = if places.is_empty() { String::new() } else { format!("{places}: ") };
        format!("{label}: {places}{}\n", suspect.because)
    };
    let others = match suspects.others {
        0 => String::new(),
        1 => "1 other error was met, and not looked into: inspect check shows it\n".to_owned(),
        others => format!("{others} other errors were met, and not looked into: inspect check shows them\n"),
    };
    suspects.all.iter().map(line).collect::<String>() + &others
}
