//! Whose clocks there are, for a search that compares states.
//!
//! What can still race with a step depends on which threads happen after it, and on what a thread would learn of it by
//! acquiring what was released. Both are clocks. Their entries are stamps of one run; what does not depend on the run
//! is which of the steps that matter each clock includes.

use super::releases::NONE;
use super::{C11, KINDS, Of, Stamp};
use crate::event::{EventIndex, ThreadSet};

/// What a search knows of the threads and events that clocks belong to.
pub struct Holders<'a> {
    /// The threads whose clocks can still be joined into others: those that have not ended, and those that can be
    /// joined.
    pub threads: ThreadSet,
    /// The threads that this event has enabled and that have not executed their operations yet.
    pub enabled_by: &'a dyn Fn(EventIndex) -> ThreadSet,
    /// The granules in which operations have accessed memory.
    pub granules: &'a [u64],
}

/// Whose clock it is: a name that does not depend on the run.
pub type Holder = [u64; 2];

/// The first words of names; those of release sequences are granules, which are below them.
const THREAD: u64 = 1 << 62;
const OBJECT: u64 = 2 << 62;
const EVENT: u64 = 3 << 62;

impl C11 {
    /// Calls `visit` with the name and the entries of each clock.
    pub fn clocks(&self, holders: &Holders<'_>, mut visit: impl FnMut(Holder, &[u64])) {
        for thread in holders.threads.iter() {
            let kinds = if self.relaxed { KINDS } else { 1 };
            for which in [Of::Present, Of::Fence, Of::Pending].into_iter().take(kinds) {
                let start = self.of(thread, which);
                visit([THREAD | which as u64, u64::from(thread.0)], &self.threads[start..start + self.known]);
            }
        }
        for &object in &self.objects {
            let Some(node) = self.node_of(object) else { continue };
            let event = object.0.checked_sub(super::of_event(EventIndex(0)).0).filter(|at| *at <= u64::from(u32::MAX));
            let name = match event {
                None => [OBJECT, object.0],
                Some(at) => [EVENT, (holders.enabled_by)(EventIndex(at as u32)).code()],
            };
            // What nobody waits for any more is not acquired.
            if name != [EVENT, 0] {
                visit(name, self.clock(node));
            }
        }
        for &granule in holders.granules {
            let mut at = self.first_of(granule);
            while let Some(node) = self.released.get(at as usize) {
                visit([granule, u64::from(node.thread.0) << 8 | u64::from(node.mask)], self.clock(at));
                at = node.next;
            }
        }
    }

    fn clock(&self, node: u32) -> &[u64] {
        let start = node as usize * self.stride;
        &self.clocks[start..start + self.known]
    }

    fn first_of(&self, granule: u64) -> u32 {
        self.places.get(granule).unwrap_or(NONE)
    }
}

/// Whether a clock includes the step with this stamp.
pub fn includes(clock: &[u64], stamp: Stamp) -> bool {
    clock.get(stamp.thread().index()).is_some_and(|&known| known >= stamp.0)
}
