//! What of the hash of a state is kept until the next one is told.
//!
//! Between two states a thread writes
//! - what its operations name, which is in the trace;
//! - to its own stack, of which its frame records tell what matters: read again if the thread has arrived since;
//! - elsewhere, without an operation: then the program has set its flag before (`instrument/pass/src/frames/unannounced.rs`),
//!   or the call that the thread stood in is not one of those that are known to be *quiet*, or the engine has done it.
//!
//! In the last case, and when a run begins, all memory is looked at, and all stacks; without a flag (programs whose records
//! tell deltas) always. Now and then what is kept is compared with what is there.
//!
//! A run that goes on from a checkpoint finds memory as it was there, and what is kept is of the state told last, mostly
//! later in the run before. All that was written between the two is in a list, unless something else may have written, too;
//! then all memory is looked at.

use crate::platform::{Global, fiber};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use inspect_core::event::{ByteRange, Event, MAX_THREADS, Operation, ThreadId, ThreadSet};
use inspect_core::run::StateKey;

/// Where the program sets its flag, or 0.
static FLAG: Global<u64> = Global::new(0);

/// So many times at first, and so often later, what is kept is compared with what is there.
const CHECKS: (u64, u64) = (256, 64);

/// More written ranges than this between two states, or after a checkpoint, are not worth looking at one by one.
const MOST: usize = 64;

const EVERYONE: ThreadSet = ThreadSet(u64::MAX);

/// A run remembers no more ranges than this; beyond it all memory is looked at.
const LONGEST: usize = 1 << 20;

/// The program's flag is here.
pub(super) fn announce(flag: u64) {
    FLAG.write(flag);
}

fn flag() -> Option<&'static AtomicU8> {
    let address = FLAG.read();
    // SAFETY: a byte of the program, for good; one OS thread.
    (address != 0).then(|| unsafe { AtomicU8::from_ptr(address as *mut u8) })
}

/// Whether the program has set its flag, or has none. It counts from now on: it is part of memory, and says nothing of the
/// state.
pub(super) fn take_flag() -> bool {
    let Some(flag) = flag() else { return true };
    let set = flag.load(Relaxed) != 0;
    if set {
        flag.store(0, Relaxed);
    }
    set
}

/// What is known of the state told last, and what has changed since.
#[derive(Debug)]
pub(crate) struct HashCache {
    /// Where each thread local_states.
    pub(super) local_states: [StateKey; MAX_THREADS],
    /// Of these threads that is not known.
    stale: ThreadSet,
    /// All memory may have changed.
    all: bool,
    /// Events of the run taken into account.
    seen: usize,
    /// What the run has written.
    written: Vec<ByteRange>,
    /// So many of them before the state was told.
    told: usize,
    /// What was written after the checkpoint from which the run goes on, and before a state that was told then.
    undone: Vec<ByteRange>,
    /// How many times in this run something may have been written that is not in the list; and of these before the state
    /// was told.
    doubts: [u64; 2],
    /// How many states were told.
    states: u64,
    /// How many times something was kept.
    times: u64,
}

/// What a checkpoint holds of it.
#[derive(Debug, Default)]
pub(super) struct Moment {
    local_states: Vec<StateKey>,
    stale: ThreadSet,
    all: bool,
    seen: usize,
    written: usize,
    doubts: u64,
    states: u64,
}

impl HashCache {
    pub(crate) const NOTHING: HashCache = HashCache {
        local_states: [0; MAX_THREADS],
        stale: EVERYONE,
        all: true,
        seen: 0,
        written: Vec::new(),
        told: 0,
        undone: Vec::new(),
        doubts: [0; 2],
        states: 0,
        times: 0,
    };

    /// A run begins.
    pub(super) fn begin(&mut self) {
        self.written.clear();
        self.undone.clear();
        (self.seen, self.told, self.doubts) = (0, 0, [0; 2]);
        self.doubt();
    }

    /// Something may have been written that is not in the list.
    fn doubt(&mut self) {
        self.all = true;
        self.stale = EVERYONE;
        self.doubts[0] += 1;
    }

    /// A checkpoint is taken of this moment, with so many threads. Before memory is copied, as the program's flag is part
    /// of it.
    pub(super) fn save(&mut self, used: usize, moment: &mut Moment) {
        self.heed_flag();
        moment.local_states.clear();
        moment.local_states.extend_from_slice(&self.local_states[..used]);
        (moment.stale, moment.all, moment.seen) = (self.stale, self.all, self.seen);
        (moment.written, moment.doubts, moment.states) = (self.written.len(), self.doubts[0], self.states);
    }

    /// The run goes on from a checkpoint of itself: memory is as it was at that moment.
    pub(super) fn resume(&mut self, moment: &Moment) {
        self.local_states[..moment.local_states.len()].copy_from_slice(&moment.local_states);
        (self.stale, self.all, self.seen) = (moment.stale, moment.all, moment.seen);
        if self.states != moment.states {
            // What is kept is of a state after that moment. What was written later than that state, no hash knows of.
            self.written.truncate(self.told.max(moment.written));
            self.undone.extend(self.written.drain(moment.written..));
            self.told = self.told.min(moment.written);
            self.all = self.doubts[1] != moment.doubts;
        }
        self.written.truncate(moment.written);
        self.doubts[0] = moment.doubts;
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

    /// Somebody writes there.
    pub(super) fn wrote(&mut self, range: ByteRange) {
        let last = range.start + u64::from(range.len).saturating_sub(1);
        let slots = [fiber::slot_of_address(range.start), fiber::slot_of_address(last)];
        slots.into_iter().flatten().for_each(|slot| self.stale.insert(ThreadId(slot as u8)));
        if range.len == u32::MAX || self.written.len() >= LONGEST.min(self.told + MOST) {
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

    /// Whether all memory has to be looked at.
    pub(super) fn needs_all(&mut self) -> bool {
        self.heed_flag();
        self.all |= self.undone.len() > MOST;
        self.all
    }

    /// The threads whose local_states have to be taken anew.
    pub(super) fn stale(&self, live: ThreadSet) -> ThreadSet {
        live.intersection(self.stale)
    }

    /// Whether what is kept is to be compared with what is there, this time.
    pub(super) fn is_to_be_checked(&mut self) -> bool {
        self.times += 1;
        self.times <= CHECKS.0 || self.times.is_multiple_of(CHECKS.1)
    }

    /// What differs from the state told last, if not all memory has to be looked at.
    pub(super) fn ranges(&self) -> Option<impl Iterator<Item = &ByteRange> + Clone> {
        (!self.all).then(|| self.undone.iter().chain(&self.written[self.told..]))
    }

    /// The state is told.
    pub(super) fn told(&mut self) {
        self.all = false;
        self.stale = ThreadSet::EMPTY;
        self.told = self.written.len();
        self.undone.clear();
        self.doubts[1] = self.doubts[0];
        self.states += 1;
    }
}
