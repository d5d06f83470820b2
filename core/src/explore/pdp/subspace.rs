//! Decides whether a state's subspace, that is all executions that go through it, is free of races.

use super::ahead::Possible;
use super::code::{Code, PlacesId};
use super::facts::What;
use super::walk::{Stop, Walk};
use crate::event::{ByteRange, Operation, ThreadId, Trace};
use crate::ranges::NO_RANGE;
use alloc::vec::Vec;

/// Something visible that a thread may do in a subspace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Later {
    pub(super) thread: ThreadId,
    pub(super) what: What,
    pub(super) place: LaterPlace,
}

/// Where it does it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum LaterPlace {
    /// This is the operation.
    Operation(Operation),
    /// Known from the code.
    Exact(ByteRange),
    /// Somewhere there.
    Within(PlacesId),
}

/// A mistake that the tests have to catch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum SeededBug {
    /// None.
    #[default]
    No,
    /// Values are taken to be those of the run.
    AboutValues,
    /// What came before the state races with nothing, as in the dissertation.
    AboutThePast,
    /// Pruned executions do not fill the backtrack sets, as in the dissertation.
    AboutTheRest,
}

/// Looks at the subspaces of the states of runs that came to their end. What is known of the beginning of one run serves
/// for the next.
#[derive(Debug, Default)]
pub(super) struct Look {
    walk: Walk,
    /// What differs in the subspace of this state of the present run is tainted: it does in that of every earlier state.
    known: Option<usize>,
    sources: Vec<u32>,
    /// What may be done in the last subspace that was free.
    free: Vec<Possible>,
    numbered: Vec<(Later, usize)>,
}

impl Look {
    pub(super) fn new(seeded_bug: SeededBug) -> Look {
        let mut look = Look::default();
        look.walk.seeded_bug = seeded_bug;
        look
    }

    /// The search goes back to the first `known` events of the last run: what comes next shares no more with it.
    pub(super) fn go_back(&mut self, known: usize) {
        self.walk.rewind(known);
    }

    /// Turns to a new run.
    pub(super) fn turn_to(&mut self, trace: &Trace) {
        self.walk.turn_to(trace);
        self.known = None;
    }

    /// Whether the subspace of the state before the event at `state` is known to be free of races.
    ///
    /// What a thread does is taken to be the same in all executions of the subspace unless it depends on a value that can
    /// differ. So the points that such values influence are found first: beginning with none, as long as there are more.
    pub(super) fn is_free(&mut self, code: &Code, trace: &Trace, state: usize) -> bool {
        if self.known.is_none_or(|later| later < state) {
            self.walk.tainted.clear();
            self.walk.tainted.resize(code.points().len(), false);
        }
        self.known = Some(state);
        if self.walk.go_to(code, trace, state).is_err() {
            return false;
        }
        loop {
            let more = self.follow(code, trace);
            self.walk.come_back();
            match more {
                // The more may differ, the more may race: whatever was found stays.
                Err(_) => return false,
                Ok(true) => {}
                Ok(false) => {
                    core::mem::swap(&mut self.free, &mut self.walk.ahead.all);
                    return true;
                }
            }
        }
    }

    /// Follows the run once; whether that shows that more differs than was known.
    fn follow(&mut self, code: &Code, trace: &Trace) -> Result<bool, Stop> {
        let walk = &mut self.walk;
        walk.look_ahead(code, trace)?;
        self.sources.clear();
        walk.ahead.unstable(&walk.clocks, &mut self.sources);
        self.sources.append(&mut walk.varying);
        self.sources.sort_unstable();
        self.sources.dedup();
        let mut more = false;
        for &source in self.sources.iter().filter(|_| walk.seeded_bug != SeededBug::AboutValues) {
            for &at in &code.point(source).ok_or(Stop::Opaque)?.influences {
                if let Some(tainted) = walk.tainted.get_mut(at as usize) {
                    more |= !core::mem::replace(tainted, true);
                }
            }
        }
        Ok(more)
    }

    /// Everything visible that may be done in the last subspace that was free, each thing once.
    pub(super) fn later(&mut self, later: &mut Vec<Later>) {
        self.numbered.clear();
        for (number, one) in self.free.iter().enumerate() {
            let place = match (one.location, one.operation, one.point) {
                (NO_RANGE, ..) => LaterPlace::Within(one.places),
                (_, Some(operation), _) => LaterPlace::Operation(operation),
                // A plain access of the run that is no visible operation is none in other runs, either.
                (_, None, Some(_)) => continue,
                (location, None, None) => LaterPlace::Exact(self.walk.ranges.range(location)),
            };
            self.numbered.push((Later { thread: one.thread, what: one.what, place }, number));
        }
        self.numbered.sort_unstable();
        self.numbered.dedup_by_key(|(later, _)| *later);
        // In the order of the run.
        self.numbered.sort_unstable_by_key(|(_, number)| *number);
        later.clear();
        later.extend(self.numbered.iter().map(|(later, _)| *later));
    }

    /// The points of the events before a state, by position.
    pub(super) fn points(&mut self, code: &Code, trace: &Trace, state: usize) -> &[Option<u32>] {
        // It was passed before.
        _ = self.walk.go_to(code, trace, state);
        &self.walk.points
    }
}
