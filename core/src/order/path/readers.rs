//! Which events a writer's lock of a read-write lock races with.
//!
//! A writer waits until all readers have unlocked. It could have come just before a reader's lock R if the holds for
//! reading that are open there end otherwise than after R: their unlocks then belong to the past of the race. Of these
//! locks, the last is the one that it races with: readers' locks are ordered among each other, so the others happen
//! before it.

use super::{Conflict, EventId, NO_EVENT, Path, RangeId, join};
use crate::event::{ByteRange, MAX_THREADS, Object, Touch};
use alloc::vec::Vec;

impl Path {
    /// As [`conflicts_in`](Self::conflicts_in), for a lock for writing that waits. Lists the readers' unlocks as not
    /// reversible; those of them that do not happen after the reversible conflict belong to the past of the race.
    pub(super) fn conflicts_of_writer(&self, range: RangeId, touch: Touch, base: &[u32], found: &mut Vec<Conflict>) {
        let mut at = self.heads[range as usize];
        // The event before which the lock could have come is found. Only readers' unlocks can be unordered with it.
        let mut found_place = false;
        while at != NO_EVENT {
            let node = &self.nodes[at as usize];
            let part = node.part(range);
            let total = part.touch.orders_all();
            let known = base[node.thread.index()] >= node.index;
            if total && known {
                break;
            }
            let held = part.before != NO_EVENT && self.nodes[part.before as usize].part(range).depth > 0;
            let ends_read = part.touch.change_of_readers() < 0;
            let reversible = !found_place && !held && !ends_read && self.is_free_before(at, range);
            if !known && part.touch.conflicts(touch) {
                found.push(Conflict { event: at, position: node.position, reversible });
            }
            if total && !held {
                break;
            }
            found_place |= reversible && part.touch.change_of_readers() > 0;
            at = if held { self.nodes[part.before as usize].part(range).hold } else { part.before };
        }
    }

    /// Whether a lock for writing, which comes next in the path, could come just before the event `place`, if
    /// unlocks that do not happen after that event come before it as well.
    fn is_free_before(&self, place: EventId, range: RangeId) -> bool {
        let open = self.open_reads(self.nodes[place as usize].part(range).before, range);
        let mut ends = [0; MAX_THREADS];
        let mut at = self.heads[range as usize];
        while at != place && at != NO_EVENT {
            let node = &self.nodes[at as usize];
            let part = node.part(range);
            if part.touch.change_of_readers() < 0 && !self.counts(self.clock(at), place) {
                ends[node.thread.index()] += 1;
            }
            at = part.before;
        }
        open.iter().zip(&ends).all(|(holds, ends)| holds <= ends)
    }

    /// How often each thread holds a read-write lock for reading after the event `at` of its chain.
    fn open_reads(&self, mut at: EventId, range: RangeId) -> [i32; MAX_THREADS] {
        let mut open = [0; MAX_THREADS];
        while at != NO_EVENT {
            let node = &self.nodes[at as usize];
            let part = node.part(range);
            if part.touch.orders_all() {
                break;
            }
            open[node.thread.index()] += part.touch.change_of_readers();
            at = part.before;
        }
        open
    }

    /// Whether a thread has a read-write lock for reading after a prefix of the path's partial order.
    pub fn is_read_locked(&self, object: Object, prefix: &[u32]) -> bool {
        let Some(range) = self.ranges.known(ByteRange { start: object.0, len: 1 }) else { return false };
        let mut open = 0;
        let mut at = self.heads[range as usize];
        while at != NO_EVENT {
            let part = self.nodes[at as usize].part(range);
            if self.counts(prefix, at) {
                if part.touch.orders_all() {
                    break;
                }
                open += part.touch.change_of_readers();
            }
            at = part.before;
        }
        open > 0
    }

    /// Adds to the past of the race with the conflict at `at` in the list the clocks of the conflicts before it in the
    /// list (later in the path) that enabled the later event and do not happen after the earlier one.
    #[inline]
    pub fn join_enabling(&self, conflicts: &[Conflict], at: usize, past: &mut [u32]) {
        let earlier = conflicts[at].event;
        for conflict in conflicts[..at].iter().filter(|conflict| !conflict.reversible) {
            let clock = self.clock(conflict.event);
            if !self.counts(clock, earlier) {
                join(past, clock);
            }
        }
    }
}
