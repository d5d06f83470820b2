//! Whether the subspace of a state, that is all executions through it, is free of races.

use super::analysis::RunAnalysis;
use super::code::{NumberedFacts, PointsToId};
use super::possible::{NotFree, PossibleAccess, SeededBug};
use crate::event::{ByteRange, EffectKind, Operation, ThreadId, Trace};
use crate::ranges::NO_RANGE;
use alloc::vec::Vec;

/// A visible access that a thread may make in a subspace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct LaterAccess {
    pub(super) thread: ThreadId,
    pub(super) what: EffectKind,
    pub(super) place: LaterTarget,
}

/// What a [`LaterAccess`] accesses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum LaterTarget {
    /// The access is this operation.
    Operation(Operation),
    /// These bytes, as the static facts say.
    Exact(ByteRange),
    /// Some object of this points-to set.
    Within(PointsToId),
}

/// Checks the subspaces of states of runs that have ended. Runs with the same beginning share the analysis of that
/// beginning.
#[derive(Debug, Default)]
pub(super) struct SubspaceCheck {
    analysis: RunAnalysis,
    /// The state of the present run for which points were tainted last. They are tainted for every earlier state as
    /// well.
    tainted_for: Option<usize>,
    sources: Vec<u32>,
    /// The possible accesses of the last subspace that was free.
    free: Vec<PossibleAccess>,
    numbered: Vec<(LaterAccess, usize)>,
}

impl SubspaceCheck {
    /// Checks that have not begun, perhaps with a seeded bug.
    pub(super) fn new(seeded_bug: SeededBug) -> SubspaceCheck {
        let mut check = SubspaceCheck::default();
        check.analysis.seeded_bug = seeded_bug;
        check
    }

    /// Prepares for a run that shares no more than its first `length` events with the last one.
    pub(super) fn go_back(&mut self, length: usize) {
        self.analysis.rewind(length);
    }

    /// Begins a new run.
    pub(super) fn begin_run(&mut self, trace: &Trace) {
        self.analysis.begin_run(trace);
        self.tainted_for = None;
    }

    /// Whether the subspace of the state before the event at `state` is known to be free of races.
    ///
    /// The effect of a point is taken to be the same in all executions of the subspace unless unstable values influence
    /// it. The tainted points are a least fixed point: the analysis is repeated until it taints no further point.
    pub(super) fn is_free(&mut self, code: &NumberedFacts, trace: &Trace, state: usize) -> bool {
        if self.tainted_for.is_none_or(|later| later < state) {
            self.analysis.tainted.clear();
            self.analysis.tainted.resize(code.points().len(), false);
        }
        self.tainted_for = Some(state);
        if self.analysis.go_to(code, trace, state).is_err() {
            return false;
        }
        loop {
            let more = self.follow(code, trace);
            self.analysis.return_to_state();
            match more {
                // More tainted points allow for more races only: the result stays.
                Err(_) => return false,
                Ok(true) => {}
                Ok(false) => {
                    core::mem::swap(&mut self.free, &mut self.analysis.future_accesses.all);
                    return true;
                }
            }
        }
    }

    /// Analyses the run once; true if that taints further points.
    fn follow(&mut self, code: &NumberedFacts, trace: &Trace) -> Result<bool, NotFree> {
        let analysis = &mut self.analysis;
        analysis.follow_rest(code, trace)?;
        self.sources.clear();
        analysis.future_accesses.unstable_reads(&analysis.clocks, &mut self.sources);
        self.sources.append(&mut analysis.varying);
        self.sources.sort_unstable();
        self.sources.dedup();
        let mut more = false;
        for &source in self.sources.iter().filter(|_| analysis.seeded_bug != SeededBug::AboutValues) {
            for &at in &code.point(source).ok_or(NotFree::Opaque)?.influences {
                if let Some(tainted) = analysis.tainted.get_mut(at as usize) {
                    more |= !core::mem::replace(tainted, true);
                }
            }
        }
        Ok(more)
    }

    /// The visible accesses that may happen in the last subspace that was free, each once.
    pub(super) fn later(&mut self, later: &mut Vec<LaterAccess>) {
        self.numbered.clear();
        for (number, one) in self.free.iter().enumerate() {
            let place = match (one.location, one.operation, one.point) {
                (NO_RANGE, ..) => LaterTarget::Within(one.places),
                (_, Some(operation), _) => LaterTarget::Operation(operation),
                // A plain access of the run that is invisible is so in all runs.
                (_, None, Some(_)) => continue,
                (location, None, None) => LaterTarget::Exact(self.analysis.ranges.range(location)),
            };
            self.numbered.push((LaterAccess { thread: one.thread, what: one.what, place }, number));
        }
        self.numbered.sort_unstable();
        self.numbered.dedup_by_key(|(later, _)| *later);
        // Back to the order of the run.
        self.numbered.sort_unstable_by_key(|(_, number)| *number);
        later.clear();
        later.extend(self.numbered.iter().map(|(later, _)| *later));
    }

    /// The points of the events before a state, by position.
    pub(super) fn points(&mut self, code: &NumberedFacts, trace: &Trace, state: usize) -> &[Option<u32>] {
        // The state was analysed before, so this succeeds.
        _ = self.analysis.go_to(code, trace, state);
        &self.analysis.points
    }
}
