//! Virtual time.
//!
//! Each thread has its own clock, which moves on by a microsecond at every reading, by more if the thread reads it
//! again and again, and by the length of a sleep: so what a thread reads depends on its own history only. The engine
//! makes a thread's clock follow those of the threads on whose operations its own depend, so that time never runs
//! backwards.
//!
//! A loop that waits and lets time pass in each round is not repeated (S14), so that one number of rounds stands for
//! all. What the clock of its thread shows from then on is one time of many, and so is what clocks show that follow it:
//! a [`ClockTime`] says after which loop it comes.

use super::fiber;
use super::global::Global;
use super::upcalls::upcalls;
use alloc::boxed::Box;
use inspect_core::event::{MAX_THREADS, SiteId};

/// Nanoseconds by which a reading moves the clock on, until a thread has read it often.
const TICK: u64 = 1000;
/// A thread that reads its clock more often than this waits for a time to come: from then on the step doubles after
/// every [`UNTIL_DOUBLED`] further readings, up to some hours.
const OFTEN: u32 = 1000;
const UNTIL_DOUBLED: u32 = 64;
const LARGEST_SHIFT: u32 = 34;
/// Real time at the start of a run: a moment in 2024.
pub(super) const EPOCH: u64 = 1_717_000_000_000_000_000;
/// Time since "boot" at the start of a run.
const UPTIME: u64 = 100_000_000_000_000;

/// What a clock shows.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ClockTime {
    /// Nanoseconds since the start of the run.
    time: u64,
    /// Where time passed in a loop of which only one number of rounds was explored, if it depends on one: the first
    /// such loop.
    after_loop: Option<SiteId>,
}

impl ClockTime {
    /// The start of a run.
    const START: ClockTime = ClockTime { time: 0, after_loop: None };

    /// A moment that comes after both.
    pub fn join(&mut self, other: ClockTime) {
        self.time = self.time.max(other.time);
        self.after_loop = self.after_loop.or(other.after_loop);
    }
}

/// The clocks of all threads. Part of the state of a run.
#[derive(Clone, Copy)]
pub(super) struct VirtualClocks {
    moments: [ClockTime; MAX_THREADS],
    /// How often each of them was read.
    readings: [u32; MAX_THREADS],
    /// Whether any of them has moved on.
    moved: bool,
}

const START: VirtualClocks =
    VirtualClocks { moments: [ClockTime::START; MAX_THREADS], readings: [0; MAX_THREADS], moved: false };

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
    if nanoseconds > 0 {
        upcalls().note_time_passes();
    }
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    let clocks = unsafe { CLOCKS.get() };
    clocks.moved = true;
    let clock = &mut clocks.moments[fiber::current_slot()].time;
    *clock = clock.saturating_add(nanoseconds);
    *clock
}

/// The real time of the running thread, in nanoseconds: what its clock shows, without a reading.
pub(super) fn since_epoch() -> u64 {
    EPOCH + advance(0)
}

/// The clock of `slot` is from now on not behind that of `other`.
pub fn follow(slot: usize, other: usize) {
    if moved() {
        upcalls().before_time_passes();
        bring_to(slot, moment(other));
    }
}

/// Whether any clock has moved on in this run; until then all show the same.
pub fn moved() -> bool {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    unsafe { CLOCKS.get().moved }
}

/// The time of a slot's clock.
pub fn of(slot: usize) -> u64 {
    moment(slot).time
}

/// What a slot's clock shows.
pub fn moment(slot: usize) -> ClockTime {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    unsafe { CLOCKS.get().moments[slot] }
}

/// The clock of `slot` is from now on not behind `moment`.
pub fn bring_to(slot: usize, moment: ClockTime) {
    // SAFETY: one OS thread; no code that runs while the borrow lasts uses this global.
    unsafe { CLOCKS.get().moments[slot].join(moment) };
}

/// The thread in `slot` is in a loop that is not repeated and that lets time pass at this place.
pub fn note_loop(slot: usize, passed_at: SiteId) {
    bring_to(slot, ClockTime { time: 0, after_loop: Some(passed_at) });
}

/// Where time passed in a loop of which only one number of rounds was explored, if the time that the running thread's
/// clock shows comes after such a loop. Asked when the program is shown that time.
pub fn after_loop() -> Option<SiteId> {
    moment(fiber::current_slot()).after_loop
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
