//! Sleeping and yielding. Time is virtual: a sleep only moves the thread's clock, as any other thread may run at any
//! operation anyway.

use super::error::{EINTR, EINVAL, EOPNOTSUPP};
use super::{cancel, export, real, signal};
use crate::engine::site::of_call;
use crate::engine::{note_sleep, unmodelled};
use crate::hooks::{argument_read, argument_write};
use crate::platform::clock::{self, TimeSpec};
use crate::platform::{program, started};

export! {
    interpose_sleep / 1 => sleep;
    interpose_usleep / 1 => usleep;
    interpose_nanosleep / 2 => nanosleep;
    interpose_clock_nanosleep / 4 => clock_nanosleep;
    interpose_thrd_sleep / 2 => c11_sleep;
    interpose_sched_yield / 0 => sched_yield;
    interpose_pthread_yield / 0 => sched_yield;
    interpose_thrd_yield / 0 => sched_yield;
}

const SECOND: u64 = 1_000_000_000;

/// `CLOCK_REALTIME`, which timed waits use unless another clock is given.
pub(super) const REALTIME: u64 = 0;

/// Whether a wait may use this clock: `CLOCK_REALTIME` or `CLOCK_MONOTONIC`.
pub(super) fn is_wait_clock(clock: i32) -> bool {
    const MONOTONIC: i32 = 1;
    clock == REALTIME as i32 || clock == MONOTONIC
}

pub(super) fn read_time(at: u64) -> TimeSpec {
    // SAFETY: the program passes a time; if not, it faults here as it would there.
    unsafe { (at as *const TimeSpec).read_unaligned() }
}

/// Whether the time at this address is one: a count of nanoseconds below a second.
pub(super) fn is_valid_time(at: u64) -> bool {
    (0..SECOND as i64).contains(&read_time(at).fraction)
}

/// A timed wait has expired: on the thread's own clock it is at least that time now.
pub(super) fn advance_to(clock: u64, until: u64) {
    let Some(until) = read_time(until).nanoseconds() else { return };
    if let Some(now) = clock::read(clock)
        && until > now
    {
        clock::advance(until - now);
    }
}

/// A sleep is a cancellation point. A request that comes while the thread sleeps comes before the thread looks; so does
/// a signal, after whose handler the sleep is over, with nothing of it passed. Returns whether it is.
pub(super) fn pass(nanoseconds: u64, pc: u64) -> bool {
    let site = of_call(pc);
    cancel::point(site);
    let interrupted = signal::interrupts(false, site);
    if !interrupted {
        clock::advance(nanoseconds);
    }
    note_sleep(site);
    interrupted
}

/// Gives what is left of a sleep that was interrupted, which is all of it.
fn give_rest(length: u64, rest: u64, pc: u64) {
    if rest != 0 {
        argument_write(rest, 16, of_call(pc));
        // SAFETY: the program's variable for a time.
        unsafe { (rest as *mut TimeSpec).write_unaligned(read_time(length)) };
    }
}

extern "C" fn sleep(seconds: u32, pc: u64) -> u32 {
    if !started() {
        return real!("sleep" as fn(u32) -> u32)(seconds);
    }
    if pass(u64::from(seconds) * SECOND, pc) { seconds } else { 0 }
}

extern "C" fn usleep(microseconds: u32, pc: u64) -> i32 {
    if !started() {
        return real!("usleep" as fn(u32) -> i32)(microseconds);
    }
    if pass(u64::from(microseconds) * 1000, pc) { signal::fail(EINTR) } else { 0 }
}

extern "C" fn nanosleep(length: u64, rest: u64, pc: u64) -> i32 {
    if !started() {
        return real!("nanosleep" as fn(u64, u64) -> i32)(length, rest);
    }
    argument_read(length, 16, of_call(pc));
    let Some(time) = read_time(length).nanoseconds() else {
        program::set_errno(EINVAL as u32);
        return -1;
    };
    if pass(time, pc) {
        give_rest(length, rest, pc);
        return signal::fail(EINTR);
    }
    0
}

extern "C" fn clock_nanosleep(clock: i32, flags: i32, length: u64, rest: u64, pc: u64) -> i32 {
    const ABSOLUTE: i32 = 1;
    if !started() {
        return real!("clock_nanosleep" as fn(i32, i32, u64, u64) -> i32)(clock, flags, length, rest);
    }
    match clock {
        // Realtime, monotonic, of the process, since the system's start, and of international atomic time.
        0..=2 | 7 | 11 => {}
        4..=6 => return EOPNOTSUPP,
        8 | 9 | ..0 => {
            unmodelled("clock_nanosleep with a clock that wakes the system, or of another process", of_call(pc))
        }
        _ => return EINVAL,
    }
    argument_read(length, 16, of_call(pc));
    let Some(time) = read_time(length).nanoseconds() else { return EINVAL };
    if flags & ABSOLUTE != 0 {
        cancel::point(of_call(pc));
        if signal::interrupts(false, of_call(pc)) {
            return EINTR;
        }
        advance_to(clock as u64, length);
        note_sleep(of_call(pc));
    } else if pass(time, pc) {
        give_rest(length, rest, pc);
        return EINTR;
    }
    0
}

extern "C" fn c11_sleep(length: u64, rest: u64, pc: u64) -> i32 {
    if !started() {
        return real!("thrd_sleep" as fn(u64, u64) -> i32)(length, rest);
    }
    match clock_nanosleep(REALTIME as i32, 0, length, rest, pc) {
        0 => 0,
        EINTR => -1,
        _ => -2,
    }
}

/// Fails with an error number: these functions return -1.
pub(super) fn fail_with(error: i32) -> i32 {
    program::set_errno(error as u32);
    -1
}

extern "C" fn sched_yield(pc: u64) -> i32 {
    if !started() {
        return real!("sched_yield" as fn() -> i32)();
    }
    note_sleep(of_call(pc));
    0
}
