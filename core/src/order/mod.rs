//! Two happens-before relations. The exploration's: program order, enabling and dependence, kept along one path that
//! grows and shrinks with the search. And C11's, with its edges only ([`c11`]).

pub mod c11;
mod path;
mod ranges;
mod table;

pub use path::{Conflict, EventId, NO_EVENT, Node, Path, join};
