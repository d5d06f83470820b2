//! The functions whose calls the instrumentation inserts (see `inspect_wire::hooks`).
//!
//! All of them return at once while the engine is not in charge: before the first run, and in a program that is not
//! explored.

pub(crate) mod access;
pub(crate) mod atomic;
mod contract;
mod facts;
mod thread_sanitizer;
mod uninitialised;

pub(crate) use access::{
    argument_decides, argument_read, argument_write, locked_read, locked_write, object_access, object_leaving, plain,
};
pub(crate) use atomic::counted_down;

use crate::engine::{announce_frames, enter_loop, note_exit, note_opaque, object_memory, park_at_loop_head};
use crate::platform::{Range, started};
use inspect_core::event::SiteId;
use inspect_wire::hooks::LOOP_ENTRY;

/// `__inspect_loop_head`: arrival at the head of a loop that may be a spin loop, or the way into it.
#[unsafe(no_mangle)]
extern "C" fn __inspect_loop_head(count: u64, values: u64, site: u64) {
    if !started() {
        return;
    }
    if count == LOOP_ENTRY {
        return enter_loop(site);
    }
    let slice: &[u64] = if count == 0 {
        &[]
    } else {
        // SAFETY: the pass stores `count` values there just before the call.
        unsafe { core::slice::from_raw_parts(values as *const u64, count as usize) }
    };
    park_at_loop_head(site, values, slice);
}

/// `__inspect_other_parts`: only ever named, by an object with parts that are not instrumented.
#[unsafe(no_mangle)]
extern "C" fn __inspect_other_parts() {}

/// `__inspect_leave_main`: main is about to return.
#[unsafe(no_mangle)]
extern "C" fn __inspect_leave_main(site: u64) {
    if started() {
        note_exit(SiteId(site));
    }
}

/// `__inspect_call_only`: a module has a section of synchronisation objects that no access reaches.
#[unsafe(no_mangle)]
extern "C" fn __inspect_call_only(start: u64, end: u64) {
    object_memory::note_call_only(Range { start, end });
}

/// `__inspect_frames`: the program has frame records.
#[unsafe(no_mangle)]
extern "C" fn __inspect_frames(innermost: u64, written: u64) {
    announce_frames(innermost, written, false);
}

/// `__inspect_delta_frames`: the program has frame records that are built of deltas.
#[unsafe(no_mangle)]
extern "C" fn __inspect_delta_frames(innermost: u64) {
    announce_frames(innermost, 0, true);
}

/// `__inspect_opaque`: inline assembly that the pass cannot see through is about to run.
#[unsafe(no_mangle)]
extern "C" fn __inspect_opaque(site: u64) {
    if started() {
        note_opaque(SiteId(site));
    }
}
