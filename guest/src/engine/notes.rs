//! What the engine notes about the running thread between its visible operations.

use super::attention::{self, attention};
use super::loops::spoil_loops;
use super::object_memory;
use super::service_stack::on_service_stack;
use super::state::{RUNNING, with};
use super::threads::me;
use alloc::format;
use alloc::string::String;
use inspect_core::event::{ByteRange, SiteId, ThreadId};
use inspect_wire::message::InconclusiveReason;

/// The running thread was given a value that may distinguish it from others, such as its own number: from here on the
/// run has no symmetric threads (`--symmetry`).
pub(crate) fn note_identity() {
    if RUNNING.read() {
        with(|engine| engine.run.expose());
    }
}

/// The running thread was given a value that differs from one reading to the next (a time, a random number), so its
/// loops are not parked.
pub(crate) fn note_changing_input() {
    if !RUNNING.read() {
        return;
    }
    note_identity();
    spoil_loops();
}

/// The running thread sleeps or yields.
pub(crate) fn note_sleep(site: SiteId) {
    if attention(me()) & attention::LOOP != 0 {
        with(|engine| engine.loops.sleep(me(), site));
    }
}

/// The running thread makes a call whose result Inspect does not control. The run goes on; the verdict is inconclusive.
pub(crate) fn note_uncontrolled(call: String, site: SiteId) {
    with(|engine| engine.note_reason(InconclusiveReason::Unmodelled { call, site }));
}

/// The running thread calls a function of which nobody knows what it accesses.
#[cold]
pub(crate) fn note_unknown_call(call: &str, site: SiteId) {
    with(|engine| engine.note_reason(InconclusiveReason::UnknownCall { call: String::from(call), site }));
}

/// The running thread makes a call that is not among those that may be made while cancellation is asynchronous.
#[cold]
pub(crate) fn note_unsafe(call: &str, site: SiteId) {
    note_uncontrolled(format!("{call}, while cancellation is asynchronous, which POSIX leaves undefined"), site);
}

/// The running thread is about to run inline assembly whose accesses are unknown.
pub(crate) fn note_opaque(site: SiteId) {
    with(|engine| {
        if !engine.opaque.contains(&site) {
            engine.opaque.push(site);
        }
    });
}

/// This memory ends or is used anew: the scheduler forgets the synchronisation objects in it.
pub(crate) fn forget_objects(range: ByteRange) {
    with(|engine| {
        engine.run.memory_ends(range);
        if *engine.passing_objects {
            engine.run.forget_objects(range);
        }
    });
}

/// The variables of the running thread in this memory have ended.
pub(crate) fn note_ended(range: ByteRange) {
    ended_on_service_stack(range.start, range.len);
}

/// The running thread has a variable in this memory from now on.
#[inline(always)]
pub(crate) fn note_begun(range: ByteRange) {
    if with(|engine| !engine.ended_variables.is_empty()) {
        begun_on_service_stack(range.start, range.len);
    }
}

on_service_stack!(ended_on_service_stack(start: u64, len: u32) => ended_here);
on_service_stack!(begun_on_service_stack(start: u64, len: u32) => begun_here);

extern "C" fn ended_here(start: u64, len: u32) {
    with(|engine| engine.ended_variables.add(ByteRange { start, len }));
}

extern "C" fn begun_here(start: u64, len: u32) {
    with(|engine| engine.ended_variables.remove(ByteRange { start, len }));
}

/// The running thread has taken an object into use, or given it back: writes the object's word that says so.
#[inline(always)]
pub(crate) fn note_use(word: u64, is_in_use: bool) {
    note_written(object_memory::set_in_use(word, is_in_use));
}

/// A model has written what belongs to the state of an object, which is no access of the program.
#[inline(always)]
pub(crate) fn note_written(written: ByteRange) {
    with(|engine| {
        if engine.state_recorder.is_some() {
            engine.hash_cache.get_mut().wrote(written);
        }
    });
}

/// Whether the running thread may run beside another one: one that was created and that no thread has joined. One that
/// has ended and was not joined might as well go on in another order. If all others are joined, each has ended before
/// the present: the one that joined it is the running thread, or was joined later on.
pub(crate) fn has_other_threads() -> bool {
    with(|engine| {
        let others = (0..engine.run.paths().len()).map(ThreadId::at).filter(|&thread| thread != me());
        others.map(|thread| engine.run.thread_info(thread)).any(|info| info.exists && !(info.ended && info.joined))
    })
}

/// Whether `thread` was created in this run and has not ended.
pub(crate) fn is_alive(thread: ThreadId) -> bool {
    let info = with(|engine| engine.run.thread_info(thread));
    info.exists && !info.ended
}
