//! Calls about the processors that threads may run on, their names and their priorities. What they ask for is kept by
//! the platform.
//!
//! These attributes of a thread are one object, which the end of the thread changes as well: from then on its number
//! names no thread. So do the join and the detachment of the thread: once it was joined, or has ended detached, its
//! handle must not be used any more (`thread-gone`). Where no call is about another thread than its own, nobody sees an
//! order of these, and they, the end of threads and what looks at the calling thread's processors do without the object
//! ([`Switch::OthersProcessors`]).

use super::library_state::{Use, use_processors};
use super::real;
use crate::engine::switches::Switch;
use crate::engine::{last_event, me, note_identity, note_misuse, unmodelled, with};
use crate::platform::{affinity, fiber};
use inspect_core::detect::FindingKind;
use inspect_core::event::{Object, SiteId, ThreadId};

/// A call depends on the processors of a thread, or changes them. The thread is given by its handle or its number.
pub(super) fn announce(thread: u64, is_handle: bool, changes: bool, site: SiteId) {
    let slot = if is_handle { fiber::slot_of_thread_pointer(thread) } else { affinity::slot_of_number(thread) };
    let Some(slot) = slot else { return };
    note_identity();
    if slot != me().index() {
        Switch::OthersProcessors.come_up();
    }
    use_processors(slot, if changes { Use::Change } else { Use::Look }, site);
    // The C library then passes a number to the system that means the calling thread.
    if is_handle && affinity::has_ended(slot) && !is_gone(slot, site) {
        unmodelled("a question about the processors or the name of a thread that has ended, by its handle,", site);
    }
}

/// Whether the handle of a thread that has ended must not be used any more: a misuse.
fn is_gone(slot: usize, site: SiteId) -> bool {
    let info = with(|engine| engine.run.thread_info(ThreadId::at(slot)));
    let is_gone = info.joined || info.detached;
    if is_gone {
        note_misuse(FindingKind::ThreadGone, last_event().operation, Object(0), site);
    }
    is_gone
}

/// What a call finds that names a thread by its handle, and is told if the thread has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ThreadNamed {
    /// The thread has not ended.
    Lives,
    /// The thread has ended, and its handle may be used.
    Ended,
    /// There is none that the handle could name.
    Gone,
}

/// A call names a thread by its handle, and depends on what belongs to that thread, or changes it.
pub(super) fn use_by_handle(thread: ThreadId, changes: bool, site: SiteId) -> ThreadNamed {
    let is_other = thread != me();
    if is_other {
        note_identity();
        Switch::OthersProcessors.come_up();
    }
    if is_other || Switch::OthersProcessors.is_on() {
        use_processors(thread.index(), if changes { Use::Change } else { Use::Look }, site);
    }
    match is_other && affinity::has_ended(thread.index()) {
        true if is_gone(thread.index(), site) => ThreadNamed::Gone,
        true => ThreadNamed::Ended,
        false => ThreadNamed::Lives,
    }
}

/// The running thread has joined a thread, or detached it.
pub(super) fn announce_claim(thread: ThreadId, site: SiteId) {
    if Switch::OthersProcessors.is_on() {
        use_processors(thread.index(), Use::Change, site);
    }
}

/// The running thread looks at its own processors, which other threads may be changing: to find out on which of them
/// it runs, or as a thread that it is about to create has the same.
pub(super) fn look_at_own(site: SiteId) {
    if Switch::OthersProcessors.is_on() {
        use_processors(me().index(), Use::Look, site);
    }
}

/// The running thread is about to end. As in Linux, the number of main stays one of a thread.
pub(super) fn announce_end() {
    if Switch::OthersProcessors.is_on() && me() != ThreadId::MAIN {
        use_processors(me().index(), Use::Change, SiteId(0));
        affinity::end(me().index());
    }
}

/// The processors that attributes of threads ask for; None if they ask for none.
pub(super) fn asked_for(attributes: u64) -> Option<affinity::Mask> {
    let mut mask = affinity::EVERYWHERE;
    let len = size_of_val(&mask) as u64;
    let get = real!("pthread_attr_getaffinity_np" as fn(u64, u64, *mut affinity::Mask) -> i32);
    // What is not asked for is answered with all processors.
    (get(attributes, len, &raw mut mask) == 0 && mask != affinity::EVERYWHERE).then_some(mask)
}
