//! From a trace to its findings, one kind of detector per file: data races ([`RaceDetector`], during the run) and runs
//! that show them ([`show`]), ends of the process and stuck threads, objects and threads that are left over.
//! [`Observer`] drives all of them.
//!
//! | file | findings |
//! |---|---|
//! | `race.rs`, `shadow.rs`, `witness.rs` | data-race |
//! | `end.rs` | deadlock livelock lost-thread assertion abort crash exit-status nonterminating, and the misuses that [`Run`](crate::run::Run) noticed |
//! | `discipline.rs` | none: which plain accesses have to be visible in a search that compares states |
//! | `unordered_communication.rs` | none: which operations may make a search overlook a data race if it compares states or exchanges threads |
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
pub use observer::{Observer, SavedObserver};
pub use race::{AccessKind, Race, RaceDetector, RacingAccess};
pub use shadow::{Cell, Mark, PagedShadow, Shadow};
pub use unordered_communication::{UnorderedCommunication, unordered_communication};
pub use witness::{Shown, show};
