//! The states that a run shows beside those on its path: all prefixes of its events, as a partial order, that are
//! within the bound, with their context bounds.

use super::prefixes::Prefix;
use super::states::{self, OpenState};
use super::{CbPor, Seen};
use crate::event::{ThreadId, ThreadSet};
use crate::order::EventId;
use alloc::vec;
use alloc::vec::Vec;

impl CbPor {
    /// Lists the prefixes of the run that are not listed yet.
    pub(super) fn extend(&mut self) {
        let stride = self.recorded.path().stride();
        if self.prefixes.stride() != stride || self.prefixes.positions() == 0 {
            self.restart(stride);
        }
        for position in self.prefixes.positions()..self.recorded.path().len() {
            if self.is_full() {
                return;
            }
            self.list_ending_at(position);
        }
    }

    fn restart(&mut self, stride: usize) {
        let nothing = vec![0; stride];
        let state = states::INITIAL;
        let enabled = self.recorded.enabled_at_first(&nothing);
        if !self.started {
            self.started = true;
            let (free, affordable_steps, open) = (enabled, enabled, enabled);
            let open = OpenState { cost: 0, free, enabled, affordable_steps, open, listed: 0, reached: 1.0 };
            self.states.open.insert(state, open);
            self.note_choices(state, enabled, &nothing);
        }
        let closed = self.states.is_closed(state);
        self.prefixes.reset(stride, Prefix { state, size: 0, enabled, affordable_steps: enabled, closed });
    }

    fn note_choices(&mut self, state: u128, threads: ThreadSet, prefix: &[u32]) {
        for thread in threads.iter() {
            self.states.note_choices(state, thread, self.recorded.alternatives(thread, prefix));
        }
    }

    /// Lists the prefixes whose last event is the one at `position`, in ascending size, as the context bound of a
    /// prefix depends on those of smaller ones.
    fn list_ending_at(&mut self, position: usize) {
        let event = self.recorded.path().events()[position];
        let thread = self.recorded.path().node(event).thread;
        let mut sources = core::mem::take(&mut self.work.sources);
        let mut later = core::mem::take(&mut self.work.later);
        let mut prefix = core::mem::take(&mut self.work.prefix);
        self.prefixes.begin(thread, &mut sources);
        sources.retain(|&source| {
            let prefix = self.prefixes.get(source);
            let can = !prefix.closed && prefix.affordable_steps.contains(thread);
            can && self.recorded.is_ready(event, self.prefixes.counts(source))
        });
        sources.sort_unstable_by_key(|&source| self.prefixes.get(source).size);
        later.clear();
        let (mut next_source, mut next_later) = (0, 0);
        while !self.is_full() {
            let size = |number: u32| self.prefixes.get(number).size;
            let (source, other) = (sources.get(next_source), later.get(next_later));
            // The smaller of the two; `later` is in ascending order as well.
            let (from, added) = match (source, other) {
                (Some(&source), other) if other.is_none_or(|&(from, _)| size(from) >= size(source)) => {
                    next_source += 1;
                    (source, event)
                }
                (_, Some(&later)) => {
                    next_later += 1;
                    later
                }
                (_, None) => break,
            };
            if let Some(number) = self.visit(from, added, &mut prefix) {
                self.note_later(number, position as u32, &mut later);
            }
        }
        self.prefixes.end();
        (self.work.sources, self.work.later, self.work.prefix) = (sources, later, prefix);
    }

    /// Collects the events before `position` that can be added to a prefix.
    fn note_later(&self, number: u32, position: u32, later: &mut Vec<(u32, EventId)>) {
        let prefix = self.prefixes.counts(number);
        for thread in self.prefixes.get(number).affordable_steps.iter() {
            let Some(event) = self.recorded.following(thread, prefix) else { continue };
            if self.recorded.path().node(event).position < position && self.recorded.is_ready(event, prefix) {
                later.push((number, event));
            }
        }
    }

    /// Lists the prefix `from` with `event` added, unless it is listed or closed.
    fn visit(&mut self, from: u32, event: EventId, prefix: &mut Vec<u32>) -> Option<u32> {
        let Prefix { state, size, enabled, .. } = *self.prefixes.get(from);
        let thread = self.recorded.path().node(event).thread;
        let state = state ^ self.actions[event as usize];
        let known = self.states.open.get(&state).copied();
        if self.states.is_closed(state) || known.is_some_and(|open| self.prefixes.is(open.listed, state)) {
            return None;
        }
        prefix.clear();
        prefix.extend_from_slice(self.prefixes.counts(from));
        prefix[thread.index()] += 1;
        let open = known.unwrap_or_else(|| {
            let enabled = self.recorded.enabled_after(enabled, event, prefix);
            self.discover(state, enabled, thread, prefix)
        });
        let OpenState { enabled, affordable_steps, .. } = open;
        let number =
            self.prefixes.push(Prefix { state, size: size + 1, enabled, affordable_steps, closed: false }, prefix);
        self.states.open.insert(state, OpenState { listed: number, ..open });
        Some(number)
    }

    /// A new state. Its context bound follows from those of its predecessors: all predecessors within the bound are
    /// stored and open.
    fn discover(&mut self, state: u128, enabled: ThreadSet, by: ThreadId, prefix: &[u32]) -> OpenState {
        let (mut least, mut otherwise, mut free) = (u32::MAX, u32::MAX, ThreadSet::EMPTY);
        let mut reached = 0.0;
        for number in 0..prefix.len() {
            let thread = ThreadId::at(number);
            let Some(last) = self.recorded.last(thread, prefix) else { continue };
            if !self.recorded.is_last(thread, prefix) {
                continue;
            }
            let before = state ^ self.actions[last as usize];
            let Some(open) = self.states.open.get(&before).filter(|open| open.affordable_steps.contains(thread)) else {
                continue;
            };
            let cost = open.cost + u32::from(!open.free.contains(thread));
            reached += open.reached / (open.affordable_steps.len() as f64 * self.states.choices(before, thread) as f64);
            self.states.note_step(before, thread, self.recorded.choice(last), state);
            if self.first_come && thread != by {
                continue;
            }
            if cost < least {
                (least, free) = (cost, ThreadSet::EMPTY);
            }
            if cost == least {
                free.insert(thread);
            }
            let preempted = enabled.contains(thread) && self.recorded.insists(thread, prefix);
            otherwise = otherwise.min(cost + u32::from(preempted));
        }
        if otherwise == least {
            free = enabled;
        }
        let affordable_steps = self.affordable_steps(
            if least < self.bound { enabled } else { enabled.intersection(free) },
            enabled,
            prefix,
        );
        self.note_choices(state, affordable_steps, prefix);
        OpenState { cost: least, free, enabled, affordable_steps, open: affordable_steps, listed: 0, reached }
    }

    /// Of the threads whose step is within the bound, those that have to be tried.
    fn affordable_steps(&mut self, affordable: ThreadSet, enabled: ThreadSet, prefix: &[u32]) -> ThreadSet {
        if self.seen == Seen::Exhausted
            && let Some(thread) = self.recorded.keeps_to_itself(affordable, prefix)
        {
            return ThreadSet::only(thread);
        }
        self.cut |= affordable != enabled;
        affordable
    }
}
