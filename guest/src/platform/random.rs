//! The program's random numbers: what one thread draws depends on the seed and on what it has drawn before.

use super::global::Global;
use inspect_core::event::MAX_THREADS;

/// The state of each slot's numbers.
static STATES: Global<[u64; MAX_THREADS]> = Global::new([0; MAX_THREADS]);
static SEED: Global<u64> = Global::new(0);

/// Sets the seed of the program's random numbers.
pub fn set_seed(seed: u64) {
    SEED.write(seed);
}

fn first(slot: usize) -> u64 {
    const APART: u64 = 0xd1b5_4a32_d192_ed03;
    SEED.read().wrapping_add(APART.wrapping_mul(slot as u64))
}

/// The next number of a slot; splitmix64.
pub(super) fn draw(slot: usize) -> u64 {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let state = unsafe { &mut STATES.get()[slot] };
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = *state;
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// A run begins: no thread has drawn a number.
pub(super) fn reset() {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let states = unsafe { STATES.get() };
    for (slot, state) in states.iter_mut().enumerate() {
        *state = first(slot);
    }
}

/// The states of all slots, for a checkpoint.
pub(super) fn save() -> [u64; MAX_THREADS] {
    STATES.read()
}

/// Brings the states of all slots back to those of a checkpoint.
pub(super) fn load(states: &[u64; MAX_THREADS]) {
    STATES.write(*states);
}

/// A hash of what the first `slots` threads have drawn.
pub(super) fn drawn(slots: usize, start: u64) -> u64 {
    // SAFETY: a read-only use that ends here.
    let states = unsafe { &*STATES.as_ptr() };
    states[..slots].iter().enumerate().fold(start, |hash, (slot, &state)| {
        let drawn = state.wrapping_sub(first(slot));
        hash.rotate_left(23).wrapping_add(drawn).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}
