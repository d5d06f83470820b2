//! The check that the files and tests that the documents name exist, and that the types named in GLOSSARY.md are
//! defined.

use crate::sources::{files, words};
use std::path::{Path, PathBuf};

/// What a path in a document may be relative to, beside the document's own folder.
const BASES: &[&str] = &["", "core/src", "guest/src", "host/src", "wire/src", "instrument/pass/src", "corpus"];

/// Endings of names that are taken for files of the project. A name that ends in a slash is taken for a folder.
const ENDINGS: &[&str] = &[".rs", ".md", ".toml", ".py", ".sh", ".c", ".cc"];

/// Documents with paths that are not the project's: programs of the reader's, as examples.
const EXAMPLES: &[&str] = &["README.md"];

/// Documents made from tables that other tests compare with the code; they name functions of libraries.
const GENERATED: &[&str] = &["docs/library.md", "docs/coverage.md", "docs/conformance.md"];

/// Documents whose text names items of the code, as `Plan::forks`.
const PROSE: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md"];

type Error = Box<dyn std::error::Error>;

/// Checks the project below `root`; the error lists every name of something that does not exist.
pub(crate) fn check(root: &Path) -> Result<(), Error> {
    let mut wrong = Vec::new();
    let sources = sources(root)?;
    let is_written = |document: &PathBuf| !GENERATED.iter().any(|generated| document == Path::new(generated));
    for document in files(root, &["md"])?.into_iter().filter(is_written) {
        let text = std::fs::read_to_string(root.join(&document))?;
        let folder = document.parent().unwrap_or(Path::new(""));
        let is_there = |path: &str| root.join(folder).join(path).exists();
        for (number, line) in (1..).zip(text.lines()) {
            let mut missing: Vec<&str> = links(line).filter(|link| !is_there(link)).collect();
            if !EXAMPLES.iter().any(|example| document == Path::new(example)) {
                let known = |path: &str| {
                    is_there(path)
                        || BASES.iter().any(|base| root.join(base).join(path).exists())
                        || !path.contains('/') && sources.iter().any(|(source, _)| source.ends_with(path))
                };
                missing.extend(quoted(line).filter(|name| is_path(name) && !known(name)));
            }
            missing.extend(quoted(line).filter(|name| is_test(name) && !is_defined(name, &sources)));
            wrong.extend(
                missing.iter().map(|path| format!("{}:{number} names {path}, which is not there", document.display())),
            );
        }
    }
    wrong.extend(undefined(&std::fs::read_to_string(root.join("GLOSSARY.md"))?, &sources));
    for document in PROSE {
        let text = std::fs::read_to_string(root.join(document))?;
        for (number, line) in (1..).zip(text.lines()) {
            let missing = quoted(line).filter(|name| is_item(name) && !is_defined(name, &sources));
            wrong.extend(missing.map(|name| format!("{document}:{number} names {name}, which is defined nowhere")));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The parts of a line in backticks.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The targets of the links of a line that are files of the project, without the section.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let target = |part: &'_ str| part.find(')').map(|end| part[..end].len());
    line.split("](").skip(1).filter_map(move |part| {
        let link = &part[..target(part)?];
        let file = link.split('#').next().unwrap_or_default();
        (!file.is_empty() && !link.contains("://")).then_some(file)
    })
}

fn is_path(name: &str) -> bool {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    let named = name.ends_with('/') || ENDINGS.iter().any(|ending| name.ends_with(ending));
    let relative = name.contains('/') && !name.starts_with('/');
    plain && named && (relative || name.ends_with(".rs") && name != ".rs")
}

/// Whether `name` looks like the name of a test: a sentence of small letters.
fn is_test(name: &str) -> bool {
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !name.starts_with('_') && name.matches('_').count() >= 3 && name.chars().all(small)
}

/// Whether `name` is a path to an item of the code.
fn is_item(name: &str) -> bool {
    let segment = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    name.contains("::") && name.split("::").all(segment)
}

/// A source file: its path and its text.
type Source = (PathBuf, String);

fn sources(root: &Path) -> Result<Vec<Source>, Error> {
    let read = |path: PathBuf| Ok((path.clone(), std::fs::read_to_string(root.join(path))?));
    files(root, &["rs"])?.into_iter().map(read).collect()
}

/// A message for each name in the last column of the glossary that is not defined.
fn undefined(glossary: &str, sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, line) in (1..).zip(glossary.lines()).filter(|(_, line)| line.starts_with('|')) {
        let last = line.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let missing = quoted(last).filter(|name| !name.contains('/') && !is_defined(name, sources));
        wrong.extend(missing.map(|name| format!("GLOSSARY.md:{number} names {name}, which is defined nowhere")));
    }
    wrong
}

/// Whether `name`, a path such as `event::Plan` or `Plan::forks`, names something in one of the sources: a member of a
/// type defined there, or an item in a file or folder of the module's name.
fn is_defined(name: &str, sources: &[Source]) -> bool {
    let (owner, item) = name.rsplit_once("::").unwrap_or(("", name));
    let owner = owner.rsplit("::").next().unwrap_or_default();
    sources.iter().any(|(path, text)| {
        if owner.starts_with(|c: char| c.is_uppercase()) {
            return defines(text, owner) && words(text).any(|word| word == item);
        }
        let folders = path.iter().filter_map(|part| part.to_str()).map(|part| part.trim_end_matches(".rs"));
        let parts: Vec<&str> = folders.collect();
        (owner.is_empty() || parts.contains(&owner)) && (defines(text, item) || parts.contains(&item))
    })
}

/// Whether `text` has a definition of `item`.
fn defines(text: &str, item: &str) -> bool {
    const KEYWORDS: &[&str] = &["struct", "enum", "trait", "fn", "const", "static", "type", "mod"];
    text.lines().any(|line| {
        let line: Vec<&str> = words(line).collect();
        line.windows(2).any(|pair| KEYWORDS.contains(&pair[0]) && pair[1] == item)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "make check does this"]
    fn every_named_file_and_type_is_there() {
        check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("all are there");
    }

    #[test]
    fn paths_and_links_are_found_in_a_line() {
        let line =
            "see [limits](docs/limits.md#x), `core/src/lib.rs`, `a/b`, `event/`, [web](https://x.org) and `x.rs`";
        assert_eq!(links(line).collect::<Vec<_>>(), ["docs/limits.md"]);
        let paths: Vec<&str> = quoted(line).filter(|name| is_path(name)).collect();
        assert_eq!(paths, ["core/src/lib.rs", "event/", "x.rs"]);
    }

    #[test]
    fn names_of_tests_are_distinguished_from_other_words() {
        assert!(is_test("names_of_tests_are_distinguished_from_other_words"));
        assert!(!is_test("pthread_mutex_lock") && !is_test("__inspect_x_y_z") && !is_test("A_B_C_D"));
    }

    #[test]
    fn a_type_that_is_not_defined_is_reported() {
        let sources = [(PathBuf::from("core/src/event/plan.rs"), "pub struct Plan {\n  pub forks: u32,\n}".to_owned())];
        assert!(undefined("| x | y | `event::Plan`, `Plan::forks`, `event`, `core/` |", &sources).is_empty());
        assert_eq!(undefined("| x | y | `run::Plan` |", &sources).len(), 1);
        assert_eq!(undefined("| x | y | `Plan::knives` |", &sources).len(), 1);
        assert_eq!(undefined("| x | y | `Planet` |", &sources).len(), 1);
    }
}
