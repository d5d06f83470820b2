//! The canonical form of a Mazurkiewicz trace: equal for two runs if and only if they differ by swapping adjacent
//! independent transitions (up to collisions of a 128-bit hash).
//!
//! Written for clarity, not speed, and independent of the clocks that the algorithms keep: each event is hashed with
//! its operation, its choice and the hashes of all events before it that it depends on; the trace is the sequence of
//! these hashes thread by thread, with the pending operations and the ending.

use crate::event::{EventIndex, MAX_THREADS, ThreadId, Trace, dependent};
use crate::hash::Hasher128;
use alloc::vec::Vec;
use core::hash::Hash;

/// A canonical form, hashed.
pub type Fingerprint = u128;

/// The canonical form of a run's trace.
pub fn fingerprint(trace: &Trace) -> Fingerprint {
    let events = event_hashes(trace);
    let mut whole = Hasher128::default();
    for thread in (0..MAX_THREADS).map(ThreadId::at) {
        let own = trace.events.iter().zip(&events).filter(|(event, _)| event.thread == thread);
        for (_, hash) in own {
            (thread, hash).hash(&mut whole);
        }
    }
    for pending in &trace.pending {
        (pending.thread, pending.operation, pending.status as u8).hash(&mut whole);
        enabling(&events, pending.enabled_by).hash(&mut whole);
    }
    core::mem::discriminant(&trace.ending).hash(&mut whole);
    whole.key()
}

fn enabling(hashes: &[u128], by: Option<EventIndex>) -> Option<u128> {
    by.map(|index| hashes[index.index()])
}

fn event_hashes(trace: &Trace) -> Vec<u128> {
    let mut hashes: Vec<u128> = Vec::new();
    for (at, event) in trace.events.iter().enumerate() {
        let mut hasher = Hasher128::default();
        (event.thread, event.operation, event.choice).hash(&mut hasher);
        enabling(&hashes, event.enabled_by).hash(&mut hasher);
        let mut before: Vec<u128> = (0..at)
            .filter(|&i| {
                let other = &trace.events[i];
                other.thread == event.thread || dependent(&other.operation, &event.operation)
            })
            .map(|i| hashes[i])
            .collect();
        before.sort_unstable();
        before.hash(&mut hasher);
        hashes.push(hasher.key());
    }
    hashes
}
