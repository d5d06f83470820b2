//! What pruning a thread or an alternative adds: backtrack points for the races of the path with what was executed
//! below the counterpart, with the two threads exchanged.

use super::super::backtrack_points::{BacktrackPoints, BacktrackState};
use super::super::unexecuted::origin;
use super::elements::{ALONE, Action, Element, ElementSet, Map};
use super::{AccessesAbove, Symmetry, Tried};
use crate::event::{ByteRange, EventIndex, ThreadId};
use crate::order::{EventId, NO_EVENT, Path, join};
use alloc::vec::Vec;

impl Symmetry {
    /// Adds the backtrack points that trying `thread` in the last state, where the path ends, would have added, from
    /// what was executed below `counterpart`. False if that shows a race of plain accesses that was not known: the
    /// thread has to be tried.
    pub(in crate::explore) fn apply_symmetric<R: BacktrackPoints>(
        &mut self,
        path: &mut Path,
        states: &mut [BacktrackState],
        (thread, counterpart): (ThreadId, ThreadId),
    ) -> bool {
        let Some(top) = self.top() else { return false };
        let below = top.tried.iter().filter(|tried| tried.thread == counterpart);
        let below: Vec<ElementSet> = below.map(|tried| tried.summary.clone()).collect();
        let exchanged: Vec<ElementSet> =
            below.iter().map(|below| self.elements.exchanged(below, thread, counterpart)).collect();
        exchanged.iter().all(|exchanged| self.is_known(path, exchanged))
            && exchanged.iter().all(|exchanged| self.add::<R>(path, states, exchanged))
    }

    /// Adds the backtrack points that trying the alternative `choice` of `thread`, the number of a thread, would have
    /// added. They follow from what was executed below the alternative that is the number of `counterpart`, a thread
    /// symmetric with `choice`. False if that shows a race of plain accesses that was not known: the alternative has to
    /// be tried.
    pub(in crate::explore) fn apply_symmetric_choice<R: BacktrackPoints>(
        &mut self,
        path: &mut Path,
        states: &mut [BacktrackState],
        thread: ThreadId,
        (choice, counterpart): (ThreadId, ThreadId),
    ) -> bool {
        let Some(top) = self.top() else { return false };
        let is_counterpart = |tried: &&Tried| tried.thread == thread && tried.choice == u32::from(counterpart.0);
        let Some(summary) = top.tried.iter().find(is_counterpart).map(|tried| tried.summary.clone()) else {
            return false;
        };
        let summary = self.elements.exchanged(&summary, choice, counterpart);
        if !self.is_known(path, &summary) {
            return false;
        }
        self.add::<R>(path, states, &summary);
        if let Some(top) = self.top() {
            top.tried.push(Tried { thread, choice: u32::from(choice.0), summary });
        }
        true
    }

    /// Whether the plain accesses of a summary of the last state that count as race-free do not race with the path. If
    /// one does, its race becomes known, and nothing is pruned in the present states.
    fn is_known(&mut self, path: &mut Path, summary: &ElementSet) -> bool {
        if self.as_printed {
            return true;
        }
        let top = path.len();
        let mut clocks = Map::default();
        summary.members().all(|element| {
            let Some(accesses) = self.elements.action_of(element).accesses else { return true };
            if !self.is_unexplored(element, top) {
                return true;
            }
            let (event, beginning) = self.draft(path, element, &mut clocks);
            path.forget(event.min(beginning));
            let Some(race) = self.race_with(path, element, accesses) else { return true };
            for range in race {
                self.elements.add_racing(range);
            }
            self.disable();
            false
        })
    }

    /// The bytes of a race between these accesses, before which `self.past` happens, and an event of the path.
    fn race_with(&mut self, path: &Path, element: u32, accesses: u32) -> Option<Vec<ByteRange>> {
        for place in 0..self.kept.partition_point(|&at| (at as usize) < path.len()) {
            let at = self.kept[place] as usize;
            if !path.counts(&self.past, path.events()[at])
                && let Some(bytes) = self.elements.conflicting(self.actions[at], accesses)
            {
                return Some(alloc::vec![bytes]);
            }
        }
        let mut start = 0;
        for number in 0..self.states.len() {
            let end = self.states[number].at;
            for place in 0..self.states[number].above.len() {
                let AccessesAbove { thread, accesses: others, last } = self.states[number].above[place];
                if path.counts(&self.past, path.events()[last as usize])
                    || !self.elements.conflicts_with(element, others)
                {
                    continue;
                }
                let own = &self.elements.accesses.values[accesses as usize];
                let races = |&&at: &&EventId| path.node(at).thread == thread && !path.counts(&self.past, at);
                let events = path.events()[start as usize..end as usize].iter().filter(races);
                let racing: Vec<_> = events.filter_map(|&event| own.conflicting(path.operation(event))).collect();
                if !racing.is_empty() {
                    return Some(racing);
                }
            }
            start = end;
        }
        None
    }

    /// Adds the backtrack points for the races of a summary of the last state.
    fn add<R: BacktrackPoints>(
        &mut self,
        path: &mut Path,
        states: &mut [BacktrackState],
        summary: &ElementSet,
    ) -> bool {
        if self.as_printed {
            return true;
        }
        let top = path.len();
        let mut clocks = Map::default();
        for element in summary.members() {
            if self.elements.action_of(element).accesses.is_none() && self.is_unexplored(element, top) {
                self.take_effect::<R>(path, states, element, &mut clocks);
            }
            self.keep(element, top);
        }
        true
    }

    /// Whether the races of an element of the symmetric state at `top` may not all have been reversed yet.
    fn is_unexplored(&mut self, element: u32, top: usize) -> bool {
        let [.., before, own] = &self.states[..] else { return true };
        debug_assert_eq!(own.at as usize, top, "the last state has symmetric threads");
        let at = before.at as usize;
        for place in 0..own.above.len() {
            let AccessesAbove { thread, accesses, .. } = self.states[self.states.len() - 1].above[place];
            if !self.elements.past_of(element).threads.contains(thread)
                && self.elements.conflicts_with(element, accesses)
            {
                return true;
            }
        }
        let (before, conflict) = self.descend(element, top, at);
        conflict || !self.states[self.states.len() - 2].summary.contains(before)
    }

    /// Adds the backtrack points for the races of an element of the last state.
    fn take_effect<R: BacktrackPoints>(
        &mut self,
        path: &mut Path,
        states: &mut [BacktrackState],
        element: u32,
        clocks: &mut Map<u32, Vec<u32>>,
    ) {
        let (event, beginning) = self.draft(path, element, clocks);
        for conflict in self.conflicts.iter().filter(|conflict| conflict.reversible) {
            if !path.counts(&self.past, conflict.event) {
                R::add_for_symmetric(path, states, conflict.position, event, &self.past, beginning);
            }
            join(&mut self.past, path.clock(conflict.event));
        }
        path.forget(event.min(beginning));
    }

    /// Drafts the action of an element of the last state, and the first of the actions below the state that happen
    /// before it, with its clock. `self.past` is then what is known to happen before the action, `self.conflicts` its
    /// conflicts.
    fn draft(&mut self, path: &mut Path, element: u32, clocks: &mut Map<u32, Vec<u32>>) -> (EventId, EventId) {
        let Element { action, first, past } = self.elements.get(element);
        let later = self.elements.actions.values[action as usize];
        let alone = first == ALONE;
        let first = if alone { later } else { self.elements.actions.values[first as usize] };
        let enabled_by = self.enabling(path, &first);
        let beginning = path.draft(first.thread, first.operation, enabled_by);
        let event = if alone {
            self.past.clear();
            self.past.extend_from_slice(path.clock(beginning));
            beginning
        } else {
            path.conflicts(beginning, &mut self.conflicts);
            path.settle(beginning, &self.conflicts);
            if !clocks.contains_key(&past) {
                let clock = self.clock_of(path, past, first.thread);
                clocks.insert(past, clock);
            }
            let event =
                path.draft(later.thread, later.operation.after_unknown(), origin(path, &self.creators, later.thread));
            self.past.clear();
            self.past.extend_from_slice(path.clock(event));
            join(&mut self.past, path.clock(beginning));
            join(&mut self.past, &clocks[&past]);
            event
        };
        path.conflicts_beyond(event, &self.past, &mut self.conflicts);
        (event, beginning)
    }

    /// The clock of the events of the path that happen before actions below its end.
    fn clock_of(&self, path: &mut Path, past: u32, thread: ThreadId) -> Vec<u32> {
        let past = &self.elements.pasts.values[past as usize];
        let mut clock = alloc::vec![0; path.stride()];
        for thread in past.threads.iter() {
            let last = match path.last_of(thread) {
                NO_EVENT => origin(path, &self.creators, thread).map_or(NO_EVENT, |at| path.events()[at.index()]),
                last => last,
            };
            if last != NO_EVENT {
                join(&mut clock, path.clock(last));
            }
        }
        let mut conflicts = Vec::new();
        for &operation in &past.operations {
            let drafted = path.draft(thread, self.elements.operations.values[operation as usize], None);
            path.conflicts_beyond(drafted, &clock, &mut conflicts);
            for conflict in &conflicts {
                join(&mut clock, path.clock(conflict.event));
            }
            path.forget(drafted);
        }
        clock
    }

    /// The event of the path that enabled the first of the actions.
    fn enabling(&self, path: &Path, first: &Action) -> Option<EventIndex> {
        if path.last_of(first.thread) == NO_EVENT {
            return origin(path, &self.creators, first.thread);
        }
        first.enabled_by.filter(|by| by.index() < path.len())
    }
}
