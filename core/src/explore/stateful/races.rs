//! The races of executed, pending and summarised operations, which fill the backtrack sets.

use super::Stateful;
use super::summaries::{Summary, SummaryOperation};
use crate::event::{Object, Pending, PendingStatus, ThreadSet};
use crate::explore::unexecuted::{Unexecuted, origin};
use crate::order::{EventId, Path, join};

/// What is known to precede an operation beside its clock: the mutexes that its thread holds, and the threads that it
/// has joined. Here, nothing.
pub(super) const NOTHING_MORE: (&[Object], ThreadSet) = (&[], ThreadSet::EMPTY);

impl Stateful {
    /// Whether the operation at a position of the path was executed under one of these mutexes, and a thread that locks
    /// the mutex later has to wait until its holder has unlocked it.
    fn is_protected(&self, position: u32, mutexes: &[Object]) -> bool {
        let held = self.locks.members(self.stack.states()[position as usize].held);
        let given_back = |mutex: &Object| !self.seized.iter().any(|&(other, at)| other == *mutex && at >= position);
        held.iter().any(|mutex| mutexes.contains(mutex) && given_back(mutex))
    }

    /// Figure 4.6: the races of a drafted event, as if it came next, fill the backtrack sets. Before the event, its
    /// thread has locked these mutexes and joined these threads.
    pub(super) fn update_backtrack_sets(
        &mut self,
        event: EventId,
        only: Option<u32>,
        (mutexes, joined): (&[Object], ThreadSet),
    ) {
        self.path.conflicts(event, &mut self.conflicts);
        if !self.conflicts.is_empty() {
            self.past.clear();
            self.past.extend_from_slice(self.path.clock(event));
        }
        let own = self.path.node(event).thread;
        for conflict in self.conflicts.iter().filter(|conflict| conflict.reversible) {
            if self.path.counts(&self.past, conflict.event) {
                continue;
            }
            let is_ordered = joined.contains(self.stack.steps()[conflict.position as usize].thread)
                || !mutexes.is_empty() && self.is_protected(conflict.position, mutexes);
            if only.is_none_or(|only| only == conflict.position) && !is_ordered {
                let level = &mut self.stack.states_mut()[conflict.position as usize];
                if level.enabled.contains(own) {
                    level.backtrack.insert(own);
                } else {
                    level.backtrack = level.backtrack.union(level.enabled);
                }
            }
            join(&mut self.past, self.path.clock(conflict.event));
        }
        self.path.settle(event, &self.conflicts);
    }

    /// Adds an operation that could have been executed before the end of the path to the last state's summary.
    pub(super) fn summarise_pending(&mut self, pending: &Pending) {
        let waits = matches!(pending.status, PendingStatus::Blocked | PendingStatus::ChosenOtherwise);
        if waits && !self.path.waits_for_event(pending) {
            let standing = self.standing(self.stack.states().len());
            let summarised = self.summarised(standing, pending.thread, pending.operation, None);
            let number = self.summaries.number(&summarised, pending.site);
            if let Some(level) = self.stack.last_mut() {
                level.summary.insert(number);
            }
        }
    }

    /// Figure 4.5, line 6: an operation that is executed somewhere below the end of the path fills the backtrack sets.
    /// The mutexes in `seized` may be taken away from their holders before it, so they order nothing.
    fn race_summarised(&mut self, number: u32, seized: &[Object]) {
        let SummaryOperation { thread, operation, held, joined, .. } = *self.summaries.operation(number);
        let mut mutexes = core::mem::take(&mut self.mutexes);
        mutexes.clear();
        mutexes.extend(self.locks.members(held).iter().filter(|mutex| !seized.contains(mutex)));
        let origin = origin(&self.path, &self.creators, thread);
        let event = self.path.draft(thread, operation.after_unknown(), origin);
        self.update_backtrack_sets(event, None, (&mutexes, joined));
        self.mutexes = mutexes;
        self.path.forget(event);
    }

    /// Lets all operations of a summary, which are executed somewhere below the end of the path, fill the backtrack
    /// sets.
    pub(super) fn race_all(&mut self, summary: &Summary) {
        let seized = self.summaries.seized(summary);
        summary.members().for_each(|number| self.race_summarised(number, &seized));
    }
}

impl Unexecuted for Stateful {
    fn path(&mut self) -> &mut Path {
        &mut self.path
    }

    fn race(&mut self, event: EventId, only: Option<u32>) {
        self.update_backtrack_sets(event, only, NOTHING_MORE);
    }
}
