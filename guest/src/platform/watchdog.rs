//! Ends a run that computes without end: a loop that passes no visible operation.
//!
//! A timer of the process's own processor time ticks. If many ticks pass in a run without progress, whether in code of
//! the program or of the hooks that it calls, the engine is asked to observe what the thread accesses
//! ([`super::upcalls::Upcalls::on_stalled`]), and may end the run itself. If it does not, the thread is looked at step
//! by step to see which loop it is in, and then made to go on in [`super::upcalls::Upcalls::on_stuck`]. A busy machine
//! is therefore no reason to cut a run.
//!
//! A run is cut in code of the program only: inside the guest, on whatever stack, the engine's tables may be half
//! written.

use super::child;
use super::crash;
use super::elf;
use super::global::Global;
use super::layout::{EMERGENCY_STACK, ENGINE, ENGINE_STACK, SERVICE_STACK};
use super::link;
use super::signals::{self, Info, Interrupted, SIGPROF, SIGTRAP, register};
use super::sys::{self, nr};
use super::upcalls::upcalls;
use core::sync::atomic::Ordering::Relaxed;

/// Microseconds between two ticks.
const TICK: u64 = 20_000;

/// Ticks in the guest's own code, with no instruction of the program in between, after which the guest is taken to
/// hang.
const HANGING: u64 = 100;

/// Instructions after which the loop that a thread is in counts as known. A step takes some microseconds.
const STEPS: u64 = 20_000;

/// How many ticks may pass until then.
const STEP_TICKS: u64 = 20;

/// The flag of the processor that makes it trap after each instruction.
const TRAP_FLAG: u64 = 1 << 8;

struct State {
    limit: u64,
    seen: u64,
    stalled: u64,
    /// Ticks in the guest's own code since the limit was reached or an instruction of the program was seen.
    in_guest: u64,
    /// The progress at which the last thread was looked at step by step.
    steps_since: u64,
}

/// What is seen of a thread that is run step by step. The instruction at which the timer has interrupted it may be
/// another one in each process; the head of the outermost loop that it is in is the same.
struct Steps {
    left: u64,
    /// The highest stack pointer: the frame of the outermost function that is seen.
    top: u64,
    /// The instruction before, in that frame.
    last: u64,
    /// The lowest instruction in that frame that was jumped back to; `u64::MAX` for none.
    head: u64,
}

static PROGRESS: Global<u64> = Global::new(0);
static STATE: Global<State> =
    Global::new(State { limit: u64::MAX, seen: 0, stalled: 0, in_guest: 0, steps_since: u64::MAX });

static STEPPING: Global<Steps> = Global::new(Steps { left: 0, top: 0, last: 0, head: u64::MAX });
static STEP_BY_STEP: Global<bool> = Global::new(true);

static INTERRUPTED_AT: Global<u64> = Global::new(0);

/// Under a debugger the traps of single steps would be the debugger's.
pub fn leave_steps_to_a_debugger() {
    STEP_BY_STEP.write(false);
}

/// The loop that the program was in when [`super::upcalls::Upcalls::on_stuck`] was called.
pub fn interrupted_at() -> u64 {
    INTERRUPTED_AT.read()
}

/// Notes that the run makes progress: at every visible operation and at the start of a run.
#[inline(always)]
pub fn note_progress() {
    // SAFETY: one OS thread; the handler only reads.
    unsafe { *PROGRESS.as_ptr() = PROGRESS.read().wrapping_add(1) };
}

/// From now on ends runs that make no progress for this many milliseconds of processor time. Called again in each
/// forked child.
pub fn start(milliseconds: u64) {
    const ITIMER_PROF: u64 = 2;
    const SA_RESTART: u64 = 0x1000_0000;
    // SAFETY: no other borrow: the timer does not run yet, or its handler is not active now.
    let state = unsafe { STATE.get() };
    state.limit = (milliseconds * 1000).div_ceil(TICK).max(1);
    (state.stalled, state.in_guest) = (0, 0);
    signals::handle(SIGPROF, tick, SA_RESTART);
    signals::handle(SIGTRAP, stepped, 0);
    let interval = [0, TICK, 0, TICK];
    // SAFETY: the kernel reads the interval.
    unsafe { sys::call3(nr::__NR_setitimer, ITIMER_PROF, interval.as_ptr() as u64, 0) };
}

extern "C" fn tick(_signal: i32, _info: &mut Info, interrupted: &mut Interrupted) {
    // SAFETY: the only other borrows are in `start`, before the timer runs, and in `stepped`, which is not active now.
    let state = unsafe { STATE.get() };
    let progress = PROGRESS.read();
    if progress != state.seen || is_between_runs(interrupted) {
        (state.seen, state.stalled, state.in_guest) = (progress, 0, 0);
        return;
    }
    if !child::in_child() {
        // The host kills a guest without a heartbeat, as one that has lost control; this one has not.
        link::header().heartbeat.fetch_add(1, Relaxed);
    }
    state.stalled += 1;
    if state.stalled < state.limit || upcalls().on_stalled() {
        return;
    }
    let in_guest = is_in_guest(interrupted);
    state.in_guest = if in_guest { state.in_guest + 1 } else { 0 };
    if state.in_guest >= HANGING {
        crash::go_on(interrupted, EMERGENCY_STACK, hanging);
    } else if !STEP_BY_STEP.read() {
        if !in_guest {
            give_up(interrupted, interrupted.registers[register::RIP]);
        }
    } else if interrupted.registers[register::FLAGS] & TRAP_FLAG == 0 {
        // SAFETY: the only other borrow is in `stepped`, which is not active now.
        let steps = unsafe { STEPPING.get() };
        if state.steps_since != progress {
            state.steps_since = progress;
            *steps = Steps { left: STEPS, top: 0, last: 0, head: u64::MAX };
        }
        // A return from another handler of the guest's restores flags without the trap flag, which ends the stepping.
        // The next tick starts it again with fewer steps, so that it is over after `STEP_TICKS` ticks.
        steps.left = steps.left.saturating_sub(STEPS / STEP_TICKS);
        interrupted.registers[register::FLAGS] |= TRAP_FLAG;
    }
}

/// The engine's main loop is at work, not a thread of the program.
fn is_between_runs(interrupted: &Interrupted) -> bool {
    ENGINE_STACK.contains(interrupted.registers[register::RSP])
}

/// The thread is in code of the guest, or on a stack of the engine's.
fn is_in_guest(interrupted: &Interrupted) -> bool {
    elf::image_text().contains(interrupted.registers[register::RIP])
        || ENGINE.contains(interrupted.registers[register::RSP])
}

/// After each instruction of a thread that makes no progress.
extern "C" fn stepped(signal: i32, info: &mut Info, interrupted: &mut Interrupted) {
    if interrupted.registers[register::FLAGS] & TRAP_FLAG == 0 {
        return crash::handler(signal, info, interrupted);
    }
    // SAFETY: the only other borrows are in `tick` and `start`, which are not active now.
    let (state, steps) = unsafe { (STATE.get(), STEPPING.get()) };
    if PROGRESS.read() != state.seen || is_between_runs(interrupted) {
        interrupted.registers[register::FLAGS] &= !TRAP_FLAG;
        return;
    }
    steps.left = steps.left.saturating_sub(1);
    if is_in_guest(interrupted) {
        return;
    }
    state.in_guest = 0;
    let (pc, stack) = (interrupted.registers[register::RIP], interrupted.registers[register::RSP]);
    if stack > steps.top {
        *steps = Steps { left: steps.left, top: stack, last: 0, head: u64::MAX };
    }
    if stack == steps.top {
        if pc < steps.last {
            steps.head = steps.head.min(pc);
        }
        steps.last = pc;
    }
    if steps.left == 0 {
        interrupted.registers[register::FLAGS] &= !TRAP_FLAG;
        let head = steps.head;
        give_up(interrupted, if head == u64::MAX { pc } else { head });
    }
}

fn give_up(interrupted: &mut Interrupted, place: u64) {
    // SAFETY: called by handlers that do not use their borrow any more.
    let state = unsafe { STATE.get() };
    (state.stalled, state.in_guest) = (0, 0);
    INTERRUPTED_AT.write(place);
    crash::go_on(interrupted, SERVICE_STACK, stuck);
}

/// The guest's own code does not return to the program.
extern "C" fn hanging() -> ! {
    upcalls().on_tool_error("the engine makes no progress (its memory may have been overwritten)")
}

extern "C" fn stuck() -> ! {
    upcalls().on_stuck()
}
