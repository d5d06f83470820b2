//! `--warn`, `--error` and `--ignore`.

use super::flags::CheckFlags;
use crate::compile::is_rust_source;
use crate::error::ToolError;
use inspect_core::detect::{FindingKind, Severity};

/// The severities that differ from the default. In Rust, whose main cannot wait by `pthread_exit`, a thread that nobody
/// joins ends with main.
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
    let is_rust = flags.inputs.iter().any(|input| is_rust_source(input));
    let is_default = severities.iter().all(|(kind, _)| *kind != FindingKind::MissingPthreadExit);
    if is_rust && is_default {
        severities.push((FindingKind::MissingPthreadExit, Severity::Ignored));
    }
    Ok(severities)
}

fn unknown_kind(option: &str, name: &str) -> ToolError {
    let names: Vec<&str> = FindingKind::ALL.iter().map(|kind| kind.name()).collect();
    ToolError::new(format!("{option} {name}: no such kind of finding; there are: {}", names.join(" ")))
}
