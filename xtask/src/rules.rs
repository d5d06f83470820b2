//! The check that every rule of `docs/semantics.md` that is cited by its number exists.

use crate::sources::{files, words};
use std::path::Path;

/// Where the rules are.
const RULES: &str = "docs/semantics.md";

type Error = Box<dyn std::error::Error>;

/// Checks the project below `root`; the error lists every citation of a rule that does not exist.
pub(crate) fn check(root: &Path) -> Result<(), Error> {
    let rules = count(&std::fs::read_to_string(root.join(RULES))?)?;
    let mut wrong = Vec::new();
    for file in files(root, &["rs", "md", "toml"])? {
        let text = std::fs::read_to_string(root.join(&file))?;
        for (number, line) in (1..).zip(text.lines()) {
            let unknown = cited(line).filter(|&rule| rule == 0 || rule > rules);
            wrong.extend(
                unknown.map(|rule| format!("{}:{number} cites S{rule}, which {RULES} does not have", file.display())),
            );
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The number of rules. Their headings are `## S1: ...`, `## S2: ...`, without a gap.
fn count(text: &str) -> Result<u32, Error> {
    let mut count = 0;
    for heading in text.lines().filter_map(|line| line.strip_prefix("## S")) {
        count += 1;
        if heading.split(':').next() != Some(count.to_string().as_str()) {
            return Err(format!("{RULES}: the heading `S{heading}` should have the number {count}").into());
        }
    }
    Ok(count)
}

/// The rules cited in a line: words such as `S12`.
fn cited(line: &str) -> impl Iterator<Item = u32> {
    let number = |word: &str| word.strip_prefix('S').filter(|digits| (1..=2).contains(&digits.len()))?.parse().ok();
    words(line).filter_map(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cited_rule_exists() {
        check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).expect("all are there");
    }

    #[test]
    fn citations_are_found_and_other_words_are_not() {
        let found = |line: &str| cited(line).collect::<Vec<_>>();
        assert_eq!(found("/// Delayed (S5), so that nothing is lost; see S14."), [5, 14]);
        assert_eq!(found("SC, S, S_1, S123, S3a, SIGSEGV"), [0; 0]);
    }

    #[test]
    fn headings_with_a_gap_are_refused() {
        assert_eq!(count("# Semantics\n## S1: One\ntext\n## S2: Two\n").expect("in order"), 2);
        assert!(count("## S1: One\n## S3: Three\n").is_err());
    }
}
