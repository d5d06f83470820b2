//! What of the hash of a state is kept until the next one is told.
//!
//! Between two states a thread writes
//! - what its operations name, which is in the trace;
//! - to its own stack, of which its frame records tell what matters: read again if the thread has arrived since;
//! - elsewhere, without an operation: then the program has set its flag before (`instrument/pass/src/frames/unannounced.rs`),
//!   or the call that the thread stood in is not one of those that are known to be *quiet*, or the engine has done it.
//!
//! In the last case, and when a run begins or goes on from a checkpoint, all memory is looked at, and all stacks; without a
//! flag (programs whose records tell deltas) always. Now and then what is kept is compared with what is there.

use crate::platform::{Global, fiber};
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};
use inspect_core::event::{ByteRange, Event, MAX_THREADS, Operation, ThreadId, ThreadSet};
use inspect_core::run::StateKey;

/// Where the program sets its flag, or 0.
static FLAG: Global<u64> = Global::new(0);

/// So many times at first, and so often later, what is kept is compared with what is there.
const CHECKS: (u64, u64) = (256, 64);

/// More written ranges than this are not worth remembering.
const MOST: usize = 64;

/// The program's flag is here.
pub(super) fn announce(flag: u64) {
    FLAG.write(flag);
}

fn flag() -> Option<&'static AtomicU8> {
    let address = FLAG.read();
    // SAFETY: a byte of the program, for good; one OS thread.
    (address != 0).then(|| unsafe { AtomicU8::from_ptr(address as *mut u8) })
}

/// Whether the program has set its flag, or has none.
fn is_set() -> bool {
    flag().is_none_or(|flag| flag.load(Relaxed) != 0)
}

/// Clears the flag: it is part of memory, and says nothing of the state.
pub(super) fn clear() {
    if let Some(flag) = flag() {
        flag.store(0, Relaxed);
    }
}

/// What is known of the state told last, and what has changed since.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Where each thread stands.
    pub(super) stands: [StateKey; MAX_THREADS],
    /// Of these threads that is not known.
    stale: ThreadSet,
    /// Anything may have changed.
    all: bool,
    /// Events of the run taken into account.
    seen: usize,
    ranges: [ByteRange; MOST],
    count: usize,
    /// How many times something was kept.
    times: u64,
}

impl Kept {
    pub(crate) const NOTHING: Kept = Kept {
        stands: [0; MAX_THREADS],
        stale: ThreadSet::EMPTY,
        all: true,
        seen: 0,
        ranges: [ByteRange { start: 0, len: 0 }; MOST],
        count: 0,
        times: 0,
    };

    /// Anything may change.
    pub(crate) fn doubt(&mut self) {
        self.all = true;
    }

    /// A thread has arrived, from a call that was `quiet` or not.
    pub(super) fn arrived(&mut self, thread: ThreadId, quiet: bool, events: &[Event]) {
        self.stale.insert(thread);
        self.all |= !quiet;
        if !self.all {
            for event in &events[self.seen..] {
                self.take_in(&event.operation);
            }
        }
        self.seen = events.len();
    }

    fn take_in(&mut self, operation: &Operation) {
        if let Some(range) = operation.may_write() {
            self.wrote(range);
        }
    }

    /// Somebody writes there.
    pub(super) fn wrote(&mut self, range: ByteRange) {
        let last = range.start + u64::from(range.len).saturating_sub(1);
        let slots = [fiber::slot_of_address(range.start), fiber::slot_of_address(last)];
        slots.into_iter().flatten().for_each(|slot| self.stale.insert(ThreadId(slot as u8)));
        if range.len == u32::MAX || self.count == MOST {
            self.all = true;
        } else if let Some(place) = self.ranges.get_mut(self.count) {
            *place = range;
            self.count += 1;
        }
    }

    /// Whether all memory has to be looked at. The program's flag counts from now on.
    pub(super) fn needs_all(&mut self) -> bool {
        self.all |= is_set();
        self.all
    }

    /// The threads whose stands have to be taken anew.
    pub(super) fn stale(&self, live: ThreadSet) -> ThreadSet {
        if self.all { live } else { live.intersection(self.stale) }
    }

    /// Whether what is kept is to be compared with what is there, this time.
    pub(super) fn is_to_be_checked(&mut self) -> bool {
        self.times += 1;
        self.times <= CHECKS.0 || self.times.is_multiple_of(CHECKS.1)
    }

    /// What was written since, if not all memory has to be looked at.
    pub(super) fn ranges(&self) -> Option<&[ByteRange]> {
        (!self.all).then(|| &self.ranges[..self.count])
    }

    /// The state is told.
    pub(super) fn told(&mut self) {
        self.all = false;
        self.stale = ThreadSet::EMPTY;
        self.count = 0;
    }
}
