//! Happens-before of the exploration: program order, enabling and dependence, kept along one path that grows and
//! shrinks with the search.

mod path;
mod ranges;

pub use path::{Conflict, EventId, NO_EVENT, Node, Path, join};
