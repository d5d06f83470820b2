//! Decides whether a state's subspace, that is all executions that go through it, is free of races.

use super::facts::{Facts, Family, Places, What};
use super::walk::{Opaque, Walk};
use crate::event::{ByteRange, Operation, Record, ThreadId, Trace};
use alloc::vec::Vec;

/// Something that a thread may do in a subspace.
#[derive(Clone, Debug)]
pub(super) struct Later {
    pub(super) thread: ThreadId,
    pub(super) what: What,
    pub(super) place: LaterPlace,
}

/// Where it does it.
#[derive(Clone, Debug)]
pub(super) enum LaterPlace {
    /// This is the operation.
    Operation(Operation),
    /// Known from the code.
    Exact(ByteRange),
    /// Somewhere there.
    Within(Places),
}

/// A subspace that is free of races.
#[derive(Clone, Debug)]
pub(super) struct Free {
    /// Everything visible that may be done in it.
    pub(super) later: Vec<Later>,
    /// By position of an event before it: the event's point.
    pub(super) points: Vec<Option<u32>>,
}

/// Looks at the subspaces of the states of a run that came to its end.
pub(super) struct Look<'t> {
    trace: &'t Trace,
    records: &'t [Record],
    /// What differs in the subspace of this state: it does in that of every earlier state.
    known: Option<(u32, Vec<bool>)>,
}

impl<'t> Look<'t> {
    pub(super) fn new(trace: &'t Trace, records: &'t [Record]) -> Self {
        Look { trace, records, known: None }
    }

    /// Looks at the subspace of the state before the event at `state`.
    ///
    /// What a thread does is taken to be the same in all executions of the subspace unless it depends on a value that can
    /// differ. So the points that such values influence are found first: beginning with none, as long as there are more.
    pub(super) fn at(&mut self, facts: &Facts, state: u32, careless: Careless) -> Result<Option<Free>, Opaque> {
        let mut tainted = match &self.known {
            Some((later, tainted)) if *later >= state => tainted.clone(),
            _ => alloc::vec![false; facts.points.len()],
        };
        loop {
            let walk = Walk::new(facts, &tainted, self.trace, self.records, state)?;
            // The more may differ, the more may race: whatever is found now stays.
            let Some(pairs) = conflicts(&walk, careless) else {
                self.known = Some((state, tainted));
                return Ok(None);
            };
            let mut sources = unstable(&walk, &pairs);
            sources.extend(&walk.varying);
            let mut more = Vec::new();
            for source in sources {
                let point = facts.points.get(source as usize).ok_or(Opaque)?;
                let new = |&at: &u32| !tainted.get(at as usize).copied().unwrap_or(true);
                more.extend(point.influences.iter().copied().filter(new));
            }
            if careless == Careless::AboutValues {
                more.clear();
            }
            if more.is_empty() {
                let free = free(walk);
                self.known = Some((state, tainted));
                return Ok(Some(free));
            }
            more.iter().for_each(|&at| tainted[at as usize] = true);
        }
    }
}

/// A mistake that the tests have to catch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Careless {
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

/// Each two possibilities of different threads, not both before the state, that may touch the same bytes or objects, one of
/// them writing. `None` if two of them may race.
fn conflicts(walk: &Walk<'_>, careless: Careless) -> Option<Vec<(usize, usize)>> {
    let all = &walk.possible;
    let mut exact: Vec<(u64, u64, usize)> = Vec::new();
    let mut wide = Vec::new();
    for (at, one) in all.iter().enumerate() {
        match one.range {
            _ if one.what.family() == Family::Condition => {}
            Some(range) => exact.push((range.start, range.end(), at)),
            None => wide.push(at),
        }
    }
    exact.sort_unstable();
    let pair = |a: usize, b: usize| {
        let (one, other) = (&all[a], &all[b]);
        one.thread != other.thread
            && (one.future || other.future)
            && one.what.family() == other.what.family()
            && (one.what.writes() || other.what.writes())
    };
    let mut pairs = Vec::new();
    for (at, &(_, end, a)) in exact.iter().enumerate() {
        for &(_, _, b) in exact[at + 1..].iter().take_while(|(start, ..)| *start < end) {
            if pair(a, b) {
                pairs.push((a, b));
                if may_race(walk, a, b, careless) {
                    return None;
                }
            }
        }
    }
    for &a in &wide {
        for b in (0..all.len()).filter(|&b| all[b].range.is_some() || b < a) {
            if pair(a, b) && all[a].places.meet(all[b].places) {
                pairs.push((a, b));
                if may_race(walk, a, b, careless) {
                    return None;
                }
            }
        }
    }
    Some(pairs)
}

/// The points at which the run read a value after the state that may be another one in other executions.
fn unstable(walk: &Walk<'_>, pairs: &[(usize, usize)]) -> Vec<u32> {
    let all = &walk.possible;
    let mut points = Vec::new();
    // Writes of different threads in no certain order: whoever reads later sees either.
    let mut contested = alloc::vec![false; all.len()];
    for &(at_a, at_b) in pairs {
        let (a, b) = (&all[at_a], &all[at_b]);
        if !(a.future && b.future) || walk.ordered(a, b) || walk.ordered(b, a) {
            continue;
        }
        for (reader, writer) in [(a, b), (b, a)] {
            if reader.what.reads() && writer.what.writes() {
                points.extend(reader.point);
            }
        }
        if a.what.writes() && b.what.writes() {
            (contested[at_a], contested[at_b]) = (true, true);
        }
    }
    for &(a, b) in pairs {
        for (reader, writer) in [(a, b), (b, a)] {
            let one = &all[reader];
            if contested[writer] && one.future && one.what.reads() && !walk.ordered(one, &all[writer]) {
                points.extend(one.point);
            }
        }
    }
    points.sort_unstable();
    points.dedup();
    points
}

/// Whether two possibilities that are in conflict may race.
fn may_race(walk: &Walk<'_>, a: usize, b: usize, careless: Careless) -> bool {
    let (a, b) = (&walk.possible[a], &walk.possible[b]);
    let looked_at = careless != Careless::AboutThePast || a.future && b.future;
    let atomic = a.what.is_atomic() && b.what.is_atomic();
    let ordered = walk.ordered(a, b) || walk.ordered(b, a);
    let protected = a.what.family() == Family::Memory && !walk.unprotected(a, b);
    looked_at && !atomic && !ordered && !protected
}

/// What may be done in the subspace, each thing once.
fn free(walk: Walk<'_>) -> Free {
    let mut later: Vec<Later> = Vec::new();
    let mut seen = alloc::collections::BTreeSet::new();
    for one in walk.possible.iter().filter(|one| one.future) {
        let place = match (one.range, one.operation, one.point) {
            (Some(_), Some(operation), _) => LaterPlace::Operation(operation),
            // A plain access of the run that is no visible operation is none in other runs, either.
            (Some(_), None, Some(_)) => continue,
            (Some(range), None, None) => LaterPlace::Exact(range),
            (None, ..) => LaterPlace::Within(one.places.clone()),
        };
        let key = (one.thread, one.what, one.range, one.operation, one.range.is_none().then_some(one.places));
        if seen.insert(key) {
            later.push(Later { thread: one.thread, what: one.what, place });
        }
    }
    Free { later, points: walk.points }
}
