//! The program's random numbers: what one thread draws depends on the seed and on what it has drawn before.

use super::global::Global;

use alloc::boxed::Box;
use inspect_core::event::MAX_THREADS;

/// What the threads have drawn. Part of the state of a run.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    /// How far the state of each slot's numbers is from its first one.
    distances: [u64; MAX_THREADS],
    /// Whether any thread has drawn a number.
    any: bool,
}

const START: Drawn = Drawn { distances: [0; MAX_THREADS], any: false };

static DRAWN: Global<Drawn> = Global::new(START);
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
    let drawn = unsafe { DRAWN.get() };
    drawn.any = true;
    let distance = &mut drawn.distances[slot];
    *distance = distance.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = first(slot).wrapping_add(*distance);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

fn any() -> bool {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    unsafe { DRAWN.get().any }
}

/// A run begins: no thread has drawn a number.
pub(super) fn reset() {
    if any() {
        DRAWN.write(START);
    }
}

/// What the threads have drawn, for a checkpoint. None if that is nothing.
pub(super) fn save() -> Option<Box<Drawn>> {
    any().then(|| Box::new(DRAWN.read()))
}

/// Brings back what [`save`] returned.
pub(super) fn load(saved: Option<&Drawn>) {
    match saved {
        Some(saved) => DRAWN.write(*saved),
        None => reset(),
    }
}

/// A hash of what the first `slots` threads have drawn.
pub(super) fn hash(slots: usize, start: u64) -> u64 {
    // SAFETY: a read-only use that ends here.
    let drawn = unsafe { &*DRAWN.as_ptr() };
    let distances = &drawn.distances[..slots];
    if distances.iter().all(|&distance| distance == 0) {
        return start;
    }
    distances
        .iter()
        .fold(start, |hash, &distance| hash.rotate_left(23).wrapping_add(distance).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
