//! What can be acquired: the clocks of mutexes and once objects, and the release sequences of atomic objects.
//!
//! A read synchronises with all release sequences of its bytes, and each thread that updates a variable may have one
//! there. Most clocks of these are included in the latest one, as an update that acquires and releases passes on what
//! it has acquired: a read does not look behind a node that [covers](Released::covers) its bytes. So an update costs
//! two passes over a clock, however many threads have updated the variable.

use super::{C11, Of, granules, join};
use crate::event::{ByteRange, MemoryOrder, Object, ThreadId};

/// What can be acquired at one place: a release sequence, as a node of the list of those of a granule, or the releases
/// of a mutex or once object. Its clock is in [`C11::clocks`], at the same number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Released {
    /// The granule; 0 for an object.
    granule: u64,
    pub(super) next: u32,
    /// The node in front of it.
    before: u32,
    /// The thread that began the release sequence.
    pub(super) thread: ThreadId,
    /// The bytes of the granule in which the release sequence has not ended.
    pub(super) mask: u8,
    /// Bytes for which its clock includes those of all nodes behind it.
    covers: u8,
}

/// The nodes of a granule whose clocks together include those of all release sequences in some bytes.
struct Offers {
    /// Where to look next.
    at: u32,
    /// The bytes in question, without those that a node covers.
    left: u8,
}

impl Offers {
    /// A node, and the thread that began its release sequence.
    #[inline]
    fn next(&mut self, released: &[Released]) -> Option<(u32, ThreadId)> {
        while self.left != 0 {
            let (at, node) = (self.at, released.get(self.at as usize)?);
            self.at = node.next;
            if node.mask & self.left != 0 {
                self.left &= !node.covers;
                return Some((at, node.thread));
            }
        }
        None
    }
}

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// The bit that keys of mutexes and once objects have in the table. Keys of granules are below it.
const OBJECT: u64 = 1 << 63;

impl C11 {
    /// A plain write of these bytes: it ends their release sequences.
    pub fn overwrite(&mut self, granule: u64, mask: u8) {
        if let Some(first) = self.places.get(granule) {
            self.keep(granule, first, mask, |_| false);
        }
    }

    /// The memory is reused: forgets the mutexes and once objects there.
    pub fn forget_objects(&mut self, range: ByteRange) {
        for at in 0..self.objects.len() {
            let object = self.objects[at];
            if range.overlaps(ByteRange { start: object.0, len: 1 }) {
                self.forget_object(object);
            }
        }
    }

    /// Joins the clock of a node into one of a thread.
    fn acquire(&mut self, into: usize, node: u32) {
        let node = node as usize * self.stride;
        join(&mut self.threads[into..into + self.known], &self.clocks[node..node + self.known]);
    }

    /// Joins a clock of a thread into that of a node.
    fn release(&mut self, node: u32, from: usize) {
        let node = node as usize * self.stride;
        join(&mut self.clocks[node..node + self.known], &self.threads[from..from + self.known]);
    }

    /// The node of a mutex or once object.
    pub(super) fn node_of(&self, object: Object) -> Option<u32> {
        self.places.get(OBJECT | object.0)
    }

    /// `thread` acquires what was released by an object.
    pub(super) fn acquire_object(&mut self, thread: ThreadId, object: Object) {
        if let Some(node) = self.node_of(object) {
            self.acquire(self.of(thread, Of::Present), node);
        }
    }

    /// `thread` releases its present clock by an object.
    pub(super) fn release_object(&mut self, thread: ThreadId, object: Object) {
        let node = self.node_of(object).unwrap_or_else(|| {
            let node = self.add(Released { granule: 0, next: NONE, before: NONE, thread, mask: 0, covers: 0 });
            self.places.set(OBJECT | object.0, node);
            self.objects.push(object);
            node
        });
        self.release(node, self.of(thread, Of::Present));
    }

    /// Nothing that was released by an object can be acquired any more.
    pub(super) fn forget_object(&mut self, object: Object) {
        if let Some(node) = self.node_of(object) {
            let node = node as usize * self.stride;
            self.clocks[node..node + self.stride].fill(0);
        }
    }

    /// An atomic read: acquires from the release sequences of the bytes, at once or, if `order` does not acquire, at
    /// the next acquire fence.
    pub(super) fn read(&mut self, thread: ThreadId, range: ByteRange, order: MemoryOrder) {
        self.relaxed |= !order.acquires();
        let which = if order.acquires() { Of::Present } else { Of::Pending };
        self.acquired = order.acquires().then_some(range);
        let into = self.of(thread, which);
        for (granule, mask) in granules(range) {
            let mut offers = Offers { at: self.places.get(granule).unwrap_or(NONE), left: mask };
            while let Some((node, by)) = offers.next(&self.released) {
                // What the thread itself has released is in its present clock.
                if by != thread || matches!(which, Of::Pending) {
                    self.acquire(into, node);
                }
            }
        }
    }

    /// An atomic write: a store ends the release sequences that other threads began in the bytes, an `update` goes on
    /// with them. If `order` releases, or `thread` has executed a release fence, a release sequence of its own begins.
    pub(super) fn write(&mut self, thread: ThreadId, range: ByteRange, order: MemoryOrder, update: bool) {
        let which = if order.releases() { Of::Present } else { Of::Fence };
        let offer = self.of(thread, which);
        // If the thread's own entry in `Fence` is of an earlier run, there was no release fence in this one.
        let offers = self.threads[offer + thread.index()] >= self.floor().0;
        // After a store no sequence of another thread is left.
        let knows_all = matches!(which, Of::Present) && (!update || self.acquired == Some(range));
        for (granule, mask) in granules(range) {
            let mut first = self.places.get(granule).unwrap_or(NONE);
            if !update && first != NONE {
                first = self.keep(granule, first, mask, |by| by == thread);
            }
            if !offers {
                continue;
            }
            let covers = if knows_all { mask } else { 0 };
            let node = Released { granule, next: first, before: NONE, thread, mask, covers };
            let at = self.put_first(first, node);
            if matches!(which, Of::Present) {
                // What the thread has released there before is in its present clock.
                let to = at as usize * self.stride;
                self.clocks[to..to + self.known].copy_from_slice(&self.threads[offer..offer + self.known]);
            } else {
                self.release(at, offer);
            }
        }
    }

    /// Makes the node of this thread and of these bytes the first one of its granule, or adds it there. `first` is the
    /// first one so far.
    fn put_first(&mut self, first: u32, node: Released) -> u32 {
        let known = self.find(first, &node);
        if known == first && known != NONE {
            // Nothing behind it has changed since it came there.
            self.released[known as usize].covers |= node.covers;
            return known;
        }
        if known != NONE {
            self.unlink(known);
            self.released[known as usize] = node;
        }
        let at = if known == NONE { self.add(node) } else { known };
        if let Some(second) = self.released.get_mut(first as usize) {
            second.before = at;
        }
        self.places.set(node.granule, at);
        self.last_of[node.thread.index()] = at;
        at
    }

    /// The node of the same thread and bytes as `wanted`, of the list that begins with `first`.
    fn find(&self, first: u32, wanted: &Released) -> u32 {
        let same = |node: &Released| {
            node.granule == wanted.granule && node.thread == wanted.thread && node.mask == wanted.mask
        };
        // A thread mostly updates the variable that it has updated last.
        let last = self.last_of[wanted.thread.index()];
        if self.released.get(last as usize).is_some_and(same) {
            return last;
        }
        let mut at = first;
        while let Some(node) = self.released.get(at as usize).filter(|node| !same(node)) {
            at = node.next;
        }
        at
    }

    /// Takes a node out of the list of its granule.
    fn unlink(&mut self, at: u32) {
        let Released { granule, next, before, .. } = self.released[at as usize];
        if let Some(after) = self.released.get_mut(next as usize) {
            after.before = before;
        }
        match self.released.get_mut(before as usize) {
            Some(node) => node.next = next,
            None => {
                self.places.set(granule, next);
            }
        }
    }

    /// Ends the release sequences in these bytes, except those of threads for which `stays` is true; `first` is the
    /// granule's first node. Returns the first one left.
    fn keep(&mut self, granule: u64, first: u32, mask: u8, stays: impl Fn(ThreadId) -> bool) -> u32 {
        let mut at = first;
        while let Some(node) = self.released.get_mut(at as usize) {
            let next = node.next;
            if !stays(node.thread) {
                node.mask &= !mask;
            }
            if node.mask == 0 {
                self.unlink(at);
                self.released[at as usize].next = self.free;
                self.free = at;
            }
            at = next;
        }
        self.places.get(granule).unwrap_or(NONE)
    }

    /// A node with an empty clock.
    fn add(&mut self, node: Released) -> u32 {
        match self.released.get_mut(self.free as usize) {
            Some(slot) => {
                let at = self.free;
                self.free = slot.next;
                *slot = node;
                let clock = at as usize * self.stride;
                self.clocks[clock..clock + self.stride].fill(0);
                at
            }
            None => {
                self.released.push(node);
                self.clocks.resize(self.released.len() * self.stride, 0);
                self.released.len() as u32 - 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Stamp;
    use super::*;
    use crate::event::{Acquires, Releases};
    use MemoryOrder::{AcquireRelease, Relaxed, Release};

    const X: ByteRange = ByteRange { start: 64, len: 4 };

    /// A run with main and so many other threads.
    fn with_threads(others: usize) -> C11 {
        let mut c11 = C11::new();
        c11.begin();
        for child in (1..=others).map(ThreadId::at) {
            c11.before(ThreadId::MAIN, Acquires::Nothing, None);
            c11.after(ThreadId::MAIN, Releases::Thread(child));
        }
        c11
    }

    fn update(c11: &mut C11, thread: usize, order: MemoryOrder) -> Stamp {
        let thread = ThreadId::at(thread);
        let acquires = if order.acquires() { Acquires::Memory(X, order) } else { Acquires::Nothing };
        c11.before(thread, acquires, None);
        let stamp = c11.now(thread);
        c11.after(thread, Releases::Memory { range: X, order, update: true });
        stamp
    }

    /// How many clocks a read looks at.
    fn looked_at(c11: &C11) -> usize {
        let mut offers = Offers { at: c11.places.get(X.start >> 3).unwrap_or(NONE), left: 0xf };
        core::iter::from_fn(|| offers.next(&c11.released)).count()
    }

    /// With all of them, an update would take time in proportion to the square of the number of threads.
    #[test]
    fn a_read_looks_at_one_clock_however_many_threads_have_updated_the_variable() {
        let mut c11 = with_threads(20);
        for round in 0..3 {
            for thread in 1..=20 {
                update(&mut c11, (thread * 7 + round) % 20 + 1, AcquireRelease);
                assert_eq!(looked_at(&c11), 1);
            }
        }
        assert_eq!(c11.released.len(), 20, "each thread has a release sequence");
        // These pass nothing on, so a read looks behind them.
        for thread in 1..=3 {
            update(&mut c11, thread, Release);
        }
        assert_eq!(looked_at(&c11), 4);
        update(&mut c11, 4, Relaxed);
        assert_eq!(looked_at(&c11), 4);
        update(&mut c11, 5, AcquireRelease);
        assert_eq!(looked_at(&c11), 1);
    }

    #[test]
    fn a_store_leaves_the_sequences_of_its_own_thread_only_however_often_others_were_put_in_front() {
        let mut c11 = with_threads(3);
        let updates = [1, 2, 3, 1, 3, 2].map(|thread| update(&mut c11, thread, AcquireRelease));
        c11.before(ThreadId::at(1), Acquires::Nothing, None);
        c11.after(ThreadId::at(1), Releases::Memory { range: X, order: Relaxed, update: false });
        assert_eq!(looked_at(&c11), 1);
        c11.before(ThreadId::MAIN, Acquires::Memory(X, AcquireRelease), None);
        // The sequence that is left began with the last update by the thread.
        let known = updates.map(|stamp| c11.knows(ThreadId::MAIN, stamp));
        assert_eq!(known, [true, true, true, true, false, false]);
    }
}
