//! `--warn`, `--error` and `--ignore`.

use super::flags::CheckFlags;
use crate::error::ToolError;
use inspect_core::detect::{FindingKind, Severity};

/// The severities that differ from the default.
pub(super) fn severities(flags: &CheckFlags) -> Result<Vec<(FindingKind, Severity)>, ToolError> {
    let lists = [
        ("--warn", &flags.warn, Severity::Warning),
        ("--error", &flags.error, Severity::Error),
        ("--ignore", &flags.ignore, Severity::Ignored),
    ];
    let mut severities: Vec<(FindingKind, Severity)> = Vec::new();
    for (option, names, severity) in lists {
        for name in names {
            let kind = FindingKind::from_name(name).ok_or_else(|| unknown_kind(option, name))?;
            match severities.iter().find(|(other, _)| *other == kind) {
                Some((_, other)) if *other != severity => {
                    return Err(ToolError::new(format!("{name} is given two severities")));
                }
                Some(_) => {}
                None => severities.push((kind, severity)),
            }
        }
    }
    Ok(severities)
}

fn unknown_kind(option: &str, name: &str) -> ToolError {
    let names: Vec<&str> = FindingKind::ALL.iter().map(|kind| kind.name()).collect();
    ToolError::new(format!("{option} {name}: no such kind of finding; there are: {}", names.join(" ")))
}
