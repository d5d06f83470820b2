//! Happens-before of C11, computed while a run goes on.
//!
//! Source: ISO/IEC 9899:2018 (C17), 5.1.2.4 (synchronises-with, release sequences), 7.17.4 (fences), 7.26 (threads,
//! mutexes, call_once). Clocks after: Flanagan, Freund, "FastTrack: Efficient and Precise Dynamic Race Detection",
//! PLDI 2009.
//!
//! The edges, each of which is also an edge of the exploration's happens-before:
//! - an unlock (or the first half of a wait) to every later lock (or end of a wait) of the mutex;
//! - create to the child's first step, the last step of a thread to the end of its join;
//! - the return of a once initialiser to every later passing of the once object;
//! - a post of a semaphore to every later wait that takes a unit of it; a writer's unlock of a read-write lock to every
//!   later lock of it, a reader's to every later lock of a writer; the arrivals of a barrier's round to its passes
//!   (POSIX, Base Definitions, 4.12; C++ 32.6.4.4, 32.8, 32.9 for what the like of these synchronise with);
//! - a release store or update, or a relaxed one after a release fence, to an acquire read (or a relaxed one before an
//!   acquire fence) that reads from its release sequence. The sequence is that of C11 and C17: it goes on through
//!   updates by any thread and stores by the thread that began it. (C++20 ends it at such a store.)
//!
//! No edges: relaxed accesses, a signal to the waiter it wakes, init and destroy, a failed trylock, sequentially
//! consistent order beyond acquire and release.
//!
//! Departures from the paper: an epoch is a [`Stamp`], a number that is unique in the whole search rather than a clock
//! of its thread. Stamps of one thread grow, so a vector clock can hold them, and a record with a stamp of an earlier
//! run is recognised as out of date, so nothing has to be cleared between runs. A thread gets a new stamp at each of
//! its events, so a stamp also determines when in the trace something happened ([`C11::moment`]).

mod holders;
mod releases;
mod saved;

pub use holders::{Holder, Holders, includes};
pub use saved::SavedC11;

use self::releases::{NONE, Released};
use crate::event::{Acquires, ByteRange, EventIndex, MAX_THREADS, MemoryOrder, Object, Releases, ThreadId};
use crate::table::Table;
use alloc::vec;
use alloc::vec::Vec;

/// A step of a thread in a run: a growing number in the high bits, the thread in the low ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(transparent)]
pub struct Stamp(pub u64);

const THREAD_BITS: u32 = MAX_THREADS.trailing_zeros();
const _: () = assert!(1 << THREAD_BITS == MAX_THREADS);

/// The first counter. Stamps then have a bit set that makes them, read as floating-point numbers, ordinary positive
/// ones, whose order is that of the integers: see [`join`].
const FIRST: u64 = 1 << (62 - THREAD_BITS);

impl Stamp {
    fn new(counter: u64, thread: ThreadId) -> Self {
        Stamp(counter << THREAD_BITS | u64::from(thread.0))
    }

    /// The thread whose stamp it is.
    pub fn thread(self) -> ThreadId {
        ThreadId::at(self.0 as usize & (MAX_THREADS - 1))
    }
}

/// When in a trace something happened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TracePosition {
    /// It is this event.
    Event(EventIndex),
    /// It is an invisible step of its thread between the thread's last event before this position (or the thread's
    /// beginning) and its next one.
    Between(EventIndex),
}

/// Which of the vector clocks of a thread.
#[derive(Clone, Copy, Debug)]
enum Of {
    /// What happened before its present step.
    Present = 0,
    /// Its present clock as it was at its last release fence. If the thread's own entry is of an earlier run, there was
    /// no release fence in this one.
    Fence = 1,
    /// The clocks of the releases from which its relaxed reads have read: an acquire fence joins it into `Present`.
    Pending = 2,
}

/// How many clocks a thread has.
const KINDS: usize = 3;

/// C11's happens-before of the run in progress.
///
/// Costs: a few ns an event, plus a pass over a clock where the event acquires or releases; a new run constant. Clocks
/// have as many entries as the search has had threads, rounded up to a multiple of four, 8 bytes each.
#[derive(Debug)]
pub struct C11 {
    /// The first counter of this run; no thread has it.
    base: u64,
    next: u64,
    now: [Stamp; MAX_THREADS],
    /// No thread of this run has this number or a higher one.
    known: usize,
    /// In this search there was a fence or a relaxed read, so that the clocks other than [`Of::Present`] are in use.
    relaxed: bool,
    /// Entries of a clock: a multiple of four above the number of any thread so far.
    stride: usize,
    /// Clocks of the threads: for each thread, one of each kind ([`Of`]).
    threads: Vec<u64>,
    places: Table<u64>,
    released: Vec<Released>,
    /// Clocks of `released`.
    clocks: Vec<u64>,
    free: u32,
    /// For each thread, the node that it has put first somewhere last of all; of another thread or granule if that
    /// node was used again since.
    last_of: [u32; MAX_THREADS],
    /// The bytes that the present event has read, if it acquires.
    acquired: Option<ByteRange>,
    objects: Vec<Object>,
    /// For each stamp of the run: twice its position in the trace, plus one if it is an event's own.
    marks: Vec<u32>,
    events: u32,
}

impl C11 {
    /// Before the first run.
    pub fn new() -> Self {
        C11 {
            base: FIRST,
            next: FIRST + 1,
            now: [Stamp(0); MAX_THREADS],
            known: 0,
            relaxed: false,
            stride: 4,
            threads: vec![0; 4 * KINDS * 4],
            places: Table::default(),
            released: Vec::new(),
            clocks: Vec::new(),
            free: NONE,
            last_of: [NONE; MAX_THREADS],
            acquired: None,
            objects: Vec::new(),
            marks: Vec::new(),
            events: 0,
        }
    }

    /// A run begins: main is in its first step and nothing else has happened.
    pub fn begin(&mut self) {
        self.base = self.next;
        self.next += 1;
        self.places.clear();
        self.released.clear();
        self.clocks.clear();
        self.free = NONE;
        self.objects.clear();
        self.marks.clear();
        self.events = 0;
        self.known = 1;
        self.bump(ThreadId::MAIN, 0);
    }

    /// All stamps of this run are above this one, all stamps of earlier runs below.
    pub fn floor(&self) -> Stamp {
        Stamp(self.base << THREAD_BITS)
    }

    /// The stamp of the present step of `thread`.
    #[inline]
    pub fn now(&self, thread: ThreadId) -> Stamp {
        self.now[thread.index() % MAX_THREADS]
    }

    /// Whether the step with this stamp happens before the present step of `thread`, or is that step.
    #[inline]
    pub fn knows(&self, thread: ThreadId, stamp: Stamp) -> bool {
        self.threads[self.of(thread, Of::Present) + stamp.thread().index()] >= stamp.0
    }

    /// How many events there have been.
    pub fn events(&self) -> u32 {
        self.events
    }

    /// When in the trace the step with this stamp of the present run happened.
    pub fn moment(&self, stamp: Stamp) -> TracePosition {
        let mark = self.marks[((stamp.0 >> THREAD_BITS) - self.base - 1) as usize];
        let index = EventIndex(mark >> 1);
        if mark & 1 == 1 { TracePosition::Event(index) } else { TracePosition::Between(index) }
    }

    /// Where a clock of a thread begins.
    #[inline]
    fn of(&self, thread: ThreadId, which: Of) -> usize {
        (thread.index() * KINDS + which as usize) * self.stride
    }

    #[inline]
    fn bump(&mut self, thread: ThreadId, mark: u32) {
        let stamp = Stamp::new(self.next, thread);
        self.next += 1;
        self.marks.push(mark);
        self.now[thread.index()] = stamp;
        let own = self.of(thread, Of::Present) + thread.index();
        self.threads[own] = stamp.0;
    }

    /// Makes clocks long enough for a thread with a higher number than any before it in the search.
    #[cold]
    fn widen(&mut self, thread: ThreadId) {
        let (old, new) = (self.stride, (thread.index() + 1).next_multiple_of(4));
        self.threads = stretch(&self.threads, old, new);
        self.threads.resize(new * KINDS * new, 0);
        self.clocks = stretch(&self.clocks, old, new);
        self.stride = new;
    }

    /// First half of an event: gives it a stamp, and joins what it acquires into the clock of its thread.
    #[inline(always)]
    pub fn before(&mut self, thread: ThreadId, acquires: Acquires, enabled_by: Option<EventIndex>) {
        self.bump(thread, self.events << 1 | 1);
        self.acquired = None;
        match acquires {
            Acquires::Nothing => {}
            Acquires::Object(object) => self.acquire_object(thread, object),
            Acquires::Both(one, other) => {
                self.acquire_object(thread, one);
                self.acquire_object(thread, other);
            }
            Acquires::Enabling => {
                let by = enabled_by.expect("an event that another one makes possible");
                self.acquire_object(thread, of_event(by));
            }
            Acquires::Thread(child) => self.learn(self.of(thread, Of::Present), self.of(child, Of::Present)),
            Acquires::Memory(range, order) => self.read(thread, range, order),
        }
    }

    /// Second half of an event: makes available what it releases, and gives its thread the stamp of the step after it.
    #[inline(always)]
    pub fn after(&mut self, thread: ThreadId, releases: Releases) {
        match releases {
            Releases::Nothing => {}
            Releases::Object(object) => self.release_object(thread, object),
            Releases::Enabled { forgets } => {
                self.forget_object(forgets);
                let event_itself = of_event(EventIndex(self.events));
                self.forget_object(event_itself);
                self.release_object(thread, event_itself);
            }
            Releases::Forgets(one, other) => {
                self.forget_object(one);
                other.into_iter().for_each(|other| self.forget_object(other));
            }
            Releases::Thread(child) => self.create(thread, child),
            Releases::Memory { range, order, update } => self.write(thread, range, order, update),
        }
        self.events += 1;
        self.bump(thread, self.events << 1);
    }

    fn create(&mut self, creator: ThreadId, child: ThreadId) {
        if child.index() >= self.stride {
            self.widen(child);
        }
        let from = self.of(creator, Of::Present);
        let to = self.of(child, Of::Present);
        self.threads.copy_within(from..from + self.stride, to);
        if self.relaxed {
            // The clocks there may have entries of this run if it was resumed at an earlier moment.
            self.threads[to + self.stride..to + KINDS * self.stride].fill(0);
        }
        self.known = self.known.max(child.index() + 1);
        self.bump(child, (self.events + 1) << 1);
    }

    /// `thread` executes a fence.
    pub fn fence(&mut self, thread: ThreadId, order: MemoryOrder) {
        self.relaxed = true;
        if order.acquires() {
            self.learn(self.of(thread, Of::Present), self.of(thread, Of::Pending));
        }
        if order.releases() {
            let from = self.of(thread, Of::Present);
            let to = self.of(thread, Of::Fence);
            self.threads.copy_within(from..from + self.stride, to);
            self.bump(thread, self.events << 1);
        }
    }

    /// Joins one clock of a thread into another.
    fn learn(&mut self, into: usize, from: usize) {
        let known = self.known;
        let (low, high) = self.threads.split_at_mut(into.max(from));
        if into < from {
            join(&mut low[into..into + known], &high[..known]);
        } else if from < into {
            join(&mut high[..known], &low[from..from + known]);
        }
    }
}

impl Default for C11 {
    fn default() -> Self {
        C11::new()
    }
}

/// The clocks in `clocks`, which have `old` entries each, with `new` entries each.
fn stretch(clocks: &[u64], old: usize, new: usize) -> Vec<u64> {
    let mut longer = vec![0; clocks.len() / old * new];
    for (to, from) in longer.chunks_exact_mut(new).zip(clocks.chunks_exact(old)) {
        to[..old].copy_from_slice(from);
    }
    longer
}

/// Makes each entry of `into` the larger one of the two entries. Baseline x86-64 has vector instructions that compare
/// 64-bit floating-point numbers, but none for 64-bit integers; entries are zero or have [`FIRST`]'s bit, so the order
/// of both is the same.
fn join(into: &mut [u64], from: &[u64]) {
    for (mine, theirs) in into.iter_mut().zip(from) {
        let (a, b) = (f64::from_bits(*mine), f64::from_bits(*theirs));
        *mine = (if a > b { a } else { b }).to_bits();
    }
}

/// The name under which an event releases to those that it enables: no address of a program.
fn of_event(event: EventIndex) -> Object {
    Object(1 << 62 | u64::from(event.0))
}

/// The 8-byte granules of a range, each with the mask of the bytes in question.
pub fn granules(range: ByteRange) -> impl Iterator<Item = (u64, u8)> {
    let (mut start, end) = (range.start, range.end());
    core::iter::from_fn(move || {
        if start >= end {
            return None;
        }
        let granule = start >> 3;
        let stop = end.min((granule + 1) << 3);
        let mask = (((1u16 << (stop - start)) - 1) << (start & 7)) as u8;
        start = stop;
        Some((granule, mask))
    })
}
