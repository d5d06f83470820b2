//! Makes more operations visible, and begins the search anew.

use super::exploration::Exploration;
use super::explorers::explorer;
use crate::engine::state::with;
use crate::engine::{states, switches, visibility};
use crate::platform::{in_vault, link};
use alloc::vec::Vec;
use inspect_core::detect::unordered_communication;
use inspect_core::event::{ByteRange, Ending};
use inspect_wire::message::{InconclusiveReason, Message, PlainAccesses};

impl Exploration<'_> {
    /// Makes locations visible on which races were found or whose accesses break the locking discipline, and makes
    /// watch sets of locations that loops watch together. Begins the search anew, and returns true, if there were any,
    /// if a mutex turned out not to order what the discipline took it to order, or if states have to include what C11
    /// orders from now on.
    pub(super) fn promote(&mut self) -> bool {
        let aliased = with(|engine| engine.watch_sets.merge_found());
        let promoted = self.promote_races();
        let ordered = self.begins_ordered();
        let anew = promoted || aliased || ordered || with(states::is_undisciplined);
        if anew {
            let watch_sets = with(|engine| engine.watch_sets.members().to_vec());
            if !watch_sets.is_empty() {
                self.reporter.send(&Message::Grouped(watch_sets));
            }
            self.reporter.send(&Message::Promoted(visibility::promoted().to_vec()));
            link::leave_state_table();
            self.explorer = in_vault(|| explorer(self.job, self.reporter.fewest()));
            states::begin_anew(self.job);
            if !with(|engine| matches!(engine.run.trace().ending, Ending::Limit(_))) {
                self.count();
            }
            self.voided = core::mem::take(&mut self.counts);
            self.reference.clear();
            self.runner.begin_anew();
            self.share_anew();
        }
        anew
    }

    /// Whether states have to include from now on what C11 orders, because threads have communicated by an operation
    /// that it does not order.
    fn begins_ordered(&mut self) -> bool {
        let from = self.runner.resumed_at();
        let seeks = with(|engine| engine.state_recorder.is_some() && !states::is_ordered(engine));
        seeks && with(|engine| unordered_communication(engine.run.events(), from)).is_some() && states::begin_ordered()
    }

    fn promote_races(&mut self) -> bool {
        let mut found = with(|engine| core::mem::take(&mut *engine.racing));
        found.extend(self.polled());
        let switched = switches::promote(&mut found);
        self.promote_locations(found) || switched
    }

    /// What the run was cut for: locations that a thread reads again and again.
    fn polled(&mut self) -> Vec<ByteRange> {
        let polled = with(|engine| engine.observation.take_found());
        if polled.unknown {
            self.note_unexplored_waiting("reads more locations than can be watched");
        } else if !polled.locations.is_empty() && self.job.plain_accesses == PlainAccesses::Sync {
            self.note_unexplored_waiting("accesses with --plain-accesses sync are no operations");
            return Vec::new();
        }
        polled.locations
    }

    fn note_unexplored_waiting(&mut self, why: &str) {
        self.reporter.inconclusive(InconclusiveReason::Other(alloc::format!(
            "a thread waits in a loop without a visible operation, and which thread it waits for is not explored: {why}"
        )));
    }

    fn promote_locations(&mut self, found: Vec<ByteRange>) -> bool {
        if found.is_empty() || self.job.plain_accesses == PlainAccesses::All {
            return false;
        }
        if self.job.plain_accesses == PlainAccesses::Sync {
            self.reporter.inconclusive(InconclusiveReason::UnexploredRace);
            return false;
        }
        visibility::promote(found)
    }
}
