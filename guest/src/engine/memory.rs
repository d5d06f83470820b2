//! What the scheduler may read of the program's memory, and what it asks about threads there ([`World`]).

use super::interrupting;
use super::object_memory::{self, IN_COND, IN_MUTEX};
use super::run_data::{RunData, refill};
use super::symmetry;
use crate::platform::{fiber, memory_is_gone, recover};
use alloc::vec::Vec;
use inspect_core::event::{ByteRange, MAX_THREADS, Object, ThreadId, ThreadSet};
use inspect_core::run::{Run, World};

/// A compare-exchange that a thread is about to perform.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    /// The bytes that it accesses.
    pub(crate) range: ByteRange,
    /// The expected value, low 8 bytes first.
    pub(crate) expected: [u64; 2],
}

/// The program's memory, seen by the scheduler.
pub(crate) struct Memory {
    exchanges: [Exchange; MAX_THREADS],
    /// Pages in which atomic accesses were made, by the low bits of their numbers: these can be read.
    pages: [u64; PAGES],
}

const PAGES: usize = 64;

fn page(address: u64) -> u64 {
    address >> 12
}

impl Memory {
    /// Memory before the first run: no compare-exchange was announced, and no page is known to be readable.
    pub(crate) fn new() -> Self {
        Memory {
            exchanges: [Exchange { range: ByteRange { start: 0, len: 1 }, expected: [0; 2] }; MAX_THREADS],
            // No page has this number.
            pages: [u64::MAX; PAGES],
        }
    }

    /// Notes that the range was probed, so that the page where it begins can be read.
    #[inline(always)]
    pub(crate) fn note_probed(&mut self, range: ByteRange) {
        self.pages[page(range.start) as usize % PAGES] = page(range.start);
    }

    /// The compare-exchange that `thread` has announced last.
    pub(crate) fn announced(&self, thread: ThreadId) -> Exchange {
        self.exchanges[thread.index()]
    }

    /// Notes the compare-exchange that `thread` is about to perform.
    pub(crate) fn announce(&mut self, thread: ThreadId, exchange: Exchange) {
        self.exchanges[thread.index()] = exchange;
    }
}

impl RunData for Memory {
    /// The compare-exchange of each thread of the run.
    type Saved = Vec<Exchange>;
    type Left = ();

    /// A thread announces its compare-exchange before the scheduler asks for it; pages that could be read in one run
    /// can be read in every run, unless the run takes memory away ([`memory_is_gone`]).
    fn begin(&mut self, _run: &Run) {}

    fn save(&mut self, run: &Run, saved: &mut Vec<Exchange>) -> bool {
        refill(saved, &self.exchanges[..run.paths().len()]);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &Vec<Exchange>) {
        self.exchanges[..saved.len()].copy_from_slice(saved);
    }

    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}

impl World for Memory {
    fn value(&self, range: ByteRange) -> u64 {
        value(range)
    }

    fn exchange_succeeds(&self, thread: ThreadId) -> bool {
        let Exchange { range, expected } = self.exchanges[thread.index()];
        let half = |start: u64, len: u32| ByteRange { start, len };
        let low = range.len.min(8);
        value(half(range.start, low)) == expected[0]
            && (range.len <= 8 || value(half(range.start + 8, range.len - 8)) == expected[1])
    }

    fn is_interrupted(&self, thread: ThreadId) -> bool {
        interrupting::is_pending(thread)
    }

    fn value_before(&self, range: ByteRange) -> Option<u64> {
        let known = range.len <= 8
            && page(range.start) == page(range.end() - 1)
            && self.pages[page(range.start) as usize % PAGES] == page(range.start);
        known.then(|| value(range))
    }

    fn note_release(&self, mutex: Object) {
        object_memory::change(mutex, IN_MUTEX, false);
    }

    fn note_waiters(&self, cond: Object, any: bool) {
        object_memory::change(cond, IN_COND, any);
    }

    fn named(&self, live: ThreadSet) -> ThreadSet {
        symmetry::named(live)
    }

    fn owner(&self, address: u64) -> Option<ThreadId> {
        symmetry::owner(address)
    }

    fn symmetric(&self, a: ThreadId, b: ThreadId) -> bool {
        let (one, other) = (self.exchanges[a.index()], self.exchanges[b.index()]);
        one.range == other.range && one.expected == other.expected && symmetry::symmetric(a, b)
    }

    fn compared(&self, thread: ThreadId) -> Option<u64> {
        let Exchange { range, expected } = self.exchanges[thread.index()];
        (range.len <= 8).then_some(expected[0])
    }
}

/// [`value`] of memory that may not be mapped: what cannot be read counts as 0. The fault is left to the thread that is
/// about to access the memory.
#[cold]
pub(crate) fn value_if_any(range: ByteRange) -> u64 {
    let mut bytes = [0u8; 8];
    recover::read(range.start, &mut bytes[..range.len.min(8) as usize]);
    u64::from_le_bytes(bytes)
}

/// The word that says whether the cancellation of a thread was requested: in a part of the descriptor's head that the C
/// library leaves unused. Operations name [`Object::cancellation`] in its place.
pub(crate) fn word_of_cancellation(thread: ThreadId) -> ByteRange {
    const UNUSED: u64 = 136;
    ByteRange { start: fiber::thread_pointer(thread.index()) + UNUSED, len: 4 }
}

/// The first 8 bytes of a range, little-endian, zero-extended; of the object that stands for requests to cancel a
/// thread, the word that says whether one has come.
#[inline]
pub(crate) fn value(range: ByteRange) -> u64 {
    let range = Object(range.start).cancelled_thread().map_or(range, word_of_cancellation);
    if memory_is_gone() {
        return value_if_any(range);
    }
    let start = range.start as *const u8;
    // SAFETY: the program has accessed the range or a hook has probed it, and this run has unmapped nothing; or the
    // running thread is about to access it, and a fault here counts as the fault of that access. There is one OS
    // thread.
    unsafe {
        match range.len {
            1 => u64::from(start.read_volatile()),
            2 => u64::from(start.cast::<u16>().read_unaligned()),
            4 => u64::from(start.cast::<u32>().read_unaligned()),
            8.. => start.cast::<u64>().read_unaligned(),
            len => (0..len as usize).rev().fold(0, |sum, at| sum << 8 | u64::from(start.add(at).read_volatile())),
        }
    }
}

/// Touches the first and the last byte of what the program is about to access, so that a bad address faults here, on
/// the fiber, and not in the scheduler.
#[inline(always)]
pub(crate) fn probe(range: ByteRange) {
    // SAFETY: the program is about to access the same bytes; a fault here is handled as the fault of that access.
    unsafe {
        (range.start as *const u8).read_volatile();
        ((range.end() - 1) as *const u8).read_volatile();
    }
}

/// Whether the object at this address is memory of the program, and not a made-up one that stands for state of a
/// library.
pub(crate) fn is_real(range: ByteRange) -> bool {
    range.start < 1 << 47
}
