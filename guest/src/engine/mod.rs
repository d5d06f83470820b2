//! Drives the scheduler of `inspect_core::run` with the real threads of the program, and searches.
//!
//! What the platform calls is here; what hooks and models call is re-exported from the parts.

/// Defines a function that calls another one on the service stack. What the engine leaves on a stack depends on earlier
/// runs, so it must not be where the program could read it; this costs two instructions more than a call.
macro_rules! elsewhere {
    ($name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)? => $target:path) => {
        #[unsafe(naked)]
        extern "C" fn $name($($argument: $kind),*) $(-> $result)? {
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push rbp",
                ".cfi_def_cfa_offset 16",
                ".cfi_offset rbp, -16",
                "mov rbp, rsp",
                ".cfi_def_cfa_register rbp",
                "movabs rsp, {stack}",
                "call {target}",
                "mov rsp, rbp",
                "pop rbp",
                ".cfi_def_cfa rsp, 8",
                "ret",
                ".cfi_endproc",
                stack = const $crate::platform::layout::SERVICE_STACK.end,
                target = sym $target,
            )
        }
    };
}

pub(crate) mod call_stacks;
mod checkpoints;
pub(crate) mod deltas;
pub(crate) mod detection;
mod hash_cache;
pub(crate) mod memory;
pub(crate) mod pruning_log;
mod replay;
mod report;
mod runner;
mod search;
mod sharing;
pub(crate) mod site;
mod spin;
mod state;
mod states;
pub(crate) mod step;
mod symmetry;
mod time;
mod upcalls;
mod watch_sets;

pub(crate) use search::main_loop;
pub(crate) use state::{CONTEXTS, LAST_SITE, Trouble, attention, own_stack_is_visible, plain_is_visible, with};
pub(crate) use states::{announce_frames, call_back, keep_something, keeping};
pub(crate) use step::{
    end_run, last_event, me, note_misuse, settle, switch_to, take_granted, visible, visible_misusing,
};
pub(crate) use time::before_time_passes;
pub(crate) use upcalls::{
    end_process, fault, forget_objects, has_other_threads, note_exit, note_sleep, note_uncontrolled, on_allocated,
    on_crash, on_exit, on_freed, on_freeing, on_futex_wait, on_futex_wake, on_heap_error, on_memory_limit, on_stuck,
    on_tool_error, on_unmodelled, on_yield, unmodelled,
};

use inspect_core::event::{ByteRange, ThreadId};
use inspect_core::run::Request;

/// The reasons for which a thread's accesses need more than the fast path.
#[inline(always)]
pub(crate) fn attention_of(thread: ThreadId) -> u8 {
    state::attention(thread)
}

/// The running thread is at the head of a loop. Returns when its next iteration is to run.
pub(crate) fn park_at_loop_head(site: u64, frame: u64, values: &[u64]) {
    let me = me();
    settle(me);
    let parking = with(|engine| {
        let parking = engine.loops.head(me, site, frame, values, &mut engine.watch_sets)?;
        if parking.first.conditional
            && let Some(range) = parking.first.operation.bytes()
        {
            engine.memory.announce(me, memory::Exchange { range, expected: parking.expected });
        }
        Some(parking)
    });
    if let Some(parking) = parking {
        step::park(me, parking.first, parking.watch());
    }
}

/// The running thread is about to enter a loop: what it did in an earlier passage through it does not count.
pub(crate) fn enter_loop(site: u64) {
    let me = me();
    if attention_of(me) & attention::LOOP != 0 {
        with(|engine| engine.loops.enter(me, site));
    }
}

/// Notes a plain access in the logs of the running thread's loops.
pub(crate) fn log_plain(range: ByteRange, write: bool, request: &Request) {
    if write {
        log_write(request, range);
    } else {
        log_read(request, [0; 2], range);
    }
}

/// The running thread looked at something that tells it from others which do the same.
pub(crate) fn note_identity() {
    if state::RUNNING.read() {
        with(|engine| engine.run.expose());
    }
}

/// Notes a read.
pub(crate) fn log_read(request: &Request, expected: [u64; 2], range: ByteRange) {
    with(|engine| engine.loops.read(me(), request, expected, range));
}

/// Notes a write.
pub(crate) fn log_write(request: &Request, range: ByteRange) {
    with(|engine| engine.loops.write(me(), request, range));
}

/// The running thread looked at something that is different at every look (a clock, a random number), so its loops are
/// not parked.
pub(crate) fn note_changing_input() {
    if !state::RUNNING.read() {
        return;
    }
    note_identity();
    let me = me();
    if attention_of(me) & attention::LOOP != 0 {
        with(|engine| engine.loops.spoil(me));
    }
}
