//! Ends a run that computes without end: a loop that passes no visible operation.
//!
//! A timer of the process's own processor time ticks; if many ticks pass in which the engine noted no progress while
//! code of the program was running, the handler makes the thread go on in `engine::on_stuck`. A busy machine is
//! therefore no reason to cut a run.

use super::crash;
use super::elf;
use super::global::Global;
use super::layout::{EMERGENCY_STACK, ENGINE, SERVICE_STACK};
use super::signals::{self, Info, Interrupted, SIGPROF, register};
use super::sys::{self, nr};
use crate::engine;

/// Microseconds between two ticks.
const TICK: u64 = 20_000;

/// Ticks without an end in the guest's own code after which it is taken to hang.
const HANGING: u64 = 100;

struct State {
    limit: u64,
    seen: u64,
    stalled: u64,
}

static PROGRESS: Global<u64> = Global::new(0);
static STATE: Global<State> = Global::new(State { limit: u64::MAX, seen: 0, stalled: 0 });

static INTERRUPTED_AT: Global<u64> = Global::new(0);

/// Where the program was when `engine::on_stuck` was called.
pub fn interrupted_at() -> u64 {
    INTERRUPTED_AT.read()
}

/// Notes that the run gets on: at every visible operation and at the start of a run.
#[inline(always)]
pub fn note_progress() {
    // SAFETY: one OS thread; the handler only reads.
    unsafe { *PROGRESS.as_ptr() = PROGRESS.read().wrapping_add(1) };
}

/// Ends runs that make no progress for this many milliseconds of processor time. Again in each forked child.
pub fn start(milliseconds: u64) {
    const ITIMER_PROF: u64 = 2;
    const SA_RESTART: u64 = 0x1000_0000;
    // SAFETY: no other borrow: the timer does not run yet, or its handler is not active now.
    let state = unsafe { STATE.get() };
    state.limit = (milliseconds * 1000).div_ceil(TICK).max(1);
    state.stalled = 0;
    signals::handle(SIGPROF, tick, SA_RESTART);
    let interval = [0, TICK, 0, TICK];
    // SAFETY: the kernel reads the interval.
    unsafe { sys::call3(nr::__NR_setitimer, ITIMER_PROF, interval.as_ptr() as u64, 0) };
}

extern "C" fn tick(_signal: i32, _info: &mut Info, interrupted: &mut Interrupted) {
    // SAFETY: the only other borrow is in `start`, before the timer runs.
    let state = unsafe { STATE.get() };
    let progress = PROGRESS.read();
    let in_engine = ENGINE.contains(interrupted.registers[register::RSP]);
    if progress != state.seen || in_engine {
        state.seen = progress;
        state.stalled = 0;
        return;
    }
    state.stalled += 1;
    if state.stalled < state.limit {
        return;
    }
    // Inside the guest's own code its tables may be half written; the next ticks will find the program elsewhere.
    if elf::image_text().contains(interrupted.registers[register::RIP]) {
        if state.stalled >= state.limit + HANGING {
            crash::go_on(interrupted, EMERGENCY_STACK, hanging);
        }
    } else {
        state.stalled = 0;
        INTERRUPTED_AT.write(interrupted.registers[register::RIP]);
        crash::go_on(interrupted, SERVICE_STACK, stuck);
    }
}

/// The guest's code does not come to an end where it serves the program.
extern "C" fn hanging() -> ! {
    engine::on_tool_error("the engine makes no progress (its memory may have been overwritten)")
}

extern "C" fn stuck() -> ! {
    engine::on_stuck()
}
