//! Trace to findings, one kind of detector a file: data races ([`RaceDetector`], online) and how to show them ([`show`]),
//! ends of the process and stuck threads, what is left behind. [`Observer`] is all of them at once.
//!
//! | file | findings |
//! |---|---|
//! | `race.rs`, `shadow.rs`, `witness.rs` | data-race |
//! | `end.rs` | deadlock livelock lost-thread assertion abort crash exit-status nonterminating, and the misuses that [`Run`](crate::run::Run) noticed |
//! | `discipline.rs` | none: which accesses a search that knows no history has to see |
//! | `unordered_communication.rs` | none: what makes a search that knows no history overlook a data race |
//! | `hygiene.rs` | mutex-not-destroyed cond-not-destroyed thread-not-joined missing-pthread-exit |

mod collect;
mod discipline;
mod end;
mod finding;
mod hygiene;
mod observer;
mod race;
mod shadow;
#[cfg(test)]
mod tests;
mod unordered_communication;
mod witness;

pub use crate::event::{FindingKind, Place, Severity};
pub use discipline::Discipline;
pub use finding::{Finding, Witness};
pub use observer::{Observer, Saved};
pub use race::{Access, AccessKind, Race, RaceDetector};
pub use shadow::{Cell, Mark, PagedShadow, Shadow};
pub use unordered_communication::{UnorderedCommunication, unordered_communication};
pub use witness::{Shown, show};
