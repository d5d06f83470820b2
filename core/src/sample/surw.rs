//! Selectively uniform random walk: all orders of selected operations are equally probable.
//!
//! Huan Zhao, Dylan Wolff, Umang Mathur, Abhik Roychoudhury: "Selectively Uniform Concurrency Testing", ASPLOS 2025.
//! A thread is drawn with a probability proportional to the number of selected operations that are left to it; until it
//! has taken the next one, no other thread takes one of its own, while everything that is not selected goes on freely.
//! Claim: if the numbers are right and nothing blocks, each interleaving of the selected operations has the same
//! probability, and no interleaving of all operations has the probability 0.
//!
//! Departures:
//!
//! 1. The selected operations of a run are those on one object or location, drawn among those on which two threads
//!    conflict; what ends a hold is not selected, as it follows from what begins it. The numbers are the largest seen
//!    in a few random runs made before (`explore::Sampling`).
//! 2. A thread stands for those that it will create: its number includes theirs until they are created.
//! 3. If everything that could go on is selected and belongs to others, one of these is drawn instead. Beyond the
//!    expected length a run goes on as a random walk, as the thread that was drawn may never come to a selected
//!    operation.
//! 4. What is not selected is drawn with the same probability for each thread.

use super::{Moment, random};
use crate::event::{ByteRange, Footprint, MAX_THREADS, Operation, ThreadId, ThreadSet};
use crate::random::Random;

/// Whether an operation is selected: it touches bytes of `selected`, and does not end a hold.
#[inline]
pub fn is_selected(operation: &Operation, selected: ByteRange) -> bool {
    let touches = Footprint::of(operation).iter().any(|(range, _)| range.overlaps(selected));
    touches && !operation.ends_hold()
}

/// What is left of the selected operations, and whose turn it is.
#[derive(Debug)]
pub(super) struct UniformWalk {
    /// By thread: how many selected operations are left to it and to the threads that it will create.
    left: [u32; MAX_THREADS],
    /// The thread that takes the next selected operation.
    intended: Option<ThreadId>,
    /// The threads whose next operations were looked at, and of these those whose operations are selected.
    looked_at: ThreadSet,
    waiting: ThreadSet,
    /// How many events there were then.
    events: usize,
}

impl UniformWalk {
    /// The state before the first run.
    pub(super) const fn new() -> Self {
        let none = ThreadSet::EMPTY;
        UniformWalk { left: [0; MAX_THREADS], intended: None, looked_at: none, waiting: none, events: 0 }
    }

    /// Begins a run. `weights` has, by thread, how many selected operations are left to it and to the threads that it
    /// will create.
    pub(super) fn begin(&mut self, weights: &[u32]) {
        self.left.fill(0);
        self.left[..weights.len()].copy_from_slice(weights);
        self.intended = None;
        self.looked_at = ThreadSet::EMPTY;
    }

    /// The thread that takes the next step, if the operations on `selected` are the selected ones.
    pub(super) fn thread<'a, O: Fn(ThreadId) -> &'a Operation>(
        &mut self,
        moment: &Moment<'a, O>,
        selected: ByteRange,
        random: &mut Random,
    ) -> ThreadId {
        self.note_last(moment, selected, random);
        if !self.intended.is_some_and(|intended| moment.live.contains(intended)) {
            self.intended = self.draw(moment.live, random);
        }
        let waiting = self.waiting(moment, selected);
        let intended = self.intended.map_or(ThreadSet::EMPTY, ThreadSet::only);
        let free = moment.takers.minus(waiting.minus(intended));
        if !free.is_empty() {
            return random::any(free, random);
        }
        // Whoever is intended waits for one of the others.
        let instead = self.draw(waiting, random).unwrap_or_else(|| random::any(waiting, random));
        self.intended = Some(instead);
        instead
    }

    /// The threads that can take the next step by a selected operation. What another thread than that of the last event
    /// is about to do has changed only if it could not take a step before, or if the event was on an object, where it
    /// may have been woken.
    fn waiting<'a, O: Fn(ThreadId) -> &'a Operation>(
        &mut self,
        moment: &Moment<'a, O>,
        selected: ByteRange,
    ) -> ThreadSet {
        let is_next = moment.events.len() == self.events + 1;
        match moment.events.last().filter(|last| is_next && last.operation.objects()[0].is_none()) {
            Some(last) => self.looked_at.remove(last.thread),
            None => self.looked_at = ThreadSet::EMPTY,
        }
        for thread in moment.takers.minus(self.looked_at).iter() {
            if is_selected((moment.operation)(thread), selected) {
                self.waiting.insert(thread);
            } else {
                self.waiting.remove(thread);
            }
        }
        (self.looked_at, self.events) = (moment.takers, moment.events.len());
        debug_assert!(
            moment
                .takers
                .iter()
                .all(|thread| { self.waiting.contains(thread) == is_selected((moment.operation)(thread), selected) }),
            "what was looked at is what threads are about to do"
        );
        self.waiting.intersection(moment.takers)
    }

    /// Brings the numbers up to date with the last event.
    fn note_last<O>(&mut self, moment: &Moment<'_, O>, selected: ByteRange, random: &mut Random) {
        let Some(last) = moment.events.last() else { return };
        let thread = last.thread;
        if let Some(child) = last.operation.creates() {
            let theirs = self.left[child.index()];
            self.left[thread.index()] = self.left[thread.index()].saturating_sub(theirs);
            if self.intended == Some(thread) {
                let family = ThreadSet::only(thread).union(ThreadSet::only(child));
                self.intended = self.draw(family, random);
            }
        }
        if is_selected(&last.operation, selected) {
            self.left[thread.index()] = self.left[thread.index()].saturating_sub(1);
            self.intended = None;
        }
    }

    /// One of `threads`, with a probability proportional to what is left to it; None if nothing is left to any.
    fn draw(&self, threads: ThreadSet, random: &mut Random) -> Option<ThreadId> {
        let total: u32 = threads.iter().map(|thread| self.left[thread.index()]).sum();
        let mut rest = if total == 0 { return None } else { random.index(total) };
        threads.iter().find(|thread| {
            let left = self.left[thread.index()];
            let drawn = rest < left;
            rest = rest.wrapping_sub(left);
            drawn
        })
    }
}
