//! Trace to findings, one kind a file.

mod finding;
mod race;
mod shadow;
#[cfg(test)]
mod tests;
mod witness;

pub use finding::{Finding, FindingKind, Place, Severity, Witness};
pub use race::{Access, AccessKind, Race, RaceDetector};
pub use shadow::{Cell, PagedShadow, Shadow};
pub use witness::{Shown, show};
