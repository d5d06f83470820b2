//! The accesses that may happen in a subspace, and the reasons why it may not be free of races.

use super::code::PointsToId;
use super::locksets::LocksetsId;
use crate::event::{EffectKind, Operation, ThreadId};
use crate::ranges::RangeId;

/// An access that may happen in the subspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PossibleAccess {
    pub(super) thread: ThreadId,
    pub(super) what: EffectKind,
    /// The bytes, if they are the same in all executions of the subspace (an *exact* access); otherwise [`NO_RANGE`].
    pub(super) location: RangeId,
    pub(super) places: PointsToId,
    /// The point, if the run made the access.
    pub(super) point: Option<u32>,
    pub(super) held: LocksetsId,
    /// Number of the clock of what happens before it in all executions of the subspace.
    pub(super) clock: u32,
    /// The epoch of its thread.
    pub(super) epoch: u32,
    /// The operation, if it was a visible one of the run.
    pub(super) operation: Option<Operation>,
}

/// Why a subspace was not found free of races.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotFree {
    /// It has an effect that the analysis does not describe.
    Opaque,
    /// Two accesses may race.
    Race,
}

/// A seeded bug, which the tests have to catch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum SeededBug {
    /// None.
    #[default]
    No,
    /// All values are taken as in the run.
    AboutValues,
    /// Accesses before the state do not count, as in the dissertation.
    AboutThePast,
    /// A pruned subspace adds no backtrack points, as in the dissertation.
    AboutTheRest,
}
