//! Dividing the optimal search.
//!
//! A branch of any frame becomes an [`Item`]: the path that the branch leaves, the annotations of the path's events,
//! and the annotation of the branch's own event. The worker that explores the item makes its first run, restores the
//! annotations without reversing races of the prefix, which another worker reverses, and continues as an undivided
//! search does.

use super::super::item::{Divisible, Item, PrefixEvent, PrefixHash};
use super::{Annotation, Branch, BranchKind, DEFAULT, Expected, Optimal};
use crate::event::{Step, Trace};
use crate::order::{EventId, NO_EVENT};
use alloc::vec::Vec;

impl Optimal {
    /// Restores the annotations of the prefix from the item, once the item's first run was made.
    pub(super) fn restore_prefix(&mut self, trace: &Trace) {
        let Some(item) = self.item.take() else { return };
        let mut prefix_events = item.prefix_events.iter().peekable();
        let mut values = trace.values.iter().peekable();
        let at_position = |path: &crate::order::Path, position: Option<u32>| {
            position.and_then(|position| path.events().get(position as usize).copied()).unwrap_or(NO_EVENT)
        };
        for (at, event) in trace.events.iter().enumerate().take(item.prefix()) {
            let id = self.draft(event.thread, event.operation, event.enabled_by);
            let mut annotation = Annotation { choice: event.choice, alternatives: event.alternatives, ..DEFAULT };
            if let Some(values) = values.next_if(|v| v.event.index() == at) {
                (annotation.before, annotation.compared) = (values.before, values.compared);
            }
            if let Some(prefix_event) = prefix_events.next_if(|prefix_event| prefix_event.position as usize == at) {
                annotation.marked = prefix_event.marked;
                annotation.reversed_before = at_position(&self.path, prefix_event.reversed_before);
                annotation.block_end = at_position(&self.path, prefix_event.block_end);
            }
            self.annotations[id as usize] = annotation;
            self.find_races(id, 0, None);
            self.push(id);
        }
        let annotation = Annotation {
            marked: !item.steps.is_empty(),
            block: item.block,
            then: item.then,
            reversed_before: at_position(&self.path, item.reversed_before),
            ..DEFAULT
        };
        self.expected = Expected { annotation, races: item.races };
    }

    /// The branches of the run that frame `level` saves, or of the present run, which has no frame yet.
    fn branches_of(&self, level: usize) -> core::ops::Range<usize> {
        let begin = level.checked_sub(1).map_or(0, |before| self.frames[before].branches as usize);
        let end = self.frames.get(level).map_or(self.branches.len(), |frame| frame.branches as usize);
        begin..end
    }

    /// Turns `events`, the path of the run that frame `above` saves, into that of the run that frame `level` saves.
    fn wind_back(&self, events: &mut Vec<EventId>, above: usize, level: usize) {
        for at in (level..above).rev() {
            let frame = &self.frames[at];
            let end = self.frames.get(at + 1).map_or(self.tails.len(), |next| next.tail as usize);
            events.truncate(frame.position as usize);
            events.extend_from_slice(&self.tails[frame.tail as usize..end]);
        }
    }

    /// Makes the path consist of `events`.
    fn visit(&mut self, events: &[EventId]) {
        let same = self.path.events().iter().zip(events).take_while(|(here, there)| here == there).count();
        self.cut(same as u32);
        for &event in &events[same..] {
            self.push(event);
        }
    }

    /// The item for a branch of the run with the path `events`. The search's own path is changed.
    fn item_of(&mut self, branch: &Branch, events: &[EventId], level: usize) -> Item {
        self.visit(&events[..branch.length as usize]);
        let thread = self.path.node(branch.event).thread;
        let (expected, choice) = match branch.kind {
            BranchKind::Reverse(position) => {
                let expected = self.prepare_reversal(branch, position);
                self.cut(position);
                self.append_past(&events[position as usize..branch.length as usize]);
                (expected, Step::FIRST)
            }
            BranchKind::Choose(choice) => (self.expect_choice(branch), choice),
        };
        let mut steps = self.steps.clone();
        steps.push(Step { thread, choice });
        let mut hash = PrefixHash::default();
        for &event in self.path.events() {
            hash.add(self.path.node(event).thread, self.path.operation(event), false);
        }
        Item {
            steps,
            prefix_events: self.prefix_events(),
            then: expected.annotation.then,
            block: expected.annotation.block,
            reversed_before: self.position_of(expected.annotation.reversed_before),
            races: expected.races,
            share: self.estimate.share(level),
            prefix_hash: hash.finish(),
            ..Item::everything()
        }
    }

    fn prefix_events(&self) -> Vec<PrefixEvent> {
        let prefix_event = |(position, &event): (usize, &EventId)| {
            let annotation = &self.annotations[event as usize];
            (annotation.marked || annotation.block_end != NO_EVENT).then(|| PrefixEvent {
                position: position as u32,
                marked: annotation.marked,
                reversed_before: self.position_of(annotation.reversed_before),
                block_end: self.position_of(annotation.block_end),
            })
        };
        self.path.events().iter().enumerate().filter_map(prefix_event).collect()
    }

    /// Where an event stands in the path.
    fn position_of(&self, event: EventId) -> Option<u32> {
        if event == NO_EVENT {
            return None;
        }
        let position = self.path.node(event).position;
        let found = self.path.events().get(position as usize) == Some(&event);
        debug_assert!(found, "the end of a block comes before the event that the block was reversed over");
        found.then_some(position)
    }

    /// Removes a branch of the run that frame `level` saves.
    fn remove(&mut self, at: usize, level: usize) {
        self.branches.remove(at);
        for frame in &mut self.frames[level..] {
            frame.branches -= 1;
        }
    }
}

impl Divisible for Optimal {
    fn begin(&mut self, item: Item) {
        self.cut(0);
        self.forget(0);
        self.branches.clear();
        self.frames.clear();
        self.tails.clear();
        self.started = false;
        self.estimate.begin(item.share);
        self.item = Some(item);
    }

    fn open(&self) -> usize {
        if self.started { self.branches.len() } else { 0 }
    }

    /// The first branch of the first run that has one: as in chapter 6 of Yang's dissertation, where the largest
    /// subtree is to be expected.
    fn give(&mut self) -> Option<Item> {
        if !self.started {
            return None;
        }
        let level = (0..=self.frames.len()).find(|&level| !self.branches_of(level).is_empty())?;
        let at = self.branches_of(level).start;
        let branch = self.branches[at];
        let here = self.path.events().to_vec();
        let mut events = here.clone();
        self.wind_back(&mut events, self.frames.len(), level);
        let item = self.item_of(&branch, &events, level);
        self.visit(&here);
        let next = match branch.kind {
            BranchKind::Reverse(_) => None,
            BranchKind::Choose(choice) => self.annotations[branch.event as usize].alternatives.after(choice),
        };
        match next {
            // This search keeps the other alternatives.
            Some(next) => self.branches[at].kind = BranchKind::Choose(next),
            None => self.remove(at, level),
        }
        Some(item)
    }

    fn save(&mut self, take: &mut dyn FnMut(Item)) {
        if !self.started {
            take(self.item.clone().unwrap_or_else(Item::everything));
            return;
        }
        let here = self.path.events().to_vec();
        let mut events = here.clone();
        for level in (0..=self.frames.len()).rev() {
            self.wind_back(&mut events, (level + 1).min(self.frames.len()), level);
            for at in self.branches_of(level).rev() {
                let mut branch = self.branches[at];
                loop {
                    take(self.item_of(&branch, &events, level));
                    let BranchKind::Choose(choice) = branch.kind else { break };
                    let alternatives = self.annotations[branch.event as usize].alternatives;
                    let Some(next) = alternatives.after(choice) else { break };
                    branch.kind = BranchKind::Choose(next);
                }
            }
        }
        self.visit(&here);
    }

    fn covered(&self) -> f64 {
        self.estimate.covered()
    }
}
