//! A minimal engine to test the platform with: runs main again and again, and compares how each run went with the
//! first one.

mod ending;
mod rows;
mod threads;

use crate::platform::exit;
use crate::platform::{
    self, Call, Upcalls, arena::HeapError, checkpoint::MemoryCheckpoint, dispatch, elf, fiber, fork, link, output,
    snapshot, watchdog,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ending::{ENDING, ENGINE, end};
use inspect_core::event::SiteId;
use inspect_core::explore::Counts;
use inspect_wire::message::{Job, Message, Mode};
use platform::Global;
use serde::{Deserialize, Serialize};

/// How a run went.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Outcome {
    ending: String,
    output: Vec<u8>,
}

fn main_loop(job: Job) -> ! {
    const STUCK: u64 = 200;
    if job.mode == Mode::Fork {
        snapshot::take_for_fork();
    } else if let Err(error) = snapshot::take() {
        fail(&format!("{error:?}"));
    }
    if !dispatch::arm() {
        fail("system calls cannot be trapped");
    }
    watchdog::start(STUCK);
    let mut first = None;
    for run in 0..job.max_executions {
        watchdog::note_progress();
        let outcome = match job.mode {
            // Every third run is interrupted, each time at another turn, and finished twice.
            Mode::Restore if run % 3 == 2 => run_twice(run % 41 + 1),
            Mode::Restore => run_once(),
            Mode::Fork => run_forked(STUCK),
        };
        let first = first.get_or_insert_with(|| outcome.clone());
        if *first != outcome {
            let text = |outcome: &Outcome| String::from_utf8_lossy(&outcome.output).into_owned();
            let (a, b) = (text(&outcome), text(first));
            fail(&format!("run {run} differs: {} {a} instead of {} {b}", outcome.ending, first.ending));
        }
        if job.mode == Mode::Restore {
            snapshot::restore();
            check_memory(run, job.max_executions);
        }
    }
    // There are no traces here: whoever asks for them gets the unwind rows.
    assert!(job.report_traces.is_none() || rows::send(), "the shared memory is large enough");
    report(job.max_executions, first.unwrap_or_default())
}

/// Nothing may be left of a run; and once the hot pages are known, nothing may grow.
fn check_memory(run: u64, runs: u64) {
    static HALF_WAY: Global<u64> = Global::new(0);
    if (run < 3 || run.is_multiple_of(1000) || run + 1 == runs)
        && let Err(damage) = snapshot::verify()
    {
        fail(&format!("after run {run}: {damage:x?}"));
    }
    if run == runs / 2 {
        HALF_WAY.write(platform::engine_memory());
    }
    if run + 1 == runs && run > 100 && platform::engine_memory() > HALF_WAY.read() {
        fail(&format!("memory grew by {} bytes", platform::engine_memory() - HALF_WAY.read()));
    }
}

fn run_forked(stuck: u64) -> Outcome {
    let result = fork::run(|| {
        watchdog::start(stuck);
        run_once()
    });
    match result {
        Ok(outcome) => outcome,
        Err(died) => fail(&format!("forked run: {died:?}")),
    }
}

fn report(runs: u64, outcome: Outcome) -> ! {
    let counts = Counts { executions: runs, ..Counts::default() };
    let sent = link::send(&Message::Modules(elf::modules()))
        && link::send(&Message::Output(0, outcome.ending.into_bytes()))
        && link::send(&Message::Output(1, outcome.output))
        && link::send(&Message::Output(9, format!("{} hot pages", snapshot::hot_pages()).into_bytes()))
        && link::send(&Message::Done { counts, complete: true });
    assert!(sent, "the shared memory is large enough");
    link::finish()
}

fn run_once() -> Outcome {
    platform::begin_run();
    ENGINE.write(fiber::own_context());
    threads::begin();
    outcome()
}

/// How the run that just ended went.
fn outcome() -> Outcome {
    // SAFETY: one OS thread; the borrow ends with this statement.
    let ending = core::mem::take(unsafe { ENDING.get() });
    Outcome { ending, output: output::captured().bytes.clone() }
}

/// Runs to a checkpoint at a thread's turn, from there to the end, and from there to the end again.
fn run_twice(turn: u64) -> Outcome {
    threads::PAUSE_IN.write(turn);
    threads::PAUSED.write(false);
    let early = run_once();
    threads::PAUSE_IN.write(0);
    if !threads::PAUSED.read() {
        return early;
    }
    let mut checkpoint = MemoryCheckpoint::default();
    if !MemoryCheckpoint::is_possible() {
        threads::resume(&threads::save());
        return outcome();
    }
    checkpoint.take();
    let saved = threads::save();
    threads::resume(&saved);
    let first = outcome();
    checkpoint.restore();
    threads::resume(&saved);
    let second = outcome();
    if first != second {
        fail("a run went on differently from a checkpoint");
    }
    first
}

/// Answers the platform's calls: whatever ends a run is its ending.
pub struct SelfTest;

impl Upcalls for SelfTest {
    fn main_loop(&self, job: Job) -> ! {
        exit::prepare(true);
        main_loop(job)
    }

    fn on_crash(&self, signal: i32, address: u64, _pc: u64) -> ! {
        const SIGSEGV: i32 = 11;
        match fiber::slot_of_address(address) {
            _ if signal != SIGSEGV => end(format!("signal {signal}")),
            Some(slot) => end(format!("signal {signal} in the guard of stack {slot}")),
            None => end(format!("signal {signal} at {address:#x}")),
        }
    }

    fn on_exiting(&self) -> bool {
        false
    }

    fn on_exited(&self) {}

    fn on_exit(&self, status: i32) -> ! {
        end(format!("exit {status}"))
    }

    fn on_channel_call(&self, _call: &Call) -> i64 {
        end(String::from("a channel"))
    }

    fn on_unmodelled(&self, call: &str, _pc: u64) -> ! {
        end(format!("unmodelled {call}"))
    }

    fn on_heap_error(&self, error: HeapError, _pointer: u64, _pc: u64) -> ! {
        end(format!("{error:?}"))
    }

    fn on_memory_limit(&self) -> ! {
        end(String::from("memory limit"))
    }

    fn on_allocated(&self, _start: u64, _size: u64, _untouched: bool, _pc: u64) {}

    fn on_reusable(&self) {}

    fn on_freed(&self, _start: u64, _size: u64, _pc: u64) {}

    fn on_freeing(&self, _block: u64, _pc: u64) {}

    fn on_asked(&self, _block: u64, _pc: u64) {}

    fn on_result_written(&self, _start: u64, _size: u64, _pc: u64) {}

    fn on_futex_wait(&self, _address: u64, _expected: u32, _pc: u64) -> i64 {
        end(String::from("futex wait"))
    }

    fn on_futex_wake(&self, _address: u64, _count: u32, _pc: u64) -> i64 {
        0
    }

    fn on_yield(&self, _pc: u64) {
        threads::yield_now();
    }

    fn on_stalled(&self) -> bool {
        false
    }

    fn on_stuck(&self) -> ! {
        end(String::from("stuck"))
    }

    fn on_tool_error(&self, message: &str) -> ! {
        fail(message)
    }

    fn note_changing_input(&self) {}

    /// Threads are not exchanged here.
    fn note_identity(&self) {}

    /// The test's threads are ordered by nothing but creating and joining.
    fn before_time_passes(&self) {}

    /// Loops are not looked at here.
    fn note_time_passes(&self) {}

    fn on_time_after_loop(&self, _passed_at: SiteId, _pc: u64) {}

    /// Signals to the process are not tested here.
    fn makes_descriptor(&self) -> bool {
        true
    }

    fn has_other_threads(&self) -> bool {
        false
    }

    /// Nobody asks for a thread by its number.
    fn lives(&self, _slot: usize) -> bool {
        true
    }

    fn exists(&self, _slot: usize) -> bool {
        true
    }

    fn on_boundary(&self, _site: inspect_core::event::SiteId) {}

    fn on_unsafe_call(&self, _call: &str, _site: inspect_core::event::SiteId) {}

    fn on_cancellable(&self, _site: inspect_core::event::SiteId) {}

    fn call_back(&self, function: &mut dyn FnMut()) {
        function();
    }
}

/// The test has failed: the host gets the reason.
fn fail(message: &str) -> ! {
    let _ = link::send(&Message::ToolError(String::from(message)));
    link::finish()
}
