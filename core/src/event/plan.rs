//! The complete order for one run, fixed before it starts.

use super::{ByteRange, Operation, SiteId, ThreadId, ThreadSet};
use alloc::vec::Vec;

/// One prescribed step: which thread, and which alternative of its choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// The thread that takes the step.
    pub thread: ThreadId,
    /// The value of [`Event::choice`](super::Event::choice): 0 unless the event has alternatives;
    /// or [`Step::FIRST`].
    pub choice: u32,
}

impl Step {
    /// As a choice: the alternative that comes first when the step is taken. For the last step of a prefix, whose
    /// alternatives are not known before it was executed; never in a schedule file.
    pub const FIRST: u32 = u32::MAX;
}

/// A thread asleep at the end of a plan's prefix, with the operation it sleeps on. It wakes when a dependent operation
/// is executed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sleeper {
    /// The sleeping thread.
    pub thread: ThreadId,
    /// Its pending operation.
    pub operation: Operation,
    /// The alternative that is asleep.
    pub choice: u32,
}

/// Which thread a run prefers once the prefix of its plan is over.
///
/// This alone determines how a run goes on where its plan prescribes no step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FreeRun {
    /// The thread that took the last step: there are no preemptions.
    #[default]
    SameThread,
    /// The thread that took the last step. But a thread that has taken very many steps in a row gives way to the
    /// others, so that a thread that never ends does not keep them from running. For a search that need not avoid
    /// preemptions.
    Fair,
    /// The first thread whose operation [goes first](Operation::goes_first), whichever thread took the last step; if
    /// there is none, the first thread. For a search that compares states: what follows a state must not depend on how
    /// the run got there. As such operations are preferred, a thread that has many of them before a lock executes them
    /// all in one run.
    GoesFirst(ThreadOrder),
    /// A thread drawn by chance, and an alternative drawn by chance. Nobody sleeps in such a run.
    Sampled(SampledRun),
}

/// Which of several threads a search tries first. Searches that share what they have explored each have an order of
/// their own, so that they begin in different parts of the state space.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ThreadOrder(pub u32);

impl ThreadOrder {
    /// The thread with the lowest number is the first.
    pub const ASCENDING: ThreadOrder = ThreadOrder(0);

    /// The first of these threads. Odd orders are those of descending numbers; two orders of one direction differ in
    /// the number with which they begin.
    #[inline]
    pub fn first(self, threads: ThreadSet) -> Option<ThreadId> {
        let before = (self.0 / 2) as usize;
        let size = threads.len();
        if self == ThreadOrder::ASCENDING || size < 2 {
            return threads.first();
        }
        threads.nth(if self.0.is_multiple_of(2) { before % size } else { size - 1 - before % size })
    }
}

/// A run whose order is drawn by chance: what, with [`Plan::weights`] and [`Plan::reads_from`], determines it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SampledRun {
    /// How the order is drawn.
    pub strategy: Strategy,
    /// What the random numbers start from.
    pub seed: u64,
    /// How many operations the run is expected to have, at least 1. Beyond them, every strategy draws each thread with
    /// the same probability, so that no thread is kept from running in a run without an end.
    pub expected: u32,
}

/// How the order of a run is drawn; each strategy has its file in `core/src/sample/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Strategy {
    /// Each enabled thread with the same probability.
    Random,
    /// By priorities of threads, which are lowered a number of times.
    Priorities {
        /// How many times the running thread's priority is lowered.
        changes: u32,
    },
    /// By priorities of operations, drawn anew after an operation that they race with.
    PartialOrder,
    /// All orders of the selected operations with the same probability.
    Uniform {
        /// The operations on these bytes, or on the object that lies there, are selected; with none, the strategy is
        /// [`Random`](Self::Random).
        selected: Option<ByteRange>,
    },
    /// By priorities of operations, but for what [`Plan::reads_from`] asks for.
    ReadsFrom,
    /// Thread by thread without preemption, except for a number of delays.
    Delays {
        /// How often a thread is passed over.
        number: u32,
    },
}

/// A constraint of an abstract schedule: an operation at one place of the source is to find what one at another place
/// has left, or is to find something else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReadsFrom {
    /// The first byte of the location or the object.
    pub start: u64,
    /// Where in the source the operation stands that finds something there.
    pub reader: SiteId,
    /// Where in the source the operation stands that changed it last before; [`SiteId::default`] if none did.
    pub writer: SiteId,
    /// Whether the reader is to find what the writer left, or is to find something else.
    pub wanted: bool,
}

/// The complete order for one run: a prefix of steps, then the free run.
///
/// Past the prefix the run decides alone: it takes the thread that [`FreeRun`] prefers while that is enabled and awake,
/// otherwise the enabled, awake thread with the lowest number; a choice takes its first alternative that is not asleep.
/// Alternatives of a step with [`Alternatives::Threads`](super::Alternatives) are taken by thread number, lowest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plan {
    /// The prescribed steps, one per event of the trace.
    pub steps: Vec<Step>,
    /// The thread that takes the first step after the prefix, if it is enabled there.
    pub then: Option<ThreadId>,
    /// Which thread is preferred after that.
    pub free_run: FreeRun,
    /// Threads asleep after the prefix.
    pub sleep: Vec<Sleeper>,
    /// Numbers of steps that later plans will share with the prefix of this one, largest first, as far as the search
    /// knows them already. They say where checkpoints are worth taking, and change nothing in the run.
    pub forks: Vec<u32>,
    /// For [`Strategy::Uniform`]: by thread number, how many selected operations the thread and those that it creates
    /// are expected to take.
    pub weights: Vec<u32>,
    /// For [`Strategy::ReadsFrom`]: the constraints that the run is to meet.
    pub reads_from: Vec<ReadsFrom>,
}

impl Plan {
    /// Makes the plan empty, keeping its memory: run freely from the start.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.then = None;
        self.free_run = FreeRun::default();
        self.sleep.clear();
        self.forks.clear();
        self.weights.clear();
        self.reads_from.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_go_up_or_down_and_begin_at_different_threads() {
        let threads: ThreadSet = [1, 4, 7].map(ThreadId::at).into_iter().collect();
        let first = |order| ThreadOrder(order).first(threads).map(ThreadId::index);
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(first), [1, 7, 4, 4, 7, 1, 1].map(Some));
        assert_eq!(ThreadOrder(3).first(ThreadSet::EMPTY), None);
    }
}
