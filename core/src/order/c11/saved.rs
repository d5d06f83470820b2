//! Saves the happens-before relation in the middle of a run, to resume the run from there.

use super::releases::Released;
use super::{C11, KINDS, Stamp, stretch};
use crate::event::Object;
use alloc::vec::Vec;

/// The happens-before relation in the middle of a run.
#[derive(Clone, Debug, Default)]
pub struct SavedC11 {
    next: u64,
    now: Vec<Stamp>,
    stride: usize,
    /// Clocks of the threads: those of all kinds if `complete`, otherwise [`Of::Present`](super::Of::Present) only.
    threads: Vec<u64>,
    complete: bool,
    places: Vec<(u64, u32)>,
    released: Vec<Released>,
    clocks: Vec<u64>,
    free: u32,
    objects: Vec<Object>,
    marks: usize,
    events: u32,
}

impl C11 {
    /// Saves the relation as it is. The memory of `saved` is used again.
    pub fn save(&self, saved: &mut SavedC11) {
        let known = self.known;
        (saved.next, saved.stride, saved.complete) = (self.next, self.stride, self.relaxed);
        refill(&mut saved.now, &self.now[..known]);
        if self.relaxed {
            refill(&mut saved.threads, &self.threads[..known * KINDS * self.stride]);
        } else {
            saved.threads.clear();
            for clocks in self.threads[..known * KINDS * self.stride].chunks_exact(KINDS * self.stride) {
                saved.threads.extend_from_slice(&clocks[..self.stride]);
            }
        }
        saved.places.clear();
        saved.places.extend(self.places.entries());
        refill(&mut saved.released, &self.released);
        refill(&mut saved.clocks, &self.clocks);
        refill(&mut saved.objects, &self.objects);
        (saved.free, saved.marks, saved.events) = (self.free, self.marks.len(), self.events);
    }

    /// Goes on from an earlier moment of the present run, or of the last run if that went through it. The stamps given
    /// out since then are given out again, so no record may carry one of them any more.
    pub fn resume(&mut self, saved: &SavedC11) {
        if self.stride > saved.stride {
            return self.resume_wider(saved);
        }
        self.known = saved.now.len();
        self.next = saved.next;
        self.now[..self.known].copy_from_slice(&saved.now);
        if saved.complete {
            self.threads[..saved.threads.len()].copy_from_slice(&saved.threads);
        } else {
            for (to, from) in
                self.threads.chunks_exact_mut(KINDS * self.stride).zip(saved.threads.chunks_exact(self.stride))
            {
                to[..from.len()].copy_from_slice(from);
                if self.relaxed {
                    to[from.len()..].fill(0);
                }
            }
        }
        self.places.clear();
        for &(key, value) in &saved.places {
            self.places.set(key, value);
        }
        refill(&mut self.released, &saved.released);
        refill(&mut self.clocks, &saved.clocks);
        refill(&mut self.objects, &saved.objects);
        self.free = saved.free;
        self.marks.truncate(saved.marks);
        self.events = saved.events;
    }

    /// As [`resume`](Self::resume) where a thread with a higher number than any before was created since.
    #[cold]
    fn resume_wider(&mut self, saved: &SavedC11) {
        let mut wider = saved.clone();
        wider.threads = stretch(&saved.threads, saved.stride, self.stride);
        wider.clocks = stretch(&saved.clocks, saved.stride, self.stride);
        wider.stride = self.stride;
        self.resume(&wider);
    }
}

fn refill<T: Copy>(list: &mut Vec<T>, contents: &[T]) {
    list.clear();
    list.extend_from_slice(contents);
}
