//! The file of `--races-in`: suppressions as ThreadSanitizer has them, of which `race:` and `race_top:` concern us.

use crate::error::{ToolError, plain};
use inspect_wire::race_pattern::RacePattern;
use std::path::Path;

/// Reads the patterns of a file.
pub(super) fn read(path: &Path) -> Result<Vec<RacePattern>, ToolError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| ToolError::new(format!("--races-in {}: {}", path.display(), plain(&error))))?;
    parse(&text).map_err(|(line, wrong)| ToolError::new(format!("{}:{line}: {wrong}", path.display())))
}

/// The patterns in a text, or the number of the first wrong line and what is wrong with it. Empty lines and comments
/// (`#`) are skipped.
fn parse(text: &str) -> Result<Vec<RacePattern>, (usize, String)> {
    let mut patterns = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        patterns.push(pattern(line).map_err(|wrong| (number, wrong))?);
    }
    Ok(patterns)
}

fn pattern(line: &str) -> Result<RacePattern, String> {
    match line.split_once(':') {
        Some(("race" | "race_top", pattern)) if pattern.trim_matches(['*', '^', '$', ' ']).is_empty() => {
            Err(format!("`{line}` would name every race: write a function or a file after the colon"))
        }
        Some(("race" | "race_top", pattern)) => Ok(RacePattern(pattern.trim().to_owned())),
        Some((kind @ ("called_from_lib" | "deadlock" | "mutex" | "signal" | "thread"), _)) => {
            Err(format!("`{kind}:` suppresses no data race: only `race:` lines are understood"))
        }
        Some(_) | None => Err(format!("`{line}` is no suppression: write race:FUNCTION or race:FILE")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_are_skipped() {
        let patterns = parse("# statistics\n\nrace:count_hit\n  race_top: ^lib/*.c$  \n");
        assert_eq!(patterns, Ok(vec![RacePattern("count_hit".into()), RacePattern("^lib/*.c$".into())]));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let line = |text: &str| parse(text).map_err(|(line, _)| line);
        assert_eq!(line("race:f\nrace f"), Err(2));
        assert_eq!(line("thread:pool"), Err(1));
        assert_eq!(line("# all\n\nrace:*"), Err(3));
        assert_eq!(line("race:"), Err(1));
    }
}
