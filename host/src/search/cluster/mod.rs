//! A search on a cluster. Its processes are *ranks*, one or several on each node. Rank 0 leads: to its balancer, the
//! ranks are the workers ([`leader`]). Each rank, the leader's own included, has a balancer for the guests on its node
//! ([`rank`]), on a thread of its own, so that no rank waits for the leader while it has work, and no message waits for
//! a guest. What passes between them are the items and commits that pass between a balancer and its guests as well,
//! and what guests report ([`message`]).
//!
//! How messages get from one process to another is somebody else's business ([`Messenger`]): nothing here knows MPI.

mod leader;
mod message;
mod rank;
mod sent;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

pub use leader::{Cluster, MessageCount, Ranks, Traffic};
pub use message::Messenger;
pub use rank::serve;
