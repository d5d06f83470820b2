//! Which races of an event are reversed in the present run: the two conditions of `optimal`, parsimony and the rule of
//! the lowest thread.

use super::super::unexecuted::Unexecuted;
use super::{Branch, BranchKind, NOWHERE, Optimal};
use crate::event::{AccessMode, EventIndex, Footprint, Operation, ThreadId, Touch};
use crate::order::{Conflict, EventId, NO_EVENT, Path, join};

impl Optimal {
    /// Adds a branch for each race of a drafted event, which comes next in the path, with an event before position
    /// `limit` (with `only`, for the race with the event at that position alone), and settles the event's clock.
    #[inline]
    pub(super) fn find_races(&mut self, event: EventId, limit: u32, only: Option<u32>) {
        self.conflicts.clear();
        if !self.path.touches_alone(event) {
            self.path.conflicts(event, &mut self.conflicts);
            if self.conflicts.iter().any(|c| c.reversible && c.position < limit) {
                self.clock.clear();
                self.clock.extend_from_slice(self.path.clock(event));
                self.races(event, limit, only);
            }
        }
        self.path.settle(event, &self.conflicts);
    }

    /// Adds the branches for the races among `self.conflicts`; `self.clock` is the event's base clock ([`Path::base`]).
    fn races(&mut self, event: EventId, limit: u32, only: Option<u32>) {
        let mut past = core::mem::take(&mut self.clock);
        let mut marked_left = self.marked.len();
        for at in 0..self.conflicts.len() {
            let conflict = self.conflicts[at];
            if !conflict.reversible {
                continue;
            }
            if self.path.counts(&past, conflict.event) {
                continue;
            }
            self.path.join_enabling(&self.conflicts, at, &mut past);
            if conflict.position < limit {
                let mut itself = false;
                while marked_left > 0 {
                    let marked = self.marked[marked_left - 1];
                    let position = self.path.node(marked).position;
                    if position < conflict.position {
                        break;
                    }
                    itself |= position == conflict.position;
                    if position > conflict.position && !self.path.counts(&past, marked) {
                        self.clock = past;
                        return;
                    }
                    marked_left -= 1;
                }
                let wanted = only.is_none_or(|only| only == conflict.position);
                if !itself && wanted && (self.greedy || self.owns(event, &conflict, &past)) {
                    let kind = BranchKind::Reverse(conflict.position);
                    self.branches.push(Branch { event, length: self.path.len() as u32, kind });
                }
            }
            join(&mut past, self.path.clock(conflict.event));
        }
        self.clock = past;
    }

    /// Whether the traces in which `event` comes before `earlier` are to be visited below this run (the rule of the
    /// lowest thread). The ends of the blocks right before `earlier` that were reversed over the same operation are
    /// *rivals*. The traces are visited elsewhere if `event` belongs to a lower thread than some rival, and would
    /// happen neither after this rival nor after a later one.
    fn owns(&self, event: EventId, earlier: &Conflict, past: &[u32]) -> bool {
        let thread = self.path.node(event).thread;
        let rivals = || {
            let first = self.annotations[earlier.event as usize].block_end;
            let next = |&rival: &EventId| {
                Some(self.annotations[rival as usize].reversed_before).filter(|&next| next != NO_EVENT)
            };
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

    /// Whether `event`, taken just before `earlier`, would happen after `rival`.
    fn follows(&self, event: EventId, earlier: &Conflict, rival: EventId) -> bool {
        let touch = match self.writes_before(event, earlier.event) {
            Some(true) => Touch::Write,
            Some(false) => Touch::Compare,
            None => self.touch_before(event, earlier, rival),
        };
        self.path.would_follow(event, touch, earlier.position, rival)
    }

    /// How `event`, taken just before `earlier`, would touch the first range that it touches. If the rival touches
    /// the same object, the rival decides ([`Touch::before_with_rival`]). If `event` is a signal and its rival touches
    /// another object (it writes the word for which the operation between them waits), it depends on whether there are
    /// waiters. A wake by bitset touches the queue in one way only.
    fn touch_before(&self, event: EventId, earlier: &Conflict, rival: EventId) -> Touch {
        let elsewhere = |cond| !Footprint::of(self.path.operation(rival)).names(cond);
        let own = self.path.touch(event);
        match self.path.operation(event).signals() {
            Some(cond) if [Touch::Wake, Touch::WakeNobody].contains(&own) && elsewhere(cond) => {
                Touch::of_wake(self.path.has_waiters(cond, earlier.position))
            }
            Some(_) | None => own.before_with_rival(self.path.touch(earlier.event)),
        }
    }

    /// Whether a compare-exchange would succeed just before `earlier`. True if that is not known, which at worst visits
    /// a trace again. `None` for every other operation, and if `earlier` is neither a write of memory nor a
    /// compare-exchange.
    fn writes_before(&self, event: EventId, earlier: EventId) -> Option<bool> {
        let update = self.path.operation(event);
        let (Some((range, _)), Some(_)) = (update.access(), update.succeeded()) else { return None };
        let annotation = &self.annotations[event as usize];
        let same = match self.path.operation(earlier).access()? {
            (other, AccessMode::Write | AccessMode::AtomicWrite) => other == range,
            (_, AccessMode::AtomicCompare) => false,
            (_, AccessMode::Read | AccessMode::AtomicRead) => return None,
        };
        let before = self.annotations[earlier as usize].before;
        let (true, Some(before), Some(compared)) = (same, before, annotation.compared) else { return Some(true) };
        Some(if update.concerns_signals() { before & compared != 0 } else { before == compared })
    }
}

impl Unexecuted for Optimal {
    fn path(&mut self) -> &mut Path {
        &mut self.path
    }

    fn race(&mut self, event: EventId, only: Option<u32>) {
        self.find_races(event, NOWHERE, only);
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
