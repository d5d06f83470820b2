//! What other orders of a run's events would show: found in the run alone, without making others.
//!
//! A prediction is a [`Prediction`]: the events that come together, and the steps of a run in which they do. Whether it
//! is right shows when that run is made; nothing is reported that no run has shown. What the events of a run need of
//! each other is in [`Needs`]; each analysis has a file with its paper, and takes a number of steps that is linear in
//! the run ([`Predictor`]).

mod closure;
mod deadlock;
mod dependences;
mod memory;
mod mutexes;
mod needs;
mod order;
mod predictor;
mod sync_preserving;
mod together;

pub use closure::{Closure, Keeps};
pub use needs::Needs;
pub use predictor::Predictor;

use crate::event::{EventIndex, Step};
use alloc::vec::Vec;

/// What a run would show whose events come in another order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PredictedKind {
    /// Two accesses are about to happen at once, at least one of which is plain and one of which writes.
    Race,
    /// Threads wait for each other's mutexes.
    Deadlock,
}

/// A prediction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prediction {
    /// Its kind.
    pub kind: PredictedKind,
    /// The accesses or the locks, one of each thread: none of them is executed in the run before all are pending.
    pub events: Vec<EventIndex>,
    /// The steps of a run up to where all of these events are pending. In the case of a race, both accesses follow.
    pub steps: Vec<Step>,
}
