//! Findings, each told once in a search.

use super::finding::{Finding, Witness};
use super::race::{Access, AccessKind, Race};
use super::witness::show;
use crate::event::{AccessMode, ByteRange, FindingKind, Object, Operation, Place, Step};
use crate::hash::scramble;
use crate::order::c11::TracePosition;
use crate::run::Run;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Findings of a search by kind and places. A finding that was told costs a look-up, nothing is allocated for it.
///
/// Two findings are the same if their kind and the sites and operations' kinds of their places are; which threads were
/// there does not matter, as workers that run one function have the same bugs.
#[derive(Debug, Default)]
pub(super) struct Collector {
    /// Hashes of what was told, and whether a better witness would be told again.
    told: BTreeMap<u64, bool>,
    /// Places of the finding in preparation.
    places: Vec<Place>,
    /// For the search of objects that were not destroyed: those initialised so far, and by which event.
    pub(super) open: Vec<(Object, FindingKind, usize)>,
}

impl Collector {
    /// Starts a finding: what follows are its places.
    pub(super) fn start(&mut self) -> &mut Vec<Place> {
        self.places.clear();
        &mut self.places
    }

    /// Tells the finding at the places given since [`start`](Self::start), in the run as a whole, unless it is known.
    pub(super) fn report(
        &mut self,
        kind: FindingKind,
        object: Option<ByteRange>,
        code: i32,
        run: &Run,
        out: &mut Vec<Finding>,
    ) {
        let key = self.key(kind, code);
        if self.told.insert(key, false).is_some() {
            return;
        }
        let steps = run.events().iter().map(|event| Step { thread: event.thread, choice: event.choice }).collect();
        let (places, paths) = (self.places.clone(), run.paths().to_vec());
        out.push(Finding { kind, places, object, witness: None, code, steps, paths });
    }

    /// Tells a race. One whose accesses were ordered in every run so far is told again once they are co-pending.
    pub(super) fn report_race(&mut self, race: &Race, races: &[Race], run: &Run, out: &mut Vec<Finding>) {
        // The same two accesses are found in either order; the finding names the writing one first.
        let order = |access: &Access| (!writes(access.kind), access.site, access.thread);
        let mut sides = [race.first, race.second];
        sides.sort_by_key(order);
        self.start().extend(sides.iter().map(|access| place(access, race.range, run)));
        let key = self.key(FindingKind::DataRace, 0);
        let better_wanted = self.told.get(&key).copied();
        if better_wanted == Some(false) {
            return;
        }
        let shown = show(run.trace(), race, races);
        let memory_order = shown.witness == Witness::MemoryOrder;
        if better_wanted.is_some() && memory_order {
            return;
        }
        self.told.insert(key, memory_order);
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
            paths: run.paths().to_vec(),
        });
    }

    /// Counts a finding as told that somebody else tells.
    pub(super) fn adopt(&mut self, finding: &Finding) {
        let accesses = if finding.kind == FindingKind::DataRace { 2 } else { finding.places.len() };
        self.start().extend(&finding.places[..accesses]);
        let key = self.key(finding.kind, finding.code);
        self.told.insert(key, finding.witness == Some(Witness::MemoryOrder));
    }

    /// Kind, code and places as a number; the order of places does not count.
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
        AccessKind::Read | AccessKind::AtomicRead => false,
    }
}

/// An access as a place: a visible one with its operation, an invisible one as if it were visible.
fn place(access: &Access, range: ByteRange, run: &Run) -> Place {
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
