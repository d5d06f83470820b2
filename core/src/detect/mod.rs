//! Trace to findings, one kind a file.

mod finding;

pub use finding::{Finding, FindingKind, Place, Severity, Witness};
