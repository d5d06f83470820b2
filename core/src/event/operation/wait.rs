//! Steps of waits.

use super::queues::Mutexes;
use crate::event::Object;

/// The steps of a wait for a condition variable or a futex word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitStep {
    /// The thread joins the waiters; at a condition variable, it gives the mutex back.
    Begin,
    /// It leaves the waiters without a signal.
    Expire,
    /// It goes on; at a condition variable, it takes the mutex again.
    End,
}

/// A step of a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// Which step.
    pub step: WaitStep,
    /// The condition variable, or the queue of the futex word.
    pub cond: Object,
    /// The mutex that is given back for the wait; none at a futex word.
    pub mutex: Option<Object>,
    /// With how many mutexes the program waits there.
    pub mutexes: Mutexes,
}
