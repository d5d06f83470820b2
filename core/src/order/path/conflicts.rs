//! The events of a path with which an event conflicts that comes next in it, or would come earlier.

use super::{Conflict, EventId, NO_EVENT, NO_RANGE, Path, RangeId};
use crate::event::{LifecycleChange, ThreadId, ThreadSet, Touch, Waiting};
use alloc::vec::Vec;

impl Path {
    /// Lists the events of the path that a drafted event would conflict with if it came next, last first. Events that
    /// its base counts are not listed; events that happen before a listed one may be left out.
    #[inline]
    pub fn conflicts(&self, event: EventId, found: &mut Vec<Conflict>) {
        self.conflicts_beyond(event, self.clock(event), found);
    }

    /// As [`Path::conflicts`], for an event whose clock may be settled, so that `base` has to be given.
    #[inline]
    pub fn conflicts_beyond(&self, event: EventId, base: &[u32], found: &mut Vec<Conflict>) {
        found.clear();
        let node = &self.nodes[event as usize];
        let mut chains = 0;
        for part in &node.parts {
            if part.range == NO_RANGE {
                break;
            }
            self.conflicts_in(event, (part.range, true), part.touch, base, found);
            chains += 1;
            for &other in self.ranges.overlaps(part.range) {
                self.conflicts_in(event, (other, false), part.touch, base, found);
                chains += 1;
            }
        }
        if chains > 1 {
            found.sort_unstable_by_key(|conflict| core::cmp::Reverse(conflict.position));
        }
    }

    /// The conflicts with one chain.
    #[inline]
    fn conflicts_in(
        &self,
        event: EventId,
        (range, same_range): (RangeId, bool),
        touch: Touch,
        base: &[u32],
        found: &mut Vec<Conflict>,
    ) {
        let waits = match touch.waiting() {
            Waiting::No => false,
            Waiting::ForEnabling => true,
            Waiting::ForRelease => !self.holds(self.nodes[event as usize].thread, range),
            Waiting::ForReleaseByAll => return self.conflicts_of_writer(range, touch, base, found),
            Waiting::ForUnit(units) => return self.conflicts_of_taking(range, touch, units, base, found),
            Waiting::ForOffer => return self.conflicts_at_channel(event, range, base, found),
        };
        if waits {
            return self.conflicts_of_waiting(range, touch, base, found);
        }
        let only_totals = same_range && touch.only_reads() && self.has_one_kind(range);
        // Threads whose remaining events in the chain all happen before `event`.
        let mut past = ThreadSet::EMPTY;
        let mut at = self.heads[range as usize];
        while at != NO_EVENT {
            let node = &self.nodes[at as usize];
            let part = node.part(range);
            let known = base[node.thread.index()] >= node.index;
            let conflicts = !known && part.touch.conflicts_in(touch, same_range);
            if known {
                past.insert(node.thread);
            } else if conflicts {
                found.push(Conflict { event: at, position: node.position, reversible: true });
            }
            let orders_rest = || same_range && (known || conflicts) && part.touch.orders_rivals_of(touch);
            if part.touch.orders_all() || part.threads.minus(past).is_empty() || orders_rest() {
                break;
            }
            at = if only_totals { part.total } else { part.before };
        }
    }

    /// Whether `thread` holds the mutex at the end of the path.
    fn holds(&self, thread: ThreadId, mutex: RangeId) -> bool {
        let head = self.heads[mutex as usize];
        if head == NO_EVENT {
            return false;
        }
        let part = self.nodes[head as usize].part(mutex);
        part.depth > 0 && self.nodes[part.hold as usize].thread == thread
    }

    /// Whether a thread pending at the end of a run waits for a mutex it holds itself: it would have to wait in every
    /// order, so it races with nothing.
    pub fn waits_for_itself(&self, event: EventId) -> bool {
        let node = &self.nodes[event as usize];
        node.parts[0].touch.waiting() == Waiting::ForRelease && self.holds(node.thread, node.parts[0].range)
    }

    /// As [`conflicts_in`](Self::conflicts_in), for an operation that waits until the object is available: it does not
    /// race with what happened while the object was unavailable, but with the event that made it unavailable.
    ///
    /// Whether a mutex is recursive is not known here, so orders in which its holder locks it again before another
    /// thread unlocks or initialises it are not considered. Such an unlock is a finding by itself, such an
    /// initialisation undefined.
    fn conflicts_of_waiting(&self, range: RangeId, touch: Touch, base: &[u32], found: &mut Vec<Conflict>) {
        let mut at = self.heads[range as usize];
        while at != NO_EVENT {
            let node = &self.nodes[at as usize];
            let part = node.part(range);
            let known = base[node.thread.index()] >= node.index;
            let orders_rest = part.touch.orders_rivals_of(touch);
            if orders_rest && known {
                break;
            }
            let conflicts = !known && part.touch.conflicts(touch);
            let held = part.before != NO_EVENT && self.nodes[part.before as usize].part(range).depth > 0;
            let enabled = touch.waiting() == Waiting::ForEnabling && part.touch.enables(touch);
            let reversible = !(held || enabled);
            if conflicts {
                found.push(Conflict { event: at, position: node.position, reversible });
            }
            if orders_rest && conflicts && reversible {
                break;
            }
            at = if held { self.nodes[part.before as usize].part(range).hold } else { part.before };
        }
    }

    /// As [`conflicts_in`](Self::conflicts_in), for a wait at a semaphore that finds so many units, two standing for
    /// more.
    fn conflicts_of_taking(
        &self,
        range: RangeId,
        touch: Touch,
        mut units: u8,
        base: &[u32],
        found: &mut Vec<Conflict>,
    ) {
        let mut at = self.heads[range as usize];
        while at != NO_EVENT {
            let node = &self.nodes[at as usize];
            let part = node.part(range);
            let known = base[node.thread.index()] >= node.index;
            let (reversible, before) = part.touch.wait_before(units);
            let reversible = reversible || self.makes_semaphore(at, range);
            if !known && part.touch.conflicts(touch) {
                found.push(Conflict { event: at, position: node.position, reversible });
            }
            if part.touch.orders_all() {
                break;
            }
            units = before;
            at = part.before;
        }
    }

    /// As [`conflicts_in`](Self::conflicts_in), for a wait at a channel. Each event there says what was offered before
    /// it, and happens before all later ones.
    #[inline(never)]
    fn conflicts_at_channel(&self, event: EventId, range: RangeId, base: &[u32], found: &mut Vec<Conflict>) {
        let wait = self.nodes[event as usize].operation.at_channel();
        let mut at = self.heads[range as usize];
        while at != NO_EVENT {
            let node = &self.nodes[at as usize];
            if base[node.thread.index()] >= node.index {
                break;
            }
            let waits = wait.zip(node.operation.at_channel()).is_some_and(|(wait, earlier)| wait.waits_before(earlier));
            found.push(Conflict { event: at, position: node.position, reversible: !waits });
            if !waits {
                break;
            }
            at = node.part(range).before;
        }
    }

    /// Whether an event makes a semaphore where there was none. Just before it, a wait is a misuse, and does not wait.
    fn makes_semaphore(&self, event: EventId, range: RangeId) -> bool {
        let node = |event: EventId| self.nodes.get(event as usize);
        let begins = |event: EventId| Some(matches!(node(event)?.operation.lifecycle()?, LifecycleChange::Begins(..)));
        let before = |event: &EventId| node(*event).map(|node| node.part(range).before);
        let earlier = || core::iter::successors(before(&event), before).find_map(begins);
        begins(event) == Some(true) && earlier() != Some(true)
    }

    /// Whether `other` would happen before `event` if that were taken at `position` of the path instead of at its end,
    /// and touched its first range in the mode `touch` there.
    pub fn would_follow(&self, event: EventId, touch: Touch, position: u32, other: EventId) -> bool {
        let mut first = Some(touch);
        let node = &self.nodes[event as usize];
        for part in node.parts.iter().filter(|part| part.range != NO_RANGE) {
            let touch = first.take().unwrap_or(part.touch);
            for &range in core::iter::once(&part.range).chain(self.ranges.overlaps(part.range)) {
                let mut at = self.heads[range as usize];
                let only_totals = range == part.range && touch.only_reads() && self.has_one_kind(range);
                while at != NO_EVENT {
                    let (node, before) = (&self.nodes[at as usize], self.nodes[at as usize].part(range));
                    let conflict = node.position < position && before.touch.conflicts_in(touch, range == part.range);
                    if conflict && self.counts(self.clock(at), other) {
                        return true;
                    }
                    // All that conflicts and comes before happens before this event, too.
                    if conflict && range == part.range && before.touch.orders_rivals_of(touch) {
                        break;
                    }
                    at = if only_totals { before.total } else { before.before };
                }
            }
        }
        false
    }
}
