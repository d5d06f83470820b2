//! What can be acquired: the clocks of mutexes and once objects, and the release sequences of atomic objects.

use super::{C11, Of, granules, join};
use crate::event::{ByteRange, MemoryOrder, Object, ThreadId};

/// What can be acquired at one place: a release sequence, as a node of the list of those of a granule, or the releases
/// of a mutex or once object. Its clock is in [`C11::clocks`], at the same number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Released {
    pub(super) next: u32,
    /// The thread that began the release sequence.
    pub(super) thread: ThreadId,
    /// The bytes of the granule in which the release sequence has not ended.
    pub(super) mask: u8,
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
            let node = self.add(Released { next: NONE, thread, mask: 0 });
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
        let into = self.of(thread, if order.acquires() { Of::Present } else { Of::Pending });
        for (granule, mask) in granules(range) {
            let mut at = self.places.get(granule).unwrap_or(NONE);
            while let Some(&node) = self.released.get(at as usize) {
                if node.mask & mask != 0 {
                    self.acquire(into, at);
                }
                at = node.next;
            }
        }
    }

    /// An atomic write: a store ends the release sequences that other threads began in the bytes, an `update` goes on
    /// with them. If `order` releases, or `thread` has executed a release fence, a release sequence of its own begins.
    pub(super) fn write(&mut self, thread: ThreadId, range: ByteRange, order: MemoryOrder, update: bool) {
        let offer = self.of(thread, if order.releases() { Of::Present } else { Of::Fence });
        // If the thread's own entry in `Fence` is of an earlier run, there was no release fence in this one.
        let offers = self.threads[offer + thread.index()] >= self.floor().0;
        for (granule, mask) in granules(range) {
            let mut first = self.places.get(granule).unwrap_or(NONE);
            if !update && first != NONE {
                first = self.keep(granule, first, mask, |by| by == thread);
            }
            if !offers {
                continue;
            }
            let mut at = first;
            while let Some(node) = self.released.get(at as usize) {
                if node.thread == thread && node.mask == mask {
                    break;
                }
                at = node.next;
            }
            if at == NONE {
                at = self.add(Released { next: first, thread, mask });
                self.places.set(granule, at);
            }
            self.release(at, offer);
        }
    }

    /// Ends the release sequences in these bytes, except those of threads for which `stays` is true; `first` is the
    /// granule's first node. Returns the first one left.
    fn keep(&mut self, granule: u64, mut first: u32, mask: u8, stays: impl Fn(ThreadId) -> bool) -> u32 {
        let (mut at, mut before) = (first, NONE);
        while let Some(node) = self.released.get_mut(at as usize) {
            let next = node.next;
            if !stays(node.thread) {
                node.mask &= !mask;
            }
            if node.mask != 0 {
                before = at;
            } else {
                node.next = self.free;
                self.free = at;
                if let Some(node) = self.released.get_mut(before as usize) {
                    node.next = next;
                } else {
                    first = next;
                    self.places.set(granule, next);
                }
            }
            at = next;
        }
        first
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
