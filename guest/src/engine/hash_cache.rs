//! What is known of the hash of the state recorded last, so that the next state's hash need not be computed from all of
//! memory.
//!
//! Between two states a thread writes
//! - what its operations name, which is in the trace;
//! - to its own stack, whose live part is in its frame records: these are hashed again if the thread has arrived since;
//! - elsewhere, where a hook announces the range ([`HashCache::wrote`]);
//! - elsewhere, unannounced: then the program has set its flag before (`instrument/pass/src/frames/unannounced.rs`), or
//!   the call that the thread stood in is not *quiet*. A quiet call is known to write only to what its operation names.
//!
//! In the last case, and when a run begins, all memory and all frame records are hashed again; in a program without a
//! flag (one that was built for deltas) for every state. Some cached hashes are compared with a hash of all
//! memory.
//!
//! A run that goes on from a checkpoint finds memory as it was at the checkpoint, but the cache belongs to the state
//! recorded last, usually at a later moment of the run before. The ranges written between the two are hashed again,
//! unless there may have been an unannounced write between them: then all memory is.

use super::run_data::RunData;
use crate::platform::{Global, fiber};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use inspect_core::event::{ByteRange, Event, MAX_THREADS, Operation, ThreadId, ThreadSet};
use inspect_core::run::Run;

/// Where the program sets its flag, or 0.
static FLAG: Global<u64> = Global::new(0);

/// The first 256 hashes computed from the cache, and later one in 64, are compared with a hash of all memory.
const CHECKS: (u64, u64) = (256, 64);

/// With more written ranges than this between two states, or after a checkpoint, all memory is hashed again.
const MOST: usize = 64;

const EVERYONE: ThreadSet = ThreadSet::ALL;

/// A run remembers no more ranges than this; beyond it all memory is hashed for every state.
const LONGEST: usize = 1 << 20;

/// Notes where the program's flag is; 0 if it has none.
pub(super) fn announce(flag: u64) {
    FLAG.write(flag);
}

fn flag() -> Option<&'static AtomicU8> {
    let address = FLAG.read();
    // SAFETY: the program announced the address of a byte variable with static storage; there is one OS thread.
    (address != 0).then(|| unsafe { AtomicU8::from_ptr(address as *mut u8) })
}

/// Whether the program has set its flag, or has none. Clears the flag: it is part of memory and must not distinguish
/// states.
pub(super) fn take_flag() -> bool {
    let Some(flag) = flag() else { return true };
    let set = flag.load(Relaxed) != 0;
    if set {
        flag.store(0, Relaxed);
    }
    set
}

/// What is known of the state recorded last, and what has changed since.
#[derive(Debug)]
pub(crate) struct HashCache {
    /// A hash of each thread's local state.
    pub(super) local_states: [[u64; 2]; MAX_THREADS],
    /// The threads whose local states have to be hashed again.
    stale: ThreadSet,
    /// Memory may have changed outside of `written`.
    all: bool,
    /// How many events of the run are accounted for in `written`.
    seen: usize,
    /// What the run has written, as far as it was announced.
    written: Vec<ByteRange>,
    /// How many of these ranges were written before the state was recorded.
    recorded: usize,
    /// What the run before wrote after the checkpoint from which this run goes on, until the state was recorded.
    undone: Vec<ByteRange>,
    /// How many times in this run something may have been written that is not in `written`; and how many of these were
    /// before the state was recorded.
    doubts: [u64; 2],
    /// How many states were recorded.
    states: u64,
    /// How many hashes were computed from the cache.
    uses: u64,
}

/// What a checkpoint holds of the cache.
#[derive(Debug, Default)]
pub(crate) struct SavedHashCache {
    local_states: Vec<[u64; 2]>,
    stale: ThreadSet,
    all: bool,
    seen: usize,
    written: usize,
    doubts: u64,
    states: u64,
}

impl HashCache {
    /// No state was recorded: all memory has to be hashed.
    pub(crate) const NOTHING: HashCache = HashCache {
        local_states: [[0; 2]; MAX_THREADS],
        stale: EVERYONE,
        all: true,
        seen: 0,
        written: Vec::new(),
        recorded: 0,
        undone: Vec::new(),
        doubts: [0; 2],
        states: 0,
        uses: 0,
    };

    /// Something may have been written that is not in `written`.
    fn doubt(&mut self) {
        self.all = true;
        self.stale = EVERYONE;
        self.doubts[0] += 1;
    }

    /// A thread has arrived, from a call that was `quiet` or not.
    pub(super) fn arrived(&mut self, thread: ThreadId, quiet: bool, events: &[Event]) {
        self.stale.insert(thread);
        if !quiet {
            self.doubt();
        }
        let operations = events[self.seen..].iter().map(|event| &event.operation);
        operations.filter_map(Operation::may_write).for_each(|range| self.wrote(range));
        self.seen = events.len();
    }

    /// A thread writes to the range.
    pub(super) fn wrote(&mut self, range: ByteRange) {
        let last = range.start + u64::from(range.len).saturating_sub(1);
        let slots = [fiber::slot_of_address(range.start), fiber::slot_of_address(last)];
        slots.into_iter().flatten().for_each(|slot| self.stale.insert(ThreadId::at(slot)));
        if range.len == u32::MAX || self.written.len() >= LONGEST.min(self.recorded + MOST) {
            self.doubt();
        } else {
            self.written.push(range);
        }
    }

    /// Takes in whether the program has set its flag, or has none.
    fn heed_flag(&mut self) {
        if take_flag() {
            self.doubt();
        }
    }

    /// Whether all memory has to be hashed again.
    pub(super) fn needs_all(&mut self) -> bool {
        self.heed_flag();
        self.all |= self.undone.len() > MOST;
        self.all
    }

    /// The threads whose local states have to be hashed again.
    pub(super) fn stale(&self, live: ThreadSet) -> ThreadSet {
        live.intersection(self.stale)
    }

    /// Whether the cached hash is to be compared with one of all memory, this time.
    pub(super) fn is_to_be_checked(&mut self) -> bool {
        self.uses += 1;
        self.uses <= CHECKS.0 || self.uses.is_multiple_of(CHECKS.1)
    }

    /// Where memory may differ from the state recorded last; None if all of it has to be hashed again.
    pub(super) fn ranges(&self) -> Option<impl Iterator<Item = &ByteRange> + Clone> {
        (!self.all).then(|| self.undone.iter().chain(&self.written[self.recorded..]))
    }

    /// The present state is recorded.
    pub(super) fn record(&mut self) {
        self.all = false;
        self.stale = ThreadSet::EMPTY;
        self.recorded = self.written.len();
        self.undone.clear();
        self.doubts[1] = self.doubts[0];
        self.states += 1;
    }
}

impl RunData for HashCache {
    type Saved = SavedHashCache;
    type Left = ();

    fn begin(&mut self, _run: &Run) {
        self.written.clear();
        self.undone.clear();
        (self.seen, self.recorded, self.doubts) = (0, 0, [0; 2]);
        self.doubt();
    }

    /// Called before memory is copied: this clears the program's flag, which is part of memory.
    fn save(&mut self, run: &Run, saved: &mut SavedHashCache) -> bool {
        self.heed_flag();
        saved.local_states.clear();
        saved.local_states.extend_from_slice(&self.local_states[..run.paths().len()]);
        (saved.stale, saved.all, saved.seen) = (self.stale, self.all, self.seen);
        (saved.written, saved.doubts, saved.states) = (self.written.len(), self.doubts[0], self.states);
        true
    }

    fn restore(&mut self, _run: &Run, saved: &SavedHashCache) {
        self.local_states[..saved.local_states.len()].copy_from_slice(&saved.local_states);
        (self.stale, self.all, self.seen) = (saved.stale, saved.all, saved.seen);
        if self.states != saved.states {
            // The state was recorded after the checkpoint. What was written after the state is in no cached hash.
            self.written.truncate(self.recorded.max(saved.written));
            self.undone.extend(self.written.drain(saved.written..));
            self.recorded = self.recorded.min(saved.written);
            self.all = self.doubts[1] != saved.doubts;
        }
        self.written.truncate(saved.written);
        self.doubts[0] = saved.doubts;
    }

    /// A child makes one run, and no search that compares states uses children.
    fn leave(&mut self) {}

    fn adopt(&mut self, (): ()) {}
}
