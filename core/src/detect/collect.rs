//! Collects findings, and reports each once in a search.

use super::finding::{Finding, Witness};
use super::race::{AccessKind, Race, RacingAccess};
use super::witness::show;
use crate::event::{AccessMode, ByteRange, FindingKind, Object, Operation, Place, Step};
use crate::hash::scramble;
use crate::order::c11::TracePosition;
use crate::order::preemptions;
use crate::run::Run;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The findings of a search by kind and places. A finding that was reported before costs a look-up and no allocation.
///
/// Two findings are the same if they agree in kind, in the sites of their places and in whether the operation there is
/// a plain write. The threads are not compared, as workers that run one function have the same bugs.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// By hash, the findings that were reported, and whether one would be reported again with a better witness.
    reported: BTreeMap<u64, bool>,
    /// Places of the finding in preparation.
    places: Vec<Place>,
    /// For finding objects that were not destroyed: those initialised so far, and by which event.
    pub(super) open: Vec<(Object, FindingKind, usize)>,
}

impl Collector {
    /// Starts a finding, whose places are to be added to the returned list.
    pub(super) fn start(&mut self) -> &mut Vec<Place> {
        self.places.clear();
        &mut self.places
    }

    /// Reports the finding with the places added since [`start`](Self::start), unless it was reported before. Its steps
    /// are those of the whole run.
    pub(super) fn report(
        &mut self,
        kind: FindingKind,
        object: Option<ByteRange>,
        code: i32,
        run: &Run,
        out: &mut Vec<Finding>,
    ) {
        let key = self.key(kind, code);
        if self.reported.insert(key, false).is_some() {
            return;
        }
        let steps = run.events().iter().map(|event| Step { thread: event.thread, choice: event.choice }).collect();
        let (places, paths) = (self.places.clone(), run.paths().to_vec());
        let preemptions = preemptions(run.events());
        out.push(Finding { kind, places, object, witness: None, code, steps, preemptions, paths });
    }

    /// Reports a race, unless it was reported before. A race whose accesses were ordered in every run so far is
    /// reported again once they are co-pending.
    pub(super) fn report_race(&mut self, race: &Race, races: &[Race], run: &Run, out: &mut Vec<Finding>) {
        // The same two accesses are found in either order; the finding names the writing one first.
        let order = |access: &RacingAccess| (!writes(access.kind), access.site, access.thread);
        let mut sides = [race.first, race.second];
        sides.sort_by_key(order);
        self.start().extend(sides.iter().map(|access| place(access, race.range, run)));
        let key = self.key(FindingKind::DataRace, 0);
        let better_wanted = self.reported.get(&key).copied();
        if better_wanted == Some(false) {
            return;
        }
        let shown = show(run.trace(), race, races);
        let memory_order = shown.witness == Witness::MemoryOrder;
        if better_wanted.is_some() && memory_order {
            return;
        }
        self.reported.insert(key, memory_order);
        if let Some((before, after)) = shown.missing {
            let events = [before, after].map(|index| run.events()[index.index()]);
            self.places.extend(events.map(|e| Place { thread: e.thread, site: e.site, operation: Some(e.operation) }));
        }
        out.push(Finding {
            kind: FindingKind::DataRace,
            places: self.places.clone(),
            object: Some(race.range),
            witness: Some(shown.witness),
            code: 0,
            steps: shown.steps,
            preemptions: preemptions(run.events()),
            paths: run.paths().to_vec(),
        });
    }

    /// Findings count as not reported from now on.
    pub(super) fn forget(&mut self) {
        self.reported.clear();
    }

    /// Counts a finding as reported that another process has reported.
    pub(super) fn adopt(&mut self, finding: &Finding) {
        let accesses = if finding.kind == FindingKind::DataRace { 2 } else { finding.places.len() };
        self.start().extend(&finding.places[..accesses]);
        let key = self.key(finding.kind, finding.code);
        self.reported.insert(key, finding.witness == Some(Witness::MemoryOrder));
    }

    /// A hash of kind, code and places, in whatever order the places are.
    fn key(&self, kind: FindingKind, code: i32) -> u64 {
        let places = self.places.iter().map(|place| {
            let mode = place.operation.and_then(|operation| operation.access()).map(|(_, mode)| mode);
            let write = mode == Some(AccessMode::Write);
            scramble(place.site.0 << 1 | u64::from(write))
        });
        scramble(scramble(kind as u64) ^ code as u64).wrapping_add(places.fold(0, u64::wrapping_add))
    }
}

fn writes(kind: AccessKind) -> bool {
    match kind {
        AccessKind::Write | AccessKind::AtomicWrite | AccessKind::Free | AccessKind::Allocate => true,
        AccessKind::Read | AccessKind::AtomicRead | AccessKind::Leave => false,
    }
}

/// An access as a place: a visible one with its operation, an invisible one with the plain operation that it would be.
fn place(access: &RacingAccess, range: ByteRange, run: &Run) -> Place {
    let event = match access.moment {
        TracePosition::Event(index) => match run.events().get(index.index()) {
            Some(event) => Some(event.operation),
            None => run.trace().pending.iter().find(|p| p.thread == access.thread).map(|p| p.operation),
        },
        TracePosition::Between(_) => None,
    };
    let plain = Operation::plain(range, writes(access.kind));
    Place { thread: access.thread, site: access.site, operation: Some(event.unwrap_or(plain)) }
}
