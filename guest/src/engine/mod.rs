//! Makes one run: drives the scheduler of `inspect_core::run` with the real threads of the program, and feeds the
//! detectors.
//!
//! [`step`], which is what a thread does at a visible operation, is the place to begin; [`state`] declares all data of
//! a run. The other modules by purpose:
//!
//! | purpose | modules |
//! |---|---|
//! | which accesses are visible, which leave the fast path, what is checked at the others | [`visibility`], [`attention`], [`recent`], [`detection`] |
//! | parking of waiting loops (S14) | [`loops`], [`spin`], [`watch_sets`] |
//! | ends of runs, and pauses for checkpoints | [`ending`], [`pause`] |
//! | what an object's memory says of its use; which robust mutexes are held, which locks very often, and who waits for locks of the kernel | [`object_memory`], [`static_objects`], [`robust_holds`], [`deep_read_holds`], [`owned_locks`] |
//! | how pending signals were sent, who takes them, timers | [`signal_queue`], [`signal_takers`], [`timers`] |
//! | what is done only once a run has shown that it is needed | [`switches`], [`wait_mutexes`], [`interrupting`], [`interruptions`], [`expected_signals`] |
//! | whether freed memory is used again | [`heap_choice`] |
//! | virtual time | [`clocks`], [`times`] |
//! | `--algorithm stateful` | [`states`], [`frames`], [`deltas`], [`hash_cache`] |
//! | `--symmetry` | [`symmetry`] |
//! | `--algorithm pdp` | [`code_facts`], [`pruning_log`] |
//! | reports and replays | [`site`], [`object_names`], [`trace_values`], [`call_stacks`], [`stack_walk`] |
//!
//! [`crate::search`], the floor above, plans runs and judges them; the floor below is the platform.

mod announced_frames;
pub(crate) mod attention;
pub(crate) mod bits_of_call;
mod call_stacks;
pub(crate) mod code_facts;
mod deep_read_holds;
pub(crate) mod defect;
pub(crate) mod deltas;
pub(crate) mod detection;
mod ended_variables;
pub(crate) mod exit_handlers;
pub(crate) mod expected_signals;
pub(crate) mod frame_ends;
pub(crate) mod heap_choice;
pub(crate) mod interrupting;
pub(crate) mod interruptions;
pub(crate) mod kept;
pub(crate) mod keys;
pub(crate) mod leaks;
pub(crate) mod memory;
pub(crate) mod named_semaphores;
pub(crate) mod object_memory;
pub(crate) mod object_names;
mod owned_locks;
mod parking;
pub(crate) mod pause;
pub(crate) mod pruning_log;
pub(crate) mod recent;
pub(crate) mod site;
pub(crate) mod stack_walk;
pub(crate) mod stall;
pub(crate) mod state;
pub(crate) mod states;
pub(crate) mod static_objects;
pub(crate) mod switches;
pub(crate) mod symmetry;
pub(crate) mod threads;
pub(crate) mod uninitialised;
pub(crate) mod visibility;
pub(crate) mod wait_mutexes;

mod clocks;
mod ending;
mod frames;
mod hash_cache;
mod loops;
mod notes;
mod observation;
mod robust_holds;
mod run_data;
mod service_stack;
mod signal_queue;
mod signal_takers;
mod spin;
mod step;
pub(crate) mod timers;
mod times;
mod trace_values;
mod watch_sets;

pub(crate) use attention::attention as attention_of;
pub(crate) use clocks::{before_time_passes, note_time_after_loop, note_time_passes, note_time_shown};
pub(crate) use ending::{end_process, fault, keeps_buffers, note_exit, unmodelled, unmodelled_beside_threads};
pub(crate) use loops::{
    enter_loop, log_futex_look, log_own_write, log_plain, log_read, log_write, park_at_loop_head, spoil_loops,
};
pub(crate) use notes::{
    forget_objects, has_other_threads, is_alive, note_begun, note_changing_input, note_ended, note_identity,
    note_opaque, note_sleep, note_uncontrolled, note_unknown_call, note_unsafe, note_use, note_written,
};
pub(crate) use state::{LAST_SITE, RUNNING, Trouble, with};
pub(crate) use states::{announce_frames, call_back, set_uncomparable, uncomparable_during};
pub(crate) use step::{
    end_run, forget_granted, is_granted, last_event, note_finding, note_misuse, note_requested_misuse, park, settle,
    switch_to, take_granted, visible, visible_misusing,
};
pub(crate) use threads::{CONTEXTS, me};
pub(crate) use visibility::{own_stack_is_visible, plain_is_visible, some_plain_are_visible};
