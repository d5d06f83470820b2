//! The threads API, descriptors and the corpus: which function is modelled, and which programs show what it does.
//! Writes docs/coverage.md and says what is missing.
//!
//! Sources, each of one thing: the rows of `inspect_wire::library` say what Inspect does with a function, or the
//! guest's list of system calls, where a function only makes one; `coverage/cases.txt` which cases a modelled one does
//! not have; `covers` in the corpus' `expect.toml` which case a program shows. The headers of the machine say which
//! functions there are.

mod cases;
mod corpus;
mod descriptors;
mod headers;

use cases::{Cases, Kind};
use corpus::{Covered, Shown};
use descriptors::SystemCalls;
use inspect_wire::library::{ALL, Guest, LibraryRow};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

type Error = Box<dyn std::error::Error>;

/// The document, below the root.
const DOCUMENT: &str = "docs/coverage.md";

/// The headers of the threads API.
const HEADERS: [&str; 5] = ["pthread.h", "semaphore.h", "threads.h", "signal.h", "sched.h"];
/// Other headers, of which these functions belong to the threads API.
const PARTS: [(&str, &[&str]); 2] = [
    ("time.h", &["timer_create", "timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime"]),
    ("sys/time.h", &["getitimer", "setitimer"]),
];

/// What Inspect does with a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Its steps are operations of a model.
    Modelled,
    /// The library performs it, and what it accesses is known.
    Accepted,
    /// The run ends there, or no program that calls it is verified.
    Refused,
}

impl State {
    fn of(row: &LibraryRow, calls: &SystemCalls) -> Self {
        match row.guest {
            _ if descriptors::is_unserved(row, calls) => State::Refused,
            _ if descriptors::is_modelled(row, calls) => State::Modelled,
            Guest::Models | Guest::Announces | Guest::Harmless => State::Accepted,
            Guest::Refuses | Guest::Unknown => State::Refused,
        }
    }
}

/// A function, or an operation of the system call futex.
struct Entry {
    name: String,
    state: State,
}

/// A header with what it has of the threads API, or of descriptors.
struct Section {
    header: &'static str,
    entries: Vec<Entry>,
}

/// Everything that the document is made from.
struct Coverage {
    sections: Vec<Section>,
    cases: Cases,
    covered: Covered,
}

/// Writes the document.
pub(crate) fn write(root: &Path) -> Result<(), Error> {
    Ok(std::fs::write(root.join(DOCUMENT), Coverage::read(root)?.document())?)
}

/// Fails if a case of a modelled function has no program, if a function of a header is not in the table, or if the
/// document is not what the sources say.
pub(crate) fn check(root: &Path) -> Result<(), Error> {
    let coverage = Coverage::read(root)?;
    let mut wrong = coverage.wrong();
    if std::fs::read_to_string(root.join(DOCUMENT)).unwrap_or_default() != coverage.document() {
        wrong.push(format!("{DOCUMENT} is out of date: cargo xtask coverage --write"));
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

impl Coverage {
    fn read(root: &Path) -> Result<Self, Error> {
        let cases = Cases::parse(include_str!("coverage/cases.txt"))?;
        let calls = SystemCalls::read(root)?;
        let mut sections = Vec::new();
        for header in HEADERS {
            sections.push(Section { header, entries: functions(header, &calls, true)? });
        }
        for (header, names) in PARTS {
            let entry = |&name: &&str| {
                let row = ALL.iter().find(|row| row.name == name).ok_or(format!("{name} has no row"))?;
                Ok(Entry { state: State::of(row, &calls), name: name.into() })
            };
            sections.push(Section { header, entries: names.iter().map(entry).collect::<Result<_, Error>>()? });
        }
        sections.push(Section { header: "linux/futex.h", entries: operations(&cases)? });
        let mut seen = BTreeSet::new();
        for header in descriptors::HEADERS {
            let mut entries = functions(header, &calls, false)?;
            entries.retain(|entry| header != descriptors::MODELLED_ONLY || entry.state == State::Modelled);
            // Some functions are declared by two headers.
            entries.retain(|entry| seen.insert(entry.name.clone()));
            sections.push(Section { header, entries });
        }
        Ok(Coverage { sections, cases, covered: Covered::read(&root.join("corpus"))? })
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.sections.iter().flat_map(|section| &section.entries)
    }

    /// All that is missing or does not fit.
    fn wrong(&self) -> Vec<String> {
        let mut wrong = self.covered.wrong.clone();
        for entry in self.entries() {
            wrong.extend(self.missing(entry));
        }
        let has = |name: &str, state: State| self.entries().any(|entry| entry.name == name && entry.state == state);
        for name in self.cases.named().filter(|name| !has(name, State::Modelled)) {
            wrong.push(format!("cases.txt has {name}, which is no modelled function of these headers"));
        }
        for shown in self.covered.all() {
            let state = if shown.kind == Kind::Refused { State::Refused } else { State::Modelled };
            if !has(&shown.function, state) {
                wrong.push(format!("{}: {} is not {state:?}", shown.place(), shown.function));
            }
            if let Some(reason) = self.cases.reason(&shown.function, shown.kind) {
                wrong.push(format!("{}: {} has no such case: {reason}", shown.place(), shown.function));
            }
        }
        wrong
    }

    /// The cases of a function without a program.
    fn missing(&self, entry: &Entry) -> Vec<String> {
        let shows = |kind: Kind| self.covered.of(&entry.name, kind).next().is_some();
        let operation = entry.name.starts_with(headers::OPERATION);
        let wanted: &[Kind] = match entry.state {
            State::Modelled => &Kind::OF_MODELLED,
            State::Accepted => &[],
            State::Refused if operation => &[Kind::Refused],
            State::Refused => &[],
        };
        let without = wanted.iter().filter(|&&kind| self.cases.reason(&entry.name, kind).is_none() && !shows(kind));
        without.map(|kind| format!("{}: no program of the corpus shows it: {}", entry.name, kind.word())).collect()
    }

    fn document(&self) -> String {
        let mut text = format!("{}\n", include_str!("coverage/introduction.md").trim_end());
        let count = |state: State| self.entries().filter(|entry| entry.state == state).count();
        let _ = writeln!(
            text,
            "\n{} functions and operations: {} modelled, {} accepted, {} refused. {} cases of the corpus say what they cover.",
            self.entries().count(),
            count(State::Modelled),
            count(State::Accepted),
            count(State::Refused),
            self.covered.count()
        );
        for section in &self.sections {
            self.section(&mut text, section);
        }
        text
    }

    fn section(&self, text: &mut String, section: &Section) {
        let _ = writeln!(text, "\n## `{}`\n", section.header);
        let of = |state: State| section.entries.iter().filter(move |entry| entry.state == state);
        if of(State::Modelled).next().is_some() {
            let _ = writeln!(text, "| modelled | success | blocking | error | undefined |\n|---|---|---|---|---|");
        }
        for entry in of(State::Modelled) {
            let cells = Kind::OF_MODELLED.map(|kind| self.cell(&entry.name, kind)).join(" | ");
            let _ = writeln!(text, "| `{}` | {cells} |", entry.name);
        }
        for (state, word) in [(State::Accepted, "Accepted"), (State::Refused, "Refused")] {
            let names: Vec<String> = of(state).map(|entry| format!("`{}`", entry.name)).collect();
            if !names.is_empty() {
                let _ = writeln!(text, "\n{word}: {}.", names.join(", "));
            }
        }
    }

    /// The programs that show a case, or why there is none.
    fn cell(&self, function: &str, kind: Kind) -> String {
        if let Some(reason) = self.cases.reason(function, kind) {
            return format!("*{reason}*");
        }
        let shown: Vec<&Shown> = self.covered.of(function, kind).collect();
        let more = if shown.len() > LISTED { format!(" and {} more", shown.len() - LISTED) } else { String::new() };
        let listed: Vec<String> = shown.iter().take(LISTED).map(|shown| shown.place()).collect();
        format!("{}{more}", listed.join(", "))
    }
}

/// So many programs of a case are listed.
const LISTED: usize = 2;

/// The functions that a header declares, with what their rows say. A function without a row is an error if all need
/// one; else it counts as refused, as a program that calls it is never verified.
fn functions(header: &'static str, calls: &SystemCalls, all: bool) -> Result<Vec<Entry>, Error> {
    let declared = headers::functions(header)?;
    let mut entries = Vec::new();
    for function in &declared {
        let row = |name: &str| ALL.iter().find(|row| row.name == name);
        let renamed = function.symbol != function.name && row(&function.symbol).is_some();
        let plain = function.name.replace("64v2", "2").replace("64", "");
        if renamed || plain != function.name && declared.iter().any(|other| other.name == plain) {
            // Another name of a function that is in the table: sizes of files have 64 bits in any case.
            continue;
        }
        let state = match row(&function.name) {
            Some(row) => State::of(row, calls),
            None if all => return Err(format!("{header} declares {}, which has no row", function.name).into()),
            None => State::Refused,
        };
        entries.push(Entry { state, name: function.name.clone() });
    }
    Ok(entries)
}

/// The operations of the system call futex that its header defines.
fn operations(cases: &Cases) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for name in headers::futex_operations()? {
        let state = if cases.is_refused(&name) { State::Refused } else { State::Modelled };
        entries.push(Entry { name, state });
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::root;

    #[test]
    fn every_case_of_a_modelled_function_has_a_program() {
        if let Err(wrong) = check(&root()) {
            panic!("{wrong}");
        }
    }

    #[test]
    fn a_case_without_a_program_is_reported() {
        let mut coverage = Coverage::read(&root()).expect("the sources can be read");
        coverage.covered.forget("sem_wait", Kind::Blocking);
        assert_eq!(coverage.wrong(), ["sem_wait: no program of the corpus shows it: blocking"]);
    }
}
