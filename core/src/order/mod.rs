//! The two happens-before relations: the exploration's ([`Path`]: program order, enabling and dependence, kept along
//! one path that grows and shrinks with the search) and C11's ([`c11`]).

pub mod c11;
mod path;
mod recorded;
mod simplify;

pub use path::{Conflict, EventId, LastTouch, NO_EVENT, Path, PathNode, join};
pub use recorded::Recorded;
pub use simplify::{preemptions, simplified};
