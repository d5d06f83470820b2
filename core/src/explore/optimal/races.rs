//! Which races of an event are to be reversed (parsimony), and in which of the runs that show them (the lowest thread).

use super::super::unexecuted::Unexecuted;
use super::{Branch, NOWHERE, Optimal, What};
use crate::event::{EventIndex, Operation, ThreadId, Touch};
use crate::order::{Conflict, EventId, NO_EVENT, Path, join};

impl Optimal {
    /// Notes the reversals of a drafted event that is to come next in the path, of those with events before `limit`
    /// (and only with the one at `only`, if given), and settles its clock.
    #[inline]
    pub(super) fn look(&mut self, event: EventId, limit: u32, only: Option<u32>) {
        self.conflicts.clear();
        if !self.path.is_private(event) {
            self.path.conflicts(event, &mut self.conflicts);
            if self.conflicts.iter().any(|c| c.reversible && c.position < limit) {
                self.clock.clear();
                self.clock.extend_from_slice(self.path.clock(event));
                self.races(event, limit, only);
            }
        }
        self.path.settle(event, &self.conflicts);
    }

    /// The reversals among `self.conflicts`; `self.clock` counts the event's base.
    fn races(&mut self, event: EventId, limit: u32, only: Option<u32>) {
        let mut past = core::mem::take(&mut self.clock);
        let mut mark = self.marked.len();
        for at in 0..self.conflicts.len() {
            let conflict = self.conflicts[at];
            if !conflict.reversible {
                continue;
            }
            if self.path.counts(&past, conflict.event) {
                continue;
            }
            if conflict.position < limit {
                let mut itself = false;
                while mark > 0 {
                    let marked = self.marked[mark - 1];
                    let position = self.path.node(marked).position;
                    if position < conflict.position {
                        break;
                    }
                    itself |= position == conflict.position;
                    if position > conflict.position && !self.path.counts(&past, marked) {
                        self.clock = past;
                        return;
                    }
                    mark -= 1;
                }
                let wanted = only.is_none_or(|only| only == conflict.position);
                if !itself && wanted && (self.greedy || self.owns(event, &conflict, &past)) {
                    let what = What::Reverse(conflict.position);
                    self.branches.push(Branch { event, length: self.path.len() as u32, what });
                }
            }
            join(&mut past, self.path.clock(conflict.event));
        }
        self.clock = past;
    }

    /// Whether the traces in which `event` comes before `earlier` belong here. They do not if `event` would stand beside
    /// the end of a block reversed over the same operation, and belongs to a lower thread; standing beside it means not
    /// to come after it, nor after the end of a later block.
    fn owns(&self, event: EventId, earlier: &Conflict, past: &[u32]) -> bool {
        let thread = self.path.node(event).thread;
        let rivals = || {
            let first = self.marks[earlier.event as usize].behind;
            let next = |&rival: &EventId| Some(self.marks[rival as usize].chain).filter(|&next| next != NO_EVENT);
            core::iter::successors(Some(first).filter(|&first| first != NO_EVENT), next)
        };
        if rivals().all(|rival| self.path.node(rival).thread < thread) {
            return true;
        }
        for rival in rivals() {
            if self.path.counts(past, rival) || self.follows(event, earlier, rival) {
                return true;
            }
            if thread < self.path.node(rival).thread {
                return false;
            }
        }
        true
    }

    /// Whether `event`, taken just before `earlier`, would come after `rival`.
    fn follows(&self, event: EventId, earlier: &Conflict, rival: EventId) -> bool {
        let touch = match (self.path.touch(event), self.path.touch(earlier.event)) {
            // Destroying a mutex does not change who holds it.
            (touch @ Touch::TryAcquire, Touch::Lifecycle) => touch,
            // Rivals conflict with `earlier` but not with each other. So if one of them is a failed trylock or a lost
            // signal, and nothing that would change it comes between, then so is this event.
            (Touch::TryAcquire, _) => Touch::Probe,
            (Touch::Wake, _) => Touch::WakeNobody,
            (touch, _) => match self.writes_before(event, earlier.event) {
                Some(true) => Touch::Write,
                Some(false) => Touch::Compare,
                None => touch,
            },
        };
        self.path.would_follow(event, touch, earlier.position, rival)
    }

    /// For a compare-exchange: whether it would succeed just before `earlier`. True if that is not known, which at
    /// worst visits a trace again.
    fn writes_before(&self, event: EventId, earlier: EventId) -> Option<bool> {
        let Operation::AtomicUpdate { range, .. } = *self.path.operation(event) else { return None };
        let mark = &self.marks[event as usize];
        let same = match *self.path.operation(earlier) {
            Operation::Write(other) | Operation::AtomicStore(other, _) => other == range,
            Operation::AtomicUpdate { range: other, wrote, .. } => wrote && other == range,
            _ => return None,
        };
        let before = self.marks[earlier as usize].before;
        Some(!same || before.is_none() || mark.compared.is_none() || before == mark.compared)
    }
}

impl Unexecuted for Optimal {
    fn path(&mut self) -> &mut Path {
        &mut self.path
    }

    fn race(&mut self, event: EventId, only: Option<u32>) {
        self.look(event, NOWHERE, only);
    }

    /// The drafted event stays, as branches name it.
    fn race_unexecuted(
        &mut self,
        thread: ThreadId,
        operation: Operation,
        enabled_by: Option<EventIndex>,
        only: Option<u32>,
    ) {
        let event = self.draft(thread, operation, enabled_by);
        if !self.path.waits_for_itself(event) {
            self.race(event, only);
        }
    }
}
