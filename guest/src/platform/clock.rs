//! Virtual time.
//!
//! Each thread has its own clock, which moves on by a microsecond at every reading, by more if the thread reads it
//! again and again, and by the length of a sleep: so what a thread reads depends on its own history only. The engine
//! makes a thread's clock follow those of the threads on whose operations its own depend, so that time never runs
//! backwards.

use super::fiber;
use super::global::Global;
use super::upcalls::upcalls;
use alloc::boxed::Box;
use inspect_core::event::MAX_THREADS;

/// Nanoseconds by which a reading moves the clock on, until a thread has read it often.
const TICK: u64 = 1000;
/// How many readings are not often yet: a thread that reads its clock more often than that waits for a time to come,
/// and the step doubles after every so many further readings, up to some hours.
const OFTEN: u32 = 1000;
const UNTIL_DOUBLED: u32 = 64;
const LARGEST_SHIFT: u32 = 34;
/// Real time at the start of a run: a moment in 2024.
const EPOCH: u64 = 1_717_000_000_000_000_000;
/// Time since "boot" at the start of a run.
const UPTIME: u64 = 100_000_000_000_000;

/// The clocks of all threads. Part of the state of a run.
#[derive(Clone, Copy)]
pub(super) struct VirtualClocks {
    /// Nanoseconds since the start of the run.
    times: [u64; MAX_THREADS],
    /// How often each of them was read.
    readings: [u32; MAX_THREADS],
    /// Whether any of them has moved on.
    moved: bool,
}

const START: VirtualClocks = VirtualClocks { times: [0; MAX_THREADS], readings: [0; MAX_THREADS], moved: false };

static CLOCKS: Global<VirtualClocks> = Global::new(START);

/// Reads the running thread's clock.
pub fn look() -> u64 {
    upcalls().note_changing_input();
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let readings = unsafe { &mut CLOCKS.get().readings[fiber::current_slot()] };
    *readings = readings.saturating_add(1);
    let shift = readings.saturating_sub(OFTEN) / UNTIL_DOUBLED;
    advance(TICK << shift.min(LARGEST_SHIFT))
}

/// Moves the running thread's clock on; returns the new time.
pub fn advance(nanoseconds: u64) -> u64 {
    upcalls().before_time_passes();
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let clocks = unsafe { CLOCKS.get() };
    clocks.moved = true;
    let clock = &mut clocks.times[fiber::current_slot()];
    *clock = clock.saturating_add(nanoseconds);
    *clock
}

/// The clock of `slot` is from now on not behind that of `other`.
pub fn follow(slot: usize, other: usize) {
    if moved() {
        upcalls().before_time_passes();
        bring_to(slot, of(other));
    }
}

/// Whether any clock has moved on in this run; until then all show the same.
pub fn moved() -> bool {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    unsafe { CLOCKS.get().moved }
}

/// A slot's clock.
pub fn of(slot: usize) -> u64 {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    unsafe { CLOCKS.get().times[slot] }
}

/// The clock of `slot` is from now on not behind `time`.
pub fn bring_to(slot: usize, time: u64) {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let clock = unsafe { &mut CLOCKS.get().times[slot] };
    *clock = time.max(*clock);
}

/// The clocks at this moment, for a checkpoint. None if they show the start of a run.
pub(super) fn save() -> Option<Box<VirtualClocks>> {
    moved().then(|| Box::new(CLOCKS.read()))
}

/// Brings the clocks back to what [`save`] returned.
pub(super) fn load(saved: Option<&VirtualClocks>) {
    match saved {
        Some(clocks) => CLOCKS.write(*clocks),
        None => reset(),
    }
}

/// Sets every clock to the start of a run.
pub(super) fn reset() {
    if moved() {
        CLOCKS.write(START);
    }
}

/// The time that a reading of this clock gives, in nanoseconds; None for a clock that does not exist.
pub fn read(clock: u64) -> Option<u64> {
    const REALTIME: [u64; 4] = [0, 5, 8, 11];
    const MONOTONIC: [u64; 5] = [1, 4, 6, 7, 9];
    const CPU: [u64; 2] = [2, 3];
    let now = look();
    if REALTIME.contains(&clock) {
        Some(EPOCH + now)
    } else if MONOTONIC.contains(&clock) {
        Some(UPTIME + now)
    } else if CPU.contains(&clock) || clock as i32 <= -2 {
        // Negative numbers are the CPU clocks of threads and processes.
        Some(now)
    } else {
        None
    }
}

/// A duration or time as the C library passes it.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct TimeSpec {
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds, or microseconds in a `timeval`.
    pub fraction: i64,
}

impl TimeSpec {
    /// From nanoseconds.
    pub fn of(nanoseconds: u64) -> Self {
        TimeSpec { seconds: (nanoseconds / 1_000_000_000) as i64, fraction: (nanoseconds % 1_000_000_000) as i64 }
    }

    /// The duration in nanoseconds; None if it is not valid.
    pub fn nanoseconds(self) -> Option<u64> {
        let valid = self.seconds >= 0 && (0..1_000_000_000).contains(&self.fraction);
        valid.then(|| (self.seconds as u64).saturating_mul(1_000_000_000).saturating_add(self.fraction as u64))
    }
}
