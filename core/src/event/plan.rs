//! The complete order for one run, fixed before it starts.

use super::{Operation, ThreadId};
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
    /// As a choice: whatever alternative comes first when the step is taken. For the last step of a search's prefix,
    /// whose alternatives are not known before it has been run; never in a schedule that is kept.
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
/// This is the one place where a search says how its runs go on where it has prescribed nothing. A strategy that samples
/// (priorities, random choices from a seed) is one more variant here, with its arm in the scheduler
/// (`Run::preferred` in `core/src/run/schedule.rs`; `Run::awake_alternative` there if it samples alternatives, too).
/// What the strategy needs to know, such as the seed, is part of the variant, so that a plan still determines its run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FreeRun {
    /// The thread that took the last step: no preemptions, and whole loops in one go.
    #[default]
    SameThread,
    /// The thread with the lowest number whose operation [goes first](Operation::goes_first), whoever took the last step.
    /// For a search that compares states: what follows a state must not depend on how the run came to it. That such
    /// operations are preferred lets a thread that makes many of them before a lock make them in one run.
    GoesFirst,
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
    /// Who takes the first step after the prefix if it is enabled there.
    pub then: Option<ThreadId>,
    /// Which thread is preferred after that.
    pub free_run: FreeRun,
    /// Threads asleep after the prefix.
    pub sleep: Vec<Sleeper>,
    /// How many steps of the prefix some later plans will share with this one, largest first, as far as the search knows
    /// that already. Changes nothing in the run.
    pub forks: Vec<u32>,
}

impl Plan {
    /// Makes the plan empty, keeping its memory: run freely from the start.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.then = None;
        self.free_run = FreeRun::default();
        self.sleep.clear();
        self.forks.clear();
    }
}
