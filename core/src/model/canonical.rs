//! The canonical form of a Mazurkiewicz trace: equal for two runs if and only if they differ by swapping adjacent
//! independent transitions (up to collisions of a 128-bit hash).
//!
//! Written for clarity, not speed, and independent of the clocks that the algorithms keep: each event is hashed with
//! its operation, its choice and the hashes of all events before it that it depends on; the trace is the sequence of
//! these hashes thread by thread, with the pending operations and the ending.

use crate::event::{EventIndex, ThreadId, Trace, dependent};
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// A canonical form, hashed.
pub type Fingerprint = u128;

/// Two FNV-like lanes with different multipliers.
struct Lanes(u64, u64);

impl Hasher for Lanes {
    fn finish(&self) -> u64 {
        self.0 ^ self.1.rotate_left(32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
            self.1 = (self.1.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }
}

impl Lanes {
    fn new() -> Self {
        Lanes(0xCBF2_9CE4_8422_2325, 0x1234_5678_9ABC_DEF1)
    }

    fn both(&self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1 ^ self.1 >> 29)
    }
}

/// The canonical form of the trace a run left.
pub fn fingerprint(trace: &Trace) -> Fingerprint {
    let events = event_hashes(trace);
    let mut whole = Lanes::new();
    for thread in 0..=u8::MAX {
        let thread = ThreadId(thread);
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
    whole.both()
}

fn enabling(hashes: &[u128], by: Option<EventIndex>) -> Option<u128> {
    by.map(|index| hashes[index.index()])
}

fn event_hashes(trace: &Trace) -> Vec<u128> {
    let mut hashes: Vec<u128> = Vec::new();
    for (at, event) in trace.events.iter().enumerate() {
        let mut lanes = Lanes::new();
        (event.thread, event.operation, event.choice).hash(&mut lanes);
        enabling(&hashes, event.enabled_by).hash(&mut lanes);
        let mut before: Vec<u128> = (0..at)
            .filter(|&i| {
                let other = &trace.events[i];
                other.thread == event.thread || dependent(&other.operation, &event.operation)
            })
            .map(|i| hashes[i])
            .collect();
        before.sort_unstable();
        before.hash(&mut lanes);
        hashes.push(lanes.both());
    }
    hashes
}
