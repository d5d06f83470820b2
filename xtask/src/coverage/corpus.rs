//! What the programs of the corpus say that they cover, and whether they call it.

use super::cases::Kind;
use crate::sources::{files, words};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

type Error = Box<dyn std::error::Error>;

/// A case of the corpus shows a case of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shown {
    pub(super) function: String,
    pub(super) kind: Kind,
    /// The folder below `corpus`.
    program: String,
    /// The name of the case, or nothing.
    case: String,
}

impl Shown {
    /// `topic/program (case)`, or `topic/program` if it has one case without a name.
    pub(super) fn place(&self) -> String {
        if self.case.is_empty() { self.program.clone() } else { format!("{} ({})", self.program, self.case) }
    }
}

/// All that is covered.
pub(super) struct Covered {
    shown: Vec<Shown>,
    /// What programs say and does not fit.
    pub(super) wrong: Vec<String>,
}

impl Covered {
    /// Reads every `expect.toml` below this folder.
    pub(super) fn read(corpus: &Path) -> Result<Self, Error> {
        let mut covered = Covered { shown: Vec::new(), wrong: Vec::new() };
        for file in files(corpus, &["toml"])? {
            let program = file.parent().unwrap_or(&file).display().to_string();
            let folder = corpus.join(&program);
            let table: Table = std::fs::read_to_string(corpus.join(&file))?.parse()?;
            let cases: Vec<&Table> = list(&table, "case").iter().filter_map(Value::as_table).collect();
            for case in &cases {
                covered.take(&program, &folder, case, &cases)?;
            }
        }
        Ok(covered)
    }

    /// Takes what one case says.
    fn take(&mut self, program: &str, folder: &Path, case: &Table, all: &[&Table]) -> Result<(), Error> {
        let Some(covers) = case.get("covers").and_then(Value::as_table) else { return Ok(()) };
        let called = called(folder, case)?;
        for (word, functions) in covers {
            let kind = Kind::from_word(word).ok_or_else(|| format!("{program}: covers has no {word}"))?;
            for function in functions.as_array().into_iter().flatten().filter_map(Value::as_str) {
                let name = text(case, "name").to_owned();
                let shown = Shown { function: function.to_owned(), kind, program: program.to_owned(), case: name };
                if !calls(&called, function) {
                    self.wrong.push(format!("{}: the program does not call {function}", shown.place()));
                }
                self.wrong.extend(unfit(case, kind).map(|why| format!("{}: {function}: {why}", shown.place())));
                if kind == Kind::Undefined && !has_twin(folder, function, all)? {
                    self.wrong.push(format!("{}: no verified twin beside it calls {function}", shown.place()));
                }
                self.shown.push(shown);
            }
        }
        Ok(())
    }

    /// The cases of the corpus that show this case of this function.
    pub(super) fn of(&self, function: &str, kind: Kind) -> impl Iterator<Item = &Shown> {
        self.shown.iter().filter(move |shown| shown.function == function && shown.kind == kind)
    }

    /// Everything that is shown.
    pub(super) fn all(&self) -> impl Iterator<Item = &Shown> {
        self.shown.iter()
    }

    /// How many cases of the corpus show something.
    pub(super) fn count(&self) -> usize {
        self.shown.iter().map(Shown::place).collect::<BTreeSet<_>>().len()
    }

    #[cfg(test)]
    pub(super) fn forget(&mut self, function: &str, kind: Kind) {
        self.shown.retain(|shown| shown.function != function || shown.kind != kind);
    }
}

/// Why a case of the corpus cannot show such a case.
fn unfit(case: &Table, kind: Kind) -> Option<&'static str> {
    let verdict = text(case, "verdict");
    let finds = !list(case, "findings").is_empty();
    match kind {
        Kind::Undefined if !finds => Some("nothing is reported"),
        Kind::Refused if verdict != "inconclusive" || text(case, "reason").is_empty() => Some("no reason names it"),
        Kind::Success | Kind::Error if verdict == "violated" => Some("the program is wrong"),
        Kind::Success | Kind::Blocking | Kind::Error | Kind::Undefined | Kind::Refused => None,
    }
}

/// Whether one of these cases is verified and calls the function.
fn has_twin(folder: &Path, function: &str, cases: &[&Table]) -> Result<bool, Error> {
    for case in cases.iter().filter(|case| text(case, "verdict") == "verified") {
        if calls(&called(folder, case)?, function) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The words of a program: of its sources, without comments and strings, and of its macros.
fn called(folder: &Path, case: &Table) -> Result<BTreeSet<String>, Error> {
    let mut sources: Vec<PathBuf> =
        list(case, "sources").iter().filter_map(Value::as_str).map(|name| folder.join(name)).collect();
    if sources.is_empty() {
        sources = files(folder, &["c", "cc", "cpp"])?.into_iter().map(|name| folder.join(name)).collect();
    }
    let mut found = BTreeSet::new();
    for source in sources {
        found.extend(words(&code(&std::fs::read_to_string(&source)?)).map(str::to_owned));
    }
    for value in case.get("defines").and_then(Value::as_table).into_iter().flat_map(Table::values) {
        found.extend(words(value.as_str().unwrap_or_default()).map(str::to_owned));
    }
    Ok(found)
}

/// Operations of the futex have a second name, for those that are private to the process.
fn calls(words: &BTreeSet<String>, function: &str) -> bool {
    words.contains(function)
        || function.starts_with(super::headers::OPERATION) && words.contains(&format!("{function}_PRIVATE"))
}

/// A source without its comments and strings.
fn code(source: &str) -> String {
    let mut code = String::new();
    let mut rest = source;
    while let Some(at) = rest.find(['/', '"']) {
        let (before, here) = rest.split_at(at);
        code.push_str(before);
        rest = if here.starts_with("//") {
            here.find('\n').map_or("", |end| &here[end..])
        } else if here.starts_with("/*") {
            here.find("*/").map_or("", |end| &here[end + 2..])
        } else if let Some(string) = here.strip_prefix('"') {
            &string[string_end(string)..]
        } else {
            code.push('/');
            &here[1..]
        };
    }
    code.push_str(rest);
    code
}

/// Where a string ends, behind its last quotation mark.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

fn text<'a>(table: &'a Table, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(table: &'a Table, key: &str) -> &'a [Value] {
    table.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_no_code() {
        let source = "a(); // b()\nc(\"d \\\" e\"); /* f\n */ g() / h;";
        assert_eq!(words(&code(source)).collect::<Vec<_>>(), ["a", "c", "g", "h"]);
    }

    #[test]
    fn what_cannot_show_a_case_is_reported() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("topic/program");
        std::fs::create_dir_all(&program).expect("a folder");
        std::fs::write(program.join("a.c"), "int main(void) { sem_post(&s); } // sem_wait").expect("written");
        let expect =
            "[[case]]\nverdict = \"violated\"\ncovers = { success = [\"sem_post\"], undefined = [\"sem_wait\"] }\n";
        std::fs::write(program.join("expect.toml"), expect).expect("written");
        let covered = Covered::read(folder.path()).expect("read");
        assert_eq!(
            covered.wrong,
            [
                "topic/program: sem_post: the program is wrong",
                "topic/program: the program does not call sem_wait",
                "topic/program: sem_wait: nothing is reported",
                "topic/program: no verified twin beside it calls sem_wait"
            ]
        );
    }
}
